/* contig_graph: the graph of unitigs as every rank has it: vertices are the words of k - 1 letters where unitigs
 * meet, edges the unitigs. Edges ascend by head, hence by item. */

#ifndef GEMP_ASSEMBLY_CONTIG_GRAPH_H
#define GEMP_ASSEMBLY_CONTIG_GRAPH_H

#include "assembly/items.h"
#include "assembly/kmer.h"

/* A unitig of any rank. */
typedef struct gemp_contig_edge {
	gemp_item item;                     /* its first k-mer */
	gemp_kmer head, tail, reverse_head; /* of its reverse complement */
	uint64_t kmers, copies;
	size_t from, to; /* vertices */
} gemp_contig_edge;

typedef struct gemp_contig_graph {
	size_t edges, vertices;
	gemp_contig_edge *edge; /* [edges] by item, and so by head */
	gemp_kmer *word;        /* [vertices] ascending */
	size_t *begin;          /* [vertices + 1] edges that leave it: neighbours, in the order of heads */
} gemp_contig_graph;

/* Of edges whose ends are not yet set. */
gemp_code gemp_contig_graph_index(gemp_contig_graph *graph, unsigned k);
void gemp_contig_graph_free(gemp_contig_graph *graph);

/* How many components there are; part[vertices] are the same for vertices of one. */
uint64_t gemp_contig_components(const gemp_contig_graph *graph, size_t *part);

/* An Eulerian path or circuit of the edges whose vertices are in part `wanted`, from `start`: order[*count] of edges,
 * each as often as it has copies, which must be as many as there is room for. *count is less if there is none. */
gemp_code gemp_contig_euler_path(const gemp_contig_graph *graph, const size_t *part, size_t wanted, size_t start,
                                 size_t *order, size_t *count);

#endif
