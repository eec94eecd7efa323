#include "gas/spmv.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/timer.h"
#include "gas/spmv_scaled.h"

#include <string.h>

#include "kernels/gas_dense_abi.h"

/* Rounds that one rank launches before it waits, first and at most; people hear of them then. */
enum { BATCH = 64, MOST = 1 << 20 };
static const double LONG_ENOUGH = 0.25; /* seconds */

struct gemp_spmv {
	gemp_dense dense;
};

typedef struct spmv_run {
	gemp_spmv *it;
	const gemp_spmv_ask *ask;
	gemp_spmv_result *out;
	gemp_buffer greatest; /* [rounds + 1] bits of doubles */
	double divisor;       /* of several ranks: the greatest of the round before */
} spmv_run;

static gemp_code new_here(gemp_spmv **out, const gemp_gas_layout *layout, gemp_device *device,
                          const gemp_dense_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_spmv *it;
	GEMP_TRY(GEMP_NEW(it, 1));
	*out = it;
	code = gemp_dense_new(&it->dense, layout, device, "spmv", "", options);
done:
	return code;
}

gemp_code gemp_spmv_new(gemp_spmv **out, const gemp_gas_layout *layout, gemp_device *device, const gemp_dense_options *options)
{
	*out = NULL;
	gemp_code code = gemp_comm_agree(layout->comm, new_here(out, layout, device, options));
	if (code == GEMP_OK)
		code = gemp_comm_agree(layout->comm, gemp_dense_connect(&(*out)->dense));
	if (code != GEMP_OK) {
		gemp_spmv_free(*out);
		*out = NULL;
	}
	return code;
}

void gemp_spmv_free(gemp_spmv *it)
{
	if (!it)
		return;
	if (it->dense.device)
		clFinish(it->dense.device->queue);
	gemp_dense_free(&it->dense);
	gemp_free(it);
}

static gemp_code launch(const spmv_run *run, gemp_dense_part part, cl_uint round, cl_uint how)
{
	gemp_dense *dense = &run->it->dense;
	cl_uint normal = run->ask->normal;
	const gemp_argument more[] = { GEMP_ARG(&dense->value[(round + 1) % 2].mem), GEMP_ARG(&run->greatest.mem), GEMP_ARG(&round),
		GEMP_ARG(&normal), GEMP_ARG(&run->divisor) };
	return gemp_dense_gather(dense, part, (int)(round % 2), how, more, sizeof more / sizeof *more);
}

static gemp_code run_alone(spmv_run *run)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = run->it->dense.device;
	uint32_t rounds = run->ask->rounds, batch = BATCH;
	for (uint32_t round = 0; round < rounds;) {
		double since = gemp_now();
		gemp_progress("multiplying", round, rounds, 0);
		for (uint32_t end = rounds - round < batch ? rounds : round + batch; round < end; round++)
			GEMP_TRY(launch(run, GEMP_DENSE_OWN, round, 0));
		GEMP_TRY(GEMP_CL(clFinish(device->queue)));
		if (gemp_now() - since < LONG_ENOUGH && batch < MOST)
			batch *= 2;
	}
	if (run->ask->normal && run->ask->rounds)
		code = gemp_buffer_read(device, &run->greatest, sizeof(double), run->ask->rounds * sizeof(double), run->out->greatest);
done:
	return code;
}

/* Of this rank, of the last round. */
static gemp_code take_greatest(spmv_run *run, uint64_t *out)
{
	const void *greatest;
	gemp_code code = gemp_dense_fetched(&run->it->dense, &greatest);
	if (code == GEMP_OK)
		memcpy(out, greatest, sizeof *out);
	return code;
}

/* A rank that has failed sends sums all the same. */
static gemp_code launch_grid(const spmv_run *run, uint32_t round, gemp_code code)
{
	gemp_dense *dense = &run->it->dense;
	if (code == GEMP_OK)
		code = launch(run, GEMP_DENSE_OTHER, round, GAS_HOLD);
	gemp_code sent = gemp_dense_send_sums(dense);
	code = code == GEMP_OK ? sent : code;
	if (code == GEMP_OK)
		code = launch(run, GEMP_DENSE_GHOST, round, GAS_RESUME | GAS_HOLD);
	gemp_code came = gemp_dense_receive_sums(dense, (int)(round % 2));
	code = code == GEMP_OK ? came : code;
	return code == GEMP_OK ? launch(run, GEMP_DENSE_SUMS, round, GAS_RESUME | GAS_GIVEN) : code;
}

static gemp_code launch_ghosts(const spmv_run *run, uint32_t round, gemp_code code)
{
	gemp_dense *dense = &run->it->dense;
	if (code == GEMP_OK && !gemp_dense_sums(dense))
		code = launch(run, GEMP_DENSE_GHOST, round, GAS_RESUME | GAS_GIVEN);
	if (gemp_dense_sums(dense))
		code = launch_grid(run, round, code);
	if (code == GEMP_OK && run->ask->normal)
		code = gemp_dense_fetch(dense, &run->greatest, (round + 1) * sizeof(double), sizeof(double));
	return code;
}

/* The ranks agree on the greatest of the last round while values of ghosts travel. */
static gemp_code run_ranks(spmv_run *run)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &run->it->dense;
	for (uint32_t round = 0; round < run->ask->rounds; round++) {
		int side = (int)(round % 2);
		uint64_t greatest = 0;
		gemp_progress("multiplying", round, run->ask->rounds, 0);
		gemp_code sent = gemp_dense_send(dense, side);
		code = code == GEMP_OK ? sent : code;
		if (code == GEMP_OK)
			code = launch(run, GEMP_DENSE_OWN, round, GAS_HOLD);
		if (run->ask->normal && round && code == GEMP_OK)
			code = take_greatest(run, &greatest);
		gemp_code agreed = gemp_dense_agree(dense, code, &greatest, 1, true);
		code = gemp_dense_receive(dense, side);
		if (agreed != GEMP_OK)
			return agreed;
		memcpy(&run->divisor, &greatest, sizeof run->divisor);
		if (run->ask->normal && round)
			run->out->greatest[round - 1] = run->divisor;
		code = launch_ghosts(run, round, code);
	}
	return code;
}

/* Of all ranks, after the last round. Collective. */
static gemp_code agree_last(spmv_run *run, gemp_code code)
{
	gemp_dense *dense = &run->it->dense;
	uint32_t rounds = run->ask->rounds;
	uint64_t greatest = 0;
	if (!run->ask->normal || rounds == 0)
		return code;
	if (code == GEMP_OK)
		code = take_greatest(run, &greatest);
	code = gemp_dense_agree(dense, code, &greatest, 1, true);
	memcpy(&run->out->greatest[rounds - 1], &greatest, sizeof greatest);
	return code;
}

static gemp_code start(spmv_run *run)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &run->it->dense;
	size_t own = dense->layout->own, rounds = run->ask->normal ? run->ask->rounds : 0;
	GEMP_TRY(GEMP_NEW(run->out->y, own));
	for (size_t v = 0; v < own; v++)
		run->out->y[v] = run->ask->x ? run->ask->x[v] : 1;
	GEMP_TRY(gemp_dense_put(dense, &dense->value[0], run->out->y, own));
	GEMP_TRY(gemp_buffer_new(&run->greatest, dense->device, (rounds + 1) * sizeof(double), NULL));
	GEMP_TRY(gemp_buffer_zero(dense->device, &run->greatest, 0, run->greatest.size));
	if (run->ask->normal)
		GEMP_TRY(GEMP_NEW(run->out->greatest, rounds));
	code = gemp_dense_begin(dense);
done:
	return code;
}

/* The last division is the host's. */
static gemp_code take(spmv_run *run)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &run->it->dense;
	uint32_t rounds = run->ask->rounds;
	size_t own = dense->layout->own;
	GEMP_TRY(gemp_dense_take(dense, &dense->value[rounds % 2], run->out->y, own));
	if (!run->ask->normal || rounds == 0)
		return GEMP_OK;
	double greatest = run->out->greatest[rounds - 1];
	for (size_t v = 0; greatest > 0 && v < own; v++)
		run->out->y[v] /= greatest;
done:
	return code;
}

/* Collective. */
static gemp_code run_plain(gemp_spmv *it, const gemp_spmv_ask *ask, gemp_spmv_result *out)
{
	gemp_code code = GEMP_OK;
	gemp_dense *dense = &it->dense;
	const gemp_comm *comm = dense->layout->comm;
	spmv_run run = { .it = it, .ask = ask, .out = out };
	*out = (gemp_spmv_result){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, start(&run)));
	double since = gemp_now();
	code = gemp_dense_ranks(dense) ? agree_last(&run, run_ranks(&run)) : run_alone(&run);
	dense->report.wall = gemp_now() - since;
	if (code == GEMP_OK)
		code = gemp_dense_end(dense);
	if (code == GEMP_OK)
		code = take(&run);
	GEMP_TRY(gemp_comm_agree(comm, code));
	dense->report.rounds = ask->rounds;
	out->report = dense->report;
done:
	gemp_buffer_free(&run.greatest, dense->device);
	if (code != GEMP_OK)
		gemp_spmv_result_free(out);
	return code;
}

gemp_code gemp_spmv_run(gemp_spmv *it, const gemp_spmv_ask *ask, gemp_spmv_result *out)
{
	const gemp_gas_layout *layout = it->dense.layout;
	bool twofold = it->dense.real == sizeof(double);
	gemp_code code = run_plain(it, ask, out);
	if (code != GEMP_OK || !ask->normal || ask->rounds == 0 || gemp_spmv_in_range(layout, twofold, out))
		return code;
	gemp_spmv_result_free(out);
	return gemp_spmv_run_scaled(it, layout, twofold, ask, out);
}

void gemp_spmv_result_free(gemp_spmv_result *result)
{
	gemp_free(result->y);
	gemp_free(result->greatest);
	*result = (gemp_spmv_result){ 0 };
}
