#include "query/search/pattern_tree.h"

#include "core/bitset.h"
#include "count/typed_graph.h"
#include "match/filter/computed_columns.h"
#include "match/planner/plan_rows.h"

/* THE TREE */

bool gemp_pattern_tree(const gemp_pattern *pattern, int root, gemp_tree_vertex *tree, int *at)
{
	size_t count = 1;
	if (pattern->edge_count + 1 != pattern->vertex_count)
		return false;
	for (size_t v = 0; v < pattern->vertex_count; v++)
		at[v] = (int)v == root ? 0 : -1;
	tree[0] = (gemp_tree_vertex){ .parent = -1 };
	for (bool more = true; more;) {
		more = false;
		for (size_t e = 0; e < pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &pattern->edges[e];
			const bool back = at[edge->from] < 0;
			const int child = back ? edge->from : edge->to, parent = back ? edge->to : edge->from;
			if (at[child] >= 0 || at[parent] < 0)
				continue;
			tree[count] = (gemp_tree_vertex){ .parent = at[parent], .key = gemp_pattern_edge_key(pattern, edge, back) };
			at[child] = (int)count++;
			more = true;
		}
	}
	return count == pattern->vertex_count;
}

bool gemp_pattern_has_vertex_conditions(const gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		if (__builtin_popcountll(condition->vertices) != 1 || condition->edges ||
		    gemp_expr_has_subpattern(condition->expr) || !gemp_filter_has_kernels(condition->expr))
			return false;
	}
	return true;
}

bool gemp_pattern_tables_fit(const gemp_runtime *context, const gemp_shard *graph, size_t tables)
{
	const size_t budget = context->budgets.host_memory;
	return !budget || graph->vertex_count <= budget / 4 / sizeof(uint64_t) / tables;
}

/* DIFFERENT ELEMENTS */

static bool have_common(const gemp_candidates *candidates, int a, int b)
{
	const uint32_t *x = candidates->bits[a], *y = candidates->bits[b];
	if (a == b || !x || !y)
		return true;
	for (size_t w = 0; w < candidates->words; w++)
		if (x[w] & y[w])
			return true;
	return false;
}

/* True if one edge of the graph can be the image of both edges. */
static bool edges_can_meet(const gemp_pattern *pattern, const gemp_candidates *candidates, const gemp_pattern_edge *a,
                           const gemp_pattern_edge *b)
{
	bool types = false;
	for (size_t r = 0; r < pattern->relation_count; r++)
		types |= a->relations[r] && b->relations[r];
	const bool turned = a->direction == GEMP_EITHER || b->direction == GEMP_EITHER;
	return types && a->match == b->match &&
	       ((have_common(candidates, a->from, b->from) && have_common(candidates, a->to, b->to)) ||
	        (turned && have_common(candidates, a->from, b->to) && have_common(candidates, a->to, b->from)));
}

bool gemp_pattern_differs_by_candidates(const gemp_pattern *pattern, const gemp_candidates *candidates,
                                        gemp_semantics semantics)
{
	for (size_t a = 0; a < pattern->vertex_count && semantics != GEMP_HOM && semantics != GEMP_EDGE_ISO; a++)
		for (size_t b = 0; b < a; b++)
			if (!pattern->vertices[a].repeatable && !pattern->vertices[b].repeatable &&
			    have_common(candidates, (int)a, (int)b))
				return false;
	for (size_t a = 0; a < pattern->edge_count && semantics == GEMP_EDGE_ISO; a++)
		for (size_t b = 0; b < a; b++)
			if (edges_can_meet(pattern, candidates, &pattern->edges[a], &pattern->edges[b]))
				return false;
	return true;
}

/* CANDIDATES */

/* True if each vertex of the graph that is an end of one of the vertex's edges passes the test of labels. */
static bool is_implied(const gemp_pattern *pattern, const gemp_shard *graph, const gemp_expr *test)
{
	if (test->kind != GEMP_HAS_LABEL || test->of_edge)
		return false;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		const bool either = edge->direction == GEMP_EITHER;
		if ((edge->from == test->variable &&
		     gemp_relations_imply(graph, edge->relations, either, false, test->label_sets)) ||
		    (edge->to == test->variable &&
		     gemp_relations_imply(graph, edge->relations, either, true, test->label_sets)))
			return true;
	}
	return false;
}

uint64_t gemp_pattern_implied_vertices(const gemp_pattern *pattern, const gemp_shard *graph)
{
	uint64_t vertices = UINT64_MAX;
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (!is_implied(pattern, graph, pattern->conditions[i].expr))
			vertices &= ~pattern->conditions[i].vertices;
	return vertices;
}

gemp_code gemp_pattern_candidates(gemp_candidates *out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, gemp_semantics semantics,
                                  const gemp_condition *const *conditions, size_t count)
{
	gemp_filter *filter;
	GEMP_TRY(gemp_filter_new(&filter, context, true));
	gemp_filter_count_loops(filter, gemp_degree_loops(semantics));
	const gemp_code code = gemp_candidates_new(out, context, filter, graph, pattern, conditions, count);
	gemp_filter_free(filter);
	return code;
}
