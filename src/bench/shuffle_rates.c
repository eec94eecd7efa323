#include "bench/shuffle_rates.h"

#include "shuffle/test_tuples.h"

#include <inttypes.h>

enum { TRIES = 5, SEED = 1, MOST_EXCHANGED = 1 << 28 };

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
	GEMP_PROPAGATE(gemp_buffer_new(&t->tuple, device, c->tuples * how->size, NULL));
	if (column)
		GEMP_PROPAGATE(gemp_buffer_new(&t->column, device, c->tuples * sizeof(cl_uint), NULL));
	GEMP_PROPAGATE(gemp_buffer_new(&t->sums, device, sums, NULL));
	GEMP_PROPAGATE(gemp_buffer_new(&t->expected, device, sums, NULL));
	t->in = (gemp_tuples){ column ? &t->column : NULL, &t->tuple, c->tuples, NULL };
	GEMP_PROPAGATE(gemp_test_tuples_make(box, how, &of, &t->in));
	GEMP_PROPAGATE(gemp_test_tuples_check(box, how, &t->in, NULL, &t->digest, &astray));
	return gemp_toolbox_seconds(box, &making);
}

static double lesser(double a, double b)
{
	return a > 0 && a < b ? a : b;
}

/* What the launches since the last call took, if it is the least so far. */
static gemp_code lap(trial *t, double *least)
{
	double seconds;
	gemp_code code = gemp_toolbox_seconds(t->box, &seconds);
	*least = lesser(*least, seconds);
	return code;
}

/* CHECKS */

static gemp_code check_places(trial *t, const gemp_shuffle *how, const gemp_tuples *shuffled, const gemp_buffer *begin)
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

static gemp_code clear(trial *t, const gemp_buffer *sums)
{
	return gemp_buffer_zero(t->context->device, sums, 0, sums->size);
}

/* Are the sums those that atomics come to from these tuples? */
static gemp_code check_sums(trial *t, const gemp_shuffle *how, const gemp_tuples *tuples)
{
	gemp_code code = GEMP_OK;
	uint64_t differ;
	GEMP_PROPAGATE(clear(t, &t->expected));
	GEMP_PROPAGATE(gemp_shuffle_accumulate(t->box, GEMP_SHUFFLE_ATOMIC, how, tuples, &t->expected));
	GEMP_PROPAGATE(gemp_test_tuples_compare(t->box, how, &t->sums, &t->expected, &differ));
	if (differ)
		code = gemp_fail(GEMP_EINTERNAL, "shuffle of %u bytes by %s: %" PRIu64 " sums are not those of atomics",
		                 how->size, gemp_shuffle_method_name[t->c->method], differ);
	return code;
}

/* METHODS */

static gemp_code gather(trial *t, const gemp_shuffle *how, const gemp_tuples *shuffled, const gemp_buffer *begin,
                        double *seconds)
{
	*seconds = 1e9;
	for (int i = 0; i < TRIES; i++) {
		GEMP_PROPAGATE(clear(t, &t->sums));
		GEMP_PROPAGATE(gemp_shuffle_gather(t->box, how, shuffled, begin, &t->sums));
		GEMP_PROPAGATE(lap(t, seconds));
	}
	return GEMP_OK;
}

static gemp_code decode_here(trial *t, gemp_shuffle_rates *out)
{
	const gemp_shuffle *how = &t->c->how;
	gemp_shuffle after = *how;
	const gemp_tuples shuffled = { NULL, &t->out, t->c->tuples, NULL };
	double gathering;
	after.layout = GEMP_SHUFFLE_AOS;
	out->shuffle = 1e9;
	GEMP_PROPAGATE(gemp_buffer_new(&t->out, t->context->device, t->c->tuples * how->size, NULL));
	GEMP_PROPAGATE(
		gemp_buffer_new(&t->begin, t->context->device, (((size_t)1 << how->bits) + 1) * sizeof(cl_uint), NULL));
	for (int i = 0; i < TRIES; i++) {
		GEMP_PROPAGATE(gemp_shuffle_decode(t->box, how, &t->in, &shuffled, &t->begin));
		GEMP_PROPAGATE(lap(t, &out->shuffle));
	}
	GEMP_PROPAGATE(check_places(t, &after, &shuffled, &t->begin));
	GEMP_PROPAGATE(gather(t, &after, &shuffled, &t->begin, &gathering));
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
static gemp_code decode_once(trial *t, gemp_shuffle_rates *out, bool last)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = t->context->comm;
	gemp_shuffled s;
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
		GEMP_TRY(check_places(t, &s.how, &s.tuples, &s.begin));
		code = gather(t, &s.how, &s.tuples, &s.begin, &gathering);
		if (code == GEMP_OK)
			code = check_sums(t, &s.how, &s.tuples);
		GEMP_TRY(gemp_comm_agree(comm, code));
		out->all = out->shuffle + slowest(comm, gathering);
	}
done:
	gemp_shuffled_free(&s);
	return code;
}

static gemp_code accumulate(trial *t, gemp_shuffle_rates *out)
{
	out->all = 1e9;
	for (int i = 0; i < TRIES; i++) {
		GEMP_PROPAGATE(clear(t, &t->sums));
		GEMP_PROPAGATE(gemp_shuffle_accumulate(t->box, t->c->method, &t->c->how, &t->in, &t->sums));
		GEMP_PROPAGATE(lap(t, &out->all));
	}
	return check_sums(t, &t->c->how, &t->in);
}

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
		code = decode_once(&t, out, i + 1 == TRIES);
	uint64_t each = out->bytes / (uint64_t)context->comm->size;
	if (code == GEMP_OK && ranks)
		code = gemp_exchange_rate(context->comm, each < MOST_EXCHANGED ? each : MOST_EXCHANGED, &out->network);
	if (code == GEMP_OK && !ranks)
		code = c->method == GEMP_SHUFFLE_DECODE ? decode_here(&t, out) : accumulate(&t, out);
	trial_free(&t);
	return code;
}
