/* unitigs: the ways of a graph of k-mers that nothing branches off: every k-mer lies on just one.
 *
 * A way goes on where one edge enters a vertex and one leaves it. One that closes begins at its least k-mer. Where
 * reads come from both strands, a way and its reverse complement are one unitig, spelled in the direction that comes
 * first in the order of words; ways end where they would turn back into themselves.
 */

#ifndef GEMP_ASSEMBLY_UNITIGS_H
#define GEMP_ASSEMBLY_UNITIGS_H

#include "assembly/kmer_graph.h"
#include "assembly/sequences.h"

typedef struct gemp_unitig {
	gemp_kmer head, tail;  /* its first and its last k-mer */
	uint64_t number;       /* among those of all ranks that are kept, from 0, in the order of heads */
	uint64_t kmers, times; /* it has so many, which occur so often in all */
	uint64_t begin;        /* of its kmers + k - 1 letters among those of all that are kept */
	bool closed;           /* the tail is followed by the head */
	bool kept;             /* it is not the reverse complement of one */
} gemp_unitig;

typedef struct gemp_unitigs {
	const gemp_kmer_graph *graph; /* borrowed */
	size_t count;                 /* of those whose heads are this rank's */
	gemp_unitig *unitig;          /* [count] by head */
	/* of each edge of this rank */
	gemp_item *head;  /* [graph->count] the first edge of its unitig */
	uint64_t *before; /* [graph->count] edges before it */
	/* of all ranks, those that are kept */
	uint64_t total, letters;
} gemp_unitigs;

/* Collective. graph->traffic grows. */
gemp_code gemp_unitigs_new(gemp_unitigs *out, gemp_kmer_graph *graph);
void gemp_unitigs_free(gemp_unitigs *unitigs);

/* Collective. Letters of the longest one, and of the middle letter's, by length (N50): those that are as long or
 * longer have half of all letters. */
void gemp_unitigs_lengths(const gemp_unitigs *unitigs, uint64_t *longest, uint64_t *middle);

struct gemp_list_place;

/* spell: the letters of unitigs. */

/* Collective. Each edge sends its last letter to its place. */
gemp_code gemp_unitigs_spell(gemp_sequences *out, const gemp_unitigs *unitigs, gemp_traffic *traffic);

/* LINKS: which unitigs follow one another: the last k - 1 letters of one are the first letters of the
 * other. */

typedef struct gemp_unitig_link {
	uint64_t from, to;       /* numbers of unitigs */
	bool from_back, to_back; /* the reverse complement of it */
} gemp_unitig_link;

/* Collective. This rank's links; where reads come from both strands, a link and its reverse are one, the lesser of the
 * two. The order over all ranks does not depend on their number. *out is the caller's to free. */
gemp_code gemp_unitig_links_find(gemp_unitig_link **out, size_t *count, const gemp_unitigs *unitigs,
                                 gemp_traffic *traffic);

#endif
