/* Tests exchanges of bytes and of records among all ranks: every byte must arrive in the order of ranks, in blocks of
 * any size. No rank may hang if memory runs out. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/exchange.h"
#include "core/random.h"
#include "core/status.h"
#include "harness/limits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 64 };

/* The number of bytes that rank `from` sends to rank `to`. Every rank can compute it. */
static size_t length_of(uint64_t seed, int from, int to)
{
	uint64_t x = gemp_mix(seed ^ (uint64_t)(from * MAX_RANKS + to));
	return x % 3 == 0 ? 0 : x % 3 == 1 ? (x >> 8) % 100 : (x >> 8) % 200000;
}

static char byte_of(uint64_t seed, int from, int to, size_t i)
{
	return (char)gemp_mix(seed + i * 31 + (uint64_t)(from * MAX_RANKS + to));
}

static bool exchange_is_right(uint64_t seed, void **receive, size_t *capacity, gemp_traffic *traffic)
{
	size_t send_size[MAX_RANKS], receive_size[MAX_RANKS], total = 0, at = 0;
	int ranks = test_comm.size, me = test_comm.rank;
	gemp_traffic expected = { .rounds = 1 };
	for (int r = 0; r < ranks; r++) {
		send_size[r] = length_of(seed, me, r);
		total += send_size[r];
		if (r != me && send_size[r]) {
			expected.bytes += send_size[r];
			expected.messages += (send_size[r] - 1) / gemp_limits_now()->exchange_chunk + 1;
		}
	}
	char *send = gemp_calloc(total, 1);
	for (int r = 0; r < ranks; r++)
		for (size_t i = 0; i < send_size[r]; i++)
			send[at++] = byte_of(seed, me, r, i);
	*traffic = (gemp_traffic){ 0 };
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, send, send_size, receive, capacity, receive_size, traffic));
	gemp_free(send);
	bool right = memcmp(traffic, &expected, sizeof expected) == 0;
	const char *got = *receive;
	for (int r = 0; r < ranks && right; r++) {
		right = receive_size[r] == length_of(seed, r, me);
		for (size_t i = 0; right && i < receive_size[r]; i++)
			right = *got++ == byte_of(seed, r, me, i);
	}
	return right;
}

static void blocks_arrive_in_rank_order(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	void *receive = NULL; /* the buffer is reused from round to round */
	size_t capacity = 0;
	gemp_traffic traffic;
	for (int round = 0; round < 30; round++)
		assert_all(exchange_is_right(gemp_random(&seed), &receive, &capacity, &traffic));
	gemp_free(receive);
	assert_all(gemp_memory_blocks() == 0);
}

/* A block larger than the limit is sent in several messages. comm_exchange_long.c tests the same with the default
 * limit. */
static void large_blocks_need_several_messages(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	static const size_t limits[] = { 1000, 4096, 199999, 70001 };
	void *receive = NULL;
	size_t capacity = 0;
	gemp_traffic traffic;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		TEST_LIMIT(exchange_chunk, limits[i]);
		assert_all(exchange_is_right(gemp_random(&seed), &receive, &capacity, &traffic));
	}
	TEST_LIMIT_DEFAULT(exchange_chunk);
	gemp_free(receive);
}

/* Each rank exchanges one block with every other rank, and none with itself. */
static bool blocks_are_right(uint64_t seed)
{
	int ranks = test_comm.size, me = test_comm.rank;
	gemp_peer_block send[MAX_RANKS] = { { 0 } }, receive[MAX_RANKS] = { { 0 } };
	gemp_traffic traffic = { 0 };
	size_t bytes = 0;
	bool right = true;
	for (int r = ranks - 1; r >= 0; r--)
		if (r != me) {
			send[r] = (gemp_peer_block){ gemp_calloc(length_of(seed, me, r), 1), length_of(seed, me, r) };
			receive[r] = (gemp_peer_block){ gemp_calloc(length_of(seed, r, me), 1), length_of(seed, r, me) };
			bytes += send[r].size;
			for (size_t i = 0; i < send[r].size; i++)
				((char *)send[r].bytes)[i] = byte_of(seed, me, r, i);
		}
	assert_all_ok(gemp_exchange_blocks(&test_comm, GEMP_OK, send, receive, &traffic));
	for (int r = 0; r < ranks; r++) {
		for (size_t i = 0; right && i < receive[r].size; i++)
			right = ((char *)receive[r].bytes)[i] == byte_of(seed, r, me, i);
		gemp_free(send[r].bytes);
		gemp_free(receive[r].bytes);
	}
	return right && traffic.bytes == bytes && traffic.rounds == 1;
}

static void blocks_are_exchanged(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	double rate = -1;
	for (int round = 0; round < 10; round++)
		assert_all(blocks_are_right(gemp_random(&seed)));
	assert_all_ok(gemp_exchange_rate(&test_comm, 100000, &rate));
	assert_all(test_comm.size == 1 ? rate == 0 : rate > 0 && rate < 1e15);
	assert_all(gemp_memory_blocks() == 0);
}

static void empty_blocks_need_no_message(void **state)
{
	(void)state;
	size_t sizes[2 * MAX_RANKS] = { 0 }, capacity = 0;
	void *receive = NULL;
	gemp_traffic traffic = { 0 };
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, NULL, sizes, &receive, &capacity, sizes + MAX_RANKS, &traffic));
	assert_all(traffic.bytes == 0 && traffic.messages == 0 && traffic.rounds == 1);
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, NULL, sizes, &receive, &capacity, sizes + MAX_RANKS, NULL));
	gemp_free(receive);
	assert_all(gemp_memory_blocks() == 0);
}

/* All ranks send to the last rank; the other ranks receive nothing. */
static void all_ranks_send_to_one(void **state)
{
	(void)state;
	size_t sizes[2 * MAX_RANKS] = { 0 }, capacity = 0, *received = sizes + MAX_RANKS;
	int last = test_comm.size - 1;
	void *receive = NULL;
	uint32_t number = (uint32_t)test_comm.rank;
	sizes[last] = sizeof number;
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, &number, sizes, &receive, &capacity, received, NULL));
	bool right = true;
	for (int r = 0; r < test_comm.size; r++) {
		right = right && received[r] == (test_comm.rank == last ? sizeof number : 0);
		if (right && test_comm.rank == last)
			right = ((uint32_t *)receive)[r] == (uint32_t)r;
	}
	assert_all(right);
	gemp_free(receive);
}

typedef struct {
	uint32_t source, number;
	char rest[5];
} record;

static int owner_of(uint64_t seed, int source, size_t i)
{
	return (int)(gemp_mix(seed ^ (uint64_t)source << 32 ^ i) % (uint64_t)test_comm.size);
}

/* Records reach their owners ordered by source rank, and by position within a source rank. */
static void records_go_to_their_owners(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < 10; round++, gemp_random(&seed)) {
		size_t counts[MAX_RANKS];
		for (int r = 0; r < test_comm.size; r++) /* some ranks have no records */
			counts[r] = (gemp_mix(seed + (uint64_t)r) & 1) ? gemp_mix(seed * 3 + (uint64_t)r) % (round ? 5000 : 80000)
			                                               : 0;
		size_t count = counts[test_comm.rank], *from = NULL;
		record *records = gemp_calloc(count, sizeof *records), *out = NULL;
		int *owner = gemp_calloc(count, sizeof *owner);
		for (size_t i = 0; i < count; i++) {
			records[i] = (record){ (uint32_t)test_comm.rank, (uint32_t)i, "rest" };
			owner[i] = owner_of(seed, test_comm.rank, i);
		}
		assert_all_ok(gemp_exchange_records(&test_comm, GEMP_OK, records, count, sizeof *records, owner, (void **)&out,
		                                    &from, NULL));
		bool right = from[0] == 0;
		for (int r = 0; r < test_comm.size; r++) {
			size_t at = from[r];
			for (size_t i = 0; right && i < counts[r]; i++)
				if (owner_of(seed, r, i) == test_comm.rank) {
					right = at < from[r + 1] && out[at].source == (uint32_t)r && out[at].number == i &&
					        strcmp(out[at].rest, "rest") == 0;
					at++;
				}
			right = right && at == from[r + 1];
		}
		assert_all(right);
		gemp_free(records);
		gemp_free(owner);
		gemp_free(out);
		gemp_free(from);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void no_records_at_all(void **state)
{
	(void)state;
	void *out = NULL;
	size_t *from = NULL;
	assert_all_ok(gemp_exchange_records(&test_comm, GEMP_OK, NULL, 0, 8, NULL, &out, &from, NULL));
	assert_all(from[test_comm.size] == 0);
	gemp_free(out);
	gemp_free(from);
	out = NULL;
	assert_all_ok(gemp_exchange_records(&test_comm, GEMP_OK, NULL, 0, 8, NULL, &out, NULL, NULL));
	gemp_free(out);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code exchange_some(void *unused)
{
	(void)unused;
	uint64_t records[100];
	int owner[100];
	for (int i = 0; i < 100; i++) {
		records[i] = (uint64_t)i;
		owner[i] = i % test_comm.size;
	}
	void *out = NULL;
	size_t *from = NULL;
	gemp_code code = gemp_exchange_records(&test_comm, GEMP_OK, records, 100, sizeof records[0], owner, &out, &from,
	                                       NULL);
	gemp_free(out);
	gemp_free(from);
	return code;
}

static void no_rank_hangs_without_memory(void **state)
{
	(void)state;
	assert_all_survive_no_memory(exchange_some, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_arrive_in_rank_order),
		cmocka_unit_test(large_blocks_need_several_messages),
		cmocka_unit_test(empty_blocks_need_no_message),
		cmocka_unit_test(blocks_are_exchanged),
		cmocka_unit_test(all_ranks_send_to_one),
		cmocka_unit_test(records_go_to_their_owners),
		cmocka_unit_test(no_records_at_all),
		cmocka_unit_test(no_rank_hangs_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
