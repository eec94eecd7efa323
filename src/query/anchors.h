/* anchors: the few vertices with which a query can begin: images of pattern vertices whose conditions an index of
 * values or the order of keys in the graph file answers. Local; the graph's point reader has begun. */

#ifndef GEMP_QUERY_ANCHORS_H
#define GEMP_QUERY_ANCHORS_H

#include "graph/graph.h"
#include "pattern/model/pattern.h"

/* Vertices of the graph, ascending and distinct. */
typedef struct gemp_vertex_set {
	bool known;       /* false: any vertex, and `ids` is NULL */
	gemp_vertex *ids; /* [count] owned */
	size_t count;
} gemp_vertex_set;

/* Sorts the vertices and removes duplicates. */
void gemp_vertex_set_sort(gemp_vertex_set *set);

/* Whether some condition of the pattern can be looked up. */
bool gemp_anchors_may_exist(const gemp_shard *graph, const gemp_pattern *pattern);

/* sets[pattern->vertex_count], which are {0}, become known where a condition has at most `max` vertices. The caller
 * frees them, also after a failure. Appends a line to *how for each condition that was looked up. */
gemp_code gemp_anchors_find(const gemp_shard *graph, const gemp_pattern *pattern, uint64_t max, gemp_vertex_set *sets,
                            gemp_text *how);

#endif
