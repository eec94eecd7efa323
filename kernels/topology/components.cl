/* components: the sets into which the edges of one rank unite its vertices and the vertices at the ends of its edges,
 * by lock-free union-find (components.clh). with_tree: 0, 1 (tree[e] becomes the edge that hooked root e), or
 * COMPONENTS_ENDS (ends[e] also becomes the edge's own row and its target's element). */
#include "topology.clh"
#include "components.clh"

#define COMPONENTS_ENDS 2

/* Remembers the edge that hooked this root. Each root is hooked once, so no other work-item writes here. */
static inline void components_record(__global ulong *tree, __global uint2 *ends, uint with_tree, uint hooked, ulong edge,
                                     uint row, uint to)
{
	if (with_tree)
		tree[hooked] = edge;
	if (with_tree == COMPONENTS_ENDS)
		ends[hooked] = (uint2)(row, to);
}

__kernel void components_begin(__global uint *above, __global ulong *tree, uint vertices, uint with_tree)
{
	for (each(v, vertices)) {
		above[v] = v;
		if (with_tree)
			tree[v] = COMPONENTS_NO_EDGE;
	}
}

/* for (each_sampled(v, rows, step)) runs over every step-th block of 256 rows. */
#define SAMPLED_ROWS 256
#define each_sampled(v, count, step)                                                                                   \
	ulong i_##v = get_global_id(0), v = i_##v / SAMPLED_ROWS * (step) * SAMPLED_ROWS + i_##v % SAMPLED_ROWS;       \
	v / SAMPLED_ROWS * SAMPLED_ROWS < (count);                                                                     \
	i_##v += get_global_size(0), v = i_##v / SAMPLED_ROWS * (step) * SAMPLED_ROWS + i_##v % SAMPLED_ROWS

/* Unites the ends of edge number `place` of every step-th block of rows. before: number of edges of the preceding edge
 * types. */
__kernel void components_sample(__global const topology_edge *begin, __global const uint *target, uint rows, uint first,
                                uint vertices, uint place, uint step, volatile __global uint *above,
                                __global ulong *tree, __global uint2 *ends, uint with_tree, ulong before)
{
	uint hooked;
	for (each_sampled(v, rows, step)) {
		ulong e = v < rows ? (ulong)begin[v] + place : ULONG_MAX;
		if (v >= rows || e >= begin[v + 1])
			continue;
		uint to = components_element(target[e], first, vertices);
		if (components_unite(above, (uint)v, to, &hooked))
			components_record(tree, ends, with_tree, hooked, before + e, (uint)v, to);
	}
}

/* Sets the bits of the rows that have edges. */
__kernel void components_mark(__global const topology_edge *begin, uint rows, __global uint *with_edges)
{
	for (each(word, (rows + 31) / 32)) {
		uint bits = with_edges[word];
		for (uint b = 0; b < 32 && word * 32 + b < rows; b++)
			bits |= (uint)(begin[word * 32 + b + 1] > begin[word * 32 + b]) << b;
		with_edges[word] = bits;
	}
}

/* Links each element directly to its root. */
__kernel void components_flatten(volatile __global uint *above, uint vertices)
{
	for (each(v, vertices))
		components_flatten_one(above, v);
}

/* SAMPLED ROWS (src/topology/components_sampled.h): the device has two targets of each row only, sample[rows][2], with
 * COMPONENTS_NO_TARGET for a row with fewer edges. */
#define COMPONENTS_NO_TARGET UINT_MAX

/* Unites the ends of sampled edge number `place` of every step-th block of rows. */
__kernel void components_hook(__global const uint *sample, uint rows, uint first, uint vertices, uint place, uint step,
                              volatile __global uint *above)
{
	uint hooked;
	for (each_sampled(v, rows, step)) {
		uint to = v < rows ? sample[2 * (size_t)v + place] : COMPONENTS_NO_TARGET;
		if (to != COMPONENTS_NO_TARGET)
			components_unite(above, (uint)v, components_element(to, first, vertices), &hooked);
	}
}

/* Sets the bits of the rows that have edges. */
__kernel void components_mark_sampled(__global const uint *sample, uint rows, __global uint *with_edges)
{
	for (each(word, (rows + 31) / 32)) {
		uint bits = with_edges[word];
		for (uint b = 0; b < 32 && word * 32 + b < rows; b++)
			bits |= (uint)(sample[2 * (size_t)(word * 32 + b)] != COMPONENTS_NO_TARGET) << b;
		with_edges[word] = bits;
	}
}

/* Lists the rows with two edges or more that are not in the set with this root, in any order. */
__kernel void components_outside(__global const uint *above, __global const uint *sample, uint rows, uint root,
                                 __global uint *list, __global uint *counter)
{
	for (each(v, rows))
		if (above[v] != root && sample[2 * (size_t)v + 1] != COMPONENTS_NO_TARGET)
			list[atomic_inc(counter)] = v;
}

/* Unites the ends of the edges in the shares first_share .. last_share - 1 (topology_each_share) of all rows and edges.
 * With `listed` set, the rows are those of list[]. The ends of most edges have the same root already. To find this quickly, `seen` is
 * above[] read through caches: a link may be outdated there, but still leads to a vertex of the same set. */
__kernel void components_unite_all(__global const topology_edge *begin, __global const uint *target, uint rows,
                                   uint first, uint vertices, ulong edges, ulong first_share, ulong last_share,
                                   __global const uint *list, uint listed,
                                   __global const uint *seen,
                                   volatile __global uint *above, __global ulong *tree, __global uint2 *ends,
                                   uint with_tree, ulong before, volatile __local uint *room)
{
	GEMP_GROUP_DECLARE
	uint hooked;
	volatile __local uint *rows_of = topology_room(room);
	for (ulong share = first_share + gemp_worker(); share < last_share; share += gemp_workers()) {
		topology_share s = topology_take(GEMP_GROUP_PASS begin, rows, edges, share, rows_of);
		for (uint i = gemp_lane(); i < s.count; i += GEMP_LANES) {
			uint a = s.row + rows_of[i], b = components_element(target[s.first + i], first, vertices);
			a = listed ? list[a] : a;
			if (seen[a] != seen[b] && components_unite(above, a, b, &hooked))
				components_record(tree, ends, with_tree, hooked, before + s.first + i, a, b);
		}
	}
}
