/* semi_join: removes candidates that are in no match, before partial matches or rows are sent.
 *
 * A candidate of pattern vertex v stays if, for each edge of the pattern at v, its row has a candidate of the edge's
 * other end. In relational terms the candidates are reduced by semi-joins (Bernstein and Chiu 1981). If k equal edges
 * lead from v to vertices with equal candidates, the row needs k entries.
 *
 * There are two operations. A test reads the rows of v's candidates until enough entries are found. A spread reads the
 * rows of the candidates of a neighbour w, sends the entries to their owners, which test them, and the entries that
 * pass become the candidates of v. A spread is made only if it reads at most a quarter as many entries as v has
 * candidates. The operation that reads the fewest entries comes first. No operation reads more than an eighth of the
 * entries of its relations, so a pattern without a selective vertex costs almost nothing. A path between two selective
 * ends is thus searched from both ends, and only what both ends reach remains. Trees that hang on the pattern and have
 * no condition are left out, since a spread into them would find what the search finds.
 *
 * Candidates are equal on all ranks, so a rank tests a vertex that another rank owns before it sends anything there. */

#ifndef GEMP_MATCH_FILTER_SEMI_JOIN_H
#define GEMP_MATCH_FILTER_SEMI_JOIN_H

#include "match/filter/candidates.h"

/* Collective. Removes candidates of the pattern's vertices; a vertex may get its first bitmap. Only rows that are
 * loaded are read. */
gemp_code gemp_candidates_semi_join(gemp_candidates *candidates, gemp_runtime *context, const gemp_shard *graph,
                                    const gemp_pattern *pattern, gemp_semantics semantics);

#endif
