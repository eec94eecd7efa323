/* sequences: texts whose letters, one text behind the other, are distributed evenly among ranks. A long text may lie on
 * several ranks; its description is on each of them.
 */

#ifndef GEMP_ASSEMBLY_SEQUENCES_H
#define GEMP_ASSEMBLY_SEQUENCES_H

#include "comm/exchange.h"
#include "core/text.h"

typedef struct gemp_sequence {
	uint64_t number;       /* from 0 */
	uint64_t begin, size;  /* of its letters among those of all sequences; size > 0 */
	uint64_t kmers, times; /* its k-mers, and how often these occur in the reads; times 0: not known */
	bool closed;           /* its last k - 1 letters are its first ones again */
} gemp_sequence;

typedef struct gemp_sequences {
	uint64_t total, total_letters;
	uint64_t first;          /* of this rank's letters */
	size_t letters;          /* of this rank */
	char *letter;            /* [letters] */
	size_t count;            /* of sequences with letters here */
	gemp_sequence *sequence; /* [count] by number */
} gemp_sequences;

/* Collective. Allocates `letters` letters over all ranks. own[count]: descriptions that this rank has, in any order,
 * each sequence on one rank; they are sent to all ranks with letters of the sequence. */
gemp_code gemp_sequences_new(gemp_sequences *out, const gemp_comm *comm, uint64_t letters, const gemp_sequence *own,
                             size_t count, gemp_traffic *traffic);
void gemp_sequences_free(gemp_sequences *sequences);

/* A letter and its place among all letters as one number, for gemp_sequences_put. */
static inline uint64_t gemp_sequences_letter(uint64_t place, unsigned base)
{
	return place << 2 | base;
}

/* Collective. Sends placed[count] letters, each gemp_sequences_letter(place, base), to the ranks that hold the
 * places. */
gemp_code gemp_sequences_put(gemp_sequences *sequences, const gemp_comm *comm, const uint64_t *placed, size_t count,
                             gemp_traffic *traffic);

/* Local. This rank's part of all sequences as FASTA, 80 letters a line: parts follow one another by rank. Names are
 * `name` and the number from 1, and tags as BCALM 2 has them: LN:i: letters, KC:i: times, km:f: times for each
 * k-mer. */
gemp_code gemp_sequences_fasta(const gemp_sequences *sequences, const char *name, gemp_text *out);
/* Local. The same as lines S of GFA 1, each with all letters of a sequence. */
gemp_code gemp_sequences_gfa(const gemp_sequences *sequences, const char *name, gemp_text *out);

#endif
