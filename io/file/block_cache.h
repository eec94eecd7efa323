/* block_cache: reads bytes of an open file through its blocks, which stay in memory. Local.
 *
 * A cache of a file that is read at random, a few bytes at a time: bytes of a block that is in memory cost nanoseconds,
 * and a call of pread half a microsecond. The file is not mapped, because a file that is cut, or a network file system
 * that fails, would then end the process by SIGBUS instead of failing one read.
 *
 * Data layout: slots[], a power of two. Block n of the file can only be in slot n modulo their number, so a file that
 * has more blocks than there are slots replaces old ones, and nothing has to be searched. */

#ifndef GEMP_IO_FILE_BLOCK_CACHE_H
#define GEMP_IO_FILE_BLOCK_CACHE_H

#include "core/status.h"
#include "io/file/sealed_file.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_block_slot {
	uint64_t number; /* of the block, if `size` is not 0 */
	size_t size;     /* bytes that the file has of it */
	char *bytes;     /* [GEMP_BLOCK_BYTES] owned; NULL: was never used */
} gemp_block_slot;

/* {0} with `file` set is an empty cache. */
typedef struct gemp_block_cache {
	const gemp_sealed_file *file; /* borrowed */
	size_t count;                 /* slots */
	gemp_block_slot *slots;
} gemp_block_cache;

/* The bytes [offset, offset + size) of the file if they lie in one block that is in memory; valid until the next read.
 * NULL: read them. */
static inline const char *gemp_block_cache_peek(const gemp_block_cache *cache, uint64_t offset, size_t size)
{
	const uint64_t number = offset / GEMP_BLOCK_BYTES;
	const size_t begin = (size_t)(offset % GEMP_BLOCK_BYTES);
	if (!cache->count)
		return NULL;
	const gemp_block_slot *slot = &cache->slots[number & (cache->count - 1)];
	return slot->number == number && begin < slot->size && size <= slot->size - begin ? slot->bytes + begin : NULL;
}
/* Copies bytes [offset, offset + size) of the file's content to `data`. Returns 0, or an error for
 * gemp_sealed_failed. */
int gemp_block_cache_read(gemp_block_cache *cache, uint64_t offset, size_t size, void *data);
void gemp_block_cache_free(gemp_block_cache *cache);

#endif
