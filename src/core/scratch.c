#include "core/scratch.h"

#include "core/memory.h"

enum { BLOCK = 4096 };

struct gemp_scratch_block {
	struct gemp_scratch_block *next;
	size_t size;
	_Alignas(16) char bytes[];
};

char *gemp_scratch_take(gemp_scratch *scratch, size_t size)
{
	struct gemp_scratch_block *block = scratch->blocks;
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

static void free_after(struct gemp_scratch_block *block)
{
	while (block) {
		struct gemp_scratch_block *next = block->next;
		gemp_free(block);
		block = next;
	}
}

void gemp_scratch_reset(gemp_scratch *scratch)
{
	scratch->used = 0;
	if (!scratch->blocks)
		return;
	free_after(scratch->blocks->next);
	scratch->blocks->next = NULL;
}

void gemp_scratch_free(gemp_scratch *scratch)
{
	free_after(scratch->blocks);
	*scratch = (gemp_scratch){ 0 };
}
