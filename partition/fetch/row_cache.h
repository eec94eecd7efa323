/* row_cache: rows of other ranks that this rank holds, by view and slot, whole or in pieces (tiles). Host only.
 *
 * Rows are added until the caller trims the cache. Then the rows of the smallest slots stay: they have the greatest
 * degrees, so most rows lead to them.
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
/* A row that the cache has; valid until the next row is added. */
gemp_row gemp_row_cache_get(const gemp_row_cache *cache, size_t view, gemp_vertex slot);

/* Adds a row that the cache does not have. The caller fills neighbours and, if there are edges, edge from *at on. */
gemp_code gemp_row_cache_add(gemp_row_cache *cache, size_t view, gemp_vertex slot, size_t size, size_t *at);

/* Removes rows until the others take at most `bytes` bytes. */
gemp_code gemp_row_cache_trim(gemp_row_cache *cache, uint64_t bytes);

/* Tiles select entries of rows. The slots are divided into blocks, the same on all ranks. For the rows of a block the
 * columns are the blocks whose slots are wanted as entries. Since slots ascend in a row, the wanted entries are one or
 * more pieces of it. */

enum { GEMP_BLOCKS = 64, GEMP_MAX_TILE_PIECES = GEMP_BLOCKS / 2 };

typedef struct gemp_tiles {
	size_t blocks, view_count;
	gemp_vertex bounds[GEMP_BLOCKS + 1]; /* block b has the slots bounds[b] .. bounds[b + 1] - 1 */
	uint64_t (*columns)[GEMP_BLOCKS];    /* [view_count] of each block's rows, as bits */
} gemp_tiles;

/* All slots in one block, no columns. */
gemp_code gemp_tiles_new(gemp_tiles *out, size_t view_count, uint64_t vertices);
void gemp_tiles_free(gemp_tiles *tiles);

size_t gemp_tiles_block(const gemp_tiles *tiles, gemp_vertex slot);

/* The number of pieces of a row with these columns. */
size_t gemp_columns_pieces(uint64_t columns);
/* The pieces of a row, some of which may be empty. */
size_t gemp_tiles_cut(const gemp_tiles *tiles, uint64_t columns, gemp_row row, gemp_row pieces[GEMP_MAX_TILE_PIECES]);

/* Local. `held`, the tiles of the cached rows, becomes `tiles` (NULL: whole rows). Cached rows whose wanted pieces
 * change are removed. */
gemp_code gemp_row_cache_set_tiles(gemp_row_cache *cache, gemp_tiles *held, const gemp_tiles *tiles, size_t view_count,
                                   uint64_t vertices);

#endif
