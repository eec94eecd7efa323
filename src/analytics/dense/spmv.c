/* spmv: products of a sparse matrix and a vector, on the device. With `normal` the vector is divided by its largest
 * magnitude in each round. If sums still leave the range of the precision, the run is repeated with scaling: before
 * each product the host multiplies the values by a power of 2, which rounds nothing. The power is chosen such that no
 * sum can overflow, even if every edge of the longest row had the largest weight and a source with the largest value.
 * The repeated run needs the values on the host after each round. */

#include "analytics/dense/spmv.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/timer.h"
#include "kernels/analytics/gas_dense_abi.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Collective. Did the sums of every round keep their precision (gemp_spmv_min), and are all values of y finite? */
static bool is_in_range(const gemp_layout *layout, bool fp64, const gemp_spmv_result *result)
{
	const double least = gemp_spmv_min(fp64);
	uint64_t outside = 0;
	for (uint32_t r = 0; r < result->report.rounds; r++)
		outside += !(result->max[r] >= least && result->max[r] <= 1 / least);
	for (uint32_t v = 0; v < layout->own; v++)
		outside += isfinite(result->y[v]) ? 0 : 1;
	return gemp_comm_sum1(layout->comm, outside) == 0;
}

/* The number of edges of the longest row. */
static uint64_t longest_row(const gemp_layout_rows *rows)
{
	uint64_t longest = 0;
	for (uint32_t row = 0; rows->begin && row < rows->rows; row++)
		longest = gemp_max(longest, rows->begin[row + 1] - rows->begin[row]);
	return longest;
}

/* Collective. Returns an exponent such that values below 2^(exponent + 1) have finite sums. On a grid the edges of a
 * vertex lie on several ranks and in three kinds of rows. So the lengths of the longest rows of each kind, summed over
 * all ranks, bound the number of edges of any vertex. */
static int max_exponent(const gemp_layout *layout, bool fp64)
{
	const int most = (fp64 ? DBL_MAX_EXP : FLT_MAX_EXP) - 2;
	double weight = layout->weights ? fmax(fabs(layout->min_weight), fabs(layout->max_weight)) : 1;
	uint64_t longest = longest_row(&layout->in) + longest_row(&layout->in_ghost) + longest_row(&layout->in_other);
	uint64_t edges = gemp_comm_sum1(layout->comm, longest);
	int sums = (weight > 0 ? ilogb(weight) : 0) + (edges ? ilogb((double)edges) : 0) + 2;
	return sums > 0 ? most - sums : most;
}

/* Collective. The largest magnitude of the values of all ranks. */
static double max_magnitude(const gemp_layout *layout, const double *values)
{
	double greatest = 0;
	for (uint32_t v = 0; v < layout->own; v++)
		greatest = fmax(greatest, fabs(values[v]));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, layout->comm->world));
	return greatest;
}

/* The report of a scaled run is the sum of the reports of its single products. */
static void add_report(gemp_dense_report *sum, const gemp_dense_report *one)
{
	sum->rounds += one->rounds;
	sum->build = one->build;
	sum->prepare = one->prepare;
	sum->bytes = one->bytes;
	sum->wall += one->wall;
	sum->own += one->own;
	sum->ghost += one->ghost;
	sum->halo += one->halo;
	sum->agree += one->agree;
	sum->sum_bytes += one->sum_bytes;
	sum->traffic.bytes += one->traffic.bytes;
	sum->traffic.messages += one->traffic.messages;
	sum->traffic.rounds += one->traffic.rounds;
}

struct gemp_spmv {
	gemp_dense dense;
};

/* Collective. Replaces out->y, whose largest magnitude is *greatest, by the product of the matrix and out->y, and
 * updates *greatest. *factor: the growth of the largest magnitude. */
static gemp_code multiply_scaled(gemp_spmv *spmv, const gemp_layout *layout, int exponent, double *greatest,
                                 double *factor, gemp_spmv_result *out)
{
	int by = *greatest > 0 ? exponent - ilogb(*greatest) : 0;
	double before = ldexp(*greatest, by);
	GEMP_OWNED_BY(gemp_spmv_result_free) gemp_spmv_result one = { 0 };
	for (uint32_t v = 0; v < layout->own; v++)
		out->y[v] = ldexp(out->y[v], by);
	GEMP_TRY(gemp_spmv_run(spmv, &(gemp_spmv_params){ .x = out->y, .rounds = 1 }, &one));
	gemp_free(out->y);
	out->y = one.y;
	one.y = NULL;
	add_report(&out->report, &one.report);
	*greatest = max_magnitude(layout, out->y);
	*factor = before > 0 ? *greatest / before : 0;
	return GEMP_OK;
}

/* Collective. Repeats a `normal` run with scaling by the host. */
static gemp_code run_scaled(gemp_spmv *spmv, const gemp_layout *layout, bool fp64, const gemp_spmv_params *params,
                            gemp_spmv_result *out)
{
	const int exponent = max_exponent(layout, fp64);
	*out = (gemp_spmv_result){ 0 };
	gemp_code code = gemp_new_all(GEMP_ARRAY(out->y, layout->own), GEMP_ARRAY(out->max, params->rounds));
	GEMP_TRY_DONE(gemp_comm_agree(layout->comm, code));
	for (uint32_t v = 0; v < layout->own; v++)
		out->y[v] = params->x ? params->x[v] : 1;
	double greatest = max_magnitude(layout, out->y), given = greatest;
	/* the product with a vector of zeros is the same vector */
	for (uint32_t round = 0; round < params->rounds && greatest > 0; round++) {
		GEMP_TRY_DONE(multiply_scaled(spmv, layout, exponent, &greatest, &out->max[round], out));
		gemp_progress("multiplying", round + 1, params->rounds, 0);
	}
	out->report.rounds = params->rounds;
	out->max[0] *= given;
	for (uint32_t v = 0; greatest > 0 && v < layout->own; v++)
		out->y[v] /= greatest;
done:
	gemp_progress_end();
	if (code != GEMP_OK)
		gemp_spmv_result_free(out);
	return code;
}

/* BATCH, MAX_BATCH: the number of rounds that one rank launches before it waits, at first and at most. BATCH_SECONDS:
 * the time that a batch should take. */
enum { BATCH = 64, MAX_BATCH = 1 << 20 };
static const double BATCH_SECONDS = 0.25;

typedef struct spmv_run {
	gemp_spmv *it;
	const gemp_spmv_params *params;
	gemp_spmv_result *out;
	gemp_buffer greatest; /* [rounds + 1] the largest magnitude after each round, as the bits of a double */
	double divisor;       /* with several ranks: the largest magnitude after the previous round */
} spmv_run;

/* The steps before gemp_dense_connect are local. The ranks agree on their code there, so no rank waits for a rank that
 * has failed. If `it` is NULL, the code is a failure, and gemp_dense_connect does not read its first argument. */
gemp_code gemp_spmv_new(gemp_spmv **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_dense_options *options)
{
	gemp_spmv *it = NULL;
	gemp_code code = GEMP_NEW(it, 1);
	GEMP_THEN(gemp_dense_new(&it->dense, layout, device, "spmv", "", options));
	code = gemp_dense_connect(it ? &it->dense : NULL, layout->comm, code);
	*out = code == GEMP_OK ? it : NULL;
	if (code != GEMP_OK)
		gemp_spmv_free(it);
	return code;
}

/* After a failure kernels may still be running on the buffers, so the queue is finished first. */
void gemp_spmv_free(gemp_spmv *it)
{
	if (!it)
		return;
	if (it->dense.device)
		clFinish(it->dense.device->queue);
	gemp_dense_free(&it->dense);
	gemp_free(it);
}

/* Launches a round over a part of the edges, from value[round % 2] to the other values. Kernels keep the maxima of all
 * rounds. */
static gemp_code launch_round(void *self, gemp_dense_part part, uint32_t round, cl_uint how)
{
	const spmv_run *run = self;
	gemp_dense *dense = &run->it->dense;
	const cl_uint normal = run->params->normal;
	const gemp_argument more[] = { GEMP_ARG(&dense->value[(round + 1) % 2].mem), GEMP_ARG(&run->greatest.mem),
		                           GEMP_ARG(&round), GEMP_ARG(&normal), GEMP_ARG(&run->divisor) };
	return gemp_dense_gather(dense, part, (int)(round % 2), how, more, sizeof more / sizeof *more);
}

/* Batches grow until a batch takes BATCH_SECONDS. Then progress is reported often enough, and the device does not wait
 * for launches. */
static gemp_code run_one_rank(spmv_run *run)
{
	gemp_device *device = run->it->dense.device;
	uint32_t rounds = run->params->rounds, batch = BATCH;
	for (uint32_t round = 0; round < rounds;) {
		double since = gemp_now();
		gemp_progress("multiplying", round, rounds, 0);
		for (uint32_t end = rounds - round < batch ? rounds : round + batch; round < end; round++)
			GEMP_TRY(launch_round(run, GEMP_DENSE_OWN, round, 0));
		GEMP_TRY(GEMP_CL(clFinish(device->queue)));
		if (gemp_now() - since < BATCH_SECONDS && batch < MAX_BATCH)
			batch *= 2;
	}
	if (run->params->normal && run->params->rounds)
		return gemp_buffer_read(device, &run->greatest, sizeof(double), run->params->rounds * sizeof(double),
		                        run->out->max);
	return GEMP_OK;
}

/* greatest[round] is the largest magnitude after `round` products. greatest[0] belongs to no product. */
static gemp_code fetch_max(void *self, uint32_t round)
{
	const spmv_run *run = self;
	if (!run->params->normal || round == 0)
		return GEMP_OK;
	return gemp_dense_fetch(&run->it->dense, &run->greatest, round * sizeof(double), sizeof(double));
}

/* The bits of non-negative doubles have the order of the doubles, so the ranks agree on the maximum of these bits as
 * integers. */
static gemp_code read_max(void *self, uint32_t round, uint64_t *numbers)
{
	const spmv_run *run = self;
	const void *greatest;
	if (!run->params->normal || round == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_dense_fetched(&run->it->dense, &greatest));
	memcpy(numbers, greatest, sizeof *numbers);
	return GEMP_OK;
}

/* The next round divides the values by the largest magnitude of all ranks. */
static bool take_max(void *self, uint32_t round, const uint64_t *numbers)
{
	spmv_run *run = self;
	memcpy(&run->divisor, numbers, sizeof run->divisor);
	if (run->params->normal && round)
		run->out->max[round - 1] = run->divisor;
	if (round < run->params->rounds)
		gemp_progress("multiplying", round, run->params->rounds, 0);
	return false;
}

/* Local. Uploads the first vector, and allocates the result. */
static gemp_code begin_run(spmv_run *run)
{
	gemp_dense *dense = &run->it->dense;
	size_t own = dense->layout->own, rounds = run->params->normal ? run->params->rounds : 0;
	GEMP_TRY(GEMP_NEW(run->out->y, own));
	for (size_t v = 0; v < own; v++)
		run->out->y[v] = run->params->x ? run->params->x[v] : 1;
	GEMP_TRY(gemp_dense_write(dense, &dense->value[0], run->out->y, own));
	GEMP_TRY(gemp_buffer_new(&run->greatest, dense->device, (rounds + 1) * sizeof(double), NULL));
	GEMP_TRY(gemp_buffer_zero(dense->device, &run->greatest, 0, run->greatest.size));
	if (run->params->normal)
		GEMP_TRY(GEMP_NEW(run->out->max, rounds));
	return gemp_dense_begin(dense);
}

/* Local. Downloads y. With `normal` the host divides by the last magnitude. */
static gemp_code download(spmv_run *run)
{
	gemp_dense *dense = &run->it->dense;
	uint32_t rounds = run->params->rounds;
	size_t own = dense->layout->own;
	GEMP_TRY(gemp_dense_read(dense, &dense->value[rounds % 2], run->out->y, own));
	if (!run->params->normal || rounds == 0)
		return GEMP_OK;
	double greatest = run->out->max[rounds - 1];
	for (size_t v = 0; greatest > 0 && v < own; v++)
		run->out->y[v] /= greatest;
	return GEMP_OK;
}

/* Collective. Computes the product without scaling by the host. */
static gemp_code run_plain(gemp_spmv *it, const gemp_spmv_params *params, gemp_spmv_result *out)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &it->dense;
	const gemp_comm *comm = dense->layout->comm;
	spmv_run run = { .it = it, .params = params, .out = out };
	*out = (gemp_spmv_result){ 0 };
	GEMP_TRY_DONE(gemp_comm_agree(comm, begin_run(&run)));
	double since = gemp_now();
	const gemp_dense_rounds rounds = { &run, params->rounds, 1, true, launch_round, fetch_max, read_max, take_max };
	code = comm->size > 1 ? gemp_dense_run_ranks(dense, &rounds, GEMP_OK) : run_one_rank(&run);
	dense->report.wall = gemp_now() - since;
	GEMP_THEN(gemp_dense_end(dense));
	GEMP_THEN(download(&run));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	dense->report.rounds = params->rounds;
	out->report = dense->report;
done:
	gemp_buffer_free(&run.greatest, dense->device);
	if (code != GEMP_OK)
		gemp_spmv_result_free(out);
	return code;
}

/* out->max has magnitudes of all ranks, and is_in_range is a reduction, so all ranks take the same branch. */
gemp_code gemp_spmv_run(gemp_spmv *it, const gemp_spmv_params *params, gemp_spmv_result *out)
{
	const gemp_layout *layout = it->dense.layout;
	bool fp64 = it->dense.real == sizeof(double);
	gemp_code code = run_plain(it, params, out);
	if (code != GEMP_OK || !params->normal || params->rounds == 0 || is_in_range(layout, fp64, out))
		return code;
	gemp_spmv_result_free(out);
	return run_scaled(it, layout, fp64, params, out);
}

void gemp_spmv_result_free(gemp_spmv_result *result)
{
	gemp_free_all(result->y, result->max);
	*result = (gemp_spmv_result){ 0 };
}
