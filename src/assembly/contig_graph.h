/* contig_graph: the graph whose edges are the unitigs, gathered on every rank, and an Eulerian path of it.
 *
 * Vertices are the words of k - 1 letters where unitigs begin and end. Edges are in the order of their heads, so the
 * edges that leave a vertex lie behind one another. All ranks find the same path, since the search takes the smallest
 * edge first.
 */

#ifndef GEMP_ASSEMBLY_CONTIG_GRAPH_H
#define GEMP_ASSEMBLY_CONTIG_GRAPH_H

#include "assembly/unitigs.h"

typedef enum gemp_contig_verdict {
	GEMP_CONTIG_PATH,
	GEMP_CONTIG_CIRCUIT,
	GEMP_CONTIG_UNBALANCED,   /* too many vertices have unequal in- and out-degree */
	GEMP_CONTIG_DISCONNECTED, /* several components */
	GEMP_CONTIG_STRANDS,      /* both strands are in one component: a path connects a word and its reverse complement */
	GEMP_CONTIG_TOO_LARGE,    /* more edges than gemp_limits.contig_unitigs */
	GEMP_CONTIG_VERDICTS
} gemp_contig_verdict;

/* A unitig of any rank. */
typedef struct gemp_contig_edge {
	gemp_item item;                     /* its first k-mer */
	gemp_kmer head, tail, reverse_head; /* reverse_head: of its reverse complement */
	uint64_t kmers, copies;
	size_t from, to; /* vertices */
} gemp_contig_edge;

typedef struct gemp_contig_graph {
	size_t edges, vertices;
	gemp_contig_edge *edge; /* [edges] by item, and so by head */
	gemp_kmer *word;        /* [vertices] ascending */
	size_t *begin;          /* [vertices + 1] the first edge that leaves each vertex */
} gemp_contig_graph;

/* Collective. Every rank gets all unitigs; copies[u->count]. The caller frees *graph, also after an error. */
gemp_code gemp_contig_graph_gather(gemp_contig_graph *graph, const gemp_unitigs *u, const uint64_t *copies);
void gemp_contig_graph_free(gemp_contig_graph *graph);

/* The component that a path runs over, and the path. */
typedef struct gemp_contig_route {
	size_t *part;         /* [vertices] the same number for the vertices of a component */
	size_t wanted, start; /* the component; the vertex where the path begins */
	size_t copies;        /* edges of the component, with copies */
	size_t count;         /* 0: there is no path */
	size_t *order;        /* [count] edges, each as often as it has copies */
	uint64_t kmers;       /* on the path */
} gemp_contig_route;

/* Local. The graph has an edge. With both strands the path runs over one of two components. The caller frees r->part
 * and r->order, also after an error. */
gemp_code gemp_contig_route_find(gemp_contig_route *r, const gemp_contig_graph *graph, bool both_strands,
                                 gemp_contig_verdict *verdict, uint64_t *components);

#endif
