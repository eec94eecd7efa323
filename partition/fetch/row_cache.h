/* row_cache: rows of other ranks that this rank holds, by view and slot, whole or in pieces (tiles). Host only.
 *
 * Rows are added until the owner of the cache trims it. Then the rows of the least slots stay, which have the greatest degrees and
 * are named by most other rows.
 */

#ifndef GEMP_PARTITION_FETCH_ROW_CACHE_H
#define GEMP_PARTITION_FETCH_ROW_CACHE_H

#include "partition/fetch/row_code.h"

typedef struct gemp_cached_row {
	uint64_t key; /* 0: none here; else 1 + (slot, view) */
	size_t offset, size;
} gemp_cached_row;

typedef struct gemp_row_cache {
	bool edges;               /* rows come with numbers of edges */
	size_t count, table_size; /* table_size: a power of two, or 0 */
	gemp_cached_row *table;
	size_t entries;
	size_t neighbour_capacity, edge_capacity;
	gemp_vertex *neighbours;
	gemp_edge *edge;
} gemp_row_cache;

void gemp_row_cache_free(gemp_row_cache *cache);

bool gemp_row_cache_has(const gemp_row_cache *cache, size_t view, gemp_vertex slot);
/* A row that the cache has; until the next row is added. */
gemp_row gemp_row_cache_get(const gemp_row_cache *cache, size_t view, gemp_vertex slot);

/* Room for a row that the cache does not have: the caller fills near and, if there are, edge from *at on. */
gemp_code gemp_row_cache_add(gemp_row_cache *cache, size_t view, gemp_vertex slot, size_t size, size_t *at);

/* Rows of at most so many bytes stay. */
gemp_code gemp_row_cache_trim(gemp_row_cache *cache, uint64_t bytes);

/* Tiles say which entries of which rows are wanted, by blocks of slots, which are the same on all ranks. Of the rows of a block's
 * slots those entries are wanted that name slots of some blocks, the columns. Such a row consists of one or more pieces of the
 * whole row, as its slots ascend. */

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

/* Local. `held`, the tiles of what the cache has, become `tiles` (NULL: whole rows). Of the cached rows those stay of which the same
 * pieces are wanted as before. */
gemp_code gemp_row_cache_set_tiles(gemp_row_cache *cache, gemp_tiles *held, const gemp_tiles *tiles, size_t view_count,
                                   uint64_t vertices);

#endif
