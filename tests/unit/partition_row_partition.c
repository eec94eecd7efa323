/* Compares rows that are made in partitions with sorted pairs: from lists, numbered, with parallel slots dropped, and
 * reversed. Buckets are small, so that there are many buckets, chunks and groups; some graphs have one long row. */
#include "partition/build/row_partition.h"

#include "harness/harness.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
	gemp_edge_pair pair;
	uint64_t index;
} entry;

static int compare(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	if (x->pair.source != y->pair.source)
		return x->pair.source < y->pair.source ? -1 : 1;
	if (x->pair.target != y->pair.target)
		return x->pair.target < y->pair.target ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Random pairs, and the same pairs sorted. */
typedef struct pairs {
	size_t rows, count;
	uint64_t first, vertices;
	gemp_edge_pair *pair;
	entry *sorted;
} pairs;

static pairs make_pairs(uint64_t *random)
{
	pairs made = { .rows = 1 + gemp_random_below(random, 300), .count = gemp_random_below(random, 3000) };
	bool hub = gemp_random_below(random, 4) == 0;
	made.first = gemp_random_below(random, 1000);
	made.vertices = 1 + gemp_random_below(random, gemp_random_below(random, 2) ? 40 : 1 << 20);
	made.pair = calloc(made.count + 1, sizeof *made.pair);
	made.sorted = calloc(made.count + 1, sizeof *made.sorted);
	for (size_t i = 0; i < made.count; i++) {
		uint64_t row = hub && gemp_random_below(random, 10) ? 0 : gemp_random_below(random, made.rows);
		made.pair[i] = (gemp_edge_pair){ (gemp_vertex)(made.first + row),
			                             (gemp_vertex)gemp_random_below(random, made.vertices) };
		made.sorted[i] = (entry){ made.pair[i], i };
	}
	qsort(made.sorted, made.count, sizeof *made.sorted, compare);
	return made;
}

/* Checks the rows against the sorted pairs. kept: equal pairs are there only once. */
static void check(const pairs *made, const gemp_row_builder *rows, bool drop)
{
	uint64_t at = 0, row = 0;
	for (size_t i = 0; i < made->count; i++) {
		const entry *want = &made->sorted[i];
		if (drop && i > 0 && memcmp(&want->pair, &made->sorted[i - 1].pair, sizeof want->pair) == 0)
			continue;
		for (; made->first + row < want->pair.source; row++)
			assert_true(rows->begin[row + 1] == at);
		assert_int_equal(rows->slots[at], want->pair.target);
		if (rows->edges)
			assert_true(rows->edges[at] == want->index);
		at++;
	}
	for (; row < made->rows; row++)
		assert_true(rows->begin[row + 1] == at);
}

static bool has_parallel(const pairs *made)
{
	bool found = false;
	for (size_t i = 1; i < made->count; i++)
		found |= memcmp(&made->sorted[i].pair, &made->sorted[i - 1].pair, sizeof(gemp_edge_pair)) == 0;
	return found;
}

static void free_rows(gemp_row_builder *rows)
{
	gemp_free_all(rows->begin, rows->slots, rows->edges);
}

/* The lists are consecutive parts of the pairs, some of them empty. */
static void check_lists(const pairs *made, bool drop, uint64_t *random)
{
	enum { LISTS = 5 };
	gemp_pair_list lists[LISTS];
	gemp_row_builder rows = { .rows = made->rows, .first = made->first };
	bool parallel = false;
	for (size_t l = 0, at = 0; l < LISTS; l++) {
		size_t count = l + 1 < LISTS ? gemp_random_below(random, made->count - at + 1) : made->count - at;
		lists[l] = (gemp_pair_list){ NULL, count };
		assert_int_equal(GEMP_COPY(lists[l].pairs, made->pair + at, count), GEMP_OK);
		at += count;
	}
	assert_int_equal(gemp_row_partition_make(&rows, lists, LISTS, made->vertices, false, drop, &parallel), GEMP_OK);
	assert_int_equal(parallel, !drop && has_parallel(made));
	check(made, &rows, drop);
	for (size_t l = 0; l < LISTS; l++)
		assert_null(lists[l].pairs);
	free_rows(&rows);
}

/* Pairs of both ends are the rows of the pairs and of the turned pairs that are no loops. */
static void check_both(const pairs *made, bool drop)
{
	gemp_row_builder rows = { .rows = made->rows, .first = made->first }, wanted = rows;
	gemp_pair_list pairs = { NULL, made->count }, doubled = { NULL, 0 };
	bool parallel = false, expected = false;
	assert_int_equal(GEMP_COPY(pairs.pairs, made->pair, made->count), GEMP_OK);
	assert_int_equal(GEMP_NEW(doubled.pairs, 2 * made->count), GEMP_OK);
	for (size_t i = 0; i < made->count; i++) {
		const gemp_edge_pair pair = made->pair[i];
		doubled.pairs[doubled.count++] = pair;
		if (pair.source != pair.target && pair.target >= made->first && pair.target < made->first + made->rows)
			doubled.pairs[doubled.count++] = (gemp_edge_pair){ pair.target, pair.source };
	}
	const uint64_t vertices = gemp_max(made->vertices, made->first + made->rows);
	assert_int_equal(gemp_row_partition_make(&rows, &pairs, 1, vertices, true, drop, &parallel), GEMP_OK);
	assert_int_equal(gemp_row_partition_make(&wanted, &doubled, 1, vertices, false, drop, &expected), GEMP_OK);
	assert_int_equal(parallel, expected);
	assert_memory_equal(rows.begin, wanted.begin, (made->rows + 1) * sizeof *rows.begin);
	assert_true(rows.begin[made->rows] == 0 ||
	            memcmp(rows.slots, wanted.slots, rows.begin[made->rows] * sizeof *rows.slots) == 0);
	free_rows(&rows);
	free_rows(&wanted);
}

/* Reversed rows of reversed pairs are the rows of the pairs. */
static void check_reverse(const pairs *made)
{
	gemp_row_builder rows = { .rows = made->vertices, .first = 0 }, back = { .rows = made->rows, .first = made->first };
	gemp_edge_pair *reversed = calloc(made->count + 1, sizeof *reversed);
	gemp_rows_to_reverse from = { .rows = made->vertices, .first_edge = 77 };
	bool parallel;
	for (size_t i = 0; i < made->count; i++)
		reversed[i] = (gemp_edge_pair){ made->pair[i].target, made->pair[i].source };
	assert_int_equal(gemp_row_builder_make(&rows, reversed, made->count, made->first + made->rows, false, &parallel),
	                 GEMP_OK);
	from.begin = rows.begin;
	from.slots = rows.slots;
	assert_int_equal(gemp_row_partition_reverse(&back, &from), GEMP_OK);
	for (size_t r = 0; r < back.rows; r++)
		for (uint64_t i = back.begin[r]; i < back.begin[r + 1]; i++) {
			uint64_t edge = back.edges[i] - 77;
			assert_true(edge < made->count && rows.slots[edge] == made->first + r);
			assert_true(rows.begin[back.slots[i]] <= edge && edge < rows.begin[back.slots[i] + 1]);
			assert_true(i == back.begin[r] || back.edges[i] > back.edges[i - 1]);
		}
	gemp_free(back.edges);
	back.edges = NULL;
	check(made, &back, false);
	free(reversed);
	free_rows(&rows);
	free_rows(&back);
}

static void rows_equal_sorted_pairs(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	gemp_limits limits = *gemp_limits_now(), before = limits;
	for (unsigned turn = 0; turn < 300; turn++) {
		limits.rows_bucket = turn % 3 ? 1 + gemp_random_below(&random, 200) : before.rows_bucket;
		limits.rows_reversed = turn % 2 ? 1 + gemp_random_below(&random, 200) : before.rows_reversed;
		gemp_limits_override(limits);
		gemp_threads_limit(turn % 4);
		pairs made = make_pairs(&random);
		gemp_row_builder rows = { .rows = made.rows, .first = made.first };
		bool parallel = false;
		assert_int_equal(gemp_row_builder_make(&rows, made.pair, made.count, made.vertices, true, &parallel), GEMP_OK);
		check(&made, &rows, false);
		assert_int_equal(parallel, has_parallel(&made));
		free_rows(&rows);
		check_lists(&made, turn & 1, &random);
		check_both(&made, turn & 1);
		if (made.vertices < 1000)
			check_reverse(&made);
		free(made.pair);
		free(made.sorted);
	}
	gemp_threads_limit(0);
	gemp_limits_override(before);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Each request fails in turn; nothing leaks. */
static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	gemp_limits limits = *gemp_limits_now(), before = limits;
	limits.rows_bucket = 100;
	gemp_limits_override(limits);
	pairs made = make_pairs(&random);
	for (long request = 0, done = 0; !done; request++) {
		gemp_row_builder rows = { .rows = made.rows, .first = made.first };
		gemp_memory_fail_after(request);
		bool parallel;
		gemp_code code = gemp_row_builder_make(&rows, made.pair, made.count, made.vertices, true, &parallel);
		gemp_memory_fail_after(-1);
		assert_true(code == GEMP_OK || code == GEMP_ENOMEM);
		done = code == GEMP_OK;
		free_rows(&rows);
		assert_int_equal(gemp_memory_blocks(), 0);
	}
	free(made.pair);
	free(made.sorted);
	gemp_limits_override(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_equal_sorted_pairs),
		                                cmocka_unit_test(memory_may_run_out) };
	return test_main(tests);
}
