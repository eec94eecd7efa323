/* value_lookup: conditions that an index of values in the graph file answers: an attribute of a vertex equals a literal
 * string or integer, or is IN a list of them. */

#ifndef GEMP_MATCH_FILTER_VALUE_LOOKUP_H
#define GEMP_MATCH_FILTER_VALUE_LOOKUP_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "pattern/model/pattern.h"

enum { GEMP_NO_LOOKUP = -1 };

/* The attribute that such a condition compares, or GEMP_NO_LOOKUP. */
int gemp_value_lookup_attribute(const gemp_shard *graph, const gemp_expr *expr);
/* The number of the graph's index that answers the condition, or GEMP_NO_LOOKUP, also if the index is so short that the
 * filter is faster. */
int gemp_value_lookup_index(const gemp_shard *graph, const gemp_expr *expr);
/* Collective. Finds the vertices of all ranks for which the condition is true, by this index. The caller frees *ids,
 * also after a failure. */
gemp_code gemp_value_lookup_find(gemp_shard *graph, const gemp_comm *comm, int index, const gemp_expr *expr,
                                 gemp_vertex **ids, size_t *count);

#endif
