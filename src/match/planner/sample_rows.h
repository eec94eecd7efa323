/* sample_rows: rows of single vertices by id, of this and other ranks, which are fetched on request and cached in a
 * table. Sampling reads few rows and runs before the views are built.
 */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_ROWS_H
#define GEMP_MATCH_PLANNER_SAMPLE_ROWS_H

#include "core/memory.h"
#include "partition/runtime.h"
#include "pattern/plan/plan.h"

typedef struct gemp_sample_row {
	size_t size;
	const gemp_vertex *neighbours; /* [size] ids, ascending */
	const gemp_edge *edge;         /* [size] numbered through all relations; NULL unless the view has edges */
} gemp_sample_row;

typedef struct gemp_row_request {
	int view;
	gemp_vertex id;
} gemp_row_request;

typedef struct gemp_sample_rows gemp_sample_rows;

/* The parts of the relations that views read are loaded. context and graph are borrowed. */
gemp_code gemp_sample_rows_new(gemp_sample_rows **out, gemp_runtime *context, const gemp_shard *graph);
void gemp_sample_rows_free(gemp_sample_rows *rows);
GEMP_RELEASE(gemp_sample_rows_free, gemp_sample_rows *)

/* *number becomes a number for the view, the same for equal views of all plans. */
gemp_code gemp_sample_rows_view(gemp_sample_rows *rows, const gemp_plan_view *view, int *number);

/* Collective. Makes the requested rows available; rows of earlier calls may be dropped. */
gemp_code gemp_sample_rows_fetch(gemp_sample_rows *rows, const gemp_row_request *requests, size_t count);
/* Entries that were added to the cache since it was made. */
uint64_t gemp_sample_rows_fetched(const gemp_sample_rows *rows);
/* A row of the last request; the arrays are valid until the next one. */
gemp_sample_row gemp_sample_rows_get(const gemp_sample_rows *rows, int view, gemp_vertex id);

#endif
