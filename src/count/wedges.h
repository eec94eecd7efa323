/* wedges: sums over paths of two edges (WEDGES, PAIRS) and over pairs of them (JOINED, PATH_PAIRS), by wedge counting.
 *
 * A root r is a vertex. All paths r-x-w through vertices x of its row are walked once; a counter for each end w tells
 * how many of them end there, and the expression is added up over the ends or the paths. Each rank has every size-th
 * vertex as a root. CPU devices keep an array of counters for all vertices per worker (dense), GPUs keep them in local
 * memory (wedges_grouped.h).
 */

#ifndef GEMP_COUNT_WEDGES_H
#define GEMP_COUNT_WEDGES_H

#include "core/memory.h"
#include "count/wedges_grouped.h"

/* Collective. Sum and graph, with its supports and tables, must outlive *out. */
gemp_code gemp_wedges_new(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum);
/* Seconds of the kernels that prepared the sum, and their number. */
double gemp_wedges_preparation(const gemp_wedges *wedges, uint64_t *launches);
/* Collective. This rank's share of the sum, without its factor; may be called repeatedly. result->preparation is 0. */
gemp_code gemp_wedges_run(gemp_wedges *wedges, gemp_sum_result *result);
void gemp_wedges_free(gemp_wedges *wedges); /* takes NULL */
GEMP_RELEASE(gemp_wedges_free, gemp_wedges *)

void gemp_wedges_shape_for(gemp_wedges_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum);

/* Collective. As gemp_wedges_new, in that shape. */
gemp_code gemp_wedges_new_shaped(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                 const gemp_wedges_shape *shape);

#endif
