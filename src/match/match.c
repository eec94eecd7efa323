#include "match/match.h"

#include "match/exchange/working_set.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/order_search.h"
#include "match/planner/phase_choice.h"
#include "match/search/search.h"
#include "pattern/condition/expr_text.h"
#include "pattern/plan/planner.h"
#include "pattern/symmetry/automorphism.h"

#include <string.h>

/* True if rows by target are needed, because orders are sampled or because a view may read them. They are not needed if
 * the order is given, there is one rank, and no edge can be searched from its target. */
static bool needs_targets(const gemp_match *m)
{
	bool needs = m->options.order_count == 0 || m->options.sampled || m->graph->ranks > 1 || m->pattern->simple ||
	             m->pushdown.edge_test_count;
	for (size_t e = 0; e < m->pattern->edge_count; e++)
		needs |= m->pattern->edges[e].direction == GEMP_EITHER;
	return needs;
}

/* Loads every relation that the pattern or a pushed-down condition names, with rows by target if they are needed. */
static gemp_code load_relations(gemp_match *m)
{
	double began = gemp_now();
	unsigned parts = GEMP_LOAD_OUT;
	if (needs_targets(m))
		parts |= m->pattern->simple ? GEMP_LOAD_IN : GEMP_LOAD_IN_EDGES;
	for (size_t r = 0; r < m->graph->relation_count; r++) {
		bool named = false;
		for (size_t e = 0; e < m->pattern->edge_count; e++)
			named |= m->pattern->edges[e].relations[r];
		for (size_t i = 0; i < m->pushdown.edge_test_count; i++)
			named |= m->pushdown.edge_tests[i].relations[r];
		if (named)
			GEMP_TRY(gemp_shard_load_relation(m->graph, r, parts));
	}
	gemp_timers_add(&m->context->timers, GEMP_PHASE_READ, began);
	return GEMP_OK;
}

/* True if all pattern edges have the same direction and the same relations. Such edges differ only in their ends. */
static bool one_kind_of_edge(const gemp_pattern *pattern)
{
	for (size_t e = 1; e < pattern->edge_count; e++) {
		if (pattern->edges[e].direction != pattern->edges[0].direction)
			return false;
		for (size_t r = 0; r < pattern->relation_count; r++)
			if (pattern->edges[e].relations[r] != pattern->edges[0].relations[r])
				return false;
	}
	return true;
}

/* True if two embeddings with the same image always differ by an automorphism. This holds if only the shape of the
 * pattern distinguishes its vertices, that is, if the group without labels and conditions has the same order as the
 * group with them. */
static bool only_shape_differs(const gemp_pattern *pattern, const gemp_symmetry *symmetry)
{
	gemp_symmetry *bare = NULL;
	bool overflow, same = false;
	if (pattern->condition_count || !one_kind_of_edge(pattern))
		return false;
	if (gemp_automorphism_find(&bare, pattern, false) == GEMP_OK)
		same = gemp_symmetry_order(bare, &overflow) == gemp_symmetry_order(symmetry, &overflow) && !overflow;
	gemp_symmetry_free(bare);
	return same;
}

/* The plan breaks symmetry if every orbit of embeddings has the size of the group (ISO and INDUCED), unless the rows of
 * all embeddings are wanted. The wanted edges are the edges that RETURN, a condition after the search, or the identity
 * of a match reads. */
static gemp_plan_options plan_options(const gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	const gemp_clause *clause = gemp_pattern_first_clause(m->pattern);
	bool free_orbits = o->semantics == GEMP_ISO || o->semantics == GEMP_INDUCED;
	uint64_t vertices = 0;
	gemp_plan_options plan = { .semantics = o->semantics,
		                       .pivot_off = o->pivot_off,
		                       .break_symmetry = free_orbits && !o->symmetry_by_hash &&
		                                         !(o->distinct == GEMP_BY_NOTHING && o->listed),
		                       .wanted_edges = o->wanted_edges,
		                       .order = o->order_count ? o->order : NULL,
		                       .tests = m->pushdown.tests,
		                       .edge_tests = m->pushdown.edge_tests,
		                       .edge_test_count = m->pushdown.edge_test_count };
	for (size_t i = 0; i < clause->item_count; i++)
		gemp_expr_uses(clause->items[i].expr, &vertices, &plan.wanted_edges);
	for (size_t i = 0; i < m->phases.after_count; i++)
		plan.wanted_edges |= m->phases.after[i]->edges;
	if ((o->edges || (o->distinct == GEMP_BY_SUBGRAPH && !m->pattern->simple)) && m->pattern->edge_count)
		plan.wanted_edges |= 1; /* an image consists of vertices and edges */
	return plan;
}

/* True if duplicates must be removed, because the search can find a match more than once. */
static bool needs_distinct(const gemp_match *m)
{
	switch (m->options.distinct) {
	case GEMP_BY_ORBIT: return !m->plan->broken && (m->plan->group_order > 1 || m->plan->group_overflow);
	case GEMP_BY_SUBGRAPH: return !(m->plan->broken && only_shape_differs(m->pattern, m->symmetry));
	case GEMP_BY_VERTICES: return true;
	default: return false;
	}
}

/* True if matches go through the result buffer to the host; otherwise the device only counts them. */
static bool needs_listing(const gemp_match *m)
{
	return m->options.listed || m->options.count_parts || m->deduplicates || m->phases.after_count;
}

/* Collective. All ranks should make the same plan, since planning is deterministic. They compare the hashes of their
 * plans nevertheless, because a partial match means the same on two ranks only if both follow the same plan. */
static gemp_code make_plan(gemp_match *m, bool two_paths)
{
	gemp_plan_options options = plan_options(m);
	gemp_plan_free(m->plan);
	m->plan = NULL;
	options.two_paths = two_paths;
	GEMP_TRY(
		gemp_comm_agree(m->context->comm, gemp_plan_new(&m->plan, m->pattern, m->symmetry, &m->statistics, &options)));
	m->deduplicates = needs_distinct(m);
	uint64_t greatest[2] = { m->plan->hash, ~m->plan->hash };
	gemp_comm_max(m->context->comm, greatest, 2);
	if (greatest[0] != ~greatest[1])
		return gemp_fail(GEMP_EINTERNAL, "the ranks made different plans (rank %d: %016llx)", m->context->comm->rank,
		                 (unsigned long long)m->plan->hash);
	return GEMP_OK;
}

/* A plan by two-paths has a table for each worker, with 4 bytes for each vertex. All tables together may take a quarter
 * of a CPU device's memory. */
static bool tables_fit_on(const gemp_device *device, uint64_t vertices)
{
	uint64_t bytes = device->units * vertices * sizeof(uint32_t);
	return !device->gpu && bytes <= device->memory / 4 && bytes < device->max_buffer;
}

/* Collective. True if the tables fit on every device of every rank. */
static bool tables_fit(const gemp_match *m)
{
	const gemp_runtime *context = m->context;
	bool fit = tables_fit_on(context->device, m->graph->vertex_count);
	for (size_t i = 0; i < context->other_count; i++)
		fit &= tables_fit_on(context->others[i]->device, m->graph->vertex_count);
	return gemp_comm_sum1(context->comm, !fit) == 0;
}

/* Collective. Samples identify parallel edges by their numbers, so rows by target must have these numbers, too. */
static gemp_code need_edges(gemp_match *m)
{
	for (size_t e = 0; e < m->pattern->edge_count && m->plan->live_edges; e++)
		for (size_t r = 0; r < m->graph->relation_count; r++)
			if (m->pattern->edges[e].relations[r])
				GEMP_TRY(gemp_shard_load_relation(m->graph, r, GEMP_LOAD_IN_EDGES));
	return GEMP_OK;
}

/* Collective. Searches for a better order by samples, unless the user gave an order or the plan uses two-paths. */
static gemp_code improve_order(gemp_match *m)
{
	gemp_plan_options options = plan_options(m);
	gemp_order_inputs question = { .context = m->context,
		                           .graph = m->graph,
		                           .pattern = m->pattern,
		                           .symmetry = m->symmetry,
		                           .statistics = &m->statistics,
		                           .candidates = &m->candidates,
		                           .options = &options,
		                           .key_rank = m->pushdown.key_rank,
		                           .reads = m->options.order_reads,
		                           .walk_latest = m->graph->ranks == 1 || m->options.replicate < 0 ||
		                                          m->options.exchange != GEMP_EXCHANGE_PUSH,
		                           .lists = m->context->device->gpu && !needs_listing(m) && !m->options.profile,
		                           .work = m->sample_work };
	int order[GEMP_MAX_PATTERN_VERTICES], count = gemp_pivot_order(m, order);
	bool found;
	if (m->plan->two_paths || m->options.order_count)
		return GEMP_OK;
	GEMP_TRY(need_edges(m));
	for (size_t s = 0; s < m->plan->step_count; s++)
		question.rows += m->plan->steps[s].rows;
	GEMP_TRY(gemp_order_search(&question, order, &found));
	if (!found)
		return GEMP_OK;
	memcpy(m->options.order, order, sizeof order);
	m->options.order_count = count;
	return make_plan(m, false);
}

/* True if the rows of this rank fit on its device. Without --row-cache, rows that are already on the device are not
 * counted, and the other rows may use three quarters of the free memory. */
static bool rows_fit(const gemp_match *m)
{
	const gemp_device *device = m->context->device;
	uint64_t bytes = 0, budget = m->context->budgets.row_cache, capacity = budget;
	if (!budget)
		capacity = device->memory > device->buffer_bytes ? (device->memory - device->buffer_bytes) / 4 * 3 : 0;
	for (size_t v = 0; v < m->rows->view_count; v++) {
		const gemp_view *view = &m->rows->views[v];
		uint64_t own;
		if (view->device && !budget)
			continue;
		if (!gemp_view_device_bytes(view, device, m->rows->wide, &own))
			return false;
		bytes += budget ? gemp_view_bytes(view, m->rows->wide) : own;
	}
	return bytes <= capacity;
}

/* Collective. Chooses how a rank obtains rows that it lacks. If every rank has all rows and they fit on its device,
 * nothing is needed. Otherwise the rows come in rounds (pull) or partial matches are sent (push), as --exchange says.
 * With --exchange auto, pull is chosen if each rank has all rows, and push if the longest rows do not fit into a round.
 * In all other cases auto compares the bytes that pull and push are expected to move; a plan with given vertices uses
 * pull. */
static gemp_code choose_exchange(gemp_match *m)
{
	gemp_push_pull_inputs question = { .context = m->context,
		                               .graph = m->graph,
		                               .plan = m->plan,
		                               .statistics = &m->statistics,
		                               .rows = m->rows,
		                               .work = m->sample_work };
	bool here = m->rows->residency.hot >= m->graph->vertex_count;
	if (m->options.exchange == GEMP_EXCHANGE_PUSH || (gemp_comm_sum1(m->context->comm, !rows_fit(m)) == 0 && here))
		return GEMP_OK;
	GEMP_TRY(
		gemp_pull_new(&m->pull, m->context, m->graph, m->plan, m->rows, &m->candidates, m->context->budgets.row_cache));
	if (m->options.exchange == GEMP_EXCHANGE_PULL || here)
		return GEMP_OK;
	if (gemp_pull_fits(m->pull)) {
		if (m->plan->arguments)
			return GEMP_OK;
		question.pull = m->pull;
		GEMP_TRY(gemp_push_pull_weigh(&m->exchange, &question));
		if (!gemp_push_pull_favours_push(&m->exchange, m->graph->ranks))
			return GEMP_OK;
	}
	gemp_pull_free(m->pull);
	m->pull = NULL;
	return GEMP_OK;
}

/* Tables of two-paths only count. They need all rows and a device with few workers. The first plan shows whether
 * matches are listed. If they are not, a plan with tables replaces it. If this rank cannot hold all rows, a plan
 * without tables replaces the plan with tables. */
static gemp_code plan_and_rows(gemp_match *m)
{
	bool may = m->options.count_by_formula && !m->options.sampled && !m->options.in_parts && !m->options.count_per &&
	           m->options.lanes <= 1 && m->options.replicate != 0 && tables_fit(m);
	double began = gemp_now();
	GEMP_TRY(make_plan(m, false));
	if (may && !needs_listing(m))
		GEMP_TRY(make_plan(m, true));
	GEMP_TRY(improve_order(m));
	gemp_timers_add(&m->context->timers, GEMP_PHASE_CONVERT, began);
	if (m->options.sampled)
		return GEMP_OK;
	GEMP_TRY(gemp_resident_rows(&m->rows, m->context, m->graph, m->plan, m->options.replicate));
	if (m->plan->two_paths && m->rows->residency.hot < m->graph->vertex_count) {
		gemp_resident_release(m->rows);
		m->rows = NULL;
		GEMP_TRY(make_plan(m, false));
		GEMP_TRY(improve_order(m));
		GEMP_TRY(gemp_resident_rows(&m->rows, m->context, m->graph, m->plan, m->options.replicate));
	}
	began = gemp_now();
	GEMP_TRY(choose_exchange(m));
	gemp_timers_add(&m->context->timers, GEMP_PHASE_CONVERT, began);
	return GEMP_OK;
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
	if (needs_listing(m))
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

/* Collective. Evaluates the conditions that are tested before the search. */
static gemp_code find_candidates(gemp_match *m)
{
	const gemp_plan_options plan = plan_options(m);
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

/* The order is: conditions and symmetry, relations, devices, candidates, statistics, the plan, the rows, and the search.
 * Each of these reads the results of earlier ones. The ranks agree on their codes after each local step that can fail. */
gemp_code gemp_match_prepare(gemp_match **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                             const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *m = NULL;
	uint64_t per = 0;
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
	GEMP_TRY(gemp_pushdown_new(&m->pushdown, context, graph, pattern, &m->phases));
	GEMP_TRY(load_relations(m));
	GEMP_TRY(gemp_runtime_open_devices(context));
	if (pattern->condition_count)
		GEMP_TRY(gemp_filter_new(&m->filter, context));
	size_t held = context->device->buffer_bytes;
	GEMP_TRY(find_candidates(m));
	m->attribute_bytes = context->device->buffer_bytes - held;
	double began = gemp_now();
	GEMP_TRY(gemp_statistics_new(&m->statistics, context, graph, pattern, &m->candidates));
	gemp_timers_add(&context->timers, GEMP_PHASE_CONVERT, began);
	GEMP_TRY(plan_and_rows(m));
	if (options->sampled) {
		GEMP_TRY(gemp_comm_agree(context->comm, check_sampled(m)));
		goto ready;
	}
	code = make_chain(m);
	GEMP_THEN(choose_counted(m, &per));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	gemp_search_options search = { .lanes = options->lanes,
		                           .launch_factor = options->launch_factor,
		                           .result_buffer = context->budgets.result_buffer,
		                           .outbox = context->budgets.outbox,
		                           .listed = needs_listing(m),
		                           .per = per,
		                           .first_only = options->first_only && !m->phases.after_count,
		                           .profile = options->profile,
		                           .explained = options->explained,
		                           .by_formula = options->count_by_formula,
		                           .key_rank = m->pushdown.key_rank,
		                           .round_entries = m->pull ? gemp_pull_entries(m->pull) : 0 };
	GEMP_TRY(gemp_search_new(&m->search, context, graph, m->plan, &m->rows->order, &m->rows->residency, m->rows->views,
	                         &m->candidates, &search));
	GEMP_TRY(gemp_multi_new(m->search, m->rows, &m->candidates, &search));
	if (m->pull)
		gemp_pull_attach(m->pull, m->search, &search);
	gemp_memory_report_measure(&m->memory, m->search, m->rows, &m->candidates, m->pull);
	m->memory.exchange = m->exchange;
ready:
	*out = m;
	m = NULL;
	return GEMP_OK;
}

/* Frees in the reverse order of creation, since later members borrow from earlier members. */
void gemp_match_free(gemp_match *m)
{
	if (!m)
		return;
	gemp_search_free(m->search);
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
	if (m->search)
		gemp_memory_report_print(&m->memory, m->search, &text);
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
