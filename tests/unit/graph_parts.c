/* Tests ranges of partitions: the partition of a vertex, and the ids that a rank owns. */
#include "core/search.h"
#include "core/status.h"
#include "graph/graph.h"
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"

static void test_range(void **state)
{
	(void)state;
	static const uint64_t bounds[] = { 0, 3, 3, 4, 9, 9 };
	static const size_t expected[] = { 0, 0, 0, 2, 3, 3, 3, 3, 3 };
	for (uint64_t id = 0; id < 9; id++)
		assert_int_equal(gemp_range_find(bounds, 5, id), expected[id]);
	assert_int_equal(gemp_range_find(bounds, 1, 0), 0);
}

static void expect_bounds(const gemp_partition *parts, uint64_t vertices, size_t ranks, bool together,
                          const uint64_t *expected)
{
	uint64_t bounds[16];
	assert_int_equal(gemp_partition_assign(parts, vertices, ranks, bounds), together);
	for (size_t r = 0; r <= ranks; r++)
		assert_int_equal(bounds[r], expected[r]);
}

static void test_share(void **state)
{
	(void)state;
	gemp_partition none = { 0 }, parts, drawn;
	static const uint64_t cut[] = { 0, 10, 10, 17, 20 };
	assert_int_equal(gemp_partition_init(&parts, cut, 4, "block"), GEMP_OK);
	assert_int_equal(gemp_partition_init(&drawn, cut, 4, "random"), GEMP_OK);
	expect_bounds(&none, 20, 3, true, (uint64_t[]){ 0, 6, 13, 20 });
	expect_bounds(&none, 0, 2, true, (uint64_t[]){ 0, 0, 0 });
	expect_bounds(&parts, 20, 1, true, (uint64_t[]){ 0, 20 });
	expect_bounds(&parts, 20, 2, true, (uint64_t[]){ 0, 10, 20 });
	expect_bounds(&parts, 20, 4, true, cut);
	expect_bounds(&parts, 20, 8, true, (uint64_t[]){ 0, 5, 10, 10, 10, 13, 17, 18, 20 });
	expect_bounds(&parts, 20, 3, false, (uint64_t[]){ 0, 6, 13, 20 });
	expect_bounds(&drawn, 20, 3, true, (uint64_t[]){ 0, 6, 13, 20 });
	gemp_partition_free(&parts);
	gemp_partition_free(&drawn);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Every id has one owner for all numbers of partitions and ranks, and sizes beyond 32 bits do not overflow. */
static void test_random(void **state)
{
	(void)state;
	uint64_t seed = test_seed(), cut[13] = { 0 }, bounds[13];
	for (size_t count = 1; count <= 12; count++) {
		gemp_partition parts;
		for (size_t p = 0; p < count; p++)
			cut[p + 1] = cut[p] + gemp_random_below(&seed, UINT64_C(1) << (p % 3 ? 30 : 2));
		assert_int_equal(gemp_partition_init(&parts, cut, count, "block"), GEMP_OK);
		for (size_t ranks = 1; ranks <= 12; ranks++) {
			gemp_partition_assign(&parts, cut[count], ranks, bounds);
			assert_int_equal(bounds[0], 0);
			assert_int_equal(bounds[ranks], cut[count]);
			for (size_t r = 0; r < ranks; r++) {
				assert_true(bounds[r] <= bounds[r + 1]);
				if (bounds[r] < bounds[r + 1])
					assert_int_equal(gemp_range_find(bounds, ranks, bounds[r]), r);
			}
		}
		gemp_partition_free(&parts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
