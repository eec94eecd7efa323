/* parents: the stage after a search that names each vertex's parent: of all sources that could be it the one with the smallest key,
 * whatever the number of ranks or devices.
 *
 * best[own] has candidates as names, numbers of known vertices in the order of their keys; id[known] gives ids by name.
 */

#ifndef GEMP_ANALYTICS_TRAVERSAL_PARENTS_H
#define GEMP_ANALYTICS_TRAVERSAL_PARENTS_H

#include "analytics/traversal/frontier.h"

/* Of kernels/analytics/gas_parents.clh and, behind them, gas_parents_equal.clh: in this order among those of the frontier. */
#define GEMP_PARENTS_KERNELS "parents_begin", "parents_rows", "parents_ids"
#define GEMP_PARENTS_ZERO_KERNELS "parents_steps", "parents_equal"

typedef struct gemp_parents {
	gemp_frontier *frontier; /* borrowed */
	int kernels;             /* where they begin */
	gemp_buffer best, hint;  /* [own], [known] once gemp_parents_min was called */
	gemp_buffer step;
	gemp_buffer name, id; /* [known] numbers in the order of keys; and by these, ids */
	gemp_halo *halo;      /* of steps, once they were needed on several ranks */
} gemp_parents;

/* Local. The frontier has GEMP_LAYOUT_IN. equal: gemp_parents_zero will be called. To be freed also after a
 * failure. */
gemp_code gemp_parents_new(gemp_parents *out, gemp_frontier *frontier, int kernels, bool equal);
void gemp_parents_free(gemp_parents *parents);

/* Into `best`; does not wait. values [known]: of the vertices, ghosts too. how: to settle_open and settle_sends of
 * the application; send: there are vertices that send. */
gemp_code gemp_parents_min(gemp_parents *parents, const gemp_buffer *values, uint64_t how, bool send);
/* Collective. Those that only edges which add nothing lead to, from local vertex source on (another rank's:
 * UINT32_MAX), into best [own]: parents->best, or values, if they have names. */
gemp_code gemp_parents_zero(gemp_parents *parents, const gemp_buffer *values, const gemp_buffer *best, cl_uint source);
/* parent [own]: becomes ids of the least parents found so. Does not wait. */
gemp_code gemp_parents_ids(gemp_parents *parents, const gemp_buffer *best, const gemp_buffer *parent);

#endif
