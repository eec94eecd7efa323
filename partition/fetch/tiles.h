/* tiles: which entries of which rows are wanted, by blocks of slots. Host only.
 *
 * Slots lie in blocks, the same on all ranks. Of the rows of a block's slots those entries are wanted that name slots
 * of some blocks, the columns. A row without the others is one or more pieces of it, as its slots ascend.
 */

#ifndef GEMP_PARTITION_FETCH_TILES_H
#define GEMP_PARTITION_FETCH_TILES_H

#include "partition/fetch/row_code.h"

enum { GEMP_BLOCKS = 64, GEMP_MAX_TILE_PIECES = GEMP_BLOCKS / 2 };

typedef struct gemp_tiles {
	size_t blocks, view_count;
	gemp_vertex bounds[GEMP_BLOCKS + 1]; /* block b: slots border[b] .. border[b + 1] - 1 */
	uint64_t (*columns)[GEMP_BLOCKS];    /* [view_count] of each block's rows, as bits */
} gemp_tiles;

/* All slots in one block, no columns. */
gemp_code gemp_tiles_new(gemp_tiles *out, size_t view_count, uint64_t vertices);
void gemp_tiles_free(gemp_tiles *tiles);

size_t gemp_tiles_block(const gemp_tiles *tiles, gemp_vertex slot);

/* Pieces of each row with these columns. */
size_t gemp_columns_pieces(uint64_t columns);
/* The pieces of a row, some of which may be empty. */
size_t gemp_tiles_cut(const gemp_tiles *tiles, uint64_t columns, gemp_row row, gemp_row pieces[GEMP_MAX_TILE_PIECES]);

#endif
