#include "core/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Each block carries its size in front, 16 bytes so that what follows stays aligned. */
enum { HEADER = 16, PAGE = 4096, LARGE = 4 << 20 };

static atomic_size_t live, blocks, peak;
static atomic_long until_failure = -1;

static void *out_of_memory(size_t count, size_t size)
{
	gemp_fail(GEMP_ENOMEM,
	          "out of memory: %zu elements of %zu bytes were asked for; "
	          "use more ranks, or a smaller --host-memory",
	          count, size);
	return NULL;
}

static void add_live(size_t bytes)
{
	size_t now = atomic_fetch_add(&live, bytes) + bytes, before = peak;
	while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
		;
}

/* *bytes of a block with its header; false where a test wants it to fail, or there are no such blocks. */
static bool may_allocate(size_t count, size_t size, size_t *bytes)
{
	if (__builtin_mul_overflow(count, size, bytes) || *bytes > SIZE_MAX - HEADER || until_failure == 0)
		return false;
	if (until_failure > 0)
		atomic_fetch_sub(&until_failure, 1);
	*bytes += HEADER;
	return true;
}

static void *counted(char *base, size_t bytes)
{
	*(size_t *)(void *)base = bytes - HEADER;
	add_live(bytes - HEADER);
	return base + HEADER;
}

void *gemp_realloc(void *block, size_t count, size_t size)
{
	size_t bytes;
	if (!may_allocate(count, size, &bytes))
		return out_of_memory(count, size);
	char *old = block ? (char *)block - HEADER : NULL;
	size_t before = old ? *(size_t *)(void *)old : 0;
	char *base = realloc(old, bytes);
	if (!base)
		return out_of_memory(count, size);
	if (!old)
		blocks++;
	live -= before;
	return counted(base, bytes);
}

/* Large blocks get pages of their own, which are zero already, large ones where the system has them: they are touched by
 * whichever thread comes first, and not by one that clears memory that was used before. */
static void *new_pages(size_t bytes)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	if (bytes < LARGE)
		return calloc(1, bytes);
	if (!atomic_flag_test_and_set(&told))
		mallopt(M_MMAP_THRESHOLD, LARGE);
	char *base = calloc(1, bytes);
	if (base) {
		uintptr_t first = ((uintptr_t)base + PAGE - 1) / PAGE * PAGE;
		madvise((void *)first, bytes - (size_t)(first - (uintptr_t)base), MADV_HUGEPAGE);
	}
	return base;
}

/* calloc knows which pages are zero already. */
void *gemp_calloc(size_t count, size_t size)
{
	size_t bytes;
	if (!may_allocate(count, size, &bytes))
		return out_of_memory(count, size);
	char *base = new_pages(bytes);
	if (!base)
		return out_of_memory(count, size);
	blocks++;
	return counted(base, bytes);
}

void gemp_free(void *block)
{
	if (!block)
		return;
	char *base = (char *)block - HEADER;
	live -= *(size_t *)(void *)base;
	blocks--;
	free(base);
}

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

gemp_code gemp_copy(void **out, const void *from, size_t count, size_t size)
{
	void *block = gemp_calloc(count, size);
	if (block && count)
		memcpy(block, from, count * size);
	gemp_pointer_set(out, block);
	return block ? GEMP_OK : GEMP_ENOMEM;
}

gemp_code gemp_append(void **array, size_t *count, const void *item, size_t size)
{
	char *more = gemp_realloc(gemp_pointer_get(array), *count + 1, size);
	if (!more)
		return GEMP_ENOMEM;
	memcpy(more + *count * size, item, size);
	gemp_pointer_set(array, more);
	++*count;
	return GEMP_OK;
}

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

void gemp_memory_fail_after(long requests)
{
	until_failure = requests;
}

enum { BLOCK = 4096 };

struct gemp_arena_block {
	struct gemp_arena_block *next;
	size_t size;
	_Alignas(16) char bytes[];
};

char *gemp_arena_alloc(gemp_arena *scratch, size_t size)
{
	struct gemp_arena_block *block = scratch->blocks;
	if (!block || block->size - scratch->used < size) {
		size_t room = block ? 2 * block->size : BLOCK;
		room = room < size ? size : room;
		block = gemp_calloc(1, sizeof *block + room);
		if (!block)
			return NULL;
		block->next = scratch->blocks;
		block->size = room;
		scratch->blocks = block;
		scratch->used = 0;
	}
	char *at = block->bytes + scratch->used;
	scratch->used += size;
	return at;
}

static void free_after(struct gemp_arena_block *block)
{
	while (block) {
		struct gemp_arena_block *next = block->next;
		gemp_free(block);
		block = next;
	}
}

void gemp_arena_reset(gemp_arena *scratch)
{
	scratch->used = 0;
	if (!scratch->blocks)
		return;
	free_after(scratch->blocks->next);
	scratch->blocks->next = NULL;
}

void gemp_arena_free(gemp_arena *scratch)
{
	free_after(scratch->blocks);
	*scratch = (gemp_arena){ 0 };
}
