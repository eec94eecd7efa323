/* oversized_tasks: tasks that read more rows than a round has capacity for, searched cell by cell.
 *
 * A cell is a range of slots for each pattern vertex (cell_grid.h); its tasks are those whose roots lie in their
 * ranges. Cells are halved until the rows of one fit, of which only the parts that lead from range to range are
 * fetched; each match lies in exactly one cell. A kernel of its own searches them, in which all vertices beyond the
 * roots have bitmaps of candidates.
 */

#ifndef GEMP_MATCH_EXCHANGE_OVERSIZED_TASKS_H
#define GEMP_MATCH_EXCHANGE_OVERSIZED_TASKS_H

#include "core/memory.h"
#include "match/exchange/working_set.h"
#include "match/filter/candidates.h"
#include "match/search/search_state.h"

typedef struct gemp_task_split gemp_task_split;

/* What a split search has in common with the one in whose place it works; all is borrowed. */
typedef struct gemp_task_split_base {
	gemp_search *search;
	const gemp_search_options *options;
	const gemp_residency *residency;
	gemp_view *views; /* rows at hand, to tell how long they are */
	const gemp_candidates *candidates;
	uint32_t *const *bits; /* the same by slot */
	const gemp_fetch *fetch;
	const gemp_root_tasks *tasks;
	const size_t *large; /* [large_count] which of them, ascending */
	size_t large_count;
	uint64_t budget; /* bytes */
} gemp_task_split_base;

/* Collective. */
gemp_code gemp_task_split_new(gemp_task_split **out, const gemp_task_split_base *base);
void gemp_task_split_free(gemp_task_split *split);
GEMP_RELEASE(gemp_task_split_free, gemp_task_split *)

gemp_search *gemp_task_split_search(gemp_task_split *split);

/* Cells left here. */
size_t gemp_task_split_left(const gemp_task_split *split);

/* Local. The next cell, if there is one that may have matches, and what it reads: none if no match is left. */
gemp_code gemp_task_split_next(gemp_task_split *split);
uint32_t *const *gemp_task_split_need(const gemp_task_split *split);   /* [views] rows, as bits by slot */
const gemp_tiles *gemp_task_split_tiles(const gemp_task_split *split); /* and which of their entries */

/* Local. The search's tasks and bitmaps become those of the cell, before its rows are given to it. */
gemp_code gemp_task_split_range(gemp_task_split *split, gemp_task_range *part);

/* Which tasks are not worth rounds, since each reads so much that many cells (match/exchange/oversized_tasks.h) together read less. */

/* Collective. So many of this rank's tasks, from the first on. total: bytes of all rows; budget: bytes of a round's. */
gemp_code gemp_oversized_tasks(size_t *aside, const gemp_plan *plan, const gemp_closure *closure,
                               const gemp_fetch *fetch, uint32_t *const *candidates, const gemp_root_tasks *tasks,
                               uint64_t total, uint64_t budget);

#endif
