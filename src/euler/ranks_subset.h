/* ranks_subset: some of the numbers below a bound, as bits; each has an index, in ascending order. */
#ifndef GEMP_EULER_RANKS_SUBSET_H
#define GEMP_EULER_RANKS_SUBSET_H

#include "core/status.h"
#include "euler/ranks_numbers.h"

typedef struct gemp_euler_word {
	uint64_t bits;
	uint64_t before; /* numbers in the words before */
} gemp_euler_word;

typedef struct gemp_euler_subset {
	size_t words, count;
	gemp_euler_word *word; /* [words] */
} gemp_euler_subset;

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound);
/* Several threads at once; before it is sealed. */
static inline void gemp_euler_subset_add(gemp_euler_subset *subset, uint64_t number)
{
	uint64_t *bits = &subset->word[number >> 6].bits;
	gemp_bit_set(bits, number & 63);
}
void gemp_euler_subset_seal(gemp_euler_subset *subset);
void gemp_euler_subset_free(gemp_euler_subset *subset);

GEMP_INLINE size_t gemp_euler_subset_index(const gemp_euler_subset *subset, uint64_t number)
{
	const gemp_euler_word *word = &subset->word[number >> 6];
	return word->before + (size_t)__builtin_popcountll(word->bits & (((uint64_t)1 << (number & 63)) - 1));
}

/* The bits of a word that are set, in ascending order. */
#define GEMP_EACH_BIT(word, bit)                                                                     \
	for (uint64_t rest_ = (word), bit = 0; rest_ && (bit = (uint64_t)__builtin_ctzll(rest_), 1); \
	     rest_ &= rest_ - 1)

#endif
