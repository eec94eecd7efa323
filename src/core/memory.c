#include "core/memory.h"

#include "core/node_memory.h"
#include "core/page_pool.h"
#include "core/quantity.h"
#include "core/small_blocks.h"

#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Each block of malloc has a header of 16 bytes, so its elements stay aligned to 16 bytes. */
enum { HEADER_SIZE = 16, PAGE_SIZE = 4096, LARGE_BLOCK = 4 << 20, UNSET = 0xA5 };

typedef struct header {
	size_t bytes;    /* of the elements */
	size_t capacity; /* of a small block with its header (core/small_blocks.h); otherwise 0 */
} header;
_Static_assert(sizeof(header) == HEADER_SIZE, "the elements are aligned");

static atomic_size_t limit; /* of the live bytes; 0: none */
static const char beyond_limit[] = "would pass the limit of memory";
static atomic_long until_failure = -1;
static bool (*_Atomic chooser)(void);
static bool (*_Atomic on_shortage)(void);

static bool passes_limit(size_t more)
{
	const size_t most = limit;
	if (!most || !more)
		return false;
	const size_t live = gemp_memory_live();
	return live > most || more > most - live;
}

/* The counters of this thread are settled only for large blocks. */
static bool node_has_room(size_t more)
{
	return more < LARGE_BLOCK || gemp_node_has_room(gemp_memory_live(), more);
}

/* Whether a request for `more` bytes must be refused. */
static bool is_too_large(size_t more)
{
	return passes_limit(more) || !node_has_room(more);
}

/* Frees what callers keep beyond their need. Returns false if there was nothing. */
static bool make_room(void)
{
	bool (*release)(void) = on_shortage;
	const bool released = release && release();
	const bool dropped = gemp_small_blocks_drop();
	return gemp_page_pool_drop() || dropped || released;
}

/* Kept blocks are given back if they and the request would pass the limit together. */
static void drop_beyond_limit(size_t more)
{
	const size_t most = limit, kept = most ? gemp_page_pool_kept() : 0, live = kept ? gemp_memory_live() : 0;
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
	if (!__builtin_mul_overflow(count, size, &bytes) && !node_has_room(bytes)) {
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

/* Writes the header of a block of `bytes` bytes with it. Returns the address of the elements. */
static void *write_header(char *base, size_t bytes, size_t capacity)
{
	*(header *)(void *)base = (header){ bytes - HEADER_SIZE, capacity };
	return base + HEADER_SIZE;
}

static header *header_of(const void *block)
{
	return (header *)((uintptr_t)block - HEADER_SIZE);
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

/* Blocks of the pool begin at a page. */
static bool is_pooled(const void *block)
{
	return (uintptr_t)block % PAGE_SIZE == 0 && gemp_page_pool_has(block);
}

static size_t size_of(const void *block)
{
	return is_pooled(block) ? gemp_page_pool_size(block) : header_of(block)->bytes;
}

/* A block of the pool that cannot grow where it is becomes a block of malloc, which grows without further copies. */
static void *resize_pooled(void *block, size_t bytes)
{
	const size_t before = gemp_page_pool_size(block);
	if (gemp_page_pool_resize(block, bytes))
		return block;
	char *base = resize(NULL, bytes + HEADER_SIZE);
	if (!base)
		return NULL;
	void *moved = write_header(base, bytes + HEADER_SIZE, 0);
	memcpy(moved, block, gemp_min(before, bytes));
	gemp_page_pool_put(block);
	return moved;
}

/* `bytes` are with the header. A block that becomes small keeps its form. */
static void *resize_large(void *block, size_t bytes)
{
	char *base = resize(block ? (char *)block - HEADER_SIZE : NULL, bytes);
	if (!base)
		return NULL;
	advise_huge_pages(base, bytes);
	return write_header(base, bytes, 0);
}

static char *take_small(size_t size)
{
	char *base = gemp_small_block_take(size);
	return !base && make_room() ? gemp_small_block_take(size) : base;
}

static void free_block(void *block)
{
	const header *head = header_of(block);
	if (is_pooled(block))
		gemp_page_pool_put(block);
	else if (head->capacity)
		gemp_small_block_put((char *)block - HEADER_SIZE, head->capacity);
	else
		free((char *)block - HEADER_SIZE);
}

/* A small block, or no block, becomes a block of another size, unless it has the capacity already. */
static void *resize_small(void *block, size_t bytes)
{
	const size_t capacity = block ? header_of(block)->capacity : 0, wanted = gemp_small_block_size(bytes);
	if (bytes <= capacity && capacity <= 2 * bytes)
		return write_header((char *)block - HEADER_SIZE, bytes, capacity);
	char *base = wanted ? take_small(wanted) : resize(NULL, bytes);
	if (!base)
		return NULL;
	void *moved = write_header(base, bytes, wanted);
	if (block) {
		memcpy(moved, block, gemp_min(header_of(block)->bytes, bytes - HEADER_SIZE));
		free_block(block);
	}
	return moved;
}

/* The old size is subtracted before the new size is added: the peak counts requested bytes, not the second copy that
 * realloc may make. */
void *gemp_realloc(void *block, size_t elements, size_t size)
{
	size_t bytes;
	const size_t before = block ? size_of(block) : 0;
	void *resized;
	if (!check_request(elements, size, before, &bytes))
		return out_of_memory(elements, size);
	if (block && is_pooled(block))
		resized = resize_pooled(block, bytes - HEADER_SIZE);
	else if (block ? header_of(block)->capacity : gemp_small_block_size(bytes))
		resized = resize_small(block, bytes);
	else
		resized = resize_large(block, bytes);
	if (!resized)
		return out_of_memory(elements, size);
	gemp_memory_add((ptrdiff_t)(bytes - HEADER_SIZE) - (ptrdiff_t)before, !block);
	return resized;
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
void *gemp_calloc(size_t elements, size_t size)
{
	size_t bytes;
	if (!check_request(elements, size, 0, &bytes))
		return out_of_memory(elements, size);
	const size_t small = gemp_small_block_size(bytes);
	char *base = small ? take_small(small) : new_pages(bytes, true);
	if (!base)
		return out_of_memory(elements, size);
	if (small)
		memset(base + HEADER_SIZE, 0, bytes - HEADER_SIZE);
	gemp_memory_add((ptrdiff_t)(bytes - HEADER_SIZE), 1);
	return write_header(base, bytes, small);
}

/* Builds with assertions fill the block, so that a test fails that reads what nobody has written. */
void *gemp_alloc_unset(size_t elements, size_t size, size_t *mapped)
{
	size_t bytes;
	*mapped = 0;
	if (!check_request(elements, size, 0, &bytes))
		return out_of_memory(elements, size);
	const size_t small = gemp_small_block_size(bytes);
	void *block = small ? NULL : gemp_page_pool_take(bytes - HEADER_SIZE, mapped);
	if (!block) {
		char *base = small ? take_small(small) : new_pages(bytes, false);
		if (!base)
			return out_of_memory(elements, size);
		block = write_header(base, bytes, small);
	}
	gemp_memory_add((ptrdiff_t)(bytes - HEADER_SIZE), 1);
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
	gemp_memory_add(-(ptrdiff_t)size_of(block), -1);
	free_block(block);
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
	gemp_memory_add((ptrdiff_t)bytes, 1);
}

void gemp_memory_discount(size_t bytes)
{
	gemp_memory_add(-(ptrdiff_t)bytes, -1);
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
