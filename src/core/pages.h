/* pages: maps the pages of a new block with all threads, before they write to it, or takes a block whose pages are
 * mapped (core/page_pool).
 *
 * The system clears a page when it is first touched. All threads together clear 1 GiB of huge pages (2 MiB) in 0.02
 * seconds (host of two H200, 32 cores, 2026-11-30). If several threads touch one huge page at the same time, each of
 * them clears a page, and all but one throw theirs away. So each huge page is touched by one thread. */

#ifndef GEMP_CORE_PAGES_H
#define GEMP_CORE_PAGES_H

#include "core/memory.h"

#include <stddef.h>

/* The contents stay; no other thread may write to the block meanwhile. Small blocks are left alone, and NULL is allowed
 * for 0 bytes. */
void gemp_touch_pages(void *block, size_t bytes);

/* Returns a block of undefined content whose pages are mapped, for arrays of which every element is written before it
 * is read: GEMP_TRY(GEMP_NEW_UNSET(array, count)). Not in the body of a loop on threads. */
void *gemp_new_unset(size_t count, size_t size);
#define GEMP_NEW_UNSET(pointer, count) \
	(((pointer) = gemp_new_unset((count), sizeof *(pointer))) != NULL ? GEMP_OK : GEMP_ENOMEM)

#endif
