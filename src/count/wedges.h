/* wedges: sums over paths of two edges (WEDGES, PAIRS) and over pairs of such paths (JOINED, PATH_PAIRS), by wedge
 * counting.
 *
 * The paths r-x-w from a root r over its neighbours x are walked. A counter for each end w becomes the number of paths
 * that end there, and the expression is summed over the ends or over the paths. Each rank has every size-th vertex as a
 * root. A worker on a CPU device keeps counters for all vertices in an array (dense); GPUs keep counters in local
 * memory (wedges_grouped.h). */

#ifndef GEMP_COUNT_WEDGES_H
#define GEMP_COUNT_WEDGES_H

#include "core/memory.h"
#include "count/wedges_grouped.h"

/* Collective. Sum and graph, with its supports and tables, must outlive *out. */
gemp_code gemp_wedges_new(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum);
/* Returns the seconds of the kernels that prepared the sum; *launches becomes their number. */
double gemp_wedges_preparation(const gemp_wedges *wedges, uint64_t *launches);
/* Collective. Computes the sum over this rank's roots, without its factor. May be called repeatedly.
 * result->preparation is 0. */
gemp_code gemp_wedges_run(gemp_wedges *wedges, gemp_sum_result *result);
void gemp_wedges_free(gemp_wedges *wedges); /* NULL is allowed */
GEMP_RELEASE(gemp_wedges_free, gemp_wedges *)

void gemp_wedges_shape_for(gemp_wedges_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum);

/* Collective. gemp_wedges_new in the given shape. */
gemp_code gemp_wedges_new_shaped(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                 const gemp_wedges_shape *shape);

#endif
