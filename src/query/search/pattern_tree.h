/* pattern_tree: patterns that are trees, for the passes over edges of count/vertex_tables.h.
 *
 * The passes find homomorphisms, one vertex of the tree after the other. They find the matches of a pattern if each
 * condition is on one vertex, and if elements of a match that must differ cannot be equal: their candidates are
 * disjoint. */

#ifndef GEMP_QUERY_SEARCH_PATTERN_TREE_H
#define GEMP_QUERY_SEARCH_PATTERN_TREE_H

#include "count/vertex_tables.h"
#include "match/filter/candidates.h"
#include "partition/runtime.h"

/* Orders the vertices so that the root is the first one and parents come before their children: tree[vertex_count],
 * without candidates. at[v] becomes the place of vertex v. Returns false if the pattern is no tree. */
bool gemp_pattern_tree(const gemp_pattern *pattern, int root, gemp_tree_vertex *tree, int *at);
/* True if each condition is on one vertex and can be computed for every vertex. */
bool gemp_pattern_has_vertex_conditions(const gemp_pattern *pattern);
/* True if a quarter of the budget holds so many tables of all vertices. A table of each vertex of the pattern is made,
 * and gathered. */
bool gemp_pattern_tables_fit(const gemp_runtime *context, const gemp_shard *graph, size_t tables);
/* True if candidates alone make elements differ that must differ. */
bool gemp_pattern_differs_by_candidates(const gemp_pattern *pattern, const gemp_candidates *candidates,
                                        gemp_semantics semantics);

/* Local. The pattern vertices, as bits, whose edges imply their conditions, so that passes over these edges need no
 * candidates. The ends of the relations are known (partition/views/relation_ends.h). */
uint64_t gemp_pattern_implied_vertices(const gemp_pattern *pattern, const gemp_shard *graph);
/* Collective. Finds the vertices for which the conditions [0, count), each on one vertex, are true. The threads of the
 * host test them, as the passes over the edges are theirs, too. */
gemp_code gemp_pattern_candidates(gemp_candidates *out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, gemp_semantics semantics,
                                  const gemp_condition *const *conditions, size_t count);

#endif
