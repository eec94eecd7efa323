/* kmer: a k-mer is a word of k letters A, C, G, T, where k is at most 31. It is stored as a number, with two bits for
 * each letter and the first letter in the highest bits, so numbers have the order of words. This module also counts the
 * k-mers of texts. */

#ifndef GEMP_ASSEMBLY_KMER_H
#define GEMP_ASSEMBLY_KMER_H

#include "comm/comm.h"
#include "primitive/sort.h"

enum { GEMP_KMER_MIN = 2, GEMP_KMER_MAX = 31 };

typedef uint64_t gemp_kmer;

static const char gemp_bases[] = "ACGT";

/* 0 to 3 for A, C, G, T (or U) in either case; 4 for any other letter. */
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

/* The numbers of words of k letters are 0 .. 4^k - 1. The largest of them is the mask. */
static inline gemp_kmer gemp_kmer_mask(unsigned k)
{
	return (UINT64_C(1) << 2 * k) - 1;
}

/* The reverse complement is the same word on the other strand: read backwards, with A and T, and C and G exchanged. The
 * complement of a base is its bitwise complement. To reverse the word, pairs of bits are reversed within nibbles, then
 * nibbles within bytes, and then the bytes. */
static inline gemp_kmer gemp_kmer_reverse(gemp_kmer kmer, unsigned k)
{
	uint64_t x = ~kmer;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(x) >> (64 - 2 * k);
}

/* The vertices that a k-mer connects: its first k - 1 letters (source) and its last k - 1 letters (target). */
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

/* Sorts k-mers in ascending order, and values[count] with them. values may be NULL. */
static inline gemp_code gemp_kmer_sort(gemp_kmer *kmers, uint64_t *values, size_t count)
{
	gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = values ? sizeof *values : 0 };
	return gemp_sort_host(&sort, kmers, values, count);
}

/* COUNTS of the k-mers of texts that are read from beginning to end.
 *
 * A letter other than A, C, G, T (and U) ends a word, so no k-mer contains it. A text may continue on the next ranks,
 * and gemp_kmer_counter_join counts k-mers that span ranks. Memory is proportional to the number of distinct k-mers:
 * pending k-mers are sorted and merged whenever there are as many as distinct k-mers. */

typedef struct gemp_kmer_counter {
	unsigned k;
	bool both_strands; /* a k-mer and its reverse complement count as one k-mer, and the smaller number is kept */
	uint64_t occurrences;
	/* distinct k-mers, ascending, and how often each has occurred */
	size_t count, capacity;
	gemp_kmer *kmer;
	uint64_t *times;
	/* k-mers that are not merged yet, in the order in which they were read */
	size_t pending_count, pending_capacity;
	gemp_kmer *pending;
	/* the last `filled` letters of the text, at most k */
	uint64_t word;
	unsigned filled;
	/* the first letters of this rank's part, at most k - 1; open: every letter of the part so far is a base */
	uint64_t head;
	unsigned head_size;
	bool open;
} gemp_kmer_counter;

gemp_code gemp_kmer_counter_new(gemp_kmer_counter *counter, unsigned k, bool both);
void gemp_kmer_counter_free(gemp_kmer_counter *counter);

/* Local. letters[size] are the next letters of this rank's part. If size is 0, the following letters belong to another
 * text. */
gemp_code gemp_kmer_counter_add(gemp_kmer_counter *counter, const char *letters, size_t size);
/* Collective. Ends the parts of all ranks, whose concatenation in the order of ranks is one text or several texts.
 * Afterwards other texts may be read. */
gemp_code gemp_kmer_counter_join(gemp_kmer_counter *counter, const gemp_comm *comm);
/* Local. Merges pending k-mers. Afterwards kmer[count] and times[count] are complete. */
gemp_code gemp_kmer_counter_finish(gemp_kmer_counter *counter);

#endif
