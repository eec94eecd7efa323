/* nested_search: running a plan as nested loops (match/codegen/nested_shape.h) where gemp_search would run it as a
 * state machine: all rows are resident, nothing is listed, and the device is a GPU. A launch takes tasks until none is
 * left, or for about as long as a launch should last.
 *
 * GEMP_SHAPE in the environment, for tests: "nested" takes CPU devices, too, "untrimmed" the same without copies of
 * rows, "states" leaves every plan to the state machine.
 */

#ifndef GEMP_MATCH_SEARCH_NESTED_SEARCH_H
#define GEMP_MATCH_SEARCH_NESTED_SEARCH_H

#include "match/codegen/nested_loops.h"
#include "match/search/induced_rows.h"

struct gemp_nested_search {
	gemp_induced_rows *induced; /* NULL: rows are read as they are */
	const gemp_plan *plan;      /* the search's, or the one that reads trimmed rows */
	gemp_nested shape;
	gemp_nested_options options;
	size_t workers, group;        /* work-items of a group */
	uint32_t entries, chunk;      /* of the first step's rows; of them in a task */
	uint32_t tasks, columns;      /* of all ranks, row by row in a table of so many columns */
	gemp_task_range columns_here; /* the columns of this rank, */
	uint32_t next, end;           /* the next of their tasks, of those before `end` */
	uint32_t limit, words, list_capacity, queue;
	gemp_buffer lists, marks, parts, control;
	uint64_t donated; /* parts that changed hands so far, about */
};

/* Collective. *out is NULL where the plan is left to the state machine, on all ranks alike. The views tell how long the rows
 * at hand are. */
gemp_code gemp_nested_new(gemp_nested_search **out, const gemp_search *search, const gemp_residency *residency,
                          const gemp_view *views, const gemp_candidates *candidates);
/* The rows of the next launches. */
void gemp_nested_rows(gemp_nested_search *nested, const gemp_search *search, const gemp_view *views);
void gemp_nested_free(gemp_nested_search *nested, gemp_device *device);
/* How its program is built. */
const char *gemp_nested_build_options(const gemp_search *search);
/* The text of its kernel, whose name is `nested`. */
gemp_code gemp_nested_text(const gemp_search *search, gemp_text *text);
/* Local. The tasks of these columns. */
void gemp_nested_feed(gemp_nested_search *nested, gemp_task_range piece);
/* Where the search has a balancer, tasks are handed out by it. */
void gemp_nested_restart(gemp_nested_search *nested, const gemp_search *search);
/* Local. As those of a search. */
gemp_code gemp_nested_begin(gemp_search *search, bool *ran);
gemp_code gemp_nested_end(gemp_search *search);

#endif
