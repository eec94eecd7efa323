/* scratch: memory for values that live as long as one row: many small pieces, forgotten together. */
#ifndef GEMP_CORE_SCRATCH_H
#define GEMP_CORE_SCRATCH_H

#include "core/status.h"

#include <stddef.h>

typedef struct gemp_scratch {
	struct gemp_scratch_block *blocks; /* the newest first */
	size_t used;                       /* bytes of the newest */
} gemp_scratch; /* {0}: empty */

/* NULL when out of memory (message recorded). */
char *gemp_scratch_take(gemp_scratch *scratch, size_t size);
void gemp_scratch_reset(gemp_scratch *scratch); /* forgets all, keeps its largest block */
void gemp_scratch_free(gemp_scratch *scratch);

#endif
