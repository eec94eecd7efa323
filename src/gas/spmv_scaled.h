/* spmv_scaled: products of --normalize whose numbers leave the range of their precision. Of spmv alone.
 *
 * Values are multiplied by a power of 2 before each product, which rounds nothing, so that no sum can overflow: not even if
 * the greatest value met the greatest weight at each edge of the longest row. For this the host has the values after each
 * round.
 */
#ifndef GEMP_GAS_SPMV_SCALED_H
#define GEMP_GAS_SPMV_SCALED_H

#include "gas/spmv.h"

/* Was the greatest magnitude of each round such that sums were in range, and all of y finite? Collective. */
bool gemp_spmv_in_range(const gemp_gas_layout *layout, bool twofold, const gemp_spmv_result *result);

/* Collective. What gemp_spmv_run finds of an `ask` that is normal. */
gemp_code gemp_spmv_run_scaled(gemp_spmv *spmv, const gemp_gas_layout *layout, bool twofold, const gemp_spmv_ask *ask,
                               gemp_spmv_result *out);

#endif
