/* components_ranks: from the sets of one rank's edges (components.cl) to links between the sets of all ranks
 * (src/topology/components_ranks.c). A link is a number of 64 bits: the high half is a vertex of the rank to which the
 * link is sent, the low half is the root of a set, as an id. */
#include "components.clh"

/* Element number i of the vertices of other ranks, in the order of ids. */
static inline uint components_remote(uint i, uint rows, uint first, uint vertices)
{
	return components_element(i < first ? i : i + rows, first, vertices);
}

/* Flags the vertices of other ranks that are in a set of this rank, except the set with the root `skipped`. */
__kernel void components_remote_flags(__global const uint *above, uint rows, uint first, uint vertices, uint remote,
                                      uint skipped, __global uint *flags)
{
	for (each(i, remote)) {
		uint e = components_remote(i, rows, first, vertices);
		flags[i] = above[e] != e && above[e] != skipped;
	}
}

/* places: the prefix sums of the flags. Links are in the order of their vertices, so in the order of ranks. */
__kernel void components_remote_links(__global const uint *above, uint rows, uint first, uint vertices, uint remote,
                                      __global const uint *places, __global ulong *links)
{
	for (each(i, remote))
		if (places[i + 1] != places[i]) {
			uint e = components_remote(i, rows, first, vertices);
			links[places[i]] = (ulong)components_id(e, first, vertices) << 32 | (first + above[e]);
		}
}

/* FORESTS. Edges of the forest between own vertices make sets of own vertices. Edges of the forest to vertices of other
 * ranks become links between these sets. */

__kernel void components_own_begin(__global uint *sets, uint rows)
{
	for (each(row, rows))
		sets[row] = row;
}

/* Only own vertices are hooked by edges between own vertices. */
__kernel void components_own_unite(__global const ulong *tree, __global const uint2 *ends, uint rows,
                                   volatile __global uint *sets)
{
	uint hooked;
	for (each(e, rows))
		if (tree[e] != COMPONENTS_NO_EDGE && ends[e].y < rows)
			components_unite(sets, ends[e].x, ends[e].y, &hooked);
}

__kernel void components_own_flatten(volatile __global uint *sets, uint rows)
{
	for (each(row, rows))
		components_flatten_one(sets, row);
}

__kernel void components_link_flags(__global const ulong *tree, __global const uint2 *ends, uint rows, uint vertices,
                                    __global uint *flags)
{
	for (each(e, vertices))
		flags[e] = tree[e] != COMPONENTS_NO_EDGE && ends[e].y >= rows;
}

/* Links and their edges, which are numbered over all ranks; first_edge is the number of this rank's first edge. */
__kernel void components_edge_links(__global ulong *tree, __global const uint2 *ends, uint first, uint vertices,
                                    __global const uint *sets, __global const uint *places, ulong first_edge,
                                    __global ulong *links, __global ulong *edges)
{
	for (each(e, vertices))
		if (places[e + 1] != places[e]) {
			links[places[e]] = (ulong)components_id(ends[e].y, first, vertices) << 32 | (first + sets[ends[e].x]);
			edges[places[e]] = first_edge + tree[e];
			tree[e] = COMPONENTS_NO_EDGE;
		}
}

/* Unites the roots of each link, as elements of all vertices of the graph, numbered by their ids. */
__kernel void components_links_unite(__global const ulong *links, uint count, volatile __global uint *sets)
{
	uint hooked;
	for (each(i, count))
		components_unite(sets, (uint)(links[i] >> 32), (uint)links[i], &hooked);
}

/* Replaces the own vertex of each link by the root of its set, and puts the greater root first. */
__kernel void components_resolve(__global ulong *links, uint count, uint first, __global const uint *sets)
{
	for (each(i, count)) {
		uint other = (uint)links[i], own = first + sets[(uint)(links[i] >> 32) - first];
		links[i] = (ulong)max(own, other) << 32 | min(own, other);
	}
}
