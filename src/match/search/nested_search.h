/* nested_search: runs a plan as nested loops (match/codegen/nested_shape.h) instead of a state machine. This is for
 * GPUs, if all rows are resident and matches are only counted. A launch takes tasks until none is left, or for about as
 * long as a launch should last.
 *
 * GEMP_SHAPE in the environment, for tests: "nested" uses nested loops on CPU devices, too; "untrimmed" does the same
 * without copies of rows; "states" leaves every plan to the state machine.
 */

#ifndef GEMP_MATCH_SEARCH_NESTED_SEARCH_H
#define GEMP_MATCH_SEARCH_NESTED_SEARCH_H

#include "match/codegen/nested_kernel.h"
#include "match/search/induced_rows.h"

struct gemp_nested_search {
	gemp_induced_rows *induced; /* NULL: rows are read as they are */
	const gemp_plan *plan;      /* the search's plan, or the one that reads induced rows */
	gemp_nested shape;
	gemp_nested_options options;
	size_t workers, group;        /* number of workers; work-items of a group */
	uint32_t entries, chunk;      /* entries of the first step's rows; entries of a task */
	uint32_t tasks, columns;      /* tasks of all ranks, row by row in a table of `columns` columns */
	gemp_task_range columns_here; /* the columns of the chunk that is being searched */
	uint32_t next, end;           /* numbers within these columns: the next task, and the end */
	uint32_t limit;               /* slots from there on cannot be the last vertex */
	uint32_t words;               /* of a worker's bitmap */
	uint32_t list_capacity;       /* vertices of a list */
	uint32_t queue;               /* places for waiting workers; 0: work is not shared */
	gemp_buffer lists, marks, parts, control;
	uint64_t donated; /* about how many parts one worker has given another */
};

/* Collective. *out is NULL on all ranks where the plan is left to the state machine. Only the lengths of the rows in
 * the views are read. */
gemp_code gemp_nested_new(gemp_nested_search **out, const gemp_search *search, const gemp_residency *residency,
                          const gemp_view *views, const gemp_candidates *candidates);
/* Divides the rows of the next launches into tasks. */
void gemp_nested_rows(gemp_nested_search *nested, const gemp_search *search, const gemp_view *views);
void gemp_nested_free(gemp_nested_search *nested, gemp_device *device);
/* Local. Selects the tasks of these columns for the next launches. */
void gemp_nested_feed(gemp_nested_search *nested, gemp_task_range piece);
/* Begins with the first task again, or, where the search has a balancer, with the next chunk that it gives. */
void gemp_nested_restart(gemp_nested_search *nested, const gemp_search *search);
/* Local. The counterparts of gemp_search_begin and gemp_search_end. */
gemp_code gemp_nested_begin(gemp_search *search, bool *ran);
gemp_code gemp_nested_end(gemp_search *search);

#endif
