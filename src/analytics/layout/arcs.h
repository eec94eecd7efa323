#ifndef GEMP_ANALYTICS_LAYOUT_ARCS_H
#define GEMP_ANALYTICS_LAYOUT_ARCS_H

#include "analytics/layout/layout_state.h"

/* Edges that a rank sends in one round while a layout is made, bytes of them; tests make it small. */
extern size_t gemp_layout_batch;

/* Collective. All arcs that lead to this rank's rows, by ranges. */
gemp_code gemp_layout_make_arcs(gemp_layout_state *m);
/* The same alone, once there is an order: in that of local vertices where they come from, so that nothing is left to
 * sort. */
gemp_code gemp_layout_make_arcs_alone(gemp_layout_state *m);

/* SPLITS: arcs to buckets, stable, by pieces on all threads. count[pieces * buckets] is of arcs in each bucket of
 * each piece; it becomes the place of the first of them where buckets follow one another, and begin[buckets + 1]
 * those of buckets, from `first` on. */
void gemp_layout_bucket_places(uint64_t *count, size_t pieces, size_t buckets, uint64_t first, uint64_t *begin);

/* As many ranges of rows as `count` arcs are worth, a power of 2, and their rows, a power of 2. */
void gemp_layout_choose_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift);

#endif
