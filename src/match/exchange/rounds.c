#include "match/exchange/rounds.h"

#include "core/log.h"
#include "match/exchange/match_exchange.h"
#include "match/search/load_balancer.h"
#include "match/search/search.h"
#include "match/search/search_launch.h"

/* With a sink or an exchange a round lasts about slice_seconds, so that ranks do not wait long for one another. It ends
 * earlier if max_slice_bytes of rows were found, since a sink may store these rows until the end of the round. */
static const double slice_seconds = 0.25;
enum { SLICE_BYTES = 256 << 20 };

typedef struct rounds {
	gemp_search *search;           /* the main search, or the split search of a pull */
	gemp_match_exchange *exchange; /* NULL: all rows are resident */
	bool last;                     /* no further round of a pull follows */
	bool enough, again;            /* requests of the sinks: `enough` ends the search, `again` repeats it */
} rounds;

/* The number of matches that all devices of this rank have found in this run. */
static uint64_t matches_found(const gemp_search *search)
{
	const gemp_search_statistics all = gemp_multi_statistics(search);
	return all.found_local + all.found_crossed;
}

static uint64_t max_slice_bytes(const gemp_search *search)
{
	enum { PART = 8, MIN_BYTES = 1 << 20 };
	const uint64_t budget = search->context->budgets.host_memory;
	return budget ? gemp_min(gemp_max(budget / PART, (uint64_t)MIN_BYTES), (uint64_t)SLICE_BYTES) : SLICE_BYTES;
}

/* Launches until no stage can run, the time slice is over, or enough rows were found for the sink. */
static gemp_code run_slice(rounds *r)
{
	double began = gemp_now();
	bool ran = true, bounded = r->exchange || r->search->sink;
	uint64_t limit = r->search->sink
	                     ? matches_found(r->search) + max_slice_bytes(r->search) / (4 * r->search->layout.tuple_words)
	                     : UINT64_MAX;
	while (ran && !(bounded && gemp_now() - began > slice_seconds) && matches_found(r->search) <= limit) {
		if (r->exchange)
			GEMP_TRY(gemp_match_exchange_feed(r->exchange));
		GEMP_TRY(gemp_multi_step(r->search, &ran));
		if (!bounded && !r->search->plan->arguments)
			gemp_progress("matching", gemp_search_pivots_done(r->search), r->search->pivots,
			              matches_found(r->search) * r->search->ranks);
	}
	return gemp_multi_finish(r->search, ran);
}

/* The numbers that all ranks must know after a slice. Each is summed over the ranks. */
enum { WORK_LEFT, MOVED, PIVOTS_DONE, PIVOTS, FOUND, FIGURES };

/* Collective. One reduction gives all ranks the numbers of the round. */
static void gather_figures(const rounds *r, uint64_t moved, uint64_t figures[FIGURES])
{
	const gemp_search *s = r->search;
	figures[WORK_LEFT] = !gemp_multi_idle(s) || (r->exchange && gemp_match_exchange_waiting(r->exchange));
	figures[MOVED] = moved;
	figures[PIVOTS_DONE] = gemp_search_pivots_done(s);
	figures[PIVOTS] = gemp_search_own_pivots(s);
	figures[FOUND] = matches_found(s);
	gemp_comm_sum(s->context->comm, figures, FIGURES);
	if (!s->plan->arguments)
		gemp_progress("matching", figures[PIVOTS_DONE], figures[PIVOTS], figures[FOUND]);
}

/* A measure of the work done. Launches do not count, because a launch does nothing if all of its workers stop at
 * once. */
static uint64_t progress(const gemp_search *s)
{
	return gemp_multi_statistics(s).taken + matches_found(s);
}

/* Collective. The sinks may exchange rows here, so all ranks call it in every round. */
static gemp_code end_sink_round(rounds *r, bool last)
{
	gemp_sink *sink = r->search->sink;
	double began = gemp_now();
	gemp_code code = gemp_sink_end_round(sink, last, &r->enough, &r->again, &r->search->context->timers);
	gemp_trace_add("turn", GEMP_LANE_OUTPUT, began);
	return code;
}

/* Collective. One reduction tells all ranks whether any rank has work left; then the sinks end the round. The fourth
 * round in a row without progress on any rank is an error, since further rounds would change nothing. */
static gemp_code run_round(rounds *r, bool *over, uint64_t *still)
{
	gemp_search *s = r->search;
	uint64_t moved = 0, figures[FIGURES], before = progress(s);
	gemp_code code = run_slice(r);
	GEMP_ALSO(gemp_search_overlap(s));
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	if (r->exchange)
		GEMP_TRY(gemp_match_exchange_round(r->exchange, &moved));
	moved += progress(s) - before;
	gather_figures(r, moved, figures);
	*over = figures[WORK_LEFT] == 0;
	*still = figures[MOVED] ? 0 : *still + 1;
	if (!*over && *still > 3)
		return gemp_fail(GEMP_EINTERNAL, "matching makes no progress, with work left on %llu ranks",
		                 (unsigned long long)figures[WORK_LEFT]);
	if (s->sink && !*over && !r->exchange) /* the devices work while the sinks end the round */
		GEMP_TRY(gemp_comm_agree(s->context->comm, gemp_multi_begin(s)));
	if (s->sink)
		GEMP_TRY(end_sink_round(r, *over && r->last));
	*over |= r->enough;
	return GEMP_OK;
}

/* Collective. Searches the present pivots of the search, round by round. No launch is under way when it returns, even
 * after a failure. */
static gemp_code run_part(rounds *r, bool anew, gemp_rounds_result *result)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = r->search->context->comm;
	bool over = false;
	uint64_t still = 0;
	if (!r->search->emit.all_resident)
		code = gemp_match_exchange_new(&r->exchange, r->search);
	GEMP_THEN(gemp_multi_restart(r->search, anew));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	if (r->search->balancer)
		gemp_balancer_open(r->search->balancer);
	while (!over) {
		GEMP_TRY_DONE(run_round(r, &over, &still));
		result->rounds++;
	}
done:
	gemp_multi_stop(r->search);
	if (r->search->balancer)
		gemp_balancer_close(r->search->balancer);
	gemp_match_exchange_free(r->exchange);
	r->exchange = NULL;
	return code;
}

/* Collective. Runs the rounds of a pull, each with a part of the tasks. The host prefetches the rows of the next round
 * of the pull while the device works. */
static gemp_code run_parts(rounds *r, gemp_pull *pull, gemp_rounds_result *result)
{
	const gemp_comm *comm = r->search->context->comm;
	bool anew = true;
	GEMP_TRY(gemp_pull_restart(pull));
	do {
		GEMP_TRY(gemp_pull_next(pull, &r->search, &r->last));
		r->search->overlap = (gemp_overlap_work){ r->last ? NULL : gemp_pull_prefetch, pull, 0 };
		GEMP_TRY(run_part(r, anew, result));
		anew = false;
	} while (!r->last && !r->enough);
	return gemp_comm_agree(comm, gemp_pull_end(pull));
}

/* A sink that removes duplicates in several passes asks to repeat the whole search, with all of its pivots. */
gemp_code gemp_rounds_run(gemp_search *search, gemp_pull *pull, gemp_rounds_result *result)
{
	gemp_code code = GEMP_OK;
	rounds r = { .search = search, .last = true };
	*result = (gemp_rounds_result){ .complete = true };
	do {
		r.again = false;
		r.search = search;
		if (pull)
			GEMP_TRY_DONE(run_parts(&r, pull, result));
		else
			GEMP_TRY_DONE(run_part(&r, true, result));
		if (r.again && !r.enough)
			GEMP_TRY_DONE(gemp_comm_agree(search->context->comm, gemp_multi_all_pivots(search)));
	} while (r.again && !r.enough);
	result->complete = !r.enough;
done:
	if (!search->plan->arguments)
		gemp_progress_end();
	return code;
}
