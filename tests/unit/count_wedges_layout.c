/* Tests packed counters: each counter can hold its vertex's degree, counters neither overlap nor cross the end of a
 * word, and windows divide the counters. */
#include "count/wedges_grouped.h"
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"

static uint64_t seed;

static unsigned width_at(const gemp_wedges_layout *layout, uint32_t w, uint32_t *bit)
{
	unsigned width = 32;
	*bit = w * 32;
	for (size_t k = 0; layout->packed && k < GEMP_WEDGES_WIDTHS - 1; k++)
		if (w >= layout->from[k]) {
			width = 16u >> k;
			*bit = layout->base[k] + w * width;
		}
	return width;
}

static void check(const uint64_t *degree, uint32_t ends)
{
	gemp_wedges_layout layout;
	uint64_t *begin = gemp_calloc(ends + 1u, sizeof *begin), behind = 0;
	assert_non_null(begin);
	for (uint32_t v = 0; v < ends; v++)
		begin[v + 1] = begin[v] + degree[v];
	gemp_wedges_layout_new(&layout, begin, ends, true);
	assert_true(layout.packed);
	for (uint32_t w = 0; w < ends; w++) {
		uint32_t bit;
		unsigned width = width_at(&layout, w, &bit);
		assert_true(degree[w] < UINT64_C(1) << width);
		assert_true(bit >= behind);
		assert_int_equal(bit / 32, (bit + width - 1) / 32);
		behind = (uint64_t)bit + width;
		assert_true(gemp_wedges_slot_at(&layout, bit / 32) <= w);
		assert_true(gemp_wedges_slot_at(&layout, bit / 32 + 1) > w);
	}
	assert_int_equal(layout.words, (behind + 31) / 32);
	assert_int_equal(gemp_wedges_slot_at(&layout, 0), 0);
	assert_int_equal(gemp_wedges_slot_at(&layout, layout.words), ends);
	gemp_free(begin);
}

static void known(void **state)
{
	(void)state;
	const uint64_t falling[] = { 100000, 65536, 65535, 300, 256, 255, 16, 15, 15, 4, 3, 3, 1 };
	const uint64_t not_sorted[] = { 1, 1, 5, 1, 70000, 2, 2, 20, 1, 1 };
	const uint64_t ones[] = { 1, 1, 1 };
	check(falling, sizeof falling / sizeof *falling);
	check(not_sorted, sizeof not_sorted / sizeof *not_sorted);
	check(ones, 3);
	check(NULL, 0);
}

static void random_degrees(void **state)
{
	(void)state;
	seed = test_seed();
	for (int i = 0; i < 200; i++) {
		uint64_t degree[400], most = 1;
		uint32_t ends = (uint32_t)gemp_random_below(&seed, 400);
		for (uint32_t v = ends; v-- > 0;) {
			most += gemp_random_below(&seed, 1 + most / 8);
			degree[v] = gemp_random_below(&seed, 20) ? most : 1 + gemp_random_below(&seed, most);
		}
		check(degree, ends);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known), cmocka_unit_test(random_degrees) };
	return test_main(tests);
}
