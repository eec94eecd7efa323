/* parents: the stage after a search that names each vertex's parent. Of all sources that could be the parent it takes
 * the one with the smallest key, so the result does not depend on the number of ranks or devices.
 *
 * A vertex's name is its number among the known vertices in the order of their keys, so the smallest name is the
 * smallest key. best[own] has the best candidate so far, by name; id[known] gives ids by name.
 */

#ifndef GEMP_ANALYTICS_TRAVERSAL_PARENTS_H
#define GEMP_ANALYTICS_TRAVERSAL_PARENTS_H

#include "analytics/traversal/frontier.h"

/* The kernels of kernels/analytics/gas_parents.clh and gas_parents_equal.clh, which follow one another among the
 * frontier's. */
#define GEMP_PARENTS_KERNELS "parents_begin", "parents_rows", "parents_ids"
#define GEMP_PARENTS_ZERO_KERNELS "parents_steps", "parents_equal"

typedef struct gemp_parents {
	gemp_frontier *frontier; /* borrowed */
	int kernels;             /* the index of the first one */
	gemp_buffer best, hint;  /* [own], [known] bytes; made by gemp_parents_min */
	gemp_buffer step;        /* [known] edges of weight 0 behind a vertex with a nearer parent */
	gemp_buffer name, id;    /* [known] names; ids by name */
	gemp_halo *halo;         /* of step[], on several ranks; made when it is needed */
} gemp_parents;

/* Local. The frontier has GEMP_LAYOUT_IN. equal: gemp_parents_zero will be called. Free it also after a failure. */
gemp_code gemp_parents_new(gemp_parents *out, gemp_frontier *frontier, int kernels, bool equal);
void gemp_parents_free(gemp_parents *parents);

/* Finds the smallest parents, into parents->best; does not wait. values[known]: of all known vertices. how: passed to
 * settle_open and settle_sends of the application; send: some vertices name themselves to their targets, besides
 * targets that look for a parent. */
gemp_code gemp_parents_min(gemp_parents *parents, const gemp_buffer *values, uint64_t how, bool send);
/* Collective. Finds parents of vertices that only edges of weight 0 lead to, into best[own]: parents->best, or values
 * that contain names. source: the local vertex where the search began; UINT32_MAX: another rank owns it. */
gemp_code gemp_parents_zero(gemp_parents *parents, const gemp_buffer *values, const gemp_buffer *best, cl_uint source);
/* parent[own] becomes the ids of the names in best[own]. Does not wait. */
gemp_code gemp_parents_ids(gemp_parents *parents, const gemp_buffer *best, const gemp_buffer *parent);

#endif
