#include "count/core_order.h"

#include "count/typed_graph.h"

#include <math.h>

enum { MAX_SETS_OF = 8 };

/* What the costs depend on. degree[e][k]: the mean number of entries of edge e's row from its end k, 0 the source. */
typedef struct order_search {
	const gemp_typed_term *term;
	uint64_t alive;
	double degree[GEMP_TYPED_EDGES][2];
	double images[GEMP_MAX_PATTERN_VERTICES]; /* of a vertex without its neighbours */
} order_search;

static void note_edge(order_search *s, const gemp_shard *graph, const gemp_type_sets *types, int i)
{
	const gemp_typed_edge *edge = &s->term->edges[i];
	const gemp_type_figures f = gemp_type_figures_of(graph, gemp_type_set(types, edge->types));
	const double either = fmax(f.ends[0], f.ends[1]);
	for (int end = 0; end < 2; end++) {
		const int v = end ? edge->to : edge->from;
		s->degree[i][end] = (edge->either ? 2 : 1) * f.edges / fmax(1, edge->either ? either : f.ends[end]);
		s->images[v] = fmin(s->images[v], edge->either ? f.ends[0] + f.ends[1] : f.ends[end]);
	}
}

static void find_figures(order_search *s, const gemp_shard *graph, const gemp_type_sets *types,
                         const gemp_candidate_classes *classes)
{
	for (int v = 0; v < s->term->vertex_count; v++)
		s->images[v] = (double)graph->vertex_count;
	for (int i = 0; i < s->term->edge_count; i++)
		note_edge(s, graph, types, i);
	for (int v = 0; v < s->term->vertex_count; v++)
		for (size_t c = 0; c < classes->count; c++)
			if (s->term->candidates[v] & GEMP_BIT(c))
				s->images[v] = fmin(s->images[v], (double)classes->sizes[c]);
}

/* Appends vertex v, which must be joined to the set of the order's vertices, or be the root if the set is empty. */
static bool append(const order_search *s, gemp_core_order *o, uint64_t set, int v)
{
	double least = INFINITY, chance = 1;
	int checks = 0;
	if (!set && s->term->root >= 0 && v != s->term->root)
		return false;
	for (int i = 0; i < s->term->edge_count; i++) {
		const gemp_typed_edge *edge = &s->term->edges[i];
		const int near = edge->from == v; /* the end that is bound */
		const int other = near ? edge->to : edge->from;
		if ((edge->from != v && edge->to != v) || !(set & GEMP_BIT(other)))
			continue;
		least = fmin(least, s->degree[i][near]);
		chance *= fmin(1, s->degree[i][near] / fmax(1, s->images[v]));
		checks++;
	}
	if (set && !checks)
		return false;
	o->cost += set ? o->rows * (1 + least * (checks > 1 ? 2 * checks : 1)) : s->images[v];
	o->rows = set ? o->rows * chance * s->images[v] : s->images[v];
	o->order[o->count++] = v;
	return true;
}

/* number[k]: the vertices of the core. best[set]: the best order of the vertices whose numbers are in the set. */
static gemp_core_order search_sets(const order_search *s, const int *number, int count)
{
	gemp_core_order best[1 << MAX_SETS_OF];
	best[0] = (gemp_core_order){ 0 };
	for (unsigned set = 1; set < 1u << count; set++)
		best[set].cost = INFINITY;
	for (unsigned set = 0; set + 1 < 1u << count; set++) {
		uint64_t bound = 0;
		for (int k = 0; k < count; k++)
			bound |= set >> k & 1 ? GEMP_BIT(number[k]) : 0;
		for (int k = 0; k < count && best[set].cost < INFINITY; k++) {
			gemp_core_order with = best[set];
			if (!(set >> k & 1) && append(s, &with, bound, number[k]) && with.cost < best[set | 1u << k].cost)
				best[set | 1u << k] = with;
		}
	}
	return best[(1u << count) - 1];
}

static gemp_core_order search_greedily(const order_search *s)
{
	gemp_core_order best = { .cost = INFINITY };
	for (int first = 0; first < s->term->vertex_count; first++) {
		gemp_core_order o = { 0 };
		uint64_t set = GEMP_BIT(first);
		if (!(s->alive & set) || !append(s, &o, 0, first))
			continue;
		for (; set != s->alive; set |= GEMP_BIT(o.order[o.count - 1])) {
			gemp_core_order next = { .rows = INFINITY };
			for (int v = 0; v < s->term->vertex_count; v++) {
				gemp_core_order with = o;
				if (s->alive & ~set & GEMP_BIT(v) && append(s, &with, set, v) && with.rows < next.rows)
					next = with;
			}
			o = next;
		}
		if (o.cost < best.cost)
			best = o;
	}
	return best;
}

gemp_core_order gemp_core_order_find(const gemp_shard *graph, const gemp_type_sets *types,
                                     const gemp_candidate_classes *classes, const gemp_typed_term *term, uint64_t alive)
{
	order_search s = { .term = term, .alive = alive };
	int number[GEMP_MAX_PATTERN_VERTICES], count = 0;
	for (int v = 0; v < term->vertex_count; v++)
		if (alive & GEMP_BIT(v))
			number[count++] = v;
	find_figures(&s, graph, types, classes);
	return count <= MAX_SETS_OF ? search_sets(&s, number, count) : search_greedily(&s);
}
