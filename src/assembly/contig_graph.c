#include "assembly/contig_graph.h"

#include "core/memory.h"
#include "core/search.h"

void gemp_contig_graph_free(gemp_contig_graph *graph)
{
	gemp_free_all(graph->edge, graph->word, graph->begin);
	*graph = (gemp_contig_graph){ 0 };
}

/* The index of the vertex with this word. The graph must have such a vertex. */
static size_t find_vertex(const gemp_contig_graph *graph, gemp_kmer word)
{
	return gemp_range_find(graph->word, graph->vertices, word);
}

/* VERTICES AND COMPONENTS */

/* Local. Finds the vertices, and sets both ends of all edges. Edges are sorted by head and therefore by the vertex that
 * they leave, so the edges of a vertex lie one behind the other. */
static gemp_code index_graph(gemp_contig_graph *graph, unsigned k)
{
	GEMP_TRY(GEMP_NEW(graph->word, 2 * graph->edges));
	for (size_t e = 0; e < graph->edges; e++) {
		graph->word[2 * e] = gemp_kmer_source(graph->edge[e].head);
		graph->word[2 * e + 1] = gemp_kmer_target(graph->edge[e].tail, k);
	}
	GEMP_TRY(gemp_kmer_sort(graph->word, NULL, 2 * graph->edges));
	for (size_t i = 0; i < 2 * graph->edges; i++)
		if (i == 0 || graph->word[i] != graph->word[i - 1])
			graph->word[graph->vertices++] = graph->word[i];
	GEMP_TRY(GEMP_NEW(graph->begin, graph->vertices + 1));
	for (size_t e = 0; e < graph->edges; e++) {
		graph->edge[e].from = find_vertex(graph, gemp_kmer_source(graph->edge[e].head));
		graph->edge[e].to = find_vertex(graph, gemp_kmer_target(graph->edge[e].tail, k));
		graph->begin[graph->edge[e].from + 1]++;
	}
	for (size_t v = 0; v < graph->vertices; v++)
		graph->begin[v + 1] += graph->begin[v];
	return GEMP_OK;
}

/* Union-find with path halving. Every rank has the whole graph, so no atomics are needed (topology/disjoint_sets.h has
 * the concurrent union-find). */
static size_t root(size_t *part, size_t v)
{
	while (part[v] != v)
		v = part[v] = part[part[v]];
	return v;
}

/* Returns the number of components. part[v] becomes the smallest vertex of v's component. */
static uint64_t find_components(const gemp_contig_graph *graph, size_t *part)
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

/* Finding a path is a sequential search, which more ranks would not make faster, so every rank gathers the graph.
 * Unitigs ascend by head on each rank and over the ranks, and so do the gathered edges. */
gemp_code gemp_contig_graph_gather(gemp_contig_graph *graph, const gemp_unitigs *u, const uint64_t *copies)
{
	const gemp_comm *comm = u->graph->comm;
	GEMP_OWNED gemp_contig_edge *own = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t edge = 0;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(own, u->count)));
	for (size_t i = 0; i < u->count; i++) {
		const gemp_unitig *g = &u->unitig[i];
		while (u->graph->kmer[edge] < g->head)
			edge++;
		own[i] = (gemp_contig_edge){ .item = gemp_item_of(comm->rank, edge),
			                         .head = g->head,
			                         .tail = g->tail,
			                         .reverse_head = gemp_kmer_reverse(g->tail, u->graph->k),
			                         .kmers = g->kmers,
			                         .copies = copies[i] };
	}
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, own, u->count * sizeof *own, (void **)&graph->edge, &begin));
	graph->edges = begin[comm->size] / sizeof *own;
	return gemp_comm_agree(comm, index_graph(graph, u->graph->k));
}

/* THE PATH */

/* Finds an Eulerian path or circuit over the edges of the wanted component, by Hierholzer (1873). A walk goes on over
 * unused edges until it is stuck. Then the last edge of the walk is the last edge of the path that is not known yet. So
 * edges come in reverse order, and the order is reversed at the end. If there is no path, r->count is less than
 * r->copies. */
static gemp_code find_path(const gemp_contig_graph *graph, gemp_contig_route *r)
{
	GEMP_OWNED size_t *next = NULL, *trail = NULL; /* the next edge of each vertex; the edges of the walk so far */
	GEMP_OWNED uint64_t *left = NULL;              /* number of unused copies of each edge */
	size_t depth = 0, at = r->start;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(r->order, r->copies), GEMP_ARRAY(next, graph->vertices),
	                      GEMP_ARRAY(left, graph->edges), GEMP_ARRAY(trail, r->copies)));
	for (size_t v = 0; v < graph->vertices; v++)
		next[v] = graph->begin[v];
	for (size_t e = 0; e < graph->edges; e++)
		left[e] = graph->edge[e].copies;
	for (;;) {
		while (next[at] < graph->begin[at + 1] && left[next[at]] == 0)
			next[at]++;
		if (next[at] < graph->begin[at + 1]) {
			left[next[at]]--;
			trail[depth++] = next[at];
			at = graph->edge[next[at]].to;
		} else if (depth > 0) {
			r->order[r->count++] = trail[--depth];
			at = graph->edge[trail[depth]].from;
		} else {
			break;
		}
	}
	for (size_t i = 0, j = r->count; i + 1 < j; i++) {
		size_t edge = r->order[i];
		r->order[i] = r->order[--j];
		r->order[j] = edge;
	}
	return GEMP_OK;
}

/* The edge that begins with this k-mer. If there is none, the last edge that begins with a smaller k-mer. */
static size_t find_edge(const gemp_contig_graph *graph, gemp_kmer head)
{
	size_t after;
	GEMP_PARTITION_POINT(after, 1, graph->edges, graph->edge[after].head <= head);
	return after - 1;
}

/* Is any unitig in the same component as its reverse complement? Then a path would use both strands. */
static bool strands_meet(const gemp_contig_graph *graph, const size_t *part)
{
	for (size_t e = 0; e < graph->edges; e++) {
		const gemp_contig_edge *edge = &graph->edge[e];
		const gemp_contig_edge *other = &graph->edge[find_edge(graph, edge->reverse_head)];
		if (other->head == edge->reverse_head && part[other->from] == part[edge->from])
			return true;
	}
	return false;
}

/* Local. The balance of the component decides between path and circuit. A path begins at the vertex with one more edge
 * out than in. */
static gemp_code find_start(const gemp_contig_graph *graph, gemp_contig_route *r, gemp_contig_verdict *verdict)
{
	GEMP_OWNED int64_t *surplus = NULL;
	size_t above = 0, below = 0, other = 0;
	GEMP_TRY(GEMP_NEW(surplus, graph->vertices));
	for (size_t e = 0; e < graph->edges; e++) {
		surplus[graph->edge[e].from] += (int64_t)graph->edge[e].copies;
		surplus[graph->edge[e].to] -= (int64_t)graph->edge[e].copies;
		r->copies += r->part[graph->edge[e].from] == r->wanted ? graph->edge[e].copies : 0;
	}
	r->start = graph->edge[0].from;
	for (size_t v = 0; v < graph->vertices; v++) {
		if (r->part[v] != r->wanted)
			continue;
		above += surplus[v] == 1;
		below += surplus[v] == -1;
		other += surplus[v] < -1 || surplus[v] > 1;
		if (surplus[v] == 1)
			r->start = v;
	}
	*verdict = above ? GEMP_CONTIG_PATH : GEMP_CONTIG_CIRCUIT;
	if (other || above > 1 || below > 1)
		*verdict = GEMP_CONTIG_UNBALANCED;
	return GEMP_OK;
}

/* Every rank computes the same verdict from the same graph, so the ranks need not agree on it. */
gemp_code gemp_contig_route_find(gemp_contig_route *r, const gemp_contig_graph *graph, bool both_strands,
                                 gemp_contig_verdict *verdict, uint64_t *components)
{
	GEMP_TRY(GEMP_NEW(r->part, graph->vertices));
	*components = find_components(graph, r->part);
	r->wanted = r->part[graph->edge[0].from];
	if (both_strands && strands_meet(graph, r->part)) {
		*verdict = GEMP_CONTIG_STRANDS;
	} else if (*components > (both_strands ? 2 : 1)) {
		*verdict = GEMP_CONTIG_DISCONNECTED;
	} else {
		GEMP_TRY(find_start(graph, r, verdict));
	}
	if (*verdict > GEMP_CONTIG_CIRCUIT)
		return GEMP_OK;
	GEMP_TRY(find_path(graph, r));
	GEMP_CHECK(r->count == r->copies);
	for (size_t i = 0; i < r->count; i++)
		r->kmers += graph->edge[r->order[i]].kmers;
	return GEMP_OK;
}
