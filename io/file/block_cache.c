#include "io/file/block_cache.h"

#include "core/limits.h"
#include "core/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* Reads a block. pread may be interrupted or return fewer bytes than requested. */
static gemp_code fill(gemp_block_cache *cache, const char *part, uint64_t number, gemp_block_slot *slot)
{
	slot->size = 0;
	if (!slot->bytes)
		GEMP_TRY(GEMP_NEW(slot->bytes, GEMP_BLOCK_BYTES));
	size_t size = 0;
	while (size < GEMP_BLOCK_BYTES) {
		const off_t offset = (off_t)(number * GEMP_BLOCK_BYTES + size);
		const ssize_t got = pread(cache->file, slot->bytes + size, GEMP_BLOCK_BYTES - size, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return gemp_fail(GEMP_EIO, "%s: reading '%s' failed: %s", cache->name, part, strerror(errno));
		if (got == 0)
			break;
		size += (size_t)got;
	}
	slot->number = number;
	slot->size = size;
	return GEMP_OK;
}

gemp_code gemp_block_cache_read(gemp_block_cache *cache, const char *part, uint64_t offset, size_t size, void *data)
{
	char *to = data;
	if (!cache->slots)
		GEMP_TRY(make_slots(cache));
	while (size) {
		const uint64_t number = offset / GEMP_BLOCK_BYTES;
		const size_t begin = (size_t)(offset % GEMP_BLOCK_BYTES), some = gemp_min(size, GEMP_BLOCK_BYTES - begin);
		gemp_block_slot *slot = &cache->slots[number & (cache->count - 1)];
		if (slot->number != number || !slot->size)
			GEMP_TRY(fill(cache, part, number, slot));
		if (begin + some > slot->size)
			return gemp_fail(GEMP_EDATA, "%s: ends within '%s'; make or copy the file again", cache->name, part);
		memcpy(to, slot->bytes + begin, some);
		to += some;
		offset += some;
		size -= some;
	}
	return GEMP_OK;
}

void gemp_block_cache_free(gemp_block_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		gemp_free(cache->slots[i].bytes);
	gemp_free(cache->slots);
	cache->slots = NULL;
	cache->count = 0;
}
