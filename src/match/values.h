/* values: attributes of the vertices that results refer to, fetched from their owners, each distinct vertex once a turn.
 *
 * Second phase of GEMP: after matching, on just the vertices in results. */
#ifndef GEMP_MATCH_VALUES_H
#define GEMP_MATCH_VALUES_H

#include "graph/graph.h"
#include "partition/context.h"

enum { GEMP_FETCH_KEY = -1, GEMP_FETCH_KEY_RANK = -2, GEMP_FETCH_LABEL_SET = -3 }; /* beside attribute columns 0, 1, ... */

/* Collective. `ids` (any order, repeated ids allowed) -> ids sorted and distinct in *found (caller frees), and for each of
 * column[0..columns) one gemp_column with *found_count rows in out[] (caller frees each): the values of those vertices,
 * asked of their owners once each. key ranks and label sets come as integers. `column` is alike on all ranks; what it
 * names is loaded if it was not and any rank asks for values. So *found_count * columns values travelled. Nothing to free
 * after an error. */
gemp_code gemp_fetch(gemp_context *context, gemp_graph *graph, const gemp_vertex *ids, size_t count, const int *column,
                     size_t columns, gemp_vertex **found, size_t *found_count, gemp_column *out);

/* Collective. The same; columns from graph->attributes.count on are made[0], made[1], ..., each of this rank's own vertices. */
gemp_code gemp_fetch_made(gemp_context *context, gemp_graph *graph, const gemp_column *made, const gemp_vertex *ids,
                          size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                          gemp_column *out);

/* Position of id in found, which must hold it. */
size_t gemp_fetch_index(const gemp_vertex *found, size_t count, gemp_vertex id);

/* Sorts ids ascending in place and drops repeated ones; *count becomes what is left. */
gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count);

#endif
