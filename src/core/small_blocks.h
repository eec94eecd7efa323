/* small_blocks: freed blocks of at most 8 KiB that a thread keeps for its next requests, for core/memory.
 *
 * glibc's calloc takes no block from the cache of its thread, and freed blocks that are merged have to be split again:
 * a query from one vertex makes some 240 requests, which took 45 % of its instructions (glibc 2.36, 2026-12-01). Blocks
 * have one of some sizes, and each size has a list of free ones, a magazine (Bonwick and Adams 2001). A thread keeps at
 * most 512 KiB. What it keeps counts neither as live bytes nor as blocks. Builds with assertions keep nothing, so that
 * sanitizers see each use of a freed block. Local to the thread, which gives everything back when it ends. */

#ifndef GEMP_CORE_SMALL_BLOCKS_H
#define GEMP_CORE_SMALL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* The size of a block that has room for `bytes` > 0, or 0 if it would not be small. */
size_t gemp_small_block_size(size_t bytes);
/* Returns a block of such a size, of undefined content and aligned to 16 bytes, or NULL when out of memory. */
void *gemp_small_block_take(size_t size);
/* Takes over a block of such a size. */
void gemp_small_block_put(void *block, size_t size);
/* Gives all blocks that this thread keeps back to the system. Returns false if there were none. */
bool gemp_small_blocks_drop(void);

#endif
