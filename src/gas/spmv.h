/* spmv: a sparse matrix times a vector, once or again and again.
 *
 *     y(v) = sum over edges u -> v of weight * x(u)
 *
 * of the layout's edges; without weights each weighs 1, parallel edges add up. For y = A x, where A[i][j] is the weight of the
 * edge i -> j, rows gather what their targets have: a layout AGAINST the edges. ALONG them it is the transpose.
 */
#ifndef GEMP_GAS_SPMV_H
#define GEMP_GAS_SPMV_H

#include "gas/dense.h"

typedef struct gemp_spmv gemp_spmv;

typedef struct gemp_spmv_ask {
	const double *x;  /* [own] by local vertex; NULL: all 1 */
	uint32_t rounds;  /* how often: x becomes y; 0: y is x */
	bool normal;      /* y is divided by the greatest of its magnitudes, unless that is 0, in each round */
} gemp_spmv_ask;

typedef struct gemp_spmv_result {
	double *y;        /* [own] by local vertex; gemp_spmv_result_free */
	double *greatest; /* [report.rounds] greatest magnitude before the division, of all ranks; NULL unless normal */
	gemp_dense_report report;
} gemp_spmv_result;

/* Collective. The layout has GEMP_GAS_IN and is borrowed. */
gemp_code gemp_spmv_new(gemp_spmv **out, const gemp_gas_layout *layout, gemp_device *device, const gemp_dense_options *options);
void gemp_spmv_free(gemp_spmv *spmv); /* takes NULL */

/* Collective. As often as wanted. */
gemp_code gemp_spmv_run(gemp_spmv *spmv, const gemp_spmv_ask *ask, gemp_spmv_result *out);
void gemp_spmv_result_free(gemp_spmv_result *result);

#endif
