/* rate: measures the copy bandwidth and the launch cost of a device. Groups copy runs of `run` elements in turn. On
 * GPUs, where many groups work concurrently, runs are short and adjacent; on a CPU each core copies one long run. */
__kernel void rate_copy(__global const uint4 *restrict from, __global uint4 *restrict to, ulong count, ulong run)
{
	ulong step = get_local_size(0);
	for (ulong begin = get_group_id(0) * run; begin < count; begin += get_num_groups(0) * run) {
		ulong end = min(begin + run, count), i = begin + get_local_id(0);
		for (; i + 3 * step < end; i += 4 * step) { /* four loads at a time */
			uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
			to[i] = a;
			to[i + step] = b;
			to[i + 2 * step] = c;
			to[i + 3 * step] = d;
		}
		for (; i < end; i += step)
			to[i] = from[i];
	}
}

__kernel void rate_nothing(__global uint *out)
{
	if (get_global_id(0) == get_global_size(0))
		out[0] = 0;
}
