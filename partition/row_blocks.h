/* row_blocks: many rows as bytes, coded and decoded by all cores.
 *
 *   block  number of bytes that follow, number of rows; sizes of the rows; for each row its slots, its edges if it has
 *          them
 *
 * with numbers as in row_code.h. Rows of a list go into blocks in order, some thousands of entries in each.
 */
#ifndef GEMP_PARTITION_ROW_BLOCKS_H
#define GEMP_PARTITION_ROW_BLOCKS_H

#include "partition/row_cache.h"

/* Bytes that grow. */
typedef struct gemp_coded {
	uint8_t *data;
	size_t size, capacity;
} gemp_coded;

/* Puts the rows, in blocks of their own, behind what there is. */
gemp_code gemp_row_blocks_put(gemp_coded *out, const gemp_row *rows, size_t count);

/* Where the rows of a block are, in a list that is read. */
typedef struct gemp_row_block {
	const uint8_t *from, *end; /* behind the sizes */
	size_t first, count;       /* of the list's rows */
} gemp_row_block;

/* The sizes of `count` rows, and the blocks that they are in, of which there are at most as many; their number is 0
 * where the bytes make no sense. */
size_t gemp_row_blocks_read(const uint8_t *from, const uint8_t *end, size_t count, uint64_t *sizes,
                            gemp_row_block *blocks);

/* Where a row goes. */
typedef struct gemp_row_place {
	gemp_vertex *near;
	gemp_edge *edges; /* NULL: it comes without */
} gemp_row_place;

/* All rows of these blocks; false where the bytes make no sense. */
bool gemp_row_blocks_get(const gemp_row_block *blocks, size_t block_count, const uint64_t *sizes,
                         const gemp_row_place *places);

#endif
