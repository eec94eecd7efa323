/* Queries are repeated until enough runs or seconds are spent; shuffles are tried TRIES times, and the fastest counts.
 * All times are those of the slowest rank. */

#include "bench/measure.h"

#include "core/status.h"
#include "shuffle/shuffle.h"

#include <inttypes.h>
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

static int compare_doubles(const void *p, const void *q)
{
	double a = *(const double *)p, b = *(const double *)q;
	return (a > b) - (a < b);
}

gemp_spread gemp_spread_of(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare_doubles);
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
static gemp_code repeat_runs(meter *m, gemp_query_timing *out, double first, size_t most, double limit)
{
	double seconds[PARTS], spent = 0;
	gemp_match_result result;
	while (first <= limit && m->runs < most && spent < limit) {
		GEMP_TRY(run_once(m, seconds, &result));
		GEMP_TRY(compare_counts(&out->result, &result, m->runs));
		record_run(m, seconds);
		spent += seconds[WHOLE];
	}
	return GEMP_OK;
}

static gemp_code allocate_runs(meter *m, size_t most)
{
	for (int part = 0; part < PARTS; part++)
		GEMP_TRY(GEMP_NEW(m->seconds[part], most + 1));
	return GEMP_OK;
}

/* The first run counts only where no other follows: none is asked for, or it took longer than the limit. */
gemp_code gemp_query_timing_run(gemp_query_timing *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *how, size_t most,
                                double limit)
{
	gemp_code code = GEMP_OK;
	meter m = { .context = context };
	double seconds[PARTS], began = gemp_now(), prepared = context->timers.seconds[GEMP_PHASE_PREPARE];
	*out = (gemp_query_timing){ 0 };
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, allocate_runs(&m, most)));
	GEMP_TRY_DONE(gemp_prepared_prepare(&out->query, context, graph, pattern, how));
	m.query = out->query;
	GEMP_TRY_DONE(run_once(&m, seconds, &out->result));
	out->first = gemp_now() - began;
	out->first_prepare = context->timers.seconds[GEMP_PHASE_PREPARE] - prepared;
	double first = seconds[WHOLE];
	if (most == 0 || first > limit)
		record_run(&m, seconds);
	GEMP_TRY_DONE(repeat_runs(&m, out, first, most, limit));
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

enum { TRIES = 5, SEED = 1, MOST_EXCHANGED = 1 << 28 };

/* A fixed number of bytes, more on a GPU, shared out among the ranks; methods that look at all tuples for each range
 * get fewer. */
size_t gemp_shuffle_tuples(const gemp_runtime *context, gemp_shuffle_method method, const gemp_shuffle *how)
{
	bool gpu = context->device->gpu;
	size_t bytes = gpu ? (size_t)2 << 30 : (size_t)128 << 20, most = bytes / how->size, of_gpu = (size_t)1 << 28;
	size_t each_by_all = gpu ? (size_t)1 << 22 : ((size_t)1 << 28) >> how->bits;
	bool whole = method == GEMP_SHUFFLE_DECODE || method == GEMP_SHUFFLE_ATOMIC;
	most = gpu && most > of_gpu ? of_gpu : most;
	most = whole || most < each_by_all ? most : each_by_all;
	return most / (size_t)context->comm->size;
}

/* Tuples, what becomes of them, and sums, on this rank's device. */
typedef struct trial {
	gemp_runtime *context;
	gemp_toolbox *box;
	const gemp_shuffle_case *c;
	gemp_buffer column, tuple, out, begin, sums, expected;
	gemp_tuples in;
	uint64_t digest;
} trial;

static void trial_free(trial *t)
{
	gemp_buffer *all[] = { &t->column, &t->tuple, &t->out, &t->begin, &t->sums, &t->expected };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		gemp_buffer_free(all[i], t->context->device);
}

/* Each rank makes its tuples on the device from a seed of its own; their digest is taken before they are shuffled. */
static gemp_code trial_new(trial *t, gemp_runtime *context, gemp_toolbox *box, const gemp_shuffle_case *c)
{
	gemp_device *device = context->device;
	const gemp_shuffle *how = &c->how;
	size_t sums = sizeof(cl_uint) << (how->bits + how->shift);
	bool column = how->layout != GEMP_SHUFFLE_AOS;
	const gemp_test_tuples of = { (unsigned)context->comm->size, c->skewed,
		                          SEED + ((uint64_t)context->comm->rank << 40) };
	uint64_t astray;
	double making;
	*t = (trial){ .context = context, .box = box, .c = c };
	GEMP_TRY(gemp_buffer_new(&t->tuple, device, c->tuples * how->size, NULL));
	if (column)
		GEMP_TRY(gemp_buffer_new(&t->column, device, c->tuples * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&t->sums, device, sums, NULL));
	GEMP_TRY(gemp_buffer_new(&t->expected, device, sums, NULL));
	t->in = (gemp_tuples){ column ? &t->column : NULL, &t->tuple, c->tuples, NULL };
	GEMP_TRY(gemp_test_tuples_make(box, how, &of, &t->in));
	GEMP_TRY(gemp_test_tuples_check(box, how, &t->in, NULL, &t->digest, &astray));
	return gemp_toolbox_seconds(box, &making);
}

static double lesser(double a, double b)
{
	return a > 0 && a < b ? a : b;
}

/* What the launches since the last call took, if it is the least so far. */
static gemp_code record_fastest(trial *t, double *least)
{
	double seconds;
	gemp_code code = gemp_toolbox_seconds(t->box, &seconds);
	*least = lesser(*least, seconds);
	return code;
}

/* CHECKS */

/* All ranks together must have the tuples of before, each in its range. */
static gemp_code check_shuffled(trial *t, const gemp_shuffle *how, const gemp_tuples *shuffled,
                                const gemp_buffer *begin)
{
	uint64_t digests[3] = { t->digest, 0, 0 }; /* before, after, astray; of all ranks */
	gemp_code code = gemp_test_tuples_check(t->box, how, shuffled, begin, &digests[1], &digests[2]);
	code = gemp_comm_agree(t->context->comm, code);
	if (code != GEMP_OK)
		return code;
	gemp_comm_sum(t->context->comm, digests, 3);
	if (digests[0] != digests[1])
		return gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes: the tuples are not those of before", how->size);
	return digests[2] ? gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes: %" PRIu64 " tuples are not in their ranges",
	                              how->size, digests[2])
	                  : GEMP_OK;
}

static gemp_code clear_sums(trial *t, const gemp_buffer *sums)
{
	return gemp_buffer_zero(t->context->device, sums, 0, sums->size);
}

/* Are the sums those that atomics come to from these tuples? */
static gemp_code check_sums(trial *t, const gemp_shuffle *how, const gemp_tuples *tuples)
{
	gemp_code code = GEMP_OK;
	uint64_t differ;
	GEMP_TRY(clear_sums(t, &t->expected));
	GEMP_TRY(gemp_shuffle_accumulate(t->box, GEMP_SHUFFLE_ATOMIC, how, tuples, &t->expected));
	GEMP_TRY(gemp_test_tuples_compare(t->box, how, &t->sums, &t->expected, &differ));
	if (differ)
		code = gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes by %s: %" PRIu64 " sums are not those of atomics",
		                 how->size, gemp_shuffle_method_name[t->c->method], differ);
	return code;
}

/* METHODS */

/* The fastest of some tries, since all that disturbs a measure makes it slower. */
static gemp_code time_gather(trial *t, const gemp_shuffle *how, const gemp_tuples *shuffled, const gemp_buffer *begin,
                             double *seconds)
{
	*seconds = 1e9;
	for (int i = 0; i < TRIES; i++) {
		GEMP_TRY(clear_sums(t, &t->sums));
		GEMP_TRY(gemp_shuffle_gather(t->box, how, shuffled, begin, &t->sums));
		GEMP_TRY(record_fastest(t, seconds));
	}
	return GEMP_OK;
}

/* The shuffle and the gathering that it prepares are measured apart, and both results are checked. */
static gemp_code time_decode(trial *t, gemp_shuffle_rates *out)
{
	const gemp_shuffle *how = &t->c->how;
	gemp_shuffle after = *how;
	const gemp_tuples shuffled = { NULL, &t->out, t->c->tuples, NULL };
	double gathering;
	after.layout = GEMP_SHUFFLE_AOS;
	out->shuffle = 1e9;
	GEMP_TRY(gemp_buffer_new(&t->out, t->context->device, t->c->tuples * how->size, NULL));
	GEMP_TRY(gemp_buffer_new(&t->begin, t->context->device, (((size_t)1 << how->bits) + 1) * sizeof(cl_uint), NULL));
	for (int i = 0; i < TRIES; i++) {
		GEMP_TRY(gemp_shuffle_decode(t->box, how, &t->in, &shuffled, &t->begin));
		GEMP_TRY(record_fastest(t, &out->shuffle));
	}
	GEMP_TRY(check_shuffled(t, &after, &shuffled, &t->begin));
	GEMP_TRY(time_gather(t, &after, &shuffled, &t->begin, &gathering));
	out->all = out->shuffle + gathering;
	return check_sums(t, how, &t->in);
}

/* The slowest rank's. */
static double slowest(const gemp_comm *comm, double seconds)
{
	uint64_t nanoseconds = (uint64_t)(seconds * 1e9);
	gemp_comm_max(comm, &nanoseconds, 1);
	return (double)nanoseconds * 1e-9;
}

/* Collective. One shuffle across ranks; the last one is checked, and added up. */
static gemp_code time_decode_of_ranks(trial *t, gemp_shuffle_rates *out, bool last)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = t->context->comm;
	GEMP_OWNED_BY(gemp_shuffled_free) gemp_shuffled s = { 0 };
	gemp_traffic traffic = { 0 };
	double gathering = 0;
	GEMP_TRY(gemp_shuffle_ranks(&s, comm, t->box, &t->c->how, &t->in, t->c->common, &traffic));
	double by_owner = slowest(comm, s.seconds.by_owner), exchange = slowest(comm, s.seconds.exchange);
	double by_range = slowest(comm, s.seconds.by_range), all = by_owner + exchange + by_range;
	if (all < out->shuffle) {
		out->shuffle = all;
		out->by_owner = by_owner;
		out->exchange = exchange;
		out->by_range = by_range;
	}
	out->bytes = gemp_comm_sum1(comm, traffic.bytes);
	if (last) {
		GEMP_TRY(check_shuffled(t, &s.how, &s.tuples, &s.begin));
		code = time_gather(t, &s.how, &s.tuples, &s.begin, &gathering);
		if (code == GEMP_OK)
			code = check_sums(t, &s.how, &s.tuples);
		GEMP_TRY(gemp_comm_agree(comm, code));
		out->all = out->shuffle + slowest(comm, gathering);
	}
	return code;
}

/* The fastest of some tries of the method that the case names, which adds up without a shuffle before it. */
static gemp_code time_accumulate(trial *t, gemp_shuffle_rates *out)
{
	out->all = 1e9;
	for (int i = 0; i < TRIES; i++) {
		GEMP_TRY(clear_sums(t, &t->sums));
		GEMP_TRY(gemp_shuffle_accumulate(t->box, t->c->method, &t->c->how, &t->in, &t->sums));
		GEMP_TRY(record_fastest(t, &out->all));
	}
	return check_sums(t, &t->c->how, &t->in);
}

/* Across ranks the exchange between them is measured, too; on one rank, the method that the case names. */
gemp_code gemp_shuffle_measure(gemp_shuffle_rates *out, gemp_runtime *context, gemp_toolbox *box,
                               const gemp_shuffle_case *c)
{
	trial t;
	bool ranks = context->comm->size > 1;
	*out = (gemp_shuffle_rates){ .tuples = c->tuples * (uint64_t)context->comm->size };
	gemp_code code = gemp_comm_agree(context->comm, trial_new(&t, context, box, c));
	GEMP_CHECK(!ranks || c->method == GEMP_SHUFFLE_DECODE);
	out->shuffle = ranks ? 1e9 : 0;
	for (int i = 0; code == GEMP_OK && ranks && i < TRIES; i++)
		code = time_decode_of_ranks(&t, out, i + 1 == TRIES);
	uint64_t each = out->bytes / (uint64_t)context->comm->size;
	if (code == GEMP_OK && ranks)
		code = gemp_exchange_rate(context->comm, each < MOST_EXCHANGED ? each : MOST_EXCHANGED, &out->network);
	if (code == GEMP_OK && !ranks)
		code = c->method == GEMP_SHUFFLE_DECODE ? time_decode(&t, out) : time_accumulate(&t, out);
	trial_free(&t);
	return code;
}
