/* candidate_filtering: the candidates that the conditions before the search leave, and, under --attributes auto, which
 * conditions these are.
 *
 * Labels and ids narrow the candidates first. Then each condition that reads attributes is tested where that is
 * estimated to cost less: before the search over a whole column, or after it on the vertices of the matches. The number
 * of matches is estimated from the candidates by labels and a sample of the host edges between them; rank 0 decides for
 * all ranks.
 */

#ifndef GEMP_MATCH_PLANNER_CANDIDATE_FILTERING_H
#define GEMP_MATCH_PLANNER_CANDIDATE_FILTERING_H

#include "match/filter/candidates.h"
#include "match/planner/condition_phases.h"

/* Collective. The parts of the pattern's relations are loaded. filter may be NULL where the pattern has no conditions; it
 * learns whether degrees count loops. In place of gemp_candidates_new; moves conditions from
 * phases->before to phases->after and says in phases->choices why. */
gemp_code gemp_filter_candidates(gemp_candidates *out, gemp_condition_phases *phases, gemp_runtime *context,
                                 gemp_filter *filter, gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_match_options *options);

#endif
