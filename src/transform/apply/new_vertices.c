#include "transform/apply/new_vertices.h"

#include "core/memory.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <stdio.h>

/* The number of a key "#12", 0 for any other text. Nineteen characters keep it below 2^63. */
static uint64_t parse_key_number(const char *bytes, size_t size)
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

typedef struct key_scan {
	const gemp_column *keys;
	_Atomic uint64_t max; /* of numbers that are ordered as the keys are */
} key_scan;

/* The sign bit is flipped so that unsigned comparison orders integers. */
static void scan_keys(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	key_scan *l = self;
	const gemp_column *keys = l->keys;
	uint64_t max_key = 0;
	for (size_t row = begin; row < end; row++) {
		uint64_t begin = keys->offsets ? keys->offsets[row] : 0;
		uint64_t number = keys->integers
		                      ? (uint64_t)keys->integers[row] ^ (uint64_t)1 << 63
		                      : parse_key_number(keys->bytes + begin, (size_t)(keys->offsets[row + 1] - begin));
		max_key = number > max_key ? number : max_key;
	}
	uint64_t known = l->max;
	while (max_key > known && !atomic_compare_exchange_weak(&l->max, &known, max_key))
		;
}

/* Collective. No key of the graph is larger. */
static int64_t max_key_number(const gemp_comm *comm, const gemp_shard *graph)
{
	bool integers = graph->keys.type == GEMP_INTEGER;
	key_scan l = { .keys = &graph->keys, .max = integers ? (uint64_t)1 << 63 : 0 };
	gemp_for_ranges(graph->rows, scan_keys, &l);
	uint64_t max_key = l.max;
	gemp_comm_max(comm, &max_key, 1);
	return (int64_t)(integers ? max_key ^ (uint64_t)1 << 63 : max_key);
}

/* Collective. New keys follow the largest existing one. */
static gemp_code find_first_key(gemp_new_vertices *created, const gemp_comm *comm, const gemp_shard *graph,
                                uint64_t wanted)
{
	if (!wanted)
		return GEMP_OK;
	int64_t max_key = max_key_number(comm, graph);
	if (wanted > (uint64_t)INT64_MAX - (uint64_t)max_key)
		return gemp_fail(GEMP_EDATA,
		                 "rule %s: no keys are left for new vertices above the greatest, %lld; give the "
		                 "vertices smaller keys",
		                 created->rule->name, (long long)max_key);
	created->first = max_key + 1;
	return GEMP_OK;
}

static bool is_chosen(const void *self, size_t row)
{
	return ((const uint8_t *)self)[row] != 0;
}

gemp_code gemp_new_vertices_new(gemp_new_vertices *out, const gemp_comm *comm, gemp_shard *graph, const gemp_rule *rule,
                                const gemp_frame *frame, const uint8_t *selected, const uint64_t *number,
                                uint64_t applied)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_new_vertices){ .rule = rule, .frame = frame, .number = number };
	GEMP_TRY_DONE(gemp_shard_load_keys(graph));
	out->type = graph->keys.type;
	GEMP_TRY_DONE(find_first_key(out, comm, graph, applied * rule->created_vertices));
	code = gemp_comm_agree(comm, gemp_pick(&out->rows, &out->count, frame->rows, is_chosen, selected));
done:
	if (code != GEMP_OK)
		gemp_new_vertices_free(out);
	return code;
}

void gemp_new_vertices_free(gemp_new_vertices *created)
{
	gemp_free(created->rows);
	created->rows = NULL;
	gemp_elements_free(&created->elements);
}

/* Collective. The log names matched vertices by their keys. */
gemp_code gemp_new_vertices_fetch(gemp_new_vertices *created, gemp_runtime *context, gemp_shard *graph)
{
	const gemp_frame *frame = created->frame;
	GEMP_OWNED gemp_frame_column *columns = NULL; /* shallow copies */
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(columns, frame->count + 1)));
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].kind == GEMP_CELL_VERTEX)
			columns[count++] = frame->columns[c];
	return gemp_elements_fetch(&created->elements, context, graph, columns, count, frame->rows, false);
}

gemp_value gemp_new_vertices_key(gemp_new_vertices *created, const gemp_rule_element *element, size_t row)
{
	if (!element->created)
		return gemp_elements_key(&created->elements, created->frame->columns[element->index].elements[row]);
	int64_t key = created->first + (int64_t)(created->number[row] * created->rule->created_vertices + element->index);
	if (created->type == GEMP_INTEGER)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = key };
	int size = snprintf(created->text, sizeof created->text, "#%lld", (long long)key);
	return (gemp_value){ .type = GEMP_STRING, .string = { created->text, (size_t)size } };
}
