#include "som/init/init_codebook.h"

#include "core/memory.h"
#include "core/random.h"
#include "som/init/pca.h"

#include <float.h>
#include <math.h>

/* Local. Finds extremes and counts of each column; values that are not finite are missing. The loop has no branch,
 * which lets the compiler vectorise it over columns. A column without values keeps DBL_MAX and -DBL_MAX, which do
 * not change the minimum and maximum of the other ranks. */
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

/* Local. Adds the values, or the squares of their distances from the mean, to high[dims] and low[dims]. A missing value
 * adds 0. */
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

/* Collective. means[dims] becomes the means of the values or, if `squared`, the means of the squared distances from the
 * mean. */
static gemp_code find_means(const gemp_som_column_stats *c, const gemp_comm *comm, const float *x, size_t count,
                            bool squared, double *means)
{
	const size_t n = c->dims;
	GEMP_OWNED gemp_repro_sum *by = NULL;
	GEMP_OWNED double *high = NULL; /* [dims] high parts, then the low parts */
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(by, n), GEMP_ARRAY(high, 2 * n))));
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

/* Collective. The mean takes two passes. The first pass finds the range of the values, by which the second pass splits
 * them for a reproducible sum. */
gemp_code gemp_som_column_stats_new(gemp_som_column_stats *out, const gemp_comm *comm, const float *x, size_t count,
                                    uint32_t dims)
{
	*out = (gemp_som_column_stats){ .dims = dims };
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(out->min, dims), GEMP_ARRAY(out->max, dims),
	                                            GEMP_ARRAY(out->mean, dims), GEMP_ARRAY(out->present, dims))));
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

/* Collective. These are deviations of the population: sums are divided by the number of values, not by the number less
 * 1. */
gemp_code gemp_som_column_stats_deviation(const gemp_som_column_stats *columns, const gemp_comm *comm, const float *x,
                                          size_t count, double *deviation)
{
	GEMP_TRY(find_means(columns, comm, x, count, true, deviation));
	for (uint32_t k = 0; k < columns->dims; k++)
		deviation[k] = sqrt(deviation[k]);
	return GEMP_OK;
}

static const double border_deviations = 2; /* standard deviations from the mean to the border of the map */

/* Collective. All ranks draw the same numbers, as they have the same seed and the same statistics. The codebook
 * therefore need not be broadcast. */
gemp_code gemp_som_init_random(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                               uint32_t dims, uint64_t seed, float *w)
{
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	GEMP_TRY(gemp_som_column_stats_new(&columns, comm, x, count, dims));
	for (size_t at = 0; at < (size_t)gemp_som_units(grid) * dims; at++) {
		const double min = columns.min[at % dims], max = columns.max[at % dims];
		w[at] = (float)(min + gemp_random_unit(&seed) * (max - min));
	}
	return GEMP_OK;
}

/* Collective. All ranks draw the same sample for each unit, as a number among the samples of all ranks. The owner of
 * the sample contributes its values, and the other ranks contribute 0. On the owner a missing value becomes the
 * column's mean. On the other ranks 0 is no missing value, so it stays 0. */
gemp_code gemp_som_init_samples(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                                uint32_t dims, uint64_t seed, float *w)
{
	const uint64_t before = gemp_comm_exscan(comm, count), all = gemp_comm_sum1(comm, count);
	const uint32_t units = gemp_som_units(grid);
	const size_t values = (size_t)units * dims;
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	if (all == 0)
		return gemp_fail(GEMP_EDATA, "there is no sample to begin with; give samples, or start random");
	GEMP_TRY(gemp_som_column_stats_new(&columns, comm, x, count, dims));
	for (uint32_t unit = 0; unit < units; unit++) {
		const uint64_t sample = gemp_random_below(&seed, all);
		const bool own = sample >= before && sample - before < count;
		for (uint32_t k = 0; k < dims; k++) {
			const float value = own ? x[(sample - before) * dims + k] : 0;
			w[(size_t)unit * dims + k] = isfinite(value) ? value : (float)columns.mean[k];
		}
	}
	for (size_t done = 0; done < values; done += INT32_MAX) /* exact, since at most one term is not 0 */
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, w + done, (int)gemp_min(values - done, INT32_MAX), MPI_FLOAT, MPI_SUM,
		                       comm->world));
	return GEMP_OK;
}

/* Returns the coordinate of a column or row on a side of the grid, from -1 to 1. It is 0 if the side has one unit. */
static double position(uint32_t at, uint32_t side)
{
	return side > 1 ? 2.0 * at / (side - 1) - 1 : 0;
}

/* Collective. The first component lies along the longer side of the map. */
gemp_code gemp_som_init_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                            uint32_t dims, float *w)
{
	GEMP_OWNED double *axes = NULL;
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(axes, 2 * (size_t)dims)));
	GEMP_TRY(gemp_som_column_stats_new(&columns, comm, x, count, dims));
	GEMP_TRY(gemp_som_principal(comm, x, count, dims, columns.mean, axes));
	for (uint32_t unit = 0; unit < gemp_som_units(grid); unit++) {
		const double across = position(unit % grid->columns, grid->columns),
					 down = position(unit / grid->columns, grid->rows);
		const double a = grid->columns >= grid->rows ? across : down, b = grid->columns >= grid->rows ? down : across;
		for (uint32_t k = 0; k < dims; k++)
			w[(size_t)unit * dims + k] = (float)(columns.mean[k] +
			                                     border_deviations * (a * axes[k] + b * axes[dims + k]));
	}
	return GEMP_OK;
}
