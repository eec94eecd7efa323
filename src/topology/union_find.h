/* union_find: sets that several threads unite at the same time without locks. Elements are numbers; a set is a tree of
 * links to smaller numbers, whose root is its least element. A root is hooked to a smaller one by an exchange that
 * succeeds for one thread only, so that a tree loses its root exactly once.
 */
#ifndef GEMP_TOPOLOGY_UNION_FIND_H
#define GEMP_TOPOLOGY_UNION_FIND_H

#include "core/types.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef _Atomic gemp_vertex gemp_link;

static inline gemp_vertex gemp_link_get(const gemp_link *links, gemp_vertex element)
{
	return atomic_load_explicit(&links[element], memory_order_relaxed);
}

/* True: it was this call that made one set of two, and *hooked, until then a root, is none any more. */
static inline bool gemp_unite(gemp_link *links, gemp_vertex a, gemp_vertex b, gemp_vertex *hooked)
{
	a = gemp_link_get(links, a);
	b = gemp_link_get(links, b);
	while (a != b) {
		gemp_vertex high = a > b ? a : b, low = a > b ? b : a, above = gemp_link_get(links, high);
		if (above == low)
			return false;
		if (above == high &&
		    atomic_compare_exchange_strong_explicit(&links[high], &above, low, memory_order_relaxed,
		                                            memory_order_relaxed)) {
			*hooked = high;
			return true;
		}
		a = gemp_link_get(links, gemp_link_get(links, high));
		b = gemp_link_get(links, low);
	}
	return false;
}

/* The root, to which the element is linked from then on. */
static inline gemp_vertex gemp_find(gemp_link *links, gemp_vertex element)
{
	gemp_vertex root = gemp_link_get(links, element), above;
	while ((above = gemp_link_get(links, root)) != root)
		root = above;
	atomic_store_explicit(&links[element], root, memory_order_relaxed);
	return root;
}

#endif
