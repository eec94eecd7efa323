/* som_online: online training. Each sample replaces a unit w by an affine map a * w + b. For each unit of some rows the
 * kernel computes the composition of the maps of all samples in order (som/train/unit_update.h). Options: the options
 * of som_grid.clh, and
 *
 *   SOM_MISSING                    as in som_accumulate.cl
 *   SOM_CUT                        the neighbourhood is 0 beyond the radius
 *   SOM_BLOCK                      values that a work-item processes
 *   SOM_ALL                        SOM_BLOCK is the number of values
 *   SOM_TALL, SOM_WIDE, SOM_STEP   groups process tiles (som_online_tiles.clh), for GPUs; otherwise strips, for CPUs */
#include "som_grid.clh"

#ifdef SOM_ALL
#define SOM_FIRST 0
#define SOM_VALUES SOM_BLOCK
#else
#define SOM_FIRST first
#define SOM_VALUES values
#endif
#ifdef SOM_MISSING
#define SOM_FACTORS SOM_BLOCK /* one factor for each value */
#define som_factor_of(k) (SOM_VALUES + (k))
#define som_has_factors(k0) true
#else
#define SOM_FACTORS 1
#define som_factor_of(k) SOM_VALUES
#define som_has_factors(k0) ((k0) == 0) /* only the first block of values has the factor that all values share */
#endif
/* The place of value k of sample i. A k beyond the last value gives the place of the last value. */
#define som_place(k, i) ((size_t)(SOM_FIRST + min((k), (uint)SOM_VALUES - 1)) * count + (i))

#define SOM_PARAMETERS                                                                                          \
	__global float *planes, __global const ulong *best, __global const float *x, __global const uchar *present, \
	uint count, __global const float *steps, ulong reach, float rate, float least, uint far, uint first,        \
	uint values, uint begun, uint first_row, uint end_row

/* Loads the affine map of earlier samples for the units from `at` on and the values from k0 on. If there are no earlier
 * samples, the map is the identity. */
static inline void som_begin(__global const float *planes, bool begun, size_t at, uint k0, uint values, som_values *a, som_values *b)
{
	for (uint k = 0; k < SOM_BLOCK; k++) {
		const bool there = begun && k0 + k < SOM_VALUES;
		b[k] = there ? som_load(planes + (size_t)(k0 + k) * SOM_UNITS + at) : 0;
		if (k < SOM_FACTORS)
			a[k] = there && som_has_factors(k0) ? som_load(planes + (size_t)som_factor_of(k0 + k) * SOM_UNITS + at) : 1;
	}
}

static inline void som_end(__global float *planes, size_t at, uint k0, uint values, const som_values *a, const som_values *b)
{
	const uint columns = SOM_COLUMNS - (uint)(at % SOM_COLUMNS);
	for (uint k = 0; k < SOM_BLOCK && k0 + k < SOM_VALUES; k++)
		som_store(b[k], planes + (size_t)(k0 + k) * SOM_UNITS + at, columns);
	for (uint k = 0; k < SOM_FACTORS && k0 + k < SOM_VALUES && som_has_factors(k0); k++)
		som_store(a[k], planes + (size_t)som_factor_of(k0 + k) * SOM_UNITS + at, columns);
}

#ifdef SOM_TALL
#define SOM_GROUP (SOM_TALL * SOM_WIDE)
#include "som_online_tiles.clh"
#else

/* Returns the factor of h along the row, for SOM_LANES units from (column, row) on and a sample whose best unit is at
 * (x, y). With SOM_CUT the factor is 0 for units beyond the radius. */
static inline som_values som_near(__global const float *steps, uint x, uint y, uint column, uint row, ulong reach)
{
	const uint turn = som_turn(row, y);
	som_values h = som_load(steps + turn * SOM_TABLE + SOM_COLUMNS + column - x);
#ifdef SOM_CUT
	const ulong rows = som_square(som_rows_apart((int)row - (int)y));
	float part[SOM_LANES];
	vstore16(h, 0, part);
	for (int i = 0; i < SOM_LANES; i++) {
		const ulong halves = (ulong)som_halves((int)column + i - (int)x, som_shift(turn));
		part[i] = halves * halves + rows <= reach ? part[i] : 0;
	}
	h = vload16(0, part);
#endif
	return h;
}

/* A work-item processes a strip of SOM_LANES units of a row. */
__kernel void som_online(SOM_PARAMETERS)
{
	const uint id = (uint)get_global_id(0), strips = SOM_STRIPS * (end_row - first_row);
	const uint k0 = id / strips * SOM_BLOCK, row = first_row + id % strips / SOM_STRIPS, column = id % SOM_STRIPS * SOM_LANES;
	const size_t at = (size_t)row * SOM_COLUMNS + column;
	som_values b[SOM_BLOCK], a[SOM_FACTORS];
	som_begin(planes, begun, at, k0, values, a, b);
	for (uint i = 0; i < count; i++) {
		const uint unit = (uint)best[i], y = unit / SOM_COLUMNS;
		if (unit >= SOM_UNITS)
			continue; /* such a sample has no unit, and its values may be NaN */
		const uint place = unit % SOM_COLUMNS;
		const float rows = rate * steps[SOM_BETWEEN + SOM_ROWS + row - y];
		if (!(rows > least) || place + far < column || column + SOM_LANES - 1 + far < place)
			continue;
		const som_values by = rows * som_near(steps, place, y, column, row, reach);
		for (uint k = 0; k < SOM_BLOCK; k++) {
			const size_t from = som_place(k0 + k, i);
#ifdef SOM_MISSING
			const som_values one = present[from] ? by : 0;
#else
			const som_values one = by;
#endif
			b[k] += one * (x[from] - b[k]);
			if (k < SOM_FACTORS)
				a[k] -= one * a[k];
		}
	}
	som_end(planes, at, k0, values, a, b);
}
#endif
