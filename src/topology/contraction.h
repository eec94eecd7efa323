/* contraction: sets of several ranks become one where links join them.
 *
 * A set is named by a vertex, its root, whose owner keeps what becomes of it. A link is a pair of roots, and the edge
 * that it stands for if one asks for a forest. In a round each link goes to the owner of its greater root, which is
 * hooked to the least root that it has a link to; trees of hooked roots become stars by pointer jumping; links get the
 * names of the stars' centres, and those whose ends have become one are dropped, as are all but one of those that are
 * alike. Nothing is gathered: what a rank sends and holds are links and questions about roots.
 */

#ifndef GEMP_TOPOLOGY_CONTRACTION_H
#define GEMP_TOPOLOGY_CONTRACTION_H

#include "comm/exchange.h"
#include "core/types.h"

typedef struct gemp_contraction {
	const gemp_comm *comm;  /* borrowed, as bounds */
	const uint64_t *bounds; /* [ranks + 1] */
	gemp_vertex first;
	size_t rows;
	gemp_vertex *name; /* [rows] of own roots: the root that theirs has become; set to themselves */

	size_t links;
	gemp_edge_pair *ends; /* [links] owned by the contraction */
	gemp_edge *edges;     /* [links] numbered over all ranks; NULL: nobody asks */

	size_t tree_count, tree_capacity;
	gemp_edge *tree; /* [tree_count] edges of links along which roots were hooked, at whatever rank */
	unsigned rounds;
	gemp_traffic traffic; /* of this rank */
} gemp_contraction;

/* Collective. Each link's source is a root of any rank, its target any vertex; set_of[rows] are the roots of own vertices, as rows.
 * All links are used up. Afterwards name[] of an own root that was one at the beginning is the least root of the whole
 * component. */
gemp_code gemp_contraction_run(gemp_contraction *contraction, const gemp_vertex *set_of);
void gemp_contraction_free(gemp_contraction *contraction); /* not name[] */

#endif
