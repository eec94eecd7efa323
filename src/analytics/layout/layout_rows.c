/* layout_rows: turns arcs into rows of local vertices. Each range of arcs is radix-sorted by source in a thread's
 * cache. Then its arcs are put into their rows, so the ends of each row ascend. */

#include "analytics/layout/layout_state.h"
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/threads.h"

/* Loops over arcs are compiled once for each size of an arc and of a weight, since copies of constant size need no call
 * of memcpy. Therefore functions are always inlined, and switches select the size. */

enum { DIGIT = 8, MAX_PASSES = 4 };

/* The memory of a thread, for sorting a range of arcs. */
typedef struct sort_buffer {
	uint32_t *word; /* [capacity] words of arcs */
	size_t capacity;
	gemp_code code;
	char message[GEMP_MESSAGE_SIZE];
} sort_buffer;

typedef struct fill_task {
	const gemp_layout_state *state;
	gemp_layout_rows *in, *in_ghost, *in_other;
	/* [targets] place of the next end of each row; rows of in_other use only next_own */
	uint64_t *next_own, *next_ghost;
	sort_buffer *buffers;   /* [threads] */
	unsigned passes, digit; /* passes of the radix sort, and bits of a digit */
} fill_task;

/* One stable pass of the radix sort, by the digit at bit `shift`. count[] holds the next place of each digit. */
static inline __attribute__((always_inline)) void sort_pass(uint32_t *to, const uint32_t *from, uint64_t arcs,
                                                            unsigned shift, uint32_t mask, uint64_t *count,
                                                            unsigned words)
{
	for (uint64_t i = 0; i < arcs; i++) {
		const uint32_t *arc = from + i * words;
		gemp_layout_arc_copy(to + count[arc[ARC_FROM] >> shift & mask]++ * words, arc, words);
	}
}

/* A least-significant-digit radix sort by local source. Replaces the source's id of each arc by the local vertex.
 * Returns `word` or `other`, whichever contains the sorted arcs. */
static inline __attribute__((always_inline)) uint32_t *sort_range(const fill_task *f, uint32_t *word, uint32_t *other,
                                                                  uint64_t arcs, unsigned words)
{
	uint64_t count[MAX_PASSES][1 << DIGIT] = { 0 };
	uint32_t mask = (1u << f->digit) - 1;
	for (uint64_t i = 0; i < arcs; i++) {
		uint32_t from = gemp_layout_local_of(f->state, word[i * words + ARC_FROM]);
		word[i * words + ARC_FROM] = from;
		for (unsigned p = 0; p < f->passes; p++)
			count[p][from >> p * f->digit & mask]++;
	}
	for (unsigned p = 0; p < f->passes; p++) {
		uint64_t sum = 0;
		for (size_t d = 0; d <= mask; d++) {
			uint64_t here = count[p][d];
			count[p][d] = sum;
			sum += here;
		}
		sort_pass(other, word, arcs, p * f->digit, mask, count[p], words);
		uint32_t *swap = word;
		word = other;
		other = swap;
	}
	return word;
}

/* Puts an arc at the next place of its row, in `in`, `in_ghost` or `in_other`. */
static inline __attribute__((always_inline)) void put_arc(const fill_task *f, const uint32_t *arc, size_t size)
{
	uint32_t from = arc[ARC_FROM];
	bool other = f->in_other && !gemp_layout_is_own(f->state, arc[ARC_TO]),
		 ghost = !other && from >= f->state->out->own;
	const gemp_layout_rows *rows = other ? f->in_other : ghost ? f->in_ghost : f->in;
	uint64_t place = (ghost ? f->next_ghost : f->next_own)[arc[ARC_TO]]++;
	rows->end[place] = from;
	if (size)
		gemp_layout_weight_set(rows->weight, place, arc + ARC_WEIGHT, size);
}

/* Puts all arcs of one range into their rows. No other thread writes to these rows. */
static inline __attribute__((always_inline)) void fill_rows(const fill_task *f, size_t range, uint32_t *other,
                                                            unsigned words, size_t size)
{
	const gemp_layout_arcs *arcs = &f->state->arcs;
	uint64_t begin = arcs->begin[range], count = arcs->begin[range + 1] - begin;
	size_t to = range << arcs->shift, end = (range + 1) << arcs->shift;
	for (; to < end && to < f->state->targets; to++) {
		uint32_t row = gemp_layout_row_at(f->state, to);
		if (row == GEMP_NO_VERTEX)
			continue;
		bool own = gemp_layout_is_own(f->state, to);
		f->next_own[to] = (own ? f->in : f->in_other)->begin[row];
		if (own)
			f->next_ghost[to] = f->in_ghost->begin[row];
	}
	const uint32_t *sorted = sort_range(f, arcs->word + begin * words, other, count, words);
	for (uint64_t i = 0; i < count; i++)
		put_arc(f, sorted + i * words, size);
}

/* Selects the code for the size of weights. A thread keeps its sort memory for its next range. A loop of threads cannot
 * return a code, so a failure is stored in the thread's buffer, and the caller takes the code from there. */
static void fill_range(void *context, unsigned thread, size_t range)
{
	const fill_task *f = context;
	const gemp_layout_arcs *arcs = &f->state->arcs;
	sort_buffer *r = &f->buffers[thread];
	if (r->code == GEMP_OK)
		r->code = GEMP_RESERVE(r->word, r->capacity, (arcs->begin[range + 1] - arcs->begin[range]) * arcs->words);
	if (r->code != GEMP_OK) {
		memcpy(r->message, gemp_message(), sizeof r->message);
		return;
	}
	switch (gemp_layout_weight_size(f->state->out->weights)) {
	case 0: fill_rows(f, range, r->word, 2, 0); return;
	case 1: fill_rows(f, range, r->word, 3, 1); return;
	case 2: fill_rows(f, range, r->word, 3, 2); return;
	case 4: fill_rows(f, range, r->word, 3, 4); return;
	default: fill_rows(f, range, r->word, 4, 8); return;
	}
}

typedef struct begin_task {
	const gemp_layout_state *state;
	bool own;                     /* true: own rows; false: rows of in_other */
	const uint64_t *count, *more; /* [targets] the number of ends of a row is the sum of both; more may be NULL */
	uint64_t *begin;              /* [rows + 1] */
} begin_task;

/* Writes the count of each row to begin[row + 1], where prefix sums turn the counts into offsets. */
static void set_counts(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const begin_task *b = context;
	for (size_t to = begin; to < end; to++) {
		uint32_t row = gemp_layout_row_at(b->state, to);
		if (row != GEMP_NO_VERTEX && gemp_layout_is_own(b->state, to) == b->own)
			b->begin[row + 1] = b->count[to] + (b->more ? b->more[to] : 0);
	}
}

gemp_code gemp_layout_allocate_ends(gemp_layout_rows *rows, gemp_layout_weights weights)
{
	const size_t size = gemp_layout_weight_size(weights);
	GEMP_TRY(GEMP_NEW(rows->end, gemp_layout_row_edges(rows)));
	if (size)
		rows->weight = gemp_calloc(gemp_layout_row_edges(rows), size);
	return size && !rows->weight ? GEMP_ENOMEM : GEMP_OK;
}

/* After the prefix sums begin[r + 1] is the offset behind row r. */
gemp_code gemp_layout_new_ends(gemp_layout_rows *rows, gemp_layout_weights weights)
{
	gemp_prefix_inclusive(rows->begin, (size_t)rows->rows + 1);
	return gemp_layout_allocate_ends(rows, weights);
}

/* Computes offsets from the counts of arcs, and allocates ends and weights. */
static gemp_code begin_rows(gemp_layout_rows *rows, begin_task b)
{
	rows->rows = b.own ? b.state->out->own : b.state->others;
	GEMP_TRY(GEMP_NEW(rows->begin, (size_t)rows->rows + 1));
	b.begin = rows->begin;
	gemp_for_ranges(b.state->targets, set_counts, &b);
	return gemp_layout_new_ends(rows, b.state->out->weights);
}

/* Sorting takes a pass for every 8 bits of a local vertex's number. The code of a failed thread is taken after the
 * loop. */
gemp_code gemp_layout_make_in(gemp_layout_state *state)
{
	gemp_code code = GEMP_OK;
	gemp_layout *out = state->out;
	const unsigned threads = gemp_threads();
	const unsigned bits = out->known > 1 ? 32 - (unsigned)__builtin_clz(out->known - 1) : 1;
	fill_task f = { .state = state,
		            .in = &out->in,
		            .in_ghost = &out->in_ghost,
		            .next_own = state->from_own,
		            .next_ghost = state->from_ghost,
		            .passes = (bits + DIGIT - 1) / DIGIT };
	f.digit = (bits + f.passes - 1) / f.passes;
	GEMP_TRY_DONE(begin_rows(&out->in, (begin_task){ state, true, state->from_own, NULL, NULL }));
	GEMP_TRY_DONE(begin_rows(&out->in_ghost, (begin_task){ state, true, state->from_ghost, NULL, NULL }));
	if (out->grid.columns > 1) {
		GEMP_TRY_DONE(
			begin_rows(&out->in_other, (begin_task){ state, false, state->from_own, state->from_ghost, NULL }));
		f.in_other = &out->in_other;
	}
	GEMP_TRY_DONE(GEMP_NEW(f.buffers, threads));
	gemp_parallel_for(state->arcs.ranges, fill_range, &f);
	for (unsigned t = 0; t < threads; t++)
		if (code == GEMP_OK && f.buffers[t].code != GEMP_OK)
			code = gemp_fail(f.buffers[t].code, "%s", f.buffers[t].message);
done:
	for (unsigned t = 0; f.buffers && t < threads; t++)
		gemp_free(f.buffers[t].word);
	gemp_free_all(f.buffers, state->arcs.word);
	state->arcs.word = NULL;
	return code;
}

/* ROWS BY SOURCE
 *
 * The edges of `in`, `in_ghost` and `in_other` are moved to buckets of sources, in the order of targets. Then the edges
 * of each bucket are moved to their rows, so the ends of each row ascend. Blocks of consecutive sources are assigned to
 * the buckets round-robin. This spreads the hubs, which have the lowest numbers, over the buckets. */

enum { BLOCK_BITS = 4 };

typedef struct reverse_task {
	gemp_layout *layout;
	/* edges lead both ways and are cut by target: an own row of `out` is the row of `in`, so only ghosts are moved */
	bool ghosts_only;
	unsigned words; /* words of an edge in a bucket */
	size_t size;    /* bytes of a weight */
	size_t buckets, chunks;
	uint32_t *first;  /* [chunks + 1] first target of each chunk: own rows, then rows of in_other */
	uint64_t *places; /* [chunks][buckets] number of edges, later the place of the next edge */
	uint64_t *begin;  /* [buckets + 1] */
	uint32_t *word;   /* the edges of all buckets: source, target, weight */
	uint64_t *next;   /* [known] place of the next end of a row */
} reverse_task;

/* Blocks of 1 << BLOCK_BITS consecutive sources are assigned to the buckets round-robin. The number of buckets is a
 * power of 2. */
static inline size_t bucket_of(const reverse_task *t, uint32_t source)
{
	return source >> BLOCK_BITS & (t->buckets - 1);
}

/* Counts the edges of the rows [first, last) by the buckets of their sources. */
static void count_rows(const reverse_task *t, const gemp_layout_rows *rows, uint64_t first, uint64_t last,
                       uint64_t *places)
{
	for (uint64_t e = rows->begin[first]; e < rows->begin[last]; e++)
		places[bucket_of(t, rows->end[e])]++;
}

/* A chunk may have both own rows and rows of in_other, so its bounds are clipped to each kind of rows. */
static void count_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	const reverse_task *t = context;
	const gemp_layout *layout = t->layout;
	uint32_t first = t->first[chunk], last = t->first[chunk + 1], own = layout->own;
	uint64_t *places = t->places + chunk * t->buckets;
	if (!t->ghosts_only)
		count_rows(t, &layout->in, gemp_min(first, own), gemp_min(last, own), places);
	count_rows(t, &layout->in_ghost, gemp_min(first, own), gemp_min(last, own), places);
	if (last > own)
		count_rows(t, &layout->in_other, first > own ? first - own : 0, last - own, places);
}

/* Moves a row's edges to the buckets of their sources. */
static inline __attribute__((always_inline)) void move_row(const reverse_task *t, const gemp_layout_rows *rows,
                                                           uint32_t row, uint32_t target, size_t chunk, unsigned words,
                                                           size_t size)
{
	uint64_t *places = t->places + chunk * t->buckets;
	for (uint64_t e = rows->begin[row]; e < rows->begin[row + 1]; e++) {
		uint32_t *to = t->word + places[bucket_of(t, rows->end[e])]++ * words;
		to[0] = rows->end[e];
		to[1] = target;
		if (size)
			gemp_layout_weight_get(to + ARC_WEIGHT, rows->weight, e, size);
	}
}

/* Moves the edges of a chunk of targets: first own rows, from `in` and `in_ghost`, then rows of in_other. */
static inline __attribute__((always_inline)) void move_rows(const reverse_task *t, size_t chunk, unsigned words,
                                                            size_t size)
{
	const gemp_layout *layout = t->layout;
	uint32_t target = t->first[chunk], last = t->first[chunk + 1];
	for (; target < gemp_min(last, layout->own); target++) {
		if (!t->ghosts_only)
			move_row(t, &layout->in, target, target, chunk, words, size);
		move_row(t, &layout->in_ghost, target, target, chunk, words, size);
	}
	for (; target < last; target++)
		move_row(t, &layout->in_other, target - layout->own, target, chunk, words, size);
}

static void move_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	const reverse_task *t = context;
	switch (t->size) {
	case 0: move_rows(t, chunk, 2, 0); return;
	case 1: move_rows(t, chunk, 3, 1); return;
	case 2: move_rows(t, chunk, 3, 2); return;
	case 4: move_rows(t, chunk, 3, 4); return;
	default: move_rows(t, chunk, 4, 8); return;
	}
}

/* All edges of a source are in one bucket, so no two threads add to the same count. */
static void count_bucket(void *context, unsigned thread, size_t bucket)
{
	(void)thread;
	const reverse_task *t = context;
	for (uint64_t i = t->begin[bucket]; i < t->begin[bucket + 1]; i++)
		t->layout->out.begin[t->word[i * t->words] + 1]++;
}

/* The edges of a bucket ascend by target, so the ends of each row also ascend. */
static void put_bucket(void *context, unsigned thread, size_t bucket)
{
	(void)thread;
	const reverse_task *t = context;
	gemp_layout_rows *out = &t->layout->out;
	for (uint64_t i = t->begin[bucket]; i < t->begin[bucket + 1]; i++) {
		const uint32_t *edge = t->word + i * t->words;
		uint64_t place = t->next[edge[0]]++;
		out->end[place] = edge[1];
		if (t->size)
			gemp_layout_weight_set(out->weight, place, edge + ARC_WEIGHT, t->size);
	}
}

/* Own rows of `out` get the lengths of rows of `in`. */
static void set_own_lengths(void *context, size_t begin, size_t end)
{
	const gemp_layout *layout = context;
	for (size_t v = begin; v < end; v++)
		layout->out.begin[v + 1] = layout->in.begin[v + 1] - layout->in.begin[v];
}

/* Own rows of `out` come first, and get the ends and weights of `in`. */
static void copy_own_ends(void *context, size_t begin, size_t end)
{
	const gemp_layout *layout = context;
	const size_t size = gemp_layout_weight_size(layout->weights);
	memcpy(layout->out.end + begin, layout->in.end + begin, (end - begin) * sizeof *layout->in.end);
	if (size)
		memcpy((char *)layout->out.weight + begin * size, (const char *)layout->in.weight + begin * size,
		       (end - begin) * size);
}

/* The number of edges of the targets before `target`. Own rows come first, then rows of in_other. */
static uint64_t edges_before(const gemp_layout *layout, uint32_t target)
{
	uint64_t own = layout->own, row = gemp_min(target, own);
	uint64_t edges = layout->in.begin[row] + layout->in_ghost.begin[row];
	return edges + (target > own ? layout->in_other.begin[target - own] : 0);
}

/* Cuts the rows into chunks with about the same number of edges. */
static gemp_code cut_rows(reverse_task *t, uint64_t edges)
{
	const gemp_layout *layout = t->layout;
	const uint64_t size = gemp_layout_chunk(edges);
	uint32_t target = 0, targets = layout->own + layout->in_other.rows;
	t->chunks = (size_t)(edges / size + 1);
	GEMP_TRY(GEMP_NEW(t->first, t->chunks + 1));
	for (size_t p = 1; p < t->chunks; p++) {
		while (target < targets && edges_before(layout, target) < p * size)
			target++;
		t->first[p] = target;
	}
	t->first[t->chunks] = targets;
	return GEMP_OK;
}

/* A symmetric layout of one rank is its own reverse, and so are the own rows of a symmetric layout of several ranks. */
gemp_code gemp_layout_make_out(gemp_layout *layout)
{
	gemp_code code = GEMP_OK;
	gemp_layout_rows *out = &layout->out;
	uint64_t edges = edges_before(layout, layout->own + layout->in_other.rows);
	unsigned shift;
	reverse_task t = { .layout = layout,
		               .words = ARC_WEIGHT + gemp_layout_weight_words(layout->weights),
		               .size = gemp_layout_weight_size(layout->weights) };
	if (layout->symmetric && layout->comm->size == 1) {
		*out = layout->in;
		return GEMP_OK;
	}
	t.ghosts_only = layout->symmetric && !layout->in_other.begin;
	const uint64_t moved = t.ghosts_only ? gemp_layout_row_edges(&layout->in_ghost) : edges;
	gemp_layout_choose_ranges(moved, layout->known, &t.buckets, &shift);
	out->rows = layout->known;
	GEMP_TRY_DONE(cut_rows(&t, edges));
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(t.places, t.chunks * t.buckets), GEMP_ARRAY(t.begin, t.buckets + 1),
	                           GEMP_ARRAY(t.word, moved * t.words), GEMP_ARRAY(out->begin, (size_t)out->rows + 1)));
	gemp_parallel_for(t.chunks, count_chunk, &t);
	gemp_layout_bucket_places(t.places, t.chunks, t.buckets, t.begin);
	gemp_parallel_for(t.chunks, move_chunk, &t);
	gemp_parallel_for(t.buckets, count_bucket, &t);
	if (t.ghosts_only)
		gemp_for_elements(layout->own, set_own_lengths, layout);
	GEMP_TRY_DONE(gemp_layout_new_ends(out, layout->weights));
	GEMP_TRY_DONE(GEMP_NEW(t.next, out->rows));
	memcpy(t.next, out->begin, out->rows * sizeof *t.next);
	gemp_parallel_for(t.buckets, put_bucket, &t);
	if (t.ghosts_only)
		gemp_for_elements((size_t)gemp_layout_row_edges(&layout->in), copy_own_ends, layout);
done:
	gemp_free_all(t.first, t.places, t.begin, t.word, t.next);
	return code;
}

typedef struct weight_sum_task {
	const gemp_layout *layout;
	double *sum; /* [known] */
} weight_sum_task;

/* One thread adds up a row in the order of its edges, so the sum does not depend on the number of threads. */
static void sum_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const weight_sum_task *s = context;
	const gemp_layout_rows *out = &s->layout->out;
	for (size_t row = begin; row < end; row++)
		for (uint64_t e = out->begin[row]; e < out->begin[row + 1]; e++)
			s->sum[row] += gemp_layout_weight_at(s->layout->weights, out->weight, e);
}

/* Collective. Any rank that knows a vertex may have edges that leave it. Each rank sums the weights of its own edges
 * for every known vertex, and sends the sums of ghosts to their owners, against the direction of the halo exchange. */
gemp_code gemp_layout_make_out_weight(gemp_layout *layout)
{
	const gemp_comm *comm = layout->comm;
	const gemp_layout_links *links = &layout->links;
	size_t ranks = (size_t)comm->size, capacity = 0;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_OWNED double *sum = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(sum, layout->known), GEMP_ARRAY(sizes, 2 * ranks),
	                                            GEMP_ARRAY(layout->out_weight, layout->own))));
	gemp_for_ranges(layout->known, sum_rows, &(weight_sum_task){ layout, sum });
	memcpy(layout->out_weight, sum, layout->own * sizeof *sum);
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (links->ghost_begin[r + 1] - links->ghost_begin[r]) * sizeof *sum;
	GEMP_TRY(gemp_exchange(comm, GEMP_OK, sum + layout->own, sizes, &received, &capacity, sizes + ranks, NULL));
	for (uint64_t i = 0; i < links->send_begin[ranks]; i++)
		layout->out_weight[links->send[i]] += ((const double *)received)[i];
	return GEMP_OK;
}
