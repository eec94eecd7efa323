/* Tests Euler circuits and paths on a device: small multigraphs of many shapes, with splitters far apart and at every
 * second slot. An independent check verifies each circuit. Graphs without a circuit are reported. */
#include "core/memory.h"
#include "euler/device_engine.h"
#include "harness/euler_case.h"

#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "harness/limits.h"

static gemp_device *device;
static uint64_t seed;

static int setup(void **state)
{
	(void)state;
	seed = test_seed();
	assert_ok(gemp_device_open(&device, NULL, 0, 1, 0));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_device_close(device);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

static void try_case(const euler_case *c, const gemp_euler_options *options)
{
	gemp_euler_result result;
	assert_ok(gemp_euler_on_device(&result, device, &c->edges, options));
	euler_check_result(c, &result);
	gemp_euler_result_free(&result);
}

/* Splitters have the default spacing or stand at every second slot. Two of the 24 graphs of each shape are large. */
static void test_shapes(void **state)
{
	(void)state;
	for (int shape = 0; shape < EULER_SHAPES; shape++)
		for (uint64_t k = 0; k < 24; k++) {
			euler_case c;
			euler_case_new(&c, shape, seed + k, k < 22 ? 1 : 60);
			try_case(&c, &(gemp_euler_options){ .spacing = k % 3 ? 0 : 2, .seed = k, .sources = k % 2 });
			euler_case_free(&c);
		}
}

/* A closed walk without its last edge is an Euler path. */
static void test_paths(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 30; k++) {
		euler_case c = { .n = 2 + (uint32_t)k };
		uint64_t random = seed + k;
		snprintf(c.name, sizeof c.name, "path %llu, seed %llu", (unsigned long long)k, (unsigned long long)seed);
		euler_add_walk(&c, &random, 0, c.n, 1 + k * k);
		gemp_vertex end = c.ends[c.m - 1][0], start = c.ends[c.m - 1][1];
		c.m--;
		euler_rows(&c);
		assert_ok(gemp_euler_edges_close(&c.edges, start, end));
		gemp_euler_result result;
		assert_ok(
			gemp_euler_on_device(&result, device, &c.edges, &(gemp_euler_options){ .seed = k, .sources = k % 2 }));
		assert_int_equal(result.components, 1);
		euler_check_order(&c, &result.order);
		gemp_euler_result_free(&result);
		euler_case_free(&c);
	}
}

static void test_unbalanced(void **state)
{
	(void)state;
	for (uint64_t k = 1; k < 6; k++) {
		euler_case c = { .n = 20 };
		uint64_t random = seed + k;
		gemp_euler_result result;
		euler_add_walk(&c, &random, 0, c.n, 100);
		for (uint64_t i = 0; i < k; i++) /* vertex 0 gets k more out-edges to other vertices */
			euler_add(&c, 0, 1 + (gemp_vertex)i);
		euler_rows(&c);
		assert_ok(gemp_euler_on_device(&result, device, &c.edges, &(gemp_euler_options){ 0 }));
		assert_int_equal(result.unbalanced, k + 1);
		assert_int_equal(result.order.count, 0);
		gemp_euler_result_free(&result);
		euler_case_free(&c);
	}
}

/* Graphs whose result does not depend on how in-edges are paired with out-edges: k loops at one vertex become one
 * circuit, and a ring is one circuit before any joins. */
static void test_closed_forms(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 70; k += 1 + k / 4) {
		euler_case loops = { .n = 1, .name = "loops" }, ring = { .n = k + 1, .name = "ring" };
		gemp_euler_result result;
		for (uint32_t i = 0; i <= k; i++) {
			if (i < k)
				euler_add(&loops, 0, 0);
			euler_add(&ring, i, (i + 1) % ring.n);
		}
		euler_rows(&loops);
		euler_rows(&ring);
		assert_ok(gemp_euler_on_device(&result, device, &loops.edges, &(gemp_euler_options){ .seed = k }));
		assert_int_equal(result.order.count, k);
		gemp_euler_result_free(&result);
		try_case(&loops, &(gemp_euler_options){ .seed = k });
		assert_ok(gemp_euler_on_device(&result, device, &ring.edges, &(gemp_euler_options){ .seed = k }));
		assert_int_equal(result.circuits, 1);
		assert_int_equal(result.joins, 0);
		for (uint32_t i = 1; i <= k; i++)
			assert_int_equal(result.order.edge[i], (result.order.edge[0] + i) % ring.n);
		gemp_euler_result_free(&result);
		euler_case_free(&loops);
		euler_case_free(&ring);
	}
}

/* With a tiny transfer_chunk, arrays are copied in many chunks. The result keeps what pictures need: every circuit is
 * balanced at each vertex, and the number of marked joins equals `joins`. */
static void test_pieces_and_pictures(void **state)
{
	(void)state;
	TEST_LIMIT(transfer_chunk, 4 * 7);
	for (int shape = 0; shape < EULER_SHAPES; shape++) {
		euler_case c;
		gemp_euler_result result;
		euler_case_new(&c, shape, seed + 77, 1);
		assert_ok(gemp_euler_on_device(&result, device, &c.edges,
		                               &(gemp_euler_options){ .keep_circuits = true, .sources = true }));
		euler_check_result(&c, &result);
		gemp_count joined = 0;
		for (uint32_t name = 1; name <= result.circuits; name++)
			for (uint32_t v = 0; v < c.n; v++) {
				int64_t balance = 0;
				for (size_t e = 0; e < c.m; e++)
					if (result.circuit[e] == name)
						balance += (int)(gemp_euler_source(&c.edges, e) == v) - (int)(c.target[e] == v);
				assert_int_equal(balance, 0);
			}
		for (size_t e = 0; e < c.m; e++)
			joined += result.joined[e];
		assert_int_equal(joined, result.joins);
		gemp_euler_result_free(&result);
		euler_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(transfer_chunk);
}

/* Lets each request for host memory fail once. After each run, the number of memory blocks must be what it was
 * before. */
static void test_memory_may_run_out(void **state)
{
	(void)state;
	euler_case c;
	gemp_code code = GEMP_ENOMEM;
	const gemp_euler_options options = { .keep_circuits = true, .sources = true };
	euler_case_new(&c, 0, 5, 1);
	try_case(&c, &options);
	size_t blocks = gemp_memory_blocks();
	for (long k = 0; code == GEMP_ENOMEM; k++) {
		gemp_euler_result result;
		gemp_memory_fail_after(k);
		code = gemp_euler_on_device(&result, device, &c.edges, &options);
		gemp_memory_fail_after(-1);
		gemp_euler_result_free(&result);
		assert_int_equal(gemp_memory_blocks(), blocks);
	}
	assert_int_equal(code, GEMP_OK);
	euler_case_free(&c);
}

static void test_too_many(void **state)
{
	(void)state;
	euler_case c = { .n = 1 };
	gemp_euler_result result;
	euler_rows(&c);
	c.edges.edges = gemp_euler_device_edges() + 1;
	assert_code(gemp_euler_on_device(&result, device, &c.edges, &(gemp_euler_options){ 0 }), GEMP_EUSAGE);
	assert_message("--on host");
	euler_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_unbalanced),
		cmocka_unit_test(test_closed_forms),
		cmocka_unit_test(test_pieces_and_pictures),
		cmocka_unit_test(test_memory_may_run_out),
		cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
