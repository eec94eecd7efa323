#include "pattern/plan/edge_checks.h"

#include "core/memory.h"

#include <string.h>

/* Whether edges e and f can be the same host edge as far as their relations allow it. */
static bool types_overlap(const gemp_pattern *pattern, const gemp_pattern_edge *e, const gemp_pattern_edge *f)
{
	for (size_t r = 0; !pattern->simple && r < pattern->relation_count; r++)
		if (e->relations[r] && f->relations[r])
			return true;
	return pattern->simple;
}

/* May two pattern vertices be the same host vertex? */
static bool may_be_equal(const gemp_planner *p, int u, int v)
{
	return u == v || (p->repeatable & (GEMP_BIT(u) | GEMP_BIT(v))) != 0;
}

/* Under iso two edges are the same host edge only if their ends can coincide. */
static bool may_share_ends(const gemp_planner *p, const gemp_pattern_edge *e, const gemp_pattern_edge *f)
{
	bool either = p->pattern->simple || e->direction == GEMP_EITHER || f->direction == GEMP_EITHER;
	return (may_be_equal(p, e->from, f->from) && may_be_equal(p, e->to, f->to)) ||
	       (either && may_be_equal(p, e->from, f->to) && may_be_equal(p, e->to, f->from));
}

/* Homomorphisms let all edges coincide; edge-iso compares all edges with common relations. */
uint64_t gemp_plan_edge_conflicts(const gemp_planner *p, size_t e)
{
	const gemp_pattern_edge *edges = p->pattern->edges;
	uint64_t mask = 0;
	if (p->options->semantics == GEMP_HOM)
		return 0;
	for (size_t f = 0; f < p->pattern->edge_count; f++)
		if (f != e && types_overlap(p->pattern, &edges[e], &edges[f]) &&
		    (p->options->semantics == GEMP_EDGE_ISO || may_share_ends(p, &edges[e], &edges[f])))
			mask |= GEMP_BIT(f);
	return mask;
}

/* Slots cost memory and an operator per edge, so edges have none unless the results, parallel edges or conflicts
 * need their identity. */
uint64_t gemp_plan_live_edges(const gemp_planner *p)
{
	bool any = p->options->wanted_edges != 0;
	for (size_t e = 0; e < p->pattern->edge_count; e++)
		any |= p->statistics->parallel[e] || gemp_plan_edge_conflicts(p, e) != 0;
	if (!any)
		return 0;
	return p->pattern->edge_count == 64 ? UINT64_MAX : GEMP_BIT(p->pattern->edge_count) - 1;
}

/* Views are shared: two edges with equal relations and direction read the same adjacency. */
static gemp_code view_of(gemp_planner *p, const bool *relations, int direction, int *index)
{
	gemp_plan *plan = p->plan;
	bool edges = plan->live_edges != 0;
	for (size_t v = 0; v < plan->view_count; v++)
		if (plan->views[v].direction == direction &&
		    !memcmp(plan->views[v].relations, relations, plan->relation_count)) {
			*index = (int)v;
			return GEMP_OK;
		}
	if (plan->view_count == GEMP_MAX_VIEWS)
		return gemp_fail(GEMP_EUSAGE,
		                 "the query needs more than %d different sets of relations and directions; "
		                 "split it",
		                 GEMP_MAX_VIEWS);
	gemp_plan_view *view = &plan->views[plan->view_count];
	if (GEMP_NEW(view->relations, plan->relation_count) != GEMP_OK)
		return GEMP_ENOMEM;
	memcpy(view->relations, relations, plan->relation_count);
	view->direction = direction;
	view->simple = p->pattern->simple;
	view->edges = edges;
	*index = (int)plan->view_count++;
	return GEMP_OK;
}

gemp_code gemp_plan_edge_view(gemp_planner *p, const gemp_pattern_edge *edge, int at, int *index)
{
	int direction = edge->direction == GEMP_EITHER || p->pattern->simple ? 2 : edge->from == at ? 0 : 1;
	return view_of(p, edge->relations, direction, index);
}

/* The fixed capacity keeps a step one block of memory, which the plan's hash covers. */
gemp_code gemp_plan_add_check(gemp_step *step, int from, int to, int view, int edge, bool absent)
{
	if (step->check_count == GEMP_MAX_CHECKS)
		return gemp_fail(GEMP_EUSAGE,
		                 "a pattern vertex has more than %d edges and forbidden edges to test; "
		                 "use a smaller pattern",
		                 GEMP_MAX_CHECKS);
	step->checks[step->check_count++] = (gemp_check){ from, to, view, edge, absent };
	return GEMP_OK;
}

/* The relations that occur in the pattern but are not asked for from `from` to `to`: induced matching forbids their
 * edges there. */
static bool find_uncovered(const gemp_planner *p, int from, int to, bool *relations)
{
	const gemp_pattern *pattern = p->pattern;
	size_t count = pattern->relation_count;
	memset(relations, 0, count);
	for (size_t e = 0; e < pattern->edge_count; e++)
		for (size_t r = 0; r < count; r++)
			relations[r] |= pattern->edges[e].relations[r];
	bool any = false;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		bool along = edge->from == from && edge->to == to;
		bool against = edge->from == to && edge->to == from && (edge->direction == GEMP_EITHER || pattern->simple);
		if (along || against)
			for (size_t r = 0; r < count; r++)
				relations[r] &= !edge->relations[r];
	}
	for (size_t r = 0; r < count; r++)
		any |= relations[r];
	return any;
}

static gemp_code forbid_edge(gemp_planner *p, gemp_step *step, int at, int to, const bool *relations, int direction)
{
	int view;
	gemp_code code = view_of(p, relations, direction, &view);
	return code != GEMP_OK ? code : gemp_plan_add_check(step, at, to, view, -1, true);
}

/* A loop of the simple graph does not exist. Where the same relations are forbidden in both directions, one check
 * of the undirected view is enough. */
static gemp_code forbid_between(gemp_planner *p, gemp_step *step, int at, int v, bool *out_relations,
                                bool *in_relations)
{
	size_t count = p->pattern->relation_count;
	bool out = find_uncovered(p, at, v, out_relations), in = at != v && find_uncovered(p, v, at, in_relations);
	if (at == v && p->pattern->simple)
		return GEMP_OK;
	if (out && in && !memcmp(out_relations, in_relations, count))
		return forbid_edge(p, step, at, v, out_relations, 2);
	if (out)
		GEMP_PROPAGATE(forbid_edge(p, step, at, v, out_relations, 0));
	if (in)
		GEMP_PROPAGATE(forbid_edge(p, step, at, v, in_relations, 1));
	return GEMP_OK;
}

/* Induced matching: between v and each bound vertex, and at v itself. */
static gemp_code forbid_edges(gemp_planner *p, gemp_step *step, int v)
{
	GEMP_OWNED bool *out_relations = NULL, *in_relations = NULL;
	if (p->options->semantics != GEMP_INDUCED)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(out_relations, p->pattern->relation_count));
	GEMP_PROPAGATE(GEMP_NEW(in_relations, p->pattern->relation_count));
	for (int w = 0; w < (int)p->pattern->vertex_count; w++)
		if (p->bound & GEMP_BIT(w) || w == v)
			GEMP_PROPAGATE(forbid_between(p, step, w, v, out_relations, in_relations));
	return GEMP_OK;
}

/* EXISTS of an edge is tested as soon as both of its ends are bound. */
static gemp_code add_edge_tests(gemp_planner *p, gemp_step *step, int v)
{
	for (size_t i = 0; i < p->options->edge_test_count; i++) {
		const gemp_edge_test *test = &p->options->edge_tests[i];
		int other = test->from == v ? test->to : test->from, view;
		bool touches = test->from == v || test->to == v, out = test->from == other;
		if (!touches || !(p->bound & GEMP_BIT(other) || other == v))
			continue;
		GEMP_PROPAGATE(view_of(p, test->relations, test->either ? 2 : out ? 0 : 1, &view));
		GEMP_PROPAGATE(gemp_plan_add_check(step, other, v, view, -1, test->absent));
	}
	return GEMP_OK;
}

gemp_code gemp_plan_test_edges(gemp_planner *p, gemp_step *step, int v)
{
	gemp_code code = forbid_edges(p, step, v);
	return code == GEMP_OK ? add_edge_tests(p, step, v) : code;
}
