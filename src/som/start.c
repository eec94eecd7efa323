#include "som/start.h"

#include "core/memory.h"
#include "core/random.h"

#include <float.h>
#include <math.h>

enum { SWEEPS = 64 };        /* of Jacobi's method, which takes about ten */
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

/* Collective. matrix: [dims][dims]. */
static void covariance(const gemp_comm *comm, const double *mean, const float *x, size_t count, uint32_t dims, double *matrix)
{
	const double samples = (double)gemp_comm_sum1(comm, count);
	for (size_t i = 0; i < count; i++)
		for (uint32_t a = 0; a < dims; a++) {
			const double by = (double)x[i * dims + a] - mean[a];
			for (uint32_t b = 0; isfinite(by) && b <= a; b++) {
				const double value = (double)x[i * dims + b] - mean[b];
				matrix[a * (size_t)dims + b] += isfinite(value) ? by * value : 0;
			}
		}
	for (uint32_t a = 0; a < dims; a++)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, matrix + a * (size_t)dims, (int)dims, MPI_DOUBLE, MPI_SUM, comm->world));
	for (uint32_t a = 0; a < dims; a++)
		for (uint32_t b = 0; b <= a; b++)
			matrix[b * (size_t)dims + a] = matrix[a * (size_t)dims + b] /= samples > 0 ? samples : 1;
}

/* One rotation of Jacobi's method, after which matrix[p][q] is 0. */
static void rotate(double *matrix, double *vectors, size_t n, size_t p, size_t q)
{
	const double off = matrix[p * n + q];
	if (off == 0)
		return;
	const double theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * off);
	const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
	for (size_t k = 0; k < n; k++) {
		const double a = matrix[k * n + p], b = matrix[k * n + q];
		matrix[k * n + p] = c * a - s * b;
		matrix[k * n + q] = s * a + c * b;
	}
	for (size_t k = 0; k < n; k++) {
		const double a = matrix[p * n + k], b = matrix[q * n + k];
		matrix[p * n + k] = c * a - s * b;
		matrix[q * n + k] = s * a + c * b;
	}
	for (size_t k = 0; k < n; k++) { /* rows are the eigenvectors */
		const double a = vectors[p * n + k], b = vectors[q * n + k];
		vectors[p * n + k] = c * a - s * b;
		vectors[q * n + k] = s * a + c * b;
	}
}

static double outside(const double *matrix, size_t n)
{
	double sum = 0;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < a; b++)
			sum += matrix[a * n + b] * matrix[a * n + b];
	return sum;
}

/* Eigenvalues into the diagonal. */
static void jacobi(double *matrix, double *vectors, size_t n)
{
	double trace = 0;
	for (size_t a = 0; a < n; a++) {
		vectors[a * n + a] = 1;
		trace += fabs(matrix[a * n + a]);
	}
	for (int sweep = 0; sweep < SWEEPS && outside(matrix, n) > 1e-30 * trace * trace; sweep++)
		for (size_t p = 0; p + 1 < n; p++)
			for (size_t q = p + 1; q < n; q++)
				rotate(matrix, vectors, n, p, q);
}

/* The eigenvector of the greatest value but for `not`, so turned that its greatest part is above 0, times the deviation. */
static size_t component(const double *matrix, const double *vectors, size_t n, size_t not, double *out)
{
	size_t most = n, part = 0;
	for (size_t a = 0; a < n; a++)
		if (a != not && (most == n || matrix[a * n + a] > matrix[most * n + most]))
			most = a;
	for (size_t k = 0; k < n; k++)
		out[k] = 0;
	if (most == n)
		return most;
	const double *vector = vectors + most * n;
	for (size_t k = 1; k < n; k++)
		part = fabs(vector[k]) > fabs(vector[part]) * (1 + 1e-9) ? k : part;
	for (size_t k = 0; k < n; k++)
		out[k] = (vector[part] < 0 ? -1 : 1) * vector[k] * stretch * sqrt(fmax(matrix[most * n + most], 0));
	return most;
}

/* -1 to 1. */
static double along(uint32_t at, uint32_t side)
{
	return side > 1 ? 2.0 * at / (side - 1) - 1 : 0;
}

gemp_code gemp_som_start_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count, uint32_t dims, float *w)
{
	gemp_code code = GEMP_OK;
	double *matrix = NULL, *vectors = NULL, *axes = NULL;
	column_sums sums = { 0 };
	code = GEMP_NEW(matrix, (size_t)dims * dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(vectors, (size_t)dims * dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(axes, 2 * (size_t)dims);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(column_sums_new(&sums, comm, x, count, dims));
	covariance(comm, sums.mean, x, count, dims, matrix);
	jacobi(matrix, vectors, dims);
	const size_t first = component(matrix, vectors, dims, dims, axes);
	component(matrix, vectors, dims, first, axes + dims);
	for (uint32_t unit = 0; unit < gemp_som_units(grid); unit++) {
		const double across = along(unit % grid->columns, grid->columns), down = along(unit / grid->columns, grid->rows);
		const double a = grid->columns >= grid->rows ? across : down, b = grid->columns >= grid->rows ? down : across;
		for (uint32_t k = 0; k < dims; k++)
			w[(size_t)unit * dims + k] = (float)(sums.mean[k] + a * axes[k] + b * axes[dims + k]);
	}
done:
	column_sums_free(&sums);
	gemp_free(matrix);
	gemp_free(vectors);
	gemp_free(axes);
	return code;
}
