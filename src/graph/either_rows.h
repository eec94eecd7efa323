/* either_rows: the rows of a relation in both directions, merged. Local.
 *
 * Row v of `either` has the targets of the edges from v and the sources of the edges to v, in ascending order. A loop
 * (v, v) is in it once, parallel edges are in it as often as they are. The rows have no edge numbers. */

#ifndef GEMP_GRAPH_EITHER_ROWS_H
#define GEMP_GRAPH_EITHER_ROWS_H

#include "graph/graph.h"

/* Makes the merged rows from the rows by source and by target, which are loaded and stay. Needs as much memory as the
 * merged rows themselves. */
gemp_code gemp_relation_merge_rows(const gemp_shard *graph, gemp_relation *relation);

#endif
