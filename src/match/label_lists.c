#include "match/label_lists.h"

#include "core/text.h"

static void add_string(gemp_text *text, const char *name)
{
	gemp_text_add(text, "\"", 1);
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;
		if (byte == '"' || byte == '\\')
			gemp_text_print(text, "\\%c", byte);
		else if (byte < 0x20)
			gemp_text_print(text, "\\u%04x", byte);
		else
			gemp_text_add(text, name, 1);
	}
	gemp_text_add(text, "\"", 1);
}

gemp_code gemp_label_lists(gemp_column *out, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	GEMP_TRY(gemp_column_init(out, "labels", GEMP_LIST));
	for (size_t s = 0; s < graph->label_set_count; s++) {
		gemp_text_clear(&text);
		gemp_text_add(&text, "[", 1);
		for (size_t i = 0; i < graph->label_sets[s].count; i++) {
			if (i)
				gemp_text_add(&text, ", ", 2);
			add_string(&text, graph->labels[graph->label_sets[s].labels[i]]);
		}
		gemp_text_add(&text, "]", 1);
		GEMP_TRY(gemp_text_status(&text));
		GEMP_TRY(gemp_column_add(out, &(gemp_value){ .type = GEMP_LIST, .string = { text.data, text.size } }));
	}
done:
	gemp_text_free(&text);
	if (code != GEMP_OK)
		gemp_column_free(out);
	return code;
}
