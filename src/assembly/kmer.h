/* kmer: a word of k letters A, C, G, T, k at most 31, as a number: two bits a letter, the first letter the highest
 * ones, so that numbers are in the order of words. */

#ifndef GEMP_ASSEMBLY_KMER_H
#define GEMP_ASSEMBLY_KMER_H

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

/* kmer_sort: k-mers in ascending order. */

/* And with them values[count]; NULL: none. */
static inline gemp_code gemp_kmer_sort(gemp_kmer *kmers, uint64_t *values, size_t count)
{
	gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = values ? sizeof *values : 0 };
	return gemp_sort_host(&sort, kmers, values, count);
}

#endif
