/* subpattern_table: the numbers of extensions of an inner pattern that shares one vertex with the rows, for all
 * vertices of the graph at once.
 *
 * An inner pattern that is a tree, whose conditions are each on one vertex, has a table (count/vertex_tables.h): one
 * pass over the edges of each pattern edge, instead of a search from each distinct vertex of the rows. Where
 * vertices or edges of a match must differ, their candidates must be disjoint. A condition that compares such a
 * number is a condition on one vertex, so it narrows the candidates of the search that makes the rows. */

#ifndef GEMP_QUERY_SEARCH_SUBPATTERN_TABLE_H
#define GEMP_QUERY_SEARCH_SUBPATTERN_TABLE_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"

/* Collective. table[vertices] becomes the number of extensions by the id of the shared vertex, on all ranks. *table is
 * NULL if the inner pattern has none, or if a number exceeds 64 bits. options: of the inner pattern. */
gemp_code gemp_subpattern_table(uint64_t **table, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *inner,
                                const gemp_match_options *options);

/* Collective. True if the rows of the outer pattern seem to be so few that searches from their vertices take less time
 * than a table. */
gemp_code gemp_subpattern_rows_are_few(bool *few, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *outer,
                                       gemp_semantics semantics);

/* True for [NOT] EXISTS and for a comparison of COUNT with an integer. *value: the EXISTS or COUNT. */
bool gemp_subpattern_is_test(const gemp_expr *condition, const gemp_expr **value);
/* Local. Clears the bits of the vertices whose number in table[vertices] does not pass such a condition. */
void gemp_subpattern_test(const gemp_expr *condition, const uint64_t *table, uint64_t vertices, uint32_t *bits);

#endif
