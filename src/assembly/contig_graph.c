/* The graph of unitigs as every rank has it, and an Eulerian path by Hierholzer's method (1873), smallest edges
 * first, so that all ranks find the same path. */

#include "assembly/contig_graph.h"

#include "core/memory.h"
#include "core/search.h"

void gemp_contig_graph_free(gemp_contig_graph *graph)
{
	gemp_free_all(graph->edge, graph->word, graph->begin);
	*graph = (gemp_contig_graph){ 0 };
}

static size_t find(const gemp_contig_graph *graph, gemp_kmer word)
{
	return gemp_range_find(graph->word, graph->vertices, word);
}

gemp_code gemp_contig_graph_index(gemp_contig_graph *graph, unsigned k)
{
	GEMP_PROPAGATE(GEMP_NEW(graph->word, 2 * graph->edges));
	for (size_t e = 0; e < graph->edges; e++) {
		graph->word[2 * e] = gemp_kmer_source(graph->edge[e].head);
		graph->word[2 * e + 1] = gemp_kmer_target(graph->edge[e].tail, k);
	}
	GEMP_PROPAGATE(gemp_kmer_sort(graph->word, NULL, 2 * graph->edges));
	for (size_t i = 0; i < 2 * graph->edges; i++)
		if (i == 0 || graph->word[i] != graph->word[i - 1])
			graph->word[graph->vertices++] = graph->word[i];
	GEMP_PROPAGATE(GEMP_NEW(graph->begin, graph->vertices + 1));
	for (size_t e = 0; e < graph->edges; e++) {
		graph->edge[e].from = find(graph, gemp_kmer_source(graph->edge[e].head));
		graph->edge[e].to = find(graph, gemp_kmer_target(graph->edge[e].tail, k));
		graph->begin[graph->edge[e].from + 1]++;
	}
	for (size_t v = 0; v < graph->vertices; v++)
		graph->begin[v + 1] += graph->begin[v];
	return GEMP_OK;
}

/* Union-find with path halving; the graph is on every rank, so no atomics are needed (topology/disjoint_sets.h has
 * the concurrent one). */
static size_t root(size_t *part, size_t v)
{
	while (part[v] != v)
		v = part[v] = part[part[v]];
	return v;
}

uint64_t gemp_contig_components(const gemp_contig_graph *graph, size_t *part)
{
	uint64_t components = 0;
	for (size_t v = 0; v < graph->vertices; v++)
		part[v] = v;
	for (size_t e = 0; e < graph->edges; e++) {
		size_t a = root(part, graph->edge[e].from), b = root(part, graph->edge[e].to);
		part[a < b ? b : a] = a < b ? a : b;
	}
	for (size_t v = 0; v < graph->vertices; v++) {
		part[v] = root(part, v);
		components += part[v] == v;
	}
	return components;
}

/* A stack of edges: dead ends are popped into the order, which therefore comes out backwards. */
gemp_code gemp_contig_euler_path(const gemp_contig_graph *graph, const size_t *part, size_t wanted, size_t start,
                                 size_t *order, size_t *count)
{
	GEMP_OWNED size_t *next = NULL, *trail = NULL;
	size_t depth = 0, edges = 0, at = start;
	GEMP_OWNED uint64_t *left = NULL;
	for (size_t e = 0; e < graph->edges; e++)
		edges += part[graph->edge[e].from] == wanted ? graph->edge[e].copies : 0;
	GEMP_PROPAGATE(
		gemp_new_all(GEMP_ARRAY(next, graph->vertices), GEMP_ARRAY(left, graph->edges), GEMP_ARRAY(trail, edges)));
	for (size_t v = 0; v < graph->vertices; v++)
		next[v] = graph->begin[v];
	for (size_t e = 0; e < graph->edges; e++)
		left[e] = graph->edge[e].copies;
	*count = 0;
	for (;;) {
		while (next[at] < graph->begin[at + 1] && left[next[at]] == 0)
			next[at]++;
		if (next[at] < graph->begin[at + 1]) {
			left[next[at]]--;
			trail[depth++] = next[at];
			at = graph->edge[next[at]].to;
		} else if (depth > 0) {
			order[(*count)++] = trail[--depth];
			at = graph->edge[trail[depth]].from;
		} else {
			break;
		}
	}
	for (size_t i = 0; i < *count / 2; i++) {
		size_t other = order[i];
		order[i] = order[*count - 1 - i];
		order[*count - 1 - i] = other;
	}
	return GEMP_OK;
}
