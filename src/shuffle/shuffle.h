/* shuffle: tuples of a destination and a value, to the range of destinations that they are for.
 *
 * Destinations are numbers, and 2^bits ranges of 2^shift of them each share them out: a tuple's range is (destination >> shift)
 * & (2^bits - 1). What a range accumulates is small enough for the local memory of a work-group. The tuples of an array are
 * shuffled by one of four methods:
 *
 *   decode    tuples are put in the order of their ranges: destinations are counted by range, counts summed up, and each
 *             work-group puts its tile of tuples in order in local memory and lets it leave in runs (primitive/split.h)
 *   polling   nothing moves: every range looks at every tuple
 *   converge  nothing moves: every range looks at every tuple, and appends those that it wants to a buffer of its own
 *   atomic    nothing moves: every tuple goes straight to its destination by an atomic operation
 */
#ifndef GEMP_SHUFFLE_SHUFFLE_H
#define GEMP_SHUFFLE_SHUFFLE_H

#include "primitive/toolbox.h"

typedef enum gemp_shuffle_layout {
	GEMP_SHUFFLE_INSIDE, /* the first 4 bytes of a tuple are its destination; of tuples of 4 bytes the high 2 are, the low 2 the
	                        value */
	GEMP_SHUFFLE_BESIDE, /* the same, and a column has all destinations once more, which is quicker to count; it does not move */
	GEMP_SHUFFLE_APART,  /* destinations are in a column and values in another one; both move */
} gemp_shuffle_layout;

typedef struct gemp_shuffle {
	gemp_shuffle_layout layout;
	unsigned size;  /* bytes of a tuple with its destination: 4, 8, 16, 32 or 64; APART 8 or 12 */
	unsigned bits;  /* 1 to GEMP_SPLIT_BITS */
	unsigned shift;
	bool stable;    /* tuples of one range keep their order */
} gemp_shuffle;

/* Tuples on a device. */
typedef struct gemp_tuples {
	const gemp_buffer *destination; /* u32 [count]; NULL where the layout has no column, and of what BESIDE gives */
	const gemp_buffer *tuple;       /* [count]; APART: values of size - 4 bytes */
	size_t count;
	const gemp_buffer *extent;      /* NULL, or: of `count` tuples the first extent[1] are there, which the device alone knows;
	                                   u32 [2], of which the first is 0 */
} gemp_tuples;

/* DEVICE, decode. Tuples `in` to `out`, other buffers; range r is begin[r] .. begin[r + 1] there, u32 [2^bits + 1]. out->count
 * and out->extent are not looked at. Does not wait on GPUs; on a CPU device it does where there is an extent. */
gemp_code gemp_shuffle_decode(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin);

#endif
