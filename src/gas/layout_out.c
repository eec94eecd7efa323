/* The rows of `in`, `in_ghost` and `in_other` by source. Their edges go to buckets in the order of targets, then each bucket to
 * its rows, so that the ends of each row ascend. A bucket has every so manyth block of rows: hubs, which come first,
 * are spread. */
#include "core/memory.h"
#include "core/prefix.h"
#include "core/ranges.h"
#include "core/threads.h"
#include "comm/exchange.h"
#include "gas/layout_parts.h"

enum { BLOCK_BITS = 4, EDGES_A_PIECE = 1 << 15, MOST_PIECES = 512 };

typedef struct turning {
	gemp_gas_layout *layout;
	unsigned words;   /* of an edge on its way */
	size_t size;      /* bytes of a weight */
	size_t buckets, pieces;
	uint32_t *first;  /* [pieces + 1] target: own rows, then others */
	uint64_t *places; /* [pieces][buckets] */
	uint64_t *begin;  /* [buckets + 1] */
	uint32_t *word;   /* edges by bucket: source, target, weight */
	uint64_t *next;   /* [known] where the next end of a row goes */
} turning;

static inline size_t bucket_of(const turning *t, uint32_t source)
{
	return source >> BLOCK_BITS & (t->buckets - 1);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void count_rows(const turning *t, const gemp_gas_rows *rows, uint32_t first, uint32_t last, uint64_t *places)
{
	for (uint64_t e = rows->begin[first]; e < rows->begin[last]; e++)
		places[bucket_of(t, rows->end[e])]++;
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const turning *t = context;
	const gemp_gas_layout *layout = t->layout;
	uint32_t first = t->first[piece], last = t->first[piece + 1], own = layout->own;
	uint64_t *places = t->places + piece * t->buckets;
	count_rows(t, &layout->in, least(first, own), least(last, own), places);
	count_rows(t, &layout->in_ghost, least(first, own), least(last, own), places);
	if (last > own)
		count_rows(t, &layout->in_other, first > own ? first - own : 0, last - own, places);
}

static inline __attribute__((always_inline)) void move_row(const turning *t, const gemp_gas_rows *rows, uint32_t row,
                                                           uint32_t target, size_t piece, unsigned words, size_t size)
{
	uint64_t *places = t->places + piece * t->buckets;
	for (uint64_t e = rows->begin[row]; e < rows->begin[row + 1]; e++) {
		uint32_t *to = t->word + places[bucket_of(t, rows->end[e])]++ * words;
		to[0] = rows->end[e];
		to[1] = target;
		if (size)
			gemp_gas_weight_take(to + ARC_WEIGHT, rows->weight, e, size);
	}
}

static inline __attribute__((always_inline)) void move_rows(const turning *t, size_t piece, unsigned words, size_t size)
{
	const gemp_gas_layout *layout = t->layout;
	uint32_t target = t->first[piece], last = t->first[piece + 1];
	for (; target < least(last, layout->own); target++) {
		move_row(t, &layout->in, target, target, piece, words, size);
		move_row(t, &layout->in_ghost, target, target, piece, words, size);
	}
	for (; target < last; target++)
		move_row(t, &layout->in_other, target - layout->own, target, piece, words, size);
}

static void move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const turning *t = context;
	switch (t->size) {
	case 0: move_rows(t, piece, 2, 0); return;
	case 1: move_rows(t, piece, 3, 1); return;
	case 2: move_rows(t, piece, 3, 2); return;
	case 4: move_rows(t, piece, 3, 4); return;
	default: move_rows(t, piece, 4, 8); return;
	}
}

static void count_bucket(void *context, unsigned thread, size_t bucket)
{
	(void)thread;
	const turning *t = context;
	for (uint64_t i = t->begin[bucket]; i < t->begin[bucket + 1]; i++)
		t->layout->out.begin[t->word[i * t->words] + 1]++;
}

static void put_bucket(void *context, unsigned thread, size_t bucket)
{
	(void)thread;
	const turning *t = context;
	gemp_gas_rows *out = &t->layout->out;
	for (uint64_t i = t->begin[bucket]; i < t->begin[bucket + 1]; i++) {
		const uint32_t *edge = t->word + i * t->words;
		uint64_t place = t->next[edge[0]]++;
		out->end[place] = edge[1];
		if (t->size)
			gemp_gas_weight_put(out->weight, place, edge + ARC_WEIGHT, t->size);
	}
}

static uint64_t edges_before(const gemp_gas_layout *layout, uint32_t target)
{
	uint32_t own = layout->own, row = least(target, own);
	uint64_t edges = layout->in.begin[row] + layout->in_ghost.begin[row];
	return edges + (target > own ? layout->in_other.begin[target - own] : 0);
}

/* Rows of about as many edges, for each piece. */
static gemp_code cut(turning *t, uint64_t edges)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_layout *layout = t->layout;
	uint64_t size = edges / MOST_PIECES > EDGES_A_PIECE ? edges / MOST_PIECES : EDGES_A_PIECE;
	uint32_t target = 0, targets = layout->own + layout->in_other.rows;
	t->pieces = (size_t)(edges / size + 1);
	GEMP_TRY(GEMP_NEW(t->first, t->pieces + 1));
	for (size_t p = 1; p < t->pieces; p++) {
		while (target < targets && edges_before(layout, target) < p * size)
			target++;
		t->first[p] = target;
	}
	t->first[t->pieces] = targets;
done:
	return code;
}

gemp_code gemp_gas_make_out(gemp_gas_layout *layout)
{
	gemp_code code = GEMP_OK;
	gemp_gas_rows *out = &layout->out;
	uint64_t edges = edges_before(layout, layout->own + layout->in_other.rows);
	size_t size = gemp_gas_weight_size(layout->weights);
	unsigned shift;
	turning t = { .layout = layout, .words = ARC_WEIGHT + gemp_gas_weight_words(layout->weights), .size = size };
	if (layout->symmetric && layout->comm->size == 1) {
		*out = layout->in;
		return GEMP_OK;
	}
	gemp_gas_ranges(edges, layout->known, &t.buckets, &shift);
	out->rows = layout->known;
	GEMP_TRY(cut(&t, edges));
	GEMP_TRY(GEMP_NEW(t.places, t.pieces * t.buckets));
	GEMP_TRY(GEMP_NEW(t.begin, t.buckets + 1));
	GEMP_TRY(GEMP_NEW(t.word, edges * t.words));
	GEMP_TRY(GEMP_NEW(out->begin, (size_t)out->rows + 1));
	gemp_parallel_for(t.pieces, count_piece, &t);
	gemp_gas_places(t.places, t.pieces, t.buckets, 0, t.begin);
	gemp_parallel_for(t.pieces, move_piece, &t);
	gemp_parallel_for(t.buckets, count_bucket, &t);
	gemp_prefix_sums(out->begin, (size_t)out->rows + 1);
	GEMP_TRY(GEMP_NEW(t.next, out->rows));
	memcpy(t.next, out->begin, out->rows * sizeof *t.next);
	GEMP_TRY(GEMP_NEW(out->end, edges));
	if (size)
		GEMP_TRY((out->weight = gemp_calloc(edges, size)) ? GEMP_OK : GEMP_ENOMEM);
	gemp_parallel_for(t.buckets, put_bucket, &t);
done:
	gemp_free(t.first);
	gemp_free(t.places);
	gemp_free(t.begin);
	gemp_free(t.word);
	gemp_free(t.next);
	return code;
}

typedef struct summing {
	const gemp_gas_layout *layout;
	double *sum; /* [known] */
} summing;

static double weight_at(const gemp_gas_layout *layout, const void *weight, uint64_t edge)
{
	switch (layout->weights) {
	case GEMP_GAS_U8: return ((const uint8_t *)weight)[edge];
	case GEMP_GAS_U16: return ((const uint16_t *)weight)[edge];
	case GEMP_GAS_U32: return ((const uint32_t *)weight)[edge];
	case GEMP_GAS_U64: return (double)((const uint64_t *)weight)[edge];
	case GEMP_GAS_F32: return (double)((const float *)weight)[edge];
	default: return ((const double *)weight)[edge];
	}
}

static void sum_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const summing *s = context;
	const gemp_gas_rows *out = &s->layout->out;
	for (size_t row = begin; row < end; row++)
		for (uint64_t e = out->begin[row]; e < out->begin[row + 1]; e++)
			s->sum[row] += weight_at(s->layout, out->weight, e);
}

gemp_code gemp_gas_make_out_weight(gemp_gas_layout *layout)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	const gemp_gas_links *links = &layout->links;
	size_t ranks = (size_t)comm->size, capacity = 0, *sizes = NULL;
	void *came = NULL;
	summing s = { layout, NULL };
	code = GEMP_NEW(s.sum, layout->known);
	if (code == GEMP_OK)
		code = GEMP_NEW(layout->out_weight, layout->own);
	if (code == GEMP_OK)
		code = GEMP_NEW(sizes, 2 * ranks);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_for_ranges(layout->known, sum_rows, &s);
	memcpy(layout->out_weight, s.sum, layout->own * sizeof *s.sum);
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (links->ghost_begin[r + 1] - links->ghost_begin[r]) * sizeof *s.sum;
	GEMP_TRY(gemp_exchange(comm, s.sum + layout->own, sizes, &came, &capacity, sizes + ranks, NULL));
	for (uint64_t i = 0; i < links->send_begin[ranks]; i++)
		layout->out_weight[links->send[i]] += ((const double *)came)[i];
done:
	gemp_free(came);
	gemp_free(sizes);
	gemp_free(s.sum);
	return code;
}
