/* Each value is sent to the rank that owns the range of its key. Keys are hashes, so the ranges are equal in size,
 * unless many vertices have one value. */

#include "partition/build/sorted_values.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/exchange/record_stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct order_entry {
	uint64_t key, row; /* row: of `values` */
	gemp_vertex vertex;
} order_entry;

/* The values that this rank sends, and what it has received. */
typedef struct order_state {
	const gemp_comm *comm;
	const gemp_shard *graph;
	const gemp_column *column;
	uint64_t *rows; /* [stream.count] own rows that are not NULL */
	size_t count, capacity;
	order_entry *entries; /* [count] */
	gemp_column values;   /* [count] */
} order_state;

static void free_state(order_state *s)
{
	gemp_free_all(s->rows, s->entries);
	gemp_column_free(&s->values);
}

static int owner_of(void *self, size_t record)
{
	const order_state *s = self;
	const gemp_value value = gemp_column_get(s->column, s->rows[record]);
	return (int)((gemp_value_key(&value) >> 32) * (uint64_t)s->comm->size >> 32);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	const order_state *s = self;
	const gemp_vertex id = (gemp_vertex)(s->graph->first_vertex + s->rows[record]);
	gemp_text_add(out, &id, sizeof id);
	return gemp_column_pack(s->column, s->rows[record], out);
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	order_state *s = self;
	(void)source;
	while (at < end) {
		order_entry entry = { .row = s->count };
		memcpy(&entry.vertex, at, sizeof entry.vertex);
		at += sizeof entry.vertex;
		GEMP_TRY(gemp_column_unpack(&s->values, &at, end));
		const gemp_value value = gemp_column_get(&s->values, s->count);
		entry.key = gemp_value_key(&value);
		GEMP_TRY(GEMP_RESERVE(s->entries, s->capacity, s->count + 1));
		s->entries[s->count++] = entry;
	}
	return GEMP_OK;
}

/* For qsort: by key, then by id. */
static int compare_entries(const void *a, const void *b)
{
	const order_entry *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Local. Makes the result of the received entries. */
static gemp_code finish(gemp_sorted_values *out, order_state *s)
{
	GEMP_OWNED uint64_t *rows = NULL;
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(rows, s->count), GEMP_ARRAY(out->keys, s->count), GEMP_ARRAY(out->vertices, s->count)));
	if (s->count)
		qsort(s->entries, s->count, sizeof *s->entries, compare_entries);
	out->count = s->count;
	for (size_t i = 0; i < s->count; i++) {
		rows[i] = s->entries[i].row;
		out->keys[i] = s->entries[i].key;
		out->vertices[i] = s->entries[i].vertex;
	}
	return gemp_column_gather(&out->values, &s->values, NULL, rows, s->count);
}

gemp_code gemp_sorted_values_new(gemp_sorted_values *out, const gemp_comm *comm, gemp_shard *graph, size_t attribute)
{
	gemp_record_stream stream = { .batch = GEMP_RECORD_BATCH, .owner = owner_of, .pack = pack, .take = take };
	*out = (gemp_sorted_values){ 0 };
	GEMP_TRY(gemp_shard_load_attribute(graph, attribute));
	GEMP_OWNED_BY(free_state)
	order_state s = { .comm = comm, .graph = graph, .column = &graph->attributes.columns[attribute] };
	stream.context = &s;
	gemp_code code = GEMP_NEW(s.rows, graph->rows);
	GEMP_THEN(gemp_column_init(&s.values, "values", s.column->type));
	GEMP_THEN(gemp_column_reserve(&s.values, 1, 1));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t v = 0; v < graph->rows; v++)
		if (!s.column->null || !s.column->null[v])
			s.rows[stream.count++] = v;
	GEMP_TRY(gemp_record_stream_run(comm, &stream));
	code = gemp_comm_agree(comm, finish(out, &s));
	if (code != GEMP_OK)
		gemp_sorted_values_free(out);
	return code;
}

void gemp_sorted_values_free(gemp_sorted_values *order)
{
	gemp_free_all(order->keys, order->vertices);
	gemp_column_free(&order->values);
	*order = (gemp_sorted_values){ 0 };
}
