/* disjoint_sets: union-find on all threads without locks, and the contraction of the sets of several ranks.
 *
 * Elements are numbers; parent[element] is an element of the same set with a smaller or the same number. The root of a
 * set is its least element and its own parent. Two sets are united by hooking the greater root to the smaller one with
 * a compare-and-swap, which succeeds for one thread only: every root is hooked at most once. Relaxed atomics suffice,
 * since the end of the parallel loop orders them.
 */

#ifndef GEMP_TOPOLOGY_DISJOINT_SETS_H
#define GEMP_TOPOLOGY_DISJOINT_SETS_H

#include "comm/exchange.h"
#include "core/types.h"
#include "topology/csr.h"

#include <stdatomic.h>

typedef _Atomic gemp_vertex gemp_set_parent;

static inline gemp_vertex gemp_set_parent_get(const gemp_set_parent *links, gemp_vertex element)
{
	return atomic_load_explicit(&links[element], memory_order_relaxed);
}

/* Unites the sets of a and b. True: this call has united them, and *hooked is the root that it has hooked to a smaller
 * one. False: they were one set already. */
static inline bool gemp_disjoint_union(gemp_set_parent *links, gemp_vertex a, gemp_vertex b, gemp_vertex *hooked)
{
	a = gemp_set_parent_get(links, a);
	b = gemp_set_parent_get(links, b);
	while (a != b) {
		gemp_vertex high = a > b ? a : b, low = a > b ? b : a, above = gemp_set_parent_get(links, high);
		if (above == low)
			return false;
		if (above == high && atomic_compare_exchange_strong_explicit(&links[high], &above, low, memory_order_relaxed,
		                                                             memory_order_relaxed)) {
			*hooked = high;
			return true;
		}
		a = gemp_set_parent_get(links, gemp_set_parent_get(links, high));
		b = gemp_set_parent_get(links, low);
	}
	return false;
}

/* Returns the root of the element, and makes it the element's parent (path compression). */
static inline gemp_vertex gemp_disjoint_find(gemp_set_parent *links, gemp_vertex element)
{
	gemp_vertex root = gemp_set_parent_get(links, element), above;
	while ((above = gemp_set_parent_get(links, root)) != root)
		root = above;
	atomic_store_explicit(&links[element], root, memory_order_relaxed);
	return root;
}

/* The sets that the edges of one rank make of its own vertices. Vertices of other ranks to which edges lead are
 * elements, too: two vertices with edges to the same remote vertex are in one set. */

typedef struct gemp_disjoint_sets {
	size_t rows;                 /* elements 0 .. rows - 1 are own vertices */
	size_t remote_slots;         /* elements rows .. rows + slots - 1 are those of others, a table by hash */
	gemp_set_parent *parent;     /* [rows + slots] */
	gemp_set_parent *remote_ids; /* [slots] ids; GEMP_NO_VERTEX: free */
	uint64_t *edge;              /* [rows + slots] the edge that joined the set of which this was the root with another,
	                        as gemp_csr_find has it; GEMP_NO_EDGE: it still is one. NULL: not asked for */
} gemp_disjoint_sets;

/* Local. Afterwards each element is linked to the root of its set, which is an own vertex. count may be 0. */
gemp_code gemp_disjoint_sets_new(gemp_disjoint_sets *out, size_t rows, const gemp_csr *csr, size_t count, bool edges);
void gemp_disjoint_sets_free(gemp_disjoint_sets *sets);

/* Contraction: sets of several ranks become one where links join them.
 *
 * A set is named by a vertex, its root, and the owner of the root stores the name that the set gets. A link is a pair
 * of roots, and the edge that it stands for if a forest is wanted. In a round each link goes to the owner of its
 * greater root, which is hooked to the least root that it has a link to; trees of hooked roots become stars by pointer
 * jumping; links get the names of the stars' centres. Links whose ends have become one are dropped, and so are copies
 * of a link. Nothing is gathered: a rank sends and holds links and requests for names of roots.
 */

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

/* Collective. Each link's source is a root of any rank, its target any vertex; set_of[rows] are the roots of own
 * vertices, as rows. All links are used up. Afterwards name[] of an own root that was one at the beginning is the least
 * root of the whole component. */
gemp_code gemp_contraction_run(gemp_contraction *contraction, const gemp_vertex *set_of);
void gemp_contraction_free(gemp_contraction *contraction); /* not name[] */

#endif
