/* contig_graph: the graph whose edges are the unitigs, gathered on every rank, and an Eulerian path of this graph.
 *
 * Vertices are the words of k - 1 letters where unitigs begin and end. Edges are sorted by head, so the edges that
 * leave a vertex lie one behind the other. All ranks find the same path, since the search takes the smallest edge
 * first. */

#ifndef GEMP_ASSEMBLY_CONTIG_GRAPH_H
#define GEMP_ASSEMBLY_CONTIG_GRAPH_H

#include "assembly/unitigs.h"

typedef enum gemp_contig_verdict {
	GEMP_CONTIG_PATH,
	GEMP_CONTIG_CIRCUIT,
	GEMP_CONTIG_UNBALANCED,   /* too many vertices have unequal in- and out-degree */
	GEMP_CONTIG_DISCONNECTED, /* several components */
	/* both strands are in one component, because a path connects a word and its reverse complement */
	GEMP_CONTIG_STRANDS,
	GEMP_CONTIG_TOO_LARGE, /* the graph has more edges, with copies, than gemp_limits.contig_unitigs */
	GEMP_CONTIG_VERDICTS
} gemp_contig_verdict;

/* An edge of the graph: a unitig of any rank. */
typedef struct gemp_contig_edge {
	gemp_item item;                     /* the unitig's first k-mer */
	gemp_kmer head, tail, reverse_head; /* reverse_head: the head of the reverse complement */
	uint64_t kmers, copies;
	size_t from, to; /* indices of vertices */
} gemp_contig_edge;

typedef struct gemp_contig_graph {
	size_t edges, vertices;
	gemp_contig_edge *edge; /* [edges] sorted by item, and so by head */
	gemp_kmer *word;        /* [vertices] words, ascending */
	size_t *begin;          /* [vertices + 1] the first edge that leaves each vertex */
} gemp_contig_graph;

/* Collective. Every rank gets the unitigs of all ranks. copies[u->count]: copies of each unitig of this rank. The
 * caller frees *graph, even after an error. */
gemp_code gemp_contig_graph_gather(gemp_contig_graph *graph, const gemp_unitigs *u, const uint64_t *copies);
void gemp_contig_graph_free(gemp_contig_graph *graph);

/* A component, and an Eulerian path over its edges. */
typedef struct gemp_contig_route {
	size_t *part;         /* [vertices] equal for all vertices of a component */
	size_t wanted, start; /* part[] of the component; the vertex where the path begins */
	size_t copies;        /* number of edges of the component, with copies */
	size_t count;         /* number of edges of the path; 0: there is no path */
	size_t *order;        /* [count] edges in their order; an edge occurs as many times as it has copies */
	uint64_t kmers;       /* number of k-mers on the path */
} gemp_contig_route;

/* Local. The graph must have an edge. With both strands the path runs over one of two components. The caller frees
 * r->part and r->order, even after an error. */
gemp_code gemp_contig_route_find(gemp_contig_route *r, const gemp_contig_graph *graph, bool both_strands,
                                 gemp_contig_verdict *verdict, uint64_t *components);

#endif
