/* One run: all sums, added up over ranks, divided. */
#include "count/count_parts.h"
#include "count/source.h"
#include "count/vertex_sum.h"

#include "core/log.h"

typedef struct run {
	gemp_count_engine *engine;
	gemp_count_result *result;
	gemp_laps laps[GEMP_MAX_SUMS];
	size_t first[GEMP_MAX_SUMS], groups[GEMP_MAX_SUMS]; /* of partials */
	size_t used;
	bool known[GEMP_MAX_SUMS];       /* without a kernel: */
	__int128 totals[GEMP_MAX_SUMS];
	__int128 total; /* this rank's, then all ranks' */
} run;

/* Sums of which all tasks count 1 need no kernel, and those that pass 64 bits at some vertex are not for one. */
static gemp_code find_known(run *r, size_t i)
{
	gemp_code code = GEMP_OK;
	const gemp_sum *sum = &r->engine->plan->sums[i];
	const gemp_count_graph *g = &r->engine->graph;
	bool passes, one = gemp_sum_own(sum) && !gemp_sum_has_kernel(sum) && !sum->leaves;
	GEMP_TRY(gemp_vertex_sum_passes(g, sum, &passes));
	r->known[i] = one || passes;
	if (one)
		r->totals[i] = r->engine->context->comm->rank ? 0 : sum->kind == GEMP_SUM_EDGES ? g->entries / 2 : g->vertices;
	else if (passes)
		GEMP_TRY(gemp_vertex_sum(g, sum, &r->totals[i]));
done:
	return code;
}

static gemp_code launch(run *r, size_t i)
{
	gemp_code code = GEMP_OK;
	gemp_count_engine *engine = r->engine;
	r->first[i] = r->used;
	if (engine->plan->sums[i].kind == GEMP_SUM_CLIQUES)
		GEMP_TRY(gemp_count_cliques_launch(engine, i, r->used, &r->groups[i], &r->laps[i]));
	else
		GEMP_TRY(gemp_count_sum_launch(engine, i, r->used, &r->groups[i], &r->laps[i]));
	r->used += r->groups[i];
	r->result->launches += r->laps[i].count;
done:
	return code;
}

/* Local. This room's own sums: launched one behind another, read at once. */
static gemp_code own_sums(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_count_engine *engine = r->engine;
	const gemp_count_plan *plan = engine->plan;
	for (size_t i = 0; i < plan->sum_count; i++) {
		GEMP_TRY(find_known(r, i));
		if (gemp_sum_own(&plan->sums[i]) && !r->known[i])
			GEMP_TRY(launch(r, i));
	}
	if (r->used)
		GEMP_TRY(gemp_partials_read(&engine->partials, engine->context->device, r->used));
	for (size_t i = 0; i < plan->sum_count; i++) {
		if (!gemp_sum_own(&plan->sums[i]))
			continue;
		GEMP_TRY(gemp_laps_seconds(&r->laps[i], &r->result->sum_seconds[i]));
		if (!r->known[i])
			r->totals[i] = gemp_partials_total(&engine->partials, r->first[i], r->groups[i]);
		r->total += r->totals[i] * plan->sums[i].factor;
	}
done:
	return code;
}

/* Collective. */
static gemp_code other_sums(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_count_engine *engine = r->engine;
	for (size_t i = 0; i < engine->plan->sum_count; i++) {
		const gemp_sum *sum = &engine->plan->sums[i];
		gemp_sum_result one = { 0 };
		if (gemp_sum_own(sum) || engine->graph.entries == 0)
			continue;
		GEMP_TRY(sum->kind == GEMP_SUM_NEIGHBOURS ? gemp_neighbours_sum(&engine->graph, sum, &one)
		                                          : gemp_sweep_run(engine->sweeps[i], &one));
		r->total += one.total * sum->factor;
		r->result->sum_seconds[i] = one.seconds;
		r->result->launches += one.launches;
		r->result->preparation_seconds += one.preparation;
		engine->context->timers.seconds[GEMP_PREPARE] += one.preparation;
	}
done:
	return code;
}

/* Collective. Modulo 2^128, in pieces of 32 bits. */
static void add_ranks(run *r)
{
	uint64_t pieces[4];
	unsigned __int128 sum = 0;
	for (int i = 0; i < 4; i++)
		pieces[i] = (uint32_t)((unsigned __int128)r->total >> 32 * i);
	gemp_comm_sum(r->engine->context->comm, pieces, 4);
	for (int i = 0; i < 4; i++)
		sum += (unsigned __int128)pieces[i] << 32 * i;
	r->total = (__int128)sum;
}

static gemp_code divide(run *r)
{
	uint64_t divisor = r->engine->plan->divisor;
	if (r->total < 0 || r->total % divisor != 0)
		return gemp_fail(GEMP_EINTERNAL, "the sums of a count plan do not add up to a multiple of %llu; --count-by "
		                 "enumerate does without them", (unsigned long long)divisor);
	r->total /= divisor;
	r->result->too_many = r->total > (__int128)UINT64_MAX;
	r->result->matches = r->result->too_many ? 0 : (gemp_count)r->total;
	return GEMP_OK;
}

gemp_code gemp_count_run(gemp_count_engine *engine, gemp_count_result *result)
{
	gemp_code code = GEMP_OK;
	run r = { .engine = engine, .result = result };
	*result = (gemp_count_result){ .preparation_seconds = engine->preparation, .support_seconds = engine->support_seconds };
	GEMP_TRY(gemp_comm_agree(engine->context->comm, own_sums(&r)));
	GEMP_TRY(other_sums(&r));
	add_ranks(&r);
	for (size_t i = 0; i < engine->plan->sum_count; i++)
		result->kernel_seconds += result->sum_seconds[i];
	engine->context->timers.seconds[GEMP_KERNEL] += result->kernel_seconds;
	engine->context->work.seconds += result->kernel_seconds;
	GEMP_TRY(divide(&r));
done:
	for (size_t i = 0; i < GEMP_MAX_SUMS; i++)
		gemp_laps_free(&r.laps[i]);
	return code;
}
