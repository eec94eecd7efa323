/* scan: for each place of an array the sum of all numbers before it. */
#ifndef GEMP_PRIMITIVE_SCAN_H
#define GEMP_PRIMITIVE_SCAN_H

#include "primitive/toolbox.h"

#include <stddef.h>
#include <stdint.h>

/* HOST, on all threads. sums[i] = numbers[0] + ... + numbers[i - 1], in 32 bits modulo 2^32; the arrays may be the same.
 * Returns the sum of all, modulo 2^64. */
uint64_t gemp_scan_host_u32(const uint32_t *numbers, uint32_t *sums, size_t count);
uint64_t gemp_scan_host_u64(const uint64_t *numbers, uint64_t *sums, size_t count);

/* DEVICE. numbers[count] of number_size bytes, sums[count + 1] of sum_size bytes, each 4 or 8: the sum of all stands behind
 * the others. The buffers may be the same if the sizes are. Sums are modulo 2^32 or 2^64. Does not wait. */
gemp_code gemp_scan_device(gemp_toolbox *box, const gemp_buffer *numbers, unsigned number_size, const gemp_buffer *sums,
                           unsigned sum_size, size_t count);

#endif
