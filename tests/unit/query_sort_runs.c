/* Writes sorted frames of random rows as runs, which are merged, reads them back in ranges, and compares the rows with
 * all rows sorted in memory. */
#include "core/memory.h"
#include "core/random.h"
#include "harness/harness.h"
#include "query/rows/sort_runs.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 2, LONGEST = 6000, TRIALS = 24 };

static const gemp_sort_item items[] = { { .item = 0, .descending = true }, { .item = 1 } };
static const gemp_row_order order = { .count = COLUMNS, .columns = items, .total = true };

/* Few different numbers, and strings that mostly fill a block with some tens of rows. */
static gemp_code add_rows(gemp_frame *frame, size_t rows, uint64_t *seed)
{
	static char text[LONGEST + 32];
	for (size_t i = 0; i < rows; i++, frame->rows++) {
		const size_t length = gemp_random_below(seed, 3) ? gemp_random_below(seed, LONGEST) : 0;
		memset(text, 'x', length);
		const int tail = snprintf(text + length, 32, "%llu", (unsigned long long)gemp_random_below(seed, 5));
		const gemp_value number = { .type = GEMP_INTEGER,
			                        .null = gemp_random_below(seed, 9) == 0,
			                        .integer = (int64_t)gemp_random_below(seed, 7) };
		const gemp_value string = { .type = GEMP_STRING, .string = { text, length + (size_t)tail } };
		GEMP_TRY(gemp_column_add(&frame->columns[0].values, &number));
		GEMP_TRY(gemp_column_add(&frame->columns[1].values, &string));
	}
	return GEMP_OK;
}

static gemp_code make_frame(gemp_frame *frame, size_t rows, uint64_t *seed)
{
	GEMP_TRY(gemp_frame_init(frame, COLUMNS));
	GEMP_TRY(gemp_frame_set(frame, 0, GEMP_CELL_VALUE, "number", GEMP_INTEGER));
	GEMP_TRY(gemp_frame_set(frame, 1, GEMP_CELL_VALUE, "string", GEMP_STRING));
	return add_rows(frame, rows, seed);
}

static gemp_code sort_frame(gemp_frame *out, const gemp_frame *frame)
{
	GEMP_OWNED uint64_t *sorted = NULL;
	*out = (gemp_frame){ 0 };
	GEMP_TRY(gemp_row_order_sort(&order, frame, &sorted));
	return gemp_frame_pick(out, frame, sorted, frame->rows);
}

/* Adds a run of random rows, and the same rows to *all. */
static gemp_code add_run(gemp_sort_runs *runs, gemp_frame *all, size_t rows, uint64_t *seed)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame made = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame sorted = { 0 };
	GEMP_TRY(make_frame(&made, rows, seed));
	GEMP_TRY(gemp_frame_append(all, &made));
	GEMP_TRY(sort_frame(&sorted, &made));
	return gemp_sort_runs_add(runs, &order, &sorted);
}

/* Reads all rows in the ranges between `splitters`, and sorts each range. */
static gemp_code read_ranges(gemp_sort_runs *runs, const gemp_frame *splitters, gemp_frame *out)
{
	for (size_t i = 0; i <= splitters->rows; i++) {
		GEMP_OWNED_BY(gemp_frame_free) gemp_frame range = { 0 };
		GEMP_OWNED_BY(gemp_frame_free) gemp_frame sorted = { 0 };
		GEMP_TRY(gemp_frame_like(&range, splitters));
		GEMP_TRY(gemp_sort_runs_read(runs, &order, splitters, i ? i - 1 : SIZE_MAX, i < splitters->rows ? i : SIZE_MAX,
		                             &range));
		GEMP_TRY(sort_frame(&sorted, &range));
		GEMP_TRY(gemp_frame_append(out, &sorted));
	}
	return GEMP_OK;
}

static void assert_equal_rows(const gemp_frame *found, const gemp_frame *expected, size_t rows)
{
	assert_true(found->rows >= rows && expected->rows >= rows);
	for (size_t row = 0; row < rows; row++)
		assert_int_equal(gemp_row_order_compare(&order, found, row, expected, row), 0);
}

typedef struct trial {
	size_t runs, rows, fan, ranges;
	uint64_t max_rows, seed;
} trial;

static gemp_code run_trial(const trial *t, bool checked)
{
	GEMP_OWNED_BY(gemp_sort_runs_free) gemp_sort_runs runs;
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame all = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame sorted = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame found = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame drawn = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame splitters = { 0 };
	uint64_t seed = t->seed;
	gemp_sort_runs_init(&runs, t->fan, t->max_rows);
	GEMP_TRY(make_frame(&all, 0, &seed));
	for (size_t i = 0; i < t->runs; i++)
		GEMP_TRY(add_run(&runs, &all, gemp_random_below(&seed, t->rows + 1), &seed));
	GEMP_TRY(gemp_sort_runs_finish(&runs, &order));
	GEMP_TRY(make_frame(&drawn, t->ranges, &seed));
	GEMP_TRY(sort_frame(&splitters, &drawn));
	GEMP_TRY(gemp_frame_like(&found, &all));
	GEMP_TRY(read_ranges(&runs, &splitters, &found));
	GEMP_TRY(sort_frame(&sorted, &all));
	if (!checked)
		return GEMP_OK;
	assert_true(runs.run_count <= t->fan && runs.firsts.rows == runs.count);
	assert_true(t->max_rows < UINT64_MAX ? found.rows <= sorted.rows : found.rows == sorted.rows);
	assert_equal_rows(&found, &sorted, gemp_min(sorted.rows, t->max_rows));
	return GEMP_OK;
}

static void merged_runs_have_all_rows(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (size_t i = 0; i < TRIALS; i++) {
		const trial t = { .runs = gemp_random_below(&seed, i % 4 ? 60 : 3),
			              .rows = i % 3 ? 12 : 150,
			              .fan = 2 + gemp_random_below(&seed, 4),
			              .ranges = gemp_random_below(&seed, 30),
			              .max_rows = i % 5 ? UINT64_MAX : gemp_random_below(&seed, 40),
			              .seed = gemp_random(&seed) };
		assert_ok(run_trial(&t, true));
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Each level has fewer runs than are merged, so that the number of runs grows with the logarithm of the rows. */
static void few_runs_remain(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	GEMP_OWNED_BY(gemp_sort_runs_free) gemp_sort_runs runs;
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame all = { 0 };
	gemp_sort_runs_init(&runs, 3, UINT64_MAX);
	assert_ok(make_frame(&all, 0, &seed));
	for (size_t i = 1; i <= 200; i++) {
		size_t digits = 0;
		for (size_t n = i; n; n /= 3)
			digits += n % 3;
		assert_ok(add_run(&runs, &all, 1, &seed));
		assert_int_equal(runs.run_count, digits);
	}
	gemp_sort_runs_free(&runs);
	gemp_frame_free(&all);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code small_trial(void *argument)
{
	(void)argument;
	return run_trial(&(trial){ .runs = 7, .rows = 30, .fan = 2, .ranges = 3, .max_rows = UINT64_MAX, .seed = 5 },
	                 false);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	assert_survives_no_memory(small_trial, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_runs_have_all_rows),
		cmocka_unit_test(few_runs_remain),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main(tests);
}
