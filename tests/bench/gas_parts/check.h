/* check: computes answers on a graph with one thread, and compares the answers of other programs with them. */
#ifndef BENCH_GAS_CHECK_H
#define BENCH_GAS_CHECK_H

#include "core/status.h"
#include "gas_parts/graph.h"

#define BENCH_FAR UINT32_MAX /* level or distance of an unreached vertex */

/* Each function writes [vertices] values. */
gemp_code true_levels(const graph *g, uint32_t source, uint32_t *level);
gemp_code true_distances(const graph *g, const uint8_t *weight, uint32_t source, uint32_t *distance);
gemp_code true_ranks(const graph *g, unsigned iterations, double damping, double *rank);
void true_product(const graph *g, const uint8_t *weight, const double *x, double *y);

/* [edges] the graph_weight of each stored edge. The caller frees the array. */
gemp_code graph_weights(uint8_t **out, const graph *g);

/* The checks return GEMP_EINTERNAL with the first vertex that differs. A parent must be a neighbour one level nearer to
 * the source; the parent of the source is the source. */
gemp_code check_parents(const graph *g, uint32_t source, const uint32_t *level, const uint32_t *parent);
gemp_code check_same(const char *what, const uint32_t *right, const uint32_t *given, uint32_t count);
/* Allows a largest difference of `most` times the largest right value. */
gemp_code check_near(const char *what, const double *right, const double *given, uint32_t count, double most);

#endif
