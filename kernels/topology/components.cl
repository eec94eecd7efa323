/* components: weakly connected components by lock-free union-find. above[v] <= v is a vertex of the same set as v. The
 * root of a set is its lowest vertex, which has above[v] = v. A compare-and-swap hooks a root below another root; it
 * succeeds for one work-item only. Plain stores shorten the links of other vertices, and any order of these stores
 * gives valid links. */
#include "topology.clh"

#define each(i, count) uint i = get_global_id(0); i < count; i += get_global_size(0)

/* Returns true if this edge joined two sets. *hooked becomes the vertex that was the root of one of the two sets. */
static inline bool components_unite(volatile __global uint *above, uint a, uint b, uint *hooked)
{
	a = above[a];
	b = above[b];
	while (a != b) {
		uint high = max(a, b), low = min(a, b), there = above[high];
		if (there == low)
			return false;
		if (there == high && atomic_cmpxchg(&above[high], high, low) == high) {
			*hooked = high;
			return true;
		}
		above[high] = a = above[there];
		b = above[low];
	}
	return false;
}

__kernel void components_begin(__global uint *above, __global ulong *tree, uint vertices, uint with_tree)
{
	for (each(v, vertices)) {
		above[v] = v;
		if (with_tree)
			tree[v] = ULONG_MAX;
	}
}

/* Unites the ends of edge number `place` of each row. before: number of edges of the preceding edge types. */
__kernel void components_sample(__global const topology_edge *begin, __global const uint *target, uint rows, uint place,
                                volatile __global uint *above, __global ulong *tree, uint with_tree, ulong before)
{
	uint hooked;
	for (each(v, rows)) {
		ulong e = (ulong)begin[v] + place;
		if (e < begin[v + 1] && components_unite(above, v, target[e], &hooked) && with_tree)
			tree[hooked] = before + e;
	}
}

/* Links each vertex directly to its root. */
__kernel void components_flatten(volatile __global uint *above, uint vertices)
{
	for (each(v, vertices)) {
		uint up = above[v], there;
		while ((there = above[up]) != up)
			above[v] = up = there;
	}
}

/* Unites the ends of all edges. The ends of most edges have the same root already. To find this quickly, `seen` is
 * above[] read through caches: a link may be outdated there, but still leads to a vertex of the same set. */
__kernel void components_unite_all(__global const topology_edge *begin, __global const uint *target, uint rows,
                                   ulong edges, __global const uint *seen, volatile __global uint *above,
                                   __global ulong *tree, uint with_tree, ulong before, volatile __local uint *room)
{
	GEMP_GROUP_DECLARE
	uint hooked;
	volatile __local uint *rows_of = topology_room(room);
	for (topology_each_share(share, rows, edges)) {
		topology_share s = topology_take(GEMP_GROUP_PASS begin, rows, edges, share, rows_of);
		for (uint i = gemp_lane(); i < s.count; i += GEMP_LANES) {
			uint a = s.row + rows_of[i], b = target[s.first + i];
			if (seen[a] != seen[b] && components_unite(above, a, b, &hooked) && with_tree)
				tree[hooked] = before + s.first + i;
		}
	}
}
