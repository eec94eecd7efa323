/* vertex_sum: a sum over vertices whose powers pass what 64 bits hold (stars round a hub), or of stars with any number of
 * leaves, on the host, exactly. */
#ifndef GEMP_COUNT_VERTEX_SUM_H
#define GEMP_COUNT_VERTEX_SUM_H

#include "count/count_graph.h"

/* Can the sum's value pass 64 bits at some vertex of this graph? */
gemp_code gemp_vertex_sum_passes(const gemp_count_graph *graph, const gemp_sum *sum, bool *passes);

/* Local. This rank's share. GEMP_EDATA where even 128 bits are too few. */
gemp_code gemp_vertex_sum(const gemp_count_graph *graph, const gemp_sum *sum, __int128 *total);

#endif
