#include "match/match.h"

#include "core/memory.h"
#include "match/distinct.h"
#include "match/filter.h"
#include "match/phases.h"
#include "match/residual.h"
#include "match/rounds.h"
#include "match/rows_at_hand.h"
#include "match/statistics.h"
#include "match/tally.h"

#include <string.h>

struct gemp_match {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_pattern *pattern;
	gemp_match_options options;
	gemp_condition_phases phases;
	const gemp_symmetry *symmetry;
	gemp_symmetry *own_symmetry; /* NULL: symmetry is the caller's */
	gemp_chain *chain;           /* of the whole tuple: vertices, then live edges */
	gemp_filter *filter;         /* NULL: the pattern has no conditions */
	gemp_candidates candidates;
	size_t attribute_bytes;      /* of columns on the device */
	gemp_statistics statistics;
	gemp_plan *plan;
	gemp_rows_at_hand rows;
	gemp_search *search;
	bool deduplicates;           /* by canonical-order hashing */
	int pairs[GEMP_MAX_PATTERN_EDGES][2];
};

/* LOADING: both directions of every relation that the pattern names. */
static gemp_code load_relations(gemp_match *m)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	for (size_t r = 0; r < m->graph->relation_count; r++)
		for (size_t e = 0; e < m->pattern->edge_count; e++)
			if (m->pattern->edges[e].relations[r]) {
				GEMP_TRY(gemp_graph_need_relation(m->graph, r, GEMP_PART_OUT | GEMP_PART_IN));
				break;
			}
	gemp_timers_add(&m->context->timers, GEMP_READ, began);
done:
	return code;
}

/* SENSE: how embeddings become matches. */
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

/* Embeddings with the same image differ by an automorphism if nothing but shape tells the pattern's vertices apart. */
static bool plain(const gemp_pattern *pattern, const gemp_symmetry *symmetry)
{
	gemp_symmetry *bare = NULL;
	bool overflow, same = false;
	if (pattern->condition_count || !one_kind_of_edge(pattern))
		return false;
	if (gemp_symmetry_find(&bare, pattern, false) == GEMP_OK)
		same = gemp_symmetry_order(bare, &overflow) == gemp_symmetry_order(symmetry, &overflow) && !overflow;
	gemp_symmetry_free(bare);
	return same;
}

static gemp_plan_options plan_options(const gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	gemp_plan_options plan = { .semantics = o->semantics, .pivot_off = o->pivot_off };
	bool free_orbits = o->semantics == GEMP_ISO || o->semantics == GEMP_INDUCED;
	plan.break_symmetry = free_orbits && !o->symmetry_by_hash && !(o->distinct == GEMP_BY_NOTHING && o->listed);
	for (size_t i = 0; i < m->pattern->result.item_count; i++)
		if (m->pattern->result.items[i].expr->kind == GEMP_EDGE)
			plan.wanted_edges |= UINT64_C(1) << m->pattern->result.items[i].expr->variable;
	for (size_t i = 0; i < m->phases.after_count; i++)
		plan.wanted_edges |= m->phases.after[i]->edges;
	if (o->distinct == GEMP_BY_SUBGRAPH && !m->pattern->simple && m->pattern->edge_count)
		plan.wanted_edges |= 1; /* an image is its vertices and edges */
	memcpy(plan.unequal, m->phases.unequal, sizeof plan.unequal);
	return plan;
}

static bool needs_distinct(const gemp_match *m)
{
	switch (m->options.distinct) {
	case GEMP_BY_ORBIT:
		return !m->plan->broken && (m->plan->group_order > 1 || m->plan->group_overflow);
	case GEMP_BY_SUBGRAPH:
		return !(m->plan->broken && plain(m->pattern, m->symmetry));
	case GEMP_BY_VERTICES:
		return true;
	default:
		return false;
	}
}

/* Matches go through the result buffer; else the device only counts them. */
static bool lists(const gemp_match *m)
{
	return m->options.listed || m->options.count_parts || m->deduplicates || m->phases.after_count;
}

/* Collective. Partial matches of one rank mean something to another only if both follow the same plan. */
static gemp_code agree_on_plan(const gemp_match *m)
{
	uint64_t greatest[2] = { m->plan->hash, ~m->plan->hash };
	gemp_comm_max(m->context->comm, greatest, 2);
	if (greatest[0] != ~greatest[1])
		return gemp_fail(GEMP_EINTERNAL, "the ranks made different plans (rank %d: %016llx)", m->context->comm->rank,
		                 (unsigned long long)m->plan->hash);
	return GEMP_OK;
}

static gemp_code make_plan(gemp_match *m, bool two_paths)
{
	gemp_plan_options options = plan_options(m);
	gemp_code code;
	gemp_plan_free(m->plan);
	m->plan = NULL;
	options.two_paths = two_paths;
	code = gemp_plan_new(&m->plan, m->pattern, m->symmetry, &m->statistics, &options);
	if (code == GEMP_OK)
		m->deduplicates = needs_distinct(m);
	code = gemp_comm_agree(m->context->comm, code);
	return code == GEMP_OK ? agree_on_plan(m) : code;
}

/* Collective. On every rank: a table for each of few workers, in a quarter of the device's memory. */
static bool tables_fit(const gemp_match *m)
{
	const gemp_device *device = m->context->device;
	uint64_t bytes = device->units * m->graph->vertices * sizeof(uint32_t);
	bool fit = !device->gpu && bytes <= device->memory / 4 && bytes < device->largest;
	return gemp_comm_sum1(m->context->comm, !fit) == 0;
}

/* Two-paths only count, and need all rows and a device whose workers are few: first a plan to learn whether matches are
 * listed, then, if not, one that may use tables, and back if the rows do not all fit. */
static gemp_code plan_and_rows(gemp_match *m)
{
	gemp_code code = GEMP_OK;
	bool may = m->options.lanes <= 1 && m->options.replicate != 0 && tables_fit(m);
	double began = gemp_now();
	GEMP_TRY(make_plan(m, false));
	if (may && !lists(m))
		GEMP_TRY(make_plan(m, true));
	gemp_timers_add(&m->context->timers, GEMP_CONVERT, began);
	GEMP_TRY(gemp_rows_at_hand_new(&m->rows, m->context, m->graph, m->plan, m->options.replicate));
	if (m->plan->two_paths && m->rows.residency.hot < m->graph->vertices) {
		gemp_rows_at_hand_free(&m->rows);
		GEMP_TRY(make_plan(m, false));
		GEMP_TRY(gemp_rows_at_hand_new(&m->rows, m->context, m->graph, m->plan, m->options.replicate));
	}
done:
	return code;
}

static gemp_code make_chain(gemp_match *m)
{
	int base[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES], size = 0;
	int points = m->plan->vertex_count + (m->plan->live_edges ? m->plan->edge_count : 0);
	for (; size < points; size++)
		base[size] = size;
	return gemp_chain_new(&m->chain, m->symmetry, base, (size_t)size);
}

gemp_code gemp_match_prepare(gemp_match **out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                             const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_match *m = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(m, 1)));
	m->context = context;
	m->graph = graph;
	m->pattern = pattern;
	m->options = *options;
	code = gemp_phases_new(&m->phases, pattern, options);
	if (code == GEMP_OK && !options->symmetry)
		code = gemp_symmetry_find(&m->own_symmetry, pattern, true);
	m->symmetry = options->symmetry ? options->symmetry : m->own_symmetry;
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(load_relations(m));
	if (pattern->condition_count)
		GEMP_TRY(gemp_filter_new(&m->filter, context));
	size_t held = context->device->held;
	GEMP_TRY(gemp_candidates_new(&m->candidates, context, m->filter, graph, pattern, m->phases.before,
	                             m->phases.before_count));
	m->attribute_bytes = context->device->held - held;
	double began = gemp_now();
	GEMP_TRY(gemp_statistics_new(&m->statistics, context, graph, pattern, &m->candidates));
	gemp_timers_add(&context->timers, GEMP_CONVERT, began);
	GEMP_TRY(plan_and_rows(m));
	GEMP_TRY(gemp_comm_agree(context->comm, make_chain(m)));
	gemp_search_options search = { .lanes = options->lanes, .launch_factor = options->launch_factor,
		.result_buffer = context->budgets.result_buffer, .outbox = context->budgets.outbox,
		.listed = lists(m) };
	GEMP_TRY(gemp_search_new(&m->search, context, graph, m->plan, &m->rows.order, &m->rows.residency, m->rows.views,
	                         &m->candidates, &search));
	*out = m;
	m = NULL;
done:
	gemp_match_free(m);
	return code;
}

void gemp_match_free(gemp_match *m)
{
	if (!m)
		return;
	gemp_search_free(m->search);
	gemp_rows_at_hand_free(&m->rows);
	gemp_plan_free(m->plan);
	gemp_candidates_free(&m->candidates);
	gemp_filter_free(m->filter);
	gemp_chain_free(m->chain);
	gemp_symmetry_free(m->own_symmetry);
	gemp_phases_free(&m->phases);
	gemp_free(m);
}

char *gemp_match_explain(const gemp_match *m)
{
	return gemp_plan_text(m->plan, m->pattern, &m->statistics, m->graph);
}

/* RUNNING: search -> residual conditions -> tally -> distinct -> the caller's sink. */
typedef struct sinks {
	gemp_sink distinct, tally_sink, residual;
	gemp_tally tally;
	gemp_sink *first;
} sinks;

static gemp_code add_distinct(gemp_match *m, sinks *s, gemp_sink *next)
{
	const gemp_match_options *o = &m->options;
	for (size_t e = 0; e < m->pattern->edge_count; e++) {
		m->pairs[e][0] = m->pattern->edges[e].from;
		m->pairs[e][1] = m->pattern->edges[e].to;
	}
	gemp_distinct_options options = { .vertex_count = m->plan->vertex_count,
		.edge_count = m->plan->live_edges ? m->plan->edge_count : 0,
		.chain = m->chain, .as_vertices = o->distinct == GEMP_BY_VERTICES,
		.graph = next ? m->graph : NULL,
		.as_subgraph = o->distinct == GEMP_BY_SUBGRAPH,
		.pair_count = m->pattern->edge_count, .pairs = (const int (*)[2])m->pairs,
		.limit = o->limit == UINT64_MAX ? 0 : o->limit, .next = next };
	return gemp_distinct_new(&s->distinct, m->context, &options);
}

static gemp_code add_sinks(gemp_match *m, sinks *s, gemp_sink *last)
{
	gemp_code code = GEMP_OK;
	gemp_sink *next = last;
	if (!m->search->emit.listed)
		return GEMP_OK;
	if (m->deduplicates) {
		GEMP_TRY(add_distinct(m, s, next));
		next = &s->distinct;
	}
	s->tally = (gemp_tally){ .next = next, .vertices = m->graph->vertices, .parts = m->options.count_parts };
	s->tally_sink = gemp_tally_sink(&s->tally);
	s->first = &s->tally_sink;
	if (m->phases.after_count) {
		GEMP_TRY(gemp_residual_new(&s->residual, m->context, m->graph, m->pattern, m->phases.after,
		                           m->phases.after_count, m->filter, s->first));
		s->first = &s->residual;
	}
done:
	return code;
}

static void free_sinks(sinks *s)
{
	gemp_sink *const all[] = { &s->residual, &s->distinct };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i]->free)
			all[i]->free(all[i]->self);
}

/* Embeddings are whole orbits where symmetry was broken. */
static gemp_code count_embeddings(const gemp_match *m, gemp_count kept, gemp_match_result *result)
{
	result->embeddings_known = result->complete;
	result->embeddings_reason = result->complete ? NULL : "the search stopped early: --limit";
	result->embeddings = kept;
	if (!m->plan->broken)
		return GEMP_OK;
	if (m->plan->group_overflow || __builtin_mul_overflow(kept, m->plan->group_order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
		if (m->options.distinct == GEMP_BY_NOTHING)
			return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 embeddings; count with --distinct orbit");
	}
	return GEMP_OK;
}

/* Sums over ranks of what one rank knows. */
enum { FOUND, CROSSED, KEPT, CLASSES, PIVOTS, COPIED, FETCHED, REFERRED, LAUNCHES, STAGES, LISTING, BYTES, MESSAGES, PARTS,
       FIGURES = PARTS + GEMP_PART_STEPS };

static void gather(const gemp_match *m, const sinks *s, uint64_t figures[FIGURES])
{
	const gemp_search_statistics *search = &m->search->statistics;
	memset(figures, 0, FIGURES * sizeof *figures);
	figures[FOUND] = search->found_local + search->found_crossed;
	figures[CROSSED] = search->found_crossed;
	figures[KEPT] = s->first ? s->tally.rows : figures[FOUND];
	figures[CLASSES] = m->deduplicates ? gemp_distinct_count(&s->distinct) : figures[KEPT];
	figures[PIVOTS] = m->search->pivots;
	figures[COPIED] = m->filter ? gemp_filter_copied(m->filter) : 0;
	figures[REFERRED] = figures[KEPT] * m->phases.mentions;
	if (s->residual.self) {
		figures[FETCHED] = gemp_residual_copied(&s->residual);
		figures[REFERRED] = gemp_residual_referred(&s->residual);
	}
	figures[LAUNCHES] = search->launches;
	figures[STAGES] = search->stage_launches;
	figures[LISTING] = search->listing_launches;
	figures[BYTES] = m->context->traffic.bytes;
	figures[MESSAGES] = m->context->traffic.messages;
	memcpy(figures + PARTS, s->tally.within, sizeof s->tally.within);
	gemp_comm_sum(m->context->comm, figures, FIGURES);
}

/* What a plan by two-paths has counted several times over. */
static gemp_code divide(const gemp_match *m, uint64_t figures[FIGURES])
{
	static const int counts[] = { FOUND, KEPT, CLASSES };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		if (figures[counts[i]] % m->plan->divisor)
			return gemp_fail(GEMP_EINTERNAL, "a count by two-paths is no multiple of %llu",
			                 (unsigned long long)m->plan->divisor);
		figures[counts[i]] /= m->plan->divisor;
	}
	return GEMP_OK;
}

static gemp_code report(gemp_match *m, const sinks *s, const gemp_rounds_result *rounds, gemp_match_result *result)
{
	uint64_t f[FIGURES], peaks[] = { gemp_memory_peak(), m->context->device->peak, m->search->graph_bytes,
		m->search->result_bytes, m->attribute_bytes };
	double fill = m->search->statistics.fill;
	gather(m, s, f);
	gemp_code code = divide(m, f);
	if (code != GEMP_OK)
		return code;
	gemp_comm_max(m->context->comm, peaks, sizeof peaks / sizeof *peaks);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &fill, 1, MPI_DOUBLE, MPI_SUM, m->context->comm->world));
	*result = (gemp_match_result){ .matches = f[CLASSES], .complete = rounds->complete, .rounds = rounds->rounds,
		.launches = f[LAUNCHES], .stages_launched = f[STAGES], .pivots = f[PIVOTS],
		.traffic = { f[BYTES], f[MESSAGES], m->context->traffic.rounds },
		.local_share = f[FOUND] ? 1 - (double)f[CROSSED] / (double)f[FOUND] : 1,
		.values_copied = s->residual.self ? f[FETCHED] : f[COPIED], .values_referred = f[REFERRED],
		.host_peak = peaks[0], .device_peak = peaks[1], .graph_bytes = peaks[2], .result_bytes = peaks[3],
		.attribute_bytes = peaks[4],
		.distinct_passes = m->deduplicates ? gemp_distinct_passes(&s->distinct) : 1 };
	result->result_fill_percent = f[LISTING] ? (uint64_t)(100 * fill / (double)f[LISTING] + 0.5) : 0;
	for (int i = 0; i < GEMP_PART_STEPS; i++)
		result->part_share[i] = f[KEPT] ? (double)f[PARTS + i] / (double)f[KEPT] : 1;
	code = count_embeddings(m, f[KEPT], result);
	if (m->options.distinct == GEMP_BY_NOTHING)
		result->matches = result->embeddings;
	return code;
}

gemp_code gemp_match_run(gemp_match *m, gemp_sink *sink, gemp_match_result *result)
{
	gemp_code code = GEMP_OK;
	sinks s = { 0 };
	gemp_rounds_result rounds;
	GEMP_TRY(gemp_comm_agree(m->context->comm, add_sinks(m, &s, sink)));
	m->search->sink = s.first;
	GEMP_TRY(gemp_rounds_run(m->search, &rounds));
	GEMP_TRY(report(m, &s, &rounds, result));
done:
	free_sinks(&s);
	return code;
}
