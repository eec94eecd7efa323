/* shuffle: groups tuples of a destination and a value by ranges of destinations.
 *
 * Destinations are numbers, divided into 2^bits ranges of 2^shift destinations each: a tuple's range is (destination >>
 * shift) & (2^bits - 1). The sums of a range are small enough for the local memory of a work-group. There are four
 * methods, and one for CPU devices only:
 *
 *   decode    tuples are put in the order of their ranges: destinations are counted by range, the counts become
 *             prefix sums, and each work-group orders its tile of tuples in local memory and writes it in runs
 *             (primitive/split.h)
 *   polling   every range reads every tuple
 *   converge  every range reads every tuple, and appends its own tuples to a buffer
 *   atomic    every tuple is added to its destination by an atomic operation
 *   tables    every range reads every tuple, eight at a time: a table gives the positions of its own tuples by the
 *             mask of matches
 */

#ifndef GEMP_SHUFFLE_SHUFFLE_H
#define GEMP_SHUFFLE_SHUFFLE_H

#include "gemp/types.h"
#include "primitive/toolbox.h"

enum { GEMP_SHUFFLE_SHIFT = 13 }; /* the maximum shift with which sums fit local memory */

extern const char *const gemp_shuffle_method_name[GEMP_SHUFFLE_METHODS]; /* "decode", ... */

typedef enum gemp_shuffle_layout {
	/* The first 4 bytes of a tuple are its destination; a tuple of 4 bytes has the destination in the high 2 bytes and
	 * the value in the low 2 bytes. */
	GEMP_SHUFFLE_AOS,
	/* As AOS, and a column has all destinations once more, which are faster to count there; the column does not
	 * move. */
	GEMP_SHUFFLE_AOS_KEYS,
	/* Destinations are in one column and values in another; both move. */
	GEMP_SHUFFLE_SOA,
} gemp_shuffle_layout;

typedef struct gemp_shuffle {
	gemp_shuffle_layout layout;
	unsigned size; /* bytes of a tuple with its destination: 4, 8, 16, 32 or 64; SOA 8 or 12 */
	unsigned bits; /* 1 to GEMP_SPLIT_BITS */
	unsigned shift;
	bool stable; /* tuples of one range keep their order */
} gemp_shuffle;

/* Tuples on a device. */
typedef struct gemp_tuples {
	const gemp_buffer *destination; /* u32 [count]; NULL for AOS, and for the result of AOS_KEYS */
	const gemp_buffer *tuple;       /* [count]; SOA: values of size - 4 bytes */
	size_t count;
	const gemp_buffer
		*extent; /* u32 [2], if only the device knows how many tuples there are: 0 and their number, at most count;
	                            * NULL: there are `count` */
} gemp_tuples;

/* Local. Copies tuples `in` to `out`, other buffers, in the order of ranges: range r is begin[r] .. begin[r + 1], u32
 * [2^bits + 1]. out->count and out->extent are not read. Does not wait, unless there is an extent and the device is a
 * CPU or the shuffle stable. */
gemp_code gemp_shuffle_decode(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin);

/* Local. Adds the values of tuples to the sums of their destinations, u32 [2^(bits + shift)], modulo 2^32; the value of
 * a tuple is the sum of its words. All methods give the same sums. Neither function waits for the device.
 *   gather      for tuples that decode has put in order, whose extent is not read
 *   accumulate  by any other method, for tuples without an extent; GEMP_EUSAGE for tables on a GPU */
gemp_code gemp_shuffle_gather(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *shuffled,
                              const gemp_buffer *begin, const gemp_buffer *sums);
gemp_code gemp_shuffle_accumulate(gemp_toolbox *box, gemp_shuffle_method method, const gemp_shuffle *how,
                                  const gemp_tuples *in, const gemp_buffer *sums);

/* Layouts of tuples, for the modules of this folder. */

enum { GEMP_DESTINATION = 4 }; /* bytes */

/* For assert: sizes that kernels know, and at least two ranges. */
static inline bool gemp_shuffle_is_valid(const gemp_shuffle *how)
{
	const unsigned size = how->size;
	const bool columns = how->layout == GEMP_SHUFFLE_SOA;
	return how->bits > 0 && (columns ? size == 8 || size == 12 : size >= 4 && size <= 64 && (size & (size - 1)) == 0);
}

/* Bytes of a tuple that contains its destination, as the kernels of primitive/split.h take it; 0 for columns and tuples
 * of 4 bytes. */
static inline unsigned gemp_shuffle_record_size(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA || how->size == GEMP_DESTINATION ? 0 : how->size;
}

/* Bytes of an element of the values' column; 0 if there is none. */
static inline unsigned gemp_shuffle_value_size(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA ? how->size - GEMP_DESTINATION : 0;
}

/* The shift that gives the range from the first 4 bytes of a tuple, or from its destination in a column. */
static inline unsigned gemp_shuffle_key_shift(const gemp_shuffle *how)
{
	return how->size == GEMP_DESTINATION ? how->shift + 16 : how->shift;
}

/* Test data for shuffles, made on the device, and checks on the device of their results; for `bench` and tests. */

typedef struct gemp_test_tuples {
	unsigned owners; /* the bits of a destination above the low bits + shift bits are a random number below this */
	/* An eighth of the tuples is drawn from all destinations, an eighth from the first half, an eighth from the first
	 * quarter, and so on. Otherwise all tuples are drawn from all destinations. */
	bool skewed;
	uint64_t seed;
} gemp_test_tuples;

/* Fills tuples->count tuples. Does not wait. */
gemp_code gemp_test_tuples_make(gemp_toolbox *box, const gemp_shuffle *how, const gemp_test_tuples *trial,
                                const gemp_tuples *tuples);

/* *digest: a sum over all tuples, which does not depend on their order. *astray: the number of tuples that lie in the
 * range of others, if begin is not NULL. Waits. */
gemp_code gemp_test_tuples_check(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *tuples,
                                 const gemp_buffer *begin, uint64_t *digest, uint64_t *astray);

/* *differ: the number of the 2^(bits + shift) places in which two arrays of sums differ. Waits. */
gemp_code gemp_test_tuples_compare(gemp_toolbox *box, const gemp_shuffle *how, const gemp_buffer *a,
                                   const gemp_buffer *b, uint64_t *differ);

#endif
