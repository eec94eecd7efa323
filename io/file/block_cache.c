#include "io/file/block_cache.h"

#include "core/limits.h"
#include "core/memory.h"

#include <errno.h>
#include <string.h>

/* The slots cost 24 bytes each, so they are made for the first read. */
static gemp_code make_slots(gemp_block_cache *cache)
{
	const size_t max = gemp_limits_now()->file_blocks;
	size_t count = 1;
	while (count * 2 <= max)
		count *= 2;
	GEMP_TRY(GEMP_NEW(cache->slots, count));
	cache->count = count;
	return GEMP_OK;
}

/* Reads a block. The last one may be short. */
static int fill(gemp_block_cache *cache, uint64_t number, gemp_block_slot *slot)
{
	const uint64_t offset = number * GEMP_BLOCK_BYTES, whole = cache->file->size;
	slot->size = 0;
	if (!slot->bytes && GEMP_NEW(slot->bytes, GEMP_BLOCK_BYTES) != GEMP_OK)
		return ENOMEM;
	const size_t size = offset < whole ? (size_t)gemp_min(whole - offset, GEMP_BLOCK_BYTES) : 0;
	const int error = gemp_sealed_read(cache->file, offset, size, slot->bytes);
	slot->number = number;
	slot->size = error ? 0 : size;
	return error;
}

int gemp_block_cache_read(gemp_block_cache *cache, uint64_t offset, size_t size, void *data)
{
	char *to = data;
	if (!cache->slots && make_slots(cache) != GEMP_OK)
		return ENOMEM;
	while (size) {
		const uint64_t number = offset / GEMP_BLOCK_BYTES;
		const size_t begin = (size_t)(offset % GEMP_BLOCK_BYTES), some = gemp_min(size, GEMP_BLOCK_BYTES - begin);
		gemp_block_slot *slot = &cache->slots[number & (cache->count - 1)];
		const int error = slot->number != number || !slot->size ? fill(cache, number, slot) : 0;
		if (error)
			return error;
		if (begin + some > slot->size)
			return GEMP_SEALED_ENDS;
		memcpy(to, slot->bytes + begin, some);
		to += some;
		offset += some;
		size -= some;
	}
	return 0;
}

void gemp_block_cache_free(gemp_block_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		gemp_free(cache->slots[i].bytes);
	gemp_free(cache->slots);
	cache->slots = NULL;
	cache->count = 0;
}
