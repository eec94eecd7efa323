/* kmer_graph: the de Bruijn graph of k-mers, distributed over ranks (Pevzner, Tang and Waterman 2001). Vertices are
 * words of k - 1 letters. A k-mer is an edge from its first to its last k - 1 letters.
 *
 * Each rank has the edges that leave a range of vertices, in ascending order. The ranges ascend with the ranks and are
 * balanced by sampling. If reads come from both strands, the reverse complement of each k-mer is also an edge. */

#ifndef GEMP_ASSEMBLY_KMER_GRAPH_H
#define GEMP_ASSEMBLY_KMER_GRAPH_H

#include "assembly/kmer.h"
#include "assembly/list_rank.h"

typedef struct gemp_kmer_graph {
	const gemp_comm *comm; /* borrowed */
	unsigned k;
	bool both_strands;
	uint64_t *bounds; /* [ranks + 1] rank r has the edges whose source is in [bounds[r], bounds[r + 1]) */
	size_t count;     /* number of edges of this rank */
	gemp_kmer *kmer;  /* [count] edges, ascending */
	uint64_t *times;  /* [count] how often the k-mer occurs in the reads, in both directions together */
	gemp_item *next;  /* [count] the edge that follows on an unbranched path; GEMP_NO_ITEM: the path ends */
	bool *previous;   /* [count] true: the edge follows another edge on its path */
	/* over all ranks: */
	uint64_t edges; /* sum of count */
	/* number of k-mers in the reads; of distinct k-mers; of distinct k-mers that occur often enough */
	uint64_t occurrences, distinct, kept;
	gemp_traffic traffic; /* traffic of this rank */
	/* the edges of source s begin at row_index[(s - bounds[rank]) >> shift], or a few edges behind it */
	size_t *row_index;
	size_t row_index_size;
	unsigned shift;
} gemp_kmer_graph;

/* Collective. Takes the k-mers of all ranks' counters that occur at least min_times times. On success the counters are
 * freed. uniform: a path continues only to a k-mer that occurs equally often. */
gemp_code gemp_kmer_graph_new(gemp_kmer_graph *out, const gemp_comm *comm, gemp_kmer_counter *counter,
                              uint64_t min_times, bool uniform);
void gemp_kmer_graph_free(gemp_kmer_graph *graph);

/* The rank that has the edges that leave a vertex. */
int gemp_kmer_graph_owner(const gemp_kmer_graph *graph, gemp_kmer vertex);
/* Returns the first edge that leaves this vertex, which this rank must own. *end is behind the last such edge. If no
 * edge leaves the vertex, both are the place where its edges would be. */
size_t gemp_kmer_graph_row(const gemp_kmer_graph *graph, gemp_kmer vertex, size_t *end);

#endif
