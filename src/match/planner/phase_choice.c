#include "match/planner/phase_choice.h"

#include "core/limits.h"
#include "match/filter/statistics.h"
#include "match/filter/value_lookup.h"
#include "match/planner/plan_rows.h"
#include "match/planner/sample.h"
#include "pattern/plan/planner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds, measured on 2 cores. before_number, before_string: copying a value of a column to the device and testing it
 * there. after_match: copying a match to the host. after_value: testing one value of a match on the host. cpu_entry,
 * gpu_entry: reading one row entry in the search, on a core and on a GPU. */
static const double before_number = 3e-9, before_string = 15e-9, after_match = 30e-9, after_value = 30e-9;
static const double cpu_entry = 1e-9, gpu_entry = 2e-11;
/* Seconds of a sample: at least, and for each vertex, whose degree is measured. */
static const double min_sample = 5e-3, sample_vertex = 4e-9;
/* Reads of a sample in a second, and the fraction of the test before the search that samples may cost. */
static const double reads_per_second = 4e7, sampling_share = 0.5;

enum {
	SAMPLED = 1 << 12, /* maximum number of candidates of a rank in whose rows edges are counted */
	TESTED = 1 << 10,  /* maximum number of candidates of a rank for which a condition is tested */
	SAMPLES = 4,
	SAMPLE = 64, /* partial matches of a sample */
	SEED = 1
};

/* STATISTICS */

/* Every `step`-th of the own rows whose vertices are candidates. */
typedef struct edge_sample {
	size_t count, step;
	size_t rows[SAMPLED];
} edge_sample;

/* The first row from `row` on whose vertex is a candidate. Words without bits are skipped. */
static size_t next_candidate(const gemp_shard *graph, const uint32_t *bits, size_t row)
{
	while (row < graph->rows && bits && !gemp_bits32_test(bits, graph->first_vertex + row)) {
		uint64_t id = graph->first_vertex + row;
		row += bits[id / 32] >> id % 32 ? 1 : 32 - id % 32;
	}
	return row;
}

/* Takes every n-th candidate, so the sample does not depend on random numbers. */
static void sample_candidates(const gemp_shard *graph, const uint32_t *bits, edge_sample *out)
{
	size_t own = bits ? 0 : graph->rows, seen = 0;
	size_t first = next_candidate(graph, bits, 0);
	for (size_t row = first; bits && row < graph->rows; row = next_candidate(graph, bits, row + 1))
		own++;
	out->step = own / SAMPLED + 1;
	out->count = 0;
	for (size_t row = first; row < graph->rows; row = next_candidate(graph, bits, row + (bits ? 1 : out->step)))
		if (!bits || seen++ % out->step == 0)
			out->rows[out->count++] = row;
}

/* Local. Estimates the number of edges between candidates of both ends of a pattern edge. The sample has rows of the
 * end with fewer candidates. */
static gemp_code sample_edges(double *out, const gemp_shard *graph, const gemp_candidates *candidates,
                              const gemp_pattern *pattern, const gemp_pattern_edge *edge)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	gemp_view_key key = gemp_pattern_edge_key(pattern, edge, true);
	bool back = candidates->count[edge->to] < candidates->count[edge->from] && gemp_view_is_loaded(graph, &key);
	int at = back ? edge->to : edge->from;
	const gemp_edge_question question = { graph, candidates, &lists, back ? edge->from : edge->to };
	uint64_t found = 0;
	edge_sample sample;
	key = gemp_pattern_edge_key(pattern, edge, back);
	GEMP_TRY(gemp_view_lists_new(&lists, graph, &key));
	sample_candidates(graph, candidates->bits[at], &sample);
	for (size_t i = 0; i < sample.count; i++)
		found += gemp_statistics_row(&question, sample.rows[i]);
	*out = (double)found * (double)sample.step;
	return GEMP_OK;
}

/* Collective. Statistics from a sample of the edges, which suffice to plan samples. Exact statistics would read all
 * edges. All ranks use the numbers of rank 0, since sums of floating-point numbers can differ between ranks. */
static gemp_code sample_statistics(gemp_statistics *out, const gemp_phase_inputs *q, const gemp_candidates *candidates)
{
	const gemp_pattern *pattern = q->pattern;
	const MPI_Comm world = q->context->comm->world;
	gemp_statistics made = { .vertices = (double)q->graph->vertex_count };
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		made.candidates[v] = (double)candidates->count[v];
		made.filtered[v] = candidates->bits[v] != NULL;
	}
	gemp_code code = GEMP_OK;
	for (size_t e = 0; e < pattern->edge_count; e++)
		GEMP_THEN(sample_edges(&made.edges[e], q->graph, candidates, pattern, &pattern->edges[e]));
	GEMP_TRY(gemp_comm_agree(q->context->comm, code));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, made.edges, (int)pattern->edge_count, MPI_DOUBLE, MPI_SUM, world));
	GEMP_MPI(MPI_Bcast(made.edges, (int)pattern->edge_count, MPI_DOUBLE, 0, world));
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const double edges = made.edges[e];
		made.paths_from[e] = edges * edges / fmax(made.candidates[pattern->edges[e].from], 1);
		made.paths_to[e] = edges * edges / fmax(made.candidates[pattern->edges[e].to], 1);
		made.parallel[e] = !pattern->simple; /* a plan for parallel edges also counts right where there are none */
	}
	*out = made;
	return GEMP_OK;
}

/* Estimates the number of matches as if edges connected candidates at random. */
static double random_matches(const gemp_pattern *pattern, const gemp_statistics *statistics)
{
	double matches = 1;
	for (size_t v = 0; v < pattern->vertex_count; v++)
		matches *= statistics->candidates[v];
	for (size_t e = 0; e < pattern->edge_count && matches > 0; e++)
		matches *= statistics->edges[e] /
		           (statistics->candidates[pattern->edges[e].from] * statistics->candidates[pattern->edges[e].to]);
	return matches;
}

/* SAMPLES of the search */

/* The search without the open conditions. */
typedef struct search_costs {
	bool sampled;                 /* false: `matches` is by a formula, and `entries` is 0 */
	double matches, matches_high; /* estimate; estimate plus two standard errors */
	double entries;               /* row entries that the search reads; a lookup in a row counts as two */
	double second_entries;        /* entries that a core, or the GPU, reads in a second */
} search_costs;

/* Collective. Runs one sample through all steps of the plan. */
static gemp_code take_sample(gemp_sampler *sampler, const gemp_plan *plan, double *entries, double *matches)
{
	gemp_code code = GEMP_OK;
	gemp_sample samples[2] = { { 0 }, { 0 } };
	gemp_sample_work work = { 0 };
	int at = 0;
	*entries = 0;
	for (size_t step = 0; step < plan->step_count; step++, at = 1 - at) {
		samples[1 - at].count = 0;
		GEMP_TRY_DONE(
			gemp_sampler_step(sampler, plan, step, step ? &samples[at] : NULL, &samples[1 - at], SAMPLE, &work));
		*entries += work.entries + 2 * work.lookups;
	}
	*matches = work.passed;
done:
	gemp_sample_free(&samples[0]);
	gemp_sample_free(&samples[1]);
	return code;
}

/* Collective. Samples the search. `seconds` is the time that all samples may take. */
static gemp_code sample_search(search_costs *out, const gemp_phase_inputs *q, const gemp_candidates *candidates,
                               const gemp_statistics *statistics, double seconds)
{
	GEMP_OWNED_BY(gemp_plan_free_at) gemp_plan *plan = NULL;
	GEMP_OWNED_BY(gemp_sampler_free_at) gemp_sampler *sampler = NULL;
	double sum = 0, squares = 0, entries = 0;
	int count = 0;
	bool exact = false;
	GEMP_TRY(gemp_comm_agree(q->context->comm, gemp_plan_new(&plan, q->pattern, q->symmetry, statistics, q->plan)));
	const double steps = (double)plan->step_count * SAMPLES;
	const gemp_sampler_options options = { .seed = SEED,
		                                   .limit = (uint64_t)fmax(seconds * reads_per_second / steps, SAMPLE) };
	GEMP_TRY(gemp_sampler_new(&sampler, q->context, q->graph, q->pattern, candidates, q->key_rank, &options));
	for (; count < SAMPLES && !exact; count++) {
		double read, matches;
		GEMP_TRY(take_sample(sampler, plan, &read, &matches));
		exact = gemp_sampler_exact(sampler);
		entries += read;
		sum += matches;
		squares += matches * matches;
	}
	out->sampled = true;
	out->matches = sum / count;
	out->entries = entries / count;
	out->matches_high = out->matches +
	                    (exact ? 0 : 2 * sqrt(fmax(squares / count - out->matches * out->matches, 0) / (count - 1)));
	return GEMP_OK;
}

/* CHOICE */

/* Strings cost more to copy and to compare than numbers. */
static bool reads_string(const gemp_shard *graph, const gemp_expr *expr)
{
	if (expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0 &&
	    graph->attributes.columns[expr->attribute].type == GEMP_STRING)
		return true;
	for (size_t i = 0; i < expr->count; i++)
		if (reads_string(graph, expr->children[i]))
			return true;
	return false;
}

/* The seconds for which testing a condition on a whole column takes one core. */
static double test_seconds(const gemp_shard *graph, const gemp_condition *condition)
{
	double values = (double)gemp_phases_mentions(condition->expr);
	return values * (double)graph->vertex_count *
	       (reads_string(graph, condition->expr) ? before_string : before_number);
}

/* Collective. Measures the search: by samples if they cost less than the tests and have the rows that they need. A
 * pattern with given vertices has no pivots to sample. */
static gemp_code measure_search(search_costs *out, const gemp_phase_inputs *q, const gemp_candidates *candidates,
                                double seconds)
{
	bool has_rows = q->pattern->arguments == 0;
	gemp_statistics statistics;
	GEMP_TRY(sample_statistics(&statistics, q, candidates));
	for (size_t e = 0; e < q->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &q->pattern->edges[e];
		const gemp_view_key key = gemp_pattern_edge_key(q->pattern, edge, false);
		has_rows &= gemp_view_index(q->graph, &key) || /* the sampler then loads the relations */
		            gemp_shard_has_loaded(q->graph, edge->relations,
		                                  q->pattern->simple ? GEMP_LOAD_IN : GEMP_LOAD_IN_EDGES);
	}
	*out = (search_costs){ .matches = random_matches(q->pattern, &statistics) };
	out->matches_high = out->matches;
	out->second_entries = 1 / (q->context->device && q->context->device->gpu ? gpu_entry : cpu_entry);
	return has_rows ? sample_search(out, q, candidates, &statistics, sampling_share * seconds) : GEMP_OK;
}

/* Fills the costs of a condition: before the search, its test and the search from the candidates that pass; after it,
 * the whole search and a test of each match. */
static void fill_costs(gemp_phase_choice *choice, const gemp_shard *graph, const search_costs *search, double share)
{
	double values = (double)gemp_phases_mentions(choice->condition->expr);
	double seconds = search->entries / search->second_entries;
	choice->before_cost = test_seconds(graph, choice->condition) + share * seconds;
	choice->after_cost = seconds + search->matches_high * (after_match + values * after_value);
	if (search->sampled)
		snprintf(choice->reason, sizeof choice->reason,
		         "by samples %.3g matches, %.3g row entries, %.2g %% of candidates pass: before %.2g s, after %.2g s",
		         search->matches, search->entries, 100 * share, choice->before_cost, choice->after_cost);
	else
		snprintf(choice->reason, sizeof choice->reason, "by a formula %.3g matches: before %.2g s, after %.2g s",
		         search->matches, choice->before_cost, choice->after_cost);
}

/* Decides the conditions one by one, the greatest gain first. A condition that is tested before the search leaves less
 * to gain for the others. share[choice_count] is the share of the candidates that pass each open condition. */
static void decide(gemp_condition_phases *phases, const gemp_shard *graph, search_costs search, const double *share)
{
	for (size_t left = phases->before_count - phases->certain; left > 0; left--) {
		size_t best = SIZE_MAX;
		for (size_t i = 0; i < phases->choice_count; i++) {
			gemp_phase_choice *choice = &phases->choices[i];
			if (!choice->open || choice->decided)
				continue;
			fill_costs(choice, graph, &search, share[i]);
			if (best == SIZE_MAX || choice->after_cost - choice->before_cost >
			                            phases->choices[best].after_cost - phases->choices[best].before_cost)
				best = i;
		}
		gemp_phase_choice *choice = &phases->choices[best];
		choice->decided = true;
		if (choice->after_cost < choice->before_cost) {
			gemp_phases_defer(phases, choice);
			continue;
		}
		search.matches *= share[best];
		search.matches_high *= share[best];
		search.entries *= share[best];
	}
}

/* Collective. Chooses the phases of the open conditions. */
static gemp_code choose_phases(gemp_condition_phases *phases, const gemp_phase_inputs *q,
                               const gemp_candidates *candidates)
{
	double tests = 0, sampling = min_sample + sample_vertex * (double)q->graph->vertex_count;
	search_costs search;
	GEMP_OWNED double *share = NULL;
	for (size_t i = 0; i < phases->choice_count; i++)
		tests += phases->choices[i].open ? test_seconds(q->graph, phases->choices[i].condition) : 0;
	if (tests < gemp_limits_now()->phase_sampling * sampling) {
		for (size_t i = 0; i < phases->choice_count; i++)
			if (phases->choices[i].open)
				snprintf(phases->choices[i].reason, sizeof phases->choices[i].reason,
				         "all %.3g vertices are tested in about %.2g s, less than a sample of the search takes",
				         (double)q->graph->vertex_count, test_seconds(q->graph, phases->choices[i].condition));
		return GEMP_OK;
	}
	double began = gemp_now();
	GEMP_TRY(gemp_comm_agree(q->context->comm, GEMP_NEW(share, phases->choice_count)));
	GEMP_TRY(measure_search(&search, q, candidates, tests));
	gemp_timers_add(&q->context->timers, GEMP_PHASE_CONVERT, began);
	for (size_t i = 0; i < phases->choice_count; i++)
		if (phases->choices[i].open)
			GEMP_TRY(gemp_candidates_share(candidates, q->context, q->graph, phases->choices[i].condition,
			                               phases->count_loops, TESTED, &share[i]));
	decide(phases, q->graph, search, share);
	return GEMP_OK;
}

/* CANDIDATES */

/* True if evaluating the expression can fail for some row: arithmetic can (for example, a division by zero), and so can
 * a bad regular expression. */
static bool may_fail(const gemp_expr *expr)
{
	if ((expr->kind >= GEMP_ADD && expr->kind <= GEMP_NEGATE) || expr->kind == GEMP_MATCHES)
		return true;
	for (size_t i = 0; i < expr->count; i++)
		if (may_fail(expr->children[i]))
			return true;
	return false;
}

/* The arguments that all calls of gemp_candidates_narrow share. */
typedef struct filter_context {
	gemp_candidates *candidates;
	gemp_condition_phases *phases;
	const gemp_phase_inputs *q;
} filter_context;

/* Collective. Removes the candidates for which one of the conditions is not true. */
static gemp_code narrow_by(const filter_context *n, const gemp_condition *const *conditions, size_t count)
{
	return gemp_candidates_narrow(n->candidates, n->q->context, n->q->filter, n->q->graph, n->q->pattern, conditions,
	                              count);
}

/* Collective. Tests conditions [first, count) of `before`. If a condition cannot be computed for some vertex, it is
 * tested after the search instead of failing the query, because this vertex may be in no match. */
static gemp_code narrow(const filter_context *n, size_t first, size_t count)
{
	GEMP_OWNED const gemp_condition **safe = NULL, **unsafe = NULL;
	size_t safe_count = 0, unsafe_count = 0;
	GEMP_TRY(gemp_comm_agree(n->q->context->comm, gemp_new_all(GEMP_ARRAY(safe, count), GEMP_ARRAY(unsafe, count))));
	for (size_t i = first; i < count; i++)
		if (may_fail(n->phases->before[i]->expr))
			unsafe[unsafe_count++] = n->phases->before[i];
		else
			safe[safe_count++] = n->phases->before[i];
	GEMP_TRY(narrow_by(n, safe, safe_count));
	for (size_t i = 0; i < unsafe_count; i++) {
		gemp_code code = narrow_by(n, &unsafe[i], 1);
		if (code == GEMP_OK)
			continue;
		if (code != GEMP_EDATA)
			return code;
		gemp_phase_choice *choice = n->phases->choices;
		while (choice->condition != unsafe[i])
			choice++;
		gemp_phases_defer(n->phases, choice);
		snprintf(choice->reason, sizeof choice->reason, "cannot be computed for some vertex");
	}
	return GEMP_OK;
}

/* Moves the open conditions that an index answers to the certain ones, since a lookup costs less than any choice. */
static void take_indexed(gemp_condition_phases *phases, const gemp_shard *graph)
{
	for (size_t i = phases->certain; i < phases->before_count; i++) {
		const gemp_condition *condition = phases->before[i];
		if (gemp_value_lookup_index(graph, condition->expr) == GEMP_NO_LOOKUP)
			continue;
		phases->before[i] = phases->before[phases->certain];
		phases->before[phases->certain++] = condition;
		for (size_t k = 0; k < phases->choice_count; k++)
			if (phases->choices[k].condition == condition)
				phases->choices[k].open = false;
	}
}

/* Conditions that are not open are tested first, so the samples start from the candidates that remain. */
gemp_code gemp_filter_candidates(gemp_candidates *out, gemp_condition_phases *phases, const gemp_phase_inputs *inputs)
{
	const gemp_match_options *options = inputs->options;
	gemp_runtime *context = inputs->context;
	GEMP_OWNED_BY(gemp_candidates_free) gemp_candidates made = { 0 };
	const filter_context n = { &made, phases, inputs };
	*out = made;
	if (inputs->filter)
		gemp_filter_count_loops(inputs->filter, phases->count_loops);
	GEMP_TRY(gemp_candidates_new(&made, context, inputs->filter, inputs->graph, inputs->pattern, NULL, 0));
	for (size_t i = 0; i < options->among_count; i++)
		GEMP_TRY(gemp_comm_agree(context->comm,
		                         gemp_candidates_limit(&made, options->among[i].vertex, options->among[i].bits)));
	take_indexed(phases, inputs->graph);
	GEMP_TRY(narrow(&n, 0, phases->certain));
	if (phases->before_count > phases->certain) {
		GEMP_TRY(choose_phases(phases, inputs, &made));
		GEMP_TRY(narrow(&n, phases->certain, phases->before_count));
	}
	*out = made;
	made = (gemp_candidates){ 0 };
	return GEMP_OK;
}
