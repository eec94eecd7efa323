/* sequences: texts whose letters, concatenated, are distributed evenly among ranks. A long text may lie on several
 * ranks, and each of these ranks has the description of the text. */

#ifndef GEMP_ASSEMBLY_SEQUENCES_H
#define GEMP_ASSEMBLY_SEQUENCES_H

#include "comm/exchange.h"
#include "core/text.h"

typedef struct gemp_sequence {
	uint64_t number; /* number of the sequence, from 0 */
	/* place of its first letter among the letters of all sequences; number of its letters, size > 0 */
	uint64_t begin, size;
	uint64_t kmers, times; /* number of its k-mers, and how often they occur in the reads; times 0: not known */
	bool closed;           /* a circuit: its last k - 1 letters repeat its first */
} gemp_sequence;

typedef struct gemp_sequences {
	uint64_t total, total_letters;
	uint64_t first;          /* place of this rank's first letter */
	size_t letters;          /* number of letters of this rank */
	char *letter;            /* [letters] */
	size_t count;            /* number of sequences with letters on this rank */
	gemp_sequence *sequence; /* [count] sequences by number */
} gemp_sequences;

/* Collective. Allocates `letters` letters over all ranks. own[count]: this rank's descriptions, in any order. One rank
 * describes each sequence, and the description is sent to all ranks with letters of the sequence. */
gemp_code gemp_sequences_new(gemp_sequences *out, const gemp_comm *comm, uint64_t letters, const gemp_sequence *own,
                             size_t count, gemp_traffic *traffic);
void gemp_sequences_free(gemp_sequences *sequences);

/* Packs a letter and its place among all letters into one number, for gemp_sequences_put. */
static inline uint64_t gemp_sequences_letter(uint64_t place, unsigned base)
{
	return place << 2 | base;
}

/* Collective. Sends the letters placed[count], made by gemp_sequences_letter(place, base), to the ranks that hold the
 * places. */
gemp_code gemp_sequences_put(gemp_sequences *sequences, const gemp_comm *comm, const uint64_t *placed, size_t count,
                             gemp_traffic *traffic);

/* Local. Writes this rank's part of all sequences as FASTA, with 80 letters in a line. The parts of the ranks, in the
 * order of ranks, make up the file. A sequence has `name` and its number from 1 as its name, and the tags of BCALM 2:
 * LN:i: letters and, if times are known, KC:i: times, km:f: times for each k-mer. */
gemp_code gemp_sequences_fasta(const gemp_sequences *sequences, const char *name, gemp_text *out);
/* Local. Writes this rank's part as lines S of GFA 1. A line has all letters of a sequence, so it may begin on one rank
 * and end on another. */
gemp_code gemp_sequences_gfa(const gemp_sequences *sequences, const char *name, gemp_text *out);

#endif
