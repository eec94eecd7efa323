#include "pattern/plan.h"

#include "core/memory.h"
#include "core/random.h"
#include "pattern/plan_build.h"
#include "pattern/plan_order.h"

#include <string.h>

static gemp_step *next_step(gemp_planner *p, gemp_operator kind, int vertex, int edge)
{
	gemp_step *step = &p->plan->steps[p->plan->step_count++];
	step->kind = kind;
	step->vertex = vertex;
	step->edge = edge;
	if (edge >= 0)
		step->edges_differ = gemp_plan_rivals(p, (size_t)edge) & p->settled;
	return step;
}

static int other_end(const gemp_pattern_edge *edge, int vertex)
{
	return edge->from == vertex ? edge->to : edge->from;
}

/* EDGES between v (being bound) and bound vertices, and loops at v. Over a multi view each is bound by an operator of its
 * own; over a view without slots they are rows to intersect. */
static gemp_code settle_edges(gemp_planner *p, gemp_step *step, int v)
{
	gemp_code code = GEMP_OK;
	const gemp_pattern *pattern = p->pattern;
	for (int loops = 0; loops <= 1; loops++)
		for (size_t e = 0; e < pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &pattern->edges[e];
			bool loop = edge->from == edge->to;
			int at = loop ? v : other_end(edge, v), view;
			if ((edge->from != v && edge->to != v) || loop != (loops == 1) || p->settled & GEMP_BIT(e) ||
			    !(p->bound & GEMP_BIT(at) || at == v))
				continue;
			GEMP_TRY(gemp_plan_edge_view(p, edge, at, &view));
			if (!p->plan->live_edges || (!loop && step->kind == GEMP_EXTEND && step->sources == 0)) {
				GEMP_TRY(gemp_plan_add_check(step, at, v, view, (int)e, false));
				step->sources += !loop && step->kind == GEMP_EXTEND;
				if (p->plan->live_edges) {
					step->edge = (int)e;
					step->edges_differ = gemp_plan_rivals(p, e) & p->settled;
				}
			} else {
				gemp_step *bind = next_step(p, GEMP_BIND_EDGE, v, (int)e);
				GEMP_TRY(gemp_plan_add_check(bind, at, v, view, (int)e, false));
			}
			p->settled |= GEMP_BIT(e);
		}
done:
	return code;
}

/* TESTS of v against bound vertices that need no row. */
static void compare_vertices(gemp_planner *p, gemp_step *step, int v)
{
	const gemp_vertex_tests *tests = &p->options->tests;
	bool distinct = p->options->semantics == GEMP_ISO || p->options->semantics == GEMP_INDUCED;
	step->candidates = p->statistics->filtered[v];
	if (distinct && !(p->free & GEMP_BIT(v)))
		step->differ = p->bound & ~p->free;
	step->differ |= tests->unequal[v] & p->bound;
	step->same = tests->equal[v] & p->bound;
	step->key_less = tests->key_less[v] & p->bound;
	step->key_most = tests->key_most[v] & p->bound;
	for (int u = 0; u < p->plan->vertex_count; u++)
		if (p->bound & GEMP_BIT(u)) {
			step->key_greater |= tests->key_less[u] & GEMP_BIT(v) ? GEMP_BIT(u) : 0;
			step->key_least |= tests->key_most[u] & GEMP_BIT(v) ? GEMP_BIT(u) : 0;
		}
	step->differ &= ~(step->key_less | step->key_greater);
	p->plan->keys |= (step->key_less | step->key_most | step->key_greater | step->key_least) != 0;
}

static gemp_code bind_vertex(gemp_planner *p, int v)
{
	gemp_code code = GEMP_OK;
	gemp_step *step = next_step(p, p->bound ? GEMP_EXTEND : GEMP_SCAN, v, -1);
	compare_vertices(p, step, v);
	GEMP_TRY(settle_edges(p, step, v));
	GEMP_TRY(gemp_plan_test_edges(p, step, v));
	p->bound |= GEMP_BIT(v);
done:
	return code;
}

/* All that is asked of given vertices alone stands at the last of them. */
static gemp_code bind_given(gemp_planner *p)
{
	gemp_code code = GEMP_OK;
	gemp_plan *plan = p->plan;
	for (int v = 0; v < plan->given; v++) {
		compare_vertices(p, next_step(p, GEMP_GIVEN, v, -1), v);
		p->bound |= GEMP_BIT(v);
	}
	gemp_step *root = &plan->steps[plan->root];
	p->bound = 0;
	for (int v = 0; v < plan->given; v++) {
		GEMP_TRY(settle_edges(p, root, v));
		GEMP_TRY(gemp_plan_test_edges(p, root, v));
		p->bound |= GEMP_BIT(v);
	}
done:
	return code;
}

/* CONNECTION: every vertex is reached from the first, or from a given one. */
static gemp_code check_connection(const gemp_pattern *pattern)
{
	uint64_t reached = pattern->given ? GEMP_BIT(pattern->given) - 1 : 1, before = 0;
	uint64_t all = GEMP_BIT(pattern->vertex_count) - 1;
	while (reached != before) {
		before = reached;
		for (size_t e = 0; e < pattern->edge_count; e++) {
			uint64_t ends = GEMP_BIT(pattern->edges[e].from) | GEMP_BIT(pattern->edges[e].to);
			reached |= reached & ends ? ends : 0;
		}
	}
	if (reached == all)
		return GEMP_OK;
	if (!pattern->given)
		return gemp_fail(GEMP_EUSAGE, "the pattern falls into several parts; join them by an edge");
	int v = __builtin_ctzll(all & ~reached);
	const char *name = pattern->vertices[v].name;
	return gemp_fail(GEMP_EUSAGE, "a part of EXISTS, COUNT or OPTIONAL MATCH hangs on no variable outside (the one with "
	                 "vertex %s); join it by an edge", name ? name : "()");
}

/* Bits of vertices that may be any others too. */
static gemp_code find_free(gemp_planner *p)
{
	const gemp_pattern *pattern = p->pattern;
	for (size_t v = 0; v < pattern->vertex_count; v++)
		p->free |= pattern->vertices[v].free ? GEMP_BIT(v) : 0;
	if (p->free && p->options->semantics == GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "paths of variable length have no meaning under --semantics induced; use iso, "
		                 "edge-iso or hom");
	return GEMP_OK;
}

/* Restrictions compare images of exchangeable vertices, which for free ones may be equal. */
static bool may_break(const gemp_planner *p)
{
	return p->options->break_symmetry && !p->free;
}

static bool compared(const gemp_planner *p, size_t v)
{
	const gemp_vertex_tests *tests = &p->options->tests;
	uint64_t any = tests->unequal[v] | tests->equal[v] | tests->key_less[v] | tests->key_most[v];
	for (size_t u = 0; u < p->pattern->vertex_count; u++)
		any |= (tests->key_less[u] | tests->key_most[u]) & GEMP_BIT(v);
	for (size_t i = 0; i < p->options->edge_test_count; i++)
		any |= p->options->edge_tests[i].from == (int)v || p->options->edge_tests[i].to == (int)v;
	return any != 0;
}

/* TWO-PATHS: vertices that may be left to a table: nothing but two rows and distinctness binds them. */
static void may_leave(const gemp_planner *p, bool *may)
{
	bool counts = p->options->two_paths && !p->plan->live_edges && p->options->semantics != GEMP_INDUCED &&
	              p->pattern->vertex_count >= 4 && !p->plan->given && !p->free;
	for (size_t v = 0; v < p->pattern->vertex_count; v++) {
		may[v] = counts && !compared(p, v);
		for (size_t e = 0; e < p->pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &p->pattern->edges[e];
			bool both_ways = edge->direction == GEMP_EITHER || p->pattern->simple;
			if (edge->from == (int)v || edge->to == (int)v)
				may[v] = may[v] && both_ways && edge->from != edge->to;
		}
	}
}

/* The pivot's row first. */
static void sort_leaf(gemp_plan *plan)
{
	gemp_step *leaf = &plan->steps[plan->step_count - 1];
	if (plan->two_paths && leaf->checks[0].from != plan->pivot) {
		gemp_check other = leaf->checks[0];
		leaf->checks[0] = leaf->checks[1];
		leaf->checks[1] = other;
	}
}

static gemp_code choose_order(gemp_planner *p, const bool *may, int *order, double *rows)
{
	gemp_code code = GEMP_OK;
	if (!p->options->order) {
		p->plan->two_paths = gemp_plan_order(p->pattern, p->statistics, p->options->pivot_off, may, order, rows);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_plan_check_order(p->pattern, p->options->order));
	memcpy(order, p->options->order, p->pattern->vertex_count * sizeof *order);
	gemp_plan_order_rows(p->pattern, p->statistics, order, rows);
done:
	return code;
}

static uint64_t hash_plan(const gemp_plan *plan)
{
	uint64_t hash = gemp_hash(plan->steps, plan->step_count * sizeof *plan->steps, plan->live_edges);
	for (size_t v = 0; v < plan->view_count; v++)
		hash = gemp_hash(plan->views[v].relations, plan->relation_count, hash + (uint64_t)plan->views[v].direction);
	return hash;
}

gemp_code gemp_plan_new(gemp_plan **out, const gemp_pattern *pattern, const gemp_symmetry *symmetry,
                        const gemp_statistics *statistics, const gemp_plan_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_plan *plan = NULL;
	int order[GEMP_MAX_PATTERN_VERTICES];
	double rows[GEMP_MAX_PATTERN_VERTICES];
	bool may[GEMP_MAX_PATTERN_VERTICES];
	GEMP_TRY(GEMP_NEW(plan, 1));
	gemp_planner p = { .plan = plan, .pattern = pattern, .symmetry = symmetry, .statistics = statistics,
		.options = options };
	GEMP_TRY(check_connection(pattern));
	GEMP_TRY(find_free(&p));
	plan->relation_count = pattern->relation_count;
	plan->vertex_count = (int)pattern->vertex_count;
	plan->edge_count = (int)pattern->edge_count;
	plan->pivot_off = options->pivot_off && !pattern->given;
	plan->given = (int)pattern->given;
	plan->root = plan->given ? plan->given - 1 : 0;
	plan->group_order = gemp_symmetry_order(symmetry, &plan->group_overflow);
	plan->live_edges = gemp_plan_live_edges(&p);
	may_leave(&p, may);
	plan->divisor = 1;
	GEMP_TRY(choose_order(&p, may, order, rows));
	plan->pivot = plan->given ? -1 : order[0];
	if (plan->given)
		GEMP_TRY(bind_given(&p));
	for (size_t step = 0; step < plan->step_count; step++)
		plan->steps[step].rows = 1;
	for (int i = plan->given; i < plan->vertex_count; i++) {
		size_t step = plan->step_count;
		GEMP_TRY(bind_vertex(&p, order[i]));
		for (; step < plan->step_count; step++)
			plan->steps[step].rows = rows[i];
	}
	sort_leaf(plan);
	if (may_break(&p))
		GEMP_TRY(gemp_plan_break_symmetry(&p));
	plan->hash = hash_plan(plan);
	*out = plan;
	plan = NULL;
done:
	gemp_plan_free(plan);
	return code;
}

void gemp_plan_free(gemp_plan *plan)
{
	if (!plan)
		return;
	for (size_t v = 0; v < plan->view_count; v++)
		gemp_free(plan->views[v].relations);
	gemp_free(plan);
}

static int first_verified(const gemp_step *step)
{
	return step->kind == GEMP_EXTEND ? 1 : step->kind == GEMP_GIVEN ? 0 : (int)step->check_count;
}

size_t gemp_plan_stages(const gemp_plan *plan, gemp_stage *stages, size_t room)
{
	size_t count = 0;
	for (int s = plan->root; s < (int)plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		if (count < room)
			stages[count] = (gemp_stage){ s, false, 0 };
		count++;
		for (int done = first_verified(step); done < (int)step->check_count; done++) {
			if (count < room)
				stages[count] = (gemp_stage){ s, true, done };
			count++;
		}
	}
	return count;
}
