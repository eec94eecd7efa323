/* row_code: codes rows of slots as bytes for messages.
 *
 * A number takes as many bytes as it needs, seven bits in each, the lowest first (LEB128). A list of ascending slots is
 * its first slot and then differences; edge numbers, which do not ascend along a row, are differences with their sign
 * in the lowest bit.
 */

#ifndef GEMP_PARTITION_FETCH_ROW_CODE_H
#define GEMP_PARTITION_FETCH_ROW_CODE_H

#include "core/status.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { GEMP_VARINT_MAX_BYTES = 10 }; /* of one number */

/* Each returns the address behind the last byte. */
uint8_t *gemp_varint_put(uint8_t *to, uint64_t number);
uint8_t *gemp_slots_put(uint8_t *to, const gemp_vertex *slots, size_t count);
uint8_t *gemp_edges_put(uint8_t *to, const gemp_edge *edges, size_t count);

/* Each returns the address of the next byte; NULL if the bytes end too early or are not valid. */
const uint8_t *gemp_varint_get(const uint8_t *from, const uint8_t *end, uint64_t *number);
const uint8_t *gemp_slots_get(const uint8_t *from, const uint8_t *end, gemp_vertex *slots, size_t count);
const uint8_t *gemp_edges_get(const uint8_t *from, const uint8_t *end, gemp_edge *edges, size_t count);

/* The maximum number of bytes of a coded row. */
static inline size_t gemp_row_code_max_bytes(size_t entries, bool edges)
{
	return GEMP_VARINT_MAX_BYTES + entries * (edges ? 5 + GEMP_VARINT_MAX_BYTES : 5);
}

/* Many rows as bytes, coded and decoded by all threads.
 *
 *   block  number of bytes that follow, number of rows; sizes of the rows; for each row its slots, and its edges if it has any
 *
 * Rows of a list go into blocks in order, some thousands of entries in each.
 */

/* Bytes that grow. */
typedef struct gemp_row_bytes {
	uint8_t *data;
	size_t size, capacity;
} gemp_row_bytes;

typedef struct gemp_row {
	size_t size;
	const gemp_vertex *neighbours; /* [size] slots, ascending */
	const gemp_edge *edges;        /* [size], or NULL */
} gemp_row;

/* Appends the rows, in blocks of their own. */
gemp_code gemp_row_blocks_put(gemp_row_bytes *out, const gemp_row *rows, size_t count);

/* The rows of one block of a list. */
typedef struct gemp_row_block {
	const uint8_t *from, *end; /* behind the sizes */
	size_t first, count;       /* of the list's rows */
} gemp_row_block;

/* Reads the sizes of `count` rows and lists the blocks, blocks[count]. Returns the number of blocks; 0: the bytes are
 * not valid. */
size_t gemp_row_blocks_read(const uint8_t *from, const uint8_t *end, size_t count, uint64_t *sizes,
                            gemp_row_block *blocks);

/* Where a row goes. */
typedef struct gemp_row_target {
	gemp_vertex *neighbours;
	gemp_edge *edges; /* NULL: the rows have no edges */
} gemp_row_target;

/* Decodes all rows of the blocks; false: the bytes are not valid. */
bool gemp_row_blocks_get(const gemp_row_block *blocks, size_t block_count, const uint64_t *sizes,
                         const gemp_row_target *places);

#endif
