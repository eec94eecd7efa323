/* Tests the exchange between devices: each element says where it came from, so its place tells whether it is right.
 * Random counts, elements of several sizes, answers, ranks without elements, and failures on one rank. All run as a
 * whole, in chunks through windows and by messages, and from device to device (CPU devices read files in memory). Pairs
 * of ranks stand for nodes, so that two ways are used together. */
#include "core/memory.h"
#include "harness/collective.h"

#include "core/random.h"
#include "device/open.h"
#include "harness/limits.h"
#include "primitive/device_exchange.h"

#include "core/timer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static gemp_device *device;

static void open_device(void **state)
{
	(void)state;
	assert_all_ok(gemp_device_open(&device, NULL, test_comm.node_rank, test_comm.node_size, 0));
}

static void close_device(void **state)
{
	(void)state;
	gemp_device_close(device);
}

/* The word that element i from rank `source` to rank `target` is filled with. */
static uint32_t word_of(int source, int target, uint64_t i, bool answer)
{
	return (uint32_t)gemp_mix((uint64_t)source << 40 | (uint64_t)target << 20 | i << 1 | answer);
}

/* Every rank computes the counts of all pairs of ranks. */
static uint64_t count_of(uint64_t seed, int source, int target, uint64_t most)
{
	uint64_t random = gemp_mix(seed + (uint64_t)(source * 64 + target));
	if (gemp_mix(seed + (uint64_t)source) % 5 == 0 || gemp_random(&random) % 4 == 0)
		return 0;
	return gemp_random_below(&random, most);
}

/* Makes, or compares, the elements of this rank: `outgoing` in the order of targets, otherwise in that of sources. */
static size_t fill(uint32_t *words, uint64_t seed, uint64_t most, size_t width, bool outgoing, bool answer)
{
	size_t at = 0;
	for (int r = 0; r < test_comm.size; r++) {
		const int source = outgoing ? test_comm.rank : r, target = outgoing ? r : test_comm.rank;
		const uint64_t count = count_of(seed, source, target, most);
		for (uint64_t i = 0; i < count; i++)
			for (size_t w = 0; w < width; w++, at++)
				if (words)
					words[at] = word_of(source, target, i, answer) + (uint32_t)w;
	}
	return at;
}

static void make(gemp_buffer *out, uint64_t seed, uint64_t most, size_t width, bool outgoing, bool answer)
{
	const size_t words = fill(NULL, seed, most, width, outgoing, answer);
	uint32_t *values = calloc(words + 1, sizeof *values);
	fill(values, seed, most, width, outgoing, answer);
	assert_all_ok(gemp_buffer_new(out, device, (words + 1) * sizeof *values, values));
	free(values);
}

static void assert_is(const gemp_buffer *buffer, uint64_t seed, uint64_t most, size_t width, bool outgoing, bool answer)
{
	const size_t words = fill(NULL, seed, most, width, outgoing, answer);
	uint32_t *values = calloc(words + 1, sizeof *values), *found = calloc(words + 1, sizeof *found);
	fill(values, seed, most, width, outgoing, answer);
	gemp_code code = words ? gemp_buffer_read(device, buffer, 0, words * sizeof *found, found) : GEMP_OK;
	assert_all_ok(code);
	assert_all(memcmp(values, found, words * sizeof *found) == 0);
	free(values);
	free(found);
}

static void check(gemp_device_exchange *exchange, uint64_t seed, uint64_t most, size_t width, gemp_buffer *arrived)
{
	const size_t answer_width = 1 + seed % 2;
	uint64_t send[64], received[64];
	bool right = true;
	gemp_buffer from = { 0 }, answers = { 0 }, returned = { 0 };
	for (int r = 0; r < test_comm.size; r++)
		send[r] = count_of(seed, test_comm.rank, r, most);
	make(&from, seed, most, width, true, false);
	assert_all_ok(
		gemp_device_exchange_run(exchange, GEMP_OK, &from, send, width * sizeof(uint32_t), arrived, received));
	for (int r = 0; r < test_comm.size; r++)
		right &= received[r] == count_of(seed, r, test_comm.rank, most);
	assert_all(right);
	assert_is(arrived, seed, most, width, false, false);
	make(&answers, seed, most, answer_width, false, true);
	assert_all_ok(gemp_device_exchange_back(exchange, GEMP_OK, &answers, answer_width * sizeof(uint32_t), &returned));
	assert_is(&returned, seed, most, answer_width, true, true);
	gemp_buffers_free(device, &from, &answers, &returned);
}

/* The ways of an exchange: as a whole; in chunks through windows; in chunks by messages, as without windows; from
 * device to device. */
enum { WHOLE, WINDOWS, MESSAGES, PEER, WAYS };

static void set_way(int way)
{
	TEST_LIMIT(device_exchange_chunks, way != WHOLE);
	TEST_LIMIT(shared_max, way == MESSAGES ? 0 : gemp_limits_default.shared_max);
	TEST_LIMIT(device_exchange_peer, way == PEER);
	TEST_LIMIT(peer_exchange_min, 0);
}

static void set_chunk(size_t bytes)
{
	TEST_LIMIT(device_exchange_chunk, bytes);
	TEST_LIMIT(peer_exchange_chunk, bytes);
}

static void set_default_way(void)
{
	gemp_limits_override(gemp_limits_default);
}

/* The buffer of received elements grows, and is larger than needed later. */
static void check_several(const gemp_comm *comm, uint64_t seed, unsigned rounds)
{
	static const uint64_t most[] = { 1, 4, 300, 20000 };
	gemp_device_exchange *exchange;
	gemp_buffer arrived = { 0 };
	assert_all_ok(gemp_device_exchange_new(&exchange, comm, device));
	for (uint64_t i = 0; i < rounds; i++)
		check(exchange, seed + i, most[i % 4], 1 + (size_t)(i % 3), &arrived);
	TEST_LIMIT(exchange_chunk, 13);
	check(exchange, seed, 50, 2, &arrived);
	TEST_LIMIT_DEFAULT(exchange_chunk);
	const gemp_device_exchange_cost cost = gemp_device_exchange_costs(exchange);
	assert_all(cost.seconds > 0 && (cost.traffic.bytes == 0) == (cost.traffic.messages == 0));
	gemp_buffer_free(&arrived, device);
	gemp_device_exchange_free(exchange);
}

static void elements_and_answers(void **state)
{
	static const size_t chunks[] = { 8 << 20, 100, 777 };
	const uint64_t seed = test_seed_all();
	(void)state;
	for (int way = 0; way < WAYS; way++)
		for (size_t c = 0; c < (way ? sizeof chunks / sizeof *chunks : 1); c++) {
			set_way(way);
			set_chunk(chunks[c]);
			check_several(&test_comm, seed + c, c ? 3 : 8);
			set_default_way();
		}
}

/* Pairs of ranks stand for nodes, so some ranks share a window and others exchange by messages. With an odd number of
 * ranks one rank is alone on its node. */
static void nodes_of_two_ranks(void **state)
{
	gemp_comm comm = test_comm;
	(void)state;
	GEMP_MPI(MPI_Comm_split(test_comm.world, test_comm.rank / 2, test_comm.rank, &comm.node));
	GEMP_MPI(MPI_Comm_rank(comm.node, &comm.node_rank));
	GEMP_MPI(MPI_Comm_size(comm.node, &comm.node_size));
	for (int way = WINDOWS; way < WAYS; way++) {
		set_way(way);
		set_chunk(150);
		check_several(&comm, test_seed_all() + 5, 3);
		set_default_way();
	}
	GEMP_MPI(MPI_Comm_free(&comm.node));
}

/* One rank's window would need more memory than there is: the chunks become smaller. */
static void windows_become_smaller(void **state)
{
	gemp_device_exchange *exchange;
	gemp_buffer arrived = { 0 };
	(void)state;
	set_way(WINDOWS);
	TEST_LIMIT(shared_max, (size_t)test_comm.size * (5 << 20));
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	check(exchange, test_seed_all(), 400000 / (uint64_t)test_comm.size, 8, &arrived);
	gemp_buffer_free(&arrived, device);
	gemp_device_exchange_free(exchange);
	set_default_way();
}

/* Sums over all ranks: what is sent to others arrives there. */
static void count_traffic(uint64_t seed)
{
	uint64_t wanted = 0;
	gemp_device_exchange *exchange;
	gemp_buffer arrived = { 0 };
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	check(exchange, seed - seed % 2, 200, 3, &arrived); /* answers have one word */
	for (int r = 0; r < test_comm.size; r++)
		if (r != test_comm.rank)
			wanted += 12 * count_of(seed - seed % 2, test_comm.rank, r, 200) +
			          4 * count_of(seed - seed % 2, r, test_comm.rank, 200);
	assert_all(gemp_device_exchange_costs(exchange).traffic.bytes == wanted);
	gemp_traffic sum = { .bytes = 1, .rounds = 5 };
	double seconds = 0;
	gemp_device_exchange_charge(exchange, &sum, &seconds);
	assert_all(sum.bytes == wanted + 1 && sum.rounds > 5 && seconds > 0);
	gemp_buffer_free(&arrived, device);
	gemp_device_exchange_free(exchange);
}

static void traffic_is_counted(void **state)
{
	const uint64_t seed = test_seed_all() + 77;
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		set_way(way);
		set_chunk(500);
		count_traffic(seed);
		set_default_way();
	}
}

static void fail_on_one_rank(void)
{
	const bool mine = test_comm.rank == test_comm.size - 1;
	uint64_t send[64] = { 0 }, received[64];
	gemp_device_exchange *exchange;
	gemp_buffer from = { 0 }, to = { 0 };
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	for (int back = 0; back < 2; back++) {
		const gemp_code code = mine ? gemp_fail(GEMP_EDATA, "a rank has failed") : GEMP_OK;
		assert_all_code(back ? gemp_device_exchange_back(exchange, code, &from, 4, &to)
		                     : gemp_device_exchange_run(exchange, code, &from, send, 4, &to, received),
		                GEMP_EDATA);
	}
	gemp_device_exchange_free(exchange);
}

static void a_rank_fails(void **state)
{
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		set_way(way);
		fail_on_one_rank();
		set_default_way();
	}
}

/* The received elements do not fit on the device of one rank. Then they do, and the same object exchanges them. */
static void device_memory_runs_out(void **state)
{
	uint64_t send[64], received[64];
	const size_t limit = device->memory;
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		gemp_device_exchange *exchange;
		gemp_buffer from = { 0 }, to = { 0 };
		set_way(way);
		assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
		for (int r = 0; r < test_comm.size; r++)
			send[r] = 1000;
		assert_all_ok(gemp_buffer_new(&from, device, (size_t)test_comm.size * 4000, NULL));
		assert_all_ok(gemp_buffer_zero(device, &from, 0, from.size));
		if (test_comm.rank == test_comm.size / 2)
			device->memory = device->buffer_bytes + 3000;
		assert_all_code(gemp_device_exchange_run(exchange, GEMP_OK, &from, send, 4, &to, received), GEMP_ENOMEM);
		device->memory = limit;
		assert_all_ok(gemp_device_exchange_run(exchange, GEMP_OK, &from, send, 4, &to, received));
		assert_all(received[test_comm.size - 1] == 1000);
		gemp_buffers_free(device, &from, &to);
		gemp_device_exchange_free(exchange);
		set_default_way();
	}
}

/* Returns the first seed from a number on with which a rank sends to another one, if there are others. */
static uint64_t seed_with_elements(uint64_t seed, uint64_t most)
{
	for (bool found = test_comm.size == 1; !found; seed += !found)
		for (int pair = 0; pair < test_comm.size * test_comm.size; pair++)
			found |= pair / test_comm.size != pair % test_comm.size &&
			         count_of(seed, pair / test_comm.size, pair % test_comm.size, most) > 0;
	return seed;
}

/* Returns whether this rank has copied from a block of another rank: only then, and with messages, the wire is busy. */
static bool uses_blocks(uint64_t seed)
{
	gemp_device_exchange *exchange;
	gemp_buffer arrived = { 0 };
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	gemp_trace_start(10000);
	check(exchange, seed_with_elements(seed, 3000), 3000, 2, &arrived);
	const bool used = gemp_trace_lane_times(gemp_trace_end(), GEMP_LANE_WIRE).seconds > 0;
	gemp_trace_free();
	gemp_buffer_free(&arrived, device);
	gemp_device_exchange_free(exchange);
	return used;
}

/* Blocks are used if all ranks want them and the exchange is long enough. */
static void blocks_are_chosen(void **state)
{
	const uint64_t seed = test_seed_all() + 11;
	const bool several = test_comm.size > 1;
	(void)state;
	for (int veto = 0; veto < 4; veto++) {
		set_way(WINDOWS);
		set_chunk(5000);
		TEST_LIMIT(device_exchange_peer, veto == 1 && test_comm.rank == test_comm.size / 2 ? 0 : 1);
		TEST_LIMIT(peer_exchange_min, veto == 2 ? 1 << 30 : 0);
		if (veto == 3)
			setenv("GEMP_DEVICE_EXCHANGE", "host", 1);
		assert_all(uses_blocks(seed) == (several && veto == 0));
		unsetenv("GEMP_DEVICE_EXCHANGE");
		set_default_way();
	}
}

/* One rank may open few files, then one more, so each step of making blocks fails once. Then all ranks do without. */
static void files_run_out(void **state)
{
	const uint64_t seed = test_seed_all() + 12;
	const rlim_t enough = (rlim_t)test_comm.size + 8;
	struct rlimit limit, low;
	rlim_t more = 0;
	bool used = false;
	(void)state;
	assert_all(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	set_way(WHOLE);
	set_chunk(5000);
	TEST_LIMIT(device_exchange_peer, 1);
	for (; test_comm.size > 1 && !used && more < enough; more++) {
		const int unused = dup(STDERR_FILENO);
		low = (struct rlimit){ (rlim_t)unused + more, limit.rlim_max };
		assert_all(unused >= 0 && close(unused) == 0);
		if (test_comm.rank == test_comm.size / 2)
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
		used = uses_blocks(seed);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_all(gemp_comm_sum1(&test_comm, used) == (used ? (uint64_t)test_comm.size : 0));
	}
	assert_all(test_comm.size == 1 || (used && more > 3));
	set_default_way();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(open_device),
		                                cmocka_unit_test(elements_and_answers),
		                                cmocka_unit_test(nodes_of_two_ranks),
		                                cmocka_unit_test(windows_become_smaller),
		                                cmocka_unit_test(traffic_is_counted),
		                                cmocka_unit_test(a_rank_fails),
		                                cmocka_unit_test(device_memory_runs_out),
		                                cmocka_unit_test(blocks_are_chosen),
		                                cmocka_unit_test(files_run_out),
		                                cmocka_unit_test(close_device) };
	return test_main_all(argc, argv, tests);
}
