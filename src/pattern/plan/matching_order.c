/* The greedy search tries every pivot, and extends the order by the vertex that leaves the fewest partial matches.
 * Estimates assume that edges are independent. They weight rows by degree, since a vertex that was reached over an edge
 * has more edges than the average vertex. src/match/planner/order_search.c improves the order of small patterns by
 * sampling. */

#include "pattern/plan/matching_order.h"

#include <math.h>
#include <stdio.h>

/* A partial order: the vertices that are bound, and their places. */
typedef struct order_search {
	const gemp_pattern *pattern;
	const gemp_statistics *statistics;
	uint64_t bound;
	int pivot;
	int place[GEMP_MAX_PATTERN_VERTICES]; /* [vertex] position in the order of a bound vertex */
} order_search;

/* Keeps estimates of empty graphs finite. */
static double at_least(double x, double lowest)
{
	return x > lowest ? x : lowest;
}

/* Returns the mean length of row(at) along edge e. While only the pivot is bound, it is uniform over its candidates.
 * Later each bound vertex is taken as reached over an edge, with a probability proportional to its degree, so its mean
 * is weighted by the degree. */
static double mean_row(const order_search *o, size_t e, int at)
{
	const gemp_statistics *s = o->statistics;
	bool from = o->pattern->edges[e].from == at;
	if (at == o->pivot && o->bound == GEMP_BIT(at))
		return s->edges[e] / at_least(s->candidates[at], 1);
	return (from ? s->paths_from[e] : s->paths_to[e]) / at_least(s->edges[e], 1);
}

/* The estimated cost of binding one more vertex. */
typedef struct growth {
	double factor; /* partial matches after the step, divided by partial matches before it */
	double scan;   /* entries read for each partial match */
	int back;      /* number of edges to bound vertices */
	int latest;    /* position in the order of the bound neighbour that was bound last */
} growth;

/* The step reads the shortest row. `factor` is the length of the first edge's row, multiplied, for every further edge,
 * by the fraction of candidate pairs that the edge joins (independence assumed, as in System R, Selinger et al.
 * 1979). */
static growth estimate_growth(const order_search *o, int v)
{
	const gemp_statistics *s = o->statistics;
	growth g = { 0, 0, 0, 0 };
	double closing = 1;
	for (size_t e = 0; e < o->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &o->pattern->edges[e];
		int at = edge->from == v ? edge->to : edge->from;
		if ((edge->from != v && edge->to != v) || at == v || !(o->bound & GEMP_BIT(at)))
			continue;
		double row = mean_row(o, e, at);
		g.latest = o->place[at] > g.latest ? o->place[at] : g.latest;
		double share = s->edges[e] / at_least(s->candidates[at] * s->candidates[v], 1);
		if (g.back++ == 0) {
			g.factor = g.scan = row;
			continue;
		}
		if (row < g.scan)
			g.scan = row;
		closing *= share < 1 ? share : 1;
	}
	g.factor *= closing;
	return g;
}

/* Of equal factors, more edges to bound vertices are better, and then the latest bound neighbour. So a path continues
 * from its end, whose vertices have lower degrees, hence shorter rows, than the hub at its start. */
static bool is_better_growth(growth a, growth b)
{
	if (a.factor != b.factor)
		return a.factor < b.factor;
	return a.back != b.back ? a.back > b.back : a.latest > b.latest;
}

/* Makes the greedy order from one pivot. Returns the cost: the number of entries read and partial matches made. If last
 * >= 0, the vertex `last` is bound last and not enumerated; HUGE_VAL if no such order is connected. */
static double order_from(const gemp_pattern *pattern, const gemp_statistics *statistics, int pivot, int last,
                         int *order, double *rows)
{
	order_search o = { pattern, statistics, 0, pivot, { 0 } };
	int count = (int)pattern->vertex_count, first = pattern->arguments ? (int)pattern->arguments : 1;
	double cost = pattern->arguments ? 1 : statistics->candidates[pivot];
	for (int i = 0; i < first; i++) {
		order[i] = pattern->arguments ? i : pivot;
		rows[i] = cost;
		o.place[order[i]] = i;
		o.bound |= GEMP_BIT(order[i]);
	}
	for (int i = first; i < count; i++) {
		int best = -1;
		growth lowest = { 0, 0, 0, 0 };
		for (int v = 0; v < count; v++) {
			bool free = !(o.bound & GEMP_BIT(v)) && (v != last || i == count - 1);
			growth g = free ? estimate_growth(&o, v) : (growth){ 0, 0, 0, 0 };
			if (g.back && (best < 0 || is_better_growth(g, lowest))) {
				best = v;
				lowest = g;
			}
		}
		if (best < 0)
			return HUGE_VAL; /* the remaining vertices are reached only through `last` */
		order[i] = best;
		rows[i] = rows[i - 1] * lowest.factor;
		cost += best == last ? rows[i - 1] : rows[i - 1] * (1 + lowest.scan);
		o.place[best] = i;
		o.bound |= GEMP_BIT(best);
	}
	return last < 0 ? cost + rows[count - 1] : cost;
}

/* Returns the number of entries read to make and clear the table of all pivots' two-paths through v, or HUGE_VAL unless
 * v is joined to the pivot and exactly one other vertex. */
static double table_cost(const gemp_pattern *pattern, const gemp_statistics *statistics, int pivot, int v)
{
	order_search o = { pattern, statistics, GEMP_BIT(pivot), pivot, { 0 } };
	double cost = statistics->candidates[pivot];
	int edges = 0, to_pivot = 0;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		if (edge->from != v && edge->to != v)
			continue;
		int other = edge->from == v ? edge->to : edge->from;
		edges++;
		to_pivot += other == pivot;
		cost *= mean_row(&o, e, other == pivot ? pivot : v);
	}
	return edges == 2 && to_pivot == 1 ? 2 * cost : HUGE_VAL;
}

/* Tries every pivot and, for each pivot, every vertex that may be left to a table of two-paths. */
bool gemp_plan_order(const gemp_pattern *pattern, const gemp_statistics *statistics, bool first, const bool *may_leave,
                     int *order, double *rows)
{
	int pivot = 0, leaf = -1, count = (int)pattern->vertex_count;
	if (pattern->arguments) {
		order_from(pattern, statistics, -1, -1, order, rows);
		return false;
	}
	double lowest = order_from(pattern, statistics, 0, -1, order, rows);
	for (int v = 0; v < (first ? 1 : count); v++)
		for (int last = -1; last < count; last++) {
			if (last == v || (last >= 0 && !may_leave[last]))
				continue;
			double cost = order_from(pattern, statistics, v, last, order, rows);
			if (last >= 0)
				cost += table_cost(pattern, statistics, v, last);
			if (cost < lowest ||
			    (cost == lowest && last < 0 && statistics->candidates[v] < statistics->candidates[pivot])) {
				lowest = cost;
				pivot = v;
				leaf = last;
			}
		}
	order_from(pattern, statistics, pivot, leaf, order, rows);
	return leaf >= 0;
}

/* Returns an anonymous vertex's number as its name, because --order accepts numbers. */
static const char *name_of(const gemp_pattern *pattern, int v, char *buffer, size_t size)
{
	if (pattern->vertices[v].name)
		return pattern->vertices[v].name;
	snprintf(buffer, size, "%d", v);
	return buffer;
}

/* The order of --order must be connected, since an EXTEND needs a row of a bound vertex. */
gemp_code gemp_plan_check_order(const gemp_pattern *pattern, const int *order)
{
	uint64_t bound = 0;
	for (int i = 0; i < (int)pattern->vertex_count; i++) {
		bool joined = i == 0 || i < (int)pattern->arguments;
		char buffer[16];
		for (size_t e = 0; e < pattern->edge_count; e++) {
			const gemp_pattern_edge *edge = &pattern->edges[e];
			joined |= (edge->from == order[i] && bound & GEMP_BIT(edge->to)) ||
			          (edge->to == order[i] && bound & GEMP_BIT(edge->from));
		}
		if (!joined)
			return gemp_fail(GEMP_EUSAGE,
			                 "order: no edge joins %s to a vertex before it; put one of its neighbours before it",
			                 name_of(pattern, order[i], buffer, sizeof buffer));
		bound |= GEMP_BIT(order[i]);
	}
	return GEMP_OK;
}

/* The estimates are those of gemp_plan_order, so --explain shows comparable figures. */
void gemp_plan_order_rows(const gemp_pattern *pattern, const gemp_statistics *statistics, const int *order,
                          double *rows)
{
	int given = (int)pattern->arguments;
	order_search o = { pattern, statistics, 0, given ? -1 : order[0], { 0 } };
	for (int i = 0; i < (int)pattern->vertex_count; i++) {
		rows[i] = i < given ? 1
		          : i == 0  ? statistics->candidates[order[0]]
		                    : rows[i - 1] * estimate_growth(&o, order[i]).factor;
		o.place[order[i]] = i;
		o.bound |= GEMP_BIT(order[i]);
	}
}
