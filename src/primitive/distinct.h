/* distinct: the distinct keys of an array in ascending order. Keys are equal if all their bits are.
 *
 * Dense keys, whose range is not much longer than the array, become bits of bitmaps that fit a cache: one bitmap for a
 * short range, else one for each bucket of a split by the high bits. The set bits, in order, are the result. Other keys
 * are sorted, and the first of each run is taken. Local.
 */

#ifndef GEMP_PRIMITIVE_DISTINCT_H
#define GEMP_PRIMITIVE_DISTINCT_H

#include "primitive/key.h"

/* On the host, by all threads. keys[count] are not changed; the caller frees *out[*distinct]; out NULL: only counts.
 * Needs up to twice the memory of the keys. GEMP_ENOMEM. */
gemp_code gemp_distinct_host(gemp_key_kind kind, const void *keys, size_t count, void **out, size_t *distinct);

/* On a device, with buffers; `out` becomes a new buffer of at least one key. Waits. */
gemp_code gemp_distinct_device(gemp_toolbox *box, gemp_key_kind kind, const gemp_buffer *keys, size_t count,
                               gemp_buffer *out, size_t *distinct);

#endif
