/* Tests kernels/topology/topology.clh by the list of edges that the kernel edge_pairs makes: rows of all lengths, with
 * one lane and with many lanes for each row. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "device/device.h"
#include "device/open.h"
#include "device/program.h"
#include "device/tuning.h"
#include "harness/limits.h"
#include "topology/csr.h"

#include <string.h>

static gemp_device *device;

/* Row r has length[r] edges, whose targets are successive numbers. */
static void check(const size_t *length, size_t rows, gemp_vertex first)
{
	uint64_t *begin = gemp_calloc(rows + 1, sizeof *begin);
	for (size_t row = 0; row < rows; row++)
		begin[row + 1] = begin[row] + length[row];
	size_t edges = (size_t)begin[rows];
	gemp_vertex *target = gemp_calloc(edges, sizeof *target);
	gemp_edge_pair *right = gemp_calloc(edges, sizeof *right), *pairs = gemp_calloc(edges, sizeof *pairs);
	for (size_t row = 0, e = 0; row < rows; row++)
		for (size_t i = 0; i < length[row]; i++, e++)
			right[e] = (gemp_edge_pair){ first + (gemp_vertex)row, target[e] = (gemp_vertex)(7 * e) };
	const gemp_csr csr = { .vertices = first + rows, .first = first, .rows = rows, .begin = begin, .target = target };
	static const gemp_placement places[] = { GEMP_PLACE_HOST, GEMP_PLACE_DEVICE, GEMP_PLACE_DEVICE };
	static const unsigned lanes[] = { 0, 1, 32 };
	for (size_t i = 0; i < 3; i++) {
		gemp_edge_pairs_stats figures;
		if (lanes[i] == 1 && device->gpu)
			continue; /* one lane for each worker gives too many workers for a group of a GPU */
		TEST_LIMIT(csr_lanes, lanes[i]);
		memset(pairs, 0xff, edges * sizeof *pairs);
		assert_ok(gemp_edge_pairs(&csr, device, places[i], pairs, &figures));
		assert_int_equal(figures.on_device, edges > 0 && places[i] == GEMP_PLACE_DEVICE);
		assert_memory_equal(pairs, right, edges * sizeof *pairs);
	}
	gemp_free(begin);
	gemp_free(target);
	gemp_free(right);
	gemp_free(pairs);
}

static void rows_of_special_lengths(void **state)
{
	(void)state;
	static const size_t none[1], one[] = { 1 }, empty[2000], hub[] = { 0, 5000, 0 }, ends[] = { 3, 0, 0, 0, 2 };
	static size_t share[4 * GEMP_ITEMS_PER_WORKER];
	check(none, 0, 0);
	check(none, 1, 5);
	check(one, 1, 0);
	check(empty, 2000, 3);
	check(hub, 3, 9);
	check(ends, 5, 0);
	for (size_t i = 0; i < sizeof share / sizeof *share; i++)
		share[i] = i == 2 * GEMP_ITEMS_PER_WORKER ? 3 * GEMP_ITEMS_PER_WORKER : 0;
	check(share, sizeof share / sizeof *share, 1);
	for (size_t i = 0; i < sizeof share / sizeof *share; i++)
		share[i] = i % 2;
	check(share, sizeof share / sizeof *share, 1);
}

static void rows_of_random_lengths(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	static size_t length[3000];
	for (int round = 0; round < 30; round++) {
		size_t rows = gemp_random_below(&seed, 3000), most = 1 + gemp_random_below(&seed, 10);
		for (size_t row = 0; row < rows; row++) {
			length[row] = gemp_random_below(&seed, most);
			if (gemp_random_below(&seed, 500) == 0)
				length[row] = gemp_random_below(&seed, 2000);
		}
		check(length, rows, (gemp_vertex)gemp_random_below(&seed, 100));
	}
}

static void wide_rows(void **state)
{
	(void)state;
	/* More than 2^32 edges need positions of 64 bits. The kernel is only built that way here, not run. */
	gemp_program program;
	gemp_device_csr csr = { .device = device, .wide = true };
	TEST_LIMIT_DEFAULT(csr_lanes);
	assert_ok(gemp_device_csr_program(&program, &csr, "edge_pairs.cl", NULL));
	gemp_program_free(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_special_lengths),
		cmocka_unit_test(rows_of_random_lengths),
		cmocka_unit_test(wide_rows),
	};
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	int failed = test_main(tests);
	gemp_device_close(device);
	return failed;
}
