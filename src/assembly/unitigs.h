/* unitigs: the unbranched paths of a graph of k-mers. Every k-mer lies on exactly one unitig.
 *
 * A path continues through a vertex that exactly one edge enters and one edge leaves. A closed path begins at its
 * smallest k-mer. If reads come from both strands, a path and its reverse complement stand for one unitig, and the
 * direction that comes first in the order of words is kept. Such a path ends where it would turn back into its own
 * reverse complement. */

#ifndef GEMP_ASSEMBLY_UNITIGS_H
#define GEMP_ASSEMBLY_UNITIGS_H

#include "assembly/kmer_graph.h"
#include "assembly/sequences.h"

typedef struct gemp_unitig {
	gemp_kmer head, tail;  /* the first and the last k-mer */
	uint64_t number;       /* number among the kept unitigs of all ranks, from 0, in the order of heads */
	uint64_t kmers, times; /* number of k-mers, and how often they occur in the reads in total */
	uint64_t begin;        /* place of its kmers + k - 1 letters among the letters of all kept unitigs */
	bool closed;           /* the head follows the tail */
	bool kept;             /* false: its reverse complement is kept instead */
} gemp_unitig;

typedef struct gemp_unitigs {
	const gemp_kmer_graph *graph; /* borrowed */
	size_t count;                 /* number of unitigs whose heads this rank owns */
	gemp_unitig *unitig;          /* [count] unitigs by head */
	gemp_item *head;              /* [graph->count] the first edge of the unitig of each edge of this rank */
	uint64_t *before;             /* [graph->count] number of edges of the unitig before the edge */
	uint64_t total, letters;      /* number of kept unitigs and of their letters, on all ranks */
} gemp_unitigs;

/* Collective. Adds to graph->traffic. */
gemp_code gemp_unitigs_new(gemp_unitigs *out, gemp_kmer_graph *graph);
void gemp_unitigs_free(gemp_unitigs *unitigs);

/* Collective. *longest: number of letters of the longest unitig. *middle: N50, the largest length such that unitigs of
 * at least this length have half of all letters. */
void gemp_unitigs_lengths(const gemp_unitigs *unitigs, uint64_t *longest, uint64_t *middle);

/* Collective. Writes the letters of all kept unitigs. */
gemp_code gemp_unitigs_spell(gemp_sequences *out, const gemp_unitigs *unitigs, gemp_traffic *traffic);

/* The unitig `to` follows the unitig `from`: the last k - 1 letters of `from` are the first k - 1 letters of `to`. */
typedef struct gemp_unitig_link {
	uint64_t from, to;       /* numbers of unitigs */
	bool from_back, to_back; /* true: the link leaves or enters the reverse complement of the unitig */
} gemp_unitig_link;

/* Collective. Finds the links of this rank's unitigs. If reads come from both strands, a link and its reverse are the
 * same link, and the smaller form is listed. The order over all ranks does not depend on their number. The caller frees
 * *out. */
gemp_code gemp_unitig_links_find(gemp_unitig_link **out, size_t *count, const gemp_unitigs *unitigs,
                                 gemp_traffic *traffic);

#endif
