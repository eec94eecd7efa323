/* Queries are repeated until enough runs or seconds are used. Shuffles are repeated TRIES times, and the fastest try
 * counts. The times of runs and tries are the maximum over the ranks, so all ranks stop after the same run. */

#include "bench/measure.h"

#include "core/status.h"
#include "shuffle/shuffle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* The measured times of a run. */
typedef enum part { KERNEL, PREPARE, WHOLE, CPU, PARTS } part;

typedef struct meter {
	gemp_runtime *runtime;
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

/* The processor time of all threads of this process. */
static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Collective. Runs the query and measures the times. A CPU device uses threads of this process, so CPU includes its
 * kernels. */
static gemp_code run_once(const meter *m, double seconds[PARTS], gemp_match_result *result)
{
	const double *now = m->runtime->timers.seconds;
	double kernel = now[GEMP_PHASE_KERNEL], prepare = now[GEMP_PHASE_PREPARE], began = gemp_now(), cpu = cpu_seconds();
	*result = (gemp_match_result){ 0 };
	gemp_code code = gemp_prepared_run(m->query, NULL, result);
	seconds[KERNEL] = now[GEMP_PHASE_KERNEL] - kernel;
	seconds[PREPARE] = now[GEMP_PHASE_PREPARE] - prepare;
	seconds[WHOLE] = gemp_now() - began;
	seconds[CPU] = cpu_seconds() - cpu;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seconds, PARTS, MPI_DOUBLE, MPI_MAX, m->runtime->comm->world));
	return code;
}

static void record_run(meter *m, const double seconds[PARTS])
{
	for (int part = 0; part < PARTS; part++)
		m->seconds[part][m->runs] = seconds[part];
	m->runs++;
}

/* Different counts of the same query are a bug. */
static gemp_code compare_counts(const gemp_match_result *first, const gemp_match_result *again, size_t run)
{
	if (first->matches == again->matches && first->embeddings == again->embeddings)
		return GEMP_OK;
	return gemp_fail(GEMP_EINTERNAL, "run %zu counts %" GEMP_PRICOUNT " matches, the first one %" GEMP_PRICOUNT,
	                 run + 2, again->matches, first->matches);
}

/* Collective. Runs the query up to `max` times, or until `limit` seconds are used. first: the seconds that the run
 * before took. */
static gemp_code repeat_runs(meter *m, gemp_query_timing *out, double first, size_t max, double limit)
{
	double seconds[PARTS], spent = 0;
	gemp_match_result result;
	while (first <= limit && m->runs < max && spent < limit) {
		GEMP_TRY(run_once(m, seconds, &result));
		GEMP_TRY(compare_counts(&out->result, &result, m->runs));
		record_run(m, seconds);
		spent += seconds[WHOLE];
	}
	return GEMP_OK;
}

static void free_meter(meter *m)
{
	for (int part = 0; part < PARTS; part++)
		gemp_free(m->seconds[part]);
}

/* Collective. The first run counts only if it is the only one: no other run is wanted, or the first took longer than
 * the limit. */
static gemp_code time_runs(gemp_query_timing *out, gemp_runtime *runtime, gemp_shard *graph,
                           const gemp_pattern *pattern, const gemp_prepared_options *how, size_t max, double limit)
{
	GEMP_OWNED_BY(free_meter) meter m = { .runtime = runtime };
	gemp_code code = GEMP_OK;
	double first[PARTS], began = gemp_now(), prepared = runtime->timers.seconds[GEMP_PHASE_PREPARE];
	for (int part = 0; part < PARTS; part++)
		GEMP_THEN(GEMP_NEW(m.seconds[part], max + 1));
	GEMP_TRY(gemp_comm_agree(runtime->comm, code));
	gemp_prepared_options options = *how;
	options.match.compiled = true;
	GEMP_TRY(gemp_prepared_prepare(&out->query, runtime, graph, pattern, &options));
	m.query = out->query;
	GEMP_TRY(run_once(&m, first, &out->result));
	out->first = gemp_now() - began;
	out->first_prepare = runtime->timers.seconds[GEMP_PHASE_PREPARE] - prepared;
	if (max == 0 || first[WHOLE] > limit)
		record_run(&m, first);
	GEMP_TRY(repeat_runs(&m, out, first[WHOLE], max, limit));
	out->runs = m.runs;
	out->kernel = gemp_spread_of(m.seconds[KERNEL], m.runs);
	out->prepare = gemp_spread_of(m.seconds[PREPARE], m.runs);
	out->run = gemp_spread_of(m.seconds[WHOLE], m.runs);
	out->cpu = gemp_spread_of(m.seconds[CPU], m.runs);
	out->plan = gemp_prepared_explain(m.query);
	return gemp_comm_agree(runtime->comm, out->plan ? GEMP_OK : GEMP_ENOMEM);
}

/* After a failure *out may have a plan and a prepared query. They are freed here, so callers free only after
 * success. */
gemp_code gemp_query_timing_run(gemp_query_timing *out, gemp_runtime *runtime, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *how, size_t max, double limit)
{
	*out = (gemp_query_timing){ 0 };
	const gemp_code code = time_runs(out, runtime, graph, pattern, how, max, limit);
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

/* SHUFFLES */

enum { TRIES = 5, SEED = 1, MAX_EXCHANGED = 1 << 28 };

/* Divides a fixed number of bytes, which is larger on a GPU, among the ranks. A method in which every range reads all
 * tuples gets fewer. */
size_t gemp_shuffle_tuples(const gemp_runtime *runtime, gemp_shuffle_method method, const gemp_shuffle *how)
{
	bool gpu = runtime->device->gpu, once = method == GEMP_SHUFFLE_DECODE || method == GEMP_SHUFFLE_ATOMIC;
	uint64_t max = (gpu ? (uint64_t)2 << 30 : (uint64_t)128 << 20) / how->size;
	if (gpu)
		max = gemp_min(max, (uint64_t)1 << 28);
	if (!once)
		max = gemp_min(max, gpu ? (uint64_t)1 << 22 : ((uint64_t)1 << 28) >> how->bits);
	return (size_t)max / (size_t)runtime->comm->size;
}

/* The tuples, the shuffled tuples and the sums on this rank's device. */
typedef struct trial {
	gemp_runtime *runtime;
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
		gemp_buffer_free(all[i], t->runtime->device);
}

/* Each rank makes tuples on its device from its own seed. Their digest is computed before the shuffle. */
static gemp_code trial_new(trial *t, gemp_runtime *runtime, gemp_toolbox *box, const gemp_shuffle_case *c)
{
	gemp_device *device = runtime->device;
	const gemp_shuffle *how = &c->how;
	size_t sums = sizeof(cl_uint) << (how->bits + how->shift);
	bool column = how->layout != GEMP_SHUFFLE_AOS;
	const gemp_test_tuples of = { (unsigned)runtime->comm->size, c->skewed,
		                          SEED + ((uint64_t)runtime->comm->rank << 40) };
	uint64_t astray;
	double making;
	*t = (trial){ .runtime = runtime, .box = box, .c = c };
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

/* *min becomes the seconds of the launches since the last call, if they are fewer. */
static gemp_code record_fastest(trial *t, double *min)
{
	double seconds;
	GEMP_TRY(gemp_toolbox_seconds(t->box, &seconds));
	if (seconds > 0 && seconds < *min)
		*min = seconds;
	return GEMP_OK;
}

/* CHECKS */

/* Collective. Checks that all ranks together have the same tuples as before, and that each tuple is in its range. */
static gemp_code check_shuffled(trial *t, const gemp_shuffle *how, const gemp_tuples *shuffled,
                                const gemp_buffer *begin)
{
	/* over all ranks: digest before, digest after, tuples in a wrong range */
	uint64_t digests[3] = { t->digest, 0, 0 };
	GEMP_TRY(gemp_comm_agree(t->runtime->comm,
	                         gemp_test_tuples_check(t->box, how, shuffled, begin, &digests[1], &digests[2])));
	gemp_comm_sum(t->runtime->comm, digests, 3);
	if (digests[0] != digests[1])
		return gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes: the tuples are not those of before", how->size);
	return digests[2] ? gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes: %" PRIu64 " tuples are not in their ranges",
	                              how->size, digests[2])
	                  : GEMP_OK;
}

static gemp_code clear_sums(trial *t, const gemp_buffer *sums)
{
	return gemp_buffer_zero(t->runtime->device, sums, 0, sums->size);
}

/* Checks that the sums equal those of atomic additions of the tuples. */
static gemp_code check_sums(trial *t, const gemp_shuffle *how, const gemp_tuples *tuples)
{
	uint64_t differ;
	GEMP_TRY(clear_sums(t, &t->expected));
	GEMP_TRY(gemp_shuffle_accumulate(t->box, GEMP_SHUFFLE_ATOMIC, how, tuples, &t->expected));
	GEMP_TRY(gemp_test_tuples_compare(t->box, how, &t->sums, &t->expected, &differ));
	if (differ)
		return gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes by %s: %" PRIu64 " sums are not those of atomics",
		                 how->size, gemp_shuffle_method_name[t->c->method], differ);
	return GEMP_OK;
}

/* METHODS */

/* Measures the gathering of shuffled tuples. The fastest try counts, since every disturbance makes a try slower. */
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

/* Measures the shuffle and then the gathering, and checks both results. */
static gemp_code time_decode(trial *t, gemp_shuffle_rates *out)
{
	const gemp_shuffle *how = &t->c->how;
	gemp_shuffle after = *how;
	const gemp_tuples shuffled = { NULL, &t->out, t->c->tuples, NULL };
	double gathering;
	after.layout = GEMP_SHUFFLE_AOS;
	out->shuffle = 1e9;
	GEMP_TRY(gemp_buffer_new(&t->out, t->runtime->device, t->c->tuples * how->size, NULL));
	GEMP_TRY(gemp_buffer_new(&t->begin, t->runtime->device, (((size_t)1 << how->bits) + 1) * sizeof(cl_uint), NULL));
	for (int i = 0; i < TRIES; i++) {
		GEMP_TRY(gemp_shuffle_decode(t->box, how, &t->in, &shuffled, &t->begin));
		GEMP_TRY(record_fastest(t, &out->shuffle));
	}
	GEMP_TRY(check_shuffled(t, &after, &shuffled, &t->begin));
	GEMP_TRY(time_gather(t, &after, &shuffled, &t->begin, &gathering));
	out->all = out->shuffle + gathering;
	return check_sums(t, how, &t->in);
}

/* Collective. The seconds of the slowest rank. */
static double slowest(const gemp_comm *comm, double seconds)
{
	uint64_t nanoseconds = (uint64_t)(seconds * 1e9);
	gemp_comm_max(comm, &nanoseconds, 1);
	return (double)nanoseconds * 1e-9;
}

/* Collective. Measures one shuffle across ranks. Only the last one is checked, and only its tuples are gathered. */
static gemp_code time_decode_of_ranks(trial *t, gemp_shuffle_rates *out, bool last)
{
	const gemp_comm *comm = t->runtime->comm;
	GEMP_OWNED_BY(gemp_shuffled_free) gemp_shuffled s = { 0 };
	const uint64_t before = gemp_device_exchange_costs(t->c->exchange).traffic.bytes;
	double gathering = 0;
	GEMP_TRY(gemp_shuffle_ranks(&s, comm, t->box, &t->c->how, &t->in, t->c->exchange));
	double by_owner = slowest(comm, s.seconds.by_owner), exchange = slowest(comm, s.seconds.exchange);
	double by_range = slowest(comm, s.seconds.by_range), all = by_owner + exchange + by_range;
	if (all < out->shuffle) {
		out->shuffle = all;
		out->by_owner = by_owner;
		out->exchange = exchange;
		out->by_range = by_range;
	}
	out->bytes = gemp_comm_sum1(comm, gemp_device_exchange_costs(t->c->exchange).traffic.bytes - before);
	if (!last)
		return GEMP_OK;
	GEMP_TRY(check_shuffled(t, &s.how, &s.tuples, &s.begin));
	gemp_code code = time_gather(t, &s.how, &s.tuples, &s.begin, &gathering);
	GEMP_THEN(check_sums(t, &s.how, &s.tuples));
	GEMP_TRY(gemp_comm_agree(comm, code));
	out->all = out->shuffle + slowest(comm, gathering);
	return GEMP_OK;
}

/* Measures a method that adds values without shuffling tuples first. The fastest try counts. */
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

/* With several ranks, measures the shuffle across ranks and the bandwidth of their exchange. One rank measures the
 * method of the case. */
gemp_code gemp_shuffle_measure(gemp_shuffle_rates *out, gemp_runtime *runtime, gemp_toolbox *box,
                               const gemp_shuffle_case *c)
{
	GEMP_OWNED_BY(trial_free) trial t = { .runtime = runtime };
	const uint64_t ranks = (uint64_t)runtime->comm->size;
	*out = (gemp_shuffle_rates){ .tuples = c->tuples * ranks, .shuffle = ranks > 1 ? 1e9 : 0 };
	GEMP_TRY(gemp_comm_agree(runtime->comm, trial_new(&t, runtime, box, c)));
	GEMP_CHECK(ranks == 1 || c->method == GEMP_SHUFFLE_DECODE);
	if (ranks == 1)
		return c->method == GEMP_SHUFFLE_DECODE ? time_decode(&t, out) : time_accumulate(&t, out);
	for (int i = 0; i < TRIES; i++)
		GEMP_TRY(time_decode_of_ranks(&t, out, i + 1 == TRIES));
	return gemp_exchange_rate(runtime->comm, gemp_min(out->bytes / ranks, MAX_EXCHANGED), &out->network);
}
