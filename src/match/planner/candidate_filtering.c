#include "match/planner/candidate_filtering.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "match/planner/statistics.h"

#include <stdio.h>

/* Nanoseconds, as measured on 2 cores: to copy a value of a column to the device and test it; to copy a match to the
 * host; to look at one of its values there. */
static const double before_number = 3, before_string = 15, after_match = 30, after_value = 30;

enum { SAMPLED = 1 << 12 }; /* candidates of a rank whose rows tell of its edges */

/* MATCHES, estimated as if edges lay between candidates at random. */

/* Own rows that are candidates: every `step`-th of them. */
typedef struct edge_sample {
	size_t count, step;
	size_t rows[SAMPLED];
} edge_sample;

/* The next row from `row` on that is a candidate; words without bits are skipped. */
static size_t next_candidate(const gemp_shard *graph, const uint32_t *bits, size_t row)
{
	while (row < graph->rows && bits && !gemp_bits32_test(bits, graph->first_vertex + row)) {
		uint64_t id = graph->first_vertex + row;
		row += bits[id / 32] >> id % 32 ? 1 : 32 - id % 32;
	}
	return row;
}

/* Every n-th candidate, so that the sample does not depend on a random number. */
static void take_sample(const gemp_shard *graph, const uint32_t *bits, edge_sample *out)
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

/* Estimates the edges between candidates of both ends from a sample of rows at the end that has fewer candidates. */
static double sample_edges(const gemp_shard *graph, const gemp_candidates *candidates, const gemp_pattern_edge *edge,
                           bool either)
{
	bool back = candidates->count[edge->to] < candidates->count[edge->from] &&
	            gemp_shard_has_loaded(graph, edge->relations, GEMP_LOAD_IN);
	int at = back ? edge->to : edge->from, other = back ? edge->from : edge->to;
	const gemp_edge_question question = { graph, candidates, edge->relations, other, !back || either, back || either };
	uint64_t found = 0;
	edge_sample sample;
	take_sample(graph, candidates->bits[at], &sample);
	for (size_t i = 0; i < sample.count; i++)
		found += gemp_statistics_row(&question, sample.rows[i]);
	return (double)found * (double)sample.step;
}

/* Matches are estimated as if edges lay between candidates at random. */
static double estimate_matches(gemp_runtime *context, const gemp_shard *graph, const gemp_pattern *pattern,
                               const gemp_candidates *candidates)
{
	double edges[GEMP_MAX_PATTERN_EDGES], matches = 1;
	for (size_t e = 0; e < pattern->edge_count; e++)
		edges[e] = sample_edges(graph, candidates, &pattern->edges[e],
		                        pattern->simple || pattern->edges[e].direction == GEMP_EITHER);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, edges, (int)pattern->edge_count, MPI_DOUBLE, MPI_SUM, context->comm->world));
	for (size_t v = 0; v < pattern->vertex_count; v++)
		matches *= (double)candidates->count[v];
	for (size_t e = 0; e < pattern->edge_count && matches > 0; e++)
		matches *= edges[e] / ((double)candidates->count[pattern->edges[e].from] *
		                       (double)candidates->count[pattern->edges[e].to]);
	return matches;
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

/* Compares the cost of testing a whole column before the search with that of testing matches after it. */
static bool estimate_costs(gemp_phase_choice *choice, const gemp_shard *graph, double matches)
{
	double values = (double)gemp_phases_mentions(choice->condition->expr), rows = (double)graph->vertex_count;
	double before = reads_string(graph, choice->condition->expr) ? before_string : before_number;
	choice->before_cost = 1e-9 * rows * values * before;
	choice->after_cost = 1e-9 * matches * (after_match + values * after_value);
	bool later = choice->after_cost < choice->before_cost;
	snprintf(choice->reason, sizeof choice->reason,
	         "%.3g values of a column or %.3g of about %.3g matches: %.2g s or %.2g s", rows * values, matches * values,
	         matches, choice->before_cost, choice->after_cost);
	return later;
}

/* Collective. Rank 0 decides: sums of floating-point numbers need not be the same everywhere. */
static void choose(gemp_condition_phases *phases, gemp_runtime *context, const gemp_shard *graph,
                   const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	double matches = estimate_matches(context, graph, pattern, candidates);
	GEMP_MPI(MPI_Bcast(&matches, 1, MPI_DOUBLE, 0, context->comm->world));
	for (size_t i = 0; i < phases->choice_count; i++)
		if (phases->choices[i].open && estimate_costs(&phases->choices[i], graph, matches))
			gemp_phases_defer(phases, &phases->choices[i]);
}

/* CANDIDATES */

/* Is there arithmetic that may have no result, such as a division by zero? */
static bool may_fail(const gemp_expr *expr)
{
	if ((expr->kind >= GEMP_ADD && expr->kind <= GEMP_NEGATE) || expr->kind == GEMP_MATCHES)
		return true;
	for (size_t i = 0; i < expr->count; i++)
		if (may_fail(expr->children[i]))
			return true;
	return false;
}

/* The arguments of gemp_candidates_narrow that stay the same. */
typedef struct filter_context {
	gemp_candidates *candidates;
	gemp_condition_phases *phases;
	gemp_runtime *context;
	gemp_filter *filter;
	gemp_shard *graph;
	const gemp_pattern *pattern;
} filter_context;

static gemp_code narrow_by(const filter_context *n, const gemp_condition *const *conditions, size_t count)
{
	return gemp_candidates_narrow(n->candidates, n->context, n->filter, n->graph, n->pattern, conditions, count);
}

/* Conditions that cannot be computed for some vertex are tested after the search instead: that vertex need not be in
 * any match. */
static gemp_code narrow(const filter_context *n, size_t first, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_condition **safe = NULL, **unsafe = NULL;
	size_t safe_count = 0, unsafe_count = 0;
	code = GEMP_NEW(safe, count);
	GEMP_THEN(GEMP_NEW(unsafe, count));
	GEMP_TRY(gemp_comm_agree(n->context->comm, code));
	for (size_t i = first; i < count; i++)
		if (may_fail(n->phases->before[i]->expr))
			unsafe[unsafe_count++] = n->phases->before[i];
		else
			safe[safe_count++] = n->phases->before[i];
	GEMP_TRY(narrow_by(n, safe, safe_count));
	for (size_t i = 0; i < unsafe_count; i++) {
		gemp_phase_choice *choice = gemp_phases_choice(n->phases, unsafe[i]);
		code = narrow_by(n, &unsafe[i], 1);
		if (code != GEMP_OK && code != GEMP_EDATA)
			goto done;
		if (code == GEMP_EDATA) {
			gemp_phases_defer(n->phases, choice);
			snprintf(choice->reason, sizeof choice->reason, "cannot be computed for some vertex");
		}
		code = GEMP_OK;
	}
done:
	gemp_free_all(safe, unsafe);
	return code;
}

/* Certain conditions narrow the candidates first, since the estimate of matches is made from what they leave. */
gemp_code gemp_filter_candidates(gemp_candidates *out, gemp_condition_phases *phases, gemp_runtime *context,
                                 gemp_filter *filter, gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	const filter_context n = { out, phases, context, filter, graph, pattern };
	if (filter)
		gemp_filter_count_loops(filter, phases->count_loops);
	GEMP_TRY(gemp_candidates_new(out, context, filter, graph, pattern, NULL, 0));
	if (options->among)
		GEMP_TRY(gemp_comm_agree(context->comm, gemp_candidates_limit(out, options->among_vertex, options->among)));
	GEMP_TRY(narrow(&n, 0, phases->certain));
	if (phases->before_count > phases->certain) {
		choose(phases, context, graph, pattern, out);
		GEMP_TRY(narrow(&n, phases->certain, phases->before_count));
	}
done:
	if (code != GEMP_OK)
		gemp_candidates_free(out);
	return code;
}
