#include "som/start.h"

#include "core/memory.h"
#include "core/random.h"
#include "som/principal.h"

#include <float.h>
#include <math.h>

static const double stretch = 2; /* deviations from the mean to the border */

/* Of all ranks' samples, each value on its own. */
typedef struct column_sums {
	double *least, *greatest, *mean; /* [dims]; 0 where there is no value */
} column_sums;

static void column_sums_free(column_sums *sums)
{
	gemp_free(sums->least);
	gemp_free(sums->greatest);
	gemp_free(sums->mean);
}

/* Collective. */
static gemp_code column_sums_new(column_sums *out, const gemp_comm *comm, const float *x, size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	double *there = NULL; /* [dims], samples */
	*out = (column_sums){ 0 };
	code = GEMP_NEW(out->least, dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->greatest, dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->mean, dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(there, dims);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (uint32_t k = 0; k < dims; k++) {
		out->least[k] = DBL_MAX;
		out->greatest[k] = -DBL_MAX;
	}
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < dims; k++) {
			const double value = x[i * dims + k];
			if (!isfinite(value))
				continue;
			out->least[k] = fmin(out->least[k], value);
			out->greatest[k] = fmax(out->greatest[k], value);
			out->mean[k] += value;
			there[k]++;
		}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->least, (int)dims, MPI_DOUBLE, MPI_MIN, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->greatest, (int)dims, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->mean, (int)dims, MPI_DOUBLE, MPI_SUM, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, there, (int)dims, MPI_DOUBLE, MPI_SUM, comm->world));
	for (uint32_t k = 0; k < dims; k++) {
		out->mean[k] = there[k] > 0 ? out->mean[k] / there[k] : 0;
		if (there[k] == 0)
			out->least[k] = out->greatest[k] = 0;
	}
done:
	gemp_free(there);
	if (code != GEMP_OK)
		column_sums_free(out);
	return code;
}

gemp_code gemp_som_start_random(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count, uint32_t dims,
                                uint64_t seed, float *w)
{
	gemp_code code = GEMP_OK;
	column_sums sums;
	GEMP_TRY(column_sums_new(&sums, comm, x, count, dims));
	for (size_t at = 0; at < (size_t)gemp_som_units(grid) * dims; at++) {
		const double least = sums.least[at % dims], greatest = sums.greatest[at % dims];
		w[at] = (float)(least + gemp_random_unit(&seed) * (greatest - least));
	}
	column_sums_free(&sums);
done:
	return code;
}

gemp_code gemp_som_start_samples(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count, uint32_t dims,
                                 uint64_t seed, float *w)
{
	gemp_code code = GEMP_OK;
	const uint64_t before = gemp_comm_before(comm, count), all = gemp_comm_sum1(comm, count);
	const uint32_t units = gemp_som_units(grid);
	const size_t values = (size_t)units * dims;
	column_sums sums;
	if (all == 0)
		return gemp_fail(GEMP_EDATA, "there is no sample to begin with; give samples, or --start random");
	GEMP_TRY(column_sums_new(&sums, comm, x, count, dims));
	for (uint32_t unit = 0; unit < units; unit++) {
		const uint64_t sample = gemp_random_below(&seed, all);
		const bool own = sample >= before && sample - before < count;
		for (uint32_t k = 0; k < dims; k++) {
			const float value = own ? x[(sample - before) * dims + k] : 0;
			w[(size_t)unit * dims + k] = isfinite(value) ? value : (float)sums.mean[k];
		}
	}
	for (size_t done = 0; done < values; done += INT32_MAX) /* the others' are 0, so that a sum is exact */
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, w + done, (int)(values - done < INT32_MAX ? values - done : INT32_MAX), MPI_FLOAT,
		                       MPI_SUM, comm->world));
	column_sums_free(&sums);
done:
	return code;
}

/* PRINCIPAL COMPONENTS */

/* -1 to 1. */
static double along(uint32_t at, uint32_t side)
{
	return side > 1 ? 2.0 * at / (side - 1) - 1 : 0;
}

gemp_code gemp_som_start_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count, uint32_t dims, float *w)
{
	gemp_code code = GEMP_OK;
	double *axes = NULL;
	column_sums sums = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(axes, 2 * (size_t)dims)));
	GEMP_TRY(column_sums_new(&sums, comm, x, count, dims));
	GEMP_TRY(gemp_som_principal(comm, x, count, dims, sums.mean, axes));
	for (uint32_t unit = 0; unit < gemp_som_units(grid); unit++) {
		const double across = along(unit % grid->columns, grid->columns), down = along(unit / grid->columns, grid->rows);
		const double a = grid->columns >= grid->rows ? across : down, b = grid->columns >= grid->rows ? down : across;
		for (uint32_t k = 0; k < dims; k++)
			w[(size_t)unit * dims + k] = (float)(sums.mean[k] + stretch * (a * axes[k] + b * axes[dims + k]));
	}
done:
	column_sums_free(&sums);
	gemp_free(axes);
	return code;
}
