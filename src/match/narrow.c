#include "match/narrow.h"

#include <stdio.h>

/* What a value costs, in nanoseconds, as measured on 2 cores: to bring one of a column to the device and test it; and to
 * carry a match to the host and look at one of its values there. */
static const double before_number = 3, before_string = 15, after_match = 30, after_value = 30;

enum { SAMPLED = 1 << 12 }; /* own vertices of a rank whose rows tell of its edges */

/* MATCHES, estimated as if edges lay between candidates at random. */

static bool may_be(const gemp_candidates *candidates, int v, uint64_t id)
{
	const uint32_t *bits = candidates->bits[v];
	return !bits || bits[id / 32] >> id % 32 & 1;
}

static uint64_t count_between(const gemp_candidates *candidates, int other, const uint64_t *begin,
                              const gemp_vertex *near, size_t row)
{
	uint64_t found = 0;
	for (uint64_t i = begin[row]; i < begin[row + 1]; i++)
		found += may_be(candidates, other, near[i]);
	return found;
}

/* Edges from own candidates of one end, in a sample of rows, to candidates of the other. */
static double sample_edges(const gemp_graph *graph, const gemp_candidates *candidates, const gemp_pattern_edge *edge,
                           bool either)
{
	size_t sampled = graph->rows < SAMPLED ? graph->rows : SAMPLED;
	uint64_t found = 0;
	for (size_t i = 0; i < sampled; i++) {
		size_t row = i * graph->rows / sampled;
		if (!may_be(candidates, edge->from, graph->first + row))
			continue;
		for (size_t r = 0; r < graph->relation_count; r++) {
			const gemp_relation *relation = &graph->relations[r];
			if (edge->relations[r])
				found += count_between(candidates, edge->to, relation->out_begin, relation->out, row);
			if (edge->relations[r] && either)
				found += count_between(candidates, edge->to, relation->in_begin, relation->in, row);
		}
	}
	return sampled ? (double)found * (double)graph->rows / (double)sampled : 0;
}

static double estimate_matches(gemp_context *context, const gemp_graph *graph, const gemp_pattern *pattern,
                               const gemp_candidates *candidates)
{
	double edges[GEMP_MAX_PATTERN_EDGES], matches = 1;
	for (size_t e = 0; e < pattern->edge_count; e++)
		edges[e] = sample_edges(graph, candidates, &pattern->edges[e],
		                        pattern->simple || pattern->edges[e].direction == GEMP_EITHER);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, edges, (int)pattern->edge_count, MPI_DOUBLE, MPI_SUM,
	                       context->comm->world));
	for (size_t v = 0; v < pattern->vertex_count; v++)
		matches *= (double)candidates->count[v];
	for (size_t e = 0; e < pattern->edge_count && matches > 0; e++)
		matches *= edges[e] / ((double)candidates->count[pattern->edges[e].from] *
		                       (double)candidates->count[pattern->edges[e].to]);
	return matches;
}

/* CHOICE */

static bool reads_string(const gemp_graph *graph, const gemp_expr *expr)
{
	if (expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0 &&
	    graph->attributes.columns[expr->attribute].type == GEMP_STRING)
		return true;
	for (size_t i = 0; i < expr->count; i++)
		if (reads_string(graph, expr->children[i]))
			return true;
	return false;
}

static bool weigh(gemp_phase_choice *choice, const gemp_graph *graph, double matches)
{
	double values = (double)gemp_mentions(choice->condition->expr), rows = (double)graph->vertices;
	double before = reads_string(graph, choice->condition->expr) ? before_string : before_number;
	choice->before_cost = 1e-9 * rows * values * before;
	choice->after_cost = 1e-9 * matches * (after_match + values * after_value);
	bool later = choice->after_cost < choice->before_cost;
	snprintf(choice->reason, sizeof choice->reason,
	         "%.3g values of a column or %.3g of about %.3g matches: %.2g s or %.2g s", rows * values,
	         matches * values, matches, choice->before_cost, choice->after_cost);
	return later;
}

/* Collective. Rank 0 decides: sums of floating-point numbers need not be the same everywhere. */
static void choose(gemp_condition_phases *phases, gemp_context *context, const gemp_graph *graph,
                   const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	double matches = estimate_matches(context, graph, pattern, candidates);
	GEMP_MPI(MPI_Bcast(&matches, 1, MPI_DOUBLE, 0, context->comm->world));
	for (size_t i = 0; i < phases->choice_count; i++)
		if (phases->choices[i].open && weigh(&phases->choices[i], graph, matches))
			gemp_phases_defer(phases, &phases->choices[i]);
}

gemp_code gemp_narrow(gemp_candidates *out, gemp_condition_phases *phases, gemp_context *context, gemp_filter *filter,
                      gemp_graph *graph, const gemp_pattern *pattern)
{
	gemp_code code = GEMP_OK;
	if (filter)
		gemp_filter_count_loops(filter, phases->count_loops);
	GEMP_TRY(gemp_candidates_new(out, context, filter, graph, pattern, phases->before, phases->certain));
	if (phases->before_count == phases->certain)
		return GEMP_OK;
	choose(phases, context, graph, pattern, out);
	GEMP_TRY(gemp_candidates_narrow(out, context, filter, graph, pattern, phases->before + phases->certain,
	                                phases->before_count - phases->certain));
done:
	if (code != GEMP_OK)
		gemp_candidates_free(out);
	return code;
}
