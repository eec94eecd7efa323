#include "match/match_run.h"

#include "core/random.h"
#include "match/device_sets.h"
#include "match/distinct/distinct.h"
#include "match/early_search.h"
#include "match/exchange/rounds.h"
#include "match/filter/residual.h"
#include "match/forecast.h"
#include "match/groups/grouping.h"
#include "match/match_host.h"
#include "match/match_plan.h"
#include "match/match_state.h"
#include "match/rank_share.h"
#include "match/sample_check.h"
#include "match/search/load_balancer.h"
#include "match/search/search.h"

#include <string.h>

/* The chain of sinks of a run. Rows pass from the search through the residual conditions, the tally and the removal of
 * duplicates to the caller's sink. */
typedef struct sink_chain {
	gemp_sink distinct, tally_sink, residual;
	gemp_count_sink tally;
	gemp_sink *first;
} sink_chain;

/* The canonical form needs each pattern edge as a pair of pattern vertices. */
static gemp_code add_distinct(gemp_match *m, sink_chain *s, gemp_sink *next)
{
	const gemp_match_options *o = &m->options;
	for (size_t e = 0; e < m->pattern->edge_count; e++) {
		m->pairs[e][0] = m->pattern->edges[e].from;
		m->pairs[e][1] = m->pattern->edges[e].to;
	}
	gemp_distinct_options options = { .vertex_count = m->plan->vertex_count,
		                              .vertices = m->graph->vertex_count,
		                              .expected = m->phases.after_count ? 0 : gemp_match_forecast(m).rows,
		                              .edge_count = m->plan->live_edges ? m->plan->edge_count : 0,
		                              .chain = m->chain,
		                              .as_vertices = o->distinct == GEMP_BY_VERTICES,
		                              .graph = next ? m->graph : NULL,
		                              .as_subgraph = o->distinct == GEMP_BY_SUBGRAPH,
		                              .pair_count = m->pattern->edge_count,
		                              .pairs = (const int(*)[2])m->pairs,
		                              .limit = o->limit == UINT64_MAX ? 0 : o->limit,
		                              .next = next };
	return gemp_distinct_new(&s->distinct, m->context, &options);
}

/* Sinks are made from the last to the first, since each sink borrows the next one. */
static gemp_code add_sinks(gemp_match *m, sink_chain *s, gemp_sink *last)
{
	gemp_sink *next = last;
	if (!gemp_match_needs_listing(m))
		return GEMP_OK;
	if (m->deduplicates) {
		GEMP_TRY(add_distinct(m, s, next));
		next = &s->distinct;
	}
	s->tally = (gemp_count_sink){ .next = next, .vertices = m->graph->vertex_count, .parts = m->options.count_parts };
	s->tally_sink = gemp_count_sink_of(&s->tally);
	s->first = &s->tally_sink;
	if (m->phases.after_count) {
		GEMP_TRY(gemp_residual_new(&s->residual, m->context, m->graph, m->phases.after, m->phases.after_count,
		                           m->filter, m->phases.count_loops, s->first));
		if (m->options.copy_each)
			gemp_residual_copy_each(&s->residual);
		s->first = &s->residual;
	}
	return GEMP_OK;
}

/* A sink that was not made has no `free` function. */
static void free_sinks(sink_chain *s)
{
	if (s->residual.free)
		s->residual.free(s->residual.self);
	if (s->distinct.free)
		s->distinct.free(s->distinct.self);
}

/* If the plan breaks symmetry, a match stands for a whole orbit of embeddings. */
static gemp_code count_embeddings(const gemp_match *m, gemp_count kept, gemp_match_result *result)
{
	result->embeddings_known = result->complete;
	result->embeddings_reason = result->complete ? NULL : "the search stopped at the limit";
	result->embeddings = kept;
	if (!m->plan->broken)
		return GEMP_OK;
	if (m->plan->group_overflow || __builtin_mul_overflow(kept, m->plan->group_order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
		if (m->options.distinct == GEMP_BY_NOTHING)
			return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 embeddings; count with distinct orbit");
	}
	return GEMP_OK;
}

/* The counters of a run, first of one rank and then of all ranks. One reduction sums the struct as an array of
 * numbers. */
typedef struct run_figures {
	uint64_t found, crossed, kept, classes, pivots, left_out;
	uint64_t grouped_rows, groups;
	uint64_t copied, referred;       /* numbers of attribute values */
	uint64_t tested, passed;         /* matches before and after the conditions that the search has left */
	uint64_t fetched, fetched_bytes; /* values of these conditions */
	uint64_t launches, stage_launches, listing_launches, bytes, messages;
	uint64_t oversized_tasks, rows_read, rows_fetched, row_bytes, row_words_bytes; /* counters of pull */
	uint64_t item_bytes, item_words_bytes;
	uint64_t within[GEMP_PART_STEPS];
} run_figures;

/* Local. The interpreter has no launches, and no partial match crosses ranks. */
static gemp_search_statistics statistics_of(const gemp_match *m)
{
	if (m->interpreter)
		return (gemp_search_statistics){ .found_local = gemp_interpreter_found(m->interpreter) };
	gemp_search_statistics all = gemp_multi_statistics(m->search);
	all.found_local += m->early.found;
	return all;
}

/* The pivots of this rank's search, also those from which the host has searched. With a balancer all ranks have the
 * same pivots, so only rank 0 counts them. */
static uint64_t own_pivots(const gemp_search *search)
{
	size_t pivots;
	gemp_multi_former_pivots(search, &pivots);
	return search->balancer && search->context->comm->rank ? 0 : pivots;
}

/* Collective. Sums all counters over the ranks in one reduction, which needs a struct whose members have one type. */
static run_figures gather_figures(gemp_match *m, const sink_chain *s, bool complete)
{
	const gemp_search_statistics search = statistics_of(m);
	const gemp_pull_statistics pull = m->pull ? gemp_pull_statistics_of(m->pull) : (gemp_pull_statistics){ 0 };
	uint64_t found = search.found_local + search.found_crossed, kept = s->first ? s->tally.rows : found;
	const gemp_residual_figures residual = s->residual.self
	                                           ? gemp_residual_figures_of(&s->residual)
	                                           : (gemp_residual_figures){ .referred = kept * m->phases.mentions };
	const bool several = m->deduplicates && gemp_distinct_passes(&s->distinct) > 1;
	run_figures f = { .found = found,
		              .crossed = search.found_crossed,
		              .kept = kept,
		              .classes = m->deduplicates ? gemp_distinct_count(&s->distinct) : kept,
		              .pivots = m->interpreter ? gemp_interpreter_tasks(m->interpreter) : own_pivots(m->search),
		              .left_out = search.left_out,
		              .grouped_rows = m->grouped.rows,
		              .groups = m->grouped.groups,
		              .copied = m->filter ? gemp_filter_copied(m->filter) : 0,
		              .tested = residual.tested,
		              .passed = residual.kept,
		              .fetched = residual.copied,
		              .fetched_bytes = residual.copied_bytes,
		              .referred = residual.referred,
		              .launches = search.launches,
		              .stage_launches = search.stage_launches,
		              .listing_launches = search.listing_launches,
		              .bytes = m->context->traffic.bytes,
		              .messages = m->context->traffic.messages,
		              .oversized_tasks = pull.oversized_tasks,
		              .rows_read = pull.reads,
		              .rows_fetched = pull.fetched,
		              .row_bytes = pull.bytes,
		              .row_words_bytes = pull.raw_bytes,
		              .item_bytes = search.item_bytes,
		              .item_words_bytes = search.item_words_bytes };
	memcpy(f.within, s->tally.within, sizeof f.within);
	gemp_rank_share_add(m, &(gemp_run_counts){ search, f.rows_fetched, f.kept, f.classes, !complete || several });
	gemp_comm_sum(m->context->comm, (uint64_t *)&f, sizeof f / sizeof(uint64_t));
	return f;
}

/* Reports whether rows (pull) or partial matches (push) were exchanged, and how much was moved. */
static void describe_exchange(const gemp_match *m, const run_figures *figures, gemp_match_result *result)
{
	bool pushes = m->search && !m->search->emit.all_resident;
	result->exchange = m->pull ? GEMP_EXCHANGE_PULL : pushes ? GEMP_EXCHANGE_PUSH : GEMP_EXCHANGE_AUTO;
	result->exchange_weighed = m->exchange.made;
	result->expected_row_bytes = m->exchange.pull_bytes;
	result->expected_item_bytes = m->exchange.push_bytes;
	result->item_bytes = figures->item_bytes;
	result->item_words_bytes = figures->item_words_bytes;
	if (!m->pull)
		return;
	result->pull_rounds = gemp_pull_statistics_of(m->pull).rounds;
	result->oversized_pivots = figures->oversized_tasks;
	result->rows_read = figures->rows_read;
	result->rows_fetched = figures->rows_fetched;
	result->row_bytes = figures->row_bytes;
	result->row_words_bytes = figures->row_words_bytes;
	result->local_share = figures->rows_fetched < figures->rows_read
	                          ? 1 - (double)figures->rows_fetched / (double)figures->rows_read
	                      : figures->rows_fetched ? 0
	                                              : 1;
}

/* A plan by two-paths counts each match `divisor` times. */
static gemp_code divide(const gemp_match *m, run_figures *f)
{
	uint64_t *const counts[] = { &f->found, &f->kept, &f->classes };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		if (*counts[i] % m->plan->divisor)
			return gemp_fail(GEMP_EINTERNAL, "a count by two-paths is no multiple of %llu",
			                 (unsigned long long)m->plan->divisor);
		*counts[i] /= m->plan->divisor;
	}
	return GEMP_OK;
}

/* Collective. For embeddings found and for kernel seconds: the maximum over all devices of all ranks, divided by the
 * mean. */
static void measure_imbalance(const gemp_match *m, gemp_match_result *result)
{
	double sums[3] = { 0 }, greatest[2] = { 0 };
	if (m->interpreter) {
		sums[0] = greatest[0] = (double)gemp_interpreter_found(m->interpreter);
		sums[2] = 1;
	}
	for (const gemp_search *s = m->search; s; s = s->next) {
		const double own[2] = { (double)(s->statistics.found_local + s->statistics.found_crossed),
			                    s->statistics.kernel_seconds };
		for (int i = 0; i < 2; i++) {
			sums[i] += own[i];
			greatest[i] = fmax(greatest[i], own[i]);
		}
		sums[2]++;
	}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, m->context->comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, greatest, 2, MPI_DOUBLE, MPI_MAX, m->context->comm->world));
	result->match_imbalance = sums[0] > 0 ? greatest[0] * sums[2] / sums[0] : 1;
	result->kernel_imbalance = sums[1] > 0 ? greatest[1] * sums[2] / sums[1] : 1;
}

/* Local. Sums the counters of all devices. */
static gemp_code read_profile(gemp_match *m)
{
	memset(m->step_rows, 0, sizeof m->step_rows);
	memset(m->step_entries, 0, sizeof m->step_entries);
	memset(m->step_lookups, 0, sizeof m->step_lookups);
	if (m->interpreter)
		gemp_interpreter_profile(m->interpreter, m->step_rows, m->step_entries, m->step_lookups);
	for (gemp_search *search = m->search; search; search = search->next)
		GEMP_TRY(gemp_search_profile(search, m->step_rows, m->step_entries, m->step_lookups));
	return GEMP_OK;
}

/* Collective. The device's counters are never cleared, so their sums replace the sums of the previous run. The search
 * counts bytes for each run, so these are added. */
static gemp_code sum_profile(gemp_match *m)
{
	uint64_t sent[GEMP_MAX_STEPS] = { 0 };
	int steps = (int)m->plan->step_count;
	GEMP_TRY(gemp_comm_agree(m->context->comm, read_profile(m)));
	gemp_rank_share_add_reads(m);
	gemp_comm_sum(m->context->comm, m->step_rows, steps);
	gemp_comm_sum(m->context->comm, m->step_entries, steps);
	gemp_comm_sum(m->context->comm, m->step_lookups, steps);
	if (m->search)
		memcpy(sent, m->search->statistics.sent, sizeof sent);
	gemp_comm_sum(m->context->comm, sent, steps);
	for (int s = 0; s < steps; s++)
		m->step_bytes[s] += sent[s];
	m->profiled = true;
	return GEMP_OK;
}

/* Reports the order of the plan, and the entries and lookups of all runs so far. */
static void describe_plan(const gemp_match *m, gemp_match_result *result)
{
	result->order_count = gemp_pivot_order(m, result->order);
	for (size_t s = 0; s < m->plan->step_count && m->profiled; s++) {
		result->entries_read += m->step_entries[s];
		result->lookups += m->step_lookups[s];
		result->rows_passed += s + 1 < m->plan->step_count ? m->step_rows[s] : 0;
	}
}

/* Collective. Fills the result with sums over all ranks, and with the memory of the rank that needs the most. */
static gemp_code report(gemp_match *m, const sink_chain *s, const gemp_rounds_result *rounds, gemp_match_result *result)
{
	const gemp_residual_figures residual = s->residual.self ? gemp_residual_figures_of(&s->residual)
	                                                        : (gemp_residual_figures){ 0 };
	uint64_t peaks[] = { gemp_memory_peak(),
		                 gemp_runtime_device_peak(m->context),
		                 m->search ? m->search->graph_bytes : 0,
		                 m->search ? m->search->result_bytes : 0,
		                 m->attribute_bytes,
		                 residual.host_bytes,
		                 residual.device_bytes };
	double fill = statistics_of(m).fill;
	run_figures f = gather_figures(m, s, rounds->complete);
	GEMP_TRY(divide(m, &f));
	gemp_comm_max(m->context->comm, peaks, sizeof peaks / sizeof *peaks);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &fill, 1, MPI_DOUBLE, MPI_SUM, m->context->comm->world));
	*result = (gemp_match_result){ .matches = f.classes,
		                           .on_host = m->interpreter || m->early.all,
		                           .early_pivots = m->early.pivots,
		                           .early_seconds = m->early.seconds,
		                           .complete = rounds->complete,
		                           .rounds = rounds->rounds,
		                           .launches = f.launches,
		                           .stages_launched = f.stage_launches,
		                           .pivots = f.pivots,
		                           .traffic = { f.bytes, f.messages, m->context->traffic.rounds },
		                           .local_share = f.found ? 1 - (double)f.crossed / (double)f.found : 1,
		                           .values_copied = s->residual.self ? f.fetched : f.copied,
		                           .values_referred = f.referred,
		                           .host_peak = peaks[0],
		                           .device_peak = peaks[1],
		                           .graph_bytes = peaks[2],
		                           .result_bytes = peaks[3],
		                           .attribute_bytes = peaks[4],
		                           .residual = { .tested = f.tested,
		                                         .kept = f.passed,
		                                         .copied = f.fetched,
		                                         .copied_bytes = f.fetched_bytes,
		                                         .referred = s->residual.self ? f.referred : 0,
		                                         .host_bytes = peaks[5],
		                                         .device_bytes = peaks[6] },
		                           .left_out = f.left_out,
		                           .grouped_rows = f.grouped_rows,
		                           .groups = f.groups,
		                           .distinct_passes = m->deduplicates ? gemp_distinct_passes(&s->distinct) : 1 };
	result->result_fill_percent = f.listing_launches ? (uint64_t)(100 * fill / (double)f.listing_launches + 0.5) : 0;
	for (int i = 0; i < GEMP_PART_STEPS; i++)
		result->part_share[i] = f.kept ? (double)f.within[i] / (double)f.kept : 1;
	measure_imbalance(m, result);
	describe_plan(m, result);
	describe_exchange(m, &f, result);
	gemp_code code = count_embeddings(m, f.kept, result);
	if (m->options.distinct == GEMP_BY_NOTHING)
		result->matches = result->embeddings;
	return code;
}

/* Collective. Searches on the devices, after an early search on the host. */
static gemp_code search_devices(gemp_match *m, const sink_chain *s, gemp_rounds_result *rounds)
{
	GEMP_OWNED_BY(gemp_grouping_free_at) gemp_grouping *grouping = NULL;
	gemp_rounds_result device = { 0 };
	bool done = false;
	GEMP_TRY(gemp_comm_agree(m->context->comm, gemp_multi_all_pivots(m->search)));
	if (m->plan->arguments)
		gemp_search_seed(m->search, m->seeds.ids, m->seeds.count);
	GEMP_TRY(gemp_grouping_new(&grouping, m, s->first));
	gemp_sink *first = grouping ? gemp_grouping_sink(grouping) : s->first;
	gemp_multi_start(m->search, first);
	GEMP_TRY(gemp_early_search_run(m, first, rounds, &done));
	if (!done) {
		gemp_code code = gemp_device_sets_new(m, &s->distinct);
		GEMP_THEN(gemp_rounds_run(m->search, m->pull, &device));
		gemp_device_sets_free(m, &s->distinct);
		GEMP_TRY(code);
		rounds->rounds += device.rounds;
		rounds->complete = device.complete;
		gemp_multi_add_counts(m->search);
	}
	if (grouping)
		gemp_grouping_figures(grouping, &m->grouped);
	return GEMP_OK;
}

/* Collective. If the interpreter gives up, the sinks have received nothing, and the search on devices is prepared. */
static gemp_code run_search(gemp_match *m, const sink_chain *s, gemp_rounds_result *rounds)
{
	gemp_interpreter_result result;
	bool done = false;
	if (m->interpreter) {
		GEMP_TRY(gemp_match_run_on_host(m, s->first, &result, &done));
		*rounds = (gemp_rounds_result){ .complete = result.complete, .rounds = result.rounds };
	}
	return done ? GEMP_OK : search_devices(m, s, rounds);
}
/* The chain of sinks is made anew for each run, since sinks remember the rows that they have seen. */
static gemp_code run_match(gemp_match *m, gemp_sink *sink, gemp_match_result *result)
{
	GEMP_OWNED_BY(free_sinks) sink_chain s = { 0 };
	gemp_rounds_result rounds;
	gemp_checked_sample check;
	if (m->options.explained)
		return gemp_fail(GEMP_EINTERNAL, "the match was prepared to be explained, not to run");
	m->grouped = (gemp_group_figures){ 0 };
	GEMP_TRY(gemp_comm_agree(m->context->comm, add_sinks(m, &s, sink)));
	GEMP_TRY(run_search(m, &s, &rounds));
	if (m->options.profile)
		GEMP_TRY(sum_profile(m));
	if (result)
		GEMP_TRY(report(m, &s, &rounds, result));
	GEMP_TRY(gemp_sample_check_run(m, &check));
	if (result) {
		result->checked_pivots = check.pivots;
		result->checked_matches = check.matches;
	}
	return GEMP_OK;
}

/* A match that was prepared for seeds cannot run from pivots, because their tasks differ. */
gemp_code gemp_match_run(gemp_match *m, gemp_sink *sink, gemp_match_result *result)
{
	if (m->plan->arguments)
		return gemp_fail(GEMP_EINTERNAL, "a pattern with given vertices is searched for from seeds");
	return run_match(m, sink, result);
}

/* The run reuses the buffers of the previous run, so a query can search from many sets of seeds. */
gemp_code gemp_match_run_seeded(gemp_match *m, const gemp_vertex *ids, size_t count, gemp_sink *sink,
                                gemp_match_result *result)
{
	if (!m->plan->arguments)
		return gemp_fail(GEMP_EINTERNAL, "a pattern without given vertices is not searched for from seeds");
	m->seeds = (gemp_seeds){ .ids = ids, .count = count };
	if (m->interpreter)
		gemp_interpreter_seed(m->interpreter, ids, count);
	return run_match(m, sink, result);
}

void gemp_match_limit(gemp_match *m, uint64_t rows)
{
	m->options.limit = rows;
}

/* Parts are chosen by ids, which do not depend on the number of ranks. The first call keeps a copy of all pivots'
 * slots, because the search has only the pivots of the present part. */
gemp_code gemp_pivot_part_set(gemp_match *m, const gemp_pivot_part *part)
{
	gemp_search *search = m->search;
	GEMP_OWNED gemp_vertex *slots = NULL;
	size_t count = 0;
	if (m->interpreter) {
		gemp_interpreter_part(m->interpreter, part->first, part->count, part->of);
		return GEMP_OK;
	}
	if (!m->pivots) {
		GEMP_TRY(GEMP_COPY(m->pivots, search->pivot_slots, search->pivots));
		m->pivot_count = search->pivots;
	}
	GEMP_TRY(GEMP_NEW(slots, m->pivot_count + 1));
	for (size_t i = 0; i < m->pivot_count; i++)
		if (search->order->id_of[m->pivots[i]] % part->of - part->first < part->count)
			slots[count++] = m->pivots[i];
	return gemp_multi_pivots(search, slots, count);
}

/* Two plans with equal hashes find each match from the same pivot. The hash covers the order of the steps and all
 * restrictions that select one embedding of an orbit. */
uint64_t gemp_pivot_plan(const gemp_match *m)
{
	uint64_t hash = gemp_hash(&m->plan->divisor, sizeof m->plan->divisor, m->plan->broken);
	if (m->interpreter && m->plan->broken) /* restrictions may compare ids and not slots */
		hash = gemp_hash(&hash, sizeof hash, gemp_interpreter_by_id(m->interpreter));
	for (size_t s = 0; s < m->plan->step_count; s++) {
		const gemp_step *step = &m->plan->steps[s];
		const uint64_t words[] = { step->kind,    (uint64_t)step->vertex, (uint64_t)step->edge, step->less,
			                       step->greater, step->key_less,         step->key_le,         step->key_greater,
			                       step->key_ge,  step->edge_less };
		hash = gemp_hash(words, sizeof words, hash);
	}
	return hash;
}

int gemp_pivot_order(const gemp_match *m, int order[GEMP_MAX_PATTERN_VERTICES])
{
	return gemp_plan_binding_order(m->plan, order);
}

/* If duplicates must be removed, two parts can find members of the same class, which would be counted twice. */
bool gemp_pivot_parts_overlap(const gemp_match *m)
{
	return m->deduplicates;
}
