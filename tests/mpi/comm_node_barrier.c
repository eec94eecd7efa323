/* Tests the barrier in shared memory. In each round every rank must see the values that all ranks have posted, even if
 * a rank arrives late or has gone to sleep while waiting. */
#include "comm/shared.h"
#include "core/random.h"
#include "harness/collective.h"

#include <unistd.h>

enum { ROUNDS = 3000 };

static uint64_t value_of(int rank, int round, int which)
{
	return gemp_mix((uint64_t)rank * 1000003 + (uint64_t)round * 31 + (uint64_t)which);
}

/* Memory that a rank wrote before the barrier must be visible to all ranks after it, because the exchange of messages
 * relies on this. Some ranks arrive so late that the other ranks go to sleep. */
static void every_rank_sees_all_values(void **state)
{
	(void)state;
	gemp_shared shared;
	gemp_node_barrier barrier;
	bool right = true;
	const size_t size = gemp_node_barrier_size(test_comm.size),
				 messages = (size_t)test_comm.size * 2 * sizeof(uint64_t);
	if (test_comm.size == 1)
		return;
	assert_all(gemp_shared_new_small(&shared, &test_comm, size + messages + GEMP_NODE_BARRIER_ALIGN));
	uintptr_t at = (uintptr_t)shared.bytes;
	at = (at + GEMP_NODE_BARRIER_ALIGN - 1) / GEMP_NODE_BARRIER_ALIGN * GEMP_NODE_BARRIER_ALIGN;
	uint64_t *written = (uint64_t *)(at + size); /* [ranks][2] values that each rank writes before the barrier */
	gemp_node_barrier_new(&barrier, (void *)at, shared.ranks, shared.rank);
	barrier.patient = test_comm.rank % 2;
	gemp_shared_fence(&shared);
	for (int round = 1; round <= ROUNDS; round++) {
		uint64_t mine[GEMP_NODE_BARRIER_VALUES];
		for (int i = 0; i < GEMP_NODE_BARRIER_VALUES; i++)
			mine[i] = value_of(shared.rank, round, i);
		if (round % 500 == 0 && round / 500 % shared.ranks == shared.rank)
			usleep(2000);
		written[shared.rank * 2 + round % 2] = mine[0] + 1;
		gemp_node_barrier_post(&barrier, mine, round % 3 ? GEMP_NODE_BARRIER_VALUES : 0);
		for (int rank = 0; rank < shared.ranks; rank++) {
			const uint64_t *theirs = gemp_node_barrier_await(&barrier, rank);
			right &= written[rank * 2 + round % 2] == value_of(rank, round, 0) + 1;
			for (int i = 0; round % 3 && i < GEMP_NODE_BARRIER_VALUES; i++)
				right &= theirs[i] == value_of(rank, round, i);
		}
	}
	assert_all(right);
	gemp_shared_free(&shared);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_rank_sees_all_values) };
	return test_main_all(argc, argv, tests);
}
