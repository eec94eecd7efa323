/* distinct: the distinct keys of an array in ascending order. Keys are equal if all their bits are equal.
 *
 * Keys are dense if their range is not much longer than the array. Dense keys become bits of bitmaps that fit into a
 * cache: one bitmap for a short range, otherwise one for each bucket of a split by the high bits. The set bits, in
 * order, are the result. Other keys are sorted, and the result is the first key of each run. Local. */

#ifndef GEMP_PRIMITIVE_DISTINCT_H
#define GEMP_PRIMITIVE_DISTINCT_H

#include "primitive/key.h"

/* On the host, with all threads. keys[count] are not changed. The caller frees *out[*distinct]; if out is NULL, the
 * keys are only counted. Needs up to twice the memory of the keys. GEMP_ENOMEM. */
gemp_code gemp_distinct_host(gemp_key_kind kind, const void *keys, size_t count, void **out, size_t *distinct);

/* On a device. `out` becomes a new buffer of at least one key. Waits for the kernels. */
gemp_code gemp_distinct_device(gemp_toolbox *box, gemp_key_kind kind, const gemp_buffer *keys, size_t count,
                               gemp_buffer *out, size_t *distinct);

#endif
