/* absent_values: warns of an attribute that no vertex with the labels of its pattern has, which is mostly a mistake.
 *
 * The column is read up to the first vertex that has a value and fits, so a query without this mistake pays for a few
 * rows. Columns that the query did not load are not looked at. */

#ifndef GEMP_CYPHER_SEARCH_ABSENT_VALUES_H
#define GEMP_CYPHER_SEARCH_ABSENT_VALUES_H

#include "comm/comm.h"
#include "cypher/syntax/tree.h"
#include "graph/graph.h"

/* Collective. For a query that has found nothing. */
gemp_code gemp_cypher_warn_of_absent_values(const gemp_cypher_tree *tree, const gemp_shard *graph,
                                            const gemp_comm *comm);

#endif
