#include "gas/spmv_scaled.h"

#include "core/log.h"
#include "core/memory.h"

#include <float.h>
#include <math.h>

bool gemp_spmv_in_range(const gemp_gas_layout *layout, bool twofold, const gemp_spmv_result *result)
{
	const double least = gemp_spmv_least(twofold);
	uint64_t outside = 0;
	for (uint32_t r = 0; r < result->report.rounds; r++)
		outside += !(result->greatest[r] >= least && result->greatest[r] <= 1 / least);
	for (uint32_t v = 0; v < layout->own; v++)
		outside += isfinite(result->y[v]) ? 0 : 1;
	return gemp_comm_sum1(layout->comm, outside) == 0;
}

static uint64_t longest_row(const gemp_gas_rows *rows)
{
	uint64_t longest = 0;
	for (uint32_t row = 0; rows->begin && row < rows->rows; row++) {
		uint64_t edges = rows->begin[row + 1] - rows->begin[row];
		longest = edges > longest ? edges : longest;
	}
	return longest;
}

/* Collective. x with a greatest value below 2^(exponent + 1) gives sums that are finite. */
static int greatest_exponent(const gemp_gas_layout *layout, bool twofold)
{
	const int most = (twofold ? DBL_MAX_EXP : FLT_MAX_EXP) - 2;
	double weight = layout->weights ? fmax(fabs(layout->least), fabs(layout->greatest)) : 1;
	uint64_t longest = longest_row(&layout->in) + longest_row(&layout->in_ghost) + longest_row(&layout->in_other);
	uint64_t edges = gemp_comm_sum1(layout->comm, longest);
	int sums = (weight > 0 ? ilogb(weight) : 0) + (edges ? ilogb((double)edges) : 0) + 2;
	return sums > 0 ? most - sums : most;
}

/* Collective. */
static double greatest_of(const gemp_gas_layout *layout, const double *values)
{
	double greatest = 0;
	for (uint32_t v = 0; v < layout->own; v++)
		greatest = fmax(greatest, fabs(values[v]));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, layout->comm->world));
	return greatest;
}

static void add_report(gemp_dense_report *sum, const gemp_dense_report *one)
{
	sum->rounds += one->rounds;
	sum->build = one->build;
	sum->prepare = one->prepare;
	sum->bytes = one->bytes;
	sum->wall += one->wall;
	sum->own += one->own;
	sum->ghost += one->ghost;
	sum->mail += one->mail;
	sum->agree += one->agree;
	sum->traffic.bytes += one->traffic.bytes;
	sum->traffic.messages += one->traffic.messages;
	sum->traffic.rounds += one->traffic.rounds;
}

/* Collective. One product of out->y, which has the greatest magnitude `greatest`, into its place; factor: how many times
 * as great that has become. */
static gemp_code multiply(gemp_spmv *spmv, const gemp_gas_layout *layout, int exponent, double *greatest,
                          double *factor, gemp_spmv_result *out)
{
	gemp_code code = GEMP_OK;
	int by = *greatest > 0 ? exponent - ilogb(*greatest) : 0;
	double before = ldexp(*greatest, by);
	gemp_spmv_result one = { 0 };
	for (uint32_t v = 0; v < layout->own; v++)
		out->y[v] = ldexp(out->y[v], by);
	GEMP_TRY(gemp_spmv_run(spmv, &(gemp_spmv_ask){ .x = out->y, .rounds = 1 }, &one));
	gemp_free(out->y);
	out->y = one.y;
	one.y = NULL;
	add_report(&out->report, &one.report);
	*greatest = greatest_of(layout, out->y);
	*factor = before > 0 ? *greatest / before : 0;
done:
	gemp_spmv_result_free(&one);
	return code;
}

gemp_code gemp_spmv_run_scaled(gemp_spmv *spmv, const gemp_gas_layout *layout, bool twofold, const gemp_spmv_ask *ask,
                               gemp_spmv_result *out)
{
	gemp_code code = GEMP_OK;
	const int exponent = greatest_exponent(layout, twofold);
	*out = (gemp_spmv_result){ 0 };
	code = GEMP_NEW(out->y, layout->own);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->greatest, ask->rounds);
	GEMP_TRY(gemp_comm_agree(layout->comm, code));
	for (uint32_t v = 0; v < layout->own; v++)
		out->y[v] = ask->x ? ask->x[v] : 1;
	double greatest = greatest_of(layout, out->y), given = greatest;
	for (uint32_t round = 0; round < ask->rounds && greatest > 0; round++) { /* what is 0 stays so */
		GEMP_TRY(multiply(spmv, layout, exponent, &greatest, &out->greatest[round], out));
		gemp_progress("multiplying", round + 1, ask->rounds, 0);
	}
	out->report.rounds = ask->rounds;
	out->greatest[0] *= given;
	for (uint32_t v = 0; greatest > 0 && v < layout->own; v++)
		out->y[v] /= greatest;
done:
	gemp_progress_end();
	if (code != GEMP_OK)
		gemp_spmv_result_free(out);
	return code;
}
