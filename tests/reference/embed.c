/* Finds embeddings by backtracking over the vertices of the query. An edge is mapped as soon as both of its ends are
 * mapped. */
#include "match.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	const ref_graph *graph;
	const ref_query *query;
	ref_semantics semantics;
	ref_found *found;
	void *context;
	int steps[REF_MAX_VERTICES + REF_MAX_EDGES]; /* vertices and edges in the order in which they are mapped */
	int step_count;
	bool enough;
	uint64_t needs[REF_MAX_CONDITIONS], mapped;
	uint32_t images[REF_MAX_VERTICES + REF_MAX_EDGES];
} search;

static bool type_allowed(const ref_query_edge *edge, const char *type)
{
	for (size_t i = 0; i < edge->type_count; i++)
		if (type && strcmp(edge->types[i], type) == 0)
			return true;
	return edge->type_count == 0;
}

static uint64_t bit(int point)
{
	return UINT64_C(1) << point;
}

static void plan(search *s)
{
	const ref_query *query = s->query;
	uint64_t placed = 0;
	for (int count = 0; count < query->vertex_count; count++) {
		int best = -1, most = -1;
		for (int v = 0; v < query->vertex_count; v++) {
			int joined = 0;
			for (int e = 0; e < query->edge_count; e++)
				joined += (query->edges[e].from == v && (placed & bit(query->edges[e].to))) ||
				          (query->edges[e].to == v && (placed & bit(query->edges[e].from)));
			if (!(placed & bit(v)) && joined > most) {
				best = v;
				most = joined;
			}
		}
		s->steps[s->step_count++] = best;
		placed |= bit(best);
		for (int e = 0; e < query->edge_count; e++) {
			uint64_t ends = bit(query->edges[e].from) | bit(query->edges[e].to);
			if ((ends & bit(best)) && !(ends & ~placed))
				s->steps[s->step_count++] = REF_MAX_VERTICES + e;
		}
	}
}

static void extend(search *s, int step);

static void try_image(search *s, int step, uint32_t image)
{
	if (s->enough)
		return;
	int point = s->steps[step];
	bool of_edge = point >= REF_MAX_VERTICES;
	bool apart = of_edge ? s->semantics != REF_HOM : s->semantics == REF_ISO || s->semantics == REF_INDUCED;
	for (int i = 0; i < step && apart; i++)
		if ((s->steps[i] >= REF_MAX_VERTICES) == of_edge && s->images[s->steps[i]] == image)
			return;
	uint64_t before = s->mapped;
	s->images[point] = image;
	s->mapped |= bit(point);
	bool holds = true;
	for (size_t c = 0; c < s->query->condition_count && holds; c++)
		if ((s->needs[c] & bit(point)) && !(s->needs[c] & ~s->mapped))
			holds = ref_expr_truth(s->graph, s->query, s->query->conditions[c], s->images) == 1;
	if (holds)
		extend(s, step + 1);
	s->mapped = before;
}

static size_t lower_bound(const ref_arc *arcs, size_t begin, size_t end, uint32_t neighbour)
{
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		if (arcs[middle].neighbour < neighbour)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static void try_edges(search *s, int step, uint32_t from, uint32_t to)
{
	const ref_graph *graph = s->graph;
	const ref_query_edge *edge = &s->query->edges[s->steps[step] - REF_MAX_VERTICES];
	size_t end = graph->out_begin[from + 1];
	for (size_t i = lower_bound(graph->out, graph->out_begin[from], end, to); i < end; i++) {
		if (graph->out[i].neighbour != to)
			break;
		if (type_allowed(edge, graph->type[graph->out[i].edge]))
			try_image(s, step, graph->out[i].edge);
	}
}

static void extend_edge(search *s, int step)
{
	const ref_query_edge *edge = &s->query->edges[s->steps[step] - REF_MAX_VERTICES];
	uint32_t from = s->images[edge->from], to = s->images[edge->to];
	try_edges(s, step, from, to);
	if (edge->either && from != to) /* an undirected edge matches a self-loop once */
		try_edges(s, step, to, from);
}

/* Tries each neighbour once. The edges have steps of their own. */
static void try_neighbours(search *s, int step, const size_t *begin, const ref_arc *arcs, uint32_t vertex)
{
	for (size_t i = begin[vertex]; i < begin[vertex + 1]; i++)
		if (i == begin[vertex] || arcs[i].neighbour != arcs[i - 1].neighbour)
			try_image(s, step, arcs[i].neighbour);
}

static bool is_out_neighbour(const ref_graph *graph, uint32_t from, uint32_t to)
{
	size_t end = graph->out_begin[from + 1], at = lower_bound(graph->out, graph->out_begin[from], end, to);
	return at < end && graph->out[at].neighbour == to;
}

/* Tries both directions: all neighbours of `out`, and those of `in` that `out` does not have. */
static void try_both(search *s, int step, uint32_t vertex)
{
	const ref_graph *graph = s->graph;
	try_neighbours(s, step, graph->out_begin, graph->out, vertex);
	for (size_t i = graph->in_begin[vertex]; i < graph->in_begin[vertex + 1]; i++) {
		uint32_t other = graph->in[i].neighbour;
		bool again = i > graph->in_begin[vertex] && graph->in[i - 1].neighbour == other;
		if (!again && !is_out_neighbour(graph, vertex, other))
			try_image(s, step, other);
	}
}

static void extend_vertex(search *s, int step)
{
	int point = s->steps[step];
	for (int e = 0; e < s->query->edge_count; e++) {
		const ref_query_edge *edge = &s->query->edges[e];
		int other = edge->from == point ? edge->to : edge->from;
		if ((edge->from != point && edge->to != point) || !(s->mapped & bit(other)))
			continue;
		if (edge->either)
			try_both(s, step, s->images[other]);
		else if (edge->from == other)
			try_neighbours(s, step, s->graph->out_begin, s->graph->out, s->images[other]);
		else
			try_neighbours(s, step, s->graph->in_begin, s->graph->in, s->images[other]);
		return;
	}
	for (uint32_t v = 0; v < s->graph->n; v++)
		try_image(s, step, v);
}

/* True if the pattern has an edge for a host edge of this type from the image of i to the image of j. */
static bool covered(const ref_query *query, int i, int j, const char *type)
{
	for (int e = 0; e < query->edge_count; e++) {
		const ref_query_edge *edge = &query->edges[e];
		bool placed = (edge->from == i && edge->to == j) || (edge->either && edge->from == j && edge->to == i);
		if (placed && type_allowed(edge, type))
			return true;
	}
	return false;
}

static bool named(const ref_query *query, const char *type)
{
	for (int e = 0; e < query->edge_count; e++)
		if (type_allowed(&query->edges[e], type))
			return true;
	return false;
}

static bool is_induced(const search *s)
{
	const ref_graph *graph = s->graph;
	for (int i = 0; i < s->query->vertex_count; i++)
		for (int j = 0; j < s->query->vertex_count; j++) {
			uint32_t from = s->images[i], to = s->images[j];
			size_t end = graph->out_begin[from + 1];
			for (size_t k = lower_bound(graph->out, graph->out_begin[from], end, to); k < end; k++) {
				const char *type = graph->type[graph->out[k].edge];
				if (graph->out[k].neighbour != to)
					break;
				if (named(s->query, type) && !covered(s->query, i, j, type))
					return false;
			}
		}
	return true;
}

static void extend(search *s, int step)
{
	if (step == s->step_count) {
		if (s->semantics != REF_INDUCED || is_induced(s))
			s->enough = !s->found(s->context, s->images);
	} else if (s->steps[step] >= REF_MAX_VERTICES) {
		extend_edge(s, step);
	} else {
		extend_vertex(s, step);
	}
}

void ref_embeddings(const ref_graph *graph, const ref_query *query, ref_semantics semantics, ref_found *found,
                    void *context)
{
	search *s = ref_alloc(1, sizeof *s);
	*s = (search){ .graph = graph, .query = query, .semantics = semantics, .found = found, .context = context };
	if (graph->undirected)
		for (int e = 0; e < query->edge_count; e++)
			if (!query->edges[e].either)
				ref_die("query %s: a direction in an undirected graph", query->name);
	for (size_t c = 0; c < query->condition_count; c++)
		s->needs[c] = ref_expr_points(query->conditions[c]);
	plan(s);
	if (s->step_count > 0)
		extend(s, 0);
	free(s);
}
