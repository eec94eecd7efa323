#include "core/memory.h"

#include "core/node_memory.h"
#include "core/page_pool.h"
#include "core/quantity.h"

#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Each block of malloc has its size in a header of 16 bytes, so its elements stay aligned to 16 bytes. */
enum { HEADER_SIZE = 16, PAGE_SIZE = 4096, LARGE_BLOCK = 4 << 20, UNSET = 0xA5 };

static atomic_size_t live, blocks, peak;
static atomic_size_t limit; /* of the live bytes; 0: none */
static const char beyond_limit[] = "would pass the limit of memory";
static atomic_long until_failure = -1;
static bool (*_Atomic chooser)(void);
static bool (*_Atomic on_shortage)(void);

static bool passes_limit(size_t more)
{
	const size_t most = limit;
	return most && more && (live > most || more > most - live);
}

/* Whether a request for `more` bytes must be refused. */
static bool is_too_large(size_t more)
{
	return passes_limit(more) || !gemp_node_has_room(live, more);
}

/* Frees what callers keep beyond their need. Returns false if there was nothing. */
static bool make_room(void)
{
	bool (*release)(void) = on_shortage;
	const bool released = release && release();
	return gemp_page_pool_drop() || released;
}

/* Kept blocks are given back if they and the request would pass the limit together. */
static void drop_beyond_limit(size_t more)
{
	const size_t most = limit, kept = most ? gemp_page_pool_kept() : 0;
	if (kept && (live + kept > most || more > most - live - kept))
		gemp_page_pool_drop();
}

/* The message has the size of the request and the remedies that users have. */
static void *out_of_memory(size_t count, size_t size)
{
	size_t bytes;
	if (!__builtin_mul_overflow(count, size, &bytes) && passes_limit(bytes)) {
		gemp_fail(GEMP_ENOMEM, "%s %s, which is %s; raise --host-memory", gemp_shown_bytes(bytes).text, beyond_limit,
		          gemp_shown_bytes(limit).text);
		return NULL;
	}
	if (!__builtin_mul_overflow(count, size, &bytes) && !gemp_node_has_room(live, bytes)) {
		gemp_fail(GEMP_ENOMEM,
		          "out of memory: %s were asked for in one block, and the node has %s left; use more nodes",
		          gemp_shown_bytes(bytes).text, gemp_shown_bytes(gemp_memory_available()).text);
		return NULL;
	}
	gemp_fail(GEMP_ENOMEM,
	          "out of memory: %zu elements of %zu bytes were asked for; "
	          "use more ranks, or a smaller host-memory",
	          count, size);
	return NULL;
}

/* Updates the peak by compare-and-swap, since threads allocate concurrently. */
static void add_live(size_t bytes)
{
	size_t now = atomic_fetch_add(&live, bytes) + bytes, before = peak;
	while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
		;
}

/* Tests make this request fail. */
static bool refused(void)
{
	bool (*chosen)(void) = until_failure == 0 ? chooser : NULL;
	return until_failure == 0 && (!chosen || chosen());
}

/* Without these thresholds the end of the heap goes back to the system as soon as it has 128 KiB, and its pages are
 * touched anew for the next block: 16% to 31% of the CPU time of queries of 20 to 40 ms in an open process. */
static void keep_heap(void)
{
	enum { KEPT = 64 << 20 };
	static atomic_bool is_kept;
	if (atomic_load_explicit(&is_kept, memory_order_relaxed) || atomic_exchange(&is_kept, true))
		return;
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, KEPT);
}

/* *bytes becomes the size of the block with its header, which replaces a block of `held` bytes. Returns false if the
 * size overflows, if it passes the limit, or if a test makes this request fail. */
static bool check_request(size_t count, size_t size, size_t held, size_t *bytes)
{
	if (__builtin_mul_overflow(count, size, bytes) || *bytes > SIZE_MAX - HEADER_SIZE || refused())
		return false;
	if (*bytes > held && is_too_large(*bytes - held) && !(make_room() && !is_too_large(*bytes - held)))
		return false;
	if (until_failure > 0)
		atomic_fetch_sub(&until_failure, 1);
	keep_heap();
	if (*bytes > held)
		drop_beyond_limit(*bytes - held);
	*bytes += HEADER_SIZE;
	return true;
}

/* Writes the header and counts the block. Returns the address of the elements. */
static void *register_block(char *base, size_t bytes)
{
	*(size_t *)(void *)base = bytes - HEADER_SIZE;
	add_live(bytes - HEADER_SIZE);
	return base + HEADER_SIZE;
}

/* Asks for huge pages, which the system clears and maps with fewer faults: a page fault of 4 KiB costs 0.5 us. A grown
 * block keeps its pages. The advice begins at the page of the header, as the whole mapping of a large block must have
 * it: mremap, by which realloc grows a mapping without a copy, fails if parts of the mapping differ. */
static void advise_huge_pages(char *base, size_t bytes)
{
	char *first = base - (uintptr_t)base % PAGE_SIZE;
	if (bytes >= LARGE_BLOCK)
		madvise(first, bytes + (size_t)(base - first), MADV_HUGEPAGE);
}

static void *resize(char *base, size_t bytes)
{
	void *resized = realloc(base, bytes);
	if (!resized && make_room())
		resized = realloc(base, bytes);
	return resized;
}

static size_t size_of(const void *block)
{
	return gemp_page_pool_has(block) ? gemp_page_pool_size(block)
	                                 : *(const size_t *)((const char *)block - HEADER_SIZE);
}

/* A block of the pool that cannot grow where it is becomes a block of malloc, which grows without further copies. */
static void *resize_pooled(void *block, size_t bytes)
{
	const size_t before = gemp_page_pool_size(block);
	if (gemp_page_pool_resize(block, bytes)) {
		add_live(bytes);
		return block;
	}
	char *base = resize(NULL, bytes + HEADER_SIZE);
	if (!base)
		return NULL;
	void *moved = register_block(base, bytes + HEADER_SIZE);
	memcpy(moved, block, gemp_min(before, bytes));
	gemp_page_pool_put(block);
	return moved;
}

/* The old size is subtracted before the new size is added: the peak counts requested bytes, not the second copy that
 * realloc may make. */
void *gemp_realloc(void *block, size_t count, size_t size)
{
	size_t bytes, before = block ? size_of(block) : 0;
	if (!check_request(count, size, before, &bytes))
		return out_of_memory(count, size);
	live -= before;
	if (gemp_page_pool_has(block)) {
		block = resize_pooled(block, bytes - HEADER_SIZE);
	} else {
		char *base = resize(block ? (char *)block - HEADER_SIZE : NULL, bytes);
		if (base)
			advise_huge_pages(base, bytes);
		blocks += base && !block;
		block = base ? register_block(base, bytes) : NULL;
	}
	if (!block) {
		live += before;
		return out_of_memory(count, size);
	}
	return block;
}

/* Large blocks get new pages from the system (M_MMAP_THRESHOLD), which are zero already, and huge pages if the system
 * has them; `zero` costs nothing then. The thread that first touches a page decides on which NUMA node the page lies.
 * Memory that malloc recycles would be cleared, and touched, by this one thread. */
static void *new_pages(size_t bytes, bool zero)
{
	char *base = zero ? calloc(1, bytes) : malloc(bytes);
	if (!base && make_room())
		base = zero ? calloc(1, bytes) : malloc(bytes);
	if (base)
		advise_huge_pages(base, bytes);
	return base;
}

/* calloc, unlike malloc and memset, does not clear pages that are zero already. */
void *gemp_calloc(size_t count, size_t size)
{
	size_t bytes;
	if (!check_request(count, size, 0, &bytes))
		return out_of_memory(count, size);
	char *base = new_pages(bytes, true);
	if (!base)
		return out_of_memory(count, size);
	blocks++;
	return register_block(base, bytes);
}

/* Builds with assertions fill the block, so that a test fails that reads what nobody has written. */
void *gemp_alloc_unset(size_t count, size_t size, size_t *mapped)
{
	size_t bytes;
	*mapped = 0;
	if (!check_request(count, size, 0, &bytes))
		return out_of_memory(count, size);
	void *block = gemp_page_pool_take(bytes - HEADER_SIZE, mapped);
	if (block) {
		add_live(bytes - HEADER_SIZE);
	} else {
		char *base = new_pages(bytes, false);
		if (!base)
			return out_of_memory(count, size);
		block = register_block(base, bytes);
	}
	blocks++;
#ifndef NDEBUG
	memset(block, UNSET, bytes - HEADER_SIZE);
#endif
	return block;
}

/* The size is known, so callers need not pass it. */
void gemp_free(void *block)
{
	if (!block)
		return;
	live -= size_of(block);
	blocks--;
	if (gemp_page_pool_has(block))
		gemp_page_pool_put(block);
	else
		free((char *)block - HEADER_SIZE);
}

/* Stops at the first failure. The pointers of later arrays keep their values, which the caller has set to NULL. */
gemp_code gemp_new_list(const gemp_allocation *arrays, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *block = gemp_calloc(arrays[i].count, arrays[i].size);
		gemp_pointer_set(arrays[i].pointer, block);
		if (!block)
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

void gemp_free_list(void *const *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gemp_free(blocks[i]);
}

void gemp_memory_count(size_t bytes)
{
	blocks++;
	add_live(bytes);
}

void gemp_memory_discount(size_t bytes)
{
	blocks--;
	live -= bytes;
}

/* length + 1 would overflow for SIZE_MAX. */
char *gemp_strndup(const char *text, size_t length)
{
	char *copy = length < SIZE_MAX ? gemp_calloc(length + 1, 1) : out_of_memory(length, 1);
	if (copy)
		memcpy(copy, text, length);
	return copy;
}

char *gemp_strdup(const char *text)
{
	return gemp_strndup(text, strlen(text));
}

/* A copy of no elements is a valid block, too. */
gemp_code gemp_copy(void **out, const void *from, size_t count, size_t size)
{
	void *block = gemp_calloc(count, size);
	if (block && count)
		memcpy(block, from, count * size);
	gemp_pointer_set(out, block);
	return block ? GEMP_OK : GEMP_ENOMEM;
}

/* Reallocates for every element: for short arrays that are built once. */
gemp_code gemp_append(void **array, size_t *count, const void *item, size_t size)
{
	char *grown = gemp_realloc(gemp_pointer_get(array), *count + 1, size);
	if (!grown)
		return GEMP_ENOMEM;
	memcpy(grown + *count * size, item, size);
	gemp_pointer_set(array, grown);
	++*count;
	return GEMP_OK;
}

/* The capacity grows by at least half, so a series of reservations copies each element a constant number of times. */
gemp_code gemp_reserve(void **block, size_t *capacity, size_t needed, size_t size)
{
	if (needed <= *capacity)
		return GEMP_OK;
	size_t larger = gemp_grown_capacity(*capacity, needed);
	void *moved = gemp_realloc(gemp_pointer_get(block), larger, size);
	if (!moved)
		return GEMP_ENOMEM;
	gemp_pointer_set(block, moved);
	*capacity = larger;
	return GEMP_OK;
}

size_t gemp_memory_live(void)
{
	return live;
}

size_t gemp_memory_blocks(void)
{
	return blocks;
}

size_t gemp_memory_peak(void)
{
	return peak;
}

/* Reads VmHWM, since getrusage includes the peak of the parent before exec. */
size_t gemp_memory_resident_peak(void)
{
	char line[256];
	size_t kib = 0;
	FILE *status = fopen("/proc/self/status", "r");
	while (status && kib == 0 && fgets(line, sizeof line, status))
		if (sscanf(line, "VmHWM: %zu kB", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib << 10;
}

void gemp_memory_set_limit(size_t bytes)
{
	limit = bytes;
}

void gemp_memory_on_shortage(bool (*release)(void))
{
	on_shortage = release;
}

bool gemp_memory_limited(const char *message)
{
	return strstr(message, beyond_limit) != NULL;
}

/* All threads share the counter, so the thread whose request fails is not defined. */
void gemp_memory_fail_after(long requests)
{
	until_failure = requests;
}

void gemp_memory_choose(bool (*chosen)(void))
{
	chooser = chosen;
}
