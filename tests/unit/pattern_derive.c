/* Tests patterns derived from other patterns: variants of variable-length paths, subpatterns, and the automorphisms
 * that these keep. */
#include "core/memory.h"
#include "core/status.h"
#include "harness/harness.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/derive.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

#include <string.h>

/* Makes a pattern in which each edge with a bit in `paths` is a path of length least..most. */
static gemp_pattern *with_paths(const char *text, uint64_t paths, uint32_t least, uint32_t most)
{
	gemp_pattern *pattern;
	assert_int_equal(gemp_pattern_parse(&pattern, text, NULL), GEMP_OK);
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (paths >> e & 1) {
			pattern->edges[e].path = true;
			pattern->edges[e].min_hops = least;
			pattern->edges[e].max_hops = most;
		}
	return pattern;
}

static void a_path_becomes_edges_through_free_vertices(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a:A)-[:S]->(b), (b)-[:T]->(c) WHERE a.x < c.x", 1, 1, 3);
	const uint32_t length[] = { 3, 1 };
	gemp_derived d;
	bool impossible;
	assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_ISO, &impossible), GEMP_OK);
	assert_false(impossible);
	assert_int_equal(d.pattern->vertex_count, 5);
	assert_int_equal(d.pattern->edge_count, 4);
	assert_int_equal(d.pattern->condition_count, 2);
	for (int v = 0; v < 3; v++) {
		assert_int_equal(d.vertex[v], v);
		assert_false(d.pattern->vertices[v].repeatable);
	}
	assert_true(d.pattern->vertices[3].repeatable && d.pattern->vertices[4].repeatable);
	assert_int_equal(d.path[0], 3);
	/* plain edges first, then the path a -> 3 -> 4 -> b */
	assert_int_equal(d.edge[1], 0);
	assert_string_equal(d.pattern->edges[0].types[0], "T");
	const int chain[] = { 0, 3, 4, 1 };
	for (int i = 0; i < 3; i++) {
		const gemp_pattern_edge *edge = &d.pattern->edges[d.edge[0] + i];
		assert_int_equal(edge->from, chain[i]);
		assert_int_equal(edge->to, chain[i + 1]);
		assert_string_equal(edge->types[0], "S");
		assert_false(edge->path);
	}
	gemp_derived_free(&d);
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void length_zero_makes_one_vertex_of_two(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a)-[:S]->(b)-[:T]->(c) WHERE b.x > 1", 1, 0, 1);
	const uint32_t length[] = { 0, 1 };
	gemp_derived d;
	bool impossible;
	assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_ISO, &impossible), GEMP_OK);
	assert_true(impossible);
	assert_null(d.pattern);
	assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_HOM, &impossible), GEMP_OK);
	assert_false(impossible);
	assert_int_equal(d.pattern->vertex_count, 2);
	assert_int_equal(d.pattern->edge_count, 1);
	assert_int_equal(d.vertex[0], d.vertex[1]);
	assert_int_equal(d.pattern->edges[0].from, d.vertex[1]);
	assert_int_equal(d.pattern->edges[0].to, d.vertex[2]);
	assert_int_equal(d.pattern->conditions[0].vertices, 1u << d.vertex[1]);
	gemp_derived_free(&d);
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void two_given_vertices_stay_two(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a)-[:S]->(b)", 1, 0, 1);
	const uint32_t length[] = { 0 };
	gemp_derived d;
	bool impossible;
	pattern->arguments = 2;
	assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_EDGE_ISO, &impossible), GEMP_OK);
	assert_int_equal(d.pattern->vertex_count, 2);
	assert_int_equal(d.pattern->edge_count, 0);
	assert_int_equal(d.pattern->condition_count, 1);
	assert_int_equal(d.pattern->conditions[0].expr->kind, GEMP_EQ);
	assert_int_equal(d.pattern->conditions[0].vertices, 3);
	gemp_derived_free(&d);
	gemp_pattern_free(pattern);
}

static void a_path_turns_round(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a)-[:S]-(b)", 1, 1, 4);
	const uint32_t length[] = { 4 };
	gemp_derived d;
	gemp_symmetry *symmetry;
	bool impossible, overflow;
	assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_ISO, &impossible), GEMP_OK);
	assert_int_equal(gemp_variant_symmetry(&symmetry, pattern, length, &d), GEMP_OK);
	assert_int_equal(gemp_symmetry_order(symmetry, &overflow), 2);
	assert_int_equal(symmetry->points, 5 + 4);
	assert_int_equal(symmetry->count, 1);
	const int turned[] = { 1, 0, 4, 3, 2, 8, 7, 6, 5 }, *images = symmetry->images;
	for (int i = 0; i < 9; i++)
		assert_int_equal(images[i], turned[i]);
	gemp_symmetry_free(symmetry);
	gemp_derived_free(&d);
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void one_of_each_class_of_lengths_comes_first(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a)-[:S]-(b)-[:S]-(c)", 3, 1, 3);
	gemp_symmetry *symmetry;
	assert_int_equal(gemp_automorphism_find(&symmetry, pattern, true), GEMP_OK);
	for (uint32_t i = 1; i <= 3; i++)
		for (uint32_t j = 1; j <= 3; j++) {
			const uint32_t length[] = { i, j };
			bool first;
			assert_int_equal(gemp_variant_is_canonical(symmetry, pattern, length, &first), GEMP_OK);
			assert_int_equal(first, i <= j);
		}
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void unequal_lengths_break_the_symmetry(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a)-[:S]-(b)-[:S]-(c)", 3, 1, 3);
	for (uint32_t j = 1; j <= 2; j++) {
		const uint32_t length[] = { 1, j };
		gemp_derived d;
		gemp_symmetry *symmetry;
		bool impossible, overflow;
		assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_ISO, &impossible), GEMP_OK);
		assert_int_equal(gemp_variant_symmetry(&symmetry, pattern, length, &d), GEMP_OK);
		assert_int_equal(gemp_symmetry_order(symmetry, &overflow), j == 1 ? 2 : 1);
		gemp_symmetry_free(symmetry);
		gemp_derived_free(&d);
	}
	gemp_pattern_free(pattern);
}

/* Paths of equal length are not exchangeable if their bounds differ. */
static void bounds_break_the_symmetry(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a)-[:S]-(b)-[:S]-(c)", 3, 1, 3);
	const uint32_t length[] = { 2, 2 };
	for (uint32_t most = 3; most <= 4; most++) {
		gemp_derived d;
		gemp_symmetry *symmetry;
		bool impossible, overflow;
		pattern->edges[1].max_hops = most;
		assert_int_equal(gemp_pattern_variant(&d, pattern, length, GEMP_ISO, &impossible), GEMP_OK);
		assert_int_equal(gemp_variant_symmetry(&symmetry, pattern, length, &d), GEMP_OK);
		assert_int_equal(gemp_symmetry_order(symmetry, &overflow), most == 3 ? 2 : 1);
		gemp_symmetry_free(symmetry);
		gemp_derived_free(&d);
	}
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void parts_take_their_conditions_along(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a:A)-[:S]->(b), (b)-[:T]->(c) WHERE a.x < b.x AND c.y = 2 AND a.x > c.x",
	                                   0, 1, 1);
	const int part[] = { 0, 0, 1 };
	gemp_derived d;
	/* without the second edge c is isolated; the edge is restored before the pattern is freed */
	pattern->edge_count = 1;
	assert_int_equal(gemp_pattern_component(&d, pattern, part, 0), GEMP_OK);
	assert_int_equal(d.pattern->vertex_count, 2);
	assert_int_equal(d.pattern->edge_count, 1);
	assert_int_equal(d.pattern->condition_count, 2);
	assert_int_equal(d.vertex[2], -1);
	gemp_derived_free(&d);
	assert_int_equal(gemp_pattern_component(&d, pattern, part, 1), GEMP_OK);
	assert_int_equal(d.pattern->vertex_count, 1);
	assert_int_equal(d.pattern->edge_count, 0);
	assert_int_equal(d.pattern->condition_count, 1);
	assert_int_equal(d.pattern->conditions[0].vertices, 1);
	assert_int_equal(d.vertex[2], 0);
	gemp_derived_free(&d);
	pattern->edge_count = 2;
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void memory_may_fail_anywhere(void **state)
{
	(void)state;
	gemp_pattern *pattern = with_paths("MATCH (a:A)-[:S]-(b)-[:S]-(c) WHERE b.x > 3", 3, 1, 3);
	const uint32_t length[] = { 2, 2 };
	size_t before = gemp_memory_blocks();
	gemp_code code = GEMP_ENOMEM;
	for (long after = 0; code != GEMP_OK; after++) {
		gemp_derived d;
		gemp_symmetry *symmetry = NULL;
		bool impossible;
		assert_true(after < 1000);
		gemp_memory_fail_after(after);
		code = gemp_pattern_variant(&d, pattern, length, GEMP_ISO, &impossible);
		if (code == GEMP_OK)
			code = gemp_variant_symmetry(&symmetry, pattern, length, &d);
		gemp_memory_fail_after(-1);
		gemp_symmetry_free(symmetry);
		gemp_derived_free(&d);
		assert_true(code == GEMP_OK || code == GEMP_ENOMEM);
		assert_int_equal(gemp_memory_blocks(), before);
	}
	gemp_pattern_free(pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_becomes_edges_through_free_vertices),
		cmocka_unit_test(length_zero_makes_one_vertex_of_two),
		cmocka_unit_test(two_given_vertices_stay_two),
		cmocka_unit_test(a_path_turns_round),
		cmocka_unit_test(one_of_each_class_of_lengths_comes_first),
		cmocka_unit_test(unequal_lengths_break_the_symmetry),
		cmocka_unit_test(bounds_break_the_symmetry),
		cmocka_unit_test(parts_take_their_conditions_along),
		cmocka_unit_test(memory_may_fail_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
