/* inapplicable: matches that a rule does not apply to, whatever the other matches do.
 *
 * Two conditions of double-pushout rewriting (Ehrig, Pfender and Schneider 1973) are checked. Dangling-edge
 * condition: DELETE without DETACH must not leave an edge without an end. Identification condition: an element
 * that is deleted under one name must not be kept, or merged into another vertex, under another name.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_INAPPLICABLE_H
#define GEMP_TRANSFORM_CONFLICTS_INAPPLICABLE_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

/* Collective. decisions[frame->rows], undecided before, become GEMP_REJECTED for inapplicable matches. *inapplicable:
 * their number on all ranks. */
gemp_code gemp_reject_inapplicable(gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                   gemp_semantics semantics, const gemp_frame *frame, uint8_t *decisions,
                                   uint64_t *inapplicable);

#endif
