/* Planning has five parts: which edges get slots, the views and checks of edges, the restrictions that break
 * symmetries, the steps in matching order, and gemp_plan_new, which puts them together. A check belongs to the step
 * that binds the last vertex that the check needs.
 */

#include "pattern/plan/planner.h"

#include "core/random.h"
#include "pattern/plan/edge_conflicts.h"
#include "pattern/plan/matching_order.h"

#include <assert.h>
#include <string.h>

/* The state of planning: the vertices and edges that the steps so far have bound. */
typedef struct planner {
	gemp_plan *plan;
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_statistics *statistics;
	const gemp_plan_options *options;
	uint64_t bound;      /* vertices of the pattern that are bound */
	uint64_t done_edges; /* edges of the pattern that are bound or checked */
	uint64_t repeatable; /* vertices of the pattern that may have the image of another vertex */
	gemp_edge_conflicts conflicts;
} planner;

/* EDGE CHECKS */

/* Returns the pattern edges that get slots. Slots cost memory and an operator per edge, so edges have none unless the
 * results, parallel edges or conflicts need their identity. Either all edges get slots or none does: a tuple then
 * describes the whole match, and an automorphism maps slots to slots. */
static uint64_t find_live_edges(const planner *p)
{
	bool any = p->options->wanted_edges != 0 || p->conflicts.any;
	for (size_t e = 0; e < p->pattern->edge_count; e++)
		any |= p->statistics->parallel[e];
	uint64_t all = p->pattern->edge_count == 64 ? UINT64_MAX : GEMP_BIT(p->pattern->edge_count) - 1;
	return any ? all : 0;
}

/* Views are shared: two edges with equal relations and direction read the same adjacency. */
static gemp_code view_of(planner *p, const bool *relations, int direction, int *index)
{
	gemp_plan *plan = p->plan;
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
	GEMP_TRY(GEMP_COPY(view->relations, relations, plan->relation_count));
	view->direction = direction;
	view->simple = p->pattern->simple;
	view->edges = plan->live_edges != 0;
	*index = (int)plan->view_count++;
	return GEMP_OK;
}

/* Finds the view in which row(at) has the other end of the edge. */
static gemp_code edge_view(planner *p, const gemp_pattern_edge *edge, int at, int *index)
{
	int direction = edge->direction == GEMP_EITHER || p->pattern->simple ? 2 : edge->from == at ? 0 : 1;
	return view_of(p, edge->relations, direction, index);
}

/* The fixed capacity keeps a step one block of memory, which the plan's hash covers. */
static gemp_code add_check(gemp_step *step, int from, int to, int view, int edge, bool absent)
{
	if (step->check_count == GEMP_MAX_CHECKS)
		return gemp_fail(GEMP_EUSAGE,
		                 "a pattern vertex has more than %d edges and forbidden edges to test; "
		                 "use a smaller pattern",
		                 GEMP_MAX_CHECKS);
	step->checks[step->check_count++] = (gemp_check){ from, to, view, edge, absent };
	return GEMP_OK;
}

/* Finds the relations of the pattern that no pattern edge from `from` to `to` has. Induced matching forbids edges of
 * these relations there. Returns false if there are none. */
static bool find_uncovered(const planner *p, int from, int to, bool *relations)
{
	const gemp_pattern *pattern = p->pattern;
	size_t count = pattern->relation_count;
	memset(relations, 0, count);
	for (size_t e = 0; e < pattern->edge_count; e++)
		for (size_t r = 0; r < count; r++)
			relations[r] |= pattern->edges[e].relations[r];
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		bool along = edge->from == from && edge->to == to;
		bool against = edge->from == to && edge->to == from && (edge->direction == GEMP_EITHER || pattern->simple);
		if (along || against)
			for (size_t r = 0; r < count; r++)
				relations[r] &= !edge->relations[r];
	}
	return memchr(relations, true, count) != NULL;
}

/* The check passes if the row of `at` in this view does not have `to`. */
static gemp_code forbid_edge(planner *p, gemp_step *step, int at, int to, const bool *relations, int direction)
{
	int view;
	GEMP_TRY(view_of(p, relations, direction, &view));
	return add_check(step, at, to, view, -1, true);
}

/* The simple graph has no loops. One check of the undirected view forbids a relation in both directions. */
static gemp_code forbid_between(planner *p, gemp_step *step, int at, int v, bool *out_relations, bool *in_relations)
{
	size_t count = p->pattern->relation_count;
	bool out = find_uncovered(p, at, v, out_relations), in = at != v && find_uncovered(p, v, at, in_relations);
	if (at == v && p->pattern->simple)
		return GEMP_OK;
	if (out && in && !memcmp(out_relations, in_relations, count))
		return forbid_edge(p, step, at, v, out_relations, 2);
	if (out)
		GEMP_TRY(forbid_edge(p, step, at, v, out_relations, 0));
	if (in)
		GEMP_TRY(forbid_edge(p, step, at, v, in_relations, 1));
	return GEMP_OK;
}

/* Induced matching: forbids edges between v and each bound vertex, and loops at v. */
static gemp_code forbid_edges(planner *p, gemp_step *step, int v)
{
	GEMP_OWNED bool *out_relations = NULL, *in_relations = NULL;
	if (p->options->semantics != GEMP_INDUCED)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(out_relations, p->pattern->relation_count));
	GEMP_TRY(GEMP_NEW(in_relations, p->pattern->relation_count));
	for (int w = 0; w < (int)p->pattern->vertex_count; w++)
		if (p->bound & GEMP_BIT(w) || w == v)
			GEMP_TRY(forbid_between(p, step, w, v, out_relations, in_relations));
	return GEMP_OK;
}

/* EXISTS of an edge is tested as soon as both of its ends are bound. */
static gemp_code add_edge_tests(planner *p, gemp_step *step, int v)
{
	for (size_t i = 0; i < p->options->edge_test_count; i++) {
		const gemp_edge_test *test = &p->options->edge_tests[i];
		int other = test->from == v ? test->to : test->from, view;
		bool touches = test->from == v || test->to == v, out = test->from == other;
		if (!touches || !(p->bound & GEMP_BIT(other) || other == v))
			continue;
		GEMP_TRY(view_of(p, test->relations, test->either ? 2 : out ? 0 : 1, &view));
		GEMP_TRY(add_check(step, other, v, view, -1, test->absent));
	}
	return GEMP_OK;
}

/* True if orbit[0] should get the smallest slot of its orbit, which belongs to a vertex of the highest degree class.
 * This is so if some vertex of the orbit is not adjacent to orbit[0]: the other vertices then have larger slots, hence
 * lower degrees and shorter rows to extend. */
static bool hub_first(const gemp_pattern *pattern, const gemp_stab_chain *chain, size_t level)
{
	const int *orbit;
	size_t size = gemp_stab_chain_orbit(chain, level, &orbit);
	for (size_t i = 1; i < size; i++)
		if (!gemp_pattern_joins(pattern, orbit[0], orbit[i]))
			return true;
	return false;
}

/* A table of two-paths has numbers of paths, not the vertices in the middle. A level of the chain that restricts the
 * last vertex against a vertex other than the pivot is dropped, and each match is then counted once for every member of
 * the orbit. */
static bool drop_level(planner *p, const int *orbit, size_t members)
{
	const gemp_plan *plan = p->plan;
	int last = plan->steps[plan->step_count - 1].vertex;
	bool restricts = false;
	if (!plan->two_paths || orbit[0] == plan->pivot)
		return false;
	for (size_t i = 1; i < members; i++)
		restricts |= orbit[i] == last;
	if (restricts)
		p->plan->divisor *= members;
	return restricts;
}

/* The step that binds the later of two points restricts them. A strict order implies that they differ. */
static void restrict_step(gemp_step *step, int vertices, int first, int other, bool hub)
{
	if (other < vertices && step->kind != GEMP_BIND_EDGE && step->vertex == other) {
		uint64_t *mask = hub ? &step->greater : &step->less;
		*mask |= GEMP_BIT(first);
		step->differ &= ~GEMP_BIT(first);
	}
	if (other >= vertices && step->edge == other - vertices)
		step->edge_less |= GEMP_BIT(first - vertices);
}

/* Order restrictions along the matching order leave one embedding of each orbit (Grochow and Kellis 2007). */
static gemp_code break_symmetry(planner *p)
{
	gemp_plan *plan = p->plan;
	GEMP_OWNED_BY(gemp_stab_chain_free_at) gemp_stab_chain *chain = NULL;
	int base[GEMP_MAX_POINTS] = { 0 };
	size_t size = 0;
	for (size_t s = 0; s < plan->step_count; s++)
		if (plan->steps[s].kind != GEMP_BIND_EDGE)
			base[size++] = plan->steps[s].vertex;
	for (size_t s = 0; plan->live_edges && s < plan->step_count; s++)
		if (plan->steps[s].edge >= 0)
			base[size++] = plan->vertex_count + plan->steps[s].edge;
	GEMP_TRY(gemp_stab_chain_new(&chain, p->symmetry, base, size));
	for (size_t level = 0; level < size; level++) {
		const int *orbit;
		size_t members = gemp_stab_chain_orbit(chain, level, &orbit);
		bool hub = hub_first(p->pattern, chain, level);
		if (drop_level(p, orbit, members))
			continue;
		for (size_t i = 1; i < members; i++)
			for (size_t s = 0; s < plan->step_count; s++)
				restrict_step(&plan->steps[s], plan->vertex_count, orbit[0], orbit[i], hub);
	}
	plan->broken = true;
	return GEMP_OK;
}

/* Appends a step. Its edge must differ from the bound edges that could be the same host edge. */
static gemp_step *next_step(planner *p, gemp_operator kind, int vertex, int edge)
{
	gemp_step *step = &p->plan->steps[p->plan->step_count++];
	memset(step, 0, sizeof *step); /* the hash of a plan reads the whole step */
	step->kind = kind;
	step->vertex = vertex;
	step->edge = edge;
	if (edge >= 0)
		step->edges_differ = p->conflicts.of[edge] & p->done_edges;
	return step;
}

/* Binds or checks the EDGES between v, which is being bound, and bound vertices, and the loops at v. If edges are live,
 * an operator binds each of them; else edges are rows to intersect. Loops come last, since they need v's own row. */
static gemp_code bind_edges(planner *p, gemp_step *step, int v)
{
	const gemp_pattern *pattern = p->pattern;
	for (int loops = 0; loops <= 1; loops++)
		for (size_t e = 0; e < pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &pattern->edges[e];
			bool loop = edge->from == edge->to;
			int at = edge->from == v ? edge->to : edge->from, view;
			if ((edge->from != v && edge->to != v) || loop != (loops == 1) || p->done_edges & GEMP_BIT(e) ||
			    !(p->bound & GEMP_BIT(at) || at == v))
				continue;
			GEMP_TRY(edge_view(p, edge, at, &view));
			if (!p->plan->live_edges || (!loop && step->kind == GEMP_EXTEND && step->sources == 0)) {
				GEMP_TRY(add_check(step, at, v, view, (int)e, false));
				step->sources += !loop && step->kind == GEMP_EXTEND;
				if (p->plan->live_edges) {
					step->edge = (int)e;
					step->edges_differ = p->conflicts.of[e] & p->done_edges;
				}
			} else {
				gemp_step *bind = next_step(p, GEMP_BIND_EDGE, v, (int)e);
				GEMP_TRY(add_check(bind, at, v, view, (int)e, false));
			}
			p->done_edges |= GEMP_BIT(e);
		}
	return GEMP_OK;
}

/* Sets the tests of v against bound vertices that need no row. An order of keys implies that the keys differ. */
static void compare_vertices(planner *p, gemp_step *step, int v)
{
	const gemp_vertex_tests *tests = &p->options->tests;
	bool distinct = p->options->semantics == GEMP_ISO || p->options->semantics == GEMP_INDUCED;
	step->candidates = p->statistics->filtered[v];
	if (distinct && !(p->repeatable & GEMP_BIT(v)))
		step->differ = p->bound & ~p->repeatable;
	step->differ |= (tests->unequal[v] | p->conflicts.unequal[v]) & p->bound;
	step->same = tests->equal[v] & p->bound;
	step->key_less = tests->key_less[v] & p->bound;
	step->key_le = tests->key_le[v] & p->bound;
	for (int u = 0; u < p->plan->vertex_count; u++)
		if (p->bound & GEMP_BIT(u)) {
			step->key_greater |= tests->key_less[u] & GEMP_BIT(v) ? GEMP_BIT(u) : 0;
			step->key_ge |= tests->key_le[u] & GEMP_BIT(v) ? GEMP_BIT(u) : 0;
		}
	step->differ &= ~(step->key_less | step->key_greater);
	p->plan->keys |= (step->key_less | step->key_le | step->key_greater | step->key_ge) != 0;
}

/* Makes a SCAN for the pivot, or an EXTEND for another vertex, with the checks against bound vertices. */
static gemp_code bind_vertex(planner *p, int v)
{
	gemp_step *step = next_step(p, p->bound ? GEMP_EXTEND : GEMP_SCAN, v, -1);
	compare_vertices(p, step, v);
	GEMP_TRY(bind_edges(p, step, v));
	GEMP_TRY(forbid_edges(p, step, v));
	GEMP_TRY(add_edge_tests(p, step, v));
	p->bound |= GEMP_BIT(v);
	return GEMP_OK;
}

/* Arguments are bound without rows. The last argument makes all checks between them: all images are known there. */
static gemp_code bind_arguments(planner *p)
{
	gemp_plan *plan = p->plan;
	for (int v = 0; v < plan->arguments; v++) {
		compare_vertices(p, next_step(p, GEMP_ARGUMENT, v, -1), v);
		p->bound |= GEMP_BIT(v);
	}
	gemp_step *root = &plan->steps[plan->root];
	p->bound = 0;
	for (int v = 0; v < plan->arguments; v++) {
		GEMP_TRY(bind_edges(p, root, v));
		GEMP_TRY(forbid_edges(p, root, v));
		GEMP_TRY(add_edge_tests(p, root, v));
		p->bound |= GEMP_BIT(v);
	}
	return GEMP_OK;
}

/* Every vertex must be reachable from the first vertex or some argument: the search follows edges only. */
static gemp_code check_connection(const gemp_pattern *pattern)
{
	int part[GEMP_MAX_PATTERN_VERTICES], parts = gemp_pattern_components(pattern, part), v = 0;
	uint64_t reached = pattern->arguments ? 0 : GEMP_BIT(part[0]);
	for (size_t argument = 0; argument < pattern->arguments; argument++)
		reached |= GEMP_BIT(part[argument]);
	if (reached == GEMP_BIT(parts) - 1)
		return GEMP_OK;
	if (!pattern->arguments)
		return gemp_fail(GEMP_EUSAGE, "the pattern falls into several parts; join them by an edge");
	while (reached & GEMP_BIT(part[v]))
		v++;
	const char *name = pattern->vertices[v].name;
	return gemp_fail(GEMP_EUSAGE,
	                 "a part of EXISTS, COUNT or OPTIONAL MATCH hangs on no variable outside (the one with "
	                 "vertex %s); join it by an edge",
	                 name ? name : "()");
}

/* Finds the vertices that may have the image of another vertex. Paths of variable length are refused under induced. */
static gemp_code find_repeatable(planner *p)
{
	const gemp_pattern *pattern = p->pattern;
	for (size_t v = 0; v < pattern->vertex_count; v++)
		p->repeatable |= pattern->vertices[v].repeatable ? GEMP_BIT(v) : 0;
	if (p->repeatable && p->options->semantics == GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "paths of variable length have no meaning under semantics induced; use iso, "
		                              "edge-iso or hom");
	return GEMP_OK;
}

/* True if some test of the query compares v with another vertex, or tests an edge at v. */
static bool is_compared(const planner *p, size_t v)
{
	const gemp_vertex_tests *tests = &p->options->tests;
	uint64_t any = tests->unequal[v] | tests->equal[v] | tests->key_less[v] | tests->key_le[v];
	for (size_t u = 0; u < p->pattern->vertex_count; u++)
		any |= (tests->key_less[u] | tests->key_le[u]) & GEMP_BIT(v);
	for (size_t i = 0; i < p->options->edge_test_count; i++)
		any |= p->options->edge_tests[i].from == (int)v || p->options->edge_tests[i].to == (int)v;
	return any != 0;
}

/* allowed[v] becomes true if v has no comparison, no directed edge and no loop. table_cost tests the number of its
 * edges. */
static void may_use_two_paths(const planner *p, bool *allowed)
{
	bool counts = p->options->two_paths && !p->plan->live_edges && p->options->semantics != GEMP_INDUCED &&
	              p->pattern->vertex_count >= 4 && !p->plan->arguments && !p->repeatable;
	for (size_t v = 0; v < p->pattern->vertex_count; v++) {
		allowed[v] = counts && !is_compared(p, v);
		for (size_t e = 0; e < p->pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &p->pattern->edges[e];
			bool both_ways = edge->direction == GEMP_EITHER || p->pattern->simple;
			if (edge->from == (int)v || edge->to == (int)v)
				allowed[v] = allowed[v] && both_ways && edge->from != edge->to;
		}
	}
}

/* The table is indexed by the pivot, so its row must be checks[0] of the last step. */
static void sort_leaf(gemp_plan *plan)
{
	gemp_step *leaf = &plan->steps[plan->step_count - 1];
	if (plan->two_paths && leaf->checks[0].from != plan->pivot) {
		gemp_check other = leaf->checks[0];
		leaf->checks[0] = leaf->checks[1];
		leaf->checks[1] = other;
	}
}

/* An order of --order is checked, and its rows are estimated for --explain. */
static gemp_code choose_order(planner *p, const bool *allowed, int *order, double *rows)
{
	if (!p->options->order) {
		p->plan->two_paths = gemp_plan_order(p->pattern, p->statistics, p->options->pivot_off, allowed, order, rows);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_plan_check_order(p->pattern, p->options->order));
	memcpy(order, p->options->order, p->pattern->vertex_count * sizeof *order);
	gemp_plan_order_rows(p->pattern, p->statistics, order, rows);
	return GEMP_OK;
}

/* Ranks compare the hash before a run: a rank with another plan would send partial matches to wrong stages. */
static uint64_t hash_plan(const gemp_plan *plan)
{
	uint64_t hash = gemp_hash(plan->steps, plan->step_count * sizeof *plan->steps, plan->live_edges);
	for (size_t v = 0; v < plan->view_count; v++)
		hash = gemp_hash(plan->views[v].relations, plan->relation_count, hash + (uint64_t)plan->views[v].direction);
	return hash;
}

/* The order of the calls matters: live edges decide between checks and operators, the matching order fixes the chain's
 * base, and symmetry comes last, since it restricts finished steps. */
gemp_code gemp_plan_new(gemp_plan **out, const gemp_pattern *pattern, const gemp_symmetry *symmetry,
                        const gemp_statistics *statistics, const gemp_plan_options *options)
{
	GEMP_OWNED_BY(gemp_plan_free_at) gemp_plan *plan = NULL;
	int order[GEMP_MAX_PATTERN_VERTICES];
	double rows[GEMP_MAX_PATTERN_VERTICES];
	bool allowed[GEMP_MAX_PATTERN_VERTICES];
	assert(gemp_pattern_is_valid(pattern));
	plan = gemp_realloc(NULL, 1, sizeof *plan);
	if (!plan)
		return GEMP_ENOMEM;
	memset(plan, 0, offsetof(gemp_plan, steps));
	planner p = {
		.plan = plan, .pattern = pattern, .symmetry = symmetry, .statistics = statistics, .options = options
	};
	GEMP_TRY(check_connection(pattern));
	GEMP_TRY(find_repeatable(&p));
	gemp_edge_conflicts_find(&p.conflicts, pattern, statistics, options, p.repeatable);
	plan->relation_count = pattern->relation_count;
	plan->vertex_count = (int)pattern->vertex_count;
	plan->edge_count = (int)pattern->edge_count;
	plan->pivot_off = options->pivot_off && !pattern->arguments;
	plan->arguments = (int)pattern->arguments;
	plan->root = plan->arguments ? plan->arguments - 1 : 0;
	plan->group_order = gemp_symmetry_order(symmetry, &plan->group_overflow);
	plan->live_edges = find_live_edges(&p);
	may_use_two_paths(&p, allowed);
	plan->divisor = 1;
	GEMP_TRY(choose_order(&p, allowed, order, rows));
	plan->pivot = plan->arguments ? -1 : order[0];
	if (plan->arguments)
		GEMP_TRY(bind_arguments(&p));
	for (size_t step = 0; step < plan->step_count; step++)
		plan->steps[step].rows = 1;
	for (int i = plan->arguments; i < plan->vertex_count; i++) {
		size_t step = plan->step_count;
		GEMP_TRY(bind_vertex(&p, order[i]));
		for (; step < plan->step_count; step++)
			plan->steps[step].rows = rows[i];
	}
	sort_leaf(plan);
	if (options->break_symmetry && !p.repeatable) /* repeatable vertices may have equal images, which have no order */
		GEMP_TRY(break_symmetry(&p));
	plan->hash = hash_plan(plan);
	*out = plan;
	plan = NULL;
	return GEMP_OK;
}
