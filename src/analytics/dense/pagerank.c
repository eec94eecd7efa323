/* pagerank: power iteration (Page, Brin, Motwani and Winograd 1999). The device keeps rank / degree of each vertex, so
 * a row only adds. The host multiplies by the degrees at the end. The sums of a round (the change, and the rank of
 * dangling vertices, whose degree is 0) are in fixed point, so they do not depend on the order of work-items, devices
 * and ranks. */

#include "analytics/dense/pagerank.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"
#include "kernels/analytics/gas_dense_abi.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* BATCH: the number of rounds that are launched before the host reads their sums. It is even, since rounds alternate
 * between two arrays. */
enum { BATCH = 16, ROUND_BYTES = GAS_ROUND * sizeof(cl_long) };

struct gemp_pagerank {
	gemp_dense dense;
	cl_kernel start;
	gemp_buffer degree, jump; /* [own] */
	gemp_buffer rounds;       /* [BATCH + 1][GAS_ROUND] sums in fixed point */
};

typedef struct pagerank_run {
	gemp_pagerank *it;
	const gemp_pagerank_params *params;
	double uniform;           /* the jump probability of every vertex; 0: it is in jump[] */
	cl_long tolerance;        /* in fixed point, like the sums */
	cl_long change, dangling; /* sums of the last round */
	uint32_t done;            /* number of rounds so far */
	gemp_pagerank_result *out;
} pagerank_run;

/* The divisor of a vertex's rank: its out-degree, or the sum of its weights. */
static double degree_of(const gemp_layout *layout, uint32_t v)
{
	return layout->out_weight ? layout->out_weight[v] : (double)layout->out_degree[v];
}

typedef struct degrees {
	const gemp_layout *layout;
	double *degree;     /* [own] */
	double least, most; /* bounds of degrees that are not 0 */
} degrees;

static void list_degrees(void *context, size_t begin, size_t end)
{
	const degrees *d = context;
	for (size_t v = begin; v < end; v++)
		d->degree[v] = degree_of(d->layout, (uint32_t)v);
}

static bool is_out_of_bounds(const void *self, size_t v)
{
	const degrees *d = self;
	return d->degree[v] > 0 && !(d->degree[v] >= d->least && d->degree[v] <= d->most);
}

/* Ranks are divided by sums of weights. A sum must exceed the smallest normal number by a factor of the mantissa's
 * range, since otherwise subnormal weights in it would be lost. */
static gemp_code check_degrees(const gemp_dense *dense, double *degree)
{
	const gemp_layout *layout = dense->layout;
	const bool single = dense->real == sizeof(float);
	const double least = single ? 0x1p24 * FLT_MIN : 0x1p53 * DBL_MIN, most = single ? FLT_MAX : DBL_MAX;
	const degrees all = { layout, degree, least, most };
	if (!gemp_any(layout->own, is_out_of_bounds, &all))
		return GEMP_OK;
	for (uint32_t v = 0; v < layout->own; v++) {
		if (!is_out_of_bounds(&all, v))
			continue;
		GEMP_OWNED_BY(gemp_text_free) gemp_text key = { 0 };
		gemp_value value = gemp_column_get(&layout->graph->keys, layout->id[v] - layout->graph->first_vertex);
		gemp_value_print(&value, &key);
		GEMP_TRY(gemp_text_status(&key));
		return gemp_fail(GEMP_EDATA,
		                 "weights of the edges that leave '%s' add up to %g, where %s precision takes "
		                 "%.2g to %.2g; scale them%s",
		                 key.data, degree[v], single ? "single" : "double", least, most,
		                 single ? ", or give --precision double" : "");
	}
	return GEMP_OK;
}

/* Checks that ranks can be divided by the degrees, and uploads the degrees. */
static gemp_code make_buffers(gemp_pagerank *it)
{
	gemp_dense *dense = &it->dense;
	const gemp_layout *layout = dense->layout;
	size_t own = layout->own, bytes = own * dense->real;
	GEMP_OWNED double *degree = NULL;
	GEMP_TRY(GEMP_NEW(degree, own));
	gemp_for_elements(own, list_degrees, &(degrees){ .layout = layout, .degree = degree });
	GEMP_TRY(check_degrees(dense, degree));
	GEMP_TRY(gemp_buffer_new(&it->degree, dense->device, bytes, NULL));
	GEMP_TRY(gemp_dense_write(dense, &it->degree, degree, own));
	GEMP_TRY(gemp_buffer_new(&it->jump, dense->device, bytes, NULL));
	return gemp_buffer_new(&it->rounds, dense->device, (BATCH + 1) * ROUND_BYTES, NULL);
}

/* The steps before gemp_dense_connect are local. The ranks agree on their code there, so no rank waits for a rank that
 * has failed. If `it` is NULL, the code is a failure, and gemp_dense_connect does not read its first argument. */
gemp_code gemp_pagerank_new(gemp_pagerank **out, const gemp_layout *layout, gemp_device *device,
                            const gemp_dense_options *options)
{
	gemp_pagerank *it = NULL;
	gemp_code code = GEMP_NEW(it, 1);
	GEMP_THEN(
		gemp_dense_new(&it->dense, layout, device, "pagerank", layout->weights ? " -DPAGERANK_WEIGHTED" : "", options));
	GEMP_THEN(gemp_kernel_new(&it->start, &it->dense.program, "pagerank_start"));
	GEMP_THEN(make_buffers(it));
	code = gemp_dense_connect(it ? &it->dense : NULL, layout->comm, code);
	*out = code == GEMP_OK ? it : NULL;
	if (code != GEMP_OK)
		gemp_pagerank_free(it);
	return code;
}

/* After a failure kernels may still be running on the buffers, so the queue is finished first. */
void gemp_pagerank_free(gemp_pagerank *it)
{
	if (!it)
		return;
	gemp_device *device = it->dense.device;
	if (device) {
		clFinish(device->queue);
		gemp_kernels_free(&it->start);
		gemp_buffers_free(device, &it->degree, &it->jump, &it->rounds);
	}
	gemp_dense_free(&it->dense);
	gemp_free(it);
}

/* Launches the kernel that sets the first values, rank = jump, and the sum of dangling ranks that the first round
 * needs. */
static gemp_code launch_start(const pagerank_run *run)
{
	gemp_pagerank *it = run->it;
	gemp_dense *dense = &it->dense;
	gemp_dense_number uniform;
	cl_uint own = dense->layout->own;
	GEMP_TRY(gemp_buffer_zero(dense->device, &it->rounds, 0, it->rounds.size));
	size_t group = dense->pull[0].group, items = dense->groups ? own : dense->device->units;
	return gemp_launch(dense->device, it->start, items ? items : 1, group, GEMP_ARG(&own),
	                   gemp_dense_argument(dense, &uniform, run->uniform), GEMP_ARG(&it->jump.mem),
	                   GEMP_ARG(&it->degree.mem), GEMP_ARG(&dense->value[0].mem), GEMP_ARG(&it->rounds.mem));
}

/* A round's launches read the sums of the previous round in place round % BATCH of rounds[], and add to the sums in the
 * next place. With several ranks all places except place 0 are cleared before place 1 is used again, after the sums of
 * the last place have been read. */
static gemp_code launch_round(void *self, gemp_dense_part part, uint32_t round, cl_uint how)
{
	const pagerank_run *run = self;
	gemp_pagerank *it = run->it;
	gemp_dense *dense = &it->dense;
	gemp_dense_number uniform, damping;
	const cl_uint place = round % BATCH;
	const int from = (int)(round % 2);
	if (place == 0 && part == (dense->part_count == GEMP_DENSE_PARTS ? GEMP_DENSE_OTHER : GEMP_DENSE_GHOST))
		GEMP_TRY(gemp_buffer_zero(dense->device, &it->rounds, ROUND_BYTES, BATCH * ROUND_BYTES));
	const gemp_argument more[] = { GEMP_ARG(&it->degree.mem),
		                           GEMP_ARG(&it->jump.mem),
		                           gemp_dense_argument(dense, &uniform, run->uniform),
		                           GEMP_ARG(&dense->value[!from].mem),
		                           GEMP_ARG(&it->rounds.mem),
		                           GEMP_ARG(&place),
		                           GEMP_ARG(&run->dangling),
		                           GEMP_ARG(&run->tolerance),
		                           gemp_dense_argument(dense, &damping, run->params->damping) };
	return gemp_dense_gather(dense, part, from, how, more, sizeof more / sizeof *more);
}

/* Adds up the bins of each sum. Work-items add to different bins, so few of them contend for one number. */
static void sum_bins(pagerank_run *run, const cl_long (*sums)[GAS_BINS])
{
	run->change = run->dangling = 0;
	for (size_t bin = 0; bin < GAS_BINS; bin++) {
		run->change += sums[PAGERANK_CHANGE][bin];
		run->dangling += sums[PAGERANK_DANGLING][bin];
	}
}

/* The change falls by about the same factor in each round, so the logarithm of the change measures the progress. */
static void log_progress(const pagerank_run *run)
{
	enum { WHOLE = 10000 };
	const double *change = run->out->change, last = change[run->done - 1], tolerance = run->params->tolerance;
	double share = (double)run->done / run->params->rounds;
	if (tolerance > 0 && change[0] > last && last > tolerance)
		share = fmax(share, log(change[0] / last) / log(change[0] / tolerance));
	gemp_progress("ranking", (uint64_t)(share * WHOLE), WHOLE, 0);
}

/* Takes the sums of a round. Returns true if it was the last round. */
static bool end_round(pagerank_run *run)
{
	run->out->change[run->done++] = (double)run->change / GAS_ONE;
	log_progress(run);
	run->out->converged = run->change < run->tolerance;
	return run->out->converged || run->done == run->params->rounds;
}

/* Rounds are launched in batches, and then their sums are read. The device also compares the change with the tolerance,
 * so launches after the last round do nothing. */
static gemp_code run_one_rank(pagerank_run *run)
{
	gemp_pagerank *it = run->it;
	gemp_device *device = it->dense.device;
	cl_long sums[BATCH + 1][GAS_SUMS][GAS_BINS];
	bool last = run->params->rounds == 0;
	GEMP_TRY(launch_start(run));
	while (!last) {
		cl_uint batch = (cl_uint)gemp_min(run->params->rounds - run->done, BATCH);
		for (cl_uint round = 0; round < batch; round++)
			GEMP_TRY(launch_round(run, GEMP_DENSE_OWN, run->done + round, 0));
		GEMP_TRY(gemp_buffer_read(device, &it->rounds, 0, sizeof sums, sums));
		for (cl_uint round = 0; round < batch && !last; round++) {
			sum_bins(run, sums[round + 1]);
			last = end_round(run);
		}
		GEMP_TRY(gemp_buffer_zero(device, &it->rounds, 0, it->rounds.size));
		GEMP_TRY(gemp_buffer_write(device, &it->rounds, 0, sizeof *sums, sums[batch]));
	}
	return GEMP_OK;
}

/* Place 0 of rounds[] has the sums of the start, and place (round - 1) % BATCH + 1 has the sums after `round`
 * rounds. */
static gemp_code fetch_sums(void *self, uint32_t round)
{
	const pagerank_run *run = self;
	const size_t place = round ? (round - 1) % BATCH + 1 : 0;
	return gemp_dense_fetch(&run->it->dense, &run->it->rounds, place * ROUND_BYTES, ROUND_BYTES);
}

/* The sums are signed. Added as unsigned numbers modulo 2^64 over all ranks, they give the same bits. */
static gemp_code read_sums(void *self, uint32_t round, uint64_t *numbers)
{
	pagerank_run *run = self;
	const void *sums;
	(void)round;
	GEMP_TRY(gemp_dense_fetched(&run->it->dense, &sums));
	sum_bins(run, sums);
	numbers[0] = (uint64_t)run->change;
	numbers[1] = (uint64_t)run->dangling;
	return GEMP_OK;
}

/* After 0 rounds only the dangling rank of the start is used, since the change of the start is no result. */
static bool take_sums(void *self, uint32_t round, const uint64_t *numbers)
{
	pagerank_run *run = self;
	run->change = (cl_long)numbers[0];
	run->dangling = (cl_long)numbers[1];
	return round > 0 && end_round(run);
}

/* Collective. Scales jumps to a sum of 1 over all ranks. */
static gemp_code upload_jumps(pagerank_run *run)
{
	gemp_dense *dense = &run->it->dense;
	size_t own = dense->layout->own;
	GEMP_OWNED double *share = NULL;
	double sum = 0;
	if (!run->params->jump) {
		run->uniform = 1 / (double)dense->layout->vertices;
		return GEMP_OK;
	}
	for (size_t v = 0; v < own; v++)
		sum += run->params->jump[v];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, dense->layout->comm->world));
	if (!(sum > 0 && isfinite(sum)))
		return gemp_fail(GEMP_EDATA, "jumps of PageRank: their sum is %g; give at least one vertex a number above 0",
		                 sum);
	gemp_code code = GEMP_NEW(share, own);
	for (size_t v = 0; code == GEMP_OK && v < own; v++)
		share[v] = run->params->jump[v] / sum;
	GEMP_THEN(gemp_dense_write(dense, &run->it->jump, share, own));
	return gemp_comm_agree(dense->layout->comm, code);
}

static void multiply_by_degrees(void *context, size_t begin, size_t end)
{
	const pagerank_run *run = context;
	for (size_t v = begin; v < end; v++) {
		double degree = degree_of(run->it->dense.layout, (uint32_t)v);
		run->out->rank[v] *= degree > 0 ? degree : 1;
	}
}

/* A rank is the device's value times the vertex's degree, or the value itself for a dangling vertex. */
static gemp_code download_ranks(pagerank_run *run)
{
	gemp_dense *dense = &run->it->dense;
	const size_t own = dense->layout->own;
	GEMP_TRY(gemp_dense_read(dense, &dense->value[run->done % 2], run->out->rank, own));
	gemp_for_elements(own, multiply_by_degrees, run);
	return GEMP_OK;
}

/* Ranks are not negative and sum to 1 before and after a round, so a change is at most 2. A larger tolerance is cut to
 * 3, which fixed point can hold (GAS_ONE). A graph without vertices has an empty result, since its uniform jump would
 * be a division by 0. */
gemp_code gemp_pagerank_run(gemp_pagerank *it, const gemp_pagerank_params *params, gemp_pagerank_result *out)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &it->dense;
	const gemp_comm *comm = dense->layout->comm;
	pagerank_run run = {
		.it = it, .params = params, .out = out, .tolerance = (cl_long)(fmin(params->tolerance, 3) * GAS_ONE)
	};
	*out = (gemp_pagerank_result){ 0 };
	code = GEMP_NEW(out->rank, dense->layout->own);
	GEMP_THEN(GEMP_NEW(out->change, params->rounds));
	GEMP_THEN(gemp_dense_begin(dense));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	if (dense->layout->vertices == 0)
		goto done;
	GEMP_TRY_DONE(upload_jumps(&run));
	double since = gemp_now();
	const gemp_dense_rounds rounds = { &run, params->rounds, 2, false, launch_round, fetch_sums, read_sums, take_sums };
	code = comm->size > 1 ? gemp_dense_run_ranks(dense, &rounds, launch_start(&run)) : run_one_rank(&run);
	dense->report.wall = gemp_now() - since;
	GEMP_THEN(gemp_dense_end(dense));
	GEMP_THEN(download_ranks(&run));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	out->dangling = (double)run.dangling / GAS_ONE;
	dense->report.rounds = run.done;
	out->report = dense->report;
done:
	if (code != GEMP_OK)
		gemp_pagerank_result_free(out);
	return code;
}

void gemp_pagerank_result_free(gemp_pagerank_result *result)
{
	gemp_free_all(result->rank, result->change);
	*result = (gemp_pagerank_result){ 0 };
}
