/* representative: of each match the embedding with the smallest tuple of user keys, so that rows depend neither on
 * seeds, ranks nor devices.
 *
 * Elements of the round are fetched (rows/elements.h) and numbered in the order of ORDER BY; each row is made
 * canonical as a tuple of these numbers along the stabiliser chain.
 */

#ifndef GEMP_QUERY_SEARCH_REPRESENTATIVE_H
#define GEMP_QUERY_SEARCH_REPRESENTATIVE_H

#include "graph/graph.h"
#include "match/distinct/row_sinks.h"
#include "partition/runtime.h"
#include "pattern/symmetry/permutation_group.h"

/* Collective. Replaces each row, in place, by the smallest of its orbit under the chain's group: vertices by key along the
 * chain, then edges by (relation, source key, target key, parallel number). Edges that rows do not carry count as equal;
 * elements of OPTIONAL MATCH stay. */
gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows);

#endif
