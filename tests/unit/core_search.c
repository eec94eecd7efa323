/* Compares binary searches with a linear search, in arrays with repetitions and of every length up to 40. */
#include "core/search.h"
#include "harness/harness.h"

#include <stdlib.h>

static void bounds_are_those_of_a_linear_search(void **state)
{
	uint64_t wide[40];
	uint32_t narrow[40];
	(void)state;
	for (size_t count = 0; count <= 40; count++) {
		for (size_t i = 0; i < count; i++)
			narrow[i] = (uint32_t)(wide[i] = 3 + i / 3 * 2);
		for (uint64_t wanted = 0; wanted < 35; wanted++) {
			size_t below = 0, at_most = 0, point = 77;
			while (below < count && wide[below] < wanted)
				below++;
			while (at_most < count && wide[at_most] <= wanted)
				at_most++;
			assert_int_equal(gemp_lower_bound_u32(narrow, count, wanted), below);
			assert_int_equal(gemp_range_find(wide, count, wanted), at_most ? at_most - 1 : 0);
			assert_int_equal(gemp_range_find_u32(narrow, count, wanted), at_most ? at_most - 1 : 0);
			GEMP_PARTITION_POINT(point, 0, count, wide[point] < wanted);
			assert_int_equal(point, below);
		}
	}
}

static void the_largest_numbers_are_found(void **state)
{
	const uint32_t narrow[] = { 0, UINT32_MAX };
	(void)state;
	assert_int_equal(gemp_lower_bound_u32(narrow, 2, UINT32_MAX), 1);
	assert_int_equal(gemp_lower_bound_u32(narrow, 2, UINT64_MAX), 2);
}

static void an_empty_interval_gives_its_begin(void **state)
{
	size_t point;
	(void)state;
	GEMP_PARTITION_POINT(point, 1, 0, (abort(), true));
	assert_int_equal(point, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bounds_are_those_of_a_linear_search),
		                                cmocka_unit_test(the_largest_numbers_are_found),
		                                cmocka_unit_test(an_empty_interval_gives_its_begin) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
