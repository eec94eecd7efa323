/* pick: the indices of all elements that satisfy a predicate, in ascending order, found by all threads.
 *
 * Two passes over chunks: the first counts the selected elements of each chunk, the prefix sums of the counts say where each
 * chunk writes, and the second pass writes. The predicate is evaluated twice for each element, which is cheaper than a list
 * for each thread.
 */

#ifndef GEMP_CORE_PICK_H
#define GEMP_CORE_PICK_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool gemp_pick_predicate(const void *self, size_t i);

/* Local. out[*count] become all i below n that are wanted, ascending; the caller frees. */
gemp_code gemp_pick(uint64_t **out, size_t *count, size_t n, gemp_pick_predicate *wanted, const void *self);

#endif
