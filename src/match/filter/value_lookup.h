/* value_lookup: conditions that an index of values in the graph file answers. An attribute of a vertex equals a
 * literal, is IN a list of literals, is less or greater than a literal, or STARTS WITH a string. */

#ifndef GEMP_MATCH_FILTER_VALUE_LOOKUP_H
#define GEMP_MATCH_FILTER_VALUE_LOOKUP_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "graph/point_reader.h"
#include "pattern/model/pattern.h"

enum { GEMP_NO_LOOKUP = -1 };

/* The attribute that such a condition compares, or GEMP_NO_LOOKUP. */
int gemp_value_lookup_attribute(const gemp_shard *graph, const gemp_expr *expr);
/* The number of the graph's index that answers the condition, or GEMP_NO_LOOKUP. */
int gemp_value_lookup_index(const gemp_shard *graph, const gemp_expr *expr);

/* Entries [begin, end) of an index. */
typedef struct gemp_value_span {
	uint64_t begin, end;
} gemp_value_span;

/* The number of spans of a condition that an index answers: one for each element of a list, otherwise one. */
size_t gemp_value_lookup_span_count(const gemp_expr *expr);
/* Local. Finds the entries of the index for which the condition is true. Spans may be equal or empty, but do not
 * overlap otherwise. points: the graph's reader, which has begun. */
gemp_code gemp_value_lookup_spans(const gemp_point_reader *points, int index, const gemp_expr *expr,
                                  gemp_value_span *spans);
/* Collective. Finds the vertices of all ranks for which the condition is true, by this index, in any order and perhaps
 * repeated. The caller frees *ids, also after a failure. */
gemp_code gemp_value_lookup_find(gemp_shard *graph, const gemp_comm *comm, int index, const gemp_expr *expr,
                                 gemp_vertex **ids, size_t *count);

#endif
