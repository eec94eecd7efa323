/* som_factors: computes the tables of the neighbourhood on any grid (som_grid.clh describes them). */
#include "som_grid.clh"

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double som_real;
#else
typedef float som_real;
#endif

static inline uint som_round(uint way, uint side, uint toroid)
{
	return toroid ? min(way, (uint)abs((int)(side - way))) : way;
}

/* Fills the tables for one shape. The radius is the sum of two floats. */
__kernel void som_factors(__global float *steps, uint rows, uint columns, uint hexagonal, uint toroid, uint shape, float radius,
                          float rest)
{
	const uint i = (uint)get_global_id(0), table = 2 * columns + SOM_PAD, between = 3 * table;
	const som_real r = (som_real)radius + (som_real)rest;
	som_real apart;
	if (i >= between + 2 * rows + SOM_PAD)
		return;
	if (i < between) {
		const int halves = 2 * ((int)(i % table) - (int)columns) + som_shift(i / table);
		apart = (som_real)som_round((uint)abs(halves), 2 * columns, toroid) / 2;
	} else {
		apart = som_round((uint)abs((int)(i - between) - (int)rows), rows, toroid);
		apart *= hexagonal ? sqrt((som_real)3) / 2 : 1;
	}
	const som_real h = exp(-apart * apart / (2 * r * r));
	if (shape == SOM_GAUSSIAN)
		steps[i] = h > (som_real)1e-30 ? (float)h : 0;
	else
		steps[i] = shape == SOM_BUBBLE || apart <= r;
}
