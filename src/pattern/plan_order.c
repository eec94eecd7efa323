#include "pattern/plan_order.h"

#define BIT(i) (UINT64_C(1) << (i))

typedef struct orderer {
	const gemp_pattern *pattern;
	const gemp_statistics *statistics;
	uint64_t bound;
	int pivot;
	int place[GEMP_MAX_PATTERN_VERTICES]; /* of a bound vertex in the order */
} orderer;

static double at_least(double x, double least)
{
	return x > least ? x : least;
}

/* Mean length of row(at) along edge e, at a vertex met along edges (so by chance in proportion to its degree) unless it is
 * the pivot. */
static double mean_row(const orderer *o, size_t e, int at)
{
	const gemp_statistics *s = o->statistics;
	bool from = o->pattern->edges[e].from == at;
	if (at == o->pivot)
		return s->edges[e] / at_least(s->candidates[at], 1);
	return (from ? s->paths_from[e] : s->paths_to[e]) / at_least(s->edges[e], 1);
}

typedef struct growth {
	double factor; /* partial matches after / before */
	double scan;   /* entries read for each partial match */
	int back;      /* edges to bound vertices */
	int latest;    /* place of the latest bound vertex it hangs on */
} growth;

/* The shortest row gives candidates, each further edge keeps the share of pairs that it joins. */
static growth grow(const orderer *o, int v)
{
	const gemp_statistics *s = o->statistics;
	growth g = { 0, 0, 0, 0 };
	double closing = 1;
	for (size_t e = 0; e < o->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &o->pattern->edges[e];
		int at = edge->from == v ? edge->to : edge->from;
		if ((edge->from != v && edge->to != v) || at == v || !(o->bound & BIT(at)))
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

/* Among equals a path goes on from its end: its vertices are lesser ones than the hub it began at, with shorter rows. */
static bool better(growth a, growth b)
{
	if (a.factor != b.factor)
		return a.factor < b.factor;
	return a.back != b.back ? a.back > b.back : a.latest > b.latest;
}

static double order_from(const gemp_pattern *pattern, const gemp_statistics *statistics, int pivot, int *order,
                         double *rows)
{
	orderer o = { pattern, statistics, BIT(pivot), pivot, { 0 } };
	int count = (int)pattern->vertex_count;
	double cost = statistics->candidates[pivot];
	order[0] = pivot;
	rows[0] = statistics->candidates[pivot];
	for (int i = 1; i < count; i++) {
		int best = -1;
		growth least = { 0, 0, 0, 0 };
		for (int v = 0; v < count; v++) {
			growth g = o.bound & BIT(v) ? (growth){ 0, 0, 0, 0 } : grow(&o, v);
			if (g.back && (best < 0 || better(g, least))) {
				best = v;
				least = g;
			}
		}
		order[i] = best;
		rows[i] = rows[i - 1] * least.factor;
		cost += rows[i - 1] * (1 + least.scan);
		o.place[best] = i;
		o.bound |= BIT(best);
	}
	return cost + rows[count - 1];
}

void gemp_plan_order(const gemp_pattern *pattern, const gemp_statistics *statistics, bool first, int *order, double *rows)
{
	int pivot = 0;
	double least = order_from(pattern, statistics, 0, order, rows);
	for (int v = 1; !first && v < (int)pattern->vertex_count; v++) {
		double cost = order_from(pattern, statistics, v, order, rows);
		if (cost < least || (cost == least && statistics->candidates[v] < statistics->candidates[pivot])) {
			least = cost;
			pivot = v;
		}
	}
	order_from(pattern, statistics, pivot, order, rows);
}
