/* tuple_sort: rows in the order of their tuples, sorted by all cores of this rank. */
#ifndef GEMP_CHOICE_TUPLE_SORT_H
#define GEMP_CHOICE_TUPLE_SORT_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

int gemp_tuple_compare(const uint64_t *a, const uint64_t *b, size_t width);

/* rows[count] become ascending by tuples[row * width ...], compared number by number; equal ones stay in their order.
 * width >= 1. */
gemp_code gemp_tuple_sort(const uint64_t *tuples, size_t width, size_t *rows, size_t count);

#endif
