#include "som/columns.h"

#include "core/fold.h"
#include "core/memory.h"

#include <float.h>

static void find_ends(gemp_som_columns *c, const float *x, size_t count)
{
	const size_t n = c->dims;
	double *restrict least = c->least, *restrict greatest = c->greatest, *restrict there = c->there;
	for (size_t k = 0; k < n; k++) {
		least[k] = DBL_MAX;
		greatest[k] = -DBL_MAX;
	}
	for (size_t i = 0; i < count; i++) {
		const float *restrict row = x + i * n;
		for (size_t k = 0; k < n; k++) {
			const double value = row[k];
			const bool is = fabs(value) <= DBL_MAX;
			least[k] = is && value < least[k] ? value : least[k];
			greatest[k] = is && value > greatest[k] ? value : greatest[k];
			there[k] += is;
		}
	}
}

/* A value that is missing adds 0. */
static void add_rows(const gemp_som_columns *c, const float *x, size_t count, const gemp_fold *restrict by, bool squared,
                     double *restrict high, double *restrict low)
{
	const size_t n = c->dims;
	const double *restrict mean = c->mean;
	for (size_t i = 0; i < count; i++) {
		const float *restrict row = x + i * n;
		for (size_t k = 0; k < n; k++) {
			const double apart = squared ? row[k] - mean[k] : row[k], value = squared ? apart * apart : apart;
			gemp_fold_add(by[k], fabsf(row[k]) <= FLT_MAX ? value : 0, &high[k], &low[k]);
		}
	}
}

/* Collective. means[dims] of the values themselves or, `squared`, of the squares of their distances from the mean. */
static gemp_code find_means(const gemp_som_columns *c, const gemp_comm *comm, const float *x, size_t count, bool squared,
                            double *means)
{
	gemp_code code = GEMP_OK;
	const size_t n = c->dims;
	gemp_fold *by = NULL;
	double *high = NULL; /* [2][dims], then the low parts */
	code = GEMP_NEW(by, n);
	if (code == GEMP_OK)
		code = GEMP_NEW(high, 2 * n);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t k = 0; k < n; k++) {
		const double from = squared ? c->mean[k] : 0, most = fmax(fabs(c->least[k] - from), fabs(c->greatest[k] - from));
		by[k] = gemp_fold_of(squared ? most * most : most, c->there[k]);
	}
	add_rows(c, x, count, by, squared, high, high + n);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, high, (int)(2 * n), MPI_DOUBLE, MPI_SUM, comm->world));
	for (size_t k = 0; k < n; k++)
		means[k] = c->there[k] > 0 ? (high[k] + high[n + k]) / c->there[k] : 0;
done:
	gemp_free(by);
	gemp_free(high);
	return code;
}

gemp_code gemp_som_columns_new(gemp_som_columns *out, const gemp_comm *comm, const float *x, size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_som_columns){ .dims = dims };
	code = GEMP_NEW(out->least, dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->greatest, dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->mean, dims);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->there, dims);
	GEMP_TRY(gemp_comm_agree(comm, code));
	find_ends(out, x, count);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->least, (int)dims, MPI_DOUBLE, MPI_MIN, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->greatest, (int)dims, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out->there, (int)dims, MPI_DOUBLE, MPI_SUM, comm->world));
	for (uint32_t k = 0; k < dims; k++)
		if (out->there[k] == 0)
			out->least[k] = out->greatest[k] = 0;
	code = find_means(out, comm, x, count, false, out->mean);
done:
	return code;
}

void gemp_som_columns_free(gemp_som_columns *columns)
{
	gemp_free(columns->least);
	gemp_free(columns->greatest);
	gemp_free(columns->mean);
	gemp_free(columns->there);
	*columns = (gemp_som_columns){ 0 };
}

gemp_code gemp_som_columns_deviation(const gemp_som_columns *columns, const gemp_comm *comm, const float *x, size_t count,
                                     double *deviation)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(find_means(columns, comm, x, count, true, deviation));
	for (uint32_t k = 0; k < columns->dims; k++)
		deviation[k] = sqrt(deviation[k]);
done:
	return code;
}
