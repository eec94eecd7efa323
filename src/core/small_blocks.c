#include "core/small_blocks.h"

#include "core/types.h"

#include <stdlib.h>

/* Up to FINE bytes sizes are multiples of STEP, beyond that of COARSE_STEP. */
enum { STEP = 16, FINE = 1024, COARSE_STEP = 512, COARSE = 8192, KEPT = 512 << 10 };
enum { FINE_SIZES = FINE / STEP, SIZES = FINE_SIZES + (COARSE - FINE) / COARSE_STEP + 1 };

typedef struct free_block {
	struct free_block *next;
} free_block;

static _Thread_local struct {
	size_t bytes; /* of all blocks in the lists */
	free_block *list[SIZES];
} kept;

size_t gemp_small_block_size(size_t bytes)
{
#ifndef NDEBUG
	return 0;
#endif
	if (bytes <= FINE)
		return (bytes + STEP - 1) / STEP * STEP;
	return bytes <= COARSE ? (bytes + COARSE_STEP - 1) / COARSE_STEP * COARSE_STEP : 0;
}

static free_block **list_of(size_t size)
{
	return &kept.list[size <= FINE ? size / STEP : FINE_SIZES + (size - FINE) / COARSE_STEP];
}

void *gemp_small_block_take(size_t size)
{
	free_block **list = list_of(size), *block = *list;
	if (!block)
		return malloc(size);
	*list = block->next;
	kept.bytes -= size;
	return block;
}

void gemp_small_block_put(void *block, size_t size)
{
	free_block **list = list_of(size), *freed = block;
	if (kept.bytes + size > KEPT) {
		free(block);
		return;
	}
	freed->next = *list;
	*list = freed;
	kept.bytes += size;
}

bool gemp_small_blocks_drop(void)
{
	const bool any = kept.bytes > 0;
	for (size_t s = 0; any && s < SIZES; s++)
		while (kept.list[s]) {
			free_block *block = kept.list[s];
			kept.list[s] = block->next;
			free(block);
		}
	kept.bytes = 0;
	return any;
}
