/* split: an array in the order of buckets (multisplit). */
#ifndef GEMP_PRIMITIVE_SPLIT_H
#define GEMP_PRIMITIVE_SPLIT_H

#include "primitive/key.h"
#include "primitive/toolbox.h"

enum { GEMP_SPLIT_BITS = 11 }; /* at most */

/* A key's bucket is ((code(key) - least) >> shift) & (2^bits - 1). */
typedef struct gemp_split {
	gemp_key_kind key;
	bool descending;
	unsigned value_size;  /* bytes of what goes with each key: 0 (nothing), 4 or 8 */
	unsigned shift, bits; /* bits from 1 to GEMP_SPLIT_BITS */
	uint64_t least;
	unsigned record;      /* on a device: bytes of an element that begins with its key of 4 bytes, and has no other value: 8, 16,
	                         32 or 64; 0: an element is its key */
} gemp_split;

/* HOST, on all threads; stable. keys[count] and values[count] (NULL without any) go to out_keys and out_values, other arrays;
 * bucket b is begin[b] .. begin[b + 1] there: begin[2^bits + 1], which may be NULL. GEMP_ENOMEM. */
gemp_code gemp_split_host(const gemp_split *split, const void *keys, const void *values, size_t count, void *out_keys,
                          void *out_values, uint64_t *begin);

/* DEVICE; in no particular order inside a bucket. The same with buffers; values and out_values may be NULL without any; begin
 * has 2^bits + 1 u32. Does not wait. */
gemp_code gemp_split_device(gemp_toolbox *box, const gemp_split *split, const gemp_buffer *keys, const gemp_buffer *values,
                            size_t count, const gemp_buffer *out_keys, const gemp_buffer *out_values,
                            const gemp_buffer *begin);

#endif
