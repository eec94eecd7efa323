/* inapplicable: rejects matches to which the rule cannot be applied, whatever the other matches do.
 *
 * It checks two conditions of double-pushout rewriting (Ehrig, Pfender and Schneider 1973). The dangling-edge condition
 * says that DELETE without DETACH must not leave an edge without its source or target. The identification condition
 * says that an element which is deleted under one name must not be kept, or merged into another vertex, under another
 * name. */

#ifndef GEMP_TRANSFORM_CONFLICTS_INAPPLICABLE_H
#define GEMP_TRANSFORM_CONFLICTS_INAPPLICABLE_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

/* Collective. All decisions[frame->rows] must be undecided; those of inapplicable matches become GEMP_REJECTED.
 * *inapplicable becomes the number of inapplicable matches on all ranks. */
gemp_code gemp_reject_inapplicable(gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                   gemp_semantics semantics, const gemp_frame *frame, uint8_t *decisions,
                                   uint64_t *inapplicable);

#endif
