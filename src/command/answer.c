#include "command/answer.h"

#include "command/found.h"
#include "command/limit.h"
#include "command/matched.h"
#include "command/order_option.h"
#include "command/rows.h"
#include "core/log.h"
#include "core/memory.h"
#include "match/degrees.h"
#include "query/clause.h"
#include "query/query.h"

#include <string.h>

typedef struct answer {
	gemp_report *report;
	gemp_comm *comm;
	const gemp_options *options;
	gemp_graph *graph;
	gemp_pattern *pattern;
	gemp_context *context;
	gemp_query *query;
	gemp_sink rows, matched, limit_sink, *first;
	gemp_limit limit;
	gemp_match_options how;
	const char *rows_path, *graph_path; /* NULL: nowhere */
	gemp_provenance provenance; /* of what matches cover: the query */
	uint64_t row_limit;   /* rows wanted */
	uint64_t preview;     /* rows shown where there is no --output */
	bool counts_star;     /* RETURN count(*): the search alone can tell */
	bool writes;          /* rows, to a file or for people */
} answer;

/* RETURN count(*) and no more: no row is needed. */
static bool returns_count(const gemp_pattern *pattern)
{
	const gemp_clause *result = &pattern->result;
	return !pattern->with && result->item_count == 1 && result->items[0].expr->kind == GEMP_COUNT_STAR && !result->skip &&
	       !(result->has_limit && result->limit == 0);
}

/* What clauses count and tell apart are embeddings, and so are rows of OPTIONAL MATCH, unless --distinct says otherwise.
 * Where embeddings are orbits times a constant, count(*) alone needs no more than orbits. */
static gemp_distinct distinct_of(const answer *s)
{
	bool free_orbits = s->options->semantics == GEMP_ISO || s->options->semantics == GEMP_INDUCED;
	bool plain = !gemp_query_is_composed(s->pattern);
	if (gemp_options_given(s->options, "distinct"))
		return (gemp_distinct)s->options->distinct;
	if (s->pattern->optional_count)
		return GEMP_BY_NOTHING;
	if (s->counts_star)
		return free_orbits && plain ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return gemp_clause_wants_embeddings(s->pattern) ? GEMP_BY_NOTHING : (gemp_distinct)s->options->distinct;
}

static void choose(answer *s)
{
	const gemp_options *options = s->options;
	const gemp_clause *result = &s->pattern->result;
	bool streams = gemp_clause_streams(s->pattern);
	uint64_t limit = options->limit;
	s->counts_star = returns_count(s->pattern) && !options->count;
	if (streams && result->has_limit && result->limit < limit)
		limit = result->limit;
	s->row_limit = s->counts_star ? UINT64_MAX : limit;
	s->writes = !s->counts_star && (!streams || (!options->count && (s->rows_path || s->preview)));
	s->how = (gemp_match_options){
		.semantics = (gemp_semantics)options->semantics,
		.distinct = distinct_of(s),
		.symmetry_by_hash = options->symmetry == 1,
		.count_by_formula = options->count_by == 0,
		.pivot_off = options->pivot == 1,
		.attributes = (gemp_when)options->attributes,
		.listed = s->writes || s->row_limit < UINT64_MAX || s->graph_path,
		.replicate = options->replicate,
		.launch_factor = options->launch_factor,
		.count_parts = options->profile && !options->count && !gemp_query_is_composed(s->pattern),
		.profile = options->profile,
		.lanes = (int)options->lanes,
		.edges = s->graph_path || (gemp_query_is_composed(s->pattern) && gemp_clause_edges(s->pattern)),
		.limit = streams ? s->row_limit : UINT64_MAX,
	};
}

static gemp_code take_order(answer *s)
{
	if (!s->options->order)
		return GEMP_OK;
	if (gemp_query_is_composed(s->pattern))
		return gemp_fail(GEMP_EUSAGE, "--order is for one search; this query is composed of several");
	return gemp_order_option(s->how.order, &s->how.order_count, s->pattern, s->options->order);
}

static gemp_code open_context(answer *s, const gemp_timers *timers)
{
	const gemp_options *options = s->options;
	const gemp_budgets budgets = {
		.host_memory = options->host_memory,
		.device_memory = options->device_memory,
		.result_buffer = options->result_buffer,
		.outbox = options->outbox,
		.row_cache = options->row_cache,
	};
	gemp_code code = gemp_context_new(&s->context, s->comm, options->devices, &budgets);
	for (int phase = 0; code == GEMP_OK && phase < GEMP_PHASES; phase++)
		s->context->timers.seconds[phase] += timers->seconds[phase];
	return code;
}

static gemp_rows_options rows_options(const answer *s)
{
	uint64_t shown = s->preview < s->row_limit ? s->preview : s->row_limit;
	return (gemp_rows_options){
		.path = s->rows_path,
		.limit = s->rows_path ? s->row_limit : shown,
		.chain = gemp_query_chain(s->query),
		.semantics = gemp_semantics_name[s->how.semantics],
		.distinct = gemp_distinct_name[s->how.distinct],
		.count_loops = gemp_degree_loops(s->how.semantics),
		.preview = s->options->count ? NULL : s->report->people,
	};
}

/* Rows go to a file, which knows the limit, or are shown, or only counted up to the limit. */
static gemp_code open_sinks(answer *s)
{
	gemp_code code = GEMP_OK;
	if (s->writes) {
		const gemp_rows_options options = rows_options(s);
		GEMP_TRY(gemp_rows_new(&s->rows, s->context, s->graph, s->pattern, &options));
		s->first = &s->rows;
	}
	if (s->graph_path) {
		s->provenance = (gemp_provenance){ s->pattern->text, GEMP_VERSION, 0, NULL, NULL };
		const gemp_matched_options options = { .path = s->graph_path, .provenance = &s->provenance,
			.limit = s->how.limit, .next = s->first };
		GEMP_TRY(gemp_matched_new(&s->matched, s->context, s->graph, &options));
		s->first = &s->matched;
	}
	if (!s->rows_path && s->how.limit < UINT64_MAX) {
		s->limit = (gemp_limit){ s->comm, s->how.limit, 0, s->first };
		s->limit_sink = gemp_limit_sink(&s->limit);
		s->first = &s->limit_sink;
	}
done:
	return code;
}

/* Collective. shown: to people, not only who asks for more. */
static gemp_code explain(const answer *s, bool shown)
{
	char *plan = gemp_query_explain(s->query);
	gemp_code code = gemp_comm_agree(s->comm, plan ? GEMP_OK : GEMP_ENOMEM);
	if (code != GEMP_OK)
		goto done;
	if (shown)
		gemp_report_print(s->report, "%s%s", plan, s->options->dry_run ? "" : "\n");
	else
		gemp_log(GEMP_VERBOSE, "%s", plan);
	gemp_report_set(s->report, "plan", json_string(plan));
done:
	gemp_free(plan);
	return code;
}

/* Collective. The one row of RETURN count(*). */
static gemp_code write_count(answer *s, const gemp_match_result *result)
{
	bool chosen = gemp_options_given(s->options, "distinct");
	gemp_count count = chosen ? result->matches : result->embeddings;
	const gemp_rows_options options = rows_options(s);
	if (!chosen && !result->embeddings_known)
		return gemp_fail(GEMP_EDATA, "count(*) is of embeddings, which are not known: %s; say --distinct to "
		                 "count matches", result->embeddings_reason);
	gemp_report_set(s->report, "count", gemp_json_count(count));
	if (!options.path && !s->preview)
		return GEMP_OK;
	return gemp_rows_count(s->context, s->graph, s->pattern, &options, count);
}

static gemp_code run(answer *s)
{
	gemp_code code = GEMP_OK;
	gemp_match_result result = { 0 };
	const char *path = s->writes || s->counts_star ? s->rows_path : NULL;
	GEMP_TRY(open_sinks(s));
	GEMP_TRY(gemp_query_run(s->query, s->first, &result));
	if (!result.complete && result.matches > s->how.limit)
		result.matches = s->how.limit;
	gemp_found found = {
		.how = &s->how,
		.result = &result,
		.context = s->context,
		.query = s->pattern->text,
		.rows = result.matches,
		.path = path,
		.subgraph = s->graph_path,
	};
	if (s->counts_star) {
		found.rows = 1;
		GEMP_TRY(write_count(s, &result));
	} else if (s->writes) {
		found.preview = !path && !s->options->count;
		found.shown = gemp_rows_written(&s->rows);
		found.rows = path ? found.shown : gemp_rows_total(&s->rows);
		if (found.rows > s->row_limit)
			found.rows = s->row_limit;
		result.complete = result.complete && gemp_rows_complete(&s->rows);
	}
	if (s->matched.self)
		gemp_matched_size(&s->matched, &found.covered_vertices, &found.covered_edges);
	if (s->options->profile)
		GEMP_TRY(explain(s, true));
	GEMP_TRY(gemp_found_report(s->report, &found));
done:
	return code;
}

/* Collective. --dry-run: what was made ready, and how large it is. */
static gemp_code report_preparation(const answer *s)
{
	gemp_report_set(s->report, "query", json_string(s->pattern->text));
	gemp_report_seconds(s->report, &s->context->timers, false);
	gemp_code code = gemp_report_devices(s->report, s->context->device);
	if (code == GEMP_OK)
		gemp_report_memory(s->report, s->context->device->peak);
	return code;
}

gemp_code gemp_answer(gemp_report *report, gemp_comm *comm, gemp_graph *graph, gemp_pattern *pattern, uint64_t preview,
                      const gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	answer s = { .report = report, .comm = comm, .options = report->options, .graph = graph, .pattern = pattern,
		     .rows_path = gemp_matched_rows_path(report->options), .graph_path = gemp_matched_path(report->options),
		     .preview = gemp_json_on_stdout(report->options) ? 0 : preview };
	GEMP_TRY(gemp_comm_agree(comm, gemp_pattern_bind_with(pattern, graph, s.options->lenient)));
	choose(&s);
	GEMP_TRY(gemp_comm_agree(comm, take_order(&s)));
	GEMP_TRY(open_context(&s, timers));
	const gemp_query_options options = { .match = s.how, .combinations = s.options->combinations };
	GEMP_TRY(gemp_query_prepare(&s.query, s.context, graph, pattern, &options));
	gemp_report_graph(report, graph);
	GEMP_TRY(explain(&s, s.options->explain || s.options->dry_run));
	if (s.options->dry_run)
		GEMP_TRY(report_preparation(&s));
	else
		GEMP_TRY(run(&s));
done:
	if (s.matched.free)
		s.matched.free(s.matched.self);
	if (s.rows.free)
		s.rows.free(s.rows.self);
	gemp_query_free(s.query);
	gemp_context_free(s.context);
	return code;
}
