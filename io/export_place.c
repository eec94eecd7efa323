#include "io/export_parts.h"

#include <string.h>

bool gemp_export_takes(const gemp_exporting *e, size_t relation)
{
	return !e->options->type || strcmp(e->options->type, e->graph->relations[relation].name) == 0;
}

gemp_value gemp_export_edge_value(const gemp_exporting *e, const gemp_export_edge *edge, size_t column)
{
	return gemp_edge_value(e->graph, &e->columns.columns[column], edge->relation, edge->row);
}

void gemp_export_labels(const gemp_graph *graph, size_t row, gemp_text *out)
{
	const gemp_label_set *set = &graph->label_sets[graph->label_set[row]];
	for (size_t l = 0; l < set->count; l++)
		gemp_text_print(out, "%s%s", l ? ";" : "", graph->labels[set->labels[l]]);
}

/* FAILURES */

static void add_shortened(gemp_text *out, const gemp_value *key)
{
	enum { LONGEST = 60 };
	gemp_value shown = *key;
	if (key->type == GEMP_STRING && key->string.size > LONGEST)
		shown.string.size = LONGEST;
	gemp_value_print(&shown, out);
	gemp_text_print(out, "%s", key->type == GEMP_STRING && key->string.size > LONGEST ? "..." : "");
}

static gemp_code in_place(gemp_code code, const gemp_exporting *e, gemp_text *place, const char *column)
{
	if (column)
		gemp_text_print(place, ", column '%s'", column);
	if (code == GEMP_EDATA && gemp_text_status(place) == GEMP_OK)
		code = gemp_fail_in(code, "%s: %s: ", e->options->path, place->data);
	gemp_text_free(place);
	return code;
}

gemp_code gemp_export_in_vertex(gemp_code code, const gemp_exporting *e, size_t row, const char *column)
{
	gemp_text place = { 0 };
	gemp_value key = gemp_column_get(&e->graph->key, row);
	gemp_text_print(&place, "vertex ");
	add_shortened(&place, &key);
	return in_place(code, e, &place, column);
}

gemp_code gemp_export_in_edge(gemp_code code, const gemp_exporting *e, const gemp_export_edge *edge,
                              const char *column)
{
	gemp_text place = { 0 };
	gemp_text_print(&place, "edge ");
	add_shortened(&place, &edge->source);
	gemp_text_print(&place, " -[:%s]-> ", e->graph->relations[edge->relation].name);
	add_shortened(&place, &edge->target);
	return in_place(code, e, &place, column);
}
