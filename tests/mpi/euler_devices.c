/* Tests Euler circuits on the devices of all ranks on random multigraphs with loops, parallel edges, vertices without
 * edges and ranks without vertices. Tiny settings make many rounds and phases. Each test of both ways runs twice: the
 * work is spread over the devices, or the device of rank 0 gathers all edges. */
#include "euler_ranks_case.h"

#include "device/open.h"
#include "euler/devices/engine.h"
#include "harness/limits.h"

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
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code on_devices(gemp_euler_result *out, const gemp_euler_edges *edges, const gemp_euler_options *options)
{
	return gemp_euler_on_devices(out, &test_comm, device, edges, options);
}

static void spread(void **state)
{
	(void)state;
	TEST_LIMIT(euler_gathered, false);
}

static void gather(void **state)
{
	(void)state;
	TEST_LIMIT(euler_gathered, true);
	TEST_LIMIT(device_exchange_chunks, 1);
	TEST_LIMIT(device_exchange_chunk, 100);
}

static void random_multigraphs(void **state)
{
	(void)state;
	euler_case_try(on_devices, test_seed_all(), test_comm.size == 1 ? 60 : 80 / test_comm.size);
}

/* Groups of the size that GPUs have, in which work-items meet at barriers. */
static void groups_of_gpus(void **state)
{
	const bool gpu = device->gpu;
	(void)state;
	device->gpu = true;
	euler_case_try(on_devices, test_seed_all(), 24 / test_comm.size + 1);
	device->gpu = gpu;
}

/* Default settings. */
static void larger_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = test_comm.size > 4; i < 3; i++) {
		euler_case c = { 0 };
		gemp_euler_options options = { .sources = true };
		euler_case_walks(&c, &seed, 3000, 300, 200, i == 1);
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all(euler_case_outcome(&c, on_devices, &options) == NULL);
		euler_case_free(&c);
	}
}

/* A ring whose edges alternate between ranks, so a walk leaves its rank at nearly every slot. */
static void long_rings(void **state)
{
	const uint64_t length = 4001;
	(void)state;
	for (uint64_t stride = 1; stride < length; stride += 1999) {
		uint64_t seed = test_seed_all();
		euler_case c = { .vertices = length };
		gemp_euler_result result;
		for (uint64_t i = 0; i < length; i++)
			euler_case_edge(&c, i, (i + stride) % length);
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all_ok(on_devices(&result, &c.own, &(gemp_euler_options){ .sources = true }));
		assert_all(result.circuits == 1 && result.joins == 0 && result.splitters < length / 2);
		assert_all(euler_case_wrong(&c, &result, true) == NULL);
		gemp_euler_result_free(&result);
		euler_case_free(&c);
	}
}

/* Splitters are so far apart that distances do not fit into the two words of a packed walker. */
static void distances_overflow(void **state)
{
	const uint64_t length = 4001;
	uint64_t seed = test_seed_all();
	euler_case c = { .vertices = length };
	gemp_euler_result result;
	(void)state;
	for (uint64_t i = 0; i < length; i++)
		euler_case_edge(&c, i, (i + 37) % length);
	euler_case_share(&c, &seed, UINT64_MAX);
	assert_all_ok(on_devices(&result, &c.own, &(gemp_euler_options){ .spacing = 1500 }));
	assert_all(result.circuits == 1 && euler_case_wrong(&c, &result, false) == NULL);
	gemp_euler_result_free(&result);
	euler_case_free(&c);
}

/* One vertex has all edges: loops, and pairs of edges to other vertices. */
static void one_vertex_has_all(void **state)
{
	(void)state;
	for (uint64_t others = 0; others < 600; others += 299) {
		uint64_t seed = test_seed_all();
		euler_case c = { .vertices = 1 + others };
		gemp_euler_options options = { .sources = true };
		for (uint64_t i = 0; i < 1500; i++)
			euler_case_edge(&c, 0, 0);
		for (uint64_t v = 1; v <= others; v++) {
			euler_case_edge(&c, 0, v);
			euler_case_edge(&c, v, 0);
		}
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all(euler_case_outcome(&c, on_devices, &options) == NULL);
		euler_case_free(&c);
	}
}

static void unbalanced_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c = { 0 };
	gemp_euler_result result;
	euler_case_walks(&c, &seed, 50, 20, 10, false);
	euler_case_edge(&c, 3, 7);
	euler_case_edge(&c, 3, 9);
	euler_case_share(&c, &seed, UINT64_MAX);
	assert_all_ok(on_devices(&result, &c.own, &(gemp_euler_options){ 0 }));
	assert_all(result.unbalanced == 3 && result.order.count == 0);
	gemp_euler_result_free(&result);
	euler_case_free(&c);
}

static gemp_code solve_once(void *argument)
{
	gemp_euler_result result;
	gemp_euler_options options = { .spacing = 1, .keep_circuits = true, .sources = true };
	gemp_code code = on_devices(&result, argument, &options);
	gemp_euler_result_free(&result);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c = { 0 };
	euler_case_walks(&c, &seed, 10, 6, 6, false);
	euler_case_share(&c, &seed, UINT64_MAX);
	if (test_comm.size < 3) /* each request for memory fails once on each rank, which takes too long on more ranks */
		assert_all_survive_no_memory(solve_once, &c.own);
	euler_case_free(&c);
}

/* The device of one rank has no memory: all ranks return the code, and a later call succeeds. */
static void device_memory_may_run_out(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	const size_t memory = device->memory;
	euler_case c = { 0 };
	gemp_euler_result result;
	gemp_euler_options options = { .sources = true };
	euler_case_walks(&c, &seed, 300, 40, 40, false);
	euler_case_share(&c, &seed, UINT64_MAX);
	for (size_t i = 0, bytes = 1; bytes < (size_t)1 << 17; bytes = bytes * 3 / 2 + 1, i++) {
		if (test_comm.rank == (i % 2 ? 0 : test_comm.size - 1))
			device->memory = bytes;
		const gemp_code code = on_devices(&result, &c.own, &options);
		assert_all(gemp_comm_agree(&test_comm, code) == code && (code == GEMP_OK || code == GEMP_ENOMEM));
		assert_all(bytes > 1 || code == GEMP_ENOMEM);
		gemp_euler_result_free(&result);
		device->memory = memory;
	}
	assert_all(device->buffer_bytes == 0);
	assert_all(euler_case_outcome(&c, on_devices, &options) == NULL);
	euler_case_free(&c);
}

/* Collective. Returns the bytes that the search needs on the device of rank 0. */
static uint64_t bytes_on_first(const euler_case *c, bool gathered)
{
	gemp_euler_result result;
	device->buffer_peak = device->buffer_bytes;
	TEST_LIMIT(euler_gathered, gathered);
	assert_all_ok(on_devices(&result, &c->own, &(gemp_euler_options){ .sources = true }));
	gemp_euler_result_free(&result);
	return gemp_comm_sum1(&test_comm, test_comm.rank ? 0 : device->buffer_peak);
}

/* The device of rank 0 has the memory that it needs if the work is spread. If all edges need more memory, the work is
 * spread: then also the last rank has found circuits. */
static void edges_that_do_not_fit_are_spread(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all(), failures = 0;
	const size_t memory = device->memory;
	for (int i = 0; i < 6; i++) {
		euler_case c = { .vertices = 64 };
		gemp_euler_result result;
		for (uint64_t e = 0; e < 1 << 12; e++)
			euler_case_edge(&c, e % 64, (e + 1) % 64);
		euler_case_share(&c, &seed, UINT64_MAX);
		const uint64_t bytes = bytes_on_first(&c, false), all = bytes_on_first(&c, true);
		const uint64_t limit = bytes + bytes / 16; /* the number of splitters varies */
		device->memory = test_comm.rank ? memory : (size_t)limit;
		assert_all_ok(on_devices(&result, &c.own, &(gemp_euler_options){ .sources = true }));
		assert_all(euler_case_wrong(&c, &result, true) == NULL);
		if (test_comm.rank == 1)
			assert_int_equal(result.seconds[GEMP_EULER_CIRCUITS] > 0, all > limit);
		failures += all > limit;
		gemp_euler_result_free(&result);
		device->memory = memory;
		euler_case_free(&c);
	}
	assert_all(failures > 0 || test_comm.size == 1);
}

/* Devices number fewer edges than there are: they are refused before work begins, however the work is divided. */
static void more_edges_than_devices_number(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c = { 0 };
	gemp_euler_result result;
	gemp_euler_options options = { .sources = true };
	euler_case_walks(&c, &seed, 300, 40, 40, false);
	euler_case_share(&c, &seed, UINT64_MAX);
	for (int gathered = 0; gathered < 2; gathered++) {
		TEST_LIMIT(euler_gathered, gathered);
		TEST_LIMIT(device_elements, 50);
		assert_all(!gemp_euler_devices_suffice(&test_comm, device, &c.own));
		assert_all_code(on_devices(&result, &c.own, &options), GEMP_EUSAGE);
		assert_message("--on host takes more");
		gemp_euler_result_free(&result);
		TEST_LIMIT_DEFAULT(device_elements);
		assert_all(gemp_euler_devices_suffice(&test_comm, device, &c.own));
		assert_all(euler_case_outcome(&c, on_devices, &options) == NULL);
	}
	euler_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_device),
		cmocka_unit_test(spread),
		cmocka_unit_test(random_multigraphs),
		cmocka_unit_test(groups_of_gpus),
		cmocka_unit_test(larger_graphs),
		cmocka_unit_test(long_rings),
		cmocka_unit_test(distances_overflow),
		cmocka_unit_test(one_vertex_has_all),
		cmocka_unit_test(unbalanced_graphs),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(device_memory_may_run_out),
		cmocka_unit_test(gather),
		cmocka_unit_test(random_multigraphs),
		cmocka_unit_test(groups_of_gpus),
		cmocka_unit_test(larger_graphs),
		cmocka_unit_test(one_vertex_has_all),
		cmocka_unit_test(unbalanced_graphs),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(device_memory_may_run_out),
		cmocka_unit_test(edges_that_do_not_fit_are_spread),
		cmocka_unit_test(more_edges_than_devices_number),
		cmocka_unit_test(close_device),
	};
	return test_main_all(argc, argv, tests);
}
