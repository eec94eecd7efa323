#include "pattern/plan.h"

#include "core/memory.h"
#include "core/random.h"
#include "pattern/plan_order.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

typedef struct planner {
	gemp_plan *plan;
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_statistics *statistics;
	const gemp_plan_options *options;
	uint64_t bound;   /* pattern vertices */
	uint64_t settled; /* pattern edges bound or checked */
} planner;

/* May edge e and f be the same host edge, as far as their types tell? */
static bool may_coincide(const planner *p, size_t e, size_t f)
{
	if (p->pattern->simple)
		return true;
	for (size_t r = 0; r < p->pattern->relation_count; r++)
		if (p->pattern->edges[e].relations[r] && p->pattern->edges[f].relations[r])
			return true;
	return false;
}

static bool same_ends(const gemp_pattern_edge *a, const gemp_pattern_edge *b)
{
	return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

/* Edges that a bound edge must differ from. */
static uint64_t rivals(const planner *p, size_t e)
{
	uint64_t mask = 0;
	if (p->options->semantics == GEMP_HOM)
		return 0;
	for (size_t f = 0; f < p->pattern->edge_count; f++)
		if (f != e && may_coincide(p, e, f) &&
		    (p->options->semantics == GEMP_EDGE_ISO || same_ends(&p->pattern->edges[e], &p->pattern->edges[f])))
			mask |= BIT(f);
	return mask;
}

/* Edges get slots all or none: a tuple then names all of the match, and an automorphism moves slots to slots. */
static uint64_t live_edges(const planner *p)
{
	bool any = p->options->wanted_edges != 0;
	for (size_t e = 0; e < p->pattern->edge_count; e++)
		any |= p->statistics->parallel[e] || rivals(p, e) != 0;
	if (!any)
		return 0;
	return p->pattern->edge_count == 64 ? UINT64_MAX : BIT(p->pattern->edge_count) - 1;
}

static gemp_code view_of(planner *p, const bool *relations, int direction, int *index)
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
		return gemp_fail(GEMP_EUSAGE, "the query needs more than %d different sets of relations and directions; "
		                 "split it", GEMP_MAX_VIEWS);
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

/* The view in which row(at) names the other end of the edge. */
static gemp_code edge_view(planner *p, const gemp_pattern_edge *edge, int at, int *index)
{
	int direction = edge->direction == GEMP_EITHER || p->pattern->simple ? 2 : edge->from == at ? 0 : 1;
	return view_of(p, edge->relations, direction, index);
}

static gemp_code add_check(gemp_step *step, int from, int to, int view, int edge, bool absent)
{
	if (step->check_count == GEMP_MAX_CHECKS)
		return gemp_fail(GEMP_EUSAGE, "a pattern vertex has more than %d edges and forbidden edges to test; "
		                 "use a smaller pattern", GEMP_MAX_CHECKS);
	step->checks[step->check_count++] = (gemp_check){ from, to, view, edge, absent };
	return GEMP_OK;
}

static gemp_step *next_step(planner *p, gemp_operator kind, int vertex, int edge)
{
	gemp_step *step = &p->plan->steps[p->plan->step_count++];
	step->kind = kind;
	step->vertex = vertex;
	step->edge = edge;
	if (edge >= 0)
		step->edges_differ = rivals(p, (size_t)edge) & p->settled;
	return step;
}

static int other_end(const gemp_pattern_edge *edge, int vertex)
{
	return edge->from == vertex ? edge->to : edge->from;
}

/* ABSENT EDGES of induced matching, between v and w (bound, or v itself). */
static bool uncovered(const planner *p, int from, int to, bool *relations)
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

static gemp_code forbid(planner *p, gemp_step *step, int at, int to, const bool *relations, int direction)
{
	int view;
	gemp_code code = view_of(p, relations, direction, &view);
	return code != GEMP_OK ? code : add_check(step, at, to, view, -1, true);
}

static gemp_code forbid_between(planner *p, gemp_step *step, int at, int v, bool *there, bool *back)
{
	gemp_code code = GEMP_OK;
	size_t count = p->pattern->relation_count;
	bool out = uncovered(p, at, v, there), in = at != v && uncovered(p, v, at, back);
	if (at == v && p->pattern->simple)
		return GEMP_OK;
	if (out && in && !memcmp(there, back, count))
		return forbid(p, step, at, v, there, 2);
	if (out)
		GEMP_TRY(forbid(p, step, at, v, there, 0));
	if (in)
		GEMP_TRY(forbid(p, step, at, v, back, 1));
done:
	return code;
}

static gemp_code forbid_edges(planner *p, gemp_step *step, int v)
{
	gemp_code code = GEMP_OK;
	bool *there = NULL, *back = NULL;
	if (p->options->semantics != GEMP_INDUCED)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(there, p->pattern->relation_count));
	GEMP_TRY(GEMP_NEW(back, p->pattern->relation_count));
	for (int w = 0; w < (int)p->pattern->vertex_count; w++)
		if (p->bound & BIT(w) || w == v)
			GEMP_TRY(forbid_between(p, step, w, v, there, back));
done:
	gemp_free(there);
	gemp_free(back);
	return code;
}

/* EDGES between v (being bound) and bound vertices, and loops at v. Over a multi view each is bound by an operator of its
 * own; over a view without slots they are rows to intersect. */
static gemp_code settle_edges(planner *p, gemp_step *step, int v)
{
	gemp_code code = GEMP_OK;
	const gemp_pattern *pattern = p->pattern;
	for (int loops = 0; loops <= 1; loops++)
		for (size_t e = 0; e < pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &pattern->edges[e];
			bool loop = edge->from == edge->to;
			int at = loop ? v : other_end(edge, v), view;
			if ((edge->from != v && edge->to != v) || loop != (loops == 1) || p->settled & BIT(e) ||
			    !(p->bound & BIT(at) || at == v))
				continue;
			GEMP_TRY(edge_view(p, edge, at, &view));
			if (!p->plan->live_edges || (!loop && step->kind == GEMP_EXTEND && step->sources == 0)) {
				GEMP_TRY(add_check(step, at, v, view, (int)e, false));
				step->sources += !loop;
				if (p->plan->live_edges) {
					step->edge = (int)e;
					step->edges_differ = rivals(p, e) & p->settled;
				}
			} else {
				gemp_step *bind = next_step(p, GEMP_BIND_EDGE, v, (int)e);
				GEMP_TRY(add_check(bind, at, v, view, (int)e, false));
			}
			p->settled |= BIT(e);
		}
done:
	return code;
}

static gemp_code bind_vertex(planner *p, int v)
{
	gemp_code code = GEMP_OK;
	gemp_step *step = next_step(p, p->bound ? GEMP_EXTEND : GEMP_SCAN, v, -1);
	step->candidates = p->statistics->filtered[v];
	if (p->options->semantics == GEMP_ISO || p->options->semantics == GEMP_INDUCED)
		step->differ = p->bound;
	step->differ |= p->options->unequal[v] & p->bound;
	GEMP_TRY(settle_edges(p, step, v));
	GEMP_TRY(forbid_edges(p, step, v));
	p->bound |= BIT(v);
done:
	return code;
}

/* RESTRICTIONS: the image of base[i] is extreme among its orbit. Where the orbit hangs together round base[i] (cliques),
 * it is the vertex of least degree, so that rows shrink to their oriented part; else (cycles) the hub, so that paths stay
 * among lesser vertices. */
static bool adjacent(const gemp_pattern *pattern, int a, int b)
{
	for (size_t e = 0; e < pattern->edge_count; e++)
		if ((pattern->edges[e].from == a && pattern->edges[e].to == b) ||
		    (pattern->edges[e].from == b && pattern->edges[e].to == a))
			return true;
	return false;
}

static bool hub_first(const gemp_pattern *pattern, const gemp_chain *chain)
{
	const int *orbit;
	size_t size = gemp_chain_orbit(chain, 0, &orbit);
	for (size_t i = 1; i < size; i++)
		if (!adjacent(pattern, orbit[0], orbit[i]))
			return true;
	return false;
}

/* A table of two-paths knows nothing of the vertices between: a level of the chain that restricts the last vertex against
 * another than the pivot is dropped whole, and each match is then counted once for every member of its orbit. */
static bool dropped(planner *p, const int *orbit, size_t members)
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

static void restrict_step(gemp_step *step, int vertices, int first, int other, bool hub)
{
	if (other < vertices && step->kind != GEMP_BIND_EDGE && step->vertex == other) {
		uint64_t *mask = hub ? &step->greater : &step->less;
		*mask |= BIT(first);
		step->differ &= ~BIT(first);
	}
	if (other >= vertices && step->edge == other - vertices)
		step->edge_less |= BIT(first - vertices);
}

static gemp_code break_symmetry(planner *p)
{
	gemp_code code = GEMP_OK;
	gemp_plan *plan = p->plan;
	gemp_chain *chain = NULL;
	int base[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	size_t size = 0;
	for (size_t s = 0; s < plan->step_count; s++)
		if (plan->steps[s].kind != GEMP_BIND_EDGE)
			base[size++] = plan->steps[s].vertex;
	for (size_t s = 0; plan->live_edges && s < plan->step_count; s++)
		if (plan->steps[s].edge >= 0)
			base[size++] = plan->vertex_count + plan->steps[s].edge;
	GEMP_TRY(gemp_chain_new(&chain, p->symmetry, base, size));
	bool hub = hub_first(p->pattern, chain);
	for (size_t level = 0; level < size; level++) {
		const int *orbit;
		size_t members = gemp_chain_orbit(chain, level, &orbit);
		if (dropped(p, orbit, members))
			continue;
		for (size_t i = 1; i < members; i++)
			for (size_t s = 0; s < plan->step_count; s++)
				restrict_step(&plan->steps[s], plan->vertex_count, orbit[0], orbit[i], hub);
	}
	plan->broken = true;
done:
	gemp_chain_free(chain);
	return code;
}

/* TWO-PATHS: vertices that may be left to a table: nothing but two rows and distinctness binds them. */
static void may_leave(const planner *p, bool *may)
{
	bool counts = p->options->two_paths && !p->plan->live_edges && p->options->semantics != GEMP_INDUCED &&
	              p->pattern->vertex_count >= 4;
	for (size_t v = 0; v < p->pattern->vertex_count; v++) {
		may[v] = counts && !p->options->unequal[v];
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
	planner p = { plan, pattern, symmetry, statistics, options, 0, 0 };
	plan->relation_count = pattern->relation_count;
	plan->vertex_count = (int)pattern->vertex_count;
	plan->edge_count = (int)pattern->edge_count;
	plan->pivot_off = options->pivot_off;
	plan->group_order = gemp_symmetry_order(symmetry, &plan->group_overflow);
	plan->live_edges = live_edges(&p);
	may_leave(&p, may);
	plan->divisor = 1;
	plan->two_paths = gemp_plan_order(pattern, statistics, options->pivot_off, may, order, rows);
	plan->pivot = order[0];
	for (int i = 0; i < plan->vertex_count; i++) {
		size_t step = plan->step_count;
		GEMP_TRY(bind_vertex(&p, order[i]));
		for (; step < plan->step_count; step++)
			plan->steps[step].rows = rows[i];
	}
	sort_leaf(plan);
	if (options->break_symmetry)
		GEMP_TRY(break_symmetry(&p));
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

size_t gemp_plan_stages(const gemp_plan *plan, gemp_stage *stages, size_t room)
{
	size_t count = 0;
	for (int s = 0; s < (int)plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		if (count < room)
			stages[count] = (gemp_stage){ s, false, 0 };
		count++;
		for (int done = 1; s > 0 && step->kind == GEMP_EXTEND && done < (int)step->check_count; done++) {
			if (count < room)
				stages[count] = (gemp_stage){ s, true, done };
			count++;
		}
	}
	return count;
}
