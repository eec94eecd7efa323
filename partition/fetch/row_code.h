/* row_code: codes rows of slots as bytes for messages.
 *
 * A number takes as many bytes as it needs, with seven bits in each byte, the lowest bits first (LEB128). A list of
 * ascending slots is coded as its first slot and the differences between consecutive slots. Edge numbers do not ascend
 * along a row, so a difference of edge numbers has its sign in the lowest bit. */

#ifndef GEMP_PARTITION_FETCH_ROW_CODE_H
#define GEMP_PARTITION_FETCH_ROW_CODE_H

#include "core/status.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { GEMP_VARINT_MAX_BYTES = 10 }; /* bytes of one number */

/* Each of these functions returns the address behind the last byte. */
uint8_t *gemp_varint_put(uint8_t *to, uint64_t number);
uint8_t *gemp_slots_put(uint8_t *to, const gemp_vertex *slots, size_t count);
uint8_t *gemp_edges_put(uint8_t *to, const gemp_edge *edges, size_t count);

/* Each of these functions returns the address of the next byte, or NULL if the bytes end too early or are not valid. */
const uint8_t *gemp_varint_get(const uint8_t *from, const uint8_t *end, uint64_t *number);
const uint8_t *gemp_slots_get(const uint8_t *from, const uint8_t *end, gemp_vertex *slots, size_t count);
const uint8_t *gemp_edges_get(const uint8_t *from, const uint8_t *end, gemp_edge *edges, size_t count);

/* Returns the maximum number of bytes of a coded row. */
static inline size_t gemp_row_code_max_bytes(size_t entries, bool edges)
{
	return GEMP_VARINT_MAX_BYTES + entries * (edges ? 5 + GEMP_VARINT_MAX_BYTES : 5);
}

/* Many rows as bytes. All threads code and decode them. The rows of a list are divided, in order, into blocks with some
 * thousand entries each.
 *
 *   block  number of bytes that follow the number of rows; number of rows; sizes of the rows; for each row its slots
 *          and, if rows have edges, its edges */

/* A growing array of bytes. */
typedef struct gemp_row_bytes {
	uint8_t *data;
	size_t size, capacity;
} gemp_row_bytes;

typedef struct gemp_row {
	size_t size;
	const gemp_vertex *neighbours; /* [size] slots, ascending */
	const gemp_edge *edges;        /* [size]; may be NULL */
} gemp_row;

/* Appends the rows. The rows of a call get blocks of their own. */
gemp_code gemp_row_blocks_put(gemp_row_bytes *out, const gemp_row *rows, size_t count);

/* The rows of one block of a list. */
typedef struct gemp_row_block {
	const uint8_t *from, *end; /* the bytes of the block behind its sizes */
	size_t first, count;       /* the rows of the list that the block has */
} gemp_row_block;

/* Reads the sizes of `count` rows and lists the blocks in blocks[count]. Returns the number of blocks, or 0 if the
 * bytes are not valid. */
size_t gemp_row_blocks_read(const uint8_t *from, const uint8_t *end, size_t count, uint64_t *sizes,
                            gemp_row_block *blocks);

/* The memory into which a row is decoded. */
typedef struct gemp_row_target {
	gemp_vertex *neighbours;
	gemp_edge *edges; /* NULL if rows have no edges */
} gemp_row_target;

/* Decodes all rows of the blocks. Returns false if the bytes are not valid. */
bool gemp_row_blocks_get(const gemp_row_block *blocks, size_t block_count, const uint64_t *sizes,
                         const gemp_row_target *places);

#endif
