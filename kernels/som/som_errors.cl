/* som_errors: quantisation and topographic error of a map (src/som/map/apply.h).
 *
 *   SOM_GROUP   work-items of a group, a power of two
 */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double som_real;
#else
typedef float som_real;
#endif

#define SOM_NO_KEY (~0ul)

static inline uint som_apart(uint a, uint b, uint side, uint toroid)
{
	const uint way = a > b ? a - b : b - a;
	return toroid && side - way < way ? side - way : way;
}

/* Returns whether two units are adjacent; on a rectangular grid units may be adjacent at a corner. On a hexagonal grid
 * columns are counted in half steps. */
static inline bool som_adjacent(uint a, uint b, uint rows, uint columns, uint hexagonal, uint toroid)
{
	const uint ay = a / columns, by = b / columns, ax = a % columns, bx = b % columns;
	const uint up = som_apart(ay, by, rows, toroid);
	if (hexagonal) {
		const uint aside = som_apart(2 * ax + (ay & 1), 2 * bx + (by & 1), 2 * columns, toroid);
		return a != b && up <= 1 && aside <= 2 - up;
	}
	return a != b && up <= 1 && som_apart(ax, bx, columns, toroid) <= 1;
}

/* sums: uint4[slots][groups]. The four numbers are the sum of distances as two floats, the number of samples whose two
 * best units are not adjacent, and the number of samples. add: whether the values in sums are added to; otherwise they
 * are replaced. */
__kernel __attribute__((reqd_work_group_size(SOM_GROUP, 1, 1)))
void som_errors(__global const ulong *best, __global const ulong *second, __global const float *distance, ulong count, uint rows,
               uint columns, uint hexagonal, uint toroid, __global uint4 *sums, uint slot, uint add)
{
	const uint lane = (uint)get_local_id(0);
	__local som_real far[SOM_GROUP];
	__local uint torn[SOM_GROUP], there[SOM_GROUP];
	som_real total = 0;
	uint apart = 0, samples = 0;
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
		const ulong one = best[i], other = second[i];
		if (one == SOM_NO_KEY)
			continue;
		total += distance[i];
		apart += other != SOM_NO_KEY && !som_adjacent((uint)one, (uint)other, rows, columns, hexagonal, toroid);
		samples++;
	}
	far[lane] = total;
	torn[lane] = apart;
	there[lane] = samples;
	for (uint beside = SOM_GROUP / 2; beside > 0; beside /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < beside) {
			far[lane] += far[lane + beside];
			torn[lane] += torn[lane + beside];
			there[lane] += there[lane + beside];
		}
	}
	if (lane == 0) {
		__global uint4 *sum = &sums[slot * (uint)get_num_groups(0) + (uint)get_group_id(0)];
		const uint4 before = add ? *sum : (uint4)(0);
		const som_real all = far[0] + (som_real)as_float(before.x) + (som_real)as_float(before.y);
		const float most = (float)all, rest = (float)(all - (som_real)most);
		*sum = (uint4)(as_uint(most), as_uint(rest), before.z + torn[0], before.w + there[0]);
	}
}
