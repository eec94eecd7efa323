#include "api/parameters.h"

#include "core/memory.h"
#include "core/text.h"

static void free_parameter(gemp_query_parameter *parameter)
{
	gemp_free((char *)parameter->name);
	if (parameter->value.type == GEMP_STRING)
		gemp_free((char *)parameter->value.string.bytes);
}

/* The place of the name, list->count if there is none. */
static size_t find(const gemp_parameter_list *list, const char *name)
{
	size_t at = 0;
	while (at < list->count && strcmp(list->items[at].name, name) != 0)
		at++;
	return at;
}

gemp_code gemp_parameter_list_set(gemp_parameter_list *list, const char *name, gemp_value value)
{
	GEMP_OWNED_BY(free_parameter) gemp_query_parameter fresh = { .name = gemp_strdup(name), .value = value };
	if (!fresh.name || (value.type == GEMP_STRING && !value.string.bytes))
		GEMP_TRY(gemp_fail(GEMP_ENOMEM, "out of memory for parameter $%s", name));
	const size_t at = find(list, name);
	if (at == list->count) {
		GEMP_TRY(GEMP_RESERVE(list->items, list->capacity, at + 1));
		list->items[at] = (gemp_query_parameter){ 0 };
		list->items[at].value.type = GEMP_INTEGER;
		list->count++;
	}
	free_parameter(&list->items[at]);
	list->items[at] = fresh;
	fresh = (gemp_query_parameter){ .value.type = GEMP_INTEGER };
	return GEMP_OK;
}

gemp_code gemp_parameter_list_read(gemp_parameter_list *list, const char *assignment)
{
	gemp_query_parameter read = { 0 };
	GEMP_TRY(gemp_query_parameter_read(&read, assignment));
	gemp_value value = read.value;
	gemp_code code = GEMP_OK;
	if (find(list, read.name) < list->count)
		code = gemp_fail(GEMP_EUSAGE, "parameter %s: there are two values for $%s; leave one out", assignment,
		                 read.name);
	else if (value.type == GEMP_STRING) /* the list owns its strings, this one is part of the name's block */
		value.string.bytes = gemp_strndup(value.string.bytes, value.string.size);
	GEMP_THEN(gemp_parameter_list_set(list, read.name, value));
	gemp_query_parameter_free(&read);
	return code;
}

void gemp_parameter_list_print(const gemp_parameter_list *list, gemp_text *out)
{
	for (size_t i = 0; i < list->count; i++) {
		gemp_text_print(out, "%s%s=", i ? "; " : "", list->items[i].name);
		gemp_value_print(&list->items[i].value, out);
	}
}

void gemp_parameter_list_free(gemp_parameter_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_parameter(&list->items[i]);
	gemp_free(list->items);
}
