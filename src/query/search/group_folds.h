/* group_folds: the groups of a query, folded along the edges of a pattern that is a tree (search/fold_tables.h) instead
 * of enumerating its matches. It supports the clauses of clause/fold_request.h and the patterns of
 * search/pattern_tree.h, and is used if a search is expected to find many more matches than there are edges to read.
 *
 * If the clauses read one attribute of the vertex by which they group, the numbers of its images are added by the
 * values of the attribute, and the rows are those of all ranks. Otherwise a rank has a row for each own image. */

#ifndef GEMP_QUERY_SEARCH_GROUP_FOLDS_H
#define GEMP_QUERY_SEARCH_GROUP_FOLDS_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"
#include "query/clause/folded_groups.h"

typedef struct gemp_group_folds gemp_group_folds;

/* Collective. Folds the groups, unless the search is only explained. *out becomes NULL if the query or the options do
 * not suit, if a search is expected to be faster, or if a number exceeds 64 bits. */
gemp_code gemp_group_folds_new(gemp_group_folds **out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_pattern *pattern, const gemp_match_options *options);
void gemp_group_folds_free(gemp_group_folds *folds);
GEMP_RELEASE(gemp_group_folds_free, gemp_group_folds *)

const gemp_folded_groups *gemp_group_folds_rows(const gemp_group_folds *folds);
/* The number of matches, of all ranks. */
uint64_t gemp_group_folds_matches(const gemp_group_folds *folds);
void gemp_group_folds_explain(const gemp_group_folds *folds, gemp_text *out);

#endif
