/* kmer: a word of k letters A, C, G, T, k at most 31, as a number: two bits a letter, the first letter the highest
 * ones, so that numbers are in the order of words. */

#ifndef GEMP_ASSEMBLY_KMER_H
#define GEMP_ASSEMBLY_KMER_H

#include "comm/comm.h"
#include "primitive/sort.h"

enum { GEMP_KMER_MIN = 2, GEMP_KMER_MAX = 31 };

typedef uint64_t gemp_kmer;

static const char gemp_bases[] = "ACGT";

/* 0 to 3 for A, C, G, T (or U) in either case, 4 for all others. */
static inline unsigned gemp_base_code(char letter)
{
	switch (letter) {
	case 'A':
	case 'a': return 0;
	case 'C':
	case 'c': return 1;
	case 'G':
	case 'g': return 2;
	case 'T':
	case 't':
	case 'U':
	case 'u': return 3;
	default: return 4;
	}
}

/* The numbers of k letters are those below 4^k. */
static inline gemp_kmer gemp_kmer_mask(unsigned k)
{
	return (UINT64_C(1) << 2 * k) - 1;
}

/* The same on the other strand: backwards, A and T, C and G exchanged. */
static inline gemp_kmer gemp_kmer_reverse(gemp_kmer kmer, unsigned k)
{
	uint64_t x = ~kmer;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(x) >> (64 - 2 * k);
}

/* Its first and its last k - 1 letters: the vertices that it joins. */
static inline gemp_kmer gemp_kmer_source(gemp_kmer kmer)
{
	return kmer >> 2;
}

static inline gemp_kmer gemp_kmer_target(gemp_kmer kmer, unsigned k)
{
	return kmer & gemp_kmer_mask(k - 1);
}

static inline char gemp_kmer_letter(gemp_kmer kmer, unsigned k, unsigned place)
{
	return gemp_bases[kmer >> 2 * (k - 1 - place) & 3];
}

/* Sorts k-mers in ascending order, and values[count] with them; NULL: none. */
static inline gemp_code gemp_kmer_sort(gemp_kmer *kmers, uint64_t *values, size_t count)
{
	gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = values ? sizeof *values : 0 };
	return gemp_sort_host(&sort, kmers, values, count);
}

/* COUNTS of the k-mers of texts that are read from beginning to end.
 *
 * Letters other than A, C, G, T (and U) end a word: no k-mer contains them. A text may continue on the next ranks;
 * k-mers that span ranks are found when the ranks join. Memory is proportional to the number of distinct k-mers:
 * pending ones are sorted and merged whenever they are as many as the distinct ones.
 */

typedef struct gemp_kmer_counter {
	unsigned k;
	bool both_strands; /* a k-mer and its reverse complement are the same, and the lesser number is kept */
	uint64_t occurrences;
	/* distinct ones, ascending */
	size_t count, capacity;
	gemp_kmer *kmer;
	uint64_t *times;
	/* as they came */
	size_t pending_count, pending_capacity;
	gemp_kmer *pending;
	/* of the text being read: its last letters, at most k */
	uint64_t word;
	unsigned filled;
	/* of this rank's part: its first letters, at most k - 1, and whether nothing has cut it so far */
	uint64_t head;
	unsigned head_size;
	bool open;
} gemp_kmer_counter;

gemp_code gemp_kmer_counter_new(gemp_kmer_counter *counter, unsigned k, bool both);
void gemp_kmer_counter_free(gemp_kmer_counter *counter);

/* The next letters of this rank's part; size 0: they do not follow the ones before. */
gemp_code gemp_kmer_counter_add(gemp_kmer_counter *counter, const char *letters, size_t size);
/* Collective. The parts of all ranks, in their order, were one text, or several; another one may begin. */
gemp_code gemp_kmer_counter_join(gemp_kmer_counter *counter, const gemp_comm *comm);
/* kmer[count] and times[count] are then all. */
gemp_code gemp_kmer_counter_finish(gemp_kmer_counter *counter);

#endif
