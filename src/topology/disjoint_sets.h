/* disjoint_sets: union-find on all threads without locks, and the contraction of the sets of several ranks.
 *
 * Elements are numbers. parent[element] is an element of the same set whose number is smaller or the same. The root of
 * a set is its smallest element, which is its own parent. Two sets are united by hooking the greater root to the
 * smaller root with a compare-and-swap. It succeeds for one thread only, so every root is hooked at most once. Relaxed
 * atomics suffice, since the end of the parallel loop orders them. */

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

/* Unites the sets of a and b. Returns true if this call has united them; *hooked is then the root that was hooked to a
 * smaller root. Returns false if a and b are in the same set already. */
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

/* Returns the root of the element, and makes the root the element's parent (path compression). */
static inline gemp_vertex gemp_disjoint_find(gemp_set_parent *links, gemp_vertex element)
{
	gemp_vertex root = gemp_set_parent_get(links, element), above;
	while ((above = gemp_set_parent_get(links, root)) != root)
		root = above;
	atomic_store_explicit(&links[element], root, memory_order_relaxed);
	return root;
}

/* The sets into which the edges of one rank unite its own vertices. Vertices of other ranks to which edges lead are
 * also elements, so two vertices with edges to the same remote vertex are in one set. */

typedef struct gemp_disjoint_sets {
	size_t rows; /* elements 0 .. rows - 1 are own vertices */
	/* number of slots for vertices of other ranks, a hash table; the elements are rows .. rows + slots - 1 */
	size_t remote_slots;
	gemp_set_parent *parent;     /* [rows + slots] */
	gemp_set_parent *remote_ids; /* [slots] ids; GEMP_NO_VERTEX: the slot is free */
	/* [rows + slots] for each former root, the edge that united its set with another set, with the number of
	 * gemp_csr_find; GEMP_NO_EDGE: the element is no former root. NULL: edges are not wanted */
	uint64_t *edge;
} gemp_disjoint_sets;

/* Local. Afterwards each element that stands for a vertex is linked to the root of its set, which is an own vertex.
 * count may be 0. edges: edge[] is wanted. */
gemp_code gemp_disjoint_sets_new(gemp_disjoint_sets *out, size_t rows, const gemp_csr *csr, size_t count, bool edges);
void gemp_disjoint_sets_free(gemp_disjoint_sets *sets);

/* Contraction joins sets of several ranks that are connected by links.
 *
 * The name of a set is a vertex, its root. The owner of a root stores the name of the set that has absorbed the root's
 * set. A link is a pair of roots and, if a forest is wanted, the edge for which it stands. In a round each link goes to
 * the owner of its greater root, which is hooked to the smallest root among its links. Trees of hooked roots become
 * stars by pointer jumping, and links get the names of the stars' centres. Links whose ends are now equal are dropped,
 * and so are duplicate links. Nothing is gathered: a rank sends and holds only links and requests for names of
 * roots. */

typedef struct gemp_contraction {
	const gemp_comm *comm;  /* borrowed, like bounds */
	const uint64_t *bounds; /* [ranks + 1] */
	gemp_vertex first;
	size_t rows;
	/* [rows] for own roots: the root that has absorbed the set; the caller sets each to its own id */
	gemp_vertex *name;

	size_t links;
	gemp_edge_pair *ends; /* [links] ends of each link; owned by the contraction */
	gemp_edge *edges;     /* [links] edges, numbered over all ranks; NULL: not wanted */

	size_t tree_count, tree_capacity;
	gemp_edge *tree; /* [tree_count] edges of links along which own roots were hooked; any rank may own an edge */
	unsigned rounds;
	gemp_traffic traffic; /* traffic of this rank */
} gemp_contraction;

/* Collective. Each link's source is a root of any rank, and its target is any vertex. set_of[rows]: the root of each
 * own vertex, as a row. All links are consumed. Afterwards name[] of an own vertex that was a root at the beginning is
 * the smallest root of the whole component. */
gemp_code gemp_contraction_run(gemp_contraction *contraction, const gemp_vertex *set_of);
void gemp_contraction_free(gemp_contraction *contraction); /* except name[] */

#endif
