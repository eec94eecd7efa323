#include "match/filter/vertex_values.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/text.h"
#include "match/filter/owner_request.h"
#include "primitive/distinct.h"

#include <string.h>

/* The values that a request is about. */
typedef struct value_request {
	gemp_shard *graph;
	const gemp_column *computed; /* columns beside those of the graph */
	const int *column;           /* [columns] */
	size_t columns;
} value_request;

/* Columns from the attributes' count on are computed ones. */
static const gemp_column *attribute(const value_request *from, int column)
{
	size_t own = from->graph->attributes.count, c = (size_t)column;
	return c < own ? &from->graph->attributes.columns[c] : &from->computed[c - own];
}

/* Keys, labels and attributes are read from the file when they are first needed. */
static gemp_code load(const value_request *from, int column)
{
	gemp_shard *graph = from->graph;
	if (column == GEMP_FETCH_KEY || column == GEMP_FETCH_KEY_RANK)
		return gemp_shard_load_keys(graph);
	if (column == GEMP_FETCH_LABEL_SET)
		return gemp_shard_load_labels(graph);
	return column < (int)graph->attributes.count ? gemp_shard_load_attribute(graph, (size_t)column) : GEMP_OK;
}

gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count)
{
	void *distinct = NULL;
	GEMP_PROPAGATE(gemp_distinct_host(GEMP_KEY_U32, ids, *count, &distinct, count));
	if (*count)
		memcpy(ids, distinct, *count * sizeof *ids);
	gemp_free(distinct);
	return GEMP_OK;
}

/* Key ranks and label sets travel as numbers of 32 bits. */
static gemp_code pack(const value_request *from, int column, size_t row, gemp_text *reply)
{
	const gemp_shard *graph = from->graph;
	if (column >= 0)
		return gemp_column_pack(attribute(from, column), row, reply);
	if (column == GEMP_FETCH_KEY)
		return gemp_column_pack(&graph->keys, row, reply);
	gemp_text_add(reply, column == GEMP_FETCH_KEY_RANK ? &graph->key_ranks[row] : &graph->label_set_of[row],
	              sizeof(uint32_t));
	return gemp_text_status(reply);
}

/* The inverse of pack. */
static gemp_code unpack(int column, gemp_column *out, const char **at, const char *end)
{
	if (column >= GEMP_FETCH_KEY)
		return gemp_column_unpack(out, at, end);
	uint32_t number;
	memcpy(&number, *at, sizeof number);
	*at += sizeof number;
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = number });
}

/* Values of the asked ids, id by id: replies come back in the order of the sorted ids. */
static gemp_code answer(void *self, const void *questions, size_t count, gemp_text *reply)
{
	const value_request *from = self;
	const gemp_vertex *ids = questions;
	for (size_t i = 0; i < count; i++)
		for (size_t c = 0; c < from->columns; c++)
			GEMP_PROPAGATE(pack(from, from->column[c], ids[i] - from->graph->first_vertex, reply));
	return GEMP_OK;
}

/* Names are those that messages use. */
static gemp_code init_column(const value_request *from, int column, gemp_column *out)
{
	if (column >= 0)
		return gemp_column_init(out, attribute(from, column)->name, attribute(from, column)->type);
	if (column == GEMP_FETCH_KEY)
		return gemp_column_init(out, "key", from->graph->keys.type);
	return gemp_column_init(out, column == GEMP_FETCH_KEY_RANK ? "key rank" : "label set", GEMP_INTEGER);
}

static gemp_code read_replies(const value_request *from, size_t rows, const char *reply, size_t size, gemp_column *out)
{
	const char *at = reply, *end = reply + size;
	for (size_t c = 0; c < from->columns; c++)
		GEMP_PROPAGATE(init_column(from, from->column[c], &out[c]));
	for (size_t i = 0; i < rows; i++)
		for (size_t c = 0; c < from->columns; c++)
			GEMP_PROPAGATE(unpack(from->column[c], &out[c], &at, end));
	return GEMP_OK;
}

/* Collective. Asks the owners for the values of ascending ids and reads their replies. */
static gemp_code request_values(gemp_runtime *context, value_request *from, const gemp_vertex *distinct, size_t count,
                                gemp_column *out)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = from->graph;
	GEMP_OWNED size_t *counts = NULL;
	size_t size, begin = 0;
	GEMP_OWNED void *replies = NULL;
	for (size_t c = 0; c < from->columns; c++)
		GEMP_THEN(load(from, from->column[c]));
	GEMP_THEN(GEMP_NEW(counts, (size_t)graph->ranks));
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, code));
	for (int r = 0; r < graph->ranks; begin += counts[r++])
		counts[r] = gemp_lower_bound_u32(distinct + begin, count - begin, graph->bounds[r + 1]);
	GEMP_PROPAGATE(gemp_owner_request(context, distinct, sizeof *distinct, counts, answer, from, &replies, &size));
	return gemp_comm_agree(context->comm, read_replies(from, count, replies, size, out));
}

/* No rank asks for anything where none has ids, so that nothing is loaded. */
gemp_code gemp_fetch_computed(gemp_runtime *context, gemp_shard *graph, const gemp_column *made, const gemp_vertex *ids,
                              size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                              gemp_column *out)
{
	gemp_code code = GEMP_OK;
	value_request from = { graph, made, column, columns };
	gemp_vertex *distinct = NULL;
	memset(out, 0, columns * sizeof *out);
	code = GEMP_NEW(distinct, count);
	if (code == GEMP_OK && count) {
		memcpy(distinct, ids, count * sizeof *ids);
		code = gemp_sort_distinct(distinct, &count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (gemp_comm_sum1(context->comm, count))
		code = request_values(context, &from, distinct, count, out);
	else
		code = gemp_comm_agree(context->comm, read_replies(&from, 0, NULL, 0, out));
	GEMP_TRY(code);
	*found = distinct;
	*found_count = count;
	distinct = NULL;
done:
	if (code != GEMP_OK)
		for (size_t c = 0; c < columns; c++)
			gemp_column_free(&out[c]);
	gemp_free(distinct);
	return code;
}

gemp_code gemp_fetch_values(gemp_runtime *context, gemp_shard *graph, const gemp_vertex *ids, size_t count,
                            const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                            gemp_column *out)
{
	return gemp_fetch_computed(context, graph, NULL, ids, count, column, columns, found, found_count, out);
}

size_t gemp_fetch_index(const gemp_vertex *found, size_t count, gemp_vertex id)
{
	return gemp_range_find_u32(found, count, id);
}

/* Bits are cheaper than sorting unless they are more words than this for each of the ids. */
enum { WORDS_FOR_AN_ID = 8, ALWAYS_WORDS = 1 << 12 };

/* A bitmap needs no sorting; where few of very many vertices come it would cost more to clear. */
gemp_code gemp_vertex_index_new(gemp_vertex_index *out, uint64_t vertices, size_t most)
{
	gemp_code code = GEMP_OK;
	size_t words = vertices / 64 + 1;
	*out = (gemp_vertex_index){ .vertices = vertices };
	if (words <= ALWAYS_WORDS || words / WORDS_FOR_AN_ID <= most) {
		out->words = words;
		GEMP_TRY(GEMP_NEW(out->bits, words));
		GEMP_TRY(GEMP_NEW(out->rank, words));
	} else {
		GEMP_TRY(GEMP_NEW(out->ids, most));
	}
done:
	if (code != GEMP_OK)
		gemp_vertex_index_free(out);
	return code;
}

void gemp_vertex_index_free(gemp_vertex_index *places)
{
	gemp_free_all(places->bits, places->rank, places->ids);
	*places = (gemp_vertex_index){ 0 };
}

/* Ids repeat often, so that a bit is cheaper than an entry to sort. */
void gemp_vertex_index_add(gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride)
{
	uint64_t *bits = places->bits;
	for (size_t i = 0; i < count; i++) {
		gemp_vertex id = ids[i * stride];
		GEMP_CHECK(id < places->vertices);
		if (bits)
			gemp_bits64_set(bits, id);
		else
			places->ids[places->count++] = id;
	}
}

/* Ranks of words are prefix sums of their bits. */
gemp_code gemp_vertex_index_finish(gemp_vertex_index *places)
{
	size_t n = 0;
	if (!places->bits)
		return gemp_sort_distinct(places->ids, &places->count);
	for (size_t w = 0; w < places->words; w++) {
		places->rank[w] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(places->bits[w]);
	}
	GEMP_PROPAGATE(GEMP_NEW(places->ids, n));
	for (size_t w = 0; w < places->words; w++)
		for (uint64_t left = places->bits[w]; left; left &= left - 1)
			places->ids[places->count++] = (gemp_vertex)(w * 64 + (size_t)__builtin_ctzll(left));
	return GEMP_OK;
}

/* The rank of a bit is the place of its vertex. */
void gemp_vertex_index_find(const gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride,
                            uint32_t *place)
{
	const uint64_t *bits = places->bits;
	for (size_t i = 0; i < count; i++) {
		gemp_vertex id = ids[i * stride];
		if (bits)
			place[i] = places->rank[id / 64] + gemp_bits64_count_before(bits[id / 64], id);
		else
			place[i] = (uint32_t)gemp_fetch_index(places->ids, places->count, id);
	}
}
