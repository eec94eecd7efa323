/* test_tuples: tuples to try shuffles on, made on the device, and checks there of what has become of them; for `bench` and tests.
 */

#ifndef GEMP_SHUFFLE_TEST_TUPLES_H
#define GEMP_SHUFFLE_TEST_TUPLES_H

#include "shuffle/shuffle.h"

typedef struct gemp_test_tuples {
	unsigned owners; /* a destination has an owner's number above its low bits + shift bits, each alike */
	bool
		skewed; /* an eighth each are drawn from all destinations, from the first half, from the first quarter, ...; else all
	                    from all */
	uint64_t seed;
} gemp_test_tuples;

/* Fills tuples->count tuples. Does not wait. */
gemp_code gemp_test_tuples_make(gemp_toolbox *box, const gemp_shuffle *how, const gemp_test_tuples *trial,
                                const gemp_tuples *tuples);

/* *digest of all tuples, whatever their order; of tuples that are in the order of ranges also how many are *astray, not in theirs
 * (begin NULL: not looked at). Waits. */
gemp_code gemp_test_tuples_check(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *tuples,
                                 const gemp_buffer *begin, uint64_t *digest, uint64_t *astray);

/* In how many of 2^(bits + shift) places two arrays of sums differ. Waits. */
gemp_code gemp_test_tuples_compare(gemp_toolbox *box, const gemp_shuffle *how, const gemp_buffer *a,
                                   const gemp_buffer *b, uint64_t *differ);

#endif
