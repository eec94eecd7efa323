/* Tests memory blocks that the ranks of a node share. */
#include "comm/comm.h"
#include "comm/shared.h"

#include "core/log.h"
#include "core/memory.h"
#include "harness/collective.h"
#include "harness/limits.h"

#include <stdlib.h>
#include <string.h>

/* All ranks run on this machine. A single rank has nobody to share memory with. */
static bool can_share(void)
{
	return test_comm.size > 1;
}

static void fill_part(const gemp_shared *shared, size_t count)
{
	uint64_t *values = shared->bytes;
	size_t first, end;
	gemp_shared_range(shared, count, &first, &end);
	for (size_t i = first; i < end; i++)
		values[i] = i * i + 7;
	gemp_shared_fence(shared);
}

static bool has_all_values(const gemp_shared *shared, size_t count)
{
	const uint64_t *values = shared->bytes;
	for (size_t i = 0; i < count; i++)
		if (values[i] != i * i + 7)
			return false;
	return true;
}

static void each_rank_sees_all_parts(void **state)
{
	(void)state;
	static const size_t counts[] = { 1, 3, 511, 513, 100000 };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		size_t size = counts[i] * sizeof(uint64_t), blocks = gemp_memory_blocks(), live = gemp_memory_live();
		gemp_shared shared;
		assert_all(gemp_shared_new(&shared, &test_comm, size) == can_share());
		if (!can_share())
			continue;
		fill_part(&shared, counts[i]);
		assert_all(has_all_values(&shared, counts[i]) && shared.size == size && shared.ranks == test_comm.size);
		assert_int_equal(gemp_comm_sum1(&test_comm, gemp_memory_live() - live), size);
		assert_all(gemp_shared_peak() >= size);
		gemp_shared_free(&shared);
		assert_all(!shared.bytes && gemp_memory_blocks() == blocks && gemp_memory_live() == live);
	}
}

static void several_blocks_at_once(void **state)
{
	(void)state;
	gemp_shared a, b;
	if (!can_share())
		return;
	assert_all(gemp_shared_new(&a, &test_comm, 8000) && gemp_shared_new(&b, &test_comm, 8000));
	fill_part(&a, 1000);
	memset(b.bytes, 0, test_comm.rank == 0 ? 8000 : 0);
	gemp_shared_fence(&b);
	gemp_shared_free(&a);
	assert_all(((uint64_t *)b.bytes)[999] == 0);
	gemp_shared_free(&b);
}

/* The ranges of the ranks are disjoint, ascend and cover all elements. */
static void ranges_cover_all(void **state)
{
	(void)state;
	gemp_shared shared = { .bytes = &shared, .ranks = 5 };
	for (size_t count = 0; count < 23; count++) {
		size_t before = 0, first, end, sum = 0;
		for (shared.rank = 0; shared.rank < shared.ranks; shared.rank++) {
			gemp_shared_range(&shared, count, &first, &end);
			assert_true(first == before && end >= first && end - first <= count / 5 + 1);
			before = end;
			sum += gemp_shared_own_bytes(&shared, count);
		}
		assert_true(before == count && sum == count);
		gemp_shared_range(&(gemp_shared){ 0 }, count, &first, &end);
		assert_true(first == 0 && end == count);
	}
}

static void sums_over_the_node(void **state)
{
	(void)state;
	gemp_shared shared = { 0 };
	uint64_t r = (uint64_t)test_comm.rank, n = (uint64_t)test_comm.size, mine[2] = { r + 1, 10 }, before[2], all[2];
	gemp_shared_sums(&shared, mine, before, all, 2);
	assert_all(before[0] == 0 && before[1] == 0 && all[0] == r + 1 && all[1] == 10);
	if (!gemp_shared_new(&shared, &test_comm, 64))
		return;
	gemp_shared_sums(&shared, mine, before, all, 2);
	assert_all(before[0] == r * (r + 1) / 2 && before[1] == 10 * r && all[0] == n * (n + 1) / 2 && all[1] == 10 * n);
	gemp_shared_free(&shared);
}

/* A block that is too small to be shared, or larger than the available memory, is not made on any rank, and no memory
 * is left behind. */
static void blocks_too_small_or_too_large(void **state)
{
	(void)state;
	gemp_shared shared;
	size_t min = gemp_limits_now()->shared_min, blocks = gemp_memory_blocks();
	TEST_LIMIT(shared_min, 100);
	assert_all(!gemp_shared_new(&shared, &test_comm, 99) && !shared.bytes);
	if (test_comm.rank == test_comm.size - 1)
		TEST_LIMIT(shared_max, 1000); /* only the first rank of a node decides */
	assert_all(gemp_shared_possible(&test_comm, 1001) == can_share());
	if (test_comm.rank == 0)
		TEST_LIMIT(shared_max, 1000);
	assert_all(!gemp_shared_new(&shared, &test_comm, 1001) && !gemp_shared_possible(&test_comm, 1001));
	assert_all(gemp_shared_possible(&test_comm, 1000) == can_share());
	TEST_LIMIT_DEFAULT(shared_max);
	assert_all(!gemp_shared_new(&shared, &test_comm, (size_t)1 << 60) && !shared.bytes);
	gemp_shared_free(&shared);
	TEST_LIMIT(shared_min, min);
	assert_all(gemp_memory_blocks() == blocks);
}

/* The folder that Open MPI would use for shared memory is checked: if it does not exist, no block is made. */
static void without_a_folder(void **state)
{
	(void)state;
	gemp_shared shared;
	setenv("OMPI_MCA_osc_sm_backing_directory", "/nowhere/at/all", 1);
	assert_all(!gemp_shared_new(&shared, &test_comm, 4096));
	unsetenv("OMPI_MCA_osc_sm_backing_directory");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rank_sees_all_parts),
		cmocka_unit_test(several_blocks_at_once),
		cmocka_unit_test(ranges_cover_all),
		cmocka_unit_test(sums_over_the_node),
		cmocka_unit_test(blocks_too_small_or_too_large),
		cmocka_unit_test(without_a_folder),
	};
	TEST_LIMIT(shared_min, 0);
	gemp_log_set_level(GEMP_QUIET);
	return test_main_all(argc, argv, tests);
}
