#include "query/query.h"

#include "core/log.h"
#include "core/status.h"
#include "match/distinct/distinct.h"
#include "match/match.h"
#include "pattern/bind/bind.h"
#include "pattern/symmetry/automorphism.h"
#include "query/counting.h"
#include "query/search/apply.h"
#include "query/search/group_folds.h"
#include "query/search/optional_match.h"
#include "query/vertex_sets.h"

/* A query has one of four forms: sums, folded groups, one search, or a finder with a chain of sinks. */
struct gemp_prepared {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_prepared_options options;
	bool edges;              /* rows have edge columns */
	gemp_counting counting;  /* has a plan if the query is counted by sums */
	gemp_group_folds *folds; /* set if groups are folded */
	gemp_match *match;       /* set if the query is one search; the members below belong to queries with a finder */
	bool vertex_sets;        /* the matches of the search are too many to be compared (query/vertex_sets.h) */
	gemp_finder *finder;
	size_t part_count; /* the parts replace a run of the finder: the only one is the query, or their counts add up */
	gemp_prepared **parts;           /* [part_count] */
	gemp_optional_match **optionals; /* [pattern->optional_count] */
	gemp_apply *apply;               /* evaluates sub-patterns of clauses after the optionals; NULL: not needed */
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
};

/* MOTIFS */

static gemp_code make_pattern(gemp_pattern **out, const gemp_shard *graph, const gemp_census *census, int kind)
{
	GEMP_TRY(gemp_census_pattern(out, census, kind));
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

/* Collective. Prepares the searches of the finder's variants. */
static gemp_code prepare_parts(gemp_prepared *q)
{
	const size_t count = gemp_finder_parts(q->finder);
	GEMP_TRY(gemp_comm_agree(q->context->comm, GEMP_NEW(q->parts, count)));
	for (; q->part_count < count; q->part_count++) {
		gemp_prepared_options options = q->options;
		options.folds = false;
		const gemp_pattern *pattern = gemp_finder_part(q->finder, q->part_count, &options.match);
		GEMP_TRY(gemp_prepared_prepare(&q->parts[q->part_count], q->context, q->graph, pattern, &options));
	}
	return GEMP_OK;
}

/* Collective. If rows are deduplicated by image, the finder enumerates embeddings.
 * If there are optional matches, which lengthen the rows, the values of sub-patterns for clauses are computed after
 * them. */
static gemp_code prepare_chain(gemp_prepared *q)
{
	gemp_finder_options options = { .match = q->options.match,
		                            .values = q->pattern->optional_count == 0,
		                            .combinations = q->options.combinations };
	q->edges = q->options.match.edges || gemp_finder_needs_edges(q->pattern) ||
	           (q->options.match.distinct == GEMP_BY_SUBGRAPH && !q->pattern->simple);
	options.edges = q->edges;
	options.match.count_parts = false;
	options.parts = !q->pattern->optional_count && !dedups_by_image(&q->options.match);
	if (dedups_by_image(&q->options.match))
		options.match.distinct = GEMP_BY_NOTHING;
	GEMP_TRY(gemp_finder_new(&q->finder, q->context, q->graph, q->pattern, &options));
	if (gemp_finder_parts(q->finder))
		return prepare_parts(q);
	GEMP_TRY(gemp_comm_agree(q->context->comm, GEMP_NEW(q->optionals, q->pattern->optional_count)));
	for (size_t i = 0; i < q->pattern->optional_count; i++)
		GEMP_TRY(gemp_optional_match_new(&q->optionals[i], q->context, q->graph, q->pattern, i, &options));
	if (q->pattern->optional_count && gemp_apply_needed(q->pattern, GEMP_APPLY_CLAUSES))
		GEMP_TRY(gemp_apply_new(&q->apply, q->context, q->graph, q->pattern, &options, GEMP_APPLY_CLAUSES));
	return GEMP_OK;
}

/* Collective. Uses sums on the host, a small search there, sums on devices, or a search, in this order: what needs no
 * device comes first. The search is prepared also if vertex sets are counted without it, since it shows how many
 * matches there are. */
static gemp_code prepare_plain(gemp_prepared *q)
{
	if (q->options.folds)
		GEMP_TRY(gemp_group_folds_new(&q->folds, q->context, q->graph, q->pattern, &q->options.match));
	if (q->folds)
		return GEMP_OK;
	GEMP_TRY(gemp_counting_prepare(&q->counting, q->context, q->graph, q->pattern, &q->options.match));
	if (q->counting.devices_left && !gemp_counting_has_sums(&q->counting)) {
		GEMP_TRY(gemp_match_prepare_small(&q->match, q->context, q->graph, q->pattern, &q->options.match));
		if (!q->match)
			GEMP_TRY(gemp_counting_prepare_devices(&q->counting));
	}
	if (gemp_counting_has_sums(&q->counting))
		return GEMP_OK;
	if (!q->match)
		GEMP_TRY(gemp_match_prepare(&q->match, q->context, q->graph, q->pattern, &q->options.match));
	q->vertex_sets = gemp_vertex_sets_apply(q->pattern, &q->options.match, q->match);
	return GEMP_OK;
}

/* Collective. Sums may count the rows of OPTIONAL MATCH. */
static gemp_code prepare_composed(gemp_prepared *q)
{
	if (q->pattern->optional_count)
		GEMP_TRY(gemp_counting_prepare(&q->counting, q->context, q->graph, q->pattern, &q->options.match));
	return gemp_counting_has_sums(&q->counting) ? GEMP_OK : prepare_chain(q);
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
	GEMP_TRY(composed ? prepare_composed(q) : prepare_plain(q));
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
	for (size_t i = 0; i < q->part_count; i++)
		gemp_prepared_free(q->parts[i]);
	gemp_free_all(q->optionals, q->parts);
	gemp_apply_free(q->apply);
	gemp_finder_free(q->finder);
	gemp_group_folds_free(q->folds);
	gemp_match_free(q->match);
	gemp_counting_free(&q->counting);
	gemp_stab_chain_free(q->chain);
	gemp_symmetry_free(q->symmetry);
	gemp_free(q);
}

/* A query of one search takes the chain that the search has made. The points of the chain are the elements of the
 * rows. */
const gemp_stab_chain *gemp_prepared_chain(const gemp_prepared *q)
{
	if (q->part_count == 1)
		return gemp_prepared_chain(q->parts[0]);
	return q->match ? gemp_match_chain(q->match) : q->chain;
}

/* Checkpoints run the search for a part of the pivots at a time, so they need the search itself. */
gemp_match *gemp_prepared_match(gemp_prepared *q)
{
	return q->vertex_sets ? NULL : q->match;
}

const gemp_folded_groups *gemp_prepared_groups(const gemp_prepared *q)
{
	return q->folds ? gemp_group_folds_rows(q->folds) : NULL;
}

/* The plans are printed in the order in which rows pass them. */
static void explain_composed(const gemp_prepared *q, gemp_text *text)
{
	for (size_t i = 0; i < q->part_count; i++) {
		GEMP_OWNED char *plan = gemp_prepared_explain(q->parts[i]);
		gemp_text_print(text, "%s", plan ? plan : "");
		text->failed |= plan == NULL;
	}
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
	if (q->counting.enumerated && !gemp_counting_has_sums(&q->counting))
		gemp_text_print(&text, "counted one by one: %s\n", q->counting.enumerated);
	if (gemp_counting_has_sums(&q->counting)) {
		gemp_counting_explain(&q->counting, &text);
	} else if (q->folds) {
		gemp_group_folds_explain(q->folds, &text);
	} else if (q->match) {
		char *plan = gemp_match_explain(q->match);
		gemp_text_print(&text, "%s", plan ? plan : "");
		if (q->vertex_sets)
			gemp_text_print(&text, "  vertex sets: by the counts of all patterns that contain this one\n");
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

/* Collective. Runs the only part as the query, or counts the matches of all parts. */
static gemp_code run_parts(gemp_prepared *q, gemp_sink *sink, gemp_match_result *result)
{
	gemp_match_result one;
	gemp_count all = 0;
	bool by_sums = true;
	if (q->part_count == 1)
		return gemp_prepared_run(q->parts[0], sink, result);
	GEMP_CHECK(!sink);
	*result = (gemp_match_result){ .complete = true, .on_host = true, .embeddings_known = true };
	for (size_t i = 0; i < q->part_count; i++) {
		GEMP_TRY(gemp_prepared_run(q->parts[i], NULL, &one));
		gemp_finder_add_result(result, &one);
		by_sums &= one.by_sums;
		if (__builtin_add_overflow(all, one.matches, &all))
			return gemp_fail(GEMP_EDATA, "there are 2^64 matches or more");
	}
	result->matches = result->embeddings = all;
	result->by_sums = by_sums;
	return GEMP_OK;
}

/* If the sums do not fit into 64 bits, which only the run shows, the query is prepared again, as a search. */
gemp_code gemp_prepared_run(gemp_prepared *q, gemp_sink *sink, gemp_match_result *result)
{
	GEMP_OWNED_BY(free_sink_chain) sink_chain s = { 0 };
	if (q->options.match.explained)
		return gemp_fail(GEMP_EINTERNAL, "the query was prepared to be explained, not to run");
	if (gemp_counting_has_sums(&q->counting)) {
		bool counted;
		GEMP_TRY(gemp_counting_run(&q->counting, &counted, result));
		if (counted)
			return gemp_counting_deliver(&q->counting, q->options.match.listed ? sink : NULL);
		GEMP_TRY(q->pattern->optional_count
		             ? prepare_chain(q)
		             : gemp_match_prepare(&q->match, q->context, q->graph, q->pattern, &q->options.match));
	}
	if (q->folds) {
		const uint64_t matches = gemp_group_folds_matches(q->folds);
		*result = (gemp_match_result){
			.matches = matches, .embeddings = matches, .embeddings_known = true, .complete = true, .on_host = true
		};
		return GEMP_OK;
	}
	if (q->vertex_sets)
		return gemp_vertex_sets_count(q->context, q->graph, q->pattern, &q->options.match, result);
	if (q->match)
		return gemp_match_run(q->match, sink, result);
	if (q->parts)
		return run_parts(q, sink, result);
	GEMP_TRY(make_sink_chain(q, &s, sink));
	GEMP_TRY(gemp_finder_run(q->finder, NULL, 0, s.first, result));
	count_results(q, gemp_comm_sum1(q->context->comm, s.tally.rows), result);
	return GEMP_OK;
}
