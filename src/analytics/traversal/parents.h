/* parents: the stage after a search that finds each vertex's parent. Of all sources that could be the parent it takes
 * the source with the smallest key, so the result does not depend on the number of ranks or devices.
 *
 * A vertex's name is its number among the known vertices in the order of their keys, so the smallest name belongs to
 * the smallest key. best[own] has the name of the best candidate so far. id[known] has the ids by name. */

#ifndef GEMP_ANALYTICS_TRAVERSAL_PARENTS_H
#define GEMP_ANALYTICS_TRAVERSAL_PARENTS_H

#include "analytics/traversal/frontier.h"

/* The kernels of kernels/analytics/gas_parents.clh and gas_parents_equal.clh. They lie one behind the other among the
 * kernels of the frontier. */
#define GEMP_PARENTS_KERNELS "parents_begin", "parents_rows", "parents_ids"
#define GEMP_PARENTS_ZERO_KERNELS "parents_steps", "parents_equal"

typedef struct gemp_parents {
	gemp_frontier *frontier; /* borrowed */
	int kernels;             /* index of the first of these kernels */
	gemp_buffer best, hint;  /* [own] candidates, [known] bytes; gemp_parents_min makes both */
	/* [known] number of edges of weight 0 between the vertex and a vertex whose parent is nearer to the source */
	gemp_buffer step;
	gemp_buffer name, id; /* [known] names of vertices; ids by name */
	gemp_halo *halo;      /* exchange of step[] on several ranks; made when it is first needed */
} gemp_parents;

/* Local. The frontier has GEMP_LAYOUT_IN. equal: gemp_parents_zero will be called. The caller frees *out even after a
 * failure. */
gemp_code gemp_parents_new(gemp_parents *out, gemp_frontier *frontier, int kernels, bool equal);
void gemp_parents_free(gemp_parents *parents);

/* Finds the smallest parents, into parents->best. Does not wait. values[known]: values of all known vertices. how:
 * passed to parents_open and parents_sends of the application. send: the sources for which parents_sends is true send
 * their names to their targets. In any case the targets for which parents_open is true search for their parents. */
gemp_code gemp_parents_min(gemp_parents *parents, const gemp_buffer *values, uint64_t how, bool send);
/* Collective. Finds the parents of vertices whose tight edges all add nothing (weight 0, or lost in rounding), into
 * best[own]: parents->best, or values that contain names. source: the local vertex where the search began; UINT32_MAX:
 * another rank owns this vertex. */
gemp_code gemp_parents_zero(gemp_parents *parents, const gemp_buffer *values, const gemp_buffer *best, cl_uint source);
/* Sets parent[own] to the ids of the names in best[own]. Does not wait. */
gemp_code gemp_parents_ids(gemp_parents *parents, const gemp_buffer *best, const gemp_buffer *parent);

#endif
