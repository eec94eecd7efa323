/* tuple_sort: rows in the order of their tuples, sorted by all cores of this rank. */

#ifndef GEMP_TRANSFORM_CONFLICTS_TUPLE_SORT_H
#define GEMP_TRANSFORM_CONFLICTS_TUPLE_SORT_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* rows[count] become ascending by tuples[row * width ...], compared number by number; equal ones stay in their order.
 * width >= 1. */
gemp_code gemp_tuple_sort(const uint64_t *tuples, size_t width, size_t *rows, size_t count);

#endif
