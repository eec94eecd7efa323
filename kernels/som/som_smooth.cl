/* som_smooth: convolves the sums of units with the neighbourhood (som/map/smooth.h). Options: the options of
 * som_grid.clh, and
 *
 *   SOM_PASSES           compile som_along and som_across, for separable neighbourhoods on any grid
 *   SOM_RUNNING          compile som_running, with
 *   SOM_WIDE, SOM_TALL   width and height of a group in work-items
 *   SOM_NEAR             keep the sums in local memory */
#include "som_grid.clh"

#ifdef SOM_PASSES

#define SOM_LINES 4 /* rows that a work-item processes at the same time; even */

/* Convolves each row along itself. `to` gets the sums for rows of the same parity, and `other` the sums for rows of the
 * other parity. */
__kernel void som_along(__global const float *from, __global float *to, __global float *other, __global const float *steps,
                        uint lines, uint rows, uint columns)
{
	const uint strips = (columns + SOM_LANES - 1) / SOM_LANES;
	const uint id = (uint)get_global_id(0), column = id % strips * SOM_LANES, line = id / strips * SOM_LINES;
	__global const float *row[SOM_LINES];
	som_values sum[SOM_LINES];
	if (line >= lines)
		return;
	for (uint p = 0; p < SOM_LINES; p++) {
		row[p] = from + (size_t)min(line + p, lines - 1) * columns;
		sum[p] = 0;
	}
#ifdef SOM_HEX
	__global const float *turned[SOM_LINES];
	som_values beside[SOM_LINES];
	for (uint p = 0; p < SOM_LINES; p++) {
		turned[p] = steps + (1 + ((line + p) % rows & 1)) * som_table(columns) + columns + column;
		beside[p] = 0;
	}
#endif
	for (uint s = 0; s < columns; s++) {
		const som_values h = som_load(steps + columns + column - s);
		for (uint p = 0; p < SOM_LINES; p++)
			sum[p] += h * row[p][s];
#ifdef SOM_HEX
		for (uint p = 0; p < SOM_LINES; p++)
			beside[p] += som_load(turned[p] - s) * row[p][s];
#endif
	}
	for (uint p = 0; p < SOM_LINES && line + p < lines; p++) {
		const size_t at = (size_t)(line + p) * columns + column;
		som_store(sum[p], to + at, columns - column);
#ifdef SOM_HEX
		som_store(beside[p], other + at, columns - column);
#endif
	}
}

__kernel void som_across(__global const float *from, __global const float *other, __global float *to,
                         __global const float *steps, uint planes, uint rows, uint columns)
{
	const uint blocks = (rows + SOM_LINES - 1) / SOM_LINES, strips = (columns + SOM_LANES - 1) / SOM_LANES;
	const uint id = (uint)get_global_id(0), column = id % strips * SOM_LANES;
	const uint y = id / strips % blocks * SOM_LINES, plane = id / strips / blocks;
	som_values sum[SOM_LINES];
	if (plane >= planes)
		return;
	const size_t first = (size_t)plane * rows * columns + column;
	for (uint p = 0; p < SOM_LINES; p++)
		sum[p] = 0;
	for (uint s = 0; s < rows; s++) {
		__global const float *h = steps + 3 * som_table(columns) + rows + y - s;
		const som_values even = som_load(from + first + (size_t)s * columns);
#ifdef SOM_HEX
		const som_values odd = som_load(other + first + (size_t)s * columns);
		for (uint p = 0; p < SOM_LINES; p++)
			sum[p] += h[p] * ((s ^ p) & 1 ? odd : even);
#else
		for (uint p = 0; p < SOM_LINES; p++)
			sum[p] += h[p] * even;
#endif
	}
	for (uint p = 0; p < SOM_LINES && y + p < rows; p++)
		som_store(sum[p], to + first + (size_t)(y + p) * columns, columns - column);
}

#endif
#ifdef SOM_RUNNING

#ifdef SOM_TOROID
#define SOM_FAR(side) ((side) / 2)
#else
#define SOM_FAR(side) ((side) - 1)
#endif
#ifdef SOM_HEX
#define SOM_KINDS 2 /* kinds of sums: 0 for rows of the same parity, 1 (by half steps) for the others */
#else
#define SOM_KINDS 1
#endif
#ifdef SOM_NEAR
#define SOM_SUMS __local
#define som_put(values, to, count) (*(to) = (values))
#else
#define SOM_SUMS __global
#define som_put(values, to, count) som_store((values), (to), (count))
#endif

/* Returns the values of a row from `column` on. Beyond the edge a toroid continues at the opposite edge; on other grids
 * the values are 0. */
static inline som_values som_at(__global const float *row, int column)
{
#ifdef SOM_TOROID
	column += column < 0 ? SOM_COLUMNS : column >= SOM_COLUMNS ? -SOM_COLUMNS : 0;
#else
	if (column >= SOM_COLUMNS || column <= -SOM_LANES)
		return 0;
#endif
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

/* Returns the contribution of a row to a sum at `column`: the values k steps away on both sides, or k and a half steps
 * if kind is 1, times their factor along the row. odd: whether the row is odd. */
static inline som_values som_both_sides(__global const float *row, __global const float *steps, int column, int k, int kind, int odd)
{
	const int back = k + (kind & odd), forth = k + (kind & ~odd);
	som_values sum = som_at(row, column - back);
	bool once = kind == 0 && k == 0;
#ifdef SOM_TOROID
	once |= 2 * k + kind == SOM_COLUMNS;
#endif
	if (!once)
		sum += som_at(row, column + forth);
	return steps[kind * (1 + odd) * SOM_TABLE + SOM_COLUMNS + back] * sum;
}

/* Returns the sum of the running sums of two rows: the row `apart` above and the row `apart` below. */
static inline som_values som_both_rows(SOM_SUMS const float *sums, int y, int apart, uint pitch)
{
	som_values sum = 0;
	int above = y - apart, below = y + apart;
#ifdef SOM_TOROID
	above += above < 0 ? SOM_ROWS : 0;
	below -= below >= SOM_ROWS ? SOM_ROWS : 0;
#endif
	if (above >= 0)
		sum = som_load(sums + (size_t)above * pitch);
	if (below < SOM_ROWS && below != above)
		sum += som_load(sums + (size_t)below * pitch);
	return sum;
}

/* Returns the number of steps of a kind that are within the radius in a row `apart` away. `wide` is a lower bound of
 * the result. */
static inline int som_width(int wide, int apart, int kind, ulong reach)
{
#ifdef SOM_TOROID
	const int far = (SOM_COLUMNS - kind) / 2;
#else
	const int far = SOM_COLUMNS - 1;
#endif
	while (wide < far) {
		const ulong halves = 2 * (ulong)(wide + 1) + (ulong)kind;
		if (halves * halves + som_square(apart) > reach)
			break;
		wide++;
	}
	return wide;
}

/* A group processes a strip of columns of one plane. `apart` goes from the farthest rows to 0, and the width within the
 * radius grows. Each row has a running sum of each kind: `rows` has the sums of kind 0, and `others` the sums of kind
 * 1. */
__kernel __attribute__((reqd_work_group_size(SOM_WIDE * SOM_TALL, 1, 1)))
void som_running(__global const float *from, __global float *rows, __global float *others, __global float *to,
                 __global const float *steps, ulong reach)
{
	const uint strips = (SOM_STRIPS + SOM_WIDE - 1) / SOM_WIDE, group = (uint)get_group_id(0), lane = (uint)get_local_id(0);
	const uint column = (group % strips * SOM_WIDE + lane % SOM_WIDE) * SOM_LANES;
	const int top = column < SOM_COLUMNS ? (int)(lane / SOM_WIDE) : SOM_ROWS; /* first row of the work-item */
	const uint count = SOM_COLUMNS - column;
	const size_t plane = (size_t)(group / strips) * SOM_UNITS;
#ifdef SOM_NEAR
	__local float near[SOM_KINDS + 1][SOM_ROWS * SOM_WIDE];
	SOM_SUMS float *whole = near[0] + lane % SOM_WIDE, *half_more = near[SOM_KINDS - 1] + lane % SOM_WIDE;
	SOM_SUMS float *out = near[SOM_KINDS] + lane % SOM_WIDE;
	const uint pitch = SOM_WIDE;
#else
	SOM_SUMS float *whole = rows + plane + column, *half_more = others + plane + column;
	SOM_SUMS float *out = to + plane + column;
	const uint pitch = SOM_COLUMNS;
#endif
	int apart = 0, wide[2] = { -1, -1 };
	for (int y = top; y < SOM_ROWS; y += SOM_TALL) {
		som_put((som_values)0, whole + y * pitch, count);
		som_put((som_values)0, half_more + y * pitch, count);
		som_put((som_values)0, out + y * pitch, count);
	}
	while (apart < SOM_FAR(SOM_ROWS) && som_square(apart + 1) <= reach)
		apart++;
	for (; apart >= 0; apart--) {
		const int kind = apart % SOM_KINDS, most = som_width(wide[kind], apart, kind, reach);
		SOM_SUMS float *sums = kind ? half_more : whole;
		for (int y = top; y < SOM_ROWS && most > wide[kind]; y += SOM_TALL) {
			som_values sum = som_load(sums + y * pitch);
			for (int k = wide[kind] + 1; k <= most; k++)
				sum += som_both_sides(from + plane + (size_t)y * SOM_COLUMNS, steps, (int)column, k, kind, y & 1);
			som_put(sum, sums + y * pitch, count);
		}
		wide[kind] = most;
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		const float h = steps[SOM_BETWEEN + SOM_ROWS + apart];
		for (int y = top; y < SOM_ROWS; y += SOM_TALL)
			som_put(som_load(out + y * pitch) + h * som_both_rows(sums, y, apart, pitch), out + y * pitch, count);
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	}
#ifdef SOM_NEAR
	for (int y = top; y < SOM_ROWS; y += SOM_TALL)
		to[plane + (size_t)y * SOM_COLUMNS + column] = out[y * pitch];
#endif
}
#endif
