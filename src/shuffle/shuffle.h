/* shuffle: tuples of a destination and a value, to the range of destinations that they are for.
 *
 * Destinations are numbers, and 2^bits ranges of 2^shift of them each share them out: a tuple's range is (destination >> shift)
 * & (2^bits - 1). What a range adds up is small enough for the local memory of a work-group. There are four methods, and one
 * for CPU devices alone:
 *
 *   decode    tuples are put in the order of their ranges: destinations are counted by range, counts summed up, and each
 *             work-group puts its tile of tuples in order in local memory and lets it leave in runs (primitive/split.h)
 *   polling   every range looks at every tuple
 *   converge  the same, and appends those that it wants to a buffer of its own
 *   atomic    every tuple goes straight to its destination by an atomic operation
 *   tables    every range looks at every tuple, eight at a time: a table knows which are wanted by the mask of those that are
 */

#ifndef GEMP_SHUFFLE_SHUFFLE_H
#define GEMP_SHUFFLE_SHUFFLE_H

#include "gemp/types.h"
#include "primitive/toolbox.h"

enum { GEMP_SHUFFLE_SHIFT = 13 }; /* at most, where sums are in local memory */

extern const char *const gemp_shuffle_method_name[GEMP_SHUFFLE_METHODS]; /* "decode", ... */

typedef enum gemp_shuffle_layout {
	GEMP_SHUFFLE_AOS, /* the first 4 bytes of a tuple are its destination; of tuples of 4 bytes the high 2 are, the low 2 the
	                        value */
	GEMP_SHUFFLE_AOS_KEYS, /* the same, and a column has all destinations once more, which is quicker to count; it does not move */
	GEMP_SHUFFLE_SOA, /* destinations are in a column and values in another one; both move */
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
	const gemp_buffer *destination; /* u32 [count]; NULL where the layout has no column, and in what AOS_KEYS gives */
	const gemp_buffer *tuple;       /* [count]; SOA: values of size - 4 bytes */
	size_t count;
	const gemp_buffer
		*extent; /* NULL, or: of `count` tuples the first extent[1] are there, which the device alone knows;
	                                   u32 [2], of which the first is 0 */
} gemp_tuples;

/* DEVICE, decode. Tuples `in` to `out`, other buffers; range r is begin[r] .. begin[r + 1] there, u32 [2^bits + 1]. out->count
 * and out->extent are not looked at. Does not wait, unless there is an extent and the device is a CPU or the shuffle stable. */
gemp_code gemp_shuffle_decode(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin);

/* DEVICE. What tuples bring to each destination is added to sums, u32 [2^(bits + shift)], modulo 2^32; their values are the sums
 * of their words. The same for every method. Does not wait.
 *   gather      of tuples that decode has put in order, whose extent is not looked at
 *   accumulate  by any other method, of tuples without an extent; GEMP_EUSAGE for tables on a GPU */
gemp_code gemp_shuffle_gather(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *shuffled,
                              const gemp_buffer *begin, const gemp_buffer *sums);
gemp_code gemp_shuffle_accumulate(gemp_toolbox *box, gemp_shuffle_method method, const gemp_shuffle *how,
                                  const gemp_tuples *in, const gemp_buffer *sums);

/* Layouts of tuples, for the modules of this folder. */

enum { GEMP_DESTINATION = 4 }; /* bytes */

/* Asserted by decode: sizes that kernels know, and at least two ranges. */
static inline bool gemp_shuffle_is_valid(const gemp_shuffle *how)
{
	const unsigned size = how->size;
	const bool columns = how->layout == GEMP_SHUFFLE_SOA;
	return how->bits > 0 && (columns ? size == 8 || size == 12 : size >= 4 && size <= 64 && (size & (size - 1)) == 0);
}

/* Bytes of an element of the column or array that tuples are in: of one whose first 4 bytes are its destination, else 0. */
static inline unsigned gemp_shuffle_record_size(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA || how->size == GEMP_DESTINATION ? 0 : how->size;
}

/* Bytes of a value that is apart, else 0. */
static inline unsigned gemp_shuffle_value_size(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA ? how->size - GEMP_DESTINATION : 0;
}

/* Of the first 4 bytes of a tuple, or of its destination in a column. */
static inline unsigned gemp_shuffle_key_shift(const gemp_shuffle *how)
{
	return how->size == GEMP_DESTINATION ? how->shift + 16 : how->shift;
}

/* Tuples to try shuffles on, made on the device, and checks on the device of what a shuffle did with them; for `bench` and tests. */

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
