/* Rows are made by a counting sort, and then each row is sorted. One array has first the counters and then the offsets:
 * begin[row + 1] counts the slots of a row, and a prefix sum turns begin[row] into the first place of the row. Placing
 * a slot advances begin[row], up to the end of the row. A shift by one element restores the offsets. */

#include "partition/build/row_builder.h"

#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	GROUP = 32,     /* records whose counters or places are prefetched together */
	ROWS = 1 << 10, /* rows that a thread takes at a time */
	/* slots; one thread alone sorts rows of this length and longer, as the spare memory of the other threads is
	 * shorter */
	LONG_ROW = 1 << 16,
};

/* Records that all threads count or place. */
typedef struct record_list {
	gemp_row_builder *rows;
	const uint32_t *records;
	size_t width, count;
} record_list;

/* Several threads may count in the row of a hub, so they add atomically. A single thread adds without atomics. */
static uint64_t next(uint64_t *counter, bool alone)
{
	return alone ? (*counter)++ : __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Finds and prefetches the counters of a group of records: begin[row + column] for each record's row. */
static size_t fetch(const record_list *p, size_t from, size_t end, size_t column, uint64_t *counters[GROUP])
{
	size_t count = end - from < GROUP ? end - from : GROUP;
	for (size_t i = 0; i < count; i++) {
		counters[i] = &p->rows->begin[p->records[(from + i) * p->width] - p->rows->first + column];
		__builtin_prefetch(counters[i], 1);
	}
	return count;
}

/* Counts the records of a row in begin[row + 1], so a prefix sum turns the counts into offsets. */
static void count_range(void *context, size_t begin, size_t end)
{
	const record_list *p = context;
	bool alone = gemp_threads() == 1;
	uint64_t *counters[GROUP];
	for (size_t at = begin; at < end; at += GROUP)
		for (size_t i = 0, count = fetch(p, at, end, 1, counters); i < count; i++)
			next(counters[i], alone);
}

/* All threads count in the same array, each thread a range of records. */
void gemp_row_builder_count(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count)
{
	record_list p = { rows, records, width, count };
	gemp_for_elements(count, count_range, &p);
}

/* Takes the next free place of each record's row. The first pass over a group prefetches the places, and the second
 * pass writes. */
static void place_range(void *context, size_t begin, size_t end)
{
	const record_list *p = context;
	gemp_row_builder *rows = p->rows;
	bool alone = gemp_threads() == 1;
	uint64_t *counters[GROUP], place[GROUP];
	for (size_t at = begin; at < end; at += GROUP) {
		size_t count = fetch(p, at, end, 0, counters);
		for (size_t i = 0; i < count; i++) {
			place[i] = next(counters[i], alone);
			__builtin_prefetch(&rows->slots[place[i]], 1);
			if (rows->edges)
				__builtin_prefetch(&rows->edges[place[i]], 1);
		}
		for (size_t i = 0; i < count; i++) {
			const uint32_t *record = p->records + (at + i) * p->width;
			rows->slots[place[i]] = record[1];
			if (rows->edges)
				memcpy(&rows->edges[place[i]], record + 2, sizeof *rows->edges);
		}
	}
}

/* The order inside a row is arbitrary until gemp_row_builder_sort sorts the row. */
void gemp_row_builder_fill(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count)
{
	record_list p = { rows, records, width, count };
	gemp_for_elements(count, place_range, &p);
}

/* Rows that all threads sort, with spare memory for each thread. */
typedef struct row_sort {
	gemp_row_builder *rows;
	unsigned bits;
	gemp_vertex *spare_slots; /* [threads][LONG_ROW] */
	gemp_edge *spare_edges;
	_Atomic size_t longest; /* length of the longest row that was left out */
} row_sort;

/* A row that is sorted already takes one pass only. */
static bool ascends(const gemp_vertex *slots, const gemp_edge *edges, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (slots[i] < slots[i - 1] || (edges && slots[i] == slots[i - 1] && edges[i] < edges[i - 1]))
			return false;
	return true;
}

/* Edge numbers are distinct, so the order of equal slots is defined. */
static int compare_edges(const void *a, const void *b)
{
	gemp_edge left = *(const gemp_edge *)a, right = *(const gemp_edge *)b;
	return (left > right) - (left < right);
}

/* A radix sort orders the slots. Then the edges of equal slots are sorted. */
static void sort_row(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                     gemp_edge *spare_edges)
{
	if (ascends(slots, edges, count))
		return;
	gemp_row_sort(slots, edges, count, bits, spare_slots, spare_edges);
	for (size_t i = 0, end; edges && i < count; i = end) {
		for (end = i + 1; end < count && slots[end] == slots[i];)
			end++;
		if (end - i > 1 && !ascends(slots + i, edges + i, end - i))
			qsort(edges + i, end - i, sizeof *edges, compare_edges);
	}
}

/* Long rows are left out, as each thread would need spare memory for the longest row. */
static void sort_chunk(void *context, unsigned thread, size_t chunk)
{
	row_sort *s = context;
	gemp_row_builder *rows = s->rows;
	gemp_vertex *spare_slots = s->spare_slots + (size_t)thread * LONG_ROW;
	gemp_edge *spare_edges = s->spare_edges ? s->spare_edges + (size_t)thread * LONG_ROW : NULL;
	size_t longest = 0;
	for (size_t v = chunk * ROWS; v < rows->rows && v < (chunk + 1) * ROWS; v++) {
		uint64_t begin = rows->begin[v], count = rows->begin[v + 1] - begin;
		if (count > 1 && count < LONG_ROW)
			sort_row(rows->slots + begin, rows->edges ? rows->edges + begin : NULL, count, s->bits, spare_slots,
			         spare_edges);
		else if (count > longest)
			longest = count;
	}
	size_t known = s->longest;
	while (longest > known && !atomic_compare_exchange_weak(&s->longest, &known, longest))
		;
}

/* One thread sorts the long rows one after the other, with spare memory for the longest row. */
static gemp_code sort_long_rows(const row_sort *s)
{
	gemp_row_builder *rows = s->rows;
	GEMP_OWNED gemp_vertex *spare_slots = NULL;
	GEMP_OWNED gemp_edge *spare_edges = NULL;
	size_t longest = s->longest;
	if (longest < LONG_ROW)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(spare_slots, longest));
	if (rows->edges)
		GEMP_TRY(GEMP_NEW(spare_edges, longest));
	for (size_t v = 0; v < rows->rows; v++) {
		uint64_t begin = rows->begin[v], count = rows->begin[v + 1] - begin;
		if (count >= LONG_ROW)
			sort_row(rows->slots + begin, rows->edges ? rows->edges + begin : NULL, count, s->bits, spare_slots,
			         spare_edges);
	}
	return GEMP_OK;
}

static void free_spare(row_sort *s)
{
	gemp_free_all(s->spare_slots, s->spare_edges);
}

/* The bits of the largest slot limit the number of digits that the radix sort reads. */
gemp_code gemp_row_builder_sort(gemp_row_builder *rows, uint64_t vertices)
{
	GEMP_OWNED_BY(free_spare) row_sort s = { .rows = rows, .bits = 1 };
	while (s.bits < 32 && vertices >> s.bits)
		s.bits++;
	GEMP_TRY(GEMP_NEW(s.spare_slots, (size_t)gemp_threads() * LONG_ROW));
	if (rows->edges)
		GEMP_TRY(GEMP_NEW(s.spare_edges, (size_t)gemp_threads() * LONG_ROW));
	gemp_parallel_for((rows->rows + ROWS - 1) / ROWS, sort_chunk, &s);
	return sort_long_rows(&s);
}

/* Rows are sorted, so parallel edges are adjacent. */
void gemp_row_builder_drop_parallel(gemp_row_builder *rows)
{
	uint64_t kept = 0, begin = 0;
	for (size_t v = 0; v < rows->rows; v++) {
		uint64_t end = rows->begin[v + 1];
		for (uint64_t e = begin; e < end; e++) {
			if (e > begin && rows->slots[e] == rows->slots[e - 1])
				continue;
			if (rows->edges)
				rows->edges[kept] = rows->edges[e];
			rows->slots[kept++] = rows->slots[e];
		}
		begin = end;
		rows->begin[v + 1] = kept;
	}
}

/* Rows whose parallel edges are sorted by attributes. order[] becomes a permutation of all edges. */
typedef struct parallel_sort {
	const uint64_t *begin;
	const gemp_vertex *slots;
	const gemp_table *props;
	uint64_t *order;      /* [edges] */
	atomic_bool unsorted; /* whether some parallel edges were out of order */
} parallel_sort;

/* The first column in which two edges differ decides their order. */
static int compare_props(const void *a, const void *b, void *props_)
{
	const gemp_table *props = props_;
	size_t left = (size_t) * (const uint64_t *)a, right = (size_t) * (const uint64_t *)b;
	int order = 0;
	for (size_t c = 0; c < props->count && !order; c++)
		order = gemp_column_compare(&props->columns[c], left, right);
	return order;
}

/* Most parallel edges are in order already. If all are in order, the caller permutes nothing. */
static void sort_parallel_range(void *context, size_t begin, size_t end)
{
	parallel_sort *p = context;
	for (uint64_t e = p->begin[begin]; e < p->begin[end]; e++)
		p->order[e] = e;
	for (size_t v = begin; v < end; v++)
		for (uint64_t e = p->begin[v], next; e < p->begin[v + 1]; e = next) {
			bool sorted = true;
			for (next = e + 1; next < p->begin[v + 1] && p->slots[next] == p->slots[e]; next++)
				sorted &= compare_props(&p->order[next - 1], &p->order[next], (void *)p->props) <= 0;
			if (sorted)
				continue;
			qsort_r(p->order + e, next - e, sizeof *p->order, compare_props, (void *)p->props);
			atomic_store_explicit(&p->unsorted, true, memory_order_relaxed);
		}
}

/* Most of the permutation is the identity, and it is applied only if some parallel edges were out of order. */
gemp_code gemp_rows_sort_parallel(const uint64_t *begin, const gemp_vertex *slots, size_t rows, gemp_table *props,
                                  uint64_t *numbers)
{
	GEMP_OWNED uint64_t *before = NULL, *order = NULL;
	size_t edges = (size_t)begin[rows];
	GEMP_TRY(GEMP_NEW(order, edges));
	parallel_sort p = { .begin = begin, .slots = slots, .props = props, .order = order };
	gemp_for_elements(rows, sort_parallel_range, &p);
	if (!p.unsorted)
		return GEMP_OK;
	GEMP_TRY(gemp_table_permute(props, order, edges));
	if (!numbers)
		return GEMP_OK;
	GEMP_TRY(GEMP_COPY(before, numbers, edges));
	for (size_t i = 0; i < edges; i++)
		numbers[i] = before[order[i]];
	return GEMP_OK;
}

enum {
	SHORT_ROW = 40,  /* slots; up to this length insertion is faster than a radix sort */
	WIDE_ROW = 2048, /* slots; from this length on fewer passes outweigh the larger counters of wide digits */
	NARROW_DIGIT = 8,
	WIDE_DIGIT = 11,
};

/* The function is inlined once with edges and once without, so the loop does not test for edges. */
static inline __attribute__((always_inline)) void insertion_sort(gemp_vertex *slots, gemp_edge *edges, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		gemp_vertex slot = slots[i];
		gemp_edge edge = edges ? edges[i] : 0;
		size_t at = i;
		for (; at > 0 && slots[at - 1] > slot; at--) {
			slots[at] = slots[at - 1];
			if (edges)
				edges[at] = edges[at - 1];
		}
		slots[at] = slot;
		if (edges)
			edges[at] = edge;
	}
}

/* One pass of the radix sort moves every slot to the next free place of its digit. */
static void scatter_digit(const gemp_vertex *slots, const gemp_edge *edges, size_t count, unsigned shift,
                          unsigned width, size_t *next, gemp_vertex *to_slots, gemp_edge *to_edges)
{
	gemp_vertex mask = ((gemp_vertex)1 << width) - 1;
	for (size_t i = 0; i < count; i++) {
		size_t at = next[slots[i] >> shift & mask]++;
		to_slots[at] = slots[i];
		if (edges)
			to_edges[at] = edges[i];
	}
}

/* Passes go from the least significant digit to the most significant digit. A digit that is the same in all slots needs
 * no pass. */
static void sort_by_digits(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, unsigned width,
                           gemp_vertex *spare_slots, gemp_edge *spare_edges)
{
	size_t next[1 << WIDE_DIGIT];
	gemp_vertex *from = slots, *to = spare_slots, mask = ((gemp_vertex)1 << width) - 1;
	gemp_edge *from_edges = edges, *to_edges = spare_edges;
	for (unsigned shift = 0; shift < bits; shift += width) {
		memset(next, 0, sizeof *next << width);
		for (size_t i = 0; i < count; i++)
			next[from[i] >> shift & mask]++;
		if (next[from[0] >> shift & mask] == count)
			continue;
		for (size_t d = 0, before = 0; d <= mask; d++) {
			size_t here = next[d];
			next[d] = before;
			before += here;
		}
		scatter_digit(from, from_edges, count, shift, width, next, to, to_edges);
		gemp_vertex *slots_now = to;
		gemp_edge *edges_now = to_edges;
		to = from;
		to_edges = from_edges;
		from = slots_now;
		from_edges = edges_now;
	}
	if (from == slots)
		return;
	memcpy(slots, from, count * sizeof *slots);
	if (edges)
		memcpy(edges, from_edges, count * sizeof *edges);
}

/* The two calls of the insertion sort are compiled separately, with and without edges. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges)
{
	if (count > SHORT_ROW)
		sort_by_digits(slots, edges, count, bits, count < WIDE_ROW ? NARROW_DIGIT : WIDE_DIGIT, spare_slots,
		               spare_edges);
	else if (edges)
		insertion_sort(slots, edges, count);
	else
		insertion_sort(slots, NULL, count);
}
