/* spmv: a sparse matrix times a vector, once or repeatedly.
 *
 *     y(v) = sum over edges u -> v of weight * x(u)
 *
 * The edges are the edges of the layout. Without weights each edge weighs 1, and parallel edges add up. For y = A x,
 * where A[i][j] is the weight of the edge i -> j, use a layout against the edges, so rows gather the values of their
 * targets. A layout along the edges multiplies by the transpose. */

#ifndef GEMP_ANALYTICS_DENSE_SPMV_H
#define GEMP_ANALYTICS_DENSE_SPMV_H

#include "analytics/dense/dense.h"

typedef struct gemp_spmv gemp_spmv;

typedef struct gemp_spmv_params {
	const double *x; /* [own] by local vertex; NULL: all values are 1 */
	uint32_t rounds; /* number of products; each y is the x of the next product; 0: y is x */
	/* y is divided by its largest magnitude in each round, unless that is 0, so sums neither overflow nor vanish */
	bool normal;
} gemp_spmv_params;

typedef struct gemp_spmv_result {
	double *y; /* [own] by local vertex; freed by gemp_spmv_result_free */
	/* [report.rounds] largest magnitude of all ranks before the division; infinite if no double holds it; NULL without
	 * `normal` */
	double *max;
	gemp_dense_report report;
} gemp_spmv_result;

/* Collective. The layout has GEMP_LAYOUT_IN and is borrowed. */
gemp_code gemp_spmv_new(gemp_spmv **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_dense_options *options);
void gemp_spmv_free(gemp_spmv *spmv); /* spmv may be NULL */

/* A run with `normal` keeps its precision while the largest magnitude of every round is at least this value and at most
 * its inverse. Otherwise the run is repeated, and the host scales the values before each product. */
static inline double gemp_spmv_min(bool fp64)
{
	return fp64 ? 0x1p-200 : 0x1p-30;
}

/* Returns a bound of the error of one product or value that underflows. With `normal` the bound is relative to the
 * largest magnitude, otherwise absolute. */
static inline double gemp_spmv_underflow(bool fp64, bool normal)
{
	double least = gemp_spmv_min(fp64), lost = fp64 ? 0x1p-1074 : 0x1p-149;
	return normal ? lost / least / least : lost;
}

/* Collective. May be called any number of times. */
gemp_code gemp_spmv_run(gemp_spmv *spmv, const gemp_spmv_params *params, gemp_spmv_result *out);
void gemp_spmv_result_free(gemp_spmv_result *result);

#endif
