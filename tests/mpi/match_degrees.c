/* Tests the degrees of a rank's own vertices against a count over all edges of the whole graph. */
#include "core/log.h"
#include "match_reference.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/runtime.h"
#include "match/filter/computed_columns.h"
#include "pattern/model/pattern.h"

static gemp_comm alone;
static gemp_runtime *context;
static gemp_shard *distributed, *whole;

static int setup(void **state)
{
	(void)state;
	gemp_budgets none = { 0 };
	gemp_builder_options options = { .seed = 5 };
	fixture made = fixture_new(40, 160, KEYS_INTEGER, 5);
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&alone, MPI_COMM_SELF);
	if (runtime_with_devices(&context, &test_comm, NULL, &none) != GEMP_OK)
		return -1;
	assert_all_ok(fixture_build(&distributed, &made, &test_comm, &options, 5));
	assert_all_ok(fixture_build(&whole, &made, &alone, &options, 5));
	fixture_free(&made);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_shard_free(distributed);
	gemp_shard_free(whole);
	gemp_runtime_free(context);
	gemp_comm_free(&alone);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

static int64_t reference_degree(const reference *r, uint64_t v, const bool *relations, int direction, bool loops)
{
	int64_t count = 0;
	for (size_t i = 0; i < r->edge_count; i++) {
		const reference_edge *e = &r->edges[i];
		bool out = e->source == v, in = e->target == v;
		if (relations[e->relation] && (loops || e->source != e->target))
			count += (direction != 1 && out) || (direction != 0 && in);
	}
	return count;
}

static void every_direction(void **state)
{
	(void)state;
	reference r = { .whole = whole };
	reference_edges(&r);
	size_t loops = 0;
	for (size_t i = 0; i < r.edge_count; i++)
		loops += r.edges[i].source == r.edges[i].target;
	assert_true(loops > 0 && distributed->relation_count == 3);
	for (unsigned mask = 0; mask < 3 * 16; mask++) {
		bool relations[] = { mask & 1, mask & 2, mask & 4 }, with_loops = mask & 8;
		int direction = (int)(mask / 16);
		gemp_column out;
		assert_all_ok(gemp_degree_column(context, distributed, relations, direction, with_loops, &out));
		bool right = out.rows == distributed->rows && out.type == GEMP_INTEGER && gemp_column_loaded(&out);
		for (size_t v = 0; right && v < out.rows; v++)
			right = out.integers[v] ==
			        reference_degree(&r, distributed->first_vertex + v, relations, direction, with_loops);
		assert_all(right);
		gemp_column_free(&out);
	}
	reference_free(&r);
}

static gemp_code all_types(void *argument)
{
	(void)argument;
	bool relations[] = { true, true, true };
	gemp_column out;
	gemp_code code = gemp_degree_column(context, distributed, relations, 2, true, &out);
	gemp_column_free(&out);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	assert_all_survive_no_memory(all_types, NULL);
}

static void loops_by_semantics(void **state)
{
	(void)state;
	assert_true(gemp_degree_loops(GEMP_HOM) && gemp_degree_loops(GEMP_EDGE_ISO));
	assert_false(gemp_degree_loops(GEMP_ISO) || gemp_degree_loops(GEMP_INDUCED));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_direction, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_may_run_out, setup, teardown),
		cmocka_unit_test(loops_by_semantics),
	};
	return test_main_all(argc, argv, tests);
}
