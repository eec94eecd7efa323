#include "api/parameters.h"

#include "core/memory.h"

static void free_parameter(gemp_query_parameter *parameter)
{
	gemp_free((char *)parameter->name);
	if (parameter->value.type == GEMP_STRING)
		gemp_free((char *)parameter->value.string.bytes);
}

gemp_code gemp_parameter_list_set(gemp_parameter_list *list, const char *name, gemp_value value)
{
	gemp_code code = GEMP_OK;
	gemp_query_parameter fresh = { .name = gemp_strdup(name), .value = value };
	size_t at = 0;
	if (!fresh.name || (value.type == GEMP_STRING && !value.string.bytes))
		GEMP_TRY(gemp_fail(GEMP_ENOMEM, "out of memory for parameter $%s", name));
	while (at < list->count && strcmp(list->items[at].name, name) != 0)
		at++;
	if (at == list->count) {
		GEMP_TRY(GEMP_RESERVE(list->items, list->capacity, at + 1));
		list->items[at] = (gemp_query_parameter){ 0 };
		list->items[at].value.type = GEMP_INTEGER;
		list->count++;
	}
	free_parameter(&list->items[at]);
	list->items[at] = fresh;
	fresh = (gemp_query_parameter){ .value.type = GEMP_INTEGER };
done:
	free_parameter(&fresh);
	return code;
}

void gemp_parameter_list_free(gemp_parameter_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_parameter(&list->items[i]);
	gemp_free(list->items);
}
