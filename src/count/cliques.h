/* cliques: counts cliques of four or more vertices by bitmaps of the low rows (kernels/count/count_clique.cl).
 *
 * A task is a vertex. Its low row, the d neighbours of smaller slot, becomes d rows of d bits; a clique is found by
 * intersecting rows. A GPU has a work-group per task, with the bits in local memory where they fit and in a slab of
 * global memory otherwise. A CPU device has a worker per compute unit with its own slab. Tasks are dealt to ranks in
 * turn, so each rank prepares and launches locally.
 */

#ifndef GEMP_COUNT_CLIQUES_H
#define GEMP_COUNT_CLIQUES_H

#include "count/engine.h"

/* Is some low row too long for its bitmap to fit into local memory? */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low);
/* Are the rows of bits so short that count_narrow_I is faster than count_sum_I? */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low);
/* Local. Task lists and memory for cliques. */
gemp_code gemp_count_cliques_prepare(gemp_count_engine *engine);

gemp_code gemp_count_cliques_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                                    gemp_timings *timings);

#endif
