/* spmv: a sparse matrix times a vector, once or again and again.
 *
 *     y(v) = sum over edges u -> v of weight * x(u)
 *
 * of the layout's edges; without weights each weighs 1, parallel edges add up. For y = A x, where A[i][j] is the weight of the
 * edge i -> j, rows gather what their targets have: a layout AGAINST the edges. ALONG them it is the transpose.
 */

#ifndef GEMP_ANALYTICS_DENSE_SPMV_H
#define GEMP_ANALYTICS_DENSE_SPMV_H

#include "analytics/dense/dense.h"

typedef struct gemp_spmv gemp_spmv;

typedef struct gemp_spmv_params {
	const double *x; /* [own] by local vertex; NULL: all 1 */
	uint32_t rounds; /* how often: x becomes y; 0: y is x */
	bool normal;     /* y is divided by the greatest of its magnitudes, unless that is 0, in each round; sums do not
	                     overflow then, nor vanish because they are small */
} gemp_spmv_params;

typedef struct gemp_spmv_result {
	double *y;   /* [own] by local vertex; gemp_spmv_result_free */
	double *max; /* [report.rounds] greatest magnitude before the division, of all ranks, infinite if no double
	                     holds it; NULL unless normal */
	gemp_dense_report report;
} gemp_spmv_result;

/* Collective. The layout has GEMP_LAYOUT_IN and is borrowed. */
gemp_code gemp_spmv_new(gemp_spmv **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_dense_options *options);
void gemp_spmv_free(gemp_spmv *spmv); /* takes NULL */

/* The greatest magnitude of a round is at least this and at most its inverse where normal runs go at full speed; where one is
 * not, the run is made again, with values that are scaled on the host before each product. */
static inline double gemp_spmv_min(bool fp64)
{
	return fp64 ? 0x1p-200 : 0x1p-30;
}

/* How much of the greatest magnitude, if normal, else how much of 1, a product or a value may be off by because it is too small
 * for the precision. */
static inline double gemp_spmv_underflow(bool fp64, bool normal)
{
	double least = gemp_spmv_min(fp64), lost = fp64 ? 0x1p-1074 : 0x1p-149;
	return normal ? lost / least / least : lost;
}

/* Collective. As often as wanted. */
gemp_code gemp_spmv_run(gemp_spmv *spmv, const gemp_spmv_params *params, gemp_spmv_result *out);
void gemp_spmv_result_free(gemp_spmv_result *result);

#endif
