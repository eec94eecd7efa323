/* sample_rows: rows of single vertices by id, of this and other ranks. Own rows of a view with one list are read where
 * they are. All others are fetched on request and cached in a table. Sampling needs this cache because it reads
 * few rows and runs before the views are built. */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_ROWS_H
#define GEMP_MATCH_PLANNER_SAMPLE_ROWS_H

#include "core/memory.h"
#include "partition/runtime.h"
#include "pattern/plan/plan.h"

typedef struct gemp_sample_row {
	size_t size;
	const gemp_vertex *neighbours; /* [size] ids, ascending */
	/* Entry i is edge first + edge[i], or first + i if edge is NULL. Numbers count the edges of all relations
	 * consecutively, and are arbitrary unless the view has edges. */
	const gemp_edge *edge; /* [size] */
	gemp_edge first;
} gemp_sample_row;

static inline gemp_edge gemp_sample_row_edge(const gemp_sample_row *row, size_t i)
{
	return row->first + (row->edge ? row->edge[i] : i);
}

typedef struct gemp_row_request {
	int view;
	gemp_vertex id;
} gemp_row_request;

typedef struct gemp_sample_rows gemp_sample_rows;

/* Local. The caller has loaded the parts of the relations that views read. copies: no row is read in place, so that
 * gemp_sample_rows_fetched counts the entries of all. context and graph are borrowed. */
gemp_code gemp_sample_rows_new(gemp_sample_rows **out, gemp_runtime *context, const gemp_shard *graph, bool copies);
void gemp_sample_rows_free(gemp_sample_rows *rows);
GEMP_RELEASE(gemp_sample_rows_free, gemp_sample_rows *)

/* Sets *number to the number of the view. Equal views of different plans have the same number. */
gemp_code gemp_sample_rows_view(gemp_sample_rows *rows, const gemp_plan_view *view, int *number);

/* Collective. Makes the requested rows available. Rows of earlier calls may be dropped. */
gemp_code gemp_sample_rows_fetch(gemp_sample_rows *rows, const gemp_row_request *requests, size_t count);
/* The number of entries that were ever added to the cache. */
uint64_t gemp_sample_rows_fetched(const gemp_sample_rows *rows);
/* A row of the last request. The arrays are valid until the next request. */
gemp_sample_row gemp_sample_rows_get(const gemp_sample_rows *rows, int view, gemp_vertex id);

#endif
