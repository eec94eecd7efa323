#include "query/query.h"

#include "core/memory.h"
#include "core/text.h"
#include "match/distinct/distinct.h"
#include "match/match.h"
#include "pattern/symmetry/automorphism.h"
#include "query/count_query.h"
#include "query/search/apply.h"
#include "query/search/optional_match.h"

struct gemp_prepared {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_prepared_options options;
	bool edges;                 /* rows have edge columns */
	gemp_count_query *counting; /* a plain pattern of which only the count is wanted, by sums; else NULL, and: */
	const char *enumerated;     /* why sums do not apply; NULL: more than a count is wanted */
	gemp_match *match;          /* a plain pattern; else NULL, and: */
	gemp_finder *finder;
	gemp_optional_match **optionals; /* [pattern->optional_count] */
	gemp_apply *apply;               /* behind them, for clauses; NULL: clauses have no subpatterns */
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
	int pairs[GEMP_MAX_PATTERN_EDGES][2];
};

/* Everything that one search of the match engine cannot do alone. */
bool gemp_prepared_is_composed(const gemp_pattern *pattern)
{
	int part[GEMP_MAX_PATTERN_VERTICES];
	return pattern->optional_count || gemp_pattern_has_paths(pattern) ||
	       gemp_apply_needed(pattern, GEMP_APPLY_CONDITIONS | GEMP_APPLY_CLAUSES) ||
	       gemp_pattern_components(pattern, part) > 1;
}

/* Refuses options without a meaning for composed queries, before anything is prepared. */
static gemp_code check_options(const gemp_pattern *pattern, const gemp_match_options *options)
{
	bool dedups_by_image = options->distinct == GEMP_BY_VERTICES || options->distinct == GEMP_BY_SUBGRAPH;
	if (pattern->optional_count && options->distinct != GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE,
		                 "rows of OPTIONAL MATCH are all embeddings, as openCypher has them; leave --distinct "
		                 "out, or say --distinct none");
	if (gemp_pattern_has_paths(pattern) && dedups_by_image)
		return gemp_fail(GEMP_EUSAGE, "--distinct vertices and subgraph do not go with paths of variable length; "
		                              "use --distinct orbit or none");
	if (gemp_pattern_has_paths(pattern) && options->semantics == GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "--semantics induced does not go with paths of variable length; use iso");
	return GEMP_OK;
}

/* Matches with one image are found several times and united afterwards, so the search must enumerate embeddings. */
static bool dedups_by_image(const gemp_prepared *q)
{
	return q->options.match.distinct == GEMP_BY_VERTICES || q->options.match.distinct == GEMP_BY_SUBGRAPH;
}

/* Results are deduplicated by the canonical tuple along all points, so the chain needs no particular base. */
static gemp_code find_group(gemp_prepared *q)
{
	if (q->options.match.distinct == GEMP_BY_NOTHING)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_automorphism_find(&q->symmetry, q->pattern, true));
	return gemp_stab_chain_new(&q->chain, q->symmetry, NULL, q->symmetry->points);
}

/* Collective. The finder enumerates embeddings where rows are deduplicated by image; values of sub-patterns for
 * clauses come last where optional matches lengthen the rows. */
static gemp_code prepare_chain(gemp_prepared *q)
{
	gemp_finder_options options = { .match = q->options.match,
		                            .values = q->pattern->optional_count == 0,
		                            .combinations = q->options.combinations };
	q->edges = q->options.match.edges || gemp_finder_needs_edges(q->pattern) ||
	           (q->options.match.distinct == GEMP_BY_SUBGRAPH && !q->pattern->simple);
	options.edges = q->edges;
	options.match.count_parts = false;
	if (dedups_by_image(q))
		options.match.distinct = GEMP_BY_NOTHING;
	GEMP_PROPAGATE(gemp_finder_new(&q->finder, q->context, q->graph, q->pattern, &options));
	GEMP_PROPAGATE(gemp_comm_agree(q->context->comm, GEMP_NEW(q->optionals, q->pattern->optional_count)));
	for (size_t i = 0; i < q->pattern->optional_count; i++)
		GEMP_PROPAGATE(gemp_optional_match_new(&q->optionals[i], q->context, q->graph, q->pattern, i, &options));
	if (q->pattern->optional_count && gemp_apply_needed(q->pattern, GEMP_APPLY_CLAUSES))
		GEMP_PROPAGATE(gemp_apply_new(&q->apply, q->context, q->graph, q->pattern, &options, GEMP_APPLY_CLAUSES));
	return GEMP_OK;
}

/* Collective. Sums if the planner knows some, else one search. */
static gemp_code prepare_plain(gemp_prepared *q)
{
	const gemp_match_options *options = &q->options.match;
	gemp_code code = gemp_count_query_new(&q->counting, q->context, q->graph, q->pattern, options, &q->enumerated);
	if (q->counting || code != GEMP_OK)
		return code;
	return gemp_match_prepare(&q->match, q->context, q->graph, q->pattern, options);
}

gemp_code gemp_prepared_prepare(gemp_prepared **out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *q = NULL;
	bool composed = gemp_prepared_is_composed(pattern);
	code = GEMP_NEW(q, 1);
	if (code == GEMP_OK) {
		*q = (gemp_prepared){ .context = context, .graph = graph, .pattern = pattern, .options = *options };
		code = composed ? check_options(pattern, &options->match) : GEMP_OK;
	}
	if (code == GEMP_OK && composed)
		code = find_group(q);
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, code));
	GEMP_PROPAGATE(composed ? prepare_chain(q) : prepare_plain(q));
	*out = q;
	q = NULL;
	return GEMP_OK;
}

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
	gemp_count_query_free(q->counting);
	gemp_stab_chain_free(q->chain);
	gemp_symmetry_free(q->symmetry);
	gemp_free(q);
}

const gemp_stab_chain *gemp_prepared_chain(const gemp_prepared *q)
{
	return q->match ? gemp_match_chain(q->match) : q->chain;
}

gemp_match *gemp_prepared_match(gemp_prepared *q)
{
	return q->match;
}

/* Plans in the order in which rows pass them. */
static void explain_composed(const gemp_prepared *q, gemp_text *text)
{
	gemp_finder_explain(q->finder, 0, text);
	for (size_t i = 0; i < q->pattern->optional_count; i++)
		gemp_optional_match_explain(q->optionals[i], 0, text);
	if (q->apply)
		gemp_apply_explain(q->apply, 0, text);
}

/* Where sums were possible in principle, the reason against them precedes the plan. */
char *gemp_prepared_explain(const gemp_prepared *q)
{
	gemp_text text = { 0 };
	if (q->counting) {
		gemp_count_query_explain(q->counting, &text);
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
/* The sinks of one run; each is empty unless the query needs it. */
typedef struct sink_chain {
	gemp_sink tally_sink, distinct, apply;
	gemp_sink optionals[GEMP_MAX_PATTERN_VERTICES];
	gemp_count_sink tally;
	gemp_sink *first;
} sink_chain;

/* The distinct sink needs to know which vertices each edge joins, to recognise equal subgraphs. */
static gemp_code add_distinct(gemp_prepared *q, sink_chain *s)
{
	const gemp_match_options *o = &q->options.match;
	for (size_t e = 0; e < q->pattern->edge_count; e++) {
		q->pairs[e][0] = q->pattern->edges[e].from;
		q->pairs[e][1] = q->pattern->edges[e].to;
	}
	const gemp_distinct_options options = { .vertex_count = (int)q->pattern->vertex_count,
		                                    .edge_count = q->edges ? (int)q->pattern->edge_count : 0,
		                                    .as_vertices = o->distinct == GEMP_BY_VERTICES,
		                                    .as_subgraph = o->distinct == GEMP_BY_SUBGRAPH,
		                                    .graph = q->graph,
		                                    .pair_count = q->pattern->edge_count,
		                                    .pairs = (const int(*)[2])q->pairs,
		                                    .limit = o->limit == UINT64_MAX ? 0 : o->limit,
		                                    .next = s->first };
	gemp_code code = gemp_distinct_new(&s->distinct, q->context, &options);
	if (code == GEMP_OK)
		s->first = &s->distinct;
	return code;
}

/* Collective. The chain is built from the last sink to the first, since each needs its successor. The tally counts
 * rows in front of the caller's sink. */
static gemp_code make_sink_chain(gemp_prepared *q, sink_chain *s, gemp_sink *last)
{
	s->tally = (gemp_count_sink){ .next = last, .vertices = q->graph->vertex_count };
	s->tally_sink = gemp_count_sink_of(&s->tally);
	s->first = &s->tally_sink;
	if (dedups_by_image(q))
		GEMP_PROPAGATE(add_distinct(q, s));
	if (q->apply) {
		GEMP_PROPAGATE(gemp_apply_sink(&s->apply, q->apply, s->first));
		s->first = &s->apply;
	}
	for (size_t i = q->pattern->optional_count; i-- > 0;) {
		GEMP_PROPAGATE(gemp_optional_match_sink(&s->optionals[i], q->optionals[i], s->first));
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

/* Where images are distinct an orbit has as many embeddings as the pattern has automorphisms. */
static void count_results(const gemp_prepared *q, uint64_t rows, gemp_match_result *result)
{
	const gemp_match_options *o = &q->options.match;
	bool overflow = false, free_orbits = o->semantics == GEMP_ISO || o->semantics == GEMP_INDUCED;
	uint64_t order = q->symmetry ? gemp_symmetry_order(q->symmetry, &overflow) : 1;
	result->matches = result->embeddings = rows;
	result->embeddings_known = result->complete;
	result->embeddings_reason = result->complete ? NULL : "the search stopped early: --limit";
	if (o->distinct == GEMP_BY_NOTHING || !result->complete)
		return;
	if (dedups_by_image(q) || (!free_orbits && order > 1)) {
		result->embeddings_known = false;
		result->embeddings_reason = "they are put together before they can be counted; --distinct none counts them";
	} else if (overflow || __builtin_mul_overflow(rows, order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
	}
}

/* If the sums turn out not to fit into 64 bits, the query is prepared anew as a search. */
gemp_code gemp_prepared_run(gemp_prepared *q, gemp_sink *sink, gemp_match_result *result)
{
	gemp_code code = GEMP_OK;
	sink_chain s = { 0 };
	if (q->options.match.explained)
		return gemp_fail(GEMP_EINTERNAL, "the query was prepared to be explained, not to run");
	if (q->counting) {
		bool fits;
		code = gemp_count_query_run(q->counting, result, &fits);
		if (fits || code != GEMP_OK)
			return code;
		gemp_count_query_free(q->counting);
		q->counting = NULL;
		GEMP_TRY(gemp_match_prepare(&q->match, q->context, q->graph, q->pattern, &q->options.match));
	}
	if (q->match)
		return gemp_match_run(q->match, sink, result);
	GEMP_TRY(make_sink_chain(q, &s, sink));
	GEMP_TRY(gemp_finder_run(q->finder, NULL, 0, s.first, result));
	count_results(q, gemp_comm_sum1(q->context->comm, s.tally.rows), result);
done:
	free_sink_chain(&s);
	return code;
}
