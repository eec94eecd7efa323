/* shuffle: groups tuples of a destination and a value by ranges of destinations.
 *
 * Destinations are numbers, divided into 2^bits ranges of 2^shift destinations each. The range of a tuple is
 * (destination >> shift) & (2^bits - 1). If shift <= GEMP_SHUFFLE_SHIFT, the sums of a range fit into the local memory
 * of a work-group; only decoding itself allows a larger shift. There are four methods, and a fifth for CPU devices:
 *
 *   decode    tuples are put in the order of their ranges: destinations are counted by range, the counts become
 *             prefix sums, and each work-group orders its tile of tuples in local memory and writes it in runs
 *             (primitive/split.h)
 *   polling   the group of a range reads every tuple
 *   converge  the group of a range reads every tuple, and appends the range's tuples to a buffer
 *   atomic    every tuple is added to its destination by an atomic operation
 *   tables    the work-item of a range compares eight tuples at a time, which gives a mask of the range's tuples; a
 *             table has the positions of the mask's bits */

#ifndef GEMP_SHUFFLE_SHUFFLE_H
#define GEMP_SHUFFLE_SHUFFLE_H

#include "gemp/types.h"
#include "primitive/toolbox.h"

enum { GEMP_SHUFFLE_SHIFT = 13 }; /* the maximum shift with which the sums of a range fit into local memory */

extern const char *const gemp_shuffle_method_name[GEMP_SHUFFLE_METHODS]; /* "decode" and so on, by method */

typedef enum gemp_shuffle_layout {
	/* The first 4 bytes of a tuple are its destination; a tuple of 4 bytes has the destination in the high 2 bytes and
	 * the value in the low 2 bytes. */
	GEMP_SHUFFLE_AOS,
	/* Tuples as in AOS, and a column with a copy of all destinations, which are counted faster there. The column does
	 * not move. */
	GEMP_SHUFFLE_AOS_KEYS,
	/* Destinations are in one column and values in another; both move. */
	GEMP_SHUFFLE_SOA,
} gemp_shuffle_layout;

/* How gather and accumulate reduce the values of a destination; the values of SHUFFLE_REDUCE in shuffle.cl. Decode does
 * not read it. Floats and minima are for tuples whose value has 4 bytes. */
typedef enum gemp_shuffle_reduction {
	GEMP_SHUFFLE_ADD,        /* sums modulo 2^32 of the words of a value */
	GEMP_SHUFFLE_ADD_FLOATS, /* sums of floats, whose last bits depend on the order of additions */
	GEMP_SHUFFLE_MIN,        /* minima of u32 */
} gemp_shuffle_reduction;

typedef struct gemp_shuffle {
	gemp_shuffle_layout layout;
	unsigned size; /* bytes of a tuple including its destination: 4, 8, 16, 32 or 64; SOA 8 or 12 */
	unsigned bits; /* 1 to GEMP_SPLIT_BITS */
	unsigned shift;
	bool stable; /* the tuples of a range keep their order */
	gemp_shuffle_reduction reduction;
	unsigned used; /* only the first `used` ranges have destinations; 0: all ranges have */
} gemp_shuffle;

/* Tuples on a device. */
typedef struct gemp_tuples {
	const gemp_buffer *destination; /* u32 [count]; NULL for AOS, and for the result of AOS_KEYS */
	const gemp_buffer *tuple;       /* [count]; for SOA, values of size - 4 bytes */
	size_t count;
	/* u32 [2] if only the device knows the number of tuples: 0 and this number, at most count; NULL: there are
	 * `count` */
	const gemp_buffer *extent;
} gemp_tuples;

/* Local. Copies the tuples of `in` to the buffers of `out`, in the order of ranges. Range r becomes the tuples from
 * begin[r] to begin[r + 1]; begin has 2^bits + 1 u32. out->count and out->extent are not read. Does not wait, except if
 * in->extent is set and the device is a CPU or the shuffle is stable. */
gemp_code gemp_shuffle_decode(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin);

/* Local. Reduce the values of tuples to the sums of their destinations, u32 [2^(bits + shift)], with the sums that are
 * there before. All methods give the same sums, except for the rounding of floats. Neither function waits for the
 * device.
 *   gather      for tuples that decode has put in order; their extent is not read
 *   accumulate  any other method, for tuples without an extent; GEMP_EUSAGE for tables on a GPU */
gemp_code gemp_shuffle_gather(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *shuffled,
                              const gemp_buffer *begin, const gemp_buffer *sums);
gemp_code gemp_shuffle_accumulate(gemp_toolbox *box, gemp_shuffle_method method, const gemp_shuffle *how,
                                  const gemp_tuples *in, const gemp_buffer *sums);

/* Layouts of tuples, for the modules of this folder. */

enum { GEMP_DESTINATION = 4 }; /* bytes of a destination */

/* For assert: do kernels exist for these sizes, and are there at least two ranges? */
static inline bool gemp_shuffle_is_valid(const gemp_shuffle *how)
{
	const unsigned size = how->size;
	const bool columns = how->layout == GEMP_SHUFFLE_SOA;
	return how->bits > 0 && (columns ? size == 8 || size == 12 : size >= 4 && size <= 64 && (size & (size - 1)) == 0);
}

/* Returns the bytes of a record of primitive/split.h, a tuple that begins with its destination; 0 for columns and for
 * tuples of 4 bytes. */
static inline unsigned gemp_shuffle_record_size(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA || how->size == GEMP_DESTINATION ? 0 : how->size;
}

/* Returns the bytes of an element of the column of values; 0 if there is no such column. */
static inline unsigned gemp_shuffle_value_size(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA ? how->size - GEMP_DESTINATION : 0;
}

/* Returns the shift that yields the range from the first 4 bytes of a tuple, or from its destination in a column. */
static inline unsigned gemp_shuffle_key_shift(const gemp_shuffle *how)
{
	return how->size == GEMP_DESTINATION ? how->shift + 16 : how->shift;
}

/* Test data for shuffles, made on the device, and checks of results on the device, for `bench` and tests. */

typedef struct gemp_test_tuples {
	/* the bits of a destination above its low (bits + shift) bits are a random number less than this */
	unsigned owners;
	/* An eighth of the tuples has destinations of the whole range, an eighth of the first half, an eighth of the first
	 * quarter, and so on. If false, all tuples have destinations of the whole range. */
	bool skewed;
	uint64_t seed;
} gemp_test_tuples;

/* Fills tuples->count tuples. Does not wait. */
gemp_code gemp_test_tuples_make(gemp_toolbox *box, const gemp_shuffle *how, const gemp_test_tuples *trial,
                                const gemp_tuples *tuples);

/* *digest becomes a sum over all tuples that does not depend on their order. If begin is not NULL, *astray becomes the
 * number of tuples outside their range. Waits. */
gemp_code gemp_test_tuples_check(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *tuples,
                                 const gemp_buffer *begin, uint64_t *digest, uint64_t *astray);

/* *differ becomes the number of the 2^(bits + shift) destinations whose sums differ between two arrays. Waits. */
gemp_code gemp_test_tuples_compare(gemp_toolbox *box, const gemp_shuffle *how, const gemp_buffer *a,
                                   const gemp_buffer *b, uint64_t *differ);

#endif
