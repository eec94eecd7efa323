#ifndef GEMP_COUNT_WEDGES_H
#define GEMP_COUNT_WEDGES_H

#include "count/wedges_state.h"

/* Collective. Sum and graph, with its supports and tables, are to outlive it. */
gemp_code gemp_wedges_new(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum);
/* Seconds of the kernels that prepared it, and how many they were. */
double gemp_wedges_preparation(const gemp_wedges *wedges, uint64_t *launches);
/* Collective. This rank's share of the sum, without its factor; again and again. result->preparation is 0. */
gemp_code gemp_wedges_run(gemp_wedges *wedges, gemp_sum_result *result);
void gemp_wedges_free(gemp_wedges *wedges); /* takes NULL */

void gemp_wedges_shape_for(gemp_wedges_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum);

/* Collective. As gemp_wedges_new, in that shape. */
gemp_code gemp_wedges_new_shaped(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                 const gemp_wedges_shape *shape);

#endif
