#include "match/planner/order_search.h"

#include "core/log.h"
#include "pattern/plan/planner.h"

#include <math.h>
#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

/* The number of samples grows with the expected work. The last few orders (finalists) are compared by samples FINAL
 * times larger. */
enum { MIN_SAMPLE = 64, MAX_SAMPLE = 256, MAX_NODES = 4096, SEED = 1, FINALISTS = 6, FINAL = 6, FEW_VERTICES = 5 };
/* an order whose cost is at most this times the best becomes a finalist */
static const double near_best_factor = 1.6;
/* entries: if the planner's order has less work, no other order is searched for */
static const double min_search_work = 1e6;
/* budget of reads: min_reads plus this fraction of the work */
static const double min_reads = 2e6, read_fraction = 0.02;
/* a sample has one partial match for this many entries of work */
static const double work_per_sample = 4e6;
static const uint64_t sampled_steps = 64; /* typical number of sampled steps, by which a limit of reads is divided */

/* number of vertices and edges of a simple pattern */
enum { MAX_PLAN_STEPS = GEMP_MAX_SEARCHED * (GEMP_MAX_SEARCHED + 1) / 2 };

/* A prefix of an order, with a sample of the partial matches of its vertices. */
typedef struct order_prefix {
	int count;
	int order[GEMP_MAX_SEARCHED];
	uint64_t bound;                        /* the vertices of order[], as bits */
	double cost, rows;                     /* cost so far, in entries; partial matches after the last vertex */
	double rows_at[GEMP_MAX_SEARCHED];     /* partial matches after each vertex */
	gemp_sample_work work[MAX_PLAN_STEPS]; /* work of the plan's steps so far */
	bool open;                             /* the prefix has not been extended yet */
	gemp_sample sample;
} order_prefix;

typedef struct order_search {
	const gemp_order_inputs *q;
	gemp_sampler *sampler;
	size_t sample_size;
	size_t node_count, capacity;
	order_prefix *nodes; /* [node_count] */
	size_t steps;        /* number of steps sampled so far */
	double max_reads;
	bool hurry;                            /* max_reads is exceeded, so the longest prefixes are extended first */
	gemp_sample_work work[MAX_PLAN_STEPS]; /* work of the steps of the order sampled last */
} order_search;

/* The costs of a partial match that enters a step and of a lookup, in entries walked (fitted by
 * tests/bench/orders.py). */
static const double per_match = 40, per_lookup = 2;

/* True if two steps check the same rows. If the last two steps do, their vertices are twins, and nested loops count the
 * last vertex by a formula. */
static bool same_sources(const gemp_step *a, const gemp_step *b)
{
	bool same = a->sources == b->sources && a->check_count == b->check_count;
	for (size_t k = 0; same && k < a->check_count; k++)
		same = a->checks[k].from == b->checks[k].from && a->checks[k].view == b->checks[k].view;
	return same;
}

/* The position in the order of the latest vertex whose row contains all candidates of the step. */
static int latest_place(const gemp_step *step, const order_prefix *n)
{
	int latest = 0;
	for (size_t k = 0; k < step->sources; k++)
		for (int i = 0; i < n->count; i++)
			if (n->order[i] == step->checks[k].from && i > latest)
				latest = i;
	return latest;
}

/* The work of a step, in entries. If kernels list candidates, they walk rows only once for each partial match up to the
 * last vertex on which the list depends. For all other partial matches they walk the list. */
static double work_of(const gemp_order_inputs *q, const gemp_plan *plan, size_t step, const order_prefix *from,
                      const gemp_sample_work *work)
{
	const gemp_step *at = &plan->steps[step];
	double entries = work->entries + per_lookup * work->lookups, matches = from ? per_match * from->rows : 0;
	if (!q->lists || !from || at->kind != GEMP_EXTEND || plan->live_edges)
		return matches + entries;
	if (step + 1 == plan->step_count && step >= 3 && same_sources(at, &plan->steps[step - 1]))
		return 0;
	int latest = latest_place(at, from);
	if (latest + 1 == from->count || from->rows <= 0)
		return matches + entries;
	return matches + work->passed + entries * fmin(from->rows_at[latest] / from->rows, 1);
}

/* True if v has an edge to a bound vertex. Orders are connected, since each vertex is found in the row of an earlier
 * vertex. */
static bool is_adjacent(const gemp_pattern *pattern, uint64_t bound, int v)
{
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		if ((edge->from == v && bound & BIT(edge->to)) || (edge->to == v && bound & BIT(edge->from)))
			return true;
	}
	return false;
}

/* Completes an order in any connected way, because gemp_plan_new needs an order of all vertices. */
static void complete(const gemp_pattern *pattern, int *order, int count)
{
	uint64_t bound = 0;
	int vertices = (int)pattern->vertex_count;
	for (int i = 0; i < count; i++)
		bound |= BIT(order[i]);
	while (count < vertices)
		for (int v = 0; v < vertices; v++)
			if (!(bound & BIT(v)) && is_adjacent(pattern, bound, v)) {
				order[count++] = v;
				bound |= BIT(v);
			}
}

/* Sets *least if v is the smallest vertex of its orbit under the automorphisms that fix the prefix. Only such vertices
 * are tried, since all vertices of an orbit lead to orders of the same cost. */
static gemp_code is_orbit_min(const order_search *s, const order_prefix *prefix, int v, bool *least)
{
	GEMP_OWNED_BY(gemp_stab_chain_free_at) gemp_stab_chain *chain = NULL;
	int base[GEMP_MAX_SEARCHED];
	const int *orbit;
	memcpy(base, prefix->order, sizeof base);
	base[prefix->count] = v;
	complete(s->q->pattern, base, prefix->count + 1);
	GEMP_TRY(gemp_stab_chain_new(&chain, s->q->symmetry, base, s->q->pattern->vertex_count));
	size_t size = gemp_stab_chain_orbit(chain, (size_t)prefix->count, &orbit);
	*least = true;
	for (size_t i = 0; i < size; i++)
		*least &= orbit[i] >= v;
	return GEMP_OK;
}

/* Collective. Samples the steps of the prefix's last vertex: the step that binds the vertex, and the steps that bind
 * its edges. */
static gemp_code sample_steps(order_search *s, const order_prefix *from, order_prefix *to)
{
	GEMP_OWNED_BY(gemp_plan_free_at) gemp_plan *plan = NULL;
	gemp_plan_options options = *s->q->options;
	int order[GEMP_MAX_SEARCHED];
	GEMP_OWNED_BY(gemp_sample_free) gemp_sample between = { 0 };
	const gemp_sample *in = from ? &from->sample : NULL;
	memcpy(order, to->order, sizeof order);
	complete(s->q->pattern, order, to->count);
	options.order = order;
	GEMP_TRY(gemp_comm_agree(s->q->context->comm,
	                         gemp_plan_new(&plan, s->q->pattern, s->q->symmetry, s->q->statistics, &options)));
	/* More partial matches are drawn for the first two vertices, because these are inexpensive to extend and every
	 * later sample depends on them. */
	size_t step = 0, wanted = s->sample_size * (to->count == 1 ? 16 : to->count == 2 ? 4 : 1);
	while (plan->steps[step].kind == GEMP_BIND_EDGE || plan->steps[step].vertex != to->order[to->count - 1])
		step++;
	for (bool first = true; first || (step < plan->step_count && plan->steps[step].kind == GEMP_BIND_EDGE); step++) {
		gemp_sample_work work;
		gemp_sample out = { 0 };
		const gemp_code code = gemp_sampler_step(s->sampler, plan, step, in, &out, wanted, &work);
		gemp_sample_free(&between);
		between = out;
		in = &between;
		first = false;
		GEMP_TRY(code);
		to->cost += work_of(s->q, plan, step, from, &work);
		to->rows = work.passed;
		if (step < MAX_PLAN_STEPS)
			to->work[step] = work;
		s->steps++;
	}
	to->rows_at[to->count - 1] = to->rows;
	to->sample = between;
	between = (gemp_sample){ 0 };
	return GEMP_OK;
}

/* True if another prefix of the same vertices does not cost more and leaves hardly more partial matches. Samples are
 * inaccurate, so in a small pattern a prefix is dropped only if it is clearly worse. A complete order is never
 * dropped. */
static bool dominated(const order_search *s, const order_prefix *n)
{
	bool few = s->q->pattern->vertex_count <= FEW_VERTICES, whole = n->count == (int)s->q->pattern->vertex_count;
	for (size_t i = 0; i < s->node_count && !whole; i++) {
		const order_prefix *other = &s->nodes[i];
		if (other->bound == n->bound && other->cost <= (few ? 0.85 : 1) * n->cost && other->rows <= 1.02 * n->rows)
			return true;
	}
	return false;
}

/* Collective. Extends prefix nodes[from] by vertex v and samples it (from SIZE_MAX: the empty prefix). The new prefix
 * is dropped if an automorphism or a better prefix makes it superfluous. */
static gemp_code extend_prefix(order_search *s, size_t from, int v)
{
	bool least = false;
	order_prefix none = { 0 };
	order_prefix n = from == SIZE_MAX ? none : s->nodes[from];
	GEMP_TRY(gemp_comm_agree(s->q->context->comm, is_orbit_min(s, &n, v, &least)));
	if (!least)
		return GEMP_OK;
	n.sample = (gemp_sample){ 0 };
	n.open = true;
	n.order[n.count++] = v;
	n.bound |= BIT(v);
	GEMP_TRY(sample_steps(s, from == SIZE_MAX ? NULL : &s->nodes[from], &n));
	if (dominated(s, &n)) {
		gemp_sample_free(&n.sample);
		return GEMP_OK;
	}
	gemp_code code = gemp_comm_agree(s->q->context->comm, GEMP_RESERVE(s->nodes, s->capacity, s->node_count + 1));
	if (code == GEMP_OK)
		s->nodes[s->node_count++] = n;
	else
		gemp_sample_free(&n.sample);
	return code;
}

/* True if prefix a is extended before prefix b. Prefixes are extended by ascending cost. Once the budget of reads is
 * spent, longer prefixes come first. */
static bool comes_before(const order_search *s, const order_prefix *a, const order_prefix *b)
{
	return s->hurry && a->count != b->count ? a->count > b->count : a->cost < b->cost;
}

/* A linear search is enough, since there are at most about 4,096 prefixes, and sampling a prefix takes far longer than
 * the search. */
static size_t cheapest_prefix(const order_search *s)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].open && (best == SIZE_MAX || comes_before(s, &s->nodes[i], &s->nodes[best])))
			best = i;
	return best;
}

/* Collective. Extends prefixes by ascending cost and collects complete orders. Stops at FINALISTS orders, or when the
 * costs exceed the cost of the first complete order by near_best_factor. Once the budget of reads is spent, it stops at
 * more than FINALISTS / 2 orders. */
static gemp_code search_all(order_search *s, size_t *finalists, size_t *count)
{
	const gemp_pattern *pattern = s->q->pattern;
	*count = 0;
	for (int v = 0; v < (int)pattern->vertex_count; v++)
		GEMP_TRY(extend_prefix(s, SIZE_MAX, v));
	while (s->node_count < MAX_NODES && *count < FINALISTS) {
		size_t best = cheapest_prefix(s);
		if (best == SIZE_MAX || (*count && s->nodes[best].cost > near_best_factor * s->nodes[finalists[0]].cost))
			break;
		s->nodes[best].open = false;
		if (s->nodes[best].count == (int)pattern->vertex_count)
			finalists[(*count)++] = best;
		for (int v = 0; v < (int)pattern->vertex_count; v++)
			if (!(s->nodes[best].bound & BIT(v)) && is_adjacent(pattern, s->nodes[best].bound, v))
				GEMP_TRY(extend_prefix(s, best, v));
		gemp_sample_free(&s->nodes[best].sample);
		s->hurry = s->hurry || (double)gemp_sampler_reads(s->sampler) > s->max_reads;
		if (s->hurry && *count > FINALISTS / 2)
			break;
	}
	return GEMP_OK;
}

/* Collective. Samples a complete order. *work becomes its cost, and s->work the work of its steps. */
static gemp_code sample_order(order_search *s, const int *order, size_t sample_size, double *work)
{
	gemp_code code = GEMP_OK;
	order_prefix n[2] = { 0 };
	int at = 0, vertices = (int)s->q->pattern->vertex_count;
	s->sample_size = sample_size;
	memcpy(n[0].order, order, (size_t)vertices * sizeof *order);
	for (int i = 1; i <= vertices && code == GEMP_OK; i++, at = 1 - at) {
		n[1 - at] = n[at];
		n[1 - at].count = i;
		n[1 - at].sample = (gemp_sample){ 0 };
		memcpy(n[1 - at].order, order, (size_t)vertices * sizeof *order);
		code = sample_steps(s, i == 1 ? NULL : &n[at], &n[1 - at]);
		gemp_sample_free(&n[at].sample);
	}
	*work = n[at].cost;
	memcpy(s->work, n[at].work, sizeof s->work);
	gemp_sample_free(&n[at].sample);
	return code;
}

/* Copies the work of the best order so far to the caller's array. */
static void keep_work(const order_search *s, const gemp_sample_work *work)
{
	if (s->q->work && s->q->pattern->vertex_count + s->q->pattern->edge_count <= MAX_PLAN_STEPS)
		memcpy(s->q->work, work, sizeof s->work);
}

/* Collective. Compares the finalists by larger samples, and chooses the order with the least work. */
static gemp_code choose_finalist(order_search *s, const size_t *finalists, size_t count, size_t *best)
{
	double least = HUGE_VAL;
	*best = finalists[0];
	keep_work(s, s->nodes[*best].work);
	for (size_t i = 0; i < count && count > 1; i++) {
		double work;
		GEMP_TRY(sample_order(s, s->nodes[finalists[i]].order, FINAL * s->sample_size, &work));
		s->sample_size /= FINAL;
		if (work < least) {
			least = work;
			*best = finalists[i];
			keep_work(s, s->work);
		}
	}
	return GEMP_OK;
}

/* True if the pattern's edges and the estimate of rows are so few that even a bad order costs less than a search. */
static bool is_small(const gemp_order_inputs *q)
{
	double edges = 0;
	for (size_t e = 0; e < q->pattern->edge_count; e++)
		edges = fmax(edges, q->statistics->edges[e]);
	return edges <= 1024 && q->rows <= 1e5;
}

/* The planner's order is sampled first, because its work decides how much the search for a better order may cost. */
gemp_code gemp_order_search(const gemp_order_inputs *q, int *order, bool *found)
{
	gemp_code code = GEMP_OK;
	size_t vertices = q->pattern->vertex_count, best, finalists[FINALISTS], count;
	order_search s = { .q = q };
	double began = gemp_now(), work;
	*found = false;
	if (vertices < 3 || vertices > GEMP_MAX_SEARCHED || q->pattern->arguments || q->options->pivot_off || is_small(q))
		return GEMP_OK;
	const gemp_sampler_options options = { .seed = SEED,
		                                   .limit = q->reads ? gemp_max(q->reads / sampled_steps, 1) : 0,
		                                   .walk_latest = q->walk_latest };
	GEMP_TRY_DONE(gemp_sampler_new(&s.sampler, q->context, q->graph, q->pattern, q->candidates, q->key_rank, &options));
	GEMP_TRY_DONE(sample_order(&s, order, MIN_SAMPLE, &work));
	keep_work(&s, s.work);
	if (work < min_search_work)
		goto done;
	s.max_reads = min_reads + read_fraction * work;
	s.sample_size = (size_t)fmin(fmax(work / work_per_sample, MIN_SAMPLE), MAX_SAMPLE);
	if (q->reads) {
		s.max_reads = (double)q->reads;
		s.sample_size = MIN_SAMPLE;
	}
	GEMP_TRY_DONE(gemp_comm_agree(q->context->comm, search_all(&s, finalists, &count)));
	if (!count || s.nodes[finalists[0]].cost > work)
		goto done;
	GEMP_TRY_DONE(choose_finalist(&s, finalists, count, &best));
	memcpy(order, s.nodes[best].order, vertices * sizeof *order);
	*found = true;
	gemp_log(GEMP_VERBOSE, "order by samples of %zu: work %.3g (by estimates: %.3g), %zu prefixes, %zu steps, %.4f s",
	         s.sample_size, s.nodes[best].cost, work, s.node_count, s.steps, gemp_now() - began);
done:
	gemp_trace_add("sample orders", GEMP_LANE_HOST, began);
	for (size_t i = 0; i < s.node_count; i++)
		gemp_sample_free(&s.nodes[i].sample);
	gemp_free(s.nodes);
	gemp_sampler_free(s.sampler);
	return code;
}
