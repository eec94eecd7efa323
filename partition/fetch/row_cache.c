/* Rows lie one behind the other in two growing arrays: one of neighbours and one of edges. A hash table with linear
 * probing finds a row by (slot, view). Rows are not removed one by one. A trim or new tiles choose the rows that stay;
 * these rows are moved together, and the table is filled again. */

#include "partition/fetch/row_cache.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_TABLE = 256 };

void gemp_row_cache_free(gemp_row_cache *cache)
{
	gemp_free_all(cache->table, cache->neighbours, cache->edge);
	*cache = (gemp_row_cache){ .edges = cache->edges };
}

/* Keys ascend with slots. */
static uint64_t key_of(size_t view, gemp_vertex slot)
{
	return 1 + ((uint64_t)slot << 8 | view);
}

/* Linear probing. Returns the entry with the key, or the free entry in which the row would be stored. */
static gemp_cached_row *place(gemp_cached_row *table, size_t size, uint64_t key)
{
	size_t at = (size_t)gemp_mix(key) & (size - 1);
	while (table[at].key && table[at].key != key)
		at = (at + 1) & (size - 1);
	return &table[at];
}

/* Doubles the table. At least half of its entries are free afterwards. */
static gemp_code grow_table(gemp_row_cache *cache)
{
	gemp_cached_row *table;
	size_t size = cache->table_size ? 2 * cache->table_size : MIN_TABLE;
	if (2 * cache->count < cache->table_size)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(table, size));
	for (size_t i = 0; i < cache->table_size; i++)
		if (cache->table[i].key)
			*place(table, size, cache->table[i].key) = cache->table[i];
	gemp_free(cache->table);
	cache->table = table;
	cache->table_size = size;
	return GEMP_OK;
}

bool gemp_row_cache_has(const gemp_row_cache *cache, size_t view, gemp_vertex slot)
{
	return cache->table_size && place(cache->table, cache->table_size, key_of(view, slot))->key;
}

/* The row must be in the cache. For any other key the result is an empty row. */
gemp_row gemp_row_cache_get(const gemp_row_cache *cache, size_t view, gemp_vertex slot)
{
	const gemp_cached_row *row = place(cache->table, cache->table_size, key_of(view, slot));
	return (gemp_row){ row->size, cache->neighbours + row->offset, cache->edges ? cache->edge + row->offset : NULL };
}

/* All memory is reserved before the entry is made, so a failure does not change the cache. */
gemp_code gemp_row_cache_add(gemp_row_cache *cache, size_t view, gemp_vertex slot, size_t size, size_t *at)
{
	uint64_t key = key_of(view, slot);
	GEMP_TRY(GEMP_RESERVE(cache->neighbours, cache->neighbour_capacity, cache->entries + size + 1));
	if (cache->edges)
		GEMP_TRY(GEMP_RESERVE(cache->edge, cache->edge_capacity, cache->entries + size + 1));
	GEMP_TRY(grow_table(cache));
	*place(cache->table, cache->table_size, key) = (gemp_cached_row){ key, cache->entries, size };
	*at = cache->entries;
	cache->entries += size;
	cache->count++;
	return GEMP_OK;
}

/* Returns the bytes of an entry of a row. */
static uint64_t entry_bytes(const gemp_row_cache *cache)
{
	return sizeof *cache->neighbours + (cache->edges ? sizeof *cache->edge : 0);
}

/* Keys ascend with slots, and degrees descend with slots. */
static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const gemp_cached_row *)a)->key, y = ((const gemp_cached_row *)b)->key;
	return (x > y) - (x < y);
}

/* Orders rows by their places in memory. */
static int by_place(const void *a, const void *b)
{
	size_t x = ((const gemp_cached_row *)a)->offset, y = ((const gemp_cached_row *)b)->offset;
	return (x > y) - (x < y);
}

/* Moves the rows to the front of the arrays without changing their order in memory. */
static void close_gaps(gemp_row_cache *cache, gemp_cached_row *rows, size_t count)
{
	qsort(rows, count, sizeof *rows, by_place);
	cache->entries = 0;
	for (size_t i = 0; i < count; i++) {
		memmove(cache->neighbours + cache->entries, cache->neighbours + rows[i].offset,
		        rows[i].size * sizeof *cache->neighbours);
		if (cache->edges)
			memmove(cache->edge + cache->entries, cache->edge + rows[i].offset, rows[i].size * sizeof *cache->edge);
		rows[i].offset = cache->entries;
		cache->entries += rows[i].size;
	}
}

/* Lists all cached rows in any order. */
static gemp_code list_rows(const gemp_row_cache *cache, gemp_cached_row **rows)
{
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(*rows, cache->count));
	for (size_t i = 0; i < cache->table_size; i++)
		if (cache->table[i].key)
			(*rows)[count++] = cache->table[i];
	return GEMP_OK;
}

/* Keeps only rows[0..count). */
static void keep(gemp_row_cache *cache, gemp_cached_row *rows, size_t count)
{
	close_gaps(cache, rows, count);
	if (cache->table_size)
		memset(cache->table, 0, cache->table_size * sizeof *cache->table);
	for (size_t i = 0; i < count; i++)
		*place(cache->table, cache->table_size, rows[i].key) = rows[i];
	cache->count = count;
}

/* Rows are kept in the order of their slots, up to the first row that exceeds the limit. Small slots have high
 * degrees. */
gemp_code gemp_row_cache_trim(gemp_row_cache *cache, uint64_t bytes)
{
	GEMP_OWNED gemp_cached_row *rows = NULL;
	size_t kept = 0;
	uint64_t most = bytes / entry_bytes(cache), entries = 0;
	if (cache->entries <= most)
		return GEMP_OK;
	GEMP_TRY(list_rows(cache, &rows));
	qsort(rows, cache->count, sizeof *rows, by_key);
	while (kept < cache->count && entries + rows[kept].size <= most)
		entries += rows[kept++].size;
	keep(cache, rows, kept);
	return GEMP_OK;
}

gemp_code gemp_tiles_new(gemp_tiles *out, size_t view_count, uint64_t vertices)
{
	*out = (gemp_tiles){ .blocks = 1, .view_count = view_count, .bounds = { 0, (gemp_vertex)vertices } };
	return GEMP_NEW(out->columns, view_count + 1);
}

void gemp_tiles_free(gemp_tiles *tiles)
{
	gemp_free(tiles->columns);
	tiles->columns = NULL;
}

size_t gemp_tiles_block(const gemp_tiles *tiles, gemp_vertex slot)
{
	return gemp_range_find_u32(tiles->bounds, tiles->blocks, slot);
}

/* A piece is a run of set bits. The first bit of a piece has no set bit below it. */
size_t gemp_columns_pieces(uint64_t columns)
{
	return (size_t)__builtin_popcountll(columns & ~(columns << 1));
}

/* A cached row stays if the wanted columns of its block have not changed. */
static gemp_code keep_same_tiles(gemp_row_cache *cache, const gemp_tiles *was, const gemp_tiles *now)
{
	GEMP_OWNED gemp_cached_row *rows = NULL;
	size_t kept = 0;
	GEMP_TRY(list_rows(cache, &rows));
	for (size_t i = 0; i < cache->count; i++) {
		size_t view = (rows[i].key - 1) & 255, block = gemp_tiles_block(now, (gemp_vertex)((rows[i].key - 1) >> 8));
		if (was->columns[view][block] == now->columns[view][block])
			rows[kept++] = rows[i];
	}
	if (kept < cache->count)
		keep(cache, rows, kept);
	return GEMP_OK;
}

/* If the bounds of blocks change, the cached pieces have no meaning, and the cache is emptied. */
gemp_code gemp_row_cache_set_tiles(gemp_row_cache *cache, gemp_tiles *held, const gemp_tiles *tiles, size_t view_count,
                                   uint64_t vertices)
{
	if (tiles && held->columns && !memcmp(held->bounds, tiles->bounds, sizeof tiles->bounds)) {
		GEMP_TRY(keep_same_tiles(cache, held, tiles));
	} else if (tiles || held->columns) {
		gemp_row_cache_free(cache);
		gemp_tiles_free(held);
		if (tiles)
			GEMP_TRY(gemp_tiles_new(held, view_count, vertices));
	}
	if (!tiles)
		return GEMP_OK;
	held->blocks = tiles->blocks;
	memcpy(held->bounds, tiles->bounds, sizeof tiles->bounds);
	memcpy(held->columns, tiles->columns, view_count * sizeof *tiles->columns);
	return GEMP_OK;
}

/* Returns the first position from `at` on whose slot is at least `slot`. Rows are short, and the position cannot be
 * predicted, so the search has no branches. */
static size_t lower_bound(const gemp_row *row, size_t at, gemp_vertex slot)
{
	size_t left = row->size - at;
	while (left > 1) {
		size_t half = left / 2;
		at += row->neighbours[at + half - 1] < slot ? half : 0;
		left -= half;
	}
	return at + (left && row->neighbours[at] < slot);
}

/* Each run of columns is a piece. Binary searches find its ends, each from the end found before. */
size_t gemp_tiles_cut(const gemp_tiles *tiles, uint64_t columns, gemp_row row, gemp_row pieces[GEMP_MAX_TILE_PIECES])
{
	size_t count = 0, at = 0;
	while (columns) {
		unsigned first = (unsigned)__builtin_ctzll(columns);
		uint64_t beyond = ~(columns >> first); /* 0 if all higher blocks are in the run */
		unsigned end = beyond ? first + (unsigned)__builtin_ctzll(beyond) : GEMP_BLOCKS;
		size_t from = first ? lower_bound(&row, at, tiles->bounds[first]) : 0;
		at = end < tiles->blocks ? lower_bound(&row, from, tiles->bounds[end]) : row.size;
		pieces[count++] = (gemp_row){ at - from, row.neighbours + from, row.edges ? row.edges + from : NULL };
		columns = end < GEMP_BLOCKS ? columns >> end << end : 0;
	}
	return count;
}
