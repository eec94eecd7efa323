#include "core/arena.h"

enum { FIRST_BLOCK = 1 << 12, LARGE_BLOCK = 1 << 20 };

struct gemp_arena_block {
	struct gemp_arena_block *next;
	size_t size;
	_Alignas(16) char bytes[];
};

/* A piece that does not fit starts a new block, so a row of many values takes a logarithmic number of blocks. */
void *gemp_arena_alloc(gemp_arena *arena, size_t size)
{
	struct gemp_arena_block *block = arena->blocks;
	if (size > SIZE_MAX / 2)
		return gemp_calloc(size, 2); /* fails, with a message */
	size = (size + 15) / 16 * 16;
	if (!block || block->size - arena->used < size) {
		size_t capacity = !block ? FIRST_BLOCK : block->size < LARGE_BLOCK ? 2 * block->size : LARGE_BLOCK;
		capacity = capacity < size ? size : capacity;
		block = gemp_calloc(1, sizeof *block + capacity);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		block->size = capacity;
		arena->blocks = block;
		arena->used = 0;
	}
	char *piece = block->bytes + arena->used;
	arena->used += size;
	return memset(piece, 0, size);
}

char *gemp_arena_copy(gemp_arena *arena, const char *bytes, size_t size)
{
	char *copy = gemp_arena_alloc(arena, size + 1);
	if (copy && size)
		memcpy(copy, bytes, size);
	return copy;
}

/* A loop, since recursion would need a stack frame for each block. */
static void free_after(struct gemp_arena_block *block)
{
	while (block) {
		struct gemp_arena_block *next = block->next;
		gemp_free(block);
		block = next;
	}
}

/* After some rows the arena no longer allocates. */
void gemp_arena_reset(gemp_arena *arena)
{
	arena->used = 0;
	if (!arena->blocks)
		return;
	free_after(arena->blocks->next);
	arena->blocks->next = NULL;
}

/* The newest block of `to` stays the newest, since `used` belongs to it. */
void gemp_arena_join(gemp_arena *to, gemp_arena *from)
{
	struct gemp_arena_block *last = from->blocks;
	if (!to->blocks) {
		*to = *from;
	} else if (last) {
		while (last->next)
			last = last->next;
		last->next = to->blocks->next;
		to->blocks->next = from->blocks;
	}
	*from = (gemp_arena){ 0 };
}

void gemp_arena_free(gemp_arena *arena)
{
	free_after(arena->blocks);
	*arena = (gemp_arena){ 0 };
}
