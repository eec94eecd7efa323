/* balance: spreads the matches that create vertices over the ranks.
 *
 * New vertices stay on the rank whose match creates them. A graph that grows from a few vertices would stay on the rank
 * that had them, and its later steps, too. Matches refer to vertices and edges of all ranks, so any rank can apply a
 * match. The graph in a file does not depend on the rank. */

#ifndef GEMP_TRANSFORM_APPLY_BALANCE_H
#define GEMP_TRANSFORM_APPLY_BALANCE_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

/* Collective. If a rank would get many more vertices than others, selected matches move, and the arrays have only the
 * selected matches afterwards. Few new vertices move nothing (gemp_limits.balance_min). applied: the number of selected
 * matches of all ranks. selected[frame->rows] and numbers[frame->rows] are those of gemp_selected, which owns them. */
gemp_code gemp_balance_matches(const gemp_comm *comm, const gemp_shard *graph, const gemp_rule *rule, uint64_t applied,
                               gemp_frame *frame, uint8_t **selected, uint64_t **numbers);

#endif
