/* cell_grid: how many bytes of rows the tasks of a cell read. A cell is a range of blocks of slots for each pattern
 * vertex; its matches have their vertices within these ranges. Host only.
 *
 * Of the row of an image a match needs only the entries that lead to images of others, so that a cell reads a rectangle
 * for each pair of pattern vertices of which one is looked for in rows of the other: rows of one range, columns of the
 * other. Entries are counted by tiles (block of rows, block of columns) and summed up, so that the size of a rectangle
 * is four look-ups. Halving cells until they fit enumerates patterns with few transfers from memory that is out of
 * reach (Pagh and Silvestri 2014; the "shares" of Afrati and Ullman 2010). Counting the tiles is collective; cells are
 * then chosen locally.
 */

#ifndef GEMP_MATCH_EXCHANGE_CELL_GRID_H
#define GEMP_MATCH_EXCHANGE_CELL_GRID_H

#include "core/memory.h"
#include "match/exchange/working_set.h"

/* Blocks low[v] .. high[v] - 1 for the images of v. */
typedef struct gemp_grid_cell {
	uint8_t low[GEMP_MAX_PATTERN_VERTICES], high[GEMP_MAX_PATTERN_VERTICES];
} gemp_grid_cell;

typedef uint64_t gemp_tile_sums[GEMP_BLOCKS + 1]
							   [GEMP_BLOCKS + 1]; /* [i][j]: entries in rows of blocks < i, columns < j */

/* Rows of one view, of images in some places; places 0: all rows. */
typedef struct gemp_grid_class {
	size_t view;
	uint64_t places;
	gemp_tile_sums *sums;
} gemp_grid_class;

/* Images of `to` are looked for in rows of images of `from`. */
typedef struct gemp_grid_read {
	int from, to;
	size_t class;
	bool certain; /* each match has such an entry */
} gemp_grid_read;

typedef struct gemp_grid {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	const gemp_plan *plan;
	gemp_tiles tiles; /* columns: of the cell that was last asked for */
	size_t words;
	uint32_t *images[GEMP_MAX_CLOSURE_NODES]; /* [words] of all tasks, by slot */
	size_t class_count;                       /* the first ones are of whole views */
	gemp_grid_class *classes;
	size_t read_count;
	gemp_grid_read *reads;
	uint64_t (*rows)[GEMP_BLOCKS]; /* [class_count] columns of the cell, of this class alone */
} gemp_grid;

/* Collective. Rows that the tasks of this rank can read. All is borrowed. candidates: [pattern vertices] bits by slot, or NULL. */
gemp_code gemp_grid_new(gemp_grid **out, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                        uint32_t *const *candidates, const gemp_root_tasks *tasks);
void gemp_grid_free(gemp_grid *grid);
GEMP_RELEASE(gemp_grid_free, gemp_grid *)

/* All there is. */
void gemp_grid_whole(const gemp_grid *grid, gemp_grid_cell *cell);
/* Can no match lie in it? */
bool gemp_grid_empty(const gemp_grid *grid, const gemp_grid_cell *cell);
/* Entries of its rows at most; grid->tiles and grid->rows become its own. */
uint64_t gemp_grid_entries(gemp_grid *grid, const gemp_grid_cell *cell);
/* The rows that it reads, as bits by slot for each view: of the cell that was last asked for. */
void gemp_grid_rows(const gemp_grid *grid, uint32_t *const *need);
/* In two halves, where that saves most; false: no vertex has two blocks left. */
bool gemp_grid_bisect(const gemp_grid *grid, gemp_grid_cell *cell, gemp_grid_cell *other);
/* Into how many cells of at most so many entries is it cut? Not much beyond `most`. */
uint64_t gemp_grid_cells(gemp_grid *grid, gemp_grid_cell cell, uint64_t entries, uint64_t most);

#endif
