/* builder_sort: stable least-significant-digit radix sort of 64-bit keys with a 64-bit companion each. */
#ifndef GEMP_PARTITION_BUILDER_SORT_H
#define GEMP_PARTITION_BUILDER_SORT_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* Ascending by keys, both arrays moved; digits that are alike in all keys cost nothing but the counting pass. */
gemp_code gemp_radix_sort(uint64_t *keys, uint64_t *companions, size_t count);

#endif
