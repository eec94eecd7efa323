#include "core/page_pool.h"

#include "core/limits.h"
#include "core/types.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A free block is freed memory for the address sanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define forbid(block, bytes) ASAN_POISON_MEMORY_REGION(block, bytes)
#define allow(block, bytes) ASAN_UNPOISON_MEMORY_REGION(block, bytes)
#else
#define forbid(block, bytes) ((void)(block), (void)(bytes))
#define allow(block, bytes) ((void)(block), (void)(bytes))
#endif

#define PAGE ((size_t)2 << 20) /* a huge page of x86, and of ARM with base pages of 4 KiB */

typedef struct extent {
	size_t first, count; /* pages */
} extent;

static struct {
	pthread_mutex_t mutex;
	bool tried;         /* to reserve addresses */
	char *base;         /* NULL: there is no reservation */
	size_t pages, used; /* of the reservation; pages from `used` on are free */
	size_t top;         /* pages from here on have never been in a block since the last drop */
	uint8_t *mapped;    /* [pages] */
	size_t *bytes;      /* [pages] */
	size_t free_count, capacity;
	extent *free;        /* [free_count] */
	size_t kept, budget; /* pages */
	unsigned keepers;
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static size_t pages_of(size_t bytes)
{
	return bytes / PAGE + (bytes % PAGE != 0);
}

static char *address_of(size_t page)
{
	return pool.base + page * PAGE;
}

static size_t page_at(const void *block)
{
	return (size_t)((const char *)block - pool.base) / PAGE;
}

/* Addresses cost nothing until they are touched (MAP_NORESERVE). */
static void reserve(void)
{
	const long phys = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	pool.tried = true;
	if (phys <= 0 || size <= 0)
		return;
	const size_t pages = 2 * pages_of((size_t)phys * (size_t)size);
	char *base = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
	                  0);
	if (base == MAP_FAILED)
		return;
	pool.mapped = calloc(pages, 1);
	pool.bytes = calloc(pages, sizeof *pool.bytes);
	if (!pool.mapped || !pool.bytes) {
		munmap(base, (pages + 1) * PAGE);
		return;
	}
	const size_t skipped = (PAGE - (uintptr_t)base % PAGE) % PAGE;
	pool.pages = pages;
	madvise(base + skipped, pages * PAGE, MADV_HUGEPAGE);
	__atomic_store_n(&pool.base, base + skipped, __ATOMIC_RELEASE);
}

static size_t count_mapped(size_t first, size_t count)
{
	size_t mapped = 0;
	for (size_t p = first; p < first + count; p++)
		mapped += pool.mapped[p];
	return mapped;
}

/* Gives the pages of a free extent back. */
static void unmap(size_t first, size_t count)
{
	madvise(address_of(first), count * PAGE, MADV_DONTNEED);
	memset(pool.mapped + first, 0, count);
}

/* The index of the first free extent behind a page. */
static size_t extent_behind(size_t page)
{
	size_t at = 0;
	while (at < pool.free_count && pool.free[at].first < page)
		at++;
	return at;
}

static void remove_extent(size_t at)
{
	pool.free_count--;
	memmove(pool.free + at, pool.free + at + 1, (pool.free_count - at) * sizeof *pool.free);
}

/* Joins the pages with the free extents beside them, or with those behind `used`. Without memory for the list the
 * addresses are lost, but not the pages. */
static void add_free(size_t first, size_t count)
{
	size_t at = extent_behind(first);
	if (at < pool.free_count && first + count == pool.free[at].first) {
		count += pool.free[at].count;
		remove_extent(at);
	}
	if (at > 0 && pool.free[at - 1].first + pool.free[at - 1].count == first) {
		first = pool.free[--at].first;
		count += pool.free[at].count;
		remove_extent(at);
	}
	if (first + count == pool.used) {
		pool.used = first;
		return;
	}
	if (pool.free_count == pool.capacity) {
		const size_t capacity = 2 * pool.capacity + 64;
		extent *larger = realloc(pool.free, capacity * sizeof *larger);
		if (!larger) {
			pool.kept -= count_mapped(first, count);
			unmap(first, count);
			return;
		}
		pool.free = larger;
		pool.capacity = capacity;
	}
	memmove(pool.free + at + 1, pool.free + at, (pool.free_count - at) * sizeof *pool.free);
	pool.free[at] = (extent){ first, count };
	pool.free_count++;
}

/* Frees pages that were in a block. */
static void release(size_t first, size_t count)
{
	if (!count)
		return;
	forbid(address_of(first), count * PAGE);
	if (pool.keepers && pool.kept + count <= pool.budget)
		pool.kept += count_mapped(first, count);
	else
		unmap(first, count);
	add_free(first, count);
}

/* A block takes `count` free pages from page `first` on. */
static void occupy(size_t first, size_t count)
{
	pool.kept -= count_mapped(first, count);
	pool.top = gemp_max(pool.top, first + count);
	memset(pool.mapped + first, 1, count);
	allow(address_of(first), count * PAGE);
}

/* Takes pages from the shortest free extent that is long enough, and otherwise from those behind `used`. Returns the
 * first page, or SIZE_MAX. */
static size_t find_pages(size_t count)
{
	size_t best = SIZE_MAX, first = pool.used;
	for (size_t i = 0; i < pool.free_count; i++)
		if (pool.free[i].count >= count && (best == SIZE_MAX || pool.free[i].count < pool.free[best].count))
			best = i;
	if (best == SIZE_MAX) {
		if (count > pool.pages - pool.used)
			return SIZE_MAX;
		pool.used += count;
		return first;
	}
	first = pool.free[best].first;
	pool.free[best].first += count;
	pool.free[best].count -= count;
	if (!pool.free[best].count)
		remove_extent(best);
	return first;
}

void *gemp_page_pool_take(size_t bytes, size_t *mapped)
{
	const size_t count = pages_of(bytes);
	void *block = NULL;
	*mapped = 0;
	if (bytes < gemp_limits_now()->page_pool_min)
		return NULL;
	pthread_mutex_lock(&pool.mutex);
	if (!pool.tried)
		reserve();
	const size_t first = pool.base ? find_pages(count) : SIZE_MAX;
	if (first != SIZE_MAX) {
		size_t touched = 0;
		while (touched < count && pool.mapped[first + touched])
			touched++;
		*mapped = gemp_min(touched * PAGE, bytes);
		occupy(first, count);
		pool.bytes[first] = bytes;
		block = address_of(first);
	}
	pthread_mutex_unlock(&pool.mutex);
	return block;
}

/* The reservation is made before its first block, and stays. */
bool gemp_page_pool_has(const void *block)
{
	const char *base = __atomic_load_n(&pool.base, __ATOMIC_ACQUIRE);
	return base && (uintptr_t)block - (uintptr_t)base < pool.pages * PAGE;
}

/* Only the owner of a block asks for its size or frees it. */
size_t gemp_page_pool_size(const void *block)
{
	return pool.bytes[page_at(block)];
}

void gemp_page_pool_put(void *block)
{
	pthread_mutex_lock(&pool.mutex);
	release(page_at(block), gemp_max(pages_of(pool.bytes[page_at(block)]), 1));
	pthread_mutex_unlock(&pool.mutex);
}

/* Takes the pages [page, page + count) if they are free. */
static bool take_at(size_t page, size_t count)
{
	const size_t at = extent_behind(page);
	if (page == pool.used) {
		if (count > pool.pages - pool.used)
			return false;
		pool.used += count;
	} else if (at < pool.free_count && pool.free[at].first == page && pool.free[at].count >= count) {
		pool.free[at].first += count;
		pool.free[at].count -= count;
		if (!pool.free[at].count)
			remove_extent(at);
	} else {
		return false;
	}
	occupy(page, count);
	return true;
}

/* A block of no bytes keeps one page, since its address is its name. */
bool gemp_page_pool_resize(void *block, size_t bytes)
{
	const size_t first = page_at(block), before = gemp_max(pages_of(pool.bytes[first]), 1),
				 after = gemp_max(pages_of(bytes), 1);
	bool done = true;
	pthread_mutex_lock(&pool.mutex);
	if (after < before)
		release(first + after, before - after);
	else if (after > before)
		done = take_at(first + before, after - before);
	if (done)
		pool.bytes[first] = bytes;
	pthread_mutex_unlock(&pool.mutex);
	return done;
}

/* KEPT PAGES */

static bool drop(void)
{
	const bool some = pool.kept > 0;
	for (size_t i = 0; i < pool.free_count && some; i++)
		unmap(pool.free[i].first, pool.free[i].count);
	if (some && pool.top > pool.used)
		unmap(pool.used, pool.top - pool.used);
	if (some)
		pool.top = pool.used;
	pool.kept = 0;
	return some;
}

void gemp_page_pool_keep(size_t budget)
{
	pthread_mutex_lock(&pool.mutex);
	if (!pool.keepers++)
		pool.budget = budget / PAGE;
	pthread_mutex_unlock(&pool.mutex);
}

void gemp_page_pool_release(void)
{
	pthread_mutex_lock(&pool.mutex);
	if (!--pool.keepers)
		drop();
	pthread_mutex_unlock(&pool.mutex);
}

bool gemp_page_pool_drop(void)
{
	pthread_mutex_lock(&pool.mutex);
	const bool some = drop();
	pthread_mutex_unlock(&pool.mutex);
	return some;
}

size_t gemp_page_pool_kept(void)
{
	pthread_mutex_lock(&pool.mutex);
	const size_t kept = pool.kept * PAGE;
	pthread_mutex_unlock(&pool.mutex);
	return kept;
}
