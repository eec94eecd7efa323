#include "match/sample_check.h"

#include "core/limits.h"
#include "core/random.h"
#include "match/exchange/rounds.h"
#include "match/host_walk.h"
#include "match/match_host.h"
#include "match/match_plan.h"
#include "match/search/search.h"

#include <stdlib.h>
#include <string.h>

/* Pivots that are tried, and the part of the work left that one of them may take. */
enum { TRIED = 64, PARTS = 8 };
/* Of the expected entries of the search, the host reads a part that takes about 1 % of the time of a CPU device, but at
 * most MAX_WORK, 3 ms, or a part that takes 1 % of the time of a GPU. It reads at least MIN_WORK, .1 ms. The times
 * follow from 1e8 entries a second on the host and 1e10 on a GPU. */
enum { MIN_WORK = 1 << 13, MAX_WORK = 1 << 18 };
static const double cpu_part = 1.0 / 256, gpu_part = 1e-5;
/* Seconds to renumber a candidate, and the time for all candidates. */
static const double renumber_seconds = 3e-9, max_renumbering = 2e-3;

typedef struct checker {
	gemp_match *match;
	gemp_search *search;
	gemp_host_walk host;
	gemp_walker *walker;
	gemp_vertex *slots; /* [count] pivots whose matches were counted, by this rank and then by all that search them */
	size_t count;
	uint64_t found; /* by this rank */
} checker;

/* True if the options and the plan allow a check, which is the same on all ranks. */
static bool is_checkable(const gemp_match *m)
{
	double candidates = 0;
	for (int v = 0; v < m->plan->vertex_count; v++)
		candidates += m->candidates.bits[v] ? (double)m->candidates.count[v] : 0;
	return gemp_limits_now()->sample_check && gemp_host_walk_suits(m) && m->search->kernel &&
	       m->options.limit == UINT64_MAX &&
	       (candidates * renumber_seconds < max_renumbering || gemp_limits_now()->sample_check > 0);
}

static int compare_slots(const void *a, const void *b)
{
	gemp_vertex x = *(const gemp_vertex *)a, y = *(const gemp_vertex *)b;
	return (x > y) - (x < y);
}

/* Sorts the slots and drops repeated ones. */
static void make_distinct(gemp_vertex *slots, size_t *count)
{
	size_t kept = 0;
	qsort(slots, *count, sizeof *slots, compare_slots);
	for (size_t i = 0; i < *count; i++)
		if (!kept || slots[i] != slots[kept - 1])
			slots[kept++] = slots[i];
	*count = kept;
}

/* Draws pivots, or takes all. Pivots ascend by slot, so squares of random numbers favour high degrees. Ranks that
 * search the same pivots draw the same ones, since they know the same plan. */
static gemp_code draw_pivots(const checker *c, gemp_vertex **out, size_t *count)
{
	size_t pivots;
	const gemp_vertex *slots = gemp_multi_former_pivots(c->search, &pivots);
	bool all = gemp_limits_now()->sample_check > 0 || pivots <= TRIED;
	uint64_t random = gemp_mix(c->match->plan->hash);
	*count = all ? pivots : TRIED;
	GEMP_TRY(GEMP_NEW(*out, *count + 1));
	for (size_t i = 0; i < *count; i++) {
		const double unit = gemp_random_unit(&random);
		const size_t at = (size_t)((double)pivots * (i % 2 ? unit * unit : unit));
		(*out)[i] = slots[all ? i : gemp_min(at, pivots - 1)];
	}
	make_distinct(*out, count);
	return GEMP_OK;
}

/* Counts the matches of a pivot. Returns false if this takes more work than allowed. */
static bool count_pivot(checker *c, gemp_vertex slot, uint64_t allowed)
{
	gemp_walker *w = c->walker;
	const uint64_t before = w->found;
	w->reported = w->work;
	c->host.walk.budget = allowed;
	atomic_store_explicit(&c->host.walk.work, 0, memory_order_relaxed);
	gemp_walker_begin(w, &slot);
	gemp_walker_move(w);
	if (!w->active)
		return true;
	gemp_walker_abandon(w);
	w->found = before;
	return false;
}

/* Local. Counts the matches of this rank's pivots of the sample, each with at most a part of the work that is left.
 * Pivots with more work are left out. Several ranks share the pivots of a balancer. */
static gemp_code count_sample(checker *c)
{
	GEMP_OWNED gemp_vertex *drawn = NULL;
	const bool forced = gemp_limits_now()->sample_check > 0;
	const gemp_comm *comm = c->match->context->comm;
	const double expected = gemp_match_expected_work(c->match);
	const size_t ranks = c->search->balancer ? (size_t)comm->size : 1;
	uint64_t left = (uint64_t)fmin(fmax(fmax(fmin(cpu_part * expected, MAX_WORK), gpu_part * expected), MIN_WORK), 1e9);
	size_t count;
	GEMP_TRY(draw_pivots(c, &drawn, &count));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(c->walker, 1), GEMP_ARRAY(c->slots, count + 1)));
	GEMP_TRY(gemp_walker_init(c->walker, &c->host.walk, NULL));
	for (size_t i = ranks > 1 ? (size_t)comm->rank : 0; i < count && left >= PARTS; i += ranks) {
		const uint64_t before = c->walker->work;
		if (count_pivot(c, drawn[i], forced ? UINT64_MAX : left / PARTS))
			c->slots[c->count++] = drawn[i];
		left -= forced ? 0 : gemp_min(left, c->walker->work - before);
	}
	c->found = c->walker->found;
	return GEMP_OK;
}

/* Collective. The ranks that share pivots gather them, since they must cut the same chunks. */
static gemp_code gather_sample(checker *c, gemp_code code)
{
	const gemp_comm *comm = c->match->context->comm;
	GEMP_OWNED size_t *begin = NULL;
	void *all = NULL;
	if (!c->search->balancer || comm->size == 1)
		return gemp_comm_agree(comm, code);
	GEMP_TRY(gemp_comm_allgather(comm, code, c->slots, c->count * sizeof *c->slots, &all, &begin));
	gemp_free(c->slots);
	c->slots = all;
	c->count = begin[comm->size] / sizeof *c->slots;
	make_distinct(c->slots, &c->count);
	return GEMP_OK;
}

static gemp_code drop_rows(void *self, const gemp_batch *batch)
{
	(void)self;
	(void)batch;
	return GEMP_OK;
}

/* Collective. Searches from the pivots of the sample. *found becomes the sum over the ranks. */
static gemp_code search_sample(checker *c, uint64_t *found)
{
	gemp_rounds_result rounds;
	gemp_sink dropping = { c, drop_rows, gemp_sink_keep_collecting, NULL };
	GEMP_TRY(gemp_comm_agree(c->match->context->comm, gemp_multi_few_pivots(c->search, c->slots, c->count)));
	gemp_multi_start(c->search, gemp_match_needs_listing(c->match) ? &dropping : NULL);
	GEMP_TRY(gemp_rounds_run(c->search, NULL, &rounds));
	const gemp_search_statistics statistics = gemp_multi_statistics(c->search);
	*found = gemp_comm_sum1(c->match->context->comm, statistics.found_local + statistics.found_crossed);
	return GEMP_OK;
}

/* The message has what is needed to repeat the check: the plan and the pivots, up to the first 8. */
static gemp_code report_difference(const checker *c, uint64_t device, uint64_t host)
{
	enum { SHOWN = 8 };
	char ids[SHOWN * 12 + 8] = "";
	const char *text = c->match->pattern->text;
	size_t length = 0;
	for (size_t i = 0; i < c->count && i < SHOWN; i++)
		length += (size_t)snprintf(ids + length, sizeof ids - length, "%s%lu", i ? ", " : "",
		                           (unsigned long)c->match->rows->order.id_of[c->slots[i]]);
	return gemp_fail(
		GEMP_EINTERNAL,
		"%s finds %llu matches where the host finds %llu, so the counts of this run are wrong: pattern "
		"'%.200s', plan %016llx, %zu pivots (ids %s%s). Please report this with the graph's hash (gemp-mpi "
		"info). --on host searches without a device",
		c->match->context->device->name, (unsigned long long)device, (unsigned long long)host, text ? text : "",
		(unsigned long long)c->match->plan->hash, c->count, ids, c->count > SHOWN ? ", ..." : "");
}

static void free_checker(checker *c)
{
	if (c->walker)
		gemp_walker_free(c->walker);
	gemp_host_walk_free(&c->host);
	gemp_free_all(c->walker, c->slots);
}

/* Collective. The pivots of the sample stay in the search until its next run. */
static gemp_code check(gemp_match *m, gemp_checked_sample *out)
{
	GEMP_OWNED_BY(free_checker) checker c = { .match = m, .search = m->search };
	const gemp_comm *comm = m->context->comm;
	uint64_t found;
	bool there;
	GEMP_TRY(gemp_host_walk_new(&c.host, m, &there));
	if (!there)
		return GEMP_OK;
	gemp_code code = count_sample(&c);
	GEMP_TRY(gather_sample(&c, code));
	uint64_t sums[] = { c.count, c.found };
	gemp_comm_sum(comm, sums, 2);
	if (!sums[0])
		return GEMP_OK;
	GEMP_TRY(search_sample(&c, &found));
	if (found != sums[1])
		return report_difference(&c, found, sums[1]);
	out->pivots = c.search->balancer ? c.count : sums[0];
	out->matches = found;
	return GEMP_OK;
}

/* Seconds and rounds of the second launch belong to the check, and not to the search. */
gemp_code gemp_sample_check_run(gemp_match *m, gemp_checked_sample *out)
{
	const double began = gemp_now();
	const gemp_timers before = m->context->timers;
	const gemp_traffic traffic = m->context->traffic;
	*out = (gemp_checked_sample){ 0 };
	if (!is_checkable(m) || (m->checked && gemp_limits_now()->sample_check <= 0))
		return GEMP_OK;
	m->checked = true;
	gemp_trace_pause(true);
	gemp_code code = check(m, out);
	gemp_trace_pause(false);
	m->context->timers = before;
	m->context->traffic = traffic;
	for (const gemp_search *s = m->search->next; s; s = s->next)
		s->context->timers = (gemp_timers){ 0 };
	gemp_timers_add(&m->context->timers, GEMP_PHASE_VERIFY, began);
	return code;
}
