/* match: finds every occurrence of a pattern in a distributed graph. Results go to a sink, not to a file.
 *
 *     gemp_match_prepare -> gemp_match_explain (if wanted) -> gemp_match_run -> gemp_match_free
 *
 * A pattern with given vertices (pattern->given) does not start from pivots but from seeds: gemp_match_run_seeded.
 */

#ifndef GEMP_MATCH_MATCH_H
#define GEMP_MATCH_MATCH_H

#include "core/memory.h"
#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"

/* Collective. Loads the parts of the graph that the pattern reads, evaluates conditions, plans, and builds views and
 * kernels. The pattern must be bound. graph and pattern are borrowed. */
gemp_code gemp_match_prepare(gemp_match **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                             const gemp_match_options *options);
/* Collective. The same, but *out is NULL if the search is expected to be too large for the threads of the host. No
 * device is opened. */
gemp_code gemp_match_prepare_small(gemp_match **out, gemp_runtime *context, gemp_shard *graph,
                                   const gemp_pattern *pattern, const gemp_match_options *options);
/* Returns the plan as a tree of operators (--explain). After runs with options.profile each operator has the number of
 * partial matches that passed it. The caller frees the text (gemp_free). Returns NULL if memory is short. */
char *gemp_match_explain(const gemp_match *match);

/* The stabiliser chain that makes rows canonical, over vertices and then edges if rows have edges. NULL with --distinct
 * none. */
const gemp_stab_chain *gemp_match_chain(const gemp_match *match);
/* The number of rows that the plan expects. */
double gemp_match_estimate(const gemp_match *match);
void gemp_match_free(gemp_match *match);
GEMP_RELEASE(gemp_match_free, gemp_match *)

#endif
