/* A sample sort (Frazer and McKellar 1970): splitters from samples of all ranks give each rank a range of values, each
 * value is sent to the rank of its range, and the rank sorts what it has received. Equal values are in one range.
 * Samples and splitters are bytes whose bytewise order is the order of values. */

#include "partition/build/sorted_values.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/build/dictionary.h"
#include "partition/exchange/record_stream.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, SAMPLE_SIZE = 64 }; /* samples for each pair of ranks, and bytes of a string that a sample keeps */

/* The values that this rank sends, and what it has received. */
typedef struct order_state {
	const gemp_comm *comm;
	const gemp_shard *graph;
	const gemp_column *column;
	uint64_t *rows;       /* [stream.count] own rows that are not NULL */
	gemp_bytes splitters; /* [ranks - 1] the first value of each range but the first */
	gemp_vertex *ids;     /* [count] received, with their values */
	size_t count, capacity;
	gemp_column values;
} order_state;

static void free_state(order_state *s)
{
	gemp_free_all(s->rows, s->ids);
	gemp_bytes_free(&s->splitters);
	gemp_column_free(&s->values);
}

/* Sets *out to bytes that sort like the value. number: room for the bytes of a number. */
static gemp_string sortable(const gemp_value *value, unsigned char number[8])
{
	uint64_t bits;
	if (value->type == GEMP_STRING)
		return (gemp_string){ value->string.bytes, gemp_min(value->string.size, SAMPLE_SIZE) };
	if (value->type == GEMP_INTEGER) {
		bits = gemp_integer_number(value->integer);
	} else {
		const double real = value->real == 0 ? 0 : value->real; /* -0.0 equals 0.0 */
		memcpy(&bits, &real, sizeof bits);
		bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
	}
	for (int i = 0; i < 8; i++)
		number[i] = (unsigned char)(bits >> (56 - 8 * i));
	return (gemp_string){ (const char *)number, 8 };
}

/* Collective. Each rank contributes evenly spaced rows. The splitters divide the distinct samples of all ranks
 * evenly. */
static gemp_code choose_splitters(order_state *s, size_t count)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes mine = { 0 }, all = { 0 };
	const size_t ranks = (size_t)s->comm->size, wanted = SAMPLES * ranks;
	unsigned char number[8];
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < wanted && count && code == GEMP_OK; i++) {
		const gemp_value value = gemp_column_get(s->column, s->rows[(uint64_t)i * count / wanted]);
		const gemp_string sample = sortable(&value, number);
		code = gemp_bytes_add(&mine, sample.bytes, sample.size);
	}
	GEMP_TRY(gemp_bytes_union(s->comm, code, &mine, &all));
	for (size_t r = 1; r < ranks && all.count && code == GEMP_OK; r++) {
		const gemp_string sample = gemp_bytes_at(&all, r * all.count / ranks);
		code = gemp_bytes_add(&s->splitters, sample.bytes, sample.size);
	}
	return gemp_comm_agree(s->comm, code);
}

/* The number of splitters that are not greater than the value. */
static int owner_of(void *self, size_t record)
{
	const order_state *s = self;
	const gemp_value value = gemp_column_get(s->column, s->rows[record]);
	unsigned char number[8];
	const gemp_string wanted = sortable(&value, number);
	size_t low = 0, high = s->splitters.count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const gemp_string splitter = gemp_bytes_at(&s->splitters, middle);
		if (gemp_compare_bytes(splitter.bytes, splitter.size, wanted.bytes, wanted.size) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (int)low;
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
		GEMP_TRY(GEMP_RESERVE(s->ids, s->capacity, s->count + 1));
		memcpy(&s->ids[s->count], at, sizeof *s->ids);
		at += sizeof *s->ids;
		GEMP_TRY(gemp_column_unpack(&s->values, &at, end));
		s->count++;
	}
	return GEMP_OK;
}

/* For qsort_r: compares received entries by (value, id). */
static int compare_entries(const void *a, const void *b, void *self)
{
	const order_state *s = self;
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	const int order = gemp_column_compare(&s->values, x, y);
	return order ? order : (s->ids[x] > s->ids[y]) - (s->ids[x] < s->ids[y]);
}

/* Local. Makes the result of the received entries. */
static gemp_code finish(gemp_sorted_values *out, order_state *s)
{
	GEMP_OWNED uint64_t *rows = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(rows, s->count), GEMP_ARRAY(out->vertices, s->count)));
	for (size_t i = 0; i < s->count; i++)
		rows[i] = i;
	if (s->count)
		qsort_r(rows, s->count, sizeof *rows, compare_entries, s);
	out->count = s->count;
	for (size_t i = 0; i < s->count; i++)
		out->vertices[i] = s->ids[rows[i]];
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
	GEMP_TRY(choose_splitters(&s, stream.count));
	GEMP_TRY(gemp_record_stream_run(comm, &stream));
	code = gemp_comm_agree(comm, finish(out, &s));
	if (code != GEMP_OK)
		gemp_sorted_values_free(out);
	return code;
}

void gemp_sorted_values_free(gemp_sorted_values *order)
{
	gemp_free(order->vertices);
	gemp_column_free(&order->values);
	*order = (gemp_sorted_values){ 0 };
}
