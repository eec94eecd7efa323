/* layout_build: makes layouts of a graph's edges (layout.h), in the steps of layout_state.h.
 */

#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_BUILD_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_BUILD_H

#include "analytics/layout/layout.h"

/* Collective. Loads what it needs of the graph, which outlives the layout. Weights that are missing, NULL, no numbers,
 * not finite, out of the range of what is wanted, or negative where they may not be, are GEMP_EDATA, and the message names the edge by its
 * keys. */
gemp_code gemp_layout_new(gemp_layout *out, const gemp_comm *comm, gemp_shard *graph,
                          const gemp_layout_options *options);
void gemp_layout_free(gemp_layout *layout);

/* As square as ranks allow, and not wider than high: values travel while there is work, sums do not. A prime number of
 * ranks is one column, which is the cut by target. */
gemp_layout_grid gemp_layout_grid_of(int ranks);

#endif
