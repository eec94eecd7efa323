/* prefix: sums of all numbers up to each place of an array, on all threads. */
#ifndef GEMP_CORE_PREFIX_H
#define GEMP_CORE_PREFIX_H

#include <stddef.h>
#include <stdint.h>

/* numbers[i] becomes the sum of numbers[0..i]. */
void gemp_prefix_sums(uint64_t *numbers, size_t count);
/* numbers[i + 1] becomes numbers[i], and the first 0; the last one is lost. count > 0. */
void gemp_prefix_shift(uint64_t *numbers, size_t count);

#endif
