/* sequences: texts whose letters, one text behind the other, are shared out evenly among ranks. */

#ifndef GEMP_ASSEMBLY_SEQUENCES_H
#define GEMP_ASSEMBLY_SEQUENCES_H

#include "comm/exchange.h"
#include "core/text.h"

typedef struct gemp_sequence {
	uint64_t number;       /* from 0 */
	uint64_t begin, size;  /* of its letters among those of all */
	uint64_t kmers, times; /* k-mers on it, and how often these occur in the reads; 0: not known */
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

/* Collective. Room for the letters of `all` sequences, `letters` together; own[count] are what each rank knows of
 * them, each sequence on one rank, in any order, and go to all that have letters of it. */
gemp_code gemp_sequences_new(gemp_sequences *out, const gemp_comm *comm, uint64_t letters, const gemp_sequence *own,
                             size_t count, gemp_traffic *traffic);
void gemp_sequences_free(gemp_sequences *sequences);

/* Letters on their way to their places, each a number: gemp_sequences_letter(place, base). */
static inline uint64_t gemp_sequences_letter(uint64_t place, unsigned base)
{
	return place << 2 | base;
}

/* Collective. */
gemp_code gemp_sequences_put(gemp_sequences *sequences, const gemp_comm *comm, const uint64_t *placed, size_t count,
                             gemp_traffic *traffic);

/* This rank's part of all sequences as FASTA, 80 letters a line: parts follow one another by rank. Names are `name`
 * and the number from 1, and tags as BCALM 2 has them: LN:i: letters, KC:i: times, km:f: times for each k-mer. */
gemp_code gemp_sequences_fasta(const gemp_sequences *sequences, const char *name, gemp_text *out);
/* The same as lines S of GFA 1, each with all letters of a sequence. */
gemp_code gemp_sequences_gfa(const gemp_sequences *sequences, const char *name, gemp_text *out);

#endif
