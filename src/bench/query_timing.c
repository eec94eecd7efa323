#include "bench/query_timing.h"

#include "core/memory.h"

#include <stdlib.h>
#include <time.h>

/* Seconds of one run, by what they went into; the slowest rank's. */
typedef enum part { KERNEL, PREPARE, WHOLE, CPU, PARTS } part;

typedef struct meter {
	gemp_runtime *context;
	gemp_prepared *query; /* borrowed */
	size_t runs;
	double *seconds[PARTS]; /* [runs] */
} meter;

static int compare(const void *p, const void *q)
{
	double a = *(const double *)p, b = *(const double *)q;
	return (a > b) - (a < b);
}

gemp_spread gemp_spread_of(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare);
	double median = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
	return (gemp_spread){ values[0], median, values[count - 1] };
}

/* All threads of this process. */
static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Collective. */
static gemp_code run_once(const meter *m, double seconds[PARTS], gemp_match_result *result)
{
	const double *now = m->context->timers.seconds;
	double kernel = now[GEMP_PHASE_KERNEL], prepare = now[GEMP_PHASE_PREPARE], began = gemp_now(), cpu = cpu_seconds();
	*result = (gemp_match_result){ 0 };
	gemp_code code = gemp_prepared_run(m->query, NULL, result);
	seconds[KERNEL] = now[GEMP_PHASE_KERNEL] - kernel;
	seconds[PREPARE] = now[GEMP_PHASE_PREPARE] - prepare;
	seconds[WHOLE] = gemp_now() - began;
	seconds[CPU] = cpu_seconds() - cpu;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seconds, PARTS, MPI_DOUBLE, MPI_MAX, m->context->comm->world));
	return code;
}

static void record_run(meter *m, const double seconds[PARTS])
{
	for (int part = 0; part < PARTS; part++)
		m->seconds[part][m->runs] = seconds[part];
	m->runs++;
}

static gemp_code compare_counts(const gemp_match_result *first, const gemp_match_result *again, size_t run)
{
	if (first->matches == again->matches && first->embeddings == again->embeddings)
		return GEMP_OK;
	return gemp_fail(GEMP_EINTERNAL, "run %zu counts %" GEMP_PRICOUNT " matches, the first one %" GEMP_PRICOUNT,
	                 run + 2, again->matches, first->matches);
}

/* Collective: the times are those of the slowest rank, so that all stop after the same run. */
static gemp_code repeat(meter *m, gemp_query_timing *out, double first, size_t most, double limit)
{
	double seconds[PARTS], spent = 0;
	gemp_match_result result;
	while (first <= limit && m->runs < most && spent < limit) {
		GEMP_PROPAGATE(run_once(m, seconds, &result));
		GEMP_PROPAGATE(compare_counts(&out->result, &result, m->runs));
		record_run(m, seconds);
		spent += seconds[WHOLE];
	}
	return GEMP_OK;
}

static gemp_code allocate_runs(meter *m, size_t most)
{
	for (int part = 0; part < PARTS; part++)
		GEMP_PROPAGATE(GEMP_NEW(m->seconds[part], most + 1));
	return GEMP_OK;
}

gemp_code gemp_query_timing_run(gemp_query_timing *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *how, size_t most,
                                double limit)
{
	gemp_code code = GEMP_OK;
	meter m = { .context = context };
	double seconds[PARTS], began = gemp_now(), prepared = context->timers.seconds[GEMP_PHASE_PREPARE];
	*out = (gemp_query_timing){ 0 };
	GEMP_TRY(gemp_comm_agree(context->comm, allocate_runs(&m, most)));
	GEMP_TRY(gemp_prepared_prepare(&out->query, context, graph, pattern, how));
	m.query = out->query;
	GEMP_TRY(run_once(&m, seconds, &out->result));
	out->first = gemp_now() - began;
	out->first_prepare = context->timers.seconds[GEMP_PHASE_PREPARE] - prepared;
	double first = seconds[WHOLE];
	if (most == 0 || first > limit)
		record_run(&m, seconds);
	GEMP_TRY(repeat(&m, out, first, most, limit));
	out->runs = m.runs;
	out->kernel = gemp_spread_of(m.seconds[KERNEL], m.runs);
	out->prepare = gemp_spread_of(m.seconds[PREPARE], m.runs);
	out->run = gemp_spread_of(m.seconds[WHOLE], m.runs);
	out->cpu = gemp_spread_of(m.seconds[CPU], m.runs);
	out->plan = gemp_prepared_explain(m.query);
	code = gemp_comm_agree(context->comm, out->plan ? GEMP_OK : GEMP_ENOMEM);
done:
	for (int part = 0; part < PARTS; part++)
		gemp_free(m.seconds[part]);
	if (code != GEMP_OK)
		gemp_query_timing_free(out);
	return code;
}

void gemp_query_timing_free(gemp_query_timing *measured)
{
	gemp_free(measured->plan);
	gemp_prepared_free(measured->query);
	gemp_pattern_free(measured->pattern);
	*measured = (gemp_query_timing){ 0 };
}
