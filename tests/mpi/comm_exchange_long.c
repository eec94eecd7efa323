/* Tests blocks of more than 2^31 bytes, which an int cannot count: rank 0 sends a block to the last rank, and a
 * text is broadcast. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "comm/exchange.h"

#include <string.h>

enum { MAX_RANKS = 64 };
static const size_t large = ((size_t)1 << 31) + 12345;

static void large_blocks_arrive_whole(void **state)
{
	(void)state;
	size_t send_size[MAX_RANKS] = { 0 }, receive_size[MAX_RANKS] = { 0 }, capacity = 0;
	int last = test_comm.size - 1;
	void *receive = NULL;
	char *send = gemp_calloc(test_comm.rank == 0 ? large : 1, 1);
	assert_all(send != NULL);
	if (test_comm.rank == 0) {
		send_size[last] = large;
		send[0] = 'a';
		send[(size_t)1 << 30] = 'b';
		send[(size_t)1 << 31] = 'c';
		send[large - 1] = 'z';
	}
	gemp_traffic traffic = { 0 };
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, send, send_size, &receive, &capacity, receive_size, &traffic));
	if (test_comm.rank == last) {
		const char *got = receive;
		assert_true(receive_size[0] == large && got[0] == 'a' && got[(size_t)1 << 30] == 'b' &&
		            got[(size_t)1 << 31] == 'c' && got[large - 1] == 'z' && got[1] == 0);
	}
	if (test_comm.rank == 0 && last > 0)
		assert_true(traffic.bytes == large && traffic.messages == 3);
	gemp_free(send);
	gemp_free(receive);
}

static void large_texts_are_broadcast(void **state)
{
	(void)state;
	void *bytes = NULL;
	size_t size = large;
	if (test_comm.rank == 0) {
		bytes = gemp_calloc(large, 1);
		memset((char *)bytes + large - 5, 'q', 5);
	}
	/* Each rank on this machine holds a copy, so the test uses at most two ranks. */
	assert_all_ok(gemp_comm_broadcast(&test_comm, &bytes, &size));
	assert_all(size == large && ((char *)bytes)[large - 1] == 'q' && ((char *)bytes)[large - 6] == 0);
	gemp_free(bytes);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int ranks;
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks > 2) {
		MPI_Finalize();
		return TEST_SKIPPED;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_blocks_arrive_whole),
		cmocka_unit_test(large_texts_are_broadcast),
	};
	return test_main_all(argc, argv, tests);
}
