#include "core/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Each block carries its size in a header of 16 bytes, so the elements stay aligned. */
enum { HEADER_SIZE = 16, PAGE_SIZE = 4096, LARGE_BLOCK = 4 << 20 };

static atomic_size_t live, blocks, peak;
static atomic_long until_failure = -1;

/* The message names the request and the two remedies that users have. */
static void *out_of_memory(size_t count, size_t size)
{
	gemp_fail(GEMP_ENOMEM,
	          "out of memory: %zu elements of %zu bytes were asked for; "
	          "use more ranks, or a smaller host-memory",
	          count, size);
	return NULL;
}

/* Keeps the maximum by compare-and-swap, since threads allocate concurrently. */
static void add_live(size_t bytes)
{
	size_t now = atomic_fetch_add(&live, bytes) + bytes, before = peak;
	while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
		;
}

/* *bytes: size of the block with its header. False if the size overflows or a test wants this request to fail. */
static bool check_request(size_t count, size_t size, size_t *bytes)
{
	if (__builtin_mul_overflow(count, size, bytes) || *bytes > SIZE_MAX - HEADER_SIZE || until_failure == 0)
		return false;
	if (until_failure > 0)
		atomic_fetch_sub(&until_failure, 1);
	*bytes += HEADER_SIZE;
	return true;
}

/* Writes the header and counts the block; returns the address of the elements. */
static void *register_block(char *base, size_t bytes)
{
	*(size_t *)(void *)base = bytes - HEADER_SIZE;
	add_live(bytes - HEADER_SIZE);
	return base + HEADER_SIZE;
}

/* The old size is subtracted first: the peak counts requested bytes, not the copy that realloc may hold meanwhile. */
void *gemp_realloc(void *block, size_t count, size_t size)
{
	size_t bytes;
	if (!check_request(count, size, &bytes))
		return out_of_memory(count, size);
	char *old = block ? (char *)block - HEADER_SIZE : NULL;
	size_t before = old ? *(size_t *)(void *)old : 0;
	char *base = realloc(old, bytes);
	if (!base)
		return out_of_memory(count, size);
	if (!old)
		blocks++;
	live -= before;
	return register_block(base, bytes);
}

/* Large blocks get fresh pages from the system (M_MMAP_THRESHOLD), which are zero already, and huge pages where there
 * are any. The threads that use a page first touch it, so it lies near them (NUMA); memory that malloc recycles would
 * be cleared by this one thread. */
static void *new_pages(size_t bytes)
{
	static atomic_flag threshold_set = ATOMIC_FLAG_INIT;
	if (bytes < LARGE_BLOCK)
		return calloc(1, bytes);
	if (!atomic_flag_test_and_set(&threshold_set))
		mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	char *base = calloc(1, bytes);
	if (base) {
		uintptr_t first = ((uintptr_t)base + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
		madvise((void *)first, bytes - (size_t)(first - (uintptr_t)base), MADV_HUGEPAGE);
	}
	return base;
}

/* calloc is used, and not malloc and memset, because it knows which pages are zero already. */
void *gemp_calloc(size_t count, size_t size)
{
	size_t bytes;
	if (!check_request(count, size, &bytes))
		return out_of_memory(count, size);
	char *base = new_pages(bytes);
	if (!base)
		return out_of_memory(count, size);
	blocks++;
	return register_block(base, bytes);
}

/* The size is read from the header, so no caller has to remember it. */
void gemp_free(void *block)
{
	if (!block)
		return;
	char *base = (char *)block - HEADER_SIZE;
	live -= *(size_t *)(void *)base;
	blocks--;
	free(base);
}

/* Stops at the first failure; pointers behind it keep their values, which callers have set to NULL. */
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

/* A length of SIZE_MAX would overflow by the final 0. */
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

/* Copies of no elements are valid blocks, too. */
gemp_code gemp_copy(void **out, const void *from, size_t count, size_t size)
{
	void *block = gemp_calloc(count, size);
	if (block && count)
		memcpy(block, from, count * size);
	gemp_pointer_set(out, block);
	return block ? GEMP_OK : GEMP_ENOMEM;
}

/* Grows by one element: for arrays of a few elements that are built once. */
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

/* The capacity grows by half at least, so a series of reservations copies each element a constant number of
 * times. */
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

/* VmHWM, since getrusage reports the peak of the parent before exec, too. */
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

/* The counter is shared by all threads: which thread meets the failure is not defined. */
void gemp_memory_fail_after(long requests)
{
	until_failure = requests;
}

enum { ARENA_BLOCK = 4096 };

/* Blocks of an arena form a list, the newest first; each is twice as large as the one before. */
struct gemp_arena_block {
	struct gemp_arena_block *next;
	size_t size;
	_Alignas(16) char bytes[];
};

/* Allocates from the newest block. A value that does not fit begins a block of twice the size, so a long row takes a
 * logarithmic number of blocks. */
char *gemp_arena_alloc(gemp_arena *arena, size_t size)
{
	struct gemp_arena_block *block = arena->blocks;
	if (!block || block->size - arena->used < size) {
		size_t capacity = block ? 2 * block->size : ARENA_BLOCK;
		capacity = capacity < size ? size : capacity;
		block = gemp_calloc(1, sizeof *block + capacity);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		block->size = capacity;
		arena->blocks = block;
		arena->used = 0;
	}
	char *value = block->bytes + arena->used;
	arena->used += size;
	return value;
}

/* The list is walked by a loop, as recursion would need a stack frame for each block. */
static void free_after(struct gemp_arena_block *block)
{
	while (block) {
		struct gemp_arena_block *next = block->next;
		gemp_free(block);
		block = next;
	}
}

/* Keeps the newest block, which is the largest: after some rows the arena allocates no more. */
void gemp_arena_reset(gemp_arena *arena)
{
	arena->used = 0;
	if (!arena->blocks)
		return;
	free_after(arena->blocks->next);
	arena->blocks->next = NULL;
}

void gemp_arena_free(gemp_arena *arena)
{
	free_after(arena->blocks);
	*arena = (gemp_arena){ 0 };
}
