#include "count/core_walk.h"

#include "core/bitset.h"
#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"

#include <pthread.h>
#include <stdatomic.h>

/* Pivots that a thread takes at a time: few enough that hubs do not delay the last thread. */
enum { PIVOTS = 512 };

/* What the threads share. */
typedef struct walk_run {
	const gemp_core_walk *walk;
	uint64_t *table; /* NULL: the sum is wanted */
	pthread_mutex_t lock;
	unsigned __int128 sum;
	_Atomic bool overflow;
} walk_run;

typedef struct walker {
	const gemp_core_walk *walk;
	gemp_vertex image[GEMP_CORE_VERTICES];
	bool over;
} walker;

/* Entries of a row that can still contain a candidate. */
typedef struct row_part {
	const gemp_vertex *at, *end;
} row_part;

static row_part row_of(const walker *w, const gemp_core_check *check)
{
	const uint64_t *begin = check->rows.begin + w->image[check->from];
	return (row_part){ check->rows.neighbours + begin[0], check->rows.neighbours + begin[1] };
}

/* Moves to the first entry that is not less than c. Rows are mostly short or their entries near, so the step
 * doubles. */
static void gallop(row_part *row, gemp_vertex c)
{
	size_t step = 1;
	const gemp_vertex *at = row->at;
	while (at + step < row->end && at[step] < c) {
		at += step;
		step *= 2;
	}
	const size_t left = (size_t)(row->end - at);
	row->at = at + gemp_lower_bound_u32(at, gemp_min(step + 1, left), c);
}

/* The number of entries c at the begin of the row. */
static uint64_t count_run(const row_part *row, gemp_vertex c)
{
	const gemp_vertex *at = row->at;
	while (at < row->end && *at == c)
		at++;
	return (uint64_t)(at - row->at);
}

static uint64_t factor_at(const gemp_vertex_factor *f, gemp_vertex v)
{
	if (f->bits && !gemp_bits32_test(f->bits, v))
		return 0;
	return f->values ? f->values[v] : 1;
}

static void add_product(walker *w, uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t product;
	w->over |= __builtin_mul_overflow(a, b, &product);
	w->over |= __builtin_add_overflow(*sum, product, sum);
}

static uint64_t extend(walker *w, size_t level);

/* The sum over a row that is the only check of the last vertex. */
static uint64_t sum_row(walker *w, const gemp_core_vertex *vertex, row_part row)
{
	uint64_t sum = 0;
	if (!vertex->factor.bits && !vertex->factor.values)
		return (uint64_t)(row.end - row.at);
	for (; row.at < row.end; row.at++)
		w->over |= __builtin_add_overflow(sum, factor_at(&vertex->factor, *row.at), &sum);
	return sum;
}

/* The most frequent end of a core: two rows without parallel edges that matter are merged. Rows of one length are
 * merged entry by entry, without branches on the comparison. */
static uint64_t sum_common(walker *w, const gemp_vertex_factor *factor, row_part a, row_part b)
{
	uint64_t sum = 0;
	while (a.at < a.end && b.at < b.end) {
		const gemp_vertex x = *a.at, y = *b.at;
		if (x == y) {
			const uint64_t times = count_run(&a, x), other = count_run(&b, x);
			add_product(w, &sum, times * other, factor_at(factor, x));
			a.at += times;
			b.at += other;
			continue;
		}
		a.at += x < y;
		b.at += y < x;
	}
	return sum;
}

/* Chooses the shortest row, which comes first afterwards. */
static size_t shortest_row(const walker *w, const gemp_core_vertex *vertex, row_part *rows)
{
	size_t best = 0;
	for (size_t k = 0; k < vertex->check_count; k++) {
		rows[k] = row_of(w, &vertex->checks[k]);
		if (rows[k].end - rows[k].at < rows[best].end - rows[best].at)
			best = k;
	}
	return best;
}

/* The choices among the edges from the earlier vertices to c; 0 if some row does not contain c. `times`: of the walked
 * row. */
static uint64_t choices(walker *w, const gemp_core_vertex *vertex, row_part *rows, size_t walked, gemp_vertex c,
                        uint64_t times)
{
	uint64_t product = vertex->checks[walked].exists ? 1 : times;
	for (size_t k = 0; k < vertex->check_count && product; k++) {
		if (k == walked)
			continue;
		gallop(&rows[k], c);
		uint64_t run = count_run(&rows[k], c);
		run = vertex->checks[k].exists ? run > 0 : run;
		w->over |= __builtin_mul_overflow(product, run, &product);
	}
	return product;
}

/* The sum over the candidates of vertex `level` and all vertices after it. */
static uint64_t extend(walker *w, size_t level)
{
	const gemp_core_vertex *vertex = &w->walk->vertices[level];
	row_part rows[GEMP_CORE_CHECKS] = { { 0 } };
	uint64_t sum = 0;
	const size_t walked = shortest_row(w, vertex, rows);
	const bool last = level + 1 == w->walk->count;
	row_part row = rows[walked];
	if (last && vertex->check_count == 1 && !vertex->checks[0].exists)
		return sum_row(w, vertex, row);
	if (last && vertex->check_count == 2 && !vertex->checks[0].exists && !vertex->checks[1].exists &&
	    rows[!walked].end - rows[!walked].at < 8 * (row.end - row.at))
		return sum_common(w, &vertex->factor, row, rows[!walked]);
	while (row.at < row.end) {
		const gemp_vertex c = *row.at;
		const uint64_t times = count_run(&row, c);
		row.at += times;
		const uint64_t factor = factor_at(&vertex->factor, c);
		const uint64_t edges = factor ? choices(w, vertex, rows, walked, c, times) : 0;
		uint64_t product;
		if (!edges)
			continue;
		w->image[level] = c;
		w->over |= __builtin_mul_overflow(factor, edges, &product);
		add_product(w, &sum, product, last ? 1 : extend(w, level + 1));
	}
	return sum;
}

static void walk_pivots(void *context, size_t range, size_t begin, size_t end)
{
	walk_run *run = context;
	walker w = { .walk = run->walk };
	unsigned __int128 total = 0;
	(void)range;
	for (size_t v = begin; v < end && !w.over; v++) {
		const gemp_vertex id = (gemp_vertex)(run->walk->graph->first_vertex + v);
		const uint64_t before = run->table ? run->table[v] : factor_at(&run->walk->vertices[0].factor, id);
		if (!before)
			continue;
		w.image[0] = id;
		const uint64_t sum = extend(&w, 1);
		if (run->table)
			w.over |= __builtin_mul_overflow(before, sum, &run->table[v]);
		else
			total += (unsigned __int128)before * sum;
	}
	if (w.over)
		atomic_store_explicit(&run->overflow, true, memory_order_relaxed);
	if (!total)
		return;
	pthread_mutex_lock(&run->lock);
	run->sum += total;
	pthread_mutex_unlock(&run->lock);
}

static gemp_code walk_all(walk_run *run)
{
	pthread_mutex_init(&run->lock, NULL);
	gemp_for_chunks(run->walk->graph->rows, PIVOTS, walk_pivots, run);
	pthread_mutex_destroy(&run->lock);
	return run->overflow ? gemp_fail(GEMP_EDATA, "a vertex has more than 2^64 - 1 matches") : GEMP_OK;
}

gemp_code gemp_core_walk_sum(const gemp_core_walk *walk, unsigned __int128 *sum)
{
	walk_run run = { .walk = walk };
	GEMP_TRY(walk_all(&run));
	*sum = run.sum;
	return GEMP_OK;
}

gemp_code gemp_core_walk_table(const gemp_core_walk *walk, uint64_t *table)
{
	walk_run run = { .walk = walk, .table = table };
	return walk_all(&run);
}
