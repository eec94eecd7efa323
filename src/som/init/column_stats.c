#include "som/init/column_stats.h"

#include "core/memory.h"
#include "core/reproducible_sum.h"

#include <float.h>

/* Local. Extremes and counts of each column; values that are not finite are missing. */
static void find_min_max(gemp_som_column_stats *c, const float *x, size_t count)
{
	const size_t n = c->dims;
	double *restrict min = c->min, *restrict max = c->max, *restrict present = c->present;
	for (size_t k = 0; k < n; k++) {
		min[k] = DBL_MAX;
		max[k] = -DBL_MAX;
	}
	for (size_t i = 0; i < count; i++) {
		const float *restrict row = x + i * n;
		for (size_t k = 0; k < n; k++) {
			const double value = row[k];
			const bool valid = fabs(value) <= DBL_MAX;
			min[k] = valid && value < min[k] ? value : min[k];
			max[k] = valid && value > max[k] ? value : max[k];
			present[k] += valid;
		}
	}
}

/* A missing value adds 0. */
static void add_rows(const gemp_som_column_stats *c, const float *x, size_t count, const gemp_repro_sum *restrict by,
                     bool squared, double *restrict high, double *restrict low)
{
	const size_t n = c->dims;
	const double *restrict mean = c->mean;
	for (size_t i = 0; i < count; i++) {
		const float *restrict row = x + i * n;
		for (size_t k = 0; k < n; k++) {
			const double distance = squared ? row[k] - mean[k] : row[k],
						 value = squared ? distance * distance : distance;
			gemp_repro_sum_add(by[k], fabsf(row[k]) <= FLT_MAX ? value : 0, &high[k], &low[k]);
		}
	}
}

/* Collective. means[dims] of the values themselves or, `squared`, of the squares of their distances from the mean. */
static gemp_code find_means(const gemp_som_column_stats *c, const gemp_comm *comm, const float *x, size_t count,
                            bool squared, double *means)
{
	gemp_code code = GEMP_OK;
	const size_t n = c->dims;
	GEMP_OWNED gemp_repro_sum *by = NULL;
	GEMP_OWNED double *high = NULL; /* [2][dims], then the low parts */
	code = GEMP_NEW(by, n);
	GEMP_THEN(GEMP_NEW(high, 2 * n));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	for (size_t k = 0; k < n; k++) {
		const double from = squared ? c->mean[k] : 0, bound = fmax(fabs(c->min[k] - from), fabs(c->max[k] - from));
		by[k] = gemp_repro_sum_of(squared ? bound * bound : bound, c->present[k]);
	}
	add_rows(c, x, count, by, squared, high, high + n);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, high, (int)(2 * n), MPI_DOUBLE, MPI_SUM, comm->world));
	for (size_t k = 0; k < n; k++)
		means[k] = c->present[k] > 0 ? (high[k] + high[n + k]) / c->present[k] : 0;
	return GEMP_OK;
}

gemp_code gemp_som_column_stats_new(gemp_som_column_stats *out, const gemp_comm *comm, const float *x, size_t count,
                                    uint32_t dims)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_som_column_stats){ .dims = dims };
	code = GEMP_NEW(out->min, dims);
	GEMP_THEN(GEMP_NEW(out->max, dims));
	GEMP_THEN(GEMP_NEW(out->mean, dims));
	GEMP_THEN(GEMP_NEW(out->present, dims));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	find_min_max(out, x, count);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->min, (int)dims, MPI_DOUBLE, MPI_MIN, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->max, (int)dims, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->present, (int)dims, MPI_DOUBLE, MPI_SUM, comm->world));
	for (uint32_t k = 0; k < dims; k++)
		if (out->present[k] == 0)
			out->min[k] = out->max[k] = 0;
	return find_means(out, comm, x, count, false, out->mean);
}

void gemp_som_column_stats_free(gemp_som_column_stats *columns)
{
	gemp_free_all(columns->min, columns->max, columns->mean, columns->present);
	*columns = (gemp_som_column_stats){ 0 };
}

gemp_code gemp_som_column_stats_deviation(const gemp_som_column_stats *columns, const gemp_comm *comm, const float *x,
                                          size_t count, double *deviation)
{
	GEMP_PROPAGATE(find_means(columns, comm, x, count, true, deviation));
	for (uint32_t k = 0; k < columns->dims; k++)
		deviation[k] = sqrt(deviation[k]);
	return GEMP_OK;
}
