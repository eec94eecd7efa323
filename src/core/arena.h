/* arena: memory for many small pieces that are released together, such as the values of one result row.
 *
 * Pieces lie in blocks, which a list holds, newest first. A piece is aligned to 16 bytes and zeroed. Each block has at
 * least twice the size of the previous one, up to 1 MiB, unless a piece needs more. */

#ifndef GEMP_CORE_ARENA_H
#define GEMP_CORE_ARENA_H

#include "core/memory.h"

typedef struct gemp_arena {
	struct gemp_arena_block *blocks; /* newest first */
	size_t used;                     /* bytes used of the newest block */
} gemp_arena;                        /* {0} is empty */

/* Return NULL with a message when out of memory. gemp_arena_copy appends a 0 that `size` does not count. */
void *gemp_arena_alloc(gemp_arena *arena, size_t size);
char *gemp_arena_copy(gemp_arena *arena, const char *bytes, size_t size);
void gemp_arena_reset(gemp_arena *arena); /* releases all pieces, but keeps the newest block */
/* Moves all pieces of `from`, which becomes empty, into `to`. */
void gemp_arena_join(gemp_arena *to, gemp_arena *from);
void gemp_arena_free(gemp_arena *arena);

/* Makes an array of zeroed elements: GEMP_TRY(GEMP_ARENA_NEW(arena, array, count)); */
#define GEMP_ARENA_NEW(arena, pointer, count) \
	(((pointer) = gemp_arena_alloc((arena), (count) * sizeof *(pointer))) != NULL ? GEMP_OK : GEMP_ENOMEM)

#endif
