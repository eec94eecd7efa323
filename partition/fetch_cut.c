#include "partition/fetch_cut.h"

#include "core/memory.h"

#include <string.h>

typedef struct cuts {
	const gemp_tiles *was, *now;
} cuts;

static bool same_cut(const void *context, size_t view, gemp_vertex slot)
{
	const cuts *c = context;
	size_t block = gemp_tiles_block(c->now, slot);
	return c->was->columns[view][block] == c->now->columns[view][block];
}

gemp_code gemp_fetch_cut(gemp_fetch *f, const gemp_tiles *tiles)
{
	gemp_code code = GEMP_OK;
	const cuts c = { &f->cut, tiles };
	if (tiles && f->cut.columns && !memcmp(f->cut.border, tiles->border, sizeof tiles->border)) {
		GEMP_TRY(gemp_row_cache_keep(&f->held, same_cut, &c));
	} else if (tiles || f->cut.columns) {
		gemp_row_cache_free(&f->held);
		gemp_tiles_free(&f->cut);
		if (tiles)
			GEMP_TRY(gemp_tiles_new(&f->cut, f->view_count, f->graph->vertices));
	}
	if (!tiles)
		return GEMP_OK;
	f->cut.blocks = tiles->blocks;
	memcpy(f->cut.border, tiles->border, sizeof tiles->border);
	memcpy(f->cut.columns, tiles->columns, f->view_count * sizeof *tiles->columns);
done:
	return code;
}

size_t gemp_fetch_pieces(const gemp_tiles *tiles, size_t view, gemp_vertex slot)
{
	return tiles->columns ? gemp_columns_pieces(tiles->columns[view][gemp_tiles_block(tiles, slot)]) : 1;
}
