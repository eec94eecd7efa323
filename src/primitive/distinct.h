/* distinct: the distinct keys of an array, in ascending order. Keys are the same if all their bits are.
 *
 * Where they lie dense, in a range that is not much longer than the array, they are bits of a bitmap that fits a cache:
 * a single one for a short range, else one a bucket of a split by the high bits. Others are sorted.
 */

#ifndef GEMP_PRIMITIVE_DISTINCT_H
#define GEMP_PRIMITIVE_DISTINCT_H

#include "primitive/key.h"

/* HOST, on all threads. keys[count] stay as they are; *out[*distinct] is the caller's to free; out NULL: only counts.
 * Takes up to twice the memory of the keys. GEMP_ENOMEM. */
gemp_code gemp_distinct_host(gemp_key_kind kind, const void *keys, size_t count, void **out, size_t *distinct);

/* DEVICE. The same with buffers; out becomes a new one, of at least one key. Waits. */
gemp_code gemp_distinct_device(gemp_toolbox *box, gemp_key_kind kind, const gemp_buffer *keys, size_t count,
                               gemp_buffer *out, size_t *distinct);

#endif
