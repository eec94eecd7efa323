/* selftest: tests the operations that other kernels need, with results that the host can compute: integers of 32 and 64
 * bits, local memory after barriers, atomics on u32 and u64. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

/* out[i] becomes a hash of the work-item at the mirrored position in the group. drawn[t] becomes 1 for each ticket t
 * that a work-item draws. sum becomes the 64-bit sum of (i + 1) << 33 over all work-items i. */
__kernel void selftest(__global ulong *out, volatile __global uint *drawn, volatile __global uint *ticket,
                       volatile __global ulong *sum, __local ulong *mirror)
{
	uint i = (uint)get_global_id(0), lane = (uint)get_local_id(0), lanes = (uint)get_local_size(0);
	ulong x = (i + 1) * 0x9e3779b97f4a7c15ul;
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ul;
	x += mul_hi((uint)x, (uint)(x >> 32)) + popcount((uint)x) + clz((uint)(x >> 40) | 1u);
	x = rotate(x, (ulong)(i & 63));
	mirror[lane] = x;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = mirror[lanes - 1 - lane];
	drawn[atomic_inc(ticket)] = 1;
	atom_add(sum, (ulong)(i + 1) << 33);
}
