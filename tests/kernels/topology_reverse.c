/* Tests rows by target of random multigraphs, made on the host and on a device. The reference is a counting sort, edge
 * by edge. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "device/device.h"
#include "device/open.h"
#include "device/tuning.h"
#include "harness/limits.h"
#include "topology/csr.h"
#include "topology/reverse.h"

static gemp_device *device;

/* The rows of a random multigraph. */
typedef struct rows {
	size_t count, edges;
	uint64_t *begin;
	gemp_vertex *target;
} rows;

/* Edges of row v lead to the next `reach` vertices. A tenth of the rows has most of the edges. */
static rows make_rows(size_t count, size_t edges, size_t reach, uint64_t *seed)
{
	rows r = { count, count ? edges : 0, gemp_calloc(count + 1, sizeof *r.begin),
		       gemp_calloc(edges, sizeof *r.target) };
	for (size_t e = 0; e < r.edges; e++)
		r.begin[1 + gemp_random_below(seed, gemp_random_below(seed, 3) ? count / 10 + 1 : count) % count]++;
	for (size_t v = 0; v < count; v++) {
		r.begin[v + 1] += r.begin[v];
		for (uint64_t e = r.begin[v]; e < r.begin[v + 1]; e++)
			r.target[e] = (gemp_vertex)((v + gemp_random_below(seed, reach)) % count);
	}
	return r;
}

static void check(const rows *r, const gemp_reversed_rows *found)
{
	size_t at = 0, source = 0;
	assert_int_equal(found->rows, r->count);
	uint64_t *next = gemp_calloc(r->count + 1, sizeof *next);
	for (size_t e = 0; e < r->edges; e++)
		next[r->target[e] + 1]++;
	for (size_t v = 0; v < r->count; v++) {
		next[v + 1] += next[v];
		assert_int_equal(found->begin[v], next[v]);
	}
	assert_int_equal(found->begin[r->count], r->edges);
	for (; at < r->edges; at++) {
		while (at >= r->begin[source + 1])
			source++;
		uint64_t place = next[r->target[at]]++;
		if (found->source[place] != source || (found->edge && found->edge[place] != at))
			fail_msg("edge %zu from %zu is not at its place %zu", at, source, (size_t)place);
	}
	gemp_free(next);
}

static void check_all(size_t count, size_t edges, size_t reach, uint64_t *seed)
{
	rows r = make_rows(count, edges, reach, seed);
	const gemp_csr csr = { .vertices = count, .rows = count, .begin = r.begin, .target = r.target };
	for (int on = 0; on < 4; on++) {
		gemp_reversed_rows found;
		assert_ok(gemp_reverse(&found, &csr, device, on % 2 ? GEMP_PLACE_DEVICE : GEMP_PLACE_HOST, on / 2));
		assert_true(found.on_device == (on % 2 && r.edges));
		assert_true(!found.edge == (on < 2));
		check(&r, &found);
		gemp_reversed_rows_free(&found);
	}
	gemp_free(r.begin);
	gemp_free(r.target);
}

static void small_graphs(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (size_t count = 0; count < 5; count++)
		for (size_t edges = 0; edges < 6; edges++)
			check_all(count, edges, 1 + edges % 3, &seed);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int round = 0; round < 12; round++) {
		TEST_LIMIT(transfer_chunk, round % 3 ? gemp_limits_default.transfer_chunk : 4 * 999);
		size_t count = 1 + gemp_random_below(&seed, round % 2 ? 10000 : 300);
		check_all(count, gemp_random_below(&seed, 30000), 1 + gemp_random_below(&seed, count), &seed);
	}
	TEST_LIMIT_DEFAULT(transfer_chunk);
}

static gemp_code reverse_once(void *self)
{
	gemp_reversed_rows found;
	gemp_code code = gemp_reverse(&found, self, NULL, GEMP_PLACE_AUTO, true);
	if (code == GEMP_OK)
		gemp_reversed_rows_free(&found);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	static uint64_t begin[] = { 0, 2, 3 };
	static gemp_vertex target[] = { 1, 1, 0 };
	gemp_csr csr = { .vertices = 2, .rows = 2, .begin = begin, .target = target };
	assert_survives_no_memory(reverse_once, &csr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_graphs),
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(memory_may_run_out),
	};
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	int failed = test_main(tests);
	gemp_device_close(device);
	return failed;
}
