/* contig: the whole genome as an Eulerian path, where there is one.
 *
 * The graph of unitigs (contig_graph.h) has each unitig as often as the genome is estimated to have it. An Eulerian
 * path or circuit of it spells a sequence that has all k-mers as often (Pevzner, Tang and Waterman 2001). Where there
 * are several paths, the contig is one of them, the same for every number of ranks.
 *
 * Where reads come from both strands, every unitig exists in both directions. The path runs over one direction of each
 * unitig, which is possible only if the two directions are different components.
 */

#ifndef GEMP_ASSEMBLY_CONTIG_H
#define GEMP_ASSEMBLY_CONTIG_H

#include "assembly/contig_graph.h"
#include "gemp/types.h"

extern const char *const gemp_contig_verdict_name[GEMP_CONTIG_VERDICTS]; /* "path", "circuit", "unbalanced", ... */

enum { GEMP_CONTIG_EXAMPLES = 4 };

typedef struct gemp_contig_vertex {
	gemp_kmer word;   /* of k - 1 letters */
	uint64_t in, out; /* edges, copies counted */
} gemp_contig_vertex;

typedef struct gemp_contig {
	gemp_contig_verdict verdict;
	double coverage; /* of one copy; 0: copies were not estimated by coverage */
	/* over all ranks; where reads come from both strands, both directions together */
	uint64_t unitigs, copies; /* edges, without and with copies */
	uint64_t unbalanced;      /* vertices with unequal in- and out-degree; a path has two */
	uint64_t components;      /* 0: not counted, since the balance has decided */
	size_t examples;
	gemp_contig_vertex example[GEMP_CONTIG_EXAMPLES]; /* [examples] unbalanced vertices with the smallest words */
	gemp_sequences sequences;                         /* the contig, or no sequence */
} gemp_contig;

/* Collective. A verdict without path or circuit is no error. */
gemp_code gemp_contig_new(gemp_contig *out, const gemp_unitigs *unitigs, gemp_assembly_copies copying,
                          gemp_traffic *traffic);
void gemp_contig_free(gemp_contig *contig);

#endif
