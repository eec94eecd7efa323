#include "match/match_host.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/threads.h"
#include "device/drivers.h"
#include "device/select.h"
#include "match/filter/value_lookup.h"
#include "match/forecast.h"
#include "match/groups/device_groups.h"
#include "match/groups/grouping.h"
#include "match/match_device.h"
#include "match/match_plan.h"

static const size_t default_memory = (size_t)8 << 30; /* bytes of a rank, if no budget is set */

/* The number of edges of the view's relations, and in a view that goes either way twice as many, for each vertex. */
static double mean_row(const gemp_match *m, const gemp_plan_view *view)
{
	double entries = 0;
	for (size_t r = 0; r < m->graph->relation_count; r++)
		if (view->relations[r])
			entries += (double)m->graph->relations[r].edge_count;
	return entries * (view->direction == GEMP_VIEW_EITHER ? 2 : 1) / fmax(1, (double)m->graph->vertex_count);
}

/* The estimate without samples: each partial match walks a row of mean length. A table of two-paths, which replaces the
 * last step, walks rows of neighbours of the pivot twice. */
static double planned_work(const gemp_match *m)
{
	const gemp_plan *plan = m->plan;
	size_t walked = plan->step_count - plan->two_paths;
	double work = plan->steps[plan->root].rows, mean;
	for (size_t s = (size_t)plan->root + 1; s < walked; s++) {
		mean = mean_row(m, &plan->views[plan->steps[s].checks[0].view]);
		work += plan->steps[s - 1].rows * (1 + mean) + plan->steps[s].rows;
	}
	if (plan->two_paths) {
		mean = mean_row(m, &plan->views[plan->steps[walked].checks[0].view]);
		work += 2 * plan->steps[plan->root].rows * mean * mean;
	}
	return work;
}

/* The expected entries and lookups of the search. A search from given vertices has the work of one task. */
double gemp_match_expected_work(const gemp_match *m)
{
	double work = 0;
	for (size_t s = 0; s < m->plan->step_count; s++)
		work += m->sample_work[s].passed + m->sample_work[s].entries + m->sample_work[s].lookups;
	return m->sample_work[0].passed > 0 ? work : planned_work(m);
}

/* Parts of the pivots are searched by the same engine in every run, since the numbering of vertices decides which pivot
 * finds a match. */
bool gemp_match_asks_for_device(const gemp_match_options *o, const gemp_budgets *b)
{
	return o->lanes || o->launch_factor > 0 || o->replicate != GEMP_REPLICATE_AUTO ||
	       o->exchange != GEMP_EXCHANGE_AUTO || b->outbox || b->row_cache || b->result_buffer || o->in_parts;
}

/* Collective. All ranks know the same estimates, and sum their threads. With a limit of 0 not even a search without
 * candidates, which has no work, is within. */
static bool is_within(const gemp_match *m, double work, uint64_t limit)
{
	uint64_t threads = gemp_comm_sum1(m->context->comm, gemp_threads());
	return limit && work <= (double)limit * (double)threads;
}

/* The number of values to be tested, if each condition on one vertex that no index answers is tested for all
 * vertices. A condition without kernels takes as long as COMPUTED others: size() takes 48 ns a value, toUpper() 157,
 * = of strings 8, CONTAINS 29 (AMD EPYC, 2026-11-28). */
static double filter_work(const gemp_match *m)
{
	enum { COMPUTED = 16 };
	double tests = 0;
	for (size_t i = 0; i < m->pattern->condition_count; i++)
		if (__builtin_popcountll(m->pattern->conditions[i].vertices) == 1 &&
		    gemp_value_lookup_index(m->graph, m->pattern->conditions[i].expr) == GEMP_NO_LOOKUP)
			tests += gemp_filter_has_kernels(m->pattern->conditions[i].expr) ? 1 : COMPUTED;
	return tests * (double)m->graph->vertex_count;
}

/* Options of the search say nothing about conditions, which also have kernels to compile. */
bool gemp_match_filters_on_host(const gemp_match *m)
{
	return m->options.place == GEMP_PLACE_HOST ||
	       (m->options.place == GEMP_PLACE_AUTO && is_within(m, filter_work(m), gemp_limits_now()->filter_values));
}

/* In a regular graph a search for two edges visits this number of entries. */
bool gemp_match_may_be_small(const gemp_match *m)
{
	double edges = (double)gemp_shard_edges(m->graph);
	double visited = edges * edges / fmax(1, (double)m->graph->vertex_count);
	return m->options.place == GEMP_PLACE_HOST ||
	       (m->options.place == GEMP_PLACE_AUTO && !gemp_match_asks_for_device(&m->options, &m->context->budgets) &&
	        is_within(m, visited, gemp_limits_now()->interpret_work));
}

/* Counters for all vertices are worth their memory if the search visits about as many. A row that has all vertices is
 * mostly the only one of its group, but perhaps few groups are wanted. */
static bool makes_groups(const gemp_match *m)
{
	enum { VISITED = 4, MEMORY = 8 };
	const gemp_group_request *wanted = &m->options.groups;
	const int forced = gemp_limits_now()->group_walk;
	const size_t memory = gemp_group_walk_memory(m->graph->vertex_count) * gemp_threads();
	const size_t budget = m->context->budgets.host_memory ? m->context->budgets.host_memory : default_memory;
	if (!forced || !gemp_grouping_allowed(m) || !gemp_group_walk_suits(m->plan, wanted))
		return false;
	return forced > 0 ||
	       (memory <= budget / MEMORY && gemp_match_expected_work(m) >= (double)m->graph->vertex_count / VISITED &&
	        (__builtin_popcountll(wanted->keys) < m->plan->vertex_count ||
	         (wanted->by == wanted->keys && (wanted->top || wanted->min_rows > 1))));
}

/* Local. True if an open device, or a GPU, would group the rows of matches. */
static bool a_device_groups(const gemp_match *m)
{
	const gemp_runtime *context = m->context;
	const bool there = context->device ? gemp_device_groups_suit(context->device, (size_t)m->plan->vertex_count, 0)
	                                   : gemp_device_spec_prefers_gpus(context->device_spec) && gemp_drivers_find_gpu();
	return there && gemp_grouping_suits(m);
}

/* Collective. Threads of the host take as long for a row that they group as for some entries: 5.8 million pairs of
 * people with a common film took .5 s on 32 cores, .4 s of it for groups (2026-11-30); where they count the groups of a
 * pivot while they search, 99 million took .33 s on 16 cores. A GPU groups 99 million at once, in .05 s, so that a
 * smaller search is worth its launches. The drivers, which take .2 s, are loaded for large searches only. */
static bool is_small(const gemp_match *m)
{
	enum { GROUPED_ROW = 32, COUNTED_ROW = 4, SHARE = 8 };
	const gemp_comm *comm = m->context->comm;
	const double work = gemp_match_expected_work(m), row = makes_groups(m) ? COUNTED_ROW : GROUPED_ROW;
	const uint64_t limit = gemp_limits_now()->interpret_work;
	if (!is_within(m, work, limit))
		return false;
	return is_within(m, work + row * gemp_match_forecast(m).rows, limit / SHARE) ||
	       gemp_comm_sum1(comm, a_device_groups(m)) < (uint64_t)comm->size;
}

bool gemp_match_may_use_host(const gemp_match *m)
{
	return !m->options.sampled && (m->options.place == GEMP_PLACE_HOST ||
	                               (m->options.place == GEMP_PLACE_AUTO &&
	                                !gemp_match_asks_for_device(&m->options, &m->context->budgets) && is_small(m)));
}

/* A search from given vertices has the work of one task, but perhaps many tasks. */
static bool is_serial(const gemp_match *m)
{
	return !m->plan->arguments && gemp_match_expected_work(m) < (double)gemp_limits_now()->interpret_serial;
}

gemp_code gemp_match_use_host(gemp_match *m)
{
	gemp_interpreter_options options = { .serial = is_serial(m),
		                                 .listed = gemp_match_needs_listing(m),
		                                 .first_only = m->options.first_only && !m->phases.after_count,
		                                 .per = m->per,
		                                 .max_rows = m->context->budgets.result_buffer,
		                                 .key_rank = m->pushdown.key_rank,
		                                 .groups = makes_groups(m) ? &m->options.groups : NULL };
	if (!gemp_match_may_use_host(m))
		return GEMP_OK;
	return gemp_interpreter_new(&m->interpreter, m->context, m->graph, m->plan, &m->candidates, &options);
}

gemp_code gemp_match_run_on_host(gemp_match *m, gemp_sink *sink, gemp_interpreter_result *result, bool *done)
{
	GEMP_TRY(gemp_interpreter_run(m->interpreter, sink, m->options.place == GEMP_PLACE_AUTO, result));
	*done = !result->gave_up;
	if (*done)
		return GEMP_OK;
	gemp_log(GEMP_VERBOSE, "the search is larger than expected (%.3g entries); it starts anew on the devices",
	         gemp_match_expected_work(m));
	gemp_interpreter_free(m->interpreter);
	m->interpreter = NULL;
	return gemp_match_use_device(m);
}
