#include "query/query.h"

#include "core/log.h"
#include "core/status.h"
#include "count/count.h"
#include "count/neighbours.h"
#include "count/planner.h"
#include "match/distinct/distinct.h"
#include "match/match.h"
#include "pattern/bind/bind.h"
#include "pattern/symmetry/automorphism.h"
#include "query/search/apply.h"
#include "query/search/optional_match.h"

/* A query has one of three forms: sums, one search, or a finder with a chain of sinks. */
struct gemp_prepared {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_prepared_options options;
	bool edges;                /* rows have edge columns */
	gemp_count_plan *sums;     /* set if the query is counted by sums */
	const char *enumerated;    /* why a count does not use sums; NULL if it uses sums, or if they were not tried */
	uint64_t order;            /* with sums: order of the automorphism group */
	gemp_count_engine *engine; /* with sums: NULL if the query is only explained; then rows is set instead */
	gemp_resident *rows;
	gemp_match *match; /* set if the query is one search; the members below belong to queries with a finder */
	gemp_finder *finder;
	gemp_optional_match **optionals; /* [pattern->optional_count] */
	gemp_apply *apply;               /* evaluates sub-patterns of clauses after the optionals; NULL: not needed */
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
};

/* COUNTING BY SUMS */

/* Sums give one number, so options must not ask for rows, counts by part or vertex, a profile, or an early end. */
static bool only_counts(const gemp_match_options *o)
{
	return !o->listed && !o->count_parts && !o->count_per && !o->profile && !o->sampled && o->limit == UINT64_MAX;
}

/* Returns why the pattern or an option rules out sums; NULL if sums are possible. */
static const char *unsupported_reason(const gemp_pattern *pattern, const gemp_match_options *o)
{
	if (!o->count_by_formula)
		return "count-by enumerate";
	if (o->distinct == GEMP_BY_VERTICES || (o->distinct == GEMP_BY_SUBGRAPH && pattern->has_return))
		return "matches with one image are to be put together";
	if (o->symmetry_by_hash || o->pivot_off || o->order_count || o->lanes)
		return "an option says how to search";
	if (o->replicate != GEMP_REPLICATE_AUTO && o->replicate != GEMP_REPLICATE_ALL)
		return "replicate does not let every rank hold all rows";
	return NULL;
}

/* Collective. Sums may use half of the device's memory. The estimate covers the rows, the rows of lower slots, a
 * support for each entry of both, and as much again for tables. */
static bool rows_fit(const gemp_runtime *context, const gemp_shard *graph)
{
	const gemp_device *device = context->device;
	uint64_t entries = 2 * gemp_shard_edges(graph), bytes = 8 * (entries + graph->vertex_count) * sizeof(uint32_t);
	bool fits = bytes <= device->memory / 2 && entries * sizeof(uint32_t) <= device->max_buffer;
	return gemp_comm_sum1(context->comm, !fits) == 0;
}

/* Collective. All ranks must get the same plan, so a kind of sum is allowed only if all devices support it. Only
 * directed or labelled views can have parallel edges. */
static gemp_code find_planner_options(gemp_count_planner_options *out, const gemp_prepared *q)
{
	gemp_runtime *context = q->context;
	const gemp_pattern *pattern = q->pattern;
	const gemp_match_options *options = &q->options.match;
	const gemp_view_key key = { .relations = pattern->edge_count ? pattern->edges[0].relations : NULL,
		                        .direction = GEMP_VIEW_EITHER,
		                        .simple = pattern->simple };
	*out = (gemp_count_planner_options){ .iso = options->semantics == GEMP_ISO };
	out->hom = options->semantics == GEMP_HOM && options->distinct == GEMP_BY_NOTHING && pattern->simple;
	out->ordered = gemp_comm_sum1(context->comm, context->device->gpu) == 0;
	bool codegrees = gemp_neighbours_codegrees(context->device, q->graph->vertex_count);
	out->codegrees = gemp_comm_sum1(context->comm, !codegrees) == 0;
	if (pattern->simple || !pattern->edge_count)
		return GEMP_OK;
	double began = gemp_now();
	for (size_t r = 0; r < q->graph->relation_count; r++)
		if (key.relations[r])
			GEMP_TRY(gemp_shard_load_relation(q->graph, r, gemp_view_parts(key.direction)));
	began = gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	GEMP_TRY(gemp_view_parallel(context->comm, q->graph, &key, &out->parallel));
	gemp_timers_add(&context->timers, GEMP_PHASE_CONVERT, began);
	return GEMP_OK;
}

/* If the order of the group overflows, the planner gets order 1. It refuses patterns of such a size anyway. */
static gemp_code find_sums(gemp_prepared *q, const gemp_count_planner_options *planner_options)
{
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *own = NULL;
	const gemp_symmetry *symmetry = q->options.match.symmetry;
	bool overflow = false;
	if (!symmetry) {
		GEMP_TRY(gemp_automorphism_find(&own, q->pattern, true));
		symmetry = own;
	}
	q->order = gemp_symmetry_order(symmetry, &overflow);
	if (planner_options->hom)
		q->order = 1;
	return gemp_count_plan_new(&q->sums, q->pattern, overflow ? 1 : q->order, planner_options, &q->enumerated);
}

/* Collective. Used for --explain. The rows take most of the memory, so the memory report is nearly right. */
static gemp_code prepare_rows(gemp_prepared *q, const gemp_view_key *key)
{
	GEMP_TRY(gemp_count_get_rows(&q->rows, q->context, q->graph, key));
	return gemp_comm_agree(q->context->comm, gemp_view_upload(&q->rows->views[0], q->context->device, q->rows->wide));
}

/* Drops the sums, so that the matches are enumerated instead. */
static void free_sums(gemp_prepared *q)
{
	gemp_count_free(q->engine);
	gemp_resident_release(q->rows);
	gemp_count_plan_free(q->sums);
	q->engine = NULL;
	q->rows = NULL;
	q->sums = NULL;
}

/* Sums that do not fit into memory or 64 bits are no error. Rank 0 warns, and the matches are enumerated. */
static bool falls_back(gemp_prepared *q, gemp_code *code)
{
	if (*code != GEMP_ENOMEM && *code != GEMP_EDATA)
		return false;
	if (q->context->comm->rank == 0)
		gemp_warn("%s: matches are counted one by one", gemp_message());
	*code = GEMP_OK;
	q->enumerated = "its sums do not fit";
	free_sums(q);
	return true;
}

/* Collective. The pattern must be bound. q->sums stays NULL if matches must be enumerated. */
static gemp_code prepare_sums(gemp_prepared *q)
{
	const gemp_match_options *options = &q->options.match;
	gemp_count_planner_options planner_options;
	if (!only_counts(options))
		return GEMP_OK;
	q->enumerated = unsupported_reason(q->pattern, options);
	if (q->enumerated)
		return GEMP_OK;
	GEMP_TRY(gemp_runtime_open_devices(q->context));
	q->enumerated = rows_fit(q->context, q->graph) ? NULL : "the rows do not fit on every device";
	if (q->enumerated)
		return GEMP_OK;
	GEMP_TRY(find_planner_options(&planner_options, q));
	GEMP_TRY(gemp_comm_agree(q->context->comm, find_sums(q, &planner_options)));
	if (!q->sums)
		return GEMP_OK;
	const gemp_view_key key = { .relations = q->pattern->edges[0].relations,
		                        .direction = GEMP_VIEW_EITHER,
		                        .simple = true };
	gemp_code code = options->explained ? prepare_rows(q, &key)
	                                    : gemp_count_prepare(&q->engine, q->context, q->graph, &key, q->sums);
	falls_back(q, &code);
	return code;
}

/* An orbit has as many embeddings as the group has automorphisms, so orbits times automorphisms is the number of
 * embeddings. */
static gemp_code fill_result(const gemp_prepared *q, const gemp_count_result *counted, gemp_match_result *result)
{
	bool embeddings = q->options.match.distinct == GEMP_BY_NOTHING;
	uint64_t peaks[] = { gemp_memory_peak(), q->context->device->buffer_peak };
	gemp_comm_max(q->context->comm, peaks, 2);
	*result = (gemp_match_result){ .matches = counted->matches,
		                           .complete = true,
		                           .embeddings_known = true,
		                           .launches = counted->launches,
		                           .rounds = 1,
		                           .local_share = 1,
		                           .kernel_imbalance = 1,
		                           .match_imbalance = 1,
		                           .host_peak = peaks[0],
		                           .device_peak = peaks[1],
		                           .distinct_passes = 1,
		                           .by_sums = true };
	if (counted->overflow)
		return gemp_fail(GEMP_EDATA, "there are 2^64 matches or more");
	if (__builtin_mul_overflow(counted->matches, q->order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
		if (embeddings)
			return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 embeddings; count with distinct orbit");
	}
	if (embeddings)
		result->matches = result->embeddings;
	return GEMP_OK;
}

/* MOTIFS */

/* Makes the pattern of a motif kind from a text `edges:0-1,...`. */
static gemp_code make_pattern(gemp_pattern **out, const gemp_shard *graph, const gemp_census *census, int kind)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	gemp_text_print(&name, "edges:");
	gemp_census_text(census, kind, &name);
	GEMP_TRY(gemp_text_status(&name));
	GEMP_TRY(gemp_pattern_named(out, name.data));
	return gemp_pattern_bind(*out, graph);
}

/* Collective. Prepares and runs the query of one motif kind, and frees it. */
static gemp_code count_kind(gemp_count *count, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            int kind, const gemp_prepared_options *options)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *query = NULL;
	gemp_match_result result;
	GEMP_TRY(gemp_comm_agree(context->comm, make_pattern(&pattern, graph, census, kind)));
	GEMP_TRY(gemp_prepared_prepare(&query, context, graph, pattern, options));
	GEMP_TRY(gemp_prepared_run(query, NULL, &result));
	*count = result.matches;
	return GEMP_OK;
}

/* keep_resident keeps the view of the graph between the queries, because all queries read the same view. */
gemp_code gemp_motifs_count(gemp_motifs *out, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            const gemp_match_options *options)
{
	gemp_prepared_options query = { .match = *options };
	query.match.semantics = GEMP_ISO;
	query.match.distinct = GEMP_BY_ORBIT;
	query.match.limit = UINT64_MAX;
	context->keep_resident = true;
	for (int kind = 0; kind < census->kinds; kind++) {
		double began = gemp_now();
		GEMP_TRY(count_kind(&out->counts[kind], context, graph, census, kind, &query));
		out->seconds[kind] = gemp_now() - began;
	}
	if (options->semantics == GEMP_INDUCED)
		GEMP_TRY(gemp_census_induce(census, out->counts));
	return GEMP_OK;
}

/* PREPARING */

/* One search of the match engine handles a connected pattern of single edges without sub-patterns. All other patterns
 * are composed. */
bool gemp_prepared_is_composed(const gemp_pattern *pattern)
{
	int part[GEMP_MAX_PATTERN_VERTICES];
	return pattern->optional_count || gemp_pattern_has_paths(pattern) ||
	       gemp_apply_needed(pattern, GEMP_APPLY_CONDITIONS | GEMP_APPLY_CLAUSES) ||
	       gemp_pattern_components(pattern, part) > 1;
}

/* True if matches with the same image become one match after the search. The search must then enumerate embeddings. */
static bool dedups_by_image(const gemp_match_options *options)
{
	return options->distinct == GEMP_BY_VERTICES || options->distinct == GEMP_BY_SUBGRAPH;
}

/* Refuses options that have no meaning for composed queries, before anything is prepared. */
static gemp_code check_options(const gemp_pattern *pattern, const gemp_match_options *options)
{
	if (pattern->optional_count && options->distinct != GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE,
		                 "rows of OPTIONAL MATCH are all embeddings, as openCypher has them; leave distinct "
		                 "out, or say distinct none");
	if (gemp_pattern_has_paths(pattern) && dedups_by_image(options))
		return gemp_fail(GEMP_EUSAGE, "distinct vertices and subgraph do not go with paths of variable length; "
		                              "use distinct orbit or none");
	if (gemp_pattern_has_paths(pattern) && options->semantics == GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "semantics induced does not go with paths of variable length; use iso");
	return GEMP_OK;
}

/* Results are deduplicated by the canonical tuple over all points, so the chain needs no particular base. */
static gemp_code find_group(gemp_prepared *q)
{
	if (q->options.match.distinct == GEMP_BY_NOTHING)
		return GEMP_OK;
	GEMP_TRY(gemp_automorphism_find(&q->symmetry, q->pattern, true));
	return gemp_stab_chain_new(&q->chain, q->symmetry, NULL, q->symmetry->points);
}

/* Collective. If rows are deduplicated by image, the finder enumerates embeddings. If there are optional matches, which
 * lengthen the rows, the values of sub-patterns for clauses are computed after them. */
static gemp_code prepare_chain(gemp_prepared *q)
{
	gemp_finder_options options = { .match = q->options.match,
		                            .values = q->pattern->optional_count == 0,
		                            .combinations = q->options.combinations };
	q->edges = q->options.match.edges || gemp_finder_needs_edges(q->pattern) ||
	           (q->options.match.distinct == GEMP_BY_SUBGRAPH && !q->pattern->simple);
	options.edges = q->edges;
	options.match.count_parts = false;
	if (dedups_by_image(&q->options.match))
		options.match.distinct = GEMP_BY_NOTHING;
	GEMP_TRY(gemp_finder_new(&q->finder, q->context, q->graph, q->pattern, &options));
	GEMP_TRY(gemp_comm_agree(q->context->comm, GEMP_NEW(q->optionals, q->pattern->optional_count)));
	for (size_t i = 0; i < q->pattern->optional_count; i++)
		GEMP_TRY(gemp_optional_match_new(&q->optionals[i], q->context, q->graph, q->pattern, i, &options));
	if (q->pattern->optional_count && gemp_apply_needed(q->pattern, GEMP_APPLY_CLAUSES))
		GEMP_TRY(gemp_apply_new(&q->apply, q->context, q->graph, q->pattern, &options, GEMP_APPLY_CLAUSES));
	return GEMP_OK;
}

/* Collective. Uses sums if the planner finds any, else one search. */
static gemp_code prepare_plain(gemp_prepared *q)
{
	GEMP_TRY(prepare_sums(q));
	return q->sums ? GEMP_OK : gemp_match_prepare(&q->match, q->context, q->graph, q->pattern, &q->options.match);
}

/* Options are checked first, and the ranks agree on the status before the first collective call. */
gemp_code gemp_prepared_prepare(gemp_prepared **out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *options)
{
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *q = NULL;
	bool composed = gemp_prepared_is_composed(pattern);
	gemp_code code = GEMP_NEW(q, 1);
	if (code == GEMP_OK) {
		*q = (gemp_prepared){ .context = context, .graph = graph, .pattern = pattern, .options = *options };
		code = composed ? check_options(pattern, &options->match) : GEMP_OK;
	}
	if (code == GEMP_OK && composed)
		code = find_group(q);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(composed ? prepare_chain(q) : prepare_plain(q));
	*out = q;
	q = NULL;
	return GEMP_OK;
}

/* The query may be NULL or only partly prepared. The members of other forms are NULL. */
void gemp_prepared_free(gemp_prepared *q)
{
	if (!q)
		return;
	for (size_t i = 0; q->optionals && i < q->pattern->optional_count; i++)
		gemp_optional_match_free(q->optionals[i]);
	gemp_free(q->optionals);
	gemp_apply_free(q->apply);
	gemp_finder_free(q->finder);
	gemp_match_free(q->match);
	free_sums(q);
	gemp_stab_chain_free(q->chain);
	gemp_symmetry_free(q->symmetry);
	gemp_free(q);
}

/* A query of one search takes the chain that the search has made. The points of the chain are the elements of the
 * rows. */
const gemp_stab_chain *gemp_prepared_chain(const gemp_prepared *q)
{
	return q->match ? gemp_match_chain(q->match) : q->chain;
}

/* Checkpoints run the search for a part of the pivots at a time, so they need the search itself. */
gemp_match *gemp_prepared_match(gemp_prepared *q)
{
	return q->match;
}

/* The plans are printed in the order in which rows pass them. */
static void explain_composed(const gemp_prepared *q, gemp_text *text)
{
	gemp_finder_explain(q->finder, 0, text);
	for (size_t i = 0; i < q->pattern->optional_count; i++)
		gemp_optional_match_explain(q->optionals[i], 0, text);
	if (q->apply)
		gemp_apply_explain(q->apply, 0, text);
}

/* If only a count is wanted but sums do not apply, the reason is printed before the plan. */
char *gemp_prepared_explain(const gemp_prepared *q)
{
	gemp_text text = { 0 };
	if (q->sums) {
		gemp_count_plan_print(q->sums, &text);
	} else if (q->match) {
		char *plan = gemp_match_explain(q->match);
		if (plan && q->enumerated)
			gemp_text_print(&text, "counted one by one: %s\n", q->enumerated);
		gemp_text_print(&text, "%s", plan ? plan : "");
		text.failed |= plan == NULL;
		gemp_free(plan);
	} else {
		explain_composed(q, &text);
	}
	if (gemp_text_status(&text) == GEMP_OK)
		return text.data;
	gemp_text_free(&text);
	return NULL;
}

/* RUNNING */

/* The sinks of one run. A sink that the query does not need is empty. */
typedef struct sink_chain {
	gemp_sink tally_sink, distinct, apply;
	gemp_sink optionals[GEMP_MAX_PATTERN_VERTICES];
	gemp_count_sink tally;
	gemp_sink *first;
	int pairs[GEMP_MAX_PATTERN_EDGES][2]; /* read by the distinct sink: the two vertices that each edge joins */
} sink_chain;

/* The distinct sink compares subgraphs, so it must know which vertices each edge joins. */
static gemp_code add_distinct(gemp_prepared *q, sink_chain *s)
{
	const gemp_match_options *o = &q->options.match;
	for (size_t e = 0; e < q->pattern->edge_count; e++) {
		s->pairs[e][0] = q->pattern->edges[e].from;
		s->pairs[e][1] = q->pattern->edges[e].to;
	}
	const gemp_distinct_options options = { .vertex_count = (int)q->pattern->vertex_count,
		                                    .edge_count = q->edges ? (int)q->pattern->edge_count : 0,
		                                    .as_vertices = o->distinct == GEMP_BY_VERTICES,
		                                    .as_subgraph = o->distinct == GEMP_BY_SUBGRAPH,
		                                    .graph = q->graph,
		                                    .pair_count = q->pattern->edge_count,
		                                    .pairs = (const int(*)[2])s->pairs,
		                                    .limit = o->limit == UINT64_MAX ? 0 : o->limit,
		                                    .next = s->first };
	GEMP_TRY(gemp_distinct_new(&s->distinct, q->context, &options));
	s->first = &s->distinct;
	return GEMP_OK;
}

/* Collective. The chain is built from the last sink to the first, because each sink needs its successor. The tally
 * counts the rows that reach the caller's sink. */
static gemp_code make_sink_chain(gemp_prepared *q, sink_chain *s, gemp_sink *last)
{
	s->tally = (gemp_count_sink){ .next = last, .vertices = q->graph->vertex_count };
	s->tally_sink = gemp_count_sink_of(&s->tally);
	s->first = &s->tally_sink;
	if (dedups_by_image(&q->options.match))
		GEMP_TRY(add_distinct(q, s));
	if (q->apply) {
		GEMP_TRY(gemp_apply_sink(&s->apply, q->apply, s->first));
		s->first = &s->apply;
	}
	for (size_t i = q->pattern->optional_count; i-- > 0;) {
		GEMP_TRY(gemp_optional_match_sink(&s->optionals[i], q->optionals[i], s->first));
		s->first = &s->optionals[i];
	}
	return GEMP_OK;
}

static void free_sink_chain(sink_chain *s)
{
	for (size_t i = 0; i < GEMP_MAX_PATTERN_VERTICES; i++)
		gemp_sink_free(&s->optionals[i]);
	gemp_sink_free(&s->apply);
	gemp_sink_free(&s->distinct);
}

/* Under iso and induced the vertices of a match are distinct, so an orbit has as many embeddings as the pattern has
 * automorphisms. */
static void count_results(const gemp_prepared *q, uint64_t rows, gemp_match_result *result)
{
	const gemp_match_options *o = &q->options.match;
	bool overflow = false, free_orbits = o->semantics == GEMP_ISO || o->semantics == GEMP_INDUCED;
	uint64_t order = q->symmetry ? gemp_symmetry_order(q->symmetry, &overflow) : 1;
	result->matches = result->embeddings = rows;
	result->embeddings_known = result->complete;
	result->embeddings_reason = result->complete ? NULL : "the search stopped at the limit";
	if (o->distinct == GEMP_BY_NOTHING || !result->complete)
		return;
	if (dedups_by_image(o) || (!free_orbits && order > 1)) {
		result->embeddings_known = false;
		result->embeddings_reason = "they are put together before they can be counted; distinct none counts them";
	} else if (overflow || __builtin_mul_overflow(rows, order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
	}
}

/* If the sums do not fit into 64 bits, which only the run shows, the query is prepared again, as a search. */
gemp_code gemp_prepared_run(gemp_prepared *q, gemp_sink *sink, gemp_match_result *result)
{
	GEMP_OWNED_BY(free_sink_chain) sink_chain s = { 0 };
	if (q->options.match.explained)
		return gemp_fail(GEMP_EINTERNAL, "the query was prepared to be explained, not to run");
	if (q->sums) {
		gemp_count_result counted;
		gemp_code code = gemp_count_run(q->engine, &counted);
		if (!falls_back(q, &code))
			return code == GEMP_OK ? fill_result(q, &counted, result) : code;
		GEMP_TRY(gemp_match_prepare(&q->match, q->context, q->graph, q->pattern, &q->options.match));
	}
	if (q->match)
		return gemp_match_run(q->match, sink, result);
	GEMP_TRY(make_sink_chain(q, &s, sink));
	GEMP_TRY(gemp_finder_run(q->finder, NULL, 0, s.first, result));
	count_results(q, gemp_comm_sum1(q->context->comm, s.tally.rows), result);
	return GEMP_OK;
}
