/* evaluate: stages that make items of rows, and that leave out the rows for which a condition is not true. */
#ifndef GEMP_QUERY_EVALUATE_H
#define GEMP_QUERY_EVALUATE_H

#include "query/lookup.h"
#include "query/stage.h"

/* What an item is: a vertex and an edge stay what they are, all else is a value of this type. */
gemp_cell gemp_item_cell(const gemp_expr *expr);
gemp_type gemp_item_type(const gemp_graph *graph, const gemp_expr *expr);

typedef struct gemp_item {
	const gemp_expr *expr; /* borrowed */
	const char *name;      /* borrowed */
} gemp_item;

/* The columns of items; NULL and aggregates have a type too. */
gemp_code gemp_item_columns(gemp_frame *out, const gemp_graph *graph, const gemp_item *items, size_t count);

/* Collective. Each row of the input, which map explains, becomes a row of items. next is borrowed. */
gemp_code gemp_items_new(gemp_stage *out, gemp_context *context, gemp_graph *graph, const gemp_frame_map *map,
                         const gemp_item *items, size_t count, gemp_stage *next);
/* Collective. Rows pass for which the condition is true. */
gemp_code gemp_where_new(gemp_stage *out, gemp_context *context, gemp_graph *graph, const gemp_frame_map *map,
                         const gemp_expr *condition, gemp_stage *next);

#endif
