/* Tests the exchange between devices: each element says where it came from, so its place tells whether it is right.
 * Random counts, elements of several sizes, answers, ranks without elements, and failures on one rank. */
#include "core/memory.h"
#include "harness/collective.h"

#include "core/random.h"
#include "device/open.h"
#include "harness/limits.h"
#include "primitive/device_exchange.h"

#include <stdlib.h>
#include <string.h>

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

static void elements_and_answers(void **state)
{
	static const uint64_t most[] = { 1, 4, 300, 20000 };
	const uint64_t seed = test_seed_all();
	gemp_device_exchange *exchange;
	gemp_buffer arrived = { 0 };
	(void)state;
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	for (uint64_t i = 0; i < 12; i++) /* the buffer grows, and is larger than needed later */
		check(exchange, seed + i, most[i % 4], 1 + (size_t)(i % 3), &arrived);
	TEST_LIMIT(exchange_chunk, 13);
	check(exchange, seed, 50, 2, &arrived);
	TEST_LIMIT_DEFAULT(exchange_chunk);
	const gemp_device_exchange_cost cost = gemp_device_exchange_costs(exchange);
	assert_all(cost.seconds > 0 && (cost.traffic.bytes == 0) == (cost.traffic.messages == 0));
	gemp_buffer_free(&arrived, device);
	gemp_device_exchange_free(exchange);
}

/* Sums over all ranks: what is sent to others arrives there. */
static void traffic_is_counted(void **state)
{
	const uint64_t seed = test_seed_all() + 77;
	uint64_t wanted = 0;
	gemp_device_exchange *exchange;
	gemp_buffer arrived = { 0 };
	(void)state;
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	check(exchange, seed - seed % 2, 200, 3, &arrived); /* answers have one word */
	for (int r = 0; r < test_comm.size; r++)
		if (r != test_comm.rank)
			wanted += 12 * count_of(seed - seed % 2, test_comm.rank, r, 200) +
			          4 * count_of(seed - seed % 2, r, test_comm.rank, 200);
	assert_all(gemp_device_exchange_costs(exchange).traffic.bytes == wanted);
	gemp_buffer_free(&arrived, device);
	gemp_device_exchange_free(exchange);
}

static void a_rank_fails(void **state)
{
	const bool mine = test_comm.rank == test_comm.size - 1;
	uint64_t send[64] = { 0 }, received[64];
	gemp_device_exchange *exchange;
	gemp_buffer from = { 0 }, to = { 0 };
	(void)state;
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
	for (int back = 0; back < 2; back++) {
		const gemp_code code = mine ? gemp_fail(GEMP_EDATA, "a rank has failed") : GEMP_OK;
		assert_all_code(back ? gemp_device_exchange_back(exchange, code, &from, 4, &to)
		                     : gemp_device_exchange_run(exchange, code, &from, send, 4, &to, received),
		                GEMP_EDATA);
	}
	gemp_device_exchange_free(exchange);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(open_device), cmocka_unit_test(elements_and_answers),
		                                cmocka_unit_test(traffic_is_counted), cmocka_unit_test(a_rank_fails),
		                                cmocka_unit_test(close_device) };
	return test_main_all(argc, argv, tests);
}
