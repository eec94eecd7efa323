/* builder_integer_set: distinct 64-bit numbers, added in blocks by all threads. */
#ifndef GEMP_PARTITION_BUILDER_INTEGER_SET_H
#define GEMP_PARTITION_BUILDER_INTEGER_SET_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEMP_MOST_SHARES = 64 };

/* Numbers are shared out by hash; each share is one thread's at a time. */
typedef struct gemp_integer_set {
	size_t share_count; /* a power of two */
	struct gemp_integer_share {
		size_t count, slot_count; /* slots: a power of two, or 0 */
		uint64_t *slots;          /* [slot_count] UINT64_MAX: free */
		bool has_last;            /* UINT64_MAX is in the set */
		gemp_code code;
	} shares[GEMP_MOST_SHARES];
} gemp_integer_set;

void gemp_integer_set_init(gemp_integer_set *set);
void gemp_integer_set_free(gemp_integer_set *set);
gemp_code gemp_integer_set_add(gemp_integer_set *set, const uint64_t *numbers, size_t count);

#endif
