/* Tests how plans become nested loops: which rows are marked at which level, which candidate lists serve several loops,
 * and which plans need the state machine. */
#include "harness/harness.h"

#include "core/log.h"
#include "core/types.h"
#include "graph/graph.h"
#include "match/codegen/kernel_text.h"
#include "match/codegen/nested_shape.h"
#include "partition/views/view.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"
#include "pattern/plan/planner.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static gemp_relation relations[] = { { .name = "E" } };
	graph = (gemp_shard){ .ranks = 1, .relation_count = 1, .relations = relations };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

static gemp_plan *plan_of(const char *shape, const int *order)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_plan *plan = NULL;
	gemp_statistics statistics = { .vertices = 100 };
	for (int i = 0; i < GEMP_MAX_PATTERN_VERTICES; i++)
		statistics.candidates[i] = 100;
	for (int i = 0; i < GEMP_MAX_PATTERN_EDGES; i++) {
		statistics.edges[i] = 1000;
		statistics.paths_from[i] = statistics.paths_to[i] = 20000;
	}
	gemp_plan_options options = { .semantics = GEMP_ISO, .break_symmetry = true, .order = order };
	assert_ok(gemp_pattern_named(&pattern, shape));
	assert_ok(gemp_pattern_bind(pattern, &graph));
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	assert_ok(gemp_plan_new(&plan, pattern, symmetry, &statistics, &options));
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return plan;
}

static gemp_nested shape_of(const char *pattern, const int *order, bool by_formula)
{
	gemp_emit_options options = { .lanes = 32, .all_resident = true, .by_formula = by_formula };
	gemp_plan *plan = plan_of(pattern, order);
	gemp_nested nested;
	assert_true(gemp_nested_supports(plan, &options));
	gemp_nested_shape(&nested, plan, &options);
	gemp_plan_free(plan);
	return nested;
}

/* The row of the first vertex closes the cycle. It is marked once for all tasks that begin with this vertex. */
static void cycles_mark_the_first_row(void **state)
{
	(void)state;
	static const int order[] = { 0, 1, 2, 3, 4 };
	gemp_nested n = shape_of("cycle:5", order, false);
	assert_int_equal(n.levels, 5);
	assert_int_equal(n.leaf, GEMP_LEAF_MARKED);
	assert_int_equal(n.marks.level, 0);
	assert_int_equal(n.list_count, 0);
}

/* The two vertices that are adjacent to both ends of the first edge take their candidates from one list. The row of one
 * of these vertices is marked. */
static void twins_share_a_list(void **state)
{
	(void)state;
	static const int order[] = { 0, 1, 2, 3, 4 };
	gemp_nested n = shape_of("edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4", order, false);
	assert_int_equal(n.list_count, 1);
	assert_int_equal(n.list_of[2], 0);
	assert_int_equal(n.list_of[3], 0);
	assert_int_equal(n.lists[0].level, 1);
	assert_int_equal(n.leaf, GEMP_LEAF_MARKED);
	assert_int_equal(n.marks.level, 2);
}

/* The graph has a hub, 0, that is adjacent to all vertices, and the first five vertices form a clique. The part of a
 * row before its own vertex is short for every vertex. */
static void lists_are_as_long_as_parts_of_rows(void **state)
{
	(void)state;
	enum { VERTICES = 20, CLIQUE = 5 };
	uint64_t begin[VERTICES + 1] = { 0 };
	gemp_vertex near[VERTICES * VERTICES];
	for (gemp_vertex v = 0; v < VERTICES; v++) {
		begin[v + 1] = begin[v];
		for (gemp_vertex u = 0; u < VERTICES; u++)
			if (u != v && (u == 0 || v == 0 || (u < CLIQUE && v < CLIQUE)))
				near[begin[v + 1]++] = u;
	}
	gemp_view view = { .rows = VERTICES, .begin = begin, .neighbours = near };
	gemp_nested clique = shape_of("clique:5", NULL, false), cycle = shape_of("cycle:5", NULL, false);
	assert_int_equal(gemp_nested_list_capacity(&clique, &view, 1, VERTICES - 1), CLIQUE - 1);
	/* without the rows the bound is the largest degree */
	assert_int_equal(gemp_nested_list_capacity(&clique, &view, 0, VERTICES - 1), VERTICES - 1);
	assert_int_equal(cycle.list_count, 0);
	assert_int_equal(gemp_nested_list_capacity(&cycle, &view, 1, VERTICES - 1), 1);
}

/* In a clique each list is computed from the list of the level before. */
static void cliques_narrow_their_lists(void **state)
{
	(void)state;
	static const int order[] = { 0, 1, 2, 3, 4 };
	gemp_nested n = shape_of("clique:5", order, false);
	assert_int_equal(n.list_count, 2);
	assert_int_equal(n.lists[0].base, -1);
	assert_int_equal(n.lists[1].base, 0);
	assert_int_equal(n.lists[1].rest.row_count, 1);
	assert_int_equal(n.leaf, GEMP_LEAF_MARKED);
	assert_int_equal(n.marks.base, 1);
}

static void twins_are_levels_only_when_enumerated(void **state)
{
	(void)state;
	static const int order[] = { 0, 1, 3, 2, 4 };
	static const char wheel[] = "edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1";
	gemp_nested n = shape_of(wheel, order, true);
	assert_int_equal(n.twins, 2);
	assert_int_equal(n.levels, 4);
	assert_int_equal(n.ways, GEMP_TWINS_UNORDERED);
	n = shape_of(wheel, order, false);
	assert_int_equal(n.twins, 1);
	assert_int_equal(n.levels, 5);
}

static void others_are_not_taken(void **state)
{
	(void)state;
	const gemp_emit_options good = { .lanes = 32, .all_resident = true };
	gemp_emit_options o = good;
	gemp_plan *cycle = plan_of("cycle:4", NULL), *edge = plan_of("path:2", NULL), *longest = plan_of("path:13", NULL);
	assert_true(gemp_nested_supports(cycle, &o));
	assert_false(gemp_nested_supports(edge, &o));
	assert_false(gemp_nested_supports(longest, &o));
	o = good, o.listed = true;
	assert_false(gemp_nested_supports(cycle, &o));
	o = good, o.all_resident = false;
	assert_false(gemp_nested_supports(cycle, &o));
	o = good, o.wide = true;
	assert_false(gemp_nested_supports(cycle, &o));
	o = good, o.profile = true;
	assert_false(gemp_nested_supports(cycle, &o));
	gemp_plan_free(cycle);
	gemp_plan_free(edge);
	gemp_plan_free(longest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(cycles_mark_the_first_row, make_graph),
		cmocka_unit_test_setup(twins_share_a_list, make_graph),
		cmocka_unit_test_setup(lists_are_as_long_as_parts_of_rows, make_graph),
		cmocka_unit_test_setup(cliques_narrow_their_lists, make_graph),
		cmocka_unit_test_setup(twins_are_levels_only_when_enumerated, make_graph),
		cmocka_unit_test_setup(others_are_not_taken, make_graph),
	};
	return test_main(tests);
}
