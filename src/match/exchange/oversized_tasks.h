/* oversized_tasks: searches the tasks that read more rows than fit into a round, cell by cell.
 *
 * A cell is a range of slots for each pattern vertex (cell_grid.h). The tasks of a cell are the tasks whose roots have
 * images in the cell's ranges. Cells are halved until the rows of a cell fit; only the entries that lead from one range
 * to another are fetched. Each match lies in exactly one cell. A split search, which has its own kernel, searches the
 * cells. In its plan every vertex after the roots has a bitmap of candidates or, in plan->ranges, a range of slots.
 * Both are limited to the present cell. */

#ifndef GEMP_MATCH_EXCHANGE_OVERSIZED_TASKS_H
#define GEMP_MATCH_EXCHANGE_OVERSIZED_TASKS_H

#include "match/exchange/cell_grid.h"
#include "match/search/search_state.h"

/* The main search, from which the split search takes the oversized tasks, and the data that both searches share. All
 * members are borrowed. */
typedef struct gemp_task_split_base {
	gemp_search *search;
	const gemp_search_options *options;
	const gemp_residency *residency;
	gemp_view *views; /* resident rows; the split search reads their lengths when it is made */
	const gemp_candidates *candidates;
	uint32_t *const *bits; /* by pattern vertex: bitmap of the candidates by slot, or NULL */
	const gemp_fetch *fetch;
	const gemp_root_tasks *tasks;
	const size_t *large; /* [large_count] the indices of the oversized tasks, ascending */
	size_t large_count;
	uint64_t budget; /* maximum bytes of a cell's rows */
} gemp_task_split_base;

typedef struct gemp_task_split {
	gemp_task_split_base base;
	/* the main search's plan with candidates for all vertices; it borrows the main plan's views */
	gemp_plan *plan;
	gemp_candidates candidates; /* borrows its bitmaps from the main search, and all_vertices */
	uint32_t *all_vertices;
	gemp_closure closure;
	gemp_grid *grid; /* grid->tiles describes the entries that the present cell reads of its rows */
	gemp_search *search;
	gemp_vertex *slots;             /* [tasks.count * roots] slots of the oversized tasks */
	gemp_root_tasks tasks;          /* the oversized tasks */
	gemp_vertex *seeds;             /* [tasks.count * roots] the seeds of the present cell, as ids */
	uint32_t *need[GEMP_MAX_VIEWS]; /* by view: [words] the rows of the present cell, as bits by slot */
	uint32_t *bits;                 /* [words] scratch for a bitmap that is written to the device */
	size_t count, capacity;
	gemp_grid_cell *pending; /* [count] a stack of cells that are still to be searched */
	bool active;             /* there is a present cell */
	gemp_grid_cell cell;
	gemp_grid_cell bitmap_cell; /* the ranges to which the candidates on the device are limited */
} gemp_task_split;

/* Collective. */
gemp_code gemp_task_split_new(gemp_task_split **out, const gemp_task_split_base *base);
void gemp_task_split_free(gemp_task_split *split);
GEMP_RELEASE(gemp_task_split_free, gemp_task_split *)

/* Local. Selects the next cell that may have matches as the present cell, and finds the rows that it reads. If no cell
 * is left, there is no present cell. Returns GEMP_ENOMEM if a cell that cannot be halved does not fit. */
gemp_code gemp_task_split_next(gemp_task_split *split);

/* Local. Gives the search the tasks and bitmaps of the present cell. The search gets the rows of the cell
 * afterwards. */
gemp_code gemp_task_split_range(gemp_task_split *split, gemp_task_range *part);

/* Collective. Chooses the tasks of this rank that are searched in cells, and sets *aside to their number. They are the
 * first tasks, which read the most rows. The rounds of all other tasks take at most as long as the cells of all tasks.
 * If every rank expects few rounds, *aside is 0. `total` is the bytes of all rows, and `budget` the bytes of a round's
 * rows. */
gemp_code gemp_oversized_tasks(size_t *aside, const gemp_plan *plan, const gemp_closure *closure,
                               const gemp_fetch *fetch, uint32_t *const *candidates, const gemp_root_tasks *tasks,
                               uint64_t total, uint64_t budget);

#endif
