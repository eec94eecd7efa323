/* representative: of each match the embedding with the smallest tuple of user keys, so that rows do not depend on seed,
 * ranks or device. */

#ifndef GEMP_QUERY_SEARCH_REPRESENTATIVE_H
#define GEMP_QUERY_SEARCH_REPRESENTATIVE_H

#include "graph/graph.h"
#include "match/distinct/row_sinks.h"
#include "partition/runtime.h"
#include "pattern/symmetry/permutation_group.h"

/* Collective. Replaces each row, in place, by the smallest of its orbit under the chain's group: vertices by key along the
 * chain, then edges by (relation, source key, target key, parallel number). Edges that rows do not carry count as equal;
 * what optional parts found stays. */
gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows);

#endif
