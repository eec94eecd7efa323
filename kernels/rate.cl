/* rate: what memory and launches cost on a device. Group g owns elements [g * chunk, (g + 1) * chunk). */
__kernel void rate_copy(__global const uint4 *restrict from, __global uint4 *restrict to, ulong count, ulong chunk)
{
	ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, count);
	ulong step = get_local_size(0), i = begin + get_local_id(0);
	for (; i + 3 * step < end; i += 4 * step) { /* four loads on their way at a time */
		uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
		to[i] = a;
		to[i + step] = b;
		to[i + 2 * step] = c;
		to[i + 3 * step] = d;
	}
	for (; i < end; i += step)
		to[i] = from[i];
}

__kernel void rate_nothing(__global uint *out)
{
	if (get_global_id(0) == get_global_size(0))
		out[0] = 0;
}
