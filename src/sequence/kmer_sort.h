/* kmer_sort: k-mers in ascending order. */
#ifndef GEMP_SEQUENCE_KMER_SORT_H
#define GEMP_SEQUENCE_KMER_SORT_H

#include "primitive/sort.h"
#include "sequence/kmer.h"

/* And with them values[count]; NULL: none. */
static inline gemp_code gemp_kmer_sort(gemp_kmer *kmers, uint64_t *values, size_t count)
{
	gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = values ? sizeof *values : 0 };
	return gemp_sort_host(&sort, kmers, values, count);
}

#endif
