/* contig: the whole genome as an Eulerian path, where there is one.
 *
 * The vertices where unitigs meet are a graph whose edges are the unitigs, each as often as the genome has it. An
 * Eulerian path or circuit of it spells a sequence that has all k-mers as often (Pevzner, Tang and Waterman 2001).
 * Where there are several, it is one of them, the same for every number of ranks.
 *
 * Where reads come from both strands, every unitig is there in both directions; the path runs over one of each, which
 * is known only if the two directions do not hang together.
 */

#ifndef GEMP_ASSEMBLY_CONTIG_H
#define GEMP_ASSEMBLY_CONTIG_H

#include "assembly/unitigs.h"
#include "gemp/types.h"

typedef enum gemp_contig_verdict {
	GEMP_CONTIG_PATH,
	GEMP_CONTIG_CIRCUIT,
	GEMP_CONTIG_UNBALANCED,   /* vertices where other than one enter or leave more often */
	GEMP_CONTIG_DISCONNECTED, /* several components */
	GEMP_CONTIG_STRANDS,      /* the two strands hang together: some word and its reverse complement are on one way */
	GEMP_CONTIG_TOO_LARGE,    /* more edges than gemp_limits.contig_unitigs */
	GEMP_CONTIG_VERDICTS
} gemp_contig_verdict;
extern const char *const gemp_contig_verdict_name[GEMP_CONTIG_VERDICTS]; /* "path", "circuit", "unbalanced", ... */

enum { GEMP_CONTIG_EXAMPLES = 4 };

typedef struct gemp_contig_vertex {
	gemp_kmer word;   /* of k - 1 letters */
	uint64_t in, out; /* edges, copies counted */
} gemp_contig_vertex;

typedef struct gemp_contig {
	gemp_contig_verdict verdict;
	double coverage; /* of one copy; 0: not asked for */
	/* of all ranks; where reads come from both strands, of both directions together */
	uint64_t unitigs, copies; /* edges, without and with copies */
	uint64_t unbalanced;      /* vertices with other in- than out-degree; two of a path */
	uint64_t components;      /* 0: nobody has looked */
	size_t examples;
	gemp_contig_vertex example[GEMP_CONTIG_EXAMPLES]; /* [examples] not balanced, the least words */
	gemp_sequences sequences;                         /* one, if there is a path or circuit; else none */
} gemp_contig;

/* Collective. */
gemp_code gemp_contig_new(gemp_contig *out, const gemp_unitigs *unitigs, gemp_assembly_copies copying,
                          gemp_traffic *traffic);
void gemp_contig_free(gemp_contig *contig);

#endif
