/* kmer_graph: the de Bruijn graph of k-mers, distributed over ranks (Pevzner, Tang and Waterman 2001). Words of k
 * - 1 letters are vertices, k-mers are edges from their first to their last k - 1 letters.
 *
 * Each rank has the edges of a range of vertices, ascending; ranges ascend with ranks and are balanced by
 * sampling. Where reads come from both strands, the reverse complement of each k-mer is an edge, too.
 */

#ifndef GEMP_ASSEMBLY_KMER_GRAPH_H
#define GEMP_ASSEMBLY_KMER_GRAPH_H

#include "assembly/kmer.h"
#include "assembly/list_rank.h"

typedef struct gemp_kmer_graph {
	const gemp_comm *comm; /* borrowed */
	unsigned k;
	bool both_strands;
	uint64_t *bounds; /* [ranks + 1] rank r has the edges whose source is in [bounds[r], bounds[r + 1]) */
	size_t count;     /* of this rank's edges */
	gemp_kmer *kmer;  /* [count] ascending */
	uint64_t *times;  /* [count] how often it occurs in the reads, in both directions together */
	gemp_item *next;  /* [count] the edge that follows on an unbranched path; GEMP_NO_ITEM: none */
	bool *previous;   /* [count] true: the edge is the next one of another edge */
	/* over all ranks */
	uint64_t edges;                       /* sum of count */
	uint64_t occurrences, distinct, kept; /* k-mers in the reads; distinct k-mers; those that occur often enough */
	gemp_traffic traffic;                 /* of this rank */
	/* edges of source s begin at row_index[(s - bounds[rank]) >> shift] or some edges behind it */
	size_t *row_index;
	size_t row_index_size;
	unsigned shift;
} gemp_kmer_graph;

/* Collective. Takes the k-mers of all ranks' counters that occur min_times or more often; the counters are emptied.
 * uniform: paths continue only where k-mers occur equally often. */
gemp_code gemp_kmer_graph_new(gemp_kmer_graph *out, const gemp_comm *comm, gemp_kmer_counter *counter,
                              uint64_t min_times, bool uniform);
void gemp_kmer_graph_free(gemp_kmer_graph *graph);

/* The rank that has the edges of a vertex. */
int gemp_kmer_graph_owner(const gemp_kmer_graph *graph, gemp_kmer vertex);
/* The first edge that leaves this vertex, which this rank owns; *end is behind the last one. Without any both are the
 * place where they would stand. */
size_t gemp_kmer_graph_row(const gemp_kmer_graph *graph, gemp_kmer vertex, size_t *end);

#endif
