/* check: answers on a graph, one vertex after the other, to compare others with. */
#ifndef BENCH_GAS_CHECK_H
#define BENCH_GAS_CHECK_H

#include "core/status.h"
#include "gas_parts/graph.h"

#define BENCH_FAR UINT32_MAX /* level, distance: not reached */

/* Each writes [vertices]. */
gemp_code true_levels(const graph *g, uint32_t source, uint32_t *level);
gemp_code true_distances(const graph *g, const uint8_t *weight, uint32_t source, uint32_t *distance);
gemp_code true_ranks(const graph *g, unsigned iterations, double damping, double *rank);
void true_product(const graph *g, const uint8_t *weight, const double *x, double *y);

/* [edges] graph_weight of each; the caller frees. */
gemp_code graph_weights(uint8_t **out, const graph *g);

/* GEMP_EINTERNAL names the first vertex that differs. A parent is a neighbour one level nearer; the source's is the
 * source. */
gemp_code check_parents(const graph *g, uint32_t source, const uint32_t *level, const uint32_t *parent);
gemp_code check_same(const char *what, const uint32_t *right, const uint32_t *given, uint32_t count);
/* The largest difference, over the largest right value, may be `most`. */
gemp_code check_near(const char *what, const double *right, const double *given, uint32_t count, double most);

#endif
