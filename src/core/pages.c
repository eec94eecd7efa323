#include "core/pages.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/types.h"

#include <stdint.h>

/* The usual sizes of x86 and ARM. Fewer than MIN huge pages do not justify a loop of threads. */
enum { HUGE_PAGE = 2 << 20, PAGE = 4 << 10, MIN = 2 };

typedef struct new_block {
	char *begin, *end;
	uintptr_t first; /* address of the huge page that contains the begin */
} new_block;

static void touch_page(void *context, unsigned thread, size_t index)
{
	const new_block *b = context;
	const uintptr_t at = b->first + index * HUGE_PAGE;
	(void)thread;
	volatile char *from = b->begin + (at > (uintptr_t)b->begin ? at - (uintptr_t)b->begin : 0);
	const volatile char *to = b->begin + gemp_min(at + HUGE_PAGE, (uintptr_t)b->end) - (uintptr_t)b->begin;
	for (; from < to; from += PAGE)
		*from = *from;
}

void gemp_touch_pages(void *block, size_t bytes)
{
	new_block b = { .begin = block, .end = (char *)block + bytes, .first = (uintptr_t)block / HUGE_PAGE * HUGE_PAGE };
	if (bytes >= (size_t)MIN * HUGE_PAGE)
		gemp_parallel_for(((uintptr_t)b.end - b.first + HUGE_PAGE - 1) / HUGE_PAGE, touch_page, &b);
}

void *gemp_new_unset(size_t count, size_t size)
{
	size_t mapped;
	char *block = gemp_alloc_unset(count, size, &mapped);
	if (block)
		gemp_touch_pages(block + mapped, count * size - mapped);
	return block;
}
