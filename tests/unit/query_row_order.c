/* Compares the radix sort of rows, and the selection of the first rows, with comparisons of values, for random columns
 * of every type with NULL, NaN, equal values and long common prefixes; packs such rows and unpacks them. */
#include "core/memory.h"
#include "core/random.h"
#include "harness/harness.h"
#include "query/rows/row_order.h"
#include "query/rows/row_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5, TRIALS = 40, MAX_ROWS = 400, MANY_ROWS = 70000 };

static const gemp_type types[COLUMNS] = { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_STRING };

/* Few different values, so that runs of equal digits are long. */
static gemp_value random_value(gemp_type type, uint64_t *seed, size_t variety)
{
	static char text[256];
	static const double reals[] = { NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-310, -3.5 };
	static const int64_t integers[] = { INT64_MAX, INT64_MIN, 0, -1 };
	const uint64_t n = gemp_random_below(seed, variety);
	gemp_value value = { .type = type, .null = gemp_random_below(seed, 9) == 0 };
	switch (type) {
	case GEMP_INTEGER: value.integer = n < 4 ? integers[n] : (int64_t)n - 9; break;
	case GEMP_FLOAT: value.real = n < 8 ? reals[n] : (double)n / 3; break;
	case GEMP_BOOLEAN: value.truth = n % 2; break;
	default: {
		/* zeros at the end, different lengths, and prefixes of up to 90 bytes in common */
		const size_t common = n % 4 == 0 ? 0 : n % 4 == 1 ? 8 : n % 4 == 2 ? 20 : 90;
		const size_t zeros = n % 3;
		memset(text, n % 5 == 0 ? 0xff : 'x', common);
		memset(text + common, 0, sizeof text - common);
		const int tail = snprintf(text + common, 32, "%llx", (unsigned long long)n);
		value.string = (gemp_string){ text, n % 7 == 0 ? common : common + (size_t)tail + zeros };
	}
	}
	return value;
}

static void fill(gemp_frame *frame, size_t rows, size_t variety, uint64_t *seed)
{
	assert_ok(gemp_frame_init(frame, COLUMNS));
	for (size_t c = 0; c < COLUMNS; c++) {
		assert_ok(gemp_frame_set(frame, c, GEMP_CELL_VALUE, "c", types[c]));
		for (size_t row = 0; row < rows; row++) {
			const gemp_value value = random_value(types[c], seed, variety);
			assert_ok(gemp_column_add(&frame->columns[c].values, &value));
		}
	}
	frame->rows = rows;
}

/* Half of the columns become lists of rows of `dictionary`, in which the values are in another order. */
static void use_dictionaries(gemp_frame *frame, gemp_frame *dictionary, uint64_t *seed)
{
	assert_ok(gemp_frame_like(dictionary, frame));
	for (size_t c = 0; c < COLUMNS; c++) {
		gemp_frame_column *column = &frame->columns[c];
		gemp_column *values = &dictionary->columns[c].values;
		if (!frame->rows || gemp_random_below(seed, 2))
			continue;
		assert_ok(GEMP_RESERVE(column->index, column->index_capacity, frame->rows));
		for (size_t row = frame->rows; row-- > 0;) {
			const gemp_value value = gemp_column_get(&column->values, row);
			column->index[row] = value.null && row % 2 ? GEMP_NO_ROW : (uint32_t)values->rows;
			assert_ok(gemp_column_add(values, &value));
		}
		column->dictionary = values;
	}
}

/* Checks that `rows` is a permutation of the frame's rows in ascending order. */
static void check_sorted(const gemp_row_order *order, const gemp_frame *frame, const uint64_t *rows)
{
	uint8_t *seen = calloc(frame->rows + 1, 1);
	for (size_t i = 0; i < frame->rows; i++) {
		assert_true(rows[i] < frame->rows && !seen[rows[i]]);
		seen[rows[i]] = 1;
		if (i > 0)
			assert_true(gemp_row_order_compare(order, frame, rows[i - 1], frame, rows[i]) <= 0);
	}
	free(seen);
}

/* The selected rows are exactly those that are not larger than the wanted-th row and the bound. */
static void check_selected(const gemp_row_order *order, const gemp_frame *frame, const uint64_t *sorted, size_t wanted,
                           const gemp_frame *bound, size_t at)
{
	uint64_t *rows;
	size_t count, expected = 0, largest = wanted <= frame->rows ? wanted - 1 : frame->rows - 1;
	assert_ok(gemp_row_order_select(order, frame, wanted, bound, at, &rows, &count));
	for (size_t i = 0; i < frame->rows; i++)
		expected += gemp_row_order_compare(order, frame, i, frame, sorted[largest]) <= 0 &&
		            (!bound || gemp_row_order_compare(order, frame, i, bound, at) <= 0);
	assert_int_equal(count, expected);
	for (size_t i = 0; i < count; i++)
		assert_true(gemp_row_order_compare(order, frame, rows[i], frame, sorted[largest]) <= 0);
	gemp_free(rows);
}

static void check(size_t rows, size_t variety, uint64_t *seed)
{
	gemp_frame frame, bound, dictionary;
	gemp_sort_item items[COLUMNS];
	uint64_t *sorted;
	const gemp_row_order order = { .count = 1 + gemp_random_below(seed, COLUMNS),
		                           .columns = items,
		                           .total = gemp_random_below(seed, 2) };
	for (size_t i = 0; i < COLUMNS; i++)
		items[i] = (gemp_sort_item){ .item = gemp_random_below(seed, COLUMNS), .descending = gemp_random(seed) % 2 };
	fill(&frame, rows, variety, seed);
	fill(&bound, 3, variety, seed);
	use_dictionaries(&frame, &dictionary, seed);
	assert_ok(gemp_row_order_sort(&order, &frame, &sorted));
	check_sorted(&order, &frame, sorted);
	if (rows) {
		check_selected(&order, &frame, sorted, 1 + gemp_random_below(seed, rows < 1000 ? rows : 1000), NULL, 0);
		check_selected(&order, &frame, sorted, 1 + gemp_random_below(seed, 20), &bound, 1);
	}
	gemp_free(sorted);
	gemp_frame_free(&frame);
	gemp_frame_free(&bound);
	gemp_frame_free(&dictionary);
}

/* In a total order a negative zero comes before a zero, but only behind all columns. */
static void zeros_have_an_order(void **state)
{
	(void)state;
	static const double first[] = { 0.0, -0.0, 0.0, -0.0, 1.0 }, second[] = { 2.0, 2.0, -0.0, 1.0, -0.0 };
	static const gemp_sort_item items[] = { { .item = 0 }, { .item = 1 } };
	static const uint64_t expected[] = { 2, 3, 1, 0, 4 };
	const gemp_row_order order = { .count = 2, .columns = items, .total = true };
	gemp_frame frame;
	uint64_t *sorted;
	assert_ok(gemp_frame_init(&frame, 2));
	for (size_t c = 0; c < 2; c++) {
		assert_ok(gemp_frame_set(&frame, c, GEMP_CELL_VALUE, "c", GEMP_FLOAT));
		for (size_t row = 0; row < 5; row++) {
			const gemp_value value = { .type = GEMP_FLOAT, .real = (c ? second : first)[row] };
			assert_ok(gemp_column_add(&frame.columns[c].values, &value));
		}
	}
	frame.rows = 5;
	assert_ok(gemp_row_order_sort(&order, &frame, &sorted));
	assert_memory_equal(sorted, expected, sizeof expected);
	for (size_t i = 1; i < 5; i++)
		assert_true(gemp_row_order_compare(&order, &frame, expected[i - 1], &frame, expected[i]) < 0);
	gemp_free(sorted);
	gemp_frame_free(&frame);
}

static void sorts_like_comparisons(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (size_t trial = 0; trial < TRIALS; trial++)
		check(gemp_random_below(&seed, MAX_ROWS), trial % 2 ? 5 : 200, &seed);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Enough rows for runs that all threads sort. */
static void sorts_many_rows(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	check(MANY_ROWS, 40, &seed);
	check(MANY_ROWS, 1, &seed);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Rows that travel or go to a file come back as they were, also the sign of zero. */
static void packed_rows_come_back(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_frame frame, back;
	gemp_text packed = { 0 };
	fill(&frame, MAX_ROWS, 20, &seed);
	assert_ok(gemp_frame_like(&back, &frame));
	assert_ok(gemp_frame_pack(&frame, 0, frame.rows, 1, &packed));
	assert_ok(gemp_frame_unpack(&back, packed.data, packed.data + packed.size));
	assert_int_equal(back.rows, frame.rows);
	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t row = 0; row < frame.rows; row++) {
			const gemp_value a = gemp_frame_value(&frame.columns[c], row), b = gemp_frame_value(&back.columns[c], row);
			assert_int_equal(gemp_value_order(&a, &b), 0);
			if (types[c] == GEMP_FLOAT && !a.null)
				assert_int_equal(signbit(a.real) != 0, signbit(b.real) != 0);
		}
	gemp_text_free(&packed);
	gemp_frame_free(&back);
	gemp_frame_free(&frame);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_like_comparisons),
		cmocka_unit_test(sorts_many_rows),
		cmocka_unit_test(zeros_have_an_order),
		cmocka_unit_test(packed_rows_come_back),
	};
	return test_main(tests);
}
