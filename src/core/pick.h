/* pick: which of many things are wanted, found by all threads. */

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
