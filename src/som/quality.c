#include "som/quality.h"

#include <math.h>
#include <string.h>

double gemp_som_apart(gemp_som_metric metric, const float *x, const float *w, uint32_t dims)
{
	double sum = 0, xx = 0, ww = 0, xw = 0;
	uint32_t there = 0;
	for (uint32_t k = 0; k < dims; k++) {
		if (isnan(x[k]))
			continue;
		const double a = x[k], b = w[k];
		there++;
		sum += metric == GEMP_SOM_MANHATTAN ? fabs(a - b) : (a - b) * (a - b);
		xx += a * a;
		ww += b * b;
		xw += a * b;
	}
	if (there == 0)
		return NAN;
	if (metric == GEMP_SOM_COSINE)
		return xx > 0 && ww > 0 ? 1 - xw / sqrt(xx * ww) : 1;
	return metric == GEMP_SOM_MANHATTAN ? sum : sqrt(sum);
}

void gemp_som_errors(const gemp_comm *comm, const gemp_som_grid *grid, gemp_som_metric metric, const float *w, const float *x,
                     size_t count, uint32_t dims, const uint32_t *unit, const uint32_t *second, double *quantisation,
                     double *topographic)
{
	double sums[3] = { 0 }; /* distances, samples torn apart, samples */
	for (size_t i = 0; i < count; i++) {
		if (unit[i] == GEMP_SOM_NO_UNIT)
			continue;
		sums[0] += gemp_som_apart(metric, x + i * dims, w + (size_t)unit[i] * dims, dims);
		sums[1] += second[i] != GEMP_SOM_NO_UNIT && !gemp_som_adjacent(grid, unit[i], second[i]);
		sums[2]++;
	}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, comm->world));
	*quantisation = sums[2] > 0 ? sums[0] / sums[2] : NAN;
	*topographic = sums[2] > 0 ? sums[1] / sums[2] : NAN;
}

void gemp_som_umatrix(const gemp_som_grid *grid, const float *w, uint32_t dims, double *out)
{
	for (uint32_t unit = 0; unit < gemp_som_units(grid); unit++) {
		uint32_t beside[8];
		const int count = gemp_som_neighbours(grid, unit, beside);
		double sum = 0;
		for (int k = 0; k < count; k++) {
			double square = 0;
			for (uint32_t d = 0; d < dims; d++) {
				const double apart = (double)w[(size_t)unit * dims + d] - (double)w[(size_t)beside[k] * dims + d];
				square += apart * apart;
			}
			sum += sqrt(square);
		}
		out[unit] = count ? sum / count : 0;
	}
}

void gemp_som_hits(const gemp_comm *comm, const gemp_som_grid *grid, const uint32_t *unit, size_t count, uint64_t *hits)
{
	const uint32_t units = gemp_som_units(grid);
	memset(hits, 0, units * sizeof *hits);
	for (size_t i = 0; i < count; i++)
		if (unit[i] < units)
			hits[unit[i]]++;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, hits, (int)units, MPI_UINT64_T, MPI_SUM, comm->world));
}
