/* projection: stages that handle each frame at once instead of collecting rows: items, WHERE, SKIP and LIMIT.
 *
 * A stage of items fetches the attributes that its expressions read (rows/lookup.h), evaluates the expressions row by
 * row and pushes a frame of the results. A WHERE stage pushes the rows for which its condition is true. A limit without
 * ORDER BY may take any rows; an exclusive scan over the ranks determines which of a rank's rows lie within the limit.
 * Making stages and pushing are collective. */

#ifndef GEMP_QUERY_CLAUSE_PROJECTION_H
#define GEMP_QUERY_CLAUSE_PROJECTION_H

#include "pattern/model/pattern.h"
#include "query/rows/lookup.h"

/* The cell kind of an item's column. Vertices and edges stay elements. Every other item is a value of type
 * gemp_projection_type. */
gemp_cell_kind gemp_projection_cell(const gemp_expr *expr);
gemp_type gemp_projection_type(const gemp_shard *graph, const gemp_expr *expr);

typedef struct gemp_projection_item {
	const gemp_expr *expr; /* borrowed */
	const char *name;      /* borrowed */
} gemp_projection_item;

/* *out becomes a frame with the columns of the items, without rows. */
gemp_code gemp_projection_columns(gemp_frame *out, const gemp_shard *graph, const gemp_projection_item *items,
                                  size_t count);

/* Collective. Makes a stage that turns each row of the input into a row of items. `map` gives the column of the input
 * for each variable. `next` is borrowed. */
gemp_code gemp_projection_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph, const gemp_frame_map *map,
                              const gemp_projection_item *items, size_t count, gemp_row_stage *next);
/* Collective. Makes a stage that passes the rows for which the condition is true. */
gemp_code gemp_projection_where(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_frame_map *map, const gemp_expr *condition, gemp_row_stage *next);

/* Collective. Makes a stage that drops the first `skip` rows in rank order and passes the next `limit` rows. The stage
 * sets *some_left_out (borrowed) if it left out rows, or if it reached the limit before the last rows. */
gemp_code gemp_limit_new(gemp_row_stage *out, gemp_runtime *context, uint64_t skip, uint64_t limit, bool *some_left_out,
                         gemp_row_stage *next);
/* Collective. All ranks' rows are numbered in rank order. Sets [*first, *end) to this rank's rows that lie within skip
 * and limit. */
void gemp_limit_rows(const gemp_comm *comm, size_t rows, uint64_t skip, uint64_t limit, size_t *first, size_t *end);
/* Local. Returns the number of rows that are needed to skip `skip` rows and give `limit` rows. */
uint64_t gemp_limit_end(uint64_t skip, uint64_t limit);

#endif
