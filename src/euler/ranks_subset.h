/* ranks_subset: some of the numbers below a bound, as bits; each has an index, in ascending order. */
#ifndef GEMP_EULER_RANKS_SUBSET_H
#define GEMP_EULER_RANKS_SUBSET_H

#include "core/status.h"
#include "euler/ranks_numbers.h"

typedef struct gemp_euler_subset {
	size_t words, count;
	uint64_t *bits;   /* [words] */
	uint64_t *before; /* [words] numbers in the words before */
} gemp_euler_subset;

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound);
/* Several threads at once; before it is sealed. */
static inline void gemp_euler_subset_add(gemp_euler_subset *subset, uint64_t number)
{
	gemp_bit_set(subset->bits, number);
}
void gemp_euler_subset_seal(gemp_euler_subset *subset);
void gemp_euler_subset_free(gemp_euler_subset *subset);

GEMP_INLINE size_t gemp_euler_subset_index(const gemp_euler_subset *subset, uint64_t number)
{
	uint64_t below = subset->bits[number >> 6] & (((uint64_t)1 << (number & 63)) - 1);
	return subset->before[number >> 6] + (size_t)__builtin_popcountll(below);
}

/* The members in ascending order: for (size_t word = 0, ...) { GEMP_EACH_BIT(bits[word], bit) { number = word * 64 + bit } } */
#define GEMP_EACH_BIT(word, bit)                                                                     \
	for (uint64_t rest_ = (word), bit = 0; rest_ && (bit = (uint64_t)__builtin_ctzll(rest_), 1); \
	     rest_ &= rest_ - 1)

#endif
