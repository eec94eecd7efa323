#include "analytics/dense/pagerank.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/timer.h"
#include "kernels/analytics/gas_dense_abi.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BATCH = 16 }; /* rounds that are launched before the host looks at their sums */

struct gemp_pagerank {
	gemp_dense dense;
	cl_kernel start;
	gemp_buffer degree, jump; /* [own] */
	gemp_buffer rounds;       /* [BATCH + 1][GAS_ROUND] sums in fixed point */
};

/* What a run goes on. */
typedef struct pagerank_run {
	gemp_pagerank *it;
	const gemp_pagerank_params *ask;
	double uniform;           /* of a jump; 0: as `jump` says */
	cl_long tolerance;        /* fixed point */
	cl_long change, dangling; /* of the last round */
	uint32_t done;            /* rounds */
	gemp_pagerank_result *out;
} pagerank_run;

static double degree_of(const gemp_layout *layout, uint32_t v)
{
	return layout->out_weight ? layout->out_weight[v] : (double)layout->out_degree[v];
}

/* Ranks are divided by sums of weights, whose parts that are too small for the precision must not matter. */
static gemp_code check_degrees(const gemp_dense *dense, const double *degree)
{
	const gemp_layout *layout = dense->layout;
	const bool single = dense->real == sizeof(float);
	const double least = single ? 0x1p24 * FLT_MIN : 0x1p53 * DBL_MIN, most = single ? FLT_MAX : DBL_MAX;
	for (uint32_t v = 0; v < layout->own; v++) {
		if (!(degree[v] > 0) || (degree[v] >= least && degree[v] <= most))
			continue;
		gemp_text key = { 0 };
		gemp_value value = gemp_column_get(&layout->graph->keys, layout->id[v] - layout->graph->first_vertex);
		gemp_value_print(&value, &key);
		gemp_code code = gemp_text_status(&key);
		if (code == GEMP_OK)
			code = gemp_fail(GEMP_EDATA,
			                 "weights of the edges that leave '%s' add up to %g, where %s precision takes "
			                 "%.2g to %.2g; scale them%s",
			                 key.data, degree[v], single ? "single" : "double", least, most,
			                 single ? ", or give --precision double" : "");
		gemp_text_free(&key);
		return code;
	}
	return GEMP_OK;
}

static gemp_code make_buffers(gemp_pagerank *it)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &it->dense;
	const gemp_layout *layout = dense->layout;
	size_t own = layout->own, bytes = (own ? own : 1) * dense->real;
	double *degree;
	GEMP_TRY(GEMP_NEW(degree, own));
	for (uint32_t v = 0; v < own; v++)
		degree[v] = degree_of(layout, v);
	GEMP_TRY(check_degrees(dense, degree));
	GEMP_TRY(gemp_buffer_new(&it->degree, dense->device, bytes, NULL));
	GEMP_TRY(gemp_dense_write(dense, &it->degree, degree, own));
	GEMP_TRY(gemp_buffer_new(&it->jump, dense->device, bytes, NULL));
	code = gemp_buffer_new(&it->rounds, dense->device, (BATCH + 1) * GAS_ROUND * sizeof(cl_long), NULL);
done:
	gemp_free(degree);
	return code;
}

static gemp_code new_here(gemp_pagerank **out, const gemp_layout *layout, gemp_device *device,
                          const gemp_dense_options *options)
{
	gemp_pagerank *it;
	GEMP_PROPAGATE(GEMP_NEW(it, 1));
	*out = it;
	GEMP_PROPAGATE(
		gemp_dense_new(&it->dense, layout, device, "pagerank", layout->weights ? " -DPAGERANK_WEIGHTED" : "", options));
	GEMP_PROPAGATE(gemp_kernel_new(&it->start, &it->dense.program, "pagerank_start"));
	return make_buffers(it);
}

gemp_code gemp_pagerank_new(gemp_pagerank **out, const gemp_layout *layout, gemp_device *device,
                            const gemp_dense_options *options)
{
	*out = NULL;
	gemp_code code = gemp_comm_agree(layout->comm, new_here(out, layout, device, options));
	GEMP_THEN(gemp_comm_agree(layout->comm, gemp_dense_connect(&(*out)->dense)));
	if (code != GEMP_OK) {
		gemp_pagerank_free(*out);
		*out = NULL;
	}
	return code;
}

void gemp_pagerank_free(gemp_pagerank *it)
{
	if (!it)
		return;
	gemp_buffer *buffers[] = { &it->degree, &it->jump, &it->rounds };
	if (it->dense.device)
		clFinish(it->dense.device->queue);
	if (it->start)
		clReleaseKernel(it->start);
	for (size_t i = 0; it->dense.device && i < sizeof buffers / sizeof *buffers; i++)
		gemp_buffer_free(buffers[i], it->dense.device);
	gemp_dense_free(&it->dense);
	gemp_free(it);
}

/* ROUNDS */

static gemp_code start(const pagerank_run *run)
{
	gemp_pagerank *it = run->it;
	gemp_dense *dense = &it->dense;
	gemp_dense_number uniform;
	cl_uint own = dense->layout->own;
	GEMP_PROPAGATE(gemp_buffer_zero(dense->device, &it->rounds, 0, it->rounds.size));
	size_t group = dense->pull[0].group, items = dense->groups ? own : dense->device->units;
	return gemp_launch(dense->device, it->start, items ? items : 1, group, GEMP_ARG(&own),
	                   gemp_dense_argument(dense, &uniform, run->uniform), GEMP_ARG(&it->jump.mem),
	                   GEMP_ARG(&it->degree.mem), GEMP_ARG(&dense->value[0].mem), GEMP_ARG(&it->rounds.mem));
}

/* From the values of side `from` to the other; it reads the sums of `round` and makes those of the next. */
static gemp_code launch(const pagerank_run *run, gemp_dense_part part, int from, cl_uint how, cl_uint round)
{
	gemp_pagerank *it = run->it;
	gemp_dense *dense = &it->dense;
	gemp_dense_number uniform, damping;
	const gemp_argument more[] = { GEMP_ARG(&it->degree.mem),
		                           GEMP_ARG(&it->jump.mem),
		                           gemp_dense_argument(dense, &uniform, run->uniform),
		                           GEMP_ARG(&dense->value[!from].mem),
		                           GEMP_ARG(&it->rounds.mem),
		                           GEMP_ARG(&round),
		                           GEMP_ARG(&run->dangling),
		                           GEMP_ARG(&run->tolerance),
		                           gemp_dense_argument(dense, &damping, run->ask->damping) };
	return gemp_dense_gather(dense, part, from, how, more, sizeof more / sizeof *more);
}

/* Round `round` of those of the device. */
static void add_up(pagerank_run *run, const cl_long (*sums)[GAS_SUMS][GAS_BINS], size_t round)
{
	run->change = run->dangling = 0;
	for (size_t bin = 0; bin < GAS_BINS; bin++) {
		run->change += sums[round][PAGERANK_CHANGE][bin];
		run->dangling += sums[round][PAGERANK_DANGLING][bin];
	}
}

/* How far it is: changes become less by about the same factor in each round. */
static void log_progress(const pagerank_run *run)
{
	enum { WHOLE = 10000 };
	const double *change = run->out->change, last = change[run->done - 1], tolerance = run->ask->tolerance;
	double share = (double)run->done / run->ask->rounds;
	if (tolerance > 0 && change[0] > last && last > tolerance)
		share = fmax(share, log(change[0] / last) / log(change[0] / tolerance));
	gemp_progress("ranking", (uint64_t)(share * WHOLE), WHOLE, 0);
}

/* Is it the last one? */
static bool end_round(pagerank_run *run)
{
	run->out->change[run->done++] = (double)run->change / GAS_ONE;
	log_progress(run);
	run->out->converged = run->change < run->tolerance;
	return run->out->converged || run->done == run->ask->rounds;
}

/* Many rounds are launched, and then looked at: those after the last one have done nothing. */
static gemp_code run_alone(pagerank_run *run)
{
	gemp_pagerank *it = run->it;
	gemp_device *device = it->dense.device;
	cl_long sums[BATCH + 1][GAS_SUMS][GAS_BINS];
	bool last = run->ask->rounds == 0;
	GEMP_PROPAGATE(start(run));
	while (!last) {
		cl_uint batch = run->ask->rounds - run->done < BATCH ? run->ask->rounds - run->done : BATCH;
		for (cl_uint round = 0; round < batch; round++)
			GEMP_PROPAGATE(launch(run, GEMP_DENSE_OWN, (run->done + round) % 2, 0, round));
		GEMP_PROPAGATE(gemp_buffer_read(device, &it->rounds, 0, sizeof sums, sums));
		for (cl_uint round = 0; round < batch && !last; round++) {
			add_up(run, sums, round + 1);
			last = end_round(run);
		}
		GEMP_PROPAGATE(gemp_buffer_zero(device, &it->rounds, 0, it->rounds.size));
		GEMP_PROPAGATE(gemp_buffer_write(device, &it->rounds, 0, sizeof *sums, sums[batch]));
	}
	return GEMP_OK;
}

/* With several ranks a round's launches do not look at the sums of the one before: they make those of place 1, 2, ... in turn. */
static cl_uint turn_of(uint32_t round)
{
	return round % BATCH;
}

/* A rank that has failed sends sums all the same. */
static gemp_code launch_grid(const pagerank_run *run, int side, cl_uint turn, gemp_code code)
{
	gemp_dense *dense = &run->it->dense;
	GEMP_THEN(launch(run, GEMP_DENSE_OTHER, side, GAS_HOLD, turn));
	GEMP_ALSO(gemp_dense_send_sums(dense));
	GEMP_THEN(launch(run, GEMP_DENSE_GHOST, side, GAS_RESUME | GAS_HOLD, turn));
	GEMP_ALSO(gemp_dense_receive_sums(dense, side));
	return code == GEMP_OK ? launch(run, GEMP_DENSE_SUMS, side, GAS_RESUME | GAS_GIVEN, turn) : code;
}

static gemp_code launch_ghosts(const pagerank_run *run, uint32_t round, gemp_code code)
{
	gemp_dense *dense = &run->it->dense;
	const size_t size = GAS_ROUND * sizeof(cl_long);
	const cl_uint turn = turn_of(round);
	const int side = round % 2;
	if (code == GEMP_OK && turn == 0)
		code = gemp_buffer_zero(dense->device, &run->it->rounds, size, BATCH * size);
	if (code == GEMP_OK && !gemp_dense_sums(dense))
		code = launch(run, GEMP_DENSE_GHOST, side, GAS_RESUME | GAS_GIVEN, turn);
	if (gemp_dense_sums(dense))
		code = launch_grid(run, side, turn, code);
	return code == GEMP_OK ? gemp_dense_fetch(dense, &run->it->rounds, (turn + 1) * size, size) : code;
}

/* Sums of this rank. */
static gemp_code take_sums(pagerank_run *run)
{
	const void *sums;
	gemp_code code = gemp_dense_fetched(&run->it->dense, &sums);
	if (code == GEMP_OK)
		add_up(run, sums, 0);
	return code;
}

/* While values of ghosts travel edges of own sources are gone through. The sums of the last round travel with them: a round
 * may be begun in vain. */
static gemp_code run_ranks(pagerank_run *run)
{
	gemp_dense *dense = &run->it->dense;
	gemp_code code = start(run);
	GEMP_THEN(gemp_dense_fetch(dense, &run->it->rounds, 0, GAS_ROUND * sizeof(cl_long)));
	for (uint32_t round = 0;; round++) {
		int side = round % 2;
		bool more = round < run->ask->rounds;
		GEMP_ALSO(more ? gemp_dense_send(dense, side) : GEMP_OK);
		if (more && code == GEMP_OK)
			code = launch(run, GEMP_DENSE_OWN, side, GAS_HOLD, turn_of(round));
		GEMP_THEN(take_sums(run));
		uint64_t sums[] = { (uint64_t)run->change, (uint64_t)run->dangling };
		gemp_code agreed = gemp_dense_agree(dense, code, sums, 2, false);
		code = more ? gemp_dense_receive(dense, side) : GEMP_OK;
		if (agreed != GEMP_OK)
			return agreed;
		run->change = (cl_long)sums[0];
		run->dangling = (cl_long)sums[1];
		if ((round > 0 && end_round(run)) || !more)
			return code;
		code = launch_ghosts(run, round, code);
	}
}

/* THE WHOLE */

/* Jumps in shares of 1. Collective. */
static gemp_code put_jumps(pagerank_run *run)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &run->it->dense;
	size_t own = dense->layout->own;
	double sum = 0, *share = NULL;
	if (!run->ask->jump) {
		run->uniform = 1 / (double)dense->layout->vertices;
		return GEMP_OK;
	}
	for (size_t v = 0; v < own; v++)
		sum += run->ask->jump[v];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, dense->layout->comm->world));
	if (!(sum > 0 && isfinite(sum)))
		return gemp_fail(GEMP_EDATA, "jumps of PageRank: their sum is %g; give at least one vertex a number above 0",
		                 sum);
	code = GEMP_NEW(share, own);
	for (size_t v = 0; code == GEMP_OK && v < own; v++)
		share[v] = run->ask->jump[v] / sum;
	GEMP_THEN(gemp_dense_write(dense, &run->it->jump, share, own));
	gemp_free(share);
	return gemp_comm_agree(dense->layout->comm, code);
}

static gemp_code take_ranks(const pagerank_run *run)
{
	const gemp_dense *dense = &run->it->dense;
	const gemp_layout *layout = dense->layout;
	double *rank = run->out->rank;
	gemp_code code = gemp_dense_read(&run->it->dense, &dense->value[run->done % 2], rank, layout->own);
	for (uint32_t v = 0; code == GEMP_OK && v < layout->own; v++) {
		double degree = degree_of(layout, v);
		rank[v] *= degree > 0 ? degree : 1;
	}
	return code;
}

gemp_code gemp_pagerank_run(gemp_pagerank *it, const gemp_pagerank_params *ask, gemp_pagerank_result *out)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &it->dense;
	const gemp_comm *comm = dense->layout->comm;
	pagerank_run run = { .it = it, .ask = ask, .out = out, .tolerance = (cl_long)(fmin(ask->tolerance, 3) * GAS_ONE) };
	*out = (gemp_pagerank_result){ 0 };
	code = GEMP_NEW(out->rank, dense->layout->own);
	GEMP_THEN(GEMP_NEW(out->change, ask->rounds));
	GEMP_THEN(gemp_dense_begin(dense));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (dense->layout->vertices == 0)
		goto done;
	GEMP_TRY(put_jumps(&run));
	double since = gemp_now();
	code = gemp_dense_ranks(dense) ? run_ranks(&run) : run_alone(&run);
	dense->report.wall = gemp_now() - since;
	GEMP_THEN(gemp_dense_end(dense));
	GEMP_THEN(take_ranks(&run));
	GEMP_TRY(gemp_comm_agree(comm, code));
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
