/* oversized_tasks: searches tasks that read more rows than a round has capacity for, cell by cell.
 *
 * A cell is a range of slots for each pattern vertex (cell_grid.h); its tasks are those whose roots lie in their
 * ranges. Cells are halved until the rows of a cell fit, of which only the entries from range to range are fetched.
 * Each match lies in exactly one cell. A split search, with a kernel of its own, searches the cells: all vertices
 * beyond the roots have bitmaps of candidates, which the ranges of a cell limit.
 */

#ifndef GEMP_MATCH_EXCHANGE_OVERSIZED_TASKS_H
#define GEMP_MATCH_EXCHANGE_OVERSIZED_TASKS_H

#include "match/exchange/cell_grid.h"
#include "match/search/search_state.h"

/* The main search, whose oversized tasks the split search takes over, and the data that both share; all is borrowed. */
typedef struct gemp_task_split_base {
	gemp_search *search;
	const gemp_search_options *options;
	const gemp_residency *residency;
	gemp_view *views; /* resident rows, whose lengths the split search reads when it is made */
	const gemp_candidates *candidates;
	uint32_t *const *bits; /* the candidates by slot */
	const gemp_fetch *fetch;
	const gemp_root_tasks *tasks;
	const size_t *large; /* [large_count] the oversized ones of the tasks, ascending */
	size_t large_count;
	uint64_t budget; /* bytes of a cell's rows */
} gemp_task_split_base;

typedef struct gemp_task_split {
	gemp_task_split_base base;
	gemp_plan *plan;            /* the main search's plan with more bitmaps; borrows its views */
	gemp_candidates candidates; /* borrows the bitmaps of the main search, and all_vertices */
	uint32_t *all_vertices;
	gemp_closure closure;
	gemp_grid *grid; /* grid->tiles: the entries that the present cell reads of its rows */
	gemp_search *search;
	gemp_vertex *slots;             /* [tasks.count * roots] */
	gemp_root_tasks tasks;          /* the oversized ones */
	gemp_vertex *seeds;             /* [tasks.count * roots] ids of the seeds of the present cell */
	uint32_t *need[GEMP_MAX_VIEWS]; /* [words] the rows of the present cell, as bits by slot */
	uint32_t *bits;                 /* [words] scratch for a bitmap that is written to the device */
	size_t count, capacity;
	gemp_grid_cell *pending; /* [count] cells that are still to be searched; the last one is next */
	bool active;             /* there is a present cell */
	gemp_grid_cell cell;
	gemp_grid_cell bitmap_cell; /* the ranges of the bitmaps on the device */
} gemp_task_split;

/* Collective. */
gemp_code gemp_task_split_new(gemp_task_split **out, const gemp_task_split_base *base);
void gemp_task_split_free(gemp_task_split *split);
GEMP_RELEASE(gemp_task_split_free, gemp_task_split *)

/* Local. Selects the next cell that may have matches, if there is one, and the rows that it reads. */
gemp_code gemp_task_split_next(gemp_task_split *split);

/* Local. Gives the search the tasks and bitmaps of the present cell, before it gets the cell's rows. */
gemp_code gemp_task_split_range(gemp_task_split *split, gemp_task_range *part);

/* Collective. Finds the tasks that are searched in cells, because each reads so much that all cells together read less
 * than rounds would: *aside becomes the number of them, from this rank's first task on. total: bytes of all rows;
 * budget: bytes of a round's rows. */
gemp_code gemp_oversized_tasks(size_t *aside, const gemp_plan *plan, const gemp_closure *closure,
                               const gemp_fetch *fetch, uint32_t *const *candidates, const gemp_root_tasks *tasks,
                               uint64_t total, uint64_t budget);

#endif
