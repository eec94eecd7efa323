/* prefix: sums of all numbers up to each place of an array, on all threads. */

#ifndef GEMP_CORE_PREFIX_SUM_H
#define GEMP_CORE_PREFIX_SUM_H

#include <stddef.h>
#include <stdint.h>

/* numbers[i] becomes the sum of numbers[0..i]. */
void gemp_prefix_inclusive(uint64_t *numbers, size_t count);
/* numbers[i + 1] becomes numbers[i], and the first 0; the last one is lost. count > 0. */
void gemp_prefix_shift(uint64_t *numbers, size_t count);

/* HOST, on all threads. sums[i] = numbers[0] + ... + numbers[i - 1], in 32 bits modulo 2^32; the arrays may be the same.
 * Returns the sum of all, modulo 2^64. */
uint64_t gemp_prefix_exclusive_u32(const uint32_t *numbers, uint32_t *sums, size_t count);
uint64_t gemp_prefix_exclusive_u64(const uint64_t *numbers, uint64_t *sums, size_t count);

#endif
