#include "match/match.h"

#include "match/filter/semi_join.h"
#include "match/filter/statistics.h"
#include "match/filter/value_lookup.h"
#include "match/groups/grouping.h"
#include "match/match_device.h"
#include "match/match_host.h"
#include "match/match_plan.h"
#include "match/planner/phase_choice.h"
#include "match/planner/plan_rows.h"
#include "match/search/search.h"
#include "pattern/condition/expr_text.h"
#include "pattern/symmetry/automorphism.h"

/* Collective. True if rows by target are needed, because orders are sampled or because a view may read them. They are
 * not needed if the order is given, no edge can be searched from its target, and there is one rank or the host will
 * search: several ranks make rows by target by an exchange, which takes as long as a small search. If the plan reads
 * them after all, they are loaded with its rows. */
static bool needs_targets(const gemp_match *m)
{
	bool needs = m->options.order_count == 0 || m->options.sampled || m->pattern->simple ||
	             m->pushdown.edge_test_count || (m->graph->ranks > 1 && !gemp_match_may_be_small(m));
	for (size_t e = 0; e < m->pattern->edge_count; e++)
		needs |= m->pattern->edges[e].direction == GEMP_EITHER;
	return needs;
}

/* Loads the rows of a pattern edge if the graph file has an index of them. Rows by target are loaded only if they have
 * an index, too; otherwise they are loaded if the plan needs them. *found: there is an index. */
static gemp_code load_index(gemp_match *m, const gemp_pattern_edge *edge, bool *found)
{
	const gemp_view_key keys[] = { gemp_pattern_edge_key(m->pattern, edge, false),
		                           gemp_pattern_edge_key(m->pattern, edge, true) };
	*found = gemp_view_index(m->graph, &keys[0]) != NULL;
	for (size_t back = 0; *found && back < 2; back++)
		if (gemp_view_index(m->graph, &keys[back]))
			GEMP_TRY(gemp_view_load(m->graph, &keys[back]));
	return GEMP_OK;
}

/* The parts of a relation that the search for pattern edges without an index may read: with rows by target if they are
 * needed, and merged rows if the file has them and a view will take them. All are then read at once. 0: no such edge
 * has the relation. indexed: the pattern edges that have an index, as bits. */
static unsigned parts_of(const gemp_match *m, size_t relation, uint64_t indexed, bool targets)
{
	unsigned parts = 0;
	const unsigned wanted = GEMP_LOAD_OUT | (!targets ? 0u : m->pattern->simple ? GEMP_LOAD_IN : GEMP_LOAD_IN_EDGES);
	for (size_t e = 0; e < m->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &m->pattern->edges[e];
		if (!edge->relations[relation] || indexed >> e & 1)
			continue;
		bool merged = edge->direction == GEMP_EITHER && m->pattern->simple && m->graph->relations[relation].merged;
		parts |= wanted | (merged ? GEMP_LOAD_EITHER : 0u);
	}
	for (size_t i = 0; i < m->pushdown.edge_test_count; i++)
		parts |= m->pushdown.edge_tests[i].relations[relation] ? wanted : 0;
	return parts;
}

/* Loads the rows that the pattern or a pushed-down condition names. */
static gemp_code load_relations(gemp_match *m)
{
	double began = gemp_now();
	const bool targets = needs_targets(m);
	uint64_t indexed = 0;
	for (size_t e = 0; e < m->pattern->edge_count; e++) {
		bool found;
		GEMP_TRY(load_index(m, &m->pattern->edges[e], &found));
		indexed |= (uint64_t)found << e;
	}
	for (size_t r = 0; r < m->graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(m->graph, r, parts_of(m, r, indexed, targets)));
	gemp_timers_add(&m->context->timers, GEMP_PHASE_READ, began);
	return GEMP_OK;
}

/* Collective. Tables of two-paths only count, and they need all rows. The first plan shows whether matches are listed.
 * If they are not, a plan with tables replaces it. */
static gemp_code make_plan(gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	bool may = o->count_by_formula && !o->sampled && !o->in_parts && !o->count_per && o->lanes <= 1 &&
	           o->replicate != 0;
	GEMP_TRY(gemp_match_plan(m, false));
	if (may && !gemp_match_needs_listing(m))
		GEMP_TRY(gemp_match_plan(m, true));
	if (!gemp_match_may_use_host(m)) {
		if (m->small_only)
			return GEMP_OK;
		GEMP_TRY(gemp_runtime_open_devices(m->context)); /* the search for an order asks whether the device is a GPU */
	}
	return gemp_match_improve_order(m);
}

/* The pattern vertices at whose images a match is counted for pattern vertex v, as bits. Without broken symmetry only v
 * is counted. With broken symmetry all vertices of v's orbit are counted, because one match stands for its images under
 * all automorphisms. */
static gemp_code counted_vertices(uint64_t *out, const gemp_plan *plan, const gemp_symmetry *symmetry, int v)
{
	GEMP_OWNED_BY(gemp_stab_chain_free_at) gemp_stab_chain *chain = NULL;
	const int *orbit;
	int base[GEMP_MAX_PATTERN_VERTICES], count = 0;
	*out = UINT64_C(1) << v;
	if (!plan->broken)
		return GEMP_OK;
	base[count++] = v;
	for (int u = 0; u < plan->vertex_count; u++)
		if (u != v)
			base[count++] = u;
	GEMP_TRY(gemp_stab_chain_new(&chain, symmetry, base, (size_t)count));
	size_t size = gemp_stab_chain_orbit(chain, 0, &orbit);
	for (size_t i = 0; i < size; i++)
		*out |= UINT64_C(1) << orbit[i];
	return GEMP_OK;
}

/* Counters on the device count the matches that the search finds, so a match must be final when the search has found
 * it. */
static gemp_code choose_counted(const gemp_match *m, uint64_t *per)
{
	*per = 0;
	if (!m->options.count_per)
		return GEMP_OK;
	if (gemp_match_needs_listing(m))
		return gemp_fail(
			GEMP_EUSAGE,
			"count-per counts on the device, but these matches must be tested one by one (%s); write RETURN v, count(*)",
			m->deduplicates ? "to remove duplicates" : "for conditions on whole matches");
	return counted_vertices(per, m->plan, m->symmetry, m->options.count_per - 1);
}

/* An estimate counts the embeddings that pass the steps of the plan. Later conditions and duplicates would make it
 * wrong. */
static gemp_code check_sampled(const gemp_match *m)
{
	if (m->deduplicates)
		return gemp_fail(GEMP_EUSAGE, "estimate cannot remove duplicate matches; use distinct none");
	if (m->phases.after_count)
		return gemp_fail(
			GEMP_EUSAGE,
			"estimate supports conditions on one vertex, on the existence of edges and on the order of ids; remove the other conditions");
	return GEMP_OK;
}

/* The stabiliser chain is over whole tuples: vertices, then edges if rows have edges. */
static gemp_code make_chain(gemp_match *m)
{
	int base[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	int points = m->plan->vertex_count + (m->plan->live_edges ? m->plan->edge_count : 0);
	for (int i = 0; i < points; i++)
		base[i] = i;
	return gemp_stab_chain_new(&m->chain, m->symmetry, base, (size_t)points);
}

/* The caller must have replaced each path of variable length by several patterns. */
static gemp_code check_pattern(const gemp_pattern *pattern)
{
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (pattern->edges[e].path && (pattern->edges[e].min_hops != 1 || pattern->edges[e].max_hops != 1))
			return gemp_fail(GEMP_EUSAGE, "%d:%d: a path of variable length cannot be matched as one edge",
			                 pattern->edges[e].line, pattern->edges[e].column);
	return GEMP_OK;
}

/* Collective. A filter on the host stays there, wherever the search runs: after the search, it tests each distinct
 * image once a round, so at most as many vertices as before the search. */
static gemp_code make_filter(gemp_match *m)
{
	bool on_host = gemp_match_filters_on_host(m);
	if (!on_host)
		GEMP_TRY(gemp_runtime_open_devices(m->context));
	return gemp_filter_new(&m->filter, m->context, on_host);
}

/* Collective. Evaluates the conditions that are tested before the search. */
static gemp_code find_candidates(gemp_match *m)
{
	const gemp_plan_options plan = gemp_match_plan_options(m);
	const gemp_phase_inputs inputs = { .context = m->context,
		                               .filter = m->filter,
		                               .graph = m->graph,
		                               .pattern = m->pattern,
		                               .symmetry = m->symmetry,
		                               .options = &m->options,
		                               .plan = &plan,
		                               .key_rank = m->pushdown.key_rank };
	return gemp_filter_candidates(&m->candidates, &m->phases, &inputs);
}

/* Collective. With several ranks, candidates that are in no match are removed before rows or partial matches are sent.
 * Given vertices come later, so their candidates say nothing about them. A search that is only wanted if it is small
 * takes less time than the passes over bitmaps of all vertices. */
static gemp_code reduce_candidates(gemp_match *m)
{
	const double began = gemp_now();
	if (m->graph->ranks == 1 || m->pattern->arguments || m->small_only)
		return GEMP_OK;
	GEMP_TRY(gemp_candidates_semi_join(&m->candidates, m->context, m->graph, m->pattern, m->options.semantics));
	gemp_timers_add(&m->context->timers, GEMP_PHASE_FILTER, began);
	return GEMP_OK;
}

/* Collective. Makes what planning reads. The ranks agree on their codes after each local step that can fail. */
static gemp_code begin(gemp_match **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                       const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *m = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(m, 1)));
	m->context = context;
	m->graph = graph;
	m->pattern = pattern;
	m->options = *options;
	code = check_pattern(pattern);
	GEMP_THEN(gemp_phases_new(&m->phases, pattern, options));
	if (code == GEMP_OK && !options->symmetry)
		code = gemp_automorphism_find(&m->own_symmetry, pattern, true);
	m->symmetry = options->symmetry ? options->symmetry : m->own_symmetry;
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = m;
	m = NULL;
	return GEMP_OK;
}

/* Collective. Loads relations, finds candidates and plans. */
static gemp_code plan(gemp_match *m)
{
	gemp_runtime *context = m->context;
	GEMP_TRY(gemp_pushdown_new(&m->pushdown, context, m->graph, m->pattern, &m->phases));
	GEMP_TRY(load_relations(m));
	if (m->pattern->condition_count)
		GEMP_TRY(make_filter(m));
	size_t held = context->device ? context->device->buffer_bytes : 0;
	GEMP_TRY(find_candidates(m));
	GEMP_TRY(reduce_candidates(m));
	m->attribute_bytes = (context->device ? context->device->buffer_bytes : 0) - held;
	double began = gemp_now();
	GEMP_TRY(gemp_statistics_new(&m->statistics, context, m->graph, m->pattern, &m->candidates));
	gemp_trace_add("statistics", GEMP_LANE_HOST, began);
	GEMP_TRY(make_plan(m));
	gemp_timers_add(&context->timers, GEMP_PHASE_CONVERT, began);
	return GEMP_OK;
}

/* Collective. Makes the interpreter, if the search is small enough for it. */
static gemp_code finish_on_host(gemp_match *m)
{
	gemp_code code = make_chain(m);
	GEMP_THEN(choose_counted(m, &m->per));
	GEMP_TRY(gemp_comm_agree(m->context->comm, code));
	return gemp_match_use_host(m);
}

/* The order is: conditions and symmetry, relations, candidates, statistics, the plan, devices, the rows, and the
 * search. Each of these reads the results of earlier ones. */
gemp_code gemp_match_prepare(gemp_match **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                             const gemp_match_options *options)
{
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *m = NULL;
	GEMP_TRY(begin(&m, context, graph, pattern, options));
	GEMP_TRY(plan(m));
	if (options->sampled) {
		GEMP_TRY(gemp_comm_agree(context->comm, check_sampled(m)));
	} else {
		GEMP_TRY(finish_on_host(m));
		if (!m->interpreter)
			GEMP_TRY(gemp_match_use_device(m));
	}
	*out = m;
	m = NULL;
	return GEMP_OK;
}

gemp_code gemp_match_prepare_small(gemp_match **out, gemp_runtime *context, gemp_shard *graph,
                                   const gemp_pattern *pattern, const gemp_match_options *options)
{
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *m = NULL;
	*out = NULL;
	GEMP_TRY(begin(&m, context, graph, pattern, options));
	m->small_only = true;
	if (!gemp_match_may_be_small(m) || (pattern->condition_count && !gemp_match_filters_on_host(m)))
		return GEMP_OK;
	GEMP_TRY(plan(m));
	if (gemp_match_may_use_host(m))
		GEMP_TRY(finish_on_host(m));
	if (m->interpreter) {
		*out = m;
		m = NULL;
	}
	return GEMP_OK;
}

/* Frees in the reverse order of creation, since later members borrow from earlier members. */
void gemp_match_free(gemp_match *m)
{
	if (!m)
		return;
	gemp_search_free(m->search);
	gemp_interpreter_free(m->interpreter);
	gemp_free(m->pivots);
	gemp_pull_free(m->pull);
	gemp_resident_release(m->rows);
	gemp_plan_free(m->plan);
	gemp_candidates_free(&m->candidates);
	gemp_filter_free(m->filter);
	gemp_stab_chain_free(m->chain);
	gemp_symmetry_free(m->own_symmetry);
	gemp_pushdown_free(&m->pushdown);
	gemp_phases_free(&m->phases);
	gemp_free(m);
}

const gemp_stab_chain *gemp_match_chain(const gemp_match *m)
{
	return m->options.distinct == GEMP_BY_NOTHING ? NULL : m->chain;
}

static const char *const how_distinct[] = {
	[GEMP_BY_ORBIT] = "orbits, by canonical-order hashing",
	[GEMP_BY_SUBGRAPH] = "subgraphs, by canonical-order hashing",
	[GEMP_BY_VERTICES] = "sets of vertices, by canonical-order hashing",
};

/* For each condition on one vertex whose phase was chosen by cost, prints the phase and the reason. */
static void put_choices(const gemp_match *m, gemp_text *out)
{
	for (size_t i = 0; i < m->phases.choice_count; i++) {
		const gemp_phase_choice *choice = &m->phases.choices[i];
		if (!choice->open)
			continue;
		gemp_text_print(out, "  %s the search: ", choice->before ? "before" : "after");
		gemp_expr_print(choice->condition->expr, m->pattern, out);
		gemp_text_print(out, " (%s)\n", choice->reason);
	}
}

/* Names the indexes that are used: of the values of conditions before the search, and of the rows of views. */
static void put_indexes(const gemp_match *m, gemp_text *out)
{
	for (size_t i = 0; i < m->phases.before_count; i++) {
		const gemp_expr *expr = m->phases.before[i]->expr;
		const int index = gemp_value_lookup_index(m->graph, expr);
		if (index == GEMP_NO_LOOKUP)
			continue;
		gemp_text_print(out, "  index of values: ");
		gemp_expr_print(expr, m->pattern, out);
		gemp_text_print(out, "\n");
	}
	for (size_t v = 0; v < m->plan->view_count; v++) {
		const gemp_view_key key = gemp_plan_view_key(&m->plan->views[v]);
		gemp_view_index_print(m->graph, &key, out);
	}
}

/* After profiled runs the lines of the plan also have the measured rows, entries and bytes. */
char *gemp_match_explain(const gemp_match *m)
{
	gemp_text text = { 0 };
	gemp_plan_notes notes = { .before = m->phases.before,
		                      .before_count = m->phases.before_count,
		                      .after = m->phases.after,
		                      .after_count = m->phases.after_count };
	if (m->deduplicates)
		notes.distinct = how_distinct[m->options.distinct];
	if (m->profiled) {
		notes.rows = m->step_rows;
		notes.entries = m->step_entries;
		notes.bytes = m->step_bytes;
	}
	gemp_plan_print(m->plan, m->pattern, &m->statistics, m->graph, &notes, &text);
	put_choices(m, &text);
	put_indexes(m, &text);
	gemp_grouping_explain(m, &text);
	if (m->search)
		gemp_memory_report_print(&m->memory, m->search, &text);
	else if (m->interpreter)
		gemp_text_print(&text, "  interpreter: searched by threads of the host, without a device\n");
	if (text.failed) {
		gemp_text_free(&text);
		return NULL;
	}
	return text.data;
}

double gemp_match_estimate(const gemp_match *m)
{
	return m->plan->steps[m->plan->step_count - 1].rows;
}
