/* Tests all-gather, broadcast and reductions. */
#include "core/memory.h"
#include "harness/collective.h"

#include "core/random.h"

#include <string.h>

/* Each rank sends bytes that equal its number + 1. In the first round rank r sends r * r bytes, so rank 0 sends
 * none. */
static void all_get_all_in_rank_order(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < 20; round++) {
		size_t sizes[64], total = 0;
		for (int r = 0; r < test_comm.size; r++) {
			sizes[r] = round == 0 ? (size_t)(r * r) : (size_t)gemp_random_below(&seed, round % 3 ? 3 : 50000);
			total += sizes[r];
		}
		char *mine = gemp_calloc(sizes[test_comm.rank], 1), *all = NULL;
		memset(mine, test_comm.rank + 1, sizes[test_comm.rank]);
		size_t *begin = NULL;
		assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, mine, sizes[test_comm.rank], (void **)&all, &begin));
		bool right = begin[0] == 0 && begin[test_comm.size] == total;
		for (int r = 0; r < test_comm.size; r++) {
			right = right && begin[r + 1] - begin[r] == sizes[r];
			for (size_t i = begin[r]; right && i < begin[r + 1]; i++)
				right = all[i] == r + 1;
		}
		assert_all(right);
		gemp_free(mine);
		gemp_free(all);
		gemp_free(begin);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void empty_arrays_are_gathered(void **state)
{
	(void)state;
	void *all = NULL;
	size_t *begin = NULL;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, NULL, 0, &all, &begin));
	assert_all(all != NULL && begin[test_comm.size] == 0);
	gemp_free(all);
	gemp_free(begin);
	assert_all(gemp_memory_blocks() == 0);
}

static void rank_0_broadcasts(void **state)
{
	(void)state;
	for (size_t length = 0; length < 100000; length = 10 * length + 1) {
		void *bytes = NULL;
		size_t size = 12345; /* other ranks pass a meaningless size */
		if (test_comm.rank == 0) {
			bytes = gemp_calloc(length, 1);
			memset(bytes, 'b', length);
			size = length;
		}
		assert_all_ok(gemp_comm_broadcast(&test_comm, &bytes, &size));
		bool right = size == length;
		for (size_t i = 0; right && i < size; i++)
			right = ((char *)bytes)[i] == 'b';
		assert_all(right);
		gemp_free(bytes);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void numbers_are_reduced(void **state)
{
	(void)state;
	uint64_t rank = (uint64_t)test_comm.rank, size = (uint64_t)test_comm.size, all = size * (size - 1) / 2;
	uint64_t sums[3] = { rank, 1, UINT64_C(1) << 60 }, most[2] = { rank, size - rank };
	gemp_comm_sum(&test_comm, sums, 3);
	gemp_comm_max(&test_comm, most, 2);
	assert_all(sums[0] == all && sums[1] == size && sums[2] == size << 60);
	assert_all(most[0] == size - 1 && most[1] == size);
	assert_all(gemp_comm_sum1(&test_comm, rank + 1) == all + size);
	assert_all(gemp_comm_exscan(&test_comm, rank + 1) == rank * (rank + 1) / 2);
}

static void ranks_of_the_node(void **state)
{
	(void)state;
	int same = 0;
	MPI_Comm_compare(test_comm.world, MPI_COMM_WORLD, &same);
	assert_all(same == MPI_CONGRUENT); /* a duplicate, so messages cannot mix with messages of another library */
	assert_all(test_comm.node_size == test_comm.size && test_comm.node_rank == test_comm.rank);
}

static gemp_code gather_some(void *unused)
{
	(void)unused;
	void *all = NULL;
	size_t *begin = NULL;
	gemp_code code = gemp_comm_allgather(&test_comm, GEMP_OK, "abc", (size_t)test_comm.rank % 4, &all, &begin);
	gemp_free(all);
	gemp_free(begin);
	return code;
}

static gemp_code broadcast_some(void *unused)
{
	(void)unused;
	char text[] = "told";
	void *bytes = test_comm.rank == 0 ? text : NULL;
	size_t size = sizeof text;
	gemp_code code = gemp_comm_broadcast(&test_comm, &bytes, &size);
	if (test_comm.rank != 0)
		gemp_free(bytes);
	return code;
}

static void no_rank_hangs_without_memory(void **state)
{
	(void)state;
	assert_all_survive_no_memory(gather_some, NULL);
	assert_all_survive_no_memory(broadcast_some, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_get_all_in_rank_order), cmocka_unit_test(empty_arrays_are_gathered),
		cmocka_unit_test(rank_0_broadcasts),         cmocka_unit_test(numbers_are_reduced),
		cmocka_unit_test(ranks_of_the_node),         cmocka_unit_test(no_rank_hangs_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
