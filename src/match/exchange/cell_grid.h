/* cell_grid: the number of row entries that the tasks of a cell read. All slots are divided into blocks. A cell has a
 * range of blocks for each pattern vertex, and contains the matches whose vertices lie within these ranges. Host only.
 *
 * A match needs, of the row of an image, only the entries that lead to images of other vertices. So a cell reads a
 * rectangle for each pair of pattern vertices (from, to) such that images of `to` are searched for in rows of images of
 * `from`: its rows are the range of `from`, and its columns the range of `to`. Entries are counted by tiles (block of
 * rows, block of columns) as two-dimensional prefix sums, so the size of a rectangle takes four lookups. Halving cells
 * until they fit enumerates patterns with few transfers from remote memory (Pagh and Silvestri 2014; the "shares" of
 * Afrati and Ullman 2010). Counting the tiles is collective. Each rank then chooses its cells locally. A place is a
 * node of the closure (closure.h). */

#ifndef GEMP_MATCH_EXCHANGE_CELL_GRID_H
#define GEMP_MATCH_EXCHANGE_CELL_GRID_H

#include "match/exchange/working_set.h"

/* The images of v lie in the blocks [low[v], high[v]). */
typedef struct gemp_grid_cell {
	uint8_t low[GEMP_MAX_PATTERN_VERTICES], high[GEMP_MAX_PATTERN_VERTICES];
} gemp_grid_cell;

/* [i][j]: number of entries in rows of blocks < i and columns of blocks < j */
typedef uint64_t gemp_tile_sums[GEMP_BLOCKS + 1][GEMP_BLOCKS + 1];

/* A class of rows of one view: the rows of all images of `places`, a set of bits. The empty set stands for all rows of
 * the view. */
typedef struct gemp_grid_class {
	size_t view;
	uint64_t places;
	gemp_tile_sums *sums;
} gemp_grid_class;

/* The search looks for images of `to` in rows of images of `from`. */
typedef struct gemp_grid_read {
	int from, to;
	size_t class;
	bool certain; /* every match has such an entry */
} gemp_grid_read;

typedef struct gemp_grid {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	const gemp_plan *plan;
	gemp_tiles tiles; /* its columns belong to the cell of the last gemp_grid_entries */
	size_t words;
	uint32_t *images[GEMP_MAX_CLOSURE_NODES]; /* by place: [words] bitmap by slot of its images for all tasks */
	size_t class_count;
	gemp_grid_class *classes; /* [class_count] the first view_count classes are whole views */
	size_t read_count;
	gemp_grid_read *reads;
	uint64_t(
		/* [class_count] by block of rows: the columns that the cell of the last gemp_grid_entries reads of the class */
		*rows)[GEMP_BLOCKS];
} gemp_grid;

/* Collective. Counts the entries that the tasks of this rank can read. All arguments are borrowed. candidates has, for
 * each pattern vertex, a bitmap by slot or NULL. */
gemp_code gemp_grid_new(gemp_grid **out, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                        uint32_t *const *candidates, const gemp_root_tasks *tasks);
void gemp_grid_free(gemp_grid *grid);
GEMP_RELEASE(gemp_grid_free, gemp_grid *)

/* Sets *cell to the cell that contains all matches. */
void gemp_grid_whole(const gemp_grid *grid, gemp_grid_cell *cell);
/* True if the counts or the order restrictions show that the cell has no match. A cell without matches may return
 * false. */
bool gemp_grid_empty(const gemp_grid *grid, const gemp_grid_cell *cell);
/* Returns an upper bound of the entries that the cell reads. grid->tiles and grid->rows then describe this cell. */
uint64_t gemp_grid_entries(gemp_grid *grid, const gemp_grid_cell *cell);
/* Writes the rows that the cell of the last gemp_grid_entries reads, as bits by slot for each view. */
void gemp_grid_rows(const gemp_grid *grid, uint32_t *const *need);
/* Divides the range of the vertex that has the most entries, and so the cell, in two. Returns false if no range has two
 * blocks left. */
bool gemp_grid_bisect(const gemp_grid *grid, gemp_grid_cell *cell, gemp_grid_cell *other);
/* The number of cells with at most `entries` entries into which the cell is divided. Empty cells do not count. A cell
 * that cannot be divided counts as one, even if it has more entries. Counting stops at `limit` cells. */
uint64_t gemp_grid_cells(gemp_grid *grid, gemp_grid_cell cell, uint64_t entries, uint64_t limit);

#endif
