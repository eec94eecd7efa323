/* row_cache: the rows of other ranks that this rank has, by view and slot, whole or in pieces (tiles). The module runs
 * on the host only.
 *
 * Rows are added until the caller trims the cache. A trim keeps the rows of the smallest slots. The vertices of small
 * slots have the highest degrees, so they are neighbours in the most rows. */

#ifndef GEMP_PARTITION_FETCH_ROW_CACHE_H
#define GEMP_PARTITION_FETCH_ROW_CACHE_H

#include "partition/fetch/row_code.h"

typedef struct gemp_cached_row {
	uint64_t key; /* 0 if the entry is free; otherwise 1 + (slot, view) */
	size_t offset, size;
} gemp_cached_row;

typedef struct gemp_row_cache {
	bool edges;               /* whether rows have edge numbers */
	size_t count, table_size; /* table_size: a power of two, or 0 */
	gemp_cached_row *table;
	size_t entries;
	size_t neighbour_capacity, edge_capacity;
	gemp_vertex *neighbours;
	gemp_edge *edge;
} gemp_row_cache;

void gemp_row_cache_free(gemp_row_cache *cache);

bool gemp_row_cache_has(const gemp_row_cache *cache, size_t view, gemp_vertex slot);
/* Returns a row that the cache has. The row is valid until the next row is added. */
gemp_row gemp_row_cache_get(const gemp_row_cache *cache, size_t view, gemp_vertex slot);

/* Adds a row that the cache does not have. The caller writes the neighbours, and the edges if there are any, from
 * neighbours[*at] and edge[*at] on. */
gemp_code gemp_row_cache_add(gemp_row_cache *cache, size_t view, gemp_vertex slot, size_t size, size_t *at);

/* Removes rows until the remaining rows take at most `bytes` bytes. */
gemp_code gemp_row_cache_trim(gemp_row_cache *cache, uint64_t bytes);

/* Tiles select entries of rows. The slots are divided into blocks, the same on all ranks. For the rows of a block, the
 * columns are the blocks whose slots are wanted as entries. Slots ascend in a row, so the wanted entries of a row are
 * one or more runs, its pieces. */

enum { GEMP_BLOCKS = 64, GEMP_MAX_TILE_PIECES = GEMP_BLOCKS / 2 };

typedef struct gemp_tiles {
	size_t blocks, view_count;
	gemp_vertex bounds[GEMP_BLOCKS + 1]; /* block b has the slots bounds[b] .. bounds[b + 1] - 1 */
	uint64_t (*columns)[GEMP_BLOCKS];    /* [view_count] columns of each block's rows, as bits */
} gemp_tiles;

/* Makes tiles with all slots in one block and without columns. */
gemp_code gemp_tiles_new(gemp_tiles *out, size_t view_count, uint64_t vertices);
void gemp_tiles_free(gemp_tiles *tiles);

size_t gemp_tiles_block(const gemp_tiles *tiles, gemp_vertex slot);

/* Returns the number of pieces of a row with these columns. */
size_t gemp_columns_pieces(uint64_t columns);
/* Cuts a row into its pieces and returns their number. Some pieces may be empty. */
size_t gemp_tiles_cut(const gemp_tiles *tiles, uint64_t columns, gemp_row row, gemp_row pieces[GEMP_MAX_TILE_PIECES]);

/* Local. `held`, the tiles of the cached rows, becomes `tiles`. NULL means whole rows. Cached rows whose wanted pieces
 * change are removed. */
gemp_code gemp_row_cache_set_tiles(gemp_row_cache *cache, gemp_tiles *held, const gemp_tiles *tiles, size_t view_count,
                                   uint64_t vertices);

#endif
