#include "partition/fetch/tiles.h"

#include "core/memory.h"
#include "core/search.h"

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

size_t gemp_columns_pieces(uint64_t columns)
{
	return (size_t)__builtin_popcountll(columns & ~(columns << 1));
}

/* First position from `at` on whose slot is not below `slot`. Rows are short, and nobody can foretell where: no
 * branches. */
static size_t lower(const gemp_row *row, size_t at, gemp_vertex slot)
{
	size_t left = row->size - at;
	while (left > 1) {
		size_t half = left / 2;
		at += row->neighbours[at + half - 1] < slot ? half : 0;
		left -= half;
	}
	return at + (left && row->neighbours[at] < slot);
}

size_t gemp_tiles_cut(const gemp_tiles *tiles, uint64_t columns, gemp_row row, gemp_row pieces[GEMP_MAX_TILE_PIECES])
{
	size_t count = 0, at = 0;
	while (columns) {
		unsigned first = (unsigned)__builtin_ctzll(columns);
		uint64_t beyond = ~(columns >> first); /* 0: all blocks */
		unsigned end = beyond ? first + (unsigned)__builtin_ctzll(beyond) : GEMP_BLOCKS;
		size_t from = first ? lower(&row, at, tiles->bounds[first]) : 0;
		at = end < tiles->blocks ? lower(&row, from, tiles->bounds[end]) : row.size;
		pieces[count++] = (gemp_row){ at - from, row.neighbours + from, row.edges ? row.edges + from : NULL };
		columns = end < GEMP_BLOCKS ? columns >> end << end : 0;
	}
	return count;
}
