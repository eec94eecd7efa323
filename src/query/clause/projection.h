/* projection: stages that take rows as they come: items, WHERE, SKIP and LIMIT; and the last step of a query, which
 * turns vertices and edges into the user's keys.
 *
 * A stage of items fetches the attributes that its expressions read (rows/lookup.h), evaluates the expressions row by
 * row and pushes a frame of the results; a WHERE stage pushes the rows for which its condition is true. A limit without
 * ORDER BY takes any rows: an exclusive scan over the ranks says which of a rank's rows lie within it. Making and
 * pushing are collective.
 */

#ifndef GEMP_QUERY_CLAUSE_PROJECTION_H
#define GEMP_QUERY_CLAUSE_PROJECTION_H

#include "io/rows/row_text.h"
#include "pattern/model/pattern.h"
#include "query/rows/lookup.h"

/* The cell kind of an item: vertices and edges stay elements, everything else is a value of the type below. */
gemp_cell_kind gemp_projection_cell(const gemp_expr *expr);
gemp_type gemp_projection_type(const gemp_shard *graph, const gemp_expr *expr);

typedef struct gemp_projection_item {
	const gemp_expr *expr; /* borrowed */
	const char *name;      /* borrowed */
} gemp_projection_item;

/* The columns of items, without rows. */
gemp_code gemp_projection_columns(gemp_frame *out, const gemp_shard *graph, const gemp_projection_item *items,
                                  size_t count);

/* Collective. Each row of the input, which map explains, becomes a row of items. next is borrowed. */
gemp_code gemp_projection_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph, const gemp_frame_map *map,
                              const gemp_projection_item *items, size_t count, gemp_row_stage *next);
/* Collective. Passes the rows for which the condition is true. */
gemp_code gemp_projection_where(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_frame_map *map, const gemp_expr *condition, gemp_row_stage *next);

/* Collective. Drops the first `skip` rows in rank order and passes the next `limit` rows. Sets *some_left_out
 * (borrowed) if there were other rows. */
gemp_code gemp_limit_new(gemp_row_stage *out, gemp_runtime *context, uint64_t skip, uint64_t limit, bool *some_left_out,
                         gemp_row_stage *next);
/* Collective. Of this rank's `rows` rows, in rank order, [*first, *end) lie within skip and limit. */
void gemp_limit_rows(const gemp_comm *comm, size_t rows, uint64_t skip, uint64_t limit, size_t *first, size_t *end);
/* Local. The rows that are needed to give `limit` rows behind the first `skip`. */
uint64_t gemp_limit_end(uint64_t skip, uint64_t limit);

/* Collective. out[pattern->result.shown] becomes the first columns of the frame, of frame->rows rows; columns of values
 * are moved out of it. The caller frees them, but not after a failure. */
gemp_code gemp_project(gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern, gemp_frame *frame,
                       gemp_projected *out);

/* The columns without rows, for their names and types. */
gemp_code gemp_project_header(const gemp_shard *graph, const gemp_pattern *pattern, gemp_projected *out);

#endif
