/* Tests degrees of random multigraphs that are distributed at random, on hosts and on the devices of all ranks: by a
 * table of all vertices, and by targets that are routed to their owners. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/status.h"
#include "device/open.h"
#include "device/tuning.h"
#include "harness/limits.h"
#include "primitive/toolbox.h"
#include "topology/vertex_degrees.h"
#include "topology_case.h"

#include <string.h>

static gemp_device *device; /* one on each rank */

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

static void check_degrees(const test_world *w, gemp_placement place)
{
	gemp_vertex_degrees found;
	gemp_degree_summary kinds;
	size_t first = (size_t)w->bounds[test_comm.rank];
	uint64_t *out = gemp_calloc(w->vertices, sizeof *out), *in = gemp_calloc(w->vertices, sizeof *in);
	gemp_degree_summary right = { .vertices = w->vertices, .start = GEMP_NO_VERTEX, .end = GEMP_NO_VERTEX };
	assert_all_ok(gemp_vertex_degrees_new(&found, &test_comm, device, place, w->bounds, w->own, w->types));
	for (size_t type = 0; type < w->types; type++)
		for (size_t e = 0; e < w->edges[type].count; e++) {
			out[w->edges[type].source[e]]++;
			in[w->edges[type].target[e]]++;
		}
	bool good = found.on_device == (place == GEMP_PLACE_DEVICE);
	for (size_t row = 0; row < found.rows; row++)
		good = good && found.out[row] == out[first + row] && found.in[row] == in[first + row];
	assert_all(good);
	for (size_t v = w->vertices; v-- > 0;) {
		right.isolated += !out[v] && !in[v];
		right.sources += out[v] && !in[v];
		right.sinks += in[v] && !out[v];
		right.balanced += in[v] == out[v];
		right.more_out += out[v] > in[v];
		right.more_in += in[v] > out[v];
		right.surplus += out[v] > in[v] ? out[v] - in[v] : 0;
		right.max_out = out[v] > right.max_out ? out[v] : right.max_out;
		right.max_in = in[v] > right.max_in ? in[v] : right.max_in;
		right.start = out[v] > in[v] ? (gemp_vertex)v : right.start;
		right.end = in[v] > out[v] ? (gemp_vertex)v : right.end;
	}
	gemp_degree_summary_count(&kinds, &test_comm, &found);
	assert_all(memcmp(&kinds, &right, sizeof kinds) == 0);
	if (test_comm.size == 1)
		assert_all(!found.traffic.bytes && !found.exchange);
	gemp_vertex_degrees_free(&found);
	gemp_free(out);
	gemp_free(in);
}

/* Many edges are counted in a table of all vertices, which may cover few vertices at a time, and few edges are routed.
 * Rounds are small, so that counters are added to the sums several times. */
static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < 24; round++) {
		const bool few = round % 2;
		test_world w;
		size_t vertices = test_below(&seed, 200), edges = test_below(&seed, few ? 60 : 1600);
		TEST_LIMIT(degrees_round, round == 2  ? 1 + test_below(&seed, 4)
		                          : round % 3 ? 20 + test_below(&seed, 50)
		                                      : gemp_limits_default.degrees_round);
		TEST_LIMIT(degrees_table, round % 4 ? gemp_limits_default.degrees_table : 40 + test_below(&seed, 100));
		TEST_LIMIT(toolbox_form, round % 6 < 2 ? GEMP_FORM_GROUPS : GEMP_FORM_AUTO);
		test_world_make(&w, test_comm.rank, test_comm.size, vertices, edges, vertices, gemp_random(&seed));
		check_degrees(&w, GEMP_PLACE_HOST);
		check_degrees(&w, GEMP_PLACE_DEVICE);
		test_world_free(&w);
	}
	TEST_LIMIT_DEFAULT(degrees_round);
	TEST_LIMIT_DEFAULT(degrees_table);
	TEST_LIMIT_DEFAULT(toolbox_form);
}

/* Counters are added to the sums before they could count more than device_elements edges. A round with more edges is
 * refused on a demanded device, and otherwise counted by the hosts. */
static void counters_that_could_overflow(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	gemp_tuning_set(device, "degrees.host_below", 1);
	for (int round = 0; round < 6; round++) {
		gemp_vertex_degrees found;
		test_world w;
		TEST_LIMIT(degrees_round, 2 + test_below(&seed, 3));
		TEST_LIMIT(device_elements, 4 * (size_t)test_comm.size);
		test_world_make(&w, test_comm.rank, test_comm.size, 600, 200, 600, gemp_random(&seed));
		check_degrees(&w, GEMP_PLACE_DEVICE);
		TEST_LIMIT(device_elements, 1);
		if (test_comm.size > 1)
			assert_all_code(
				gemp_vertex_degrees_new(&found, &test_comm, device, GEMP_PLACE_DEVICE, w.bounds, w.own, w.types),
				GEMP_ENOMEM);
		if (test_comm.size > 1)
			check_degrees(&w, GEMP_PLACE_AUTO);
		test_world_free(&w);
	}
	gemp_tuning_set(device, "degrees.host_below", 0);
	TEST_LIMIT_DEFAULT(degrees_round);
	TEST_LIMIT_DEFAULT(device_elements);
}

/* A step for each way to the owners, and for hosts. */
static struct {
	test_world world;
	gemp_placement place;
} once;

static gemp_code count_once(void *unused)
{
	(void)unused;
	gemp_vertex_degrees found;
	const test_world *w = &once.world;
	gemp_code code = gemp_vertex_degrees_new(&found, &test_comm, device, once.place, w->bounds, w->own, w->types);
	if (code == GEMP_OK)
		gemp_vertex_degrees_free(&found);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		skip(); /* takes long and tests nothing new on more ranks */
	for (int way = 0; way < 3; way++) {
		once.place = way ? GEMP_PLACE_DEVICE : GEMP_PLACE_HOST;
		test_world_make(&once.world, test_comm.rank, test_comm.size, 30, way == 1 ? 20 : 300, 30, 5);
		assert_all_ok(count_once(NULL)); /* the device keeps programs */
		assert_all_survive_no_memory(count_once, NULL);
		test_world_free(&once.world);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(open_device), cmocka_unit_test(random_graphs),
		                                cmocka_unit_test(counters_that_could_overflow),
		                                cmocka_unit_test(memory_may_run_out), cmocka_unit_test(close_device) };
	return test_main_all(argc, argv, tests);
}
