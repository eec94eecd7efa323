/* cell_grid: the number of row entries that the tasks of a cell read. A cell is a range of blocks of slots for each
 * pattern vertex, and has the matches whose vertices lie within these ranges. Host only.
 *
 * Of the row of an image a match needs only the entries that lead to images of other vertices. A cell therefore reads a
 * rectangle for each pair of pattern vertices of which one is searched for in rows of the other: the rows of one range,
 * and the columns of the other. Entries are counted by tiles (block of rows, block of columns) as two-dimensional
 * prefix sums, so the size of a rectangle takes four lookups. Halving cells until they fit enumerates patterns with few
 * transfers from remote memory (Pagh and Silvestri 2014; the "shares" of Afrati and Ullman 2010). Counting the tiles is
 * collective; cells are then chosen locally.
 */

#ifndef GEMP_MATCH_EXCHANGE_CELL_GRID_H
#define GEMP_MATCH_EXCHANGE_CELL_GRID_H

#include "match/exchange/working_set.h"

/* Blocks low[v] .. high[v] - 1 for the images of v. */
typedef struct gemp_grid_cell {
	uint8_t low[GEMP_MAX_PATTERN_VERTICES], high[GEMP_MAX_PATTERN_VERTICES];
} gemp_grid_cell;

/* [i][j]: entries in rows of blocks < i and columns of blocks < j */
typedef uint64_t gemp_tile_sums[GEMP_BLOCKS + 1][GEMP_BLOCKS + 1];

/* Rows of one view of the images of some places (bits); places 0: all rows. */
typedef struct gemp_grid_class {
	size_t view;
	uint64_t places;
	gemp_tile_sums *sums;
} gemp_grid_class;

/* Images of `to` are searched for in rows of images of `from`. */
typedef struct gemp_grid_read {
	int from, to;
	size_t class;
	bool certain; /* each match has such an entry */
} gemp_grid_read;

typedef struct gemp_grid {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	const gemp_plan *plan;
	gemp_tiles tiles; /* its columns are those of the cell of the last gemp_grid_entries */
	size_t words;
	uint32_t *images[GEMP_MAX_CLOSURE_NODES]; /* [words] images of each place for all tasks, by slot */
	size_t class_count;
	gemp_grid_class *classes; /* [class_count] the first view_count ones are whole views */
	size_t read_count;
	gemp_grid_read *reads;
	uint64_t (
		*rows)[GEMP_BLOCKS]; /* [class_count] by block of rows, the columns that the same cell reads of each class */
} gemp_grid;

/* Collective. Counts the entries that the tasks of this rank can read. All arguments are borrowed. candidates: [pattern
 * vertices] bits by slot, or NULL. */
gemp_code gemp_grid_new(gemp_grid **out, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                        uint32_t *const *candidates, const gemp_root_tasks *tasks);
void gemp_grid_free(gemp_grid *grid);
GEMP_RELEASE(gemp_grid_free, gemp_grid *)

/* The cell of all matches. */
void gemp_grid_whole(const gemp_grid *grid, gemp_grid_cell *cell);
/* True if no match can lie in the cell. */
bool gemp_grid_empty(const gemp_grid *grid, const gemp_grid_cell *cell);
/* An upper bound of the entries that the cell reads; grid->tiles and grid->rows become those of the cell. */
uint64_t gemp_grid_entries(gemp_grid *grid, const gemp_grid_cell *cell);
/* The rows that the cell of the last gemp_grid_entries reads, as bits by slot for each view. */
void gemp_grid_rows(const gemp_grid *grid, uint32_t *const *need);
/* Divides the cell in two at the vertex where that saves most entries. Returns false if no vertex has two blocks
 * left. */
bool gemp_grid_bisect(const gemp_grid *grid, gemp_grid_cell *cell, gemp_grid_cell *other);
/* The number of cells of at most so many entries into which the cell is divided. Counting stops at `limit` cells. */
uint64_t gemp_grid_cells(gemp_grid *grid, gemp_grid_cell cell, uint64_t entries, uint64_t limit);

#endif
