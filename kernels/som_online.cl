/* som_online: what samples, in order, make of each unit: w becomes a * w + b (som/online.h), from what earlier ones have made of it
 * where that has begun. Options: som_grid.clh, and
 *
 *   SOM_DIMS, SOM_MISSING, SOM_MASK   as in som_accumulate.cl
 *   SOM_ALL                           `values` are all of them from the first on
 *   SOM_CUT                           nothing reaches beyond the radius
 *   SOM_BLOCK                         values that a work-item works on
 *   SOM_GROUP                         work-items of a group
 *   SOM_STAGE                         samples that a group brings into local memory at a time; without it none
 */
#include "som_grid.clh"

#ifdef SOM_MISSING
#define SOM_FACTORS SOM_BLOCK
#else
#define SOM_FACTORS 1
#endif
#ifdef SOM_ALL
#define SOM_FIRST 0
#define SOM_VALUES SOM_DIMS
#else
#define SOM_FIRST first
#define SOM_VALUES values
#endif

/* h of the units from (column, row) on for a sample whose best unit is `unit`. */
static inline som_values som_near(__global const float *steps, uint unit, uint column, uint row, ulong reach)
{
	const uint x = unit % SOM_COLUMNS, y = unit / SOM_COLUMNS, turn = som_turn(row, y);
	som_values h = steps[SOM_BETWEEN + SOM_ROWS + row - y] * som_load(steps + turn * SOM_TABLE + SOM_COLUMNS + column - x);
#ifdef SOM_CUT
	const ulong rows = som_square(som_rows_apart((int)row - (int)y));
#if SOM_LANES == 1
	const ulong halves = (ulong)som_halves((int)column - (int)x, som_shift(turn));
	h = halves * halves + rows <= reach ? h : 0;
#else
	float part[SOM_LANES];
	if (rows > reach)
		return 0;
	vstore16(h, 0, part);
	for (int i = 0; i < SOM_LANES; i++) {
		const ulong halves = (ulong)som_halves((int)column + i - (int)x, som_shift(turn));
		part[i] = halves * halves + rows <= reach ? part[i] : 0;
	}
	h = vload16(0, part);
#endif
#endif
	return h;
}

__kernel __attribute__((reqd_work_group_size(SOM_GROUP, 1, 1)))
void som_online(__global float *planes, __global const ulong *best, __global const float *x, __global const uchar *present,
                uint count, __global const float *steps, ulong reach, float rate, uint first, uint values, uint begun)
{
	const uint id = (uint)get_global_id(0), strips = SOM_STRIPS * SOM_ROWS, whole = (strips + SOM_GROUP - 1) / SOM_GROUP * SOM_GROUP;
	const uint block = id / whole, strip = id % whole; /* groups are of one block */
	const uint column = strip % SOM_STRIPS * SOM_LANES, row = min(strip / SOM_STRIPS, (uint)SOM_ROWS - 1), k0 = block * SOM_BLOCK;
	const size_t at = (size_t)row * SOM_COLUMNS + column;
	__global float *of_values = planes + (size_t)k0 * SOM_UNITS + at;
#ifdef SOM_MISSING
	__global float *of_factors = of_values + (size_t)SOM_VALUES * SOM_UNITS;
	const uint factors = min((uint)SOM_BLOCK, SOM_VALUES - k0);
#else
	__global float *of_factors = planes + (size_t)SOM_VALUES * SOM_UNITS + at;
	const uint factors = block == 0; /* who leaves the factor for all */
#endif
	som_values b[SOM_BLOCK], a[SOM_FACTORS];
	for (uint k = 0; k < SOM_BLOCK; k++)
		b[k] = begun && strip < strips && k0 + k < SOM_VALUES ? som_load(of_values + (size_t)k * SOM_UNITS) : 0;
	for (uint k = 0; k < SOM_FACTORS; k++)
		a[k] = begun && strip < strips && k < factors ? som_load(of_factors + (size_t)k * SOM_UNITS) : 1;
#ifdef SOM_STAGE
	__local float staged[SOM_STAGE][SOM_BLOCK];
	__local uint unit_of[SOM_STAGE];
#ifdef SOM_MASK
	__local uchar there[SOM_STAGE][SOM_BLOCK];
#endif
	for (uint from = 0; from < count; from += SOM_STAGE) {
		const uint samples = min((uint)SOM_STAGE, count - from);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = (uint)get_local_id(0); j < samples * SOM_BLOCK; j += SOM_GROUP) {
			const uint i = j % samples, k = j / samples;
			const size_t from_x = (size_t)(SOM_FIRST + min(k0 + k, (uint)SOM_VALUES - 1)) * count + from + i;
			staged[i][k] = x[from_x];
#ifdef SOM_MASK
			there[i][k] = present[from_x];
#endif
		}
		for (uint i = (uint)get_local_id(0); i < samples; i += SOM_GROUP)
			unit_of[i] = (uint)best[from + i];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < samples; i++) {
#define SOM_X(k) staged[i][k]
#define SOM_THERE(k) there[i][k]
			const uint unit = unit_of[i];
#else
	{
		for (uint i = 0; i < count; i++) {
#define SOM_X(k) x[(size_t)(SOM_FIRST + min(k0 + (k), (uint)SOM_VALUES - 1)) * count + i]
#define SOM_THERE(k) present[(size_t)(SOM_FIRST + min(k0 + (k), (uint)SOM_VALUES - 1)) * count + i]
			const uint unit = (uint)best[i];
#endif
			if (unit < SOM_UNITS) { /* the values of samples without a unit need not be numbers */
				const som_values by = rate * som_near(steps, unit, column, row, reach);
				for (uint k = 0; k < SOM_BLOCK; k++) {
#ifdef SOM_MASK
					const som_values one = SOM_THERE(k) ? by : 0;
#else
					const som_values one = by;
#endif
					b[k] += one * (SOM_X(k) - b[k]);
					if (k < SOM_FACTORS)
						a[k] -= one * a[k];
				}
			}
		}
	}
	if (strip >= strips)
		return;
	for (uint k = 0; k < SOM_BLOCK && k0 + k < SOM_VALUES; k++)
		som_store(b[k], of_values + (size_t)k * SOM_UNITS, SOM_COLUMNS - column);
	for (uint k = 0; k < SOM_FACTORS && k < factors; k++)
		som_store(a[k], of_factors + (size_t)k * SOM_UNITS, SOM_COLUMNS - column);
}
