/* prefix_sum: sums of all numbers up to each place of an array of row sizes, on all threads.
 *
 * Two passes over ranges of rows (Hillis and Steele's blocked scan on p processors): each thread sums its ranges in place,
 * then adds to each range the sum of those before it. Arrays of one range take one pass.
 */

#ifndef GEMP_CORE_PREFIX_SUM_H
#define GEMP_CORE_PREFIX_SUM_H

#include <stddef.h>
#include <stdint.h>

/* numbers[i] becomes the sum of numbers[0..i]. */
void gemp_prefix_inclusive(uint64_t *numbers, size_t count);
/* numbers[i + 1] becomes numbers[i], and the first 0; the last one is lost. count > 0. */
void gemp_prefix_shift(uint64_t *numbers, size_t count);

#endif
