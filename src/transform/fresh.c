#include "transform/fresh.h"

#include "core/memory.h"

#include <stdio.h>

/* The number in "#12", 0 for any other text. */
static uint64_t number_of(const char *bytes, size_t size)
{
	uint64_t number = 0;
	if (size < 2 || size > 19 || bytes[0] != '#' || bytes[1] == '0')
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return 0;
		number = number * 10 + (uint64_t)(bytes[i] - '0');
	}
	return number;
}

/* Collective. What no key of the graph has, nor anything greater: keys as numbers that are ordered as they are. */
static uint64_t greatest(const gemp_comm *comm, const gemp_graph *graph)
{
	uint64_t most = graph->key.type == GEMP_INTEGER ? (uint64_t)1 << 63 : 0;
	for (size_t row = 0; row < graph->rows; row++) {
		gemp_value key = gemp_column_get(&graph->key, row);
		uint64_t number = key.type == GEMP_INTEGER ? (uint64_t)key.integer ^ (uint64_t)1 << 63
		                                           : number_of(key.string.bytes, key.string.size);
		most = number > most ? number : most;
	}
	gemp_comm_max(comm, &most, 1);
	return graph->key.type == GEMP_INTEGER ? most ^ (uint64_t)1 << 63 : most;
}

gemp_code gemp_fresh_new(gemp_fresh *out, gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                         const gemp_frame *frame, const uint64_t *number, uint64_t chosen)
{
	gemp_code code = GEMP_OK;
	const gemp_frame_column **columns = NULL;
	size_t count = 0;
	*out = (gemp_fresh){ .rule = rule, .frame = frame, .number = number };
	GEMP_TRY(gemp_graph_need_keys(graph));
	uint64_t most = greatest(context->comm, graph), wanted = chosen * rule->created_vertices;
	out->type = graph->key.type;
	out->first = (int64_t)most + (most < INT64_MAX);
	code = GEMP_NEW(columns, frame->count + 1);
	if (code == GEMP_OK && wanted > (uint64_t)INT64_MAX - most)
		code = gemp_fail(GEMP_EDATA, "rule %s: no keys are left for new vertices above the greatest, %llu; give the vertices "
		                 "smaller keys", rule->name, (unsigned long long)most);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].kind == GEMP_CELL_VERTEX)
			columns[count++] = &frame->columns[c];
	code = gemp_elements_fetch(&out->elements, context, graph, columns, count, frame->rows, false);
done:
	gemp_free(columns);
	if (code != GEMP_OK)
		gemp_fresh_free(out);
	return code;
}

void gemp_fresh_free(gemp_fresh *fresh)
{
	gemp_elements_free(&fresh->elements);
}

gemp_value gemp_fresh_key(gemp_fresh *fresh, const gemp_rule_element *element, size_t row)
{
	if (!element->created)
		return gemp_elements_key(&fresh->elements, fresh->frame->columns[element->index].elements[row]);
	int64_t key = fresh->first + (int64_t)(fresh->number[row] * fresh->rule->created_vertices + element->index);
	if (fresh->type == GEMP_INTEGER)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = key };
	int size = snprintf(fresh->text, sizeof fresh->text, "#%lld", (long long)key);
	return (gemp_value){ .type = GEMP_STRING, .string = { fresh->text, (size_t)size } };
}
