/* Tests conflict resolution on the devices and on the hosts of all ranks: random matches with random keys on random
 * ranks. The reference decides about all matches in the order of their priorities. */
#include "harness/collective.h"
#include "harness/limits.h"
#include "harness/runtime.h"

#include "core/memory.h"
#include "core/random.h"
#include "transform/conflicts/resolve.h"

#include <stdlib.h>
#include <string.h>

/* Hosts divide MATCHES among threads. */
enum { MATCHES = 50000, FEW = 3000, KEYS = 4, SLOTS = 3 * MATCHES, CASES = 12 };

static gemp_runtime *context;

static void open_devices(void **state)
{
	const gemp_budgets budgets = { 0 };
	(void)state;
	assert_all_ok(runtime_with_devices(&context, &test_comm, NULL, &budgets));
}

static void close_devices(void **state)
{
	(void)state;
	gemp_runtime_free(context);
}

/* All matches, the same on all ranks. Slots are numbers below SLOTS; `spread` makes the slots of keys of them. */
typedef struct world {
	size_t count;
	uint64_t spread;
	int rank[MATCHES];
	uint64_t priority[MATCHES];
	size_t key_count[MATCHES];
	uint32_t slot[MATCHES][KEYS];
	gemp_access access[MATCHES][KEYS];
	uint8_t decision[MATCHES];
} world;

static world w;

static int by_priority(const void *a, const void *b)
{
	const uint64_t x = w.priority[*(const size_t *)a], y = w.priority[*(const size_t *)b];
	return (x > y) - (x < y);
}

/* Each match is selected unless a match before it in the order of priorities has a conflicting key. */
static void decide_in_order(void)
{
	static uint8_t taken[SLOTS];
	static size_t order[MATCHES];
	memset(taken, 0, sizeof taken);
	for (size_t m = 0; m < w.count; m++)
		order[m] = m;
	qsort(order, w.count, sizeof *order, by_priority);
	for (size_t i = 0; i < w.count; i++) {
		const size_t m = order[i];
		bool free = true;
		for (size_t k = 0; k < w.key_count[m]; k++)
			for (gemp_access other = GEMP_READS; other < GEMP_ACCESSES; other++)
				free &= !(taken[w.slot[m][k]] >> other & 1) || !gemp_accesses_conflict(w.access[m][k], other);
		w.decision[m] = free ? GEMP_SELECTED : GEMP_REJECTED;
		for (size_t k = 0; k < w.key_count[m] && free; k++)
			taken[w.slot[m][k]] |= (uint8_t)(1 << w.access[m][k]);
	}
}

/* How the keys of a world are drawn. */
typedef enum world_kind { SPARSE, DENSE, ONE_SLOT, CHAIN, APART, ALIKE, WORLD_KINDS } world_kind;

static void draw_keys(world_kind kind, size_t m, uint64_t *seed)
{
	const uint64_t slots = kind == ONE_SLOT ? 1 : kind == DENSE ? 1 + w.count / 8 : 3 * w.count;
	w.key_count[m] = kind == ONE_SLOT || kind == ALIKE ? 1 : kind == CHAIN ? 2 : gemp_random_below(seed, KEYS + 1);
	for (size_t k = 0; k < w.key_count[m]; k++) {
		const uint32_t part = SLOTS / (uint32_t)test_comm.size;
		w.access[m][k] = gemp_random_below(seed, 3) ? (gemp_access)gemp_random_below(seed, 2) : GEMP_WRITES;
		if (kind == CHAIN) {
			w.slot[m][k] = (uint32_t)(m + k);
			w.access[m][k] = GEMP_WRITES;
		} else if (kind == APART) /* no slot of two ranks */
			w.slot[m][k] = part * (uint32_t)w.rank[m] + (uint32_t)gemp_random_below(seed, part / 8 + 1);
		else
			w.slot[m][k] = (uint32_t)gemp_random_below(seed, slots);
		if (kind == ALIKE)
			w.access[m][k] = GEMP_READS;
	}
}

/* Some ranks have no match. The first and the last priority are among the priorities. */
static void draw_world(world_kind kind, size_t most, uint64_t seed)
{
	const uint64_t ranks = 1 + gemp_random_below(&seed, (uint64_t)test_comm.size), first = gemp_random(&seed);
	const bool ascending = kind == CHAIN && gemp_random_below(&seed, 2);
	w.count = most - gemp_random_below(&seed, most == MATCHES ? 100 : most + 1);
	w.count = ascending && w.count > 200 ? 200 : w.count;
	w.spread = gemp_random_below(&seed, 2) ? 1 : UINT64_C(1) << 42;
	for (size_t m = 0; m < w.count; m++) {
		w.rank[m] = (int)((first + gemp_random_below(&seed, ranks)) % (uint64_t)test_comm.size);
		w.priority[m] = ascending ? m : m == 5 ? 0 : m == 7 ? UINT64_MAX : gemp_random(&seed);
		draw_keys(kind, m, &seed);
	}
	decide_in_order();
}

/* The matches of this rank. */
typedef struct own_matches {
	size_t of[MATCHES];
	uint64_t priority[MATCHES];
	uint8_t decision[MATCHES];
	uint64_t offsets[MATCHES + 1], keys[MATCHES * KEYS];
	gemp_conflict_keys all;
} own_matches;

static own_matches own;

static void take_own(void)
{
	memset(&own, 0, sizeof own);
	own.all = (gemp_conflict_keys){ .offsets = own.offsets, .keys = own.keys, .slots = SLOTS * w.spread };
	for (size_t m = 0; m < w.count; m++) {
		if (w.rank[m] != test_comm.rank)
			continue;
		uint64_t at = own.offsets[own.all.matches];
		for (size_t k = 0; k < w.key_count[m]; k++)
			own.keys[at++] = gemp_conflict_key(w.slot[m][k] * w.spread, w.access[m][k]);
		own.of[own.all.matches] = m;
		own.priority[own.all.matches] = w.priority[m];
		own.offsets[++own.all.matches] = at;
	}
}

static bool as_expected(void)
{
	bool right = true;
	for (size_t m = 0; m < own.all.matches; m++)
		right &= own.decision[m] == w.decision[own.of[m]];
	return right;
}

/* Collective. Returns the number of rounds. */
static uint64_t check(gemp_resolver *resolver, bool uncontended)
{
	uint64_t left = 1, rounds = 0;
	take_own();
	if (uncontended)
		assert_all_ok(gemp_resolve_uncontended(resolver, &own.all, own.decision, &left));
	if (left)
		assert_all_ok(gemp_resolve_all(resolver, &own.all, own.priority, own.decision, &rounds));
	assert_all(as_expected());
	return rounds;
}

static void test_worlds(gemp_form form, uint64_t cases, size_t most)
{
	uint64_t seed = test_seed_all() + form;
	gemp_resolver host = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_HOST };
	gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE, .form = form };
	for (uint64_t i = 0; i < cases; i++) {
		draw_world((world_kind)(i % WORLD_KINDS), most, gemp_random(&seed));
		const uint64_t rounds = check(&host, i / WORLD_KINDS % 2);
		assert_all(check(&device, i / WORLD_KINDS % 2) == rounds);
	}
	gemp_resolver_close(&device);
	gemp_resolver_close(&host);
	assert_all(device.on_device && !device.on_host && host.on_host && !host.on_device);
	assert_all((test_comm.size > 1) == (device.cost.seconds > 0));
}

static void devices_and_hosts_decide_in_order(void **state)
{
	(void)state;
	test_worlds(GEMP_FORM_AUTO, CASES, FEW);
}

static void many_matches_are_decided_in_order(void **state)
{
	(void)state;
	test_worlds(GEMP_FORM_AUTO, DENSE + 1, MATCHES);
}

static void kernels_of_gpus_decide_in_order(void **state)
{
	(void)state;
	test_worlds(GEMP_FORM_GROUPS, WORLD_KINDS, FEW);
}

static void tiny_messages_decide_in_order(void **state)
{
	(void)state;
	TEST_LIMIT(exchange_chunk, 20);
	test_worlds(GEMP_FORM_AUTO, WORLD_KINDS, FEW);
	TEST_LIMIT_DEFAULT(exchange_chunk);
}

/* After the slots are numbered, matches whose slots no other rank has move no more bytes. */
static void keys_of_one_rank_are_not_sent(void **state)
{
	gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE };
	uint64_t seed = test_seed_all() + 99, slots = 0;
	static uint8_t seen[SLOTS];
	(void)state;
	do
		draw_world(APART, FEW, gemp_random(&seed));
	while (w.count < FEW / 4);
	check(&device, false);
	gemp_resolver_close(&device);
	memset(seen, 0, sizeof seen);
	for (size_t m = 0; m < w.count; m++)
		for (size_t k = 0; k < w.key_count[m]; k++) {
			slots += !seen[w.slot[m][k]];
			seen[w.slot[m][k]] = 1;
		}
	/* a slot has 8 bytes, and its answer has 4 */
	assert_all(gemp_comm_sum1(&test_comm, device.cost.traffic.bytes) <= 12 * slots);
}

/* A rank whose device is too small moves all ranks to their hosts. */
static void small_devices_leave_it_to_hosts(void **state)
{
	gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE };
	const size_t memory = context->device->memory;
	uint64_t seed = test_seed_all() + 7;
	(void)state;
	do
		draw_world(DENSE, FEW, gemp_random(&seed));
	while (w.count < FEW / 4);
	if (test_comm.rank == test_comm.size - 1)
		context->device->memory = context->device->buffer_bytes + 100;
	check(&device, true);
	context->device->memory = memory;
	gemp_resolver_close(&device);
	assert_all(device.on_host && !device.on_device);
}

/* The keys of a rank are more than the elements that a device numbers. */
static void more_keys_than_devices_number_are_left_to_hosts(void **state)
{
	uint64_t seed = test_seed_all() + 9;
	(void)state;
	do
		draw_world(DENSE, FEW, gemp_random(&seed));
	while (w.count < FEW / 4);
	for (int beyond = 0; beyond < 2; beyond++) {
		gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE };
		TEST_LIMIT(device_elements, beyond ? 4 : gemp_limits_default.device_elements);
		check(&device, true);
		gemp_resolver_close(&device);
		assert_all(device.on_host == beyond && device.on_device == !beyond);
	}
	TEST_LIMIT_DEFAULT(device_elements);
}

/* The devices number slots below 2^60. */
static void larger_slots_are_left_to_hosts(void **state)
{
	gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE };
	uint64_t seed = test_seed_all() + 8;
	(void)state;
	draw_world(DENSE, FEW, gemp_random(&seed));
	w.spread = UINT64_C(1) << 44;
	check(&device, true);
	gemp_resolver_close(&device);
	assert_all(device.on_host && !device.on_device);
}

static gemp_code resolve_again(void *argument)
{
	gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE };
	uint64_t left, rounds;
	(void)argument;
	take_own();
	gemp_code code = gemp_resolve_uncontended(&device, &own.all, own.decision, &left);
	GEMP_THEN(gemp_resolve_all(&device, &own.all, own.priority, own.decision, &rounds));
	gemp_resolver_close(&device);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	draw_world(DENSE, FEW, 3);
	assert_all_survive_no_memory(resolve_again, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_devices),
		cmocka_unit_test(devices_and_hosts_decide_in_order),
		cmocka_unit_test(many_matches_are_decided_in_order),
		cmocka_unit_test(kernels_of_gpus_decide_in_order),
		cmocka_unit_test(tiny_messages_decide_in_order),
		cmocka_unit_test(keys_of_one_rank_are_not_sent),
		cmocka_unit_test(small_devices_leave_it_to_hosts),
		cmocka_unit_test(more_keys_than_devices_number_are_left_to_hosts),
		cmocka_unit_test(larger_slots_are_left_to_hosts),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_devices),
	};
	return test_main_all(argc, argv, tests);
}
