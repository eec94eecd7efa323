/* match_keys: tuples of numbers that identify the matches of a rule independently of ids, ranks and the number of
 * ranks.
 *
 * Priorities are hashes of tuples and the order of matches is the order of tuples, so a transformation selects the
 * same matches and numbers new vertices alike on every number of ranks.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_MATCH_KEYS_H
#define GEMP_TRANSFORM_CONFLICTS_MATCH_KEYS_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"
#include "transform/conflicts/match_order.h"

/* Collective. Of each row of the frame, in this order:
 *   its vertices: ranks of their keys; graph->vertices where one is missing;
 *   its edges, but those that the vertices tell: rank of the source's key and number among the parallel edges; where
 *   neither the vertices nor the pattern say which it is, then relation and rank of the target's key;
 *   where rows stand for many matches, their values: two numbers each, integers in their order.
 * Rows that are alike in all their columns have equal tuples. The caller frees out->tuples. */
gemp_code gemp_match_keys_make(gemp_match_keys *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                               const gemp_frame *frame);

#endif
