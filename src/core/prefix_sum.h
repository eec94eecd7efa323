/* prefix_sum: sums of all numbers up to each index of an array of row sizes, on all threads.
 *
 * Two passes over at most GEMP_MAX_RANGES ranges of rows (a blocked scan: Hillis and Steele 1986, on p processors): each
 * thread sums its ranges in place; the sums of the ranges are scanned serially; then each range adds the sum of those
 * before it. Arrays of one range take one pass. Sums are modulo 2^64.
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
