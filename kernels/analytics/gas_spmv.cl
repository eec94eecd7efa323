/* gas_spmv: sparse matrix times vector. The product can be repeated, and each product can be divided by the largest
 * magnitude of the previous product (normalisation).
 *
 * The largest magnitude of a round is stored as the bits of a non-negative double. The bits have the same order as the
 * numbers, so an atomic maximum of integers finds the largest magnitude. */
#include "gas_dense.clh"
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

static inline gas_real gas_scatter(gas_real value, gas_weight weight)
{
	return value * (gas_real)weight;
}

#define SPMV_PARAMETERS                                                                                    \
	__global gas_real *restrict to, volatile __global ulong *greatest, uint round, uint normal, double divisor

typedef struct gas_apply {
	__global gas_real *to;
	gas_real scale, greatest;
} gas_apply;

static inline void gas_apply_row(gas_apply *apply, uint row, gas_real sum)
{
	sum *= apply->scale;
	apply->to[row] = sum;
	apply->greatest = fmax(apply->greatest, fabs(sum));
}

#include "gas_pull.clh"

/* The factor of the sums: 1 / the largest magnitude of the previous round; 1 if that magnitude is 0 or normalisation is
 * off. */
static inline gas_real spmv_scale(volatile __global const ulong *greatest, uint round, uint normal, uint how, double divisor)
{
	if (!normal)
		return 1;
	double of = how & GAS_GIVEN ? divisor : as_double(greatest[round]);
	return of > 0 ? (gas_real)(1 / of) : 1;
}

static inline void spmv_end(GEMP_GROUP_PARAMETER const gas_apply *apply, volatile __global ulong *greatest, uint round,
                            uint normal)
{
	ulong bits = as_ulong((double)apply->greatest);
	if (!normal)
		return;
	for (uint step = 1; step < GEMP_LANES; step <<= 1) {
		ulong other = gemp_shuffle64(bits, gemp_lane() ^ step);
		bits = max(bits, other);
	}
	if (gemp_lane() == 0 && bits)
		atom_max(&greatest[round + 1], bits);
}

GAS_KERNEL void spmv_pull(PULL_PARAMETERS, SPMV_PARAMETERS)
{
	PULL_DECLARE
	pull_rows rows = PULL_ROWS;
	gas_apply apply = { to, spmv_scale(greatest, round, normal, how, divisor), 0 };
	pull(&rows, &apply);
	spmv_end(GEMP_GROUP_PASS &apply, greatest, round, normal);
}

#ifdef GAS_BINNED
#include "gas_binned.clh"

GAS_KERNEL void spmv_gather(BINNED_PARAMETERS, uint how, SPMV_PARAMETERS)
{
	BINNED_DECLARE
	binned_add(true);
}

GAS_KERNEL void spmv_finish(PULL_PARAMETERS, __global const gas_real *restrict sums, __global const uint *restrict first,
                            uint count, SPMV_PARAMETERS)
{
	BINNED_FINISH_DECLARE
	pull_rows rows = PULL_ROWS;
	gas_apply apply = { to, spmv_scale(greatest, round, normal, how, divisor), 0 };
	binned_finish(&rows, &apply, sums, first, count);
	spmv_end(GEMP_GROUP_PASS &apply, greatest, round, normal);
}
#endif
