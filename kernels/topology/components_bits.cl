/* components_bits: the most frequent set of a rank as bitmaps (src/topology/components_bits.c). The block of bits for
 * another rank is one word, the id of the set's root, and then a bit for each vertex of that rank. */
#include "components.clh"

/* Writes the block for the rank that owns the ids begin .. begin + count - 1, from word `at` on. */
__kernel void components_bits(__global const uint *above, uint first, uint vertices, uint root, uint begin, uint count,
                              uint words, uint at, __global uint *blocks)
{
	for (each(w, words)) {
		uint bits = 0;
		for (uint b = 0; b < 32 && w * 32 + b < count; b++)
			bits |= (uint)(above[components_element(begin + w * 32 + b, first, vertices)] == root) << b;
		blocks[at + 1 + w] = bits;
		if (w == 0)
			blocks[at] = first + root;
	}
}

/* Flags the roots of own sets that have a vertex in the set of another rank. A flag is read before it is set, since
 * most vertices have the same root. */
__kernel void components_bits_mark(__global const uint *blocks, uint at, uint rows, __global const uint *sets,
                                   volatile __global uint *flags)
{
	for (each(row, rows)) {
		uint bit = blocks[at + 1 + row / 32] >> row % 32 & 1, root = sets[row];
		if (bit && !flags[root])
			flags[root] = 1;
	}
}

/* Links the flagged roots to the root of the other rank's set. places: the prefix sums of the flags. */
__kernel void components_bits_link(__global const uint *blocks, uint at, uint rows, uint first,
                                   __global const uint *places, __global ulong *links, uint links_before)
{
	for (each(row, rows))
		if (places[row + 1] != places[row]) {
			uint own = first + row, other = blocks[at];
			links[links_before + places[row]] = (ulong)max(own, other) << 32 | min(own, other);
		}
}
