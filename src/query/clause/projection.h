/* projection: stages that evaluate expressions for the rows of a frame, and the last step of a query, which turns
 * vertices and edges into the user's keys.
 *
 * A stage fetches the attributes that its expressions read (rows/lookup.h), evaluates them row by row and pushes a
 * frame of the results; a WHERE stage pushes the rows for which its condition is true. Making and pushing are
 * collective.
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

/* The columns of items; NULL and aggregates have a type too. */
gemp_code gemp_projection_columns(gemp_frame *out, const gemp_shard *graph, const gemp_projection_item *items,
                                  size_t count);

/* Collective. Each row of the input, which map explains, becomes a row of items. next is borrowed. */
gemp_code gemp_projection_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph, const gemp_frame_map *map,
                              const gemp_projection_item *items, size_t count, gemp_row_stage *next);
/* Collective. Rows pass for which the condition is true. */
gemp_code gemp_projection_where(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_frame_map *map, const gemp_expr *condition, gemp_row_stage *next);

/* Collective. out[pattern->result.shown]: the first columns of the frame, of frame->rows rows; columns of values are taken
 * from it. The caller frees. Nothing to free after an error. */
gemp_code gemp_project(gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern, gemp_frame *frame,
                       gemp_projected *out);

/* The columns without rows, for their names and types. */
gemp_code gemp_project_header(const gemp_shard *graph, const gemp_pattern *pattern, gemp_projected *out);

#endif
