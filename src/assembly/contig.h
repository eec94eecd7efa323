/* contig: the whole genome as an Eulerian path, if such a path exists.
 *
 * The graph of unitigs (contig_graph.h) has each unitig as many times as the genome is estimated to have it. An
 * Eulerian path or circuit of this graph spells a sequence that has each k-mer as many times (Pevzner, Tang and
 * Waterman 2001). If there are several paths, the contig is one of them, the same for every number of ranks.
 *
 * If reads come from both strands, every unitig exists in both directions. The path then runs over one direction of
 * each unitig, which is possible only if the two directions are different components. */

#ifndef GEMP_ASSEMBLY_CONTIG_H
#define GEMP_ASSEMBLY_CONTIG_H

#include "assembly/contig_graph.h"
#include "gemp/types.h"

extern const char *const gemp_contig_verdict_name[GEMP_CONTIG_VERDICTS]; /* for example "path" or "circuit" */

enum { GEMP_CONTIG_EXAMPLES = 4 };

typedef struct gemp_contig_vertex {
	gemp_kmer word;   /* the k - 1 letters of the vertex */
	uint64_t in, out; /* numbers of edges, with copies */
} gemp_contig_vertex;

typedef struct gemp_contig {
	gemp_contig_verdict verdict;
	double coverage; /* coverage of a single copy; 0: copies were not estimated by coverage */
	/* The counts are over all ranks. If reads come from both strands, they count both directions. */
	uint64_t unitigs, copies; /* number of edges, without and with copies */
	uint64_t unbalanced;      /* number of vertices with unequal in- and out-degree; a path has two */
	uint64_t components;      /* 0: not counted, because the graph was not gathered */
	size_t examples;
	gemp_contig_vertex example[GEMP_CONTIG_EXAMPLES]; /* [examples] the unbalanced vertices with the smallest words */
	gemp_sequences sequences;                         /* the contig, or empty */
} gemp_contig;

/* Collective. It is no error if there is neither a path nor a circuit: the verdict then gives the reason. */
gemp_code gemp_contig_new(gemp_contig *out, const gemp_unitigs *unitigs, gemp_assembly_copies copying,
                          gemp_traffic *traffic);
void gemp_contig_free(gemp_contig *contig);

#endif
