/* nested_search: runs a plan as nested loops (match/codegen/nested_shape.h) instead of a state machine. Nested loops
 * are for GPUs; all rows must be resident and matches are only counted. In a launch, a worker takes tasks until no task
 * is left or the worker has searched ROWS_A_LAUNCH rows.
 *
 * The environment variable GEMP_SHAPE serves tests: "nested" uses nested loops on CPU devices, too; "untrimmed" does
 * the same without induced rows; "states" runs every plan by the state machine. */

#ifndef GEMP_MATCH_SEARCH_NESTED_SEARCH_H
#define GEMP_MATCH_SEARCH_NESTED_SEARCH_H

#include "match/codegen/nested_kernel.h"
#include "match/search/induced_rows.h"

struct gemp_nested_search {
	gemp_induced_rows *induced; /* NULL: no row is induced */
	const gemp_plan *plan;      /* the plan that reads induced rows, or the search's plan */
	gemp_nested shape;
	gemp_nested_options options;
	size_t workers, group;   /* number of workers; work-items of a work-group */
	uint32_t entries, chunk; /* entries of the view of the second step; entries of a task */
	/* number of all ranks' tasks, which stand row by row in a table of `columns` columns */
	uint32_t tasks, columns;
	gemp_task_range columns_here; /* the columns of the chunk that is being searched */
	uint32_t next, end;           /* numbers of tasks within these columns: the next task, and the end */
	uint32_t limit;               /* vertices from this slot on cannot be the last vertex */
	uint32_t words;               /* words of a worker's bitmap */
	uint32_t list_capacity;       /* maximum number of vertices in a list */
	uint32_t queue;               /* places for waiting workers; 0: workers do not give away parts */
	gemp_buffer lists, marks, parts, control;
	uint64_t donated; /* about how many parts workers have given to other workers */
};

/* Collective. *out is NULL on all ranks if the state machine runs the plan. Only the lengths of the views' rows are
 * read. */
gemp_code gemp_nested_new(gemp_nested_search **out, const gemp_search *search, const gemp_residency *residency,
                          const gemp_view *views, const gemp_candidates *candidates);
/* Divides the rows of the next launches into tasks. */
void gemp_nested_rows(gemp_nested_search *nested, const gemp_search *search, const gemp_view *views);
void gemp_nested_free(gemp_nested_search *nested, gemp_device *device);
/* Local. Selects the tasks of these columns for the next launches. */
void gemp_nested_feed(gemp_nested_search *nested, gemp_task_range piece);
/* Begins with the first task again. If the search has a balancer, begins with the next chunk of the balancer
 * instead. */
void gemp_nested_restart(gemp_nested_search *nested, const gemp_search *search);
/* Local. These functions do for nested loops what gemp_search_begin and gemp_search_end do for all searches. */
gemp_code gemp_nested_begin(gemp_search *search, bool *ran);
gemp_code gemp_nested_end(gemp_search *search);

#endif
