#include "transform/apply/new_vertices.h"

#include "core/memory.h"
#include "core/pick.h"
#include "core/threads.h"

#include <stdatomic.h>
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

typedef struct key_scan {
	const gemp_column *keys;
	_Atomic uint64_t most; /* of numbers that are ordered as the keys are */
} key_scan;

static void look_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	key_scan *l = self;
	const gemp_column *keys = l->keys;
	uint64_t most = 0;
	for (size_t row = begin; row < end; row++) {
		uint64_t begin = keys->offsets ? keys->offsets[row] : 0;
		uint64_t number = keys->integers ? (uint64_t)keys->integers[row] ^ (uint64_t)1 << 63
		                                 : number_of(keys->bytes + begin, (size_t)(keys->offsets[row + 1] - begin));
		most = number > most ? number : most;
	}
	uint64_t known = l->most;
	while (most > known && !atomic_compare_exchange_weak(&l->most, &known, most))
		;
}

/* Collective. No key of the graph is greater, or a string of a greater number. */
static int64_t greatest(const gemp_comm *comm, const gemp_shard *graph)
{
	bool integers = graph->keys.type == GEMP_INTEGER;
	key_scan l = { .keys = &graph->keys, .most = integers ? (uint64_t)1 << 63 : 0 };
	gemp_for_ranges(graph->rows, look_piece, &l);
	uint64_t most = l.most;
	gemp_comm_max(comm, &most, 1);
	return (int64_t)(integers ? most ^ (uint64_t)1 << 63 : most);
}

/* Collective. */
static gemp_code find_first(gemp_new_vertices *fresh, const gemp_comm *comm, const gemp_shard *graph, uint64_t wanted)
{
	if (!wanted)
		return GEMP_OK;
	int64_t most = greatest(comm, graph);
	if (wanted > (uint64_t)INT64_MAX - (uint64_t)most)
		return gemp_fail(GEMP_EDATA,
		                 "rule %s: no keys are left for new vertices above the greatest, %lld; give the "
		                 "vertices smaller keys",
		                 fresh->rule->name, (long long)most);
	fresh->first = most + 1;
	return GEMP_OK;
}

static bool is_chosen(const void *self, size_t row)
{
	return ((const uint8_t *)self)[row] != 0;
}

gemp_code gemp_new_vertices_new(gemp_new_vertices *out, const gemp_comm *comm, gemp_shard *graph, const gemp_rule *rule,
                                const gemp_frame *frame, const uint8_t *chosen, const uint64_t *number,
                                uint64_t applied)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_new_vertices){ .rule = rule, .frame = frame, .number = number };
	GEMP_TRY(gemp_shard_load_keys(graph));
	out->type = graph->keys.type;
	GEMP_TRY(find_first(out, comm, graph, applied * rule->created_vertices));
	code = gemp_comm_agree(comm, gemp_pick(&out->rows, &out->count, frame->rows, is_chosen, chosen));
done:
	if (code != GEMP_OK)
		gemp_new_vertices_free(out);
	return code;
}

void gemp_new_vertices_free(gemp_new_vertices *fresh)
{
	gemp_free(fresh->rows);
	fresh->rows = NULL;
	gemp_elements_free(&fresh->elements);
}

gemp_code gemp_new_vertices_fetch(gemp_new_vertices *fresh, gemp_runtime *context, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	const gemp_frame *frame = fresh->frame;
	const gemp_frame_column **columns = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(columns, frame->count + 1)));
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].kind == GEMP_CELL_VERTEX)
			columns[count++] = &frame->columns[c];
	code = gemp_elements_fetch(&fresh->elements, context, graph, columns, count, frame->rows, false);
done:
	gemp_free(columns);
	return code;
}

gemp_value gemp_new_vertices_key(gemp_new_vertices *fresh, const gemp_rule_element *element, size_t row)
{
	if (!element->created)
		return gemp_elements_key(&fresh->elements, fresh->frame->columns[element->index].elements[row]);
	int64_t key = fresh->first + (int64_t)(fresh->number[row] * fresh->rule->created_vertices + element->index);
	if (fresh->type == GEMP_INTEGER)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = key };
	int size = snprintf(fresh->text, sizeof fresh->text, "#%lld", (long long)key);
	return (gemp_value){ .type = GEMP_STRING, .string = { fresh->text, (size_t)size } };
}
