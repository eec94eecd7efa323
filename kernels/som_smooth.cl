/* som_smooth: sums of units spread by the neighbourhood (som/smooth.h). Options: som_grid.clh, and
 *
 *   SOM_WIDE, SOM_TALL   work-items of a group beside and below each other, in som_running
 */
#include "som_grid.clh"

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double som_real;
#else
typedef float som_real;
#endif

/* Of one of the shapes. The radius is the sum of two floats. */
__kernel void som_factors(__global float *steps, uint shape, float radius, float rest)
{
	const uint i = (uint)get_global_id(0);
	const som_real r = (som_real)radius + (som_real)rest;
	som_real apart;
	if (i >= SOM_TABLES)
		return;
	if (i < SOM_BETWEEN)
		apart = (som_real)som_halves((int)(i % SOM_TABLE) - SOM_COLUMNS, som_shift(i / SOM_TABLE)) / 2;
	else
		apart = sqrt((som_real)som_square(som_rows_apart((int)(i - SOM_BETWEEN) - SOM_ROWS))) / 2;
	const som_real h = exp(-apart * apart / (2 * r * r));
	if (shape == SOM_GAUSSIAN)
		steps[i] = h > (som_real)1e-30 ? (float)h : 0;
	else
		steps[i] = shape == SOM_BUBBLE || apart <= r;
}

/* PASSES */

#define SOM_LINES 4 /* rows that a work-item goes over at the same time; even */

/* What rows of the same parity get of each row, and what those of the other parity get. */
__kernel void som_along(__global const float *from, __global float *to, __global float *other, __global const float *steps,
                        uint lines)
{
	const uint id = (uint)get_global_id(0), column = id % SOM_STRIPS * SOM_LANES, line = id / SOM_STRIPS * SOM_LINES;
	__global const float *row[SOM_LINES];
	som_values sum[SOM_LINES];
	if (line >= lines)
		return;
	for (uint p = 0; p < SOM_LINES; p++) {
		row[p] = from + (size_t)min(line + p, lines - 1) * SOM_COLUMNS;
		sum[p] = 0;
	}
#ifdef SOM_HEX
	__global const float *turned[SOM_LINES];
	som_values beside[SOM_LINES];
	for (uint p = 0; p < SOM_LINES; p++) {
		turned[p] = steps + (1 + ((line + p) % SOM_ROWS & 1)) * SOM_TABLE + SOM_COLUMNS + column;
		beside[p] = 0;
	}
#endif
	for (uint s = 0; s < SOM_COLUMNS; s++) {
		const som_values h = som_load(steps + SOM_COLUMNS + column - s);
		for (uint p = 0; p < SOM_LINES; p++)
			sum[p] += h * row[p][s];
#ifdef SOM_HEX
		for (uint p = 0; p < SOM_LINES; p++)
			beside[p] += som_load(turned[p] - s) * row[p][s];
#endif
	}
	for (uint p = 0; p < SOM_LINES && line + p < lines; p++) {
		const size_t at = (size_t)(line + p) * SOM_COLUMNS + column;
		som_store(sum[p], to + at, SOM_COLUMNS - column);
#ifdef SOM_HEX
		som_store(beside[p], other + at, SOM_COLUMNS - column);
#endif
	}
}

__kernel void som_across(__global const float *from, __global const float *other, __global float *to,
                         __global const float *steps, uint planes)
{
	const uint blocks = (SOM_ROWS + SOM_LINES - 1) / SOM_LINES;
	const uint id = (uint)get_global_id(0), column = id % SOM_STRIPS * SOM_LANES;
	const uint y = id / SOM_STRIPS % blocks * SOM_LINES, plane = id / SOM_STRIPS / blocks;
	som_values sum[SOM_LINES];
	if (plane >= planes)
		return;
	const size_t first = (size_t)plane * SOM_UNITS + column;
	for (uint p = 0; p < SOM_LINES; p++)
		sum[p] = 0;
	for (uint s = 0; s < SOM_ROWS; s++) {
		__global const float *h = steps + SOM_BETWEEN + SOM_ROWS + y - s;
		const som_values even = som_load(from + first + (size_t)s * SOM_COLUMNS);
#ifdef SOM_HEX
		const som_values odd = som_load(other + first + (size_t)s * SOM_COLUMNS);
		for (uint p = 0; p < SOM_LINES; p++)
			sum[p] += h[p] * ((s ^ p) & 1 ? odd : even);
#else
		for (uint p = 0; p < SOM_LINES; p++)
			sum[p] += h[p] * even;
#endif
	}
	for (uint p = 0; p < SOM_LINES && y + p < SOM_ROWS; p++)
		som_store(sum[p], to + first + (size_t)(y + p) * SOM_COLUMNS, SOM_COLUMNS - column);
}

/* RUNNING ROWS: rectangular grids alone */

/* Values of a row at columns from `column` on, round the edge or 0 beyond it. */
static inline som_values som_at(__global const float *row, int column)
{
	if (column >= 0 && column + SOM_LANES <= SOM_COLUMNS)
		return som_load(row + column);
	float part[SOM_LANES];
	for (int i = 0; i < SOM_LANES; i++) {
		int at = column + i;
#ifdef SOM_TOROID
		at = ((at % SOM_COLUMNS) + SOM_COLUMNS) % SOM_COLUMNS;
#endif
		part[i] = at >= 0 && at < SOM_COLUMNS ? row[at] : 0;
	}
	return som_load(part);
}

static inline som_values som_both_sides(__global const float *row, int column, int k)
{
	som_values sum = som_at(row, column - k);
#ifdef SOM_TOROID
	if (k && 2 * k != SOM_COLUMNS)
#else
	if (k)
#endif
		sum += som_at(row, column + k);
	return sum;
}

/* The same of rows `apart` above and below, in one column. */
static inline som_values som_both_rows(__global const float *column, int y, int apart)
{
	som_values sum = 0;
	int above = y - apart, below = y + apart;
#ifdef SOM_TOROID
	above += above < 0 ? SOM_ROWS : 0;
	below -= below >= SOM_ROWS ? SOM_ROWS : 0;
#endif
	if (above >= 0)
		sum = som_load(column + (size_t)above * SOM_COLUMNS);
	if (below < SOM_ROWS && below != above)
		sum += som_load(column + (size_t)below * SOM_COLUMNS);
	return sum;
}

#ifdef SOM_TOROID
#define SOM_FAR(side) ((side) / 2)
#else
#define SOM_FAR(side) ((side) - 1)
#endif

/* A group has a strip of columns of one plane. From the rows farthest apart to the same row, what is reached grows: `rows` has
 * the sum of each row so far. */
__kernel __attribute__((reqd_work_group_size(SOM_WIDE * SOM_TALL, 1, 1)))
void som_running(__global const float *from, __global float *rows, __global float *to, __global const float *steps, ulong reach)
{
	const uint strips = (SOM_STRIPS + SOM_WIDE - 1) / SOM_WIDE, group = (uint)get_group_id(0), lane = (uint)get_local_id(0);
	const uint column = (group % strips * SOM_WIDE + lane % SOM_WIDE) * SOM_LANES;
	const int top = column < SOM_COLUMNS ? (int)(lane / SOM_WIDE) : SOM_ROWS; /* of its rows */
	const uint count = SOM_COLUMNS - column;
	const size_t plane = (size_t)(group / strips) * SOM_UNITS;
	int apart = 0, wide = -1;
	for (int y = top; y < SOM_ROWS; y += SOM_TALL) {
		som_store((som_values)0, rows + plane + (size_t)y * SOM_COLUMNS + column, count);
		som_store((som_values)0, to + plane + (size_t)y * SOM_COLUMNS + column, count);
	}
	while (apart < SOM_FAR(SOM_ROWS) && som_square(apart + 1) <= reach)
		apart++;
	for (; apart >= 0; apart--) {
		int most = wide;
		while (most < SOM_FAR(SOM_COLUMNS) && som_square(most + 1) + som_square(apart) <= reach)
			most++;
		for (int y = top; y < SOM_ROWS; y += SOM_TALL) {
			const size_t at = plane + (size_t)y * SOM_COLUMNS;
			som_values sum = som_load(rows + at + column);
			for (int k = wide + 1; k <= most; k++)
				sum += steps[SOM_COLUMNS + k] * som_both_sides(from + at, (int)column, k);
			som_store(sum, rows + at + column, count);
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
		for (int y = top; y < SOM_ROWS; y += SOM_TALL) {
			__global float *out = to + plane + (size_t)y * SOM_COLUMNS + column;
			som_store(som_load(out) + steps[SOM_BETWEEN + SOM_ROWS + apart] * som_both_rows(rows + plane + column, y, apart),
			          out, count);
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
		wide = most;
	}
}

/* ALL UNITS WITHIN REACH */

__kernel void som_general(__global const float *from, __global float *to, __global const float *steps, ulong reach, uint planes)
{
	const uint id = (uint)get_global_id(0), plane = id / SOM_UNITS;
	const int x = (int)(id % SOM_COLUMNS), y = (int)(id / SOM_COLUMNS % SOM_ROWS);
	int first = 0, columns = SOM_COLUMNS;
	float total = 0;
	if (plane >= planes)
		return;
	int far = 1; /* steps, rounded up and one half step more */
	while (far < SOM_COLUMNS && 4 * (ulong)(far - 1) * (ulong)(far - 1) <= reach)
		far++;
#ifdef SOM_TOROID
	if (2 * far + 1 < SOM_COLUMNS) {
		first = x - far;
		columns = 2 * far + 1;
	}
#else
	first = max(0, x - far);
	columns = min(SOM_COLUMNS - 1, x + far) - first + 1;
#endif
	for (int s = 0; s < SOM_ROWS; s++) {
		__global const float *row = from + (size_t)plane * SOM_UNITS + (size_t)s * SOM_COLUMNS;
		const uint turn = som_turn((uint)y, (uint)s);
		const ulong rows = som_square(som_rows_apart(y - s));
		float sum = 0;
		if (rows > reach)
			continue;
		for (int i = 0; i < columns; i++) {
			int c = first + i;
			c += c < 0 ? SOM_COLUMNS : c >= SOM_COLUMNS ? -SOM_COLUMNS : 0;
			const ulong halves = (ulong)som_halves(x - c, som_shift(turn));
			if (halves * halves + rows <= reach)
				sum += steps[turn * SOM_TABLE + SOM_COLUMNS + x - c] * row[c];
		}
		total += steps[SOM_BETWEEN + SOM_ROWS + y - s] * sum;
	}
	to[id] = total;
}
