/* sample_rows: rows of single vertices by id, of this and other ranks, fetched as they are asked for and kept in a
 * table. For sampling, which reads few rows and cannot wait for views of all of them.
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

/* The relations' parts are loaded; all is borrowed. */
gemp_code gemp_sample_rows_new(gemp_sample_rows **out, gemp_runtime *context, const gemp_shard *graph);
void gemp_sample_rows_free(gemp_sample_rows *rows);
GEMP_RELEASE(gemp_sample_rows_free, gemp_sample_rows *)

/* A number for the view, the same for the same view of any plan. */
gemp_code gemp_sample_rows_view(gemp_sample_rows *rows, const gemp_plan_view *view, int *number);

/* Collective. Brings the rows asked for; those of earlier calls may be gone afterwards. */
gemp_code gemp_sample_rows_fetch(gemp_sample_rows *rows, const gemp_row_request *asks, size_t count);
/* Entries that were brought since the beginning. */
uint64_t gemp_sample_rows_fetched(const gemp_sample_rows *rows);
/* One of the rows last asked for. */
gemp_sample_row gemp_sample_rows_get(const gemp_sample_rows *rows, int view, gemp_vertex id);

#endif
