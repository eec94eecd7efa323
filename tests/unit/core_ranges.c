/* Tests ranges of rows for threads: each row is in one range, ranges are in order, and only the last range has fewer
 * than GEMP_RANGE_ROWS rows. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/threads.h"

#include <stdint.h>

typedef struct seen {
	uint8_t *rows;
	size_t begin[GEMP_MAX_RANGES], end[GEMP_MAX_RANGES];
} seen;

static void see(void *context, size_t range, size_t begin, size_t end)
{
	seen *s = context;
	s->begin[range] = begin;
	s->end[range] = end;
	for (size_t row = begin; row < end; row++)
		s->rows[row]++;
}

static void check(size_t count)
{
	seen s = { .rows = gemp_calloc(count, 1) };
	size_t ranges = gemp_range_count(count);
	assert_true(ranges <= GEMP_MAX_RANGES && (ranges > 0) == (count > 0));
	gemp_for_ranges(count, see, &s);
	for (size_t i = 0; i < ranges; i++) {
		assert_int_equal(s.begin[i], i ? s.end[i - 1] : 0);
		assert_true(s.end[i] - s.begin[i] >= GEMP_RANGE_ROWS || i + 1 == ranges);
	}
	assert_true(count == 0 || s.end[ranges - 1] == count);
	for (size_t row = 0; row < count; row++)
		assert_int_equal(s.rows[row], 1);
	gemp_free(s.rows);
}

static void rows_are_in_one_range(void **state)
{
	static const size_t counts[] = { 0,
		                             1,
		                             GEMP_RANGE_ROWS - 1,
		                             GEMP_RANGE_ROWS,
		                             GEMP_RANGE_ROWS + 1,
		                             1000003,
		                             (size_t)GEMP_RANGE_ROWS * GEMP_MAX_RANGES,
		                             (size_t)GEMP_RANGE_ROWS * GEMP_MAX_RANGES + 1 };
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		check(counts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_in_one_range),
	};
	return test_main(tests);
}
