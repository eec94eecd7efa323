/* A board: each rank sees what all posted, round after round, also who is late, and who has slept over it. */
#include "comm/board.h"
#include "comm/shared.h"
#include "core/random.h"
#include "harness/collective.h"

#include <unistd.h>

enum { ROUNDS = 3000 };

static uint64_t value_of(int rank, int round, int which)
{
	return gemp_mix((uint64_t)rank * 1000003 + (uint64_t)round * 31 + (uint64_t)which);
}

/* In memory that was posted before, as messages are; some ranks come late, by more than others look before they
 * sleep. */
static void all_see_all(void **state)
{
	(void)state;
	gemp_shared shared;
	gemp_board board;
	bool right = true;
	const size_t size = gemp_board_size(test_comm.size), mail = (size_t)test_comm.size * 2 * sizeof(uint64_t);
	if (test_comm.size == 1)
		return;
	assert_all(gemp_shared_new_small(&shared, &test_comm, size + mail + GEMP_BOARD_ALIGNMENT));
	uintptr_t at = (uintptr_t)shared.bytes;
	at = (at + GEMP_BOARD_ALIGNMENT - 1) / GEMP_BOARD_ALIGNMENT * GEMP_BOARD_ALIGNMENT;
	uint64_t *written = (uint64_t *)(at + size); /* [ranks][2] */
	gemp_board_new(&board, (void *)at, shared.sharers, shared.rank);
	board.patient = test_comm.rank % 2;
	gemp_shared_fence(&shared);
	for (int round = 1; round <= ROUNDS; round++) {
		uint64_t mine[GEMP_BOARD_VALUES];
		for (int i = 0; i < GEMP_BOARD_VALUES; i++)
			mine[i] = value_of(shared.rank, round, i);
		if (round % 500 == 0 && round / 500 % shared.sharers == shared.rank)
			usleep(2000);
		written[shared.rank * 2 + round % 2] = mine[0] + 1;
		gemp_board_post(&board, mine, round % 3 ? GEMP_BOARD_VALUES : 0);
		for (int rank = 0; rank < shared.sharers; rank++) {
			const uint64_t *theirs = gemp_board_await(&board, rank);
			right &= written[rank * 2 + round % 2] == value_of(rank, round, 0) + 1;
			for (int i = 0; round % 3 && i < GEMP_BOARD_VALUES; i++)
				right &= theirs[i] == value_of(rank, round, i);
		}
	}
	assert_all(right);
	gemp_shared_free(&shared);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_see_all) };
	return test_main_all(argc, argv, tests);
}
