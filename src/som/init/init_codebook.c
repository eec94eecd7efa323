#include "som/init/init_codebook.h"

#include "core/memory.h"
#include "core/random.h"
#include "som/init/column_stats.h"
#include "som/init/pca.h"

#include <math.h>

static const double border_deviations = 2; /* deviations from the mean to the border */

gemp_code gemp_som_init_random(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                               uint32_t dims, uint64_t seed, float *w)
{
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	GEMP_PROPAGATE(gemp_som_column_stats_new(&columns, comm, x, count, dims));
	for (size_t at = 0; at < (size_t)gemp_som_units(grid) * dims; at++) {
		const double min = columns.min[at % dims], max = columns.max[at % dims];
		w[at] = (float)(min + gemp_random_unit(&seed) * (max - min));
	}
	return GEMP_OK;
}

/* Each unit's sample is drawn alike on all ranks; its owner contributes the values, the others 0. */
gemp_code gemp_som_init_samples(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                                uint32_t dims, uint64_t seed, float *w)
{
	const uint64_t before = gemp_comm_exscan(comm, count), all = gemp_comm_sum1(comm, count);
	const uint32_t units = gemp_som_units(grid);
	const size_t values = (size_t)units * dims;
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	if (all == 0)
		return gemp_fail(GEMP_EDATA, "there is no sample to begin with; give samples, or start random");
	GEMP_PROPAGATE(gemp_som_column_stats_new(&columns, comm, x, count, dims));
	for (uint32_t unit = 0; unit < units; unit++) {
		const uint64_t sample = gemp_random_below(&seed, all);
		const bool own = sample >= before && sample - before < count;
		for (uint32_t k = 0; k < dims; k++) {
			const float value = own ? x[(sample - before) * dims + k] : 0;
			w[(size_t)unit * dims + k] = isfinite(value) ? value : (float)columns.mean[k];
		}
	}
	for (size_t done = 0; done < values; done += INT32_MAX) /* the others' are 0, so that a sum is exact */
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, w + done, (int)(values - done < INT32_MAX ? values - done : INT32_MAX),
		                       MPI_FLOAT, MPI_SUM, comm->world));
	return GEMP_OK;
}

/* A coordinate of the grid, from -1 to 1. */
static double position(uint32_t at, uint32_t side)
{
	return side > 1 ? 2.0 * at / (side - 1) - 1 : 0;
}

gemp_code gemp_som_init_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                            uint32_t dims, float *w)
{
	GEMP_OWNED double *axes = NULL;
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(axes, 2 * (size_t)dims)));
	GEMP_PROPAGATE(gemp_som_column_stats_new(&columns, comm, x, count, dims));
	GEMP_PROPAGATE(gemp_som_principal(comm, x, count, dims, columns.mean, axes));
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
