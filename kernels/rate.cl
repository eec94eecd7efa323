/* rate: what memory and launches cost on a device. Group g owns elements [g * chunk, (g + 1) * chunk). */
__kernel void rate_copy(__global const uint4 *restrict from, __global uint4 *restrict to, ulong count, ulong chunk)
{
	ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, count);
	for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0))
		to[i] = from[i];
}

__kernel void rate_nothing(__global uint *out)
{
	if (get_global_id(0) == get_global_size(0))
		out[0] = 0;
}
