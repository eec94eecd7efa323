/* page_pool: large blocks of host memory that consist of whole huge pages, and that are used again after they were
 * freed.
 *
 * The system clears a page when it is first touched. malloc's large blocks neither begin nor end at a huge page, so
 * that one thread takes up to 511 faults of 4 KiB at each end, and freed blocks go back to the system: a third of the
 * time of Sierpinski's triangles to level 14 on 16 cores (host of an H200, 2026-11-30). Blocks of the pool begin at a
 * huge page, and between gemp_page_pool_keep and gemp_page_pool_release the pages of freed blocks stay for the next
 * block.
 *
 * Data: one reservation of addresses, twice the memory of the machine, of pages of 2 MiB. Pages behind `used` have
 * never been in a block or are free again; free extents before it are sorted by address and never adjacent.
 * mapped[page] says whether the page has been touched and may have any content, and bytes[page] the size of the block
 * that begins there: a header in the block would make one thread clear its first page. Free pages that are mapped count
 * as kept, at most the budget; others are given back at once. They count neither as live bytes nor as blocks of
 * core/memory. A mutex guards all of it. If the system refuses the reservation, the pool has no blocks. */

#ifndef GEMP_CORE_PAGE_POOL_H
#define GEMP_CORE_PAGE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* From now on up to `budget` bytes of freed blocks are kept. Calls may be nested; the first budget holds. */
void gemp_page_pool_keep(size_t budget);
/* The last of nested calls gives all kept pages back. */
void gemp_page_pool_release(void);
/* Gives all kept pages back at once. Returns false if there were none. */
bool gemp_page_pool_drop(void);
size_t gemp_page_pool_kept(void); /* bytes */

/* For core/memory. */

/* Returns a block of undefined content, or NULL if it would be small or no address is left. It begins at a page. Its
 * first *mapped bytes are in pages that need not be touched; nothing is written to the others. */
void *gemp_page_pool_take(size_t bytes, size_t *mapped);
/* Returns false if the block is not of the pool. */
bool gemp_page_pool_has(const void *block);
void gemp_page_pool_put(void *block);
size_t gemp_page_pool_size(const void *block); /* in bytes, as the last request had it */
/* Changes the size of a block where it is. Returns false if the pages behind it are not free. */
bool gemp_page_pool_resize(void *block, size_t bytes);

#endif
