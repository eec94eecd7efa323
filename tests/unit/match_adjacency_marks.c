/* Tests which adjacency marks a plan gets. Whether the kernel sets and clears them correctly is tested by searches
 * (tests/mpi/match_loops.c). */
#include "harness/harness.h"

#include "core/log.h"
#include "graph/graph.h"
#include "match/codegen/adjacency_marks.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"
#include "pattern/plan/planner.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static gemp_relation relations[] = { { .name = "R", .directed = true }, { .name = "S", .directed = true } };
	graph = (gemp_shard){ .ranks = 1, .relation_count = 2, .relations = relations };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

/* Makes a plan that binds the vertices in the order of their numbers. */
static gemp_plan *plan_of(gemp_pattern *pattern, gemp_semantics semantics, uint64_t filtered)
{
	gemp_symmetry *symmetry = NULL;
	gemp_plan *plan = NULL;
	gemp_statistics statistics = { .vertices = 100 };
	int order[GEMP_MAX_PATTERN_VERTICES];
	for (int i = 0; i < GEMP_MAX_PATTERN_VERTICES; i++) {
		order[i] = i;
		statistics.candidates[i] = 100;
		statistics.filtered[i] = filtered >> i & 1;
	}
	gemp_plan_options options = { .semantics = semantics, .break_symmetry = semantics == GEMP_ISO, .order = order };
	assert_ok(gemp_pattern_bind(pattern, &graph));
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	assert_ok(gemp_plan_new(&plan, pattern, symmetry, &statistics, &options));
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return plan;
}

static gemp_plan *shape_plan(const char *shape, gemp_semantics semantics, uint64_t filtered)
{
	gemp_pattern *pattern = NULL;
	assert_ok(gemp_pattern_named(&pattern, shape));
	return plan_of(pattern, semantics, filtered);
}

static gemp_plan *text_plan(const char *text, uint64_t filtered)
{
	gemp_pattern *pattern = NULL;
	assert_ok(gemp_pattern_parse(&pattern, text, NULL));
	return plan_of(pattern, GEMP_ISO, filtered);
}

/* Makes a plan in the planner's order. The planner's last vertex is not enumerated: a table of two-paths counts its
 * images. */
static gemp_plan *table_plan(const char *shape)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_plan *plan = NULL;
	gemp_statistics statistics = { .vertices = 100 };
	for (int i = 0; i < GEMP_MAX_PATTERN_VERTICES; i++)
		statistics.candidates[i] = 100;
	for (int e = 0; e < GEMP_MAX_PATTERN_EDGES; e++) {
		statistics.edges[e] = 1000;
		statistics.paths_from[e] = statistics.paths_to[e] = 20000;
	}
	gemp_plan_options options = { .semantics = GEMP_ISO, .break_symmetry = true, .two_paths = true };
	assert_ok(gemp_pattern_named(&pattern, shape));
	assert_ok(gemp_pattern_bind(pattern, &graph));
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	assert_ok(gemp_plan_new(&plan, pattern, symmetry, &statistics, &options));
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return plan;
}

static int row_mark(const gemp_adjacency_marks *m, const gemp_plan *plan, int s, int from)
{
	for (size_t j = 0; j < plan->steps[s].check_count; j++)
		if (plan->steps[s].checks[j].from == from)
			return m->row[s][j];
	return -2;
}

/* The pattern is 0-1-2-3-4-0. Vertex 4 is looked up in the pivot's row, and vertex 3 must have a neighbour in that row.
 * Only slots above the pivot's slot are marked. */
static void marks_of_a_cycle(void **state)
{
	(void)state;
	gemp_adjacency_marks m;
	gemp_plan *plan = shape_plan("cycle:5", GEMP_ISO, 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_int_equal(m.count, 2);
	int row = row_mark(&m, plan, 4, 0), reach = m.reach[3];
	assert_true(row >= 0 && reach >= 0 && row != reach && row_mark(&m, plan, 4, 3) == -1);
	assert_true(m.reach[1] == -1 && m.reach[2] == -1 && m.reach[4] == -1);
	assert_true(m.marks[row].step == 0 && m.marks[row].via_step == -1 && m.marks[row].first == 4);
	assert_true(m.marks[reach].step == 0 && m.marks[reach].via_step == 4 && m.marks[reach].first == 3);
	assert_int_equal(m.marks[row].above, 1);
	assert_int_equal(m.marks[reach].above, 1);
	assert_int_equal(gemp_latest_source(plan, 4), plan->steps[4].checks[0].from == 3 ? 0 : 1);
	gemp_plan_free(plan);
}

/* In a cycle of 4, a vertex two steps from the pivot already has a common neighbour with the pivot, so a mark would
 * exclude nothing. If only one of the two middle vertices is filtered, the mark is needed. */
static void useless_marks_are_omitted(void **state)
{
	(void)state;
	gemp_adjacency_marks m;
	gemp_plan *plan = shape_plan("cycle:4", GEMP_ISO, 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_true(m.count == 1 && m.reach[2] == -1);
	gemp_plan_free(plan);
	plan = shape_plan("cycle:4", GEMP_ISO, 8);
	gemp_adjacency_marks_plan(&m, plan);
	assert_true(m.count == 2 && m.reach[2] >= 0);
	gemp_plan_free(plan);
	plan = shape_plan("path:6", GEMP_ISO, 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_int_equal(m.count, 0);
	gemp_plan_free(plan);
}

/* The rows of the first three vertices have one mark each, which serves all later vertices. A mark covers only the part
 * of the row that the order restrictions leave. */
static void marks_of_a_clique(void **state)
{
	(void)state;
	gemp_adjacency_marks m;
	gemp_plan *plan = shape_plan("clique:5", GEMP_ISO, 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_int_equal(m.count, 3);
	assert_true(row_mark(&m, plan, 2, 0) >= 0 && row_mark(&m, plan, 2, 0) == row_mark(&m, plan, 4, 0));
	assert_true(row_mark(&m, plan, 3, 1) >= 0 && row_mark(&m, plan, 4, 2) >= 0 && row_mark(&m, plan, 4, 3) == -1);
	assert_true((m.marks[0].above | m.marks[0].below) == 1);
	assert_true((m.marks[1].above | m.marks[1].below) == 3);
	gemp_plan_free(plan);
}

/* The vertices between two others are marked along reversed edges, so a mark exists only if the plan has a view in that
 * direction. */
static void marks_of_directed_edges(void **state)
{
	(void)state;
	gemp_adjacency_marks m;
	gemp_plan *plan = text_plan("MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(d)-[:R]->(e)-[:S]->(a) RETURN a", 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_true(m.reach[3] == -1 && row_mark(&m, plan, 4, 0) >= 0);
	gemp_plan_free(plan);
	plan = text_plan("MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(d)<-[:R]-(e)-[:S]->(a) RETURN a", 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_true(m.reach[3] >= 0);
	const gemp_adjacency_mark *reach = &m.marks[m.reach[3]];
	assert_true(plan->views[reach->via_view].direction == 0 && plan->views[reach->via_view].relations[0]);
	assert_true(plan->views[reach->view].direction == 1 && plan->views[reach->view].relations[1]);
	gemp_plan_free(plan);
}

/* There are at most as many marks as bits in a byte. Marks of outer loops have priority. */
static void marks_are_limited(void **state)
{
	(void)state;
	gemp_adjacency_marks m;
	gemp_plan *plan = shape_plan("cycle:12", GEMP_INDUCED, 0);
	gemp_adjacency_marks_plan(&m, plan);
	assert_int_equal(m.count, GEMP_MAX_MARKS);
	assert_true(row_mark(&m, plan, 11, 0) == 0 && row_mark(&m, plan, 11, 9) == -1);
	gemp_plan_free(plan);
}

/* The pattern is 0-1-2-3-(4)-0, numbered in the planner's order. A table gives the number of images of 4 for an image
 * of 3. If the table counts the image of 1 or of 2, that image is subtracted: the image of 1 if it is adjacent to the
 * image of 3, the image of 2 if it is adjacent to the pivot. */
static void marks_of_a_counted_vertex(void **state)
{
	(void)state;
	gemp_adjacency_marks m;
	gemp_plan *plan = table_plan("cycle:5");
	gemp_adjacency_marks_plan(&m, plan);
	assert_true(plan->two_paths);
	int first = plan->steps[1].vertex, second = plan->steps[2].vertex, end = plan->steps[3].vertex;
	assert_true(m.leaf_pivot >= 0 && m.marks[m.leaf_pivot].step == 0);
	assert_true(m.leaf[first] >= 0 && m.marks[m.leaf[first]].step == 1 && m.marks[m.leaf[first]].first == 3);
	assert_true(m.leaf[second] < 0 && m.leaf[end] < 0);
	assert_int_equal(gemp_adjacency_marks_of_leaf(&m), 1u << m.leaf_pivot | 1u << m.leaf[first]);
	assert_true(gemp_leaf_joined(plan, first, plan->pivot, 0) && !gemp_leaf_joined(plan, first, end, 0));
	gemp_plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(marks_of_a_cycle, make_graph),
		cmocka_unit_test_setup(useless_marks_are_omitted, make_graph),
		cmocka_unit_test_setup(marks_of_a_clique, make_graph),
		cmocka_unit_test_setup(marks_of_directed_edges, make_graph),
		cmocka_unit_test_setup(marks_are_limited, make_graph),
		cmocka_unit_test_setup(marks_of_a_counted_vertex, make_graph),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
