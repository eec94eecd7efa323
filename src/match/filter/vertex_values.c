#include "match/filter/vertex_values.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/text.h"

#include <string.h>

/* What can be asked for. */
typedef struct at_hand {
	gemp_shard *graph;
	const gemp_column *made; /* beside those of the graph */
} at_hand;

static const gemp_column *attribute(const at_hand *from, int column)
{
	size_t own = from->graph->attributes.count, c = (size_t)column;
	return c < own ? &from->graph->attributes.columns[c] : &from->made[c - own];
}

static gemp_code load(const at_hand *from, int column)
{
	gemp_shard *graph = from->graph;
	if (column == GEMP_FETCH_KEY || column == GEMP_FETCH_KEY_RANK)
		return gemp_shard_load_keys(graph);
	if (column == GEMP_FETCH_LABEL_SET)
		return gemp_shard_load_labels(graph);
	return column < (int)graph->attributes.count ? gemp_shard_load_attribute(graph, (size_t)column) : GEMP_OK;
}

/* Least significant digit first, 16 bits at a time: two passes of counting. */
static gemp_code sort_ids(gemp_vertex *ids, size_t count)
{
	enum { DIGITS = 1 << 16 };
	gemp_code code = GEMP_OK;
	gemp_vertex *other = NULL;
	size_t *begin = NULL;
	GEMP_TRY(GEMP_NEW(other, count));
	GEMP_TRY(GEMP_NEW(begin, DIGITS + 1));
	for (int shift = 0; shift < 32; shift += 16) {
		memset(begin, 0, (DIGITS + 1) * sizeof *begin);
		for (size_t i = 0; i < count; i++)
			begin[(ids[i] >> shift & (DIGITS - 1)) + 1]++;
		for (size_t d = 0; d < DIGITS; d++)
			begin[d + 1] += begin[d];
		for (size_t i = 0; i < count; i++)
			other[begin[ids[i] >> shift & (DIGITS - 1)]++] = ids[i];
		memcpy(ids, other, count * sizeof *ids);
	}
done:
	gemp_free_all(begin, other);
	return code;
}

static void insertion_sort(gemp_vertex *ids, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		gemp_vertex id = ids[i];
		size_t j = i;
		for (; j > 0 && ids[j - 1] > id; j--)
			ids[j] = ids[j - 1];
		ids[j] = id;
	}
}

static bool ascending(const gemp_vertex *ids, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (ids[i - 1] >= ids[i])
			return false;
	return true;
}

gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count)
{
	enum { FEW = 64 };
	if (ascending(ids, *count))
		return GEMP_OK;
	if (*count <= FEW)
		insertion_sort(ids, *count);
	else
		GEMP_PROPAGATE(sort_ids(ids, *count));
	size_t kept = 0;
	for (size_t i = 0; i < *count; i++)
		if (kept == 0 || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	*count = kept;
	return GEMP_OK;
}

/* Bytes of the ids that each rank owns: slices of the sorted ids. */
static void slice_by_owner(const gemp_shard *graph, const gemp_vertex *found, size_t count, size_t *size)
{
	size_t at = 0;
	for (int r = 0; r < graph->ranks; r++) {
		size_t begin = at;
		while (at < count && found[at] < graph->bounds[r + 1])
			at++;
		size[r] = (at - begin) * sizeof *found;
	}
}

static gemp_code pack(const at_hand *from, int column, size_t row, gemp_text *reply)
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

static gemp_code unpack(int column, gemp_column *out, const char **at, const char *end)
{
	if (column >= GEMP_FETCH_KEY)
		return gemp_column_unpack(out, at, end);
	uint32_t number;
	memcpy(&number, *at, sizeof number);
	*at += sizeof number;
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = number });
}

/* Values of the asked ids, row by row, in the order of asking: so replies come back in the order of the sorted ids. */
static gemp_code answer(const at_hand *from, const gemp_vertex *asked, const size_t *asked_size, const int *column,
                        size_t columns, gemp_text *reply, size_t *reply_size)
{
	for (int r = 0; r < from->graph->ranks; r++) {
		size_t before = reply->size;
		for (size_t i = 0; i < asked_size[r] / sizeof *asked; i++)
			for (size_t c = 0; c < columns; c++)
				GEMP_PROPAGATE(pack(from, column[c], asked[i] - from->graph->first_vertex, reply));
		asked += asked_size[r] / sizeof *asked;
		reply_size[r] = reply->size - before;
	}
	return GEMP_OK;
}

static gemp_code init_column(const at_hand *from, int column, gemp_column *out)
{
	if (column >= 0)
		return gemp_column_init(out, attribute(from, column)->name, attribute(from, column)->type);
	if (column == GEMP_FETCH_KEY)
		return gemp_column_init(out, "key", from->graph->keys.type);
	return gemp_column_init(out, column == GEMP_FETCH_KEY_RANK ? "key rank" : "label set", GEMP_INTEGER);
}

static gemp_code read_replies(const at_hand *from, const int *column, size_t columns, size_t rows, const char *reply,
                              size_t size, gemp_column *out)
{
	const char *at = reply, *end = reply + size;
	for (size_t c = 0; c < columns; c++)
		GEMP_PROPAGATE(init_column(from, column[c], &out[c]));
	for (size_t i = 0; i < rows; i++)
		for (size_t c = 0; c < columns; c++)
			GEMP_PROPAGATE(unpack(column[c], &out[c], &at, end));
	return GEMP_OK;
}

/* Collective. Asks the owners and reads what they say. */
static gemp_code ask(gemp_runtime *context, const at_hand *from, const gemp_vertex *distinct, size_t count,
                     const int *column, size_t columns, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	size_t ranks = (size_t)comm->size, asked_capacity = 0, replied_capacity = 0, replied_total = 0;
	void *asked = NULL, *replied = NULL;
	gemp_text reply = { 0 };
	size_t *sizes = NULL; /* [4][ranks]: asking, asked, replying, replied */
	for (size_t c = 0; c < columns && code == GEMP_OK; c++)
		code = load(from, column[c]);
	GEMP_THEN(GEMP_NEW(sizes, 4 * ranks));
	GEMP_TRY(gemp_comm_agree(comm, code));
	slice_by_owner(from->graph, distinct, count, sizes);
	GEMP_TRY(gemp_exchange(comm, distinct, sizes, &asked, &asked_capacity, sizes + ranks, &context->traffic));
	code = answer(from, asked, sizes + ranks, column, columns, &reply, sizes + 2 * ranks);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, reply.data, sizes + 2 * ranks, &replied, &replied_capacity, sizes + 3 * ranks,
	                       &context->traffic));
	for (size_t r = 0; r < ranks; r++)
		replied_total += sizes[3 * ranks + r];
	GEMP_TRY(gemp_comm_agree(comm, read_replies(from, column, columns, count, replied, replied_total, out)));
done:
	gemp_free(replied);
	gemp_text_free(&reply);
	gemp_free_all(asked, sizes);
	return code;
}

gemp_code gemp_fetch_computed(gemp_runtime *context, gemp_shard *graph, const gemp_column *made, const gemp_vertex *ids,
                              size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                              gemp_column *out)
{
	gemp_code code = GEMP_OK;
	const at_hand from = { graph, made };
	gemp_vertex *distinct = NULL;
	memset(out, 0, columns * sizeof *out);
	code = GEMP_NEW(distinct, count);
	if (code == GEMP_OK && count) {
		memcpy(distinct, ids, count * sizeof *ids);
		code = gemp_sort_distinct(distinct, &count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (gemp_comm_sum1(context->comm, count))
		code = ask(context, &from, distinct, count, column, columns, out);
	else
		code = gemp_comm_agree(context->comm, read_replies(&from, column, columns, 0, NULL, 0, out));
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
