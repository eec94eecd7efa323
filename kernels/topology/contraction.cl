/* contraction: rounds of the contraction of links on one device (src/topology/device_contraction.c). A link is a number
 * of 64 bits: the greater root in the high half, the smaller root in the low half, both as ids. Links are sorted. */
#define each(i, count) uint i = get_global_id(0); i < count; i += get_global_size(0)

#define CONTRACTION_NO_LINK ULONG_MAX

__kernel void contraction_begin(__global uint *name, __global ulong *hooked_by, uint rows, uint first, uint with_edges)
{
	for (each(row, rows)) {
		name[row] = first + row;
		if (with_edges)
			hooked_by[row] = ULONG_MAX;
	}
}

/* Flags the first link of each run of links that are equal above the bit `shift`. Links that have become loops are
 * CONTRACTION_NO_LINK, and lie behind all others. */
__kernel void contraction_heads(__global const ulong *links, uint count, uint shift, __global uint *flags)
{
	for (each(i, count))
		flags[i] = links[i] != CONTRACTION_NO_LINK && (i == 0 || links[i] >> shift != links[i - 1] >> shift);
}

/* Keeps the flagged links. places: the prefix sums of the flags. */
__kernel void contraction_keep(__global const ulong *links, __global const ulong *edges, uint count, uint with_edges,
                               __global const uint *places, __global ulong *out, __global ulong *out_edges)
{
	for (each(i, count))
		if (places[i + 1] != places[i]) {
			out[places[i]] = links[i];
			if (with_edges)
				out_edges[places[i]] = edges[i];
		}
}

/* The first link of each run with the same greater root has the smallest other root, to which the root is hooked.
 * hooked[] lists the hooked roots as rows. */
__kernel void contraction_hook(__global const ulong *links, __global const ulong *edges, uint count, uint with_edges,
                               __global const uint *places, uint first, __global uint *name,
                               __global ulong *hooked_by, __global uint *hooked)
{
	for (each(i, count))
		if (places[i + 1] != places[i]) {
			uint row = (uint)(links[i] >> 32) - first;
			name[row] = (uint)links[i];
			hooked[places[i]] = row;
			if (with_edges)
				hooked_by[row] = edges[i];
		}
}

__kernel void contraction_lows(__global const ulong *links, uint count, __global uint *ids)
{
	for (each(i, count))
		ids[i] = (uint)links[i];
}

/* Replaces both roots by the roots that have absorbed them. lows[i]: that of the smaller root of link i. */
__kernel void contraction_rename(__global ulong *links, uint count, uint first, __global const uint *name,
                                 __global const uint *lows)
{
	for (each(i, count)) {
		uint a = name[(uint)(links[i] >> 32) - first], b = lows[i];
		links[i] = a == b ? CONTRACTION_NO_LINK : (ulong)max(a, b) << 32 | min(a, b);
	}
}
