/* query_run: the runs of a query: patterns and graph -> plan -> search -> rows -> report.
 *
 * A run has a request (what the caller of the public function wants) and a search for each query of the text. Rows pass a chain of
 * sinks: the limit, the covered subgraph, the rows themselves. Of several queries each search has a report of its own, in the array
 * `queries` of the whole report, which has the time and memory of all; rows that one of them has brought to the devices stay there
 * for the next.
 */

#include "api/match/match_report.h"
#include "api/match/query_modes.h"
#include "api/match/query_state.h"
#include "api/match/resumable_search.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/file/output.h"
#include "match/filter/computed_columns.h"
#include "pattern/bind/bind.h"
#include "query/clause/pipeline.h"
#include "query/output/result_rows.h"
#include "query/output/subgraph_sink.h"

#include <string.h>

/* What the caller wants; `request` says which members belong to which. */
typedef enum mode { MODE_COUNT, MODE_TABLE, MODE_WRITE, MODE_COUNT_PER, MODE_SAMPLE, MODE_PLAN } mode;

typedef struct request {
	mode mode;
	gemp_query *query;
	const char *path;              /* WRITE, COUNT_PER; NULL: a preview */
	gemp_table *table;             /* TABLE */
	const char *vertex;            /* COUNT_PER */
	double seconds;                /* SAMPLE */
	uint64_t seed;                 /* SAMPLE */
	gemp_text *plan;               /* PLAN; NULL: not wanted */
	gemp_query_estimate *estimate; /* SAMPLE */
	gemp_query_result *result;
} request;

typedef struct search {
	const request *asked;
	gemp_query_search base;
	gemp_comm *comm;
	gemp_pattern *pattern; /* borrowed, the same as base.pattern */
	gemp_prepared *prepared;
	gemp_sink rows, covered, limit_sink, *first;
	gemp_limit limit;
	gemp_checkpoint *checkpoint;  /* NULL: the search is one run */
	char *rows_path, *graph_path; /* owned; NULL: nowhere */
	gemp_provenance provenance;   /* of the covered subgraph */
	size_t number;                /* among several, from 1; 0: there is one */
	uint64_t row_limit;           /* of the settings and, where rows stream, of the text */
	uint64_t preview;             /* rows shown */
	bool only_counts;             /* clauses need the number of matches alone */
	bool writes;                  /* rows, to a file, a table or the preview */
} search;

/* Does the run end with the plan? */
static bool is_dry(const search *s)
{
	return s->asked->mode == MODE_PLAN || s->base.settings->dry_run;
}

/* Aggregates, DISTINCT and OPTIONAL MATCH see embeddings unless `distinct` is given. The number of embeddings follows from that of
 * orbits where it is a multiple, which saves their enumeration. */
static gemp_distinct distinct_of(const search *s)
{
	const gemp_query_settings *settings = s->base.settings;
	bool free_orbits = settings->semantics == GEMP_ISO || settings->semantics == GEMP_INDUCED;
	bool plain = !gemp_prepared_is_composed(s->pattern);
	if (settings->distinct_given)
		return settings->distinct;
	if (s->pattern->optional_count)
		return GEMP_BY_NOTHING;
	if (s->only_counts)
		return free_orbits && plain ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return gemp_clause_wants_embeddings(s->pattern) ? GEMP_BY_NOTHING : settings->distinct;
}

static void choose_options(search *s)
{
	const gemp_query_settings *settings = s->base.settings;
	const gemp_clause *clause = &s->pattern->result;
	gemp_match_options *how = &s->base.how;
	bool streams = gemp_clause_streams(s->pattern), composed = gemp_prepared_is_composed(s->pattern);
	s->only_counts = gemp_clause_only_counts(s->pattern);
	s->row_limit = settings->limit;
	if (streams && clause->has_limit)
		s->row_limit = gemp_min(s->row_limit, clause->limit);
	s->writes = !streams || (s->asked->mode != MODE_COUNT && (s->rows_path || s->asked->table || s->preview));
	*how = gemp_query_search_options(settings).match;
	how->distinct = distinct_of(s);
	how->listed = (!s->only_counts && (s->writes || s->row_limit < UINT64_MAX)) || s->graph_path;
	how->count_parts = settings->profile && s->asked->mode != MODE_COUNT && !composed;
	how->explained = is_dry(s);
	how->edges = s->graph_path || (composed && gemp_clause_edges(s->pattern));
	how->limit = streams ? s->row_limit : UINT64_MAX;
	how->in_parts = settings->checkpoint.folder != NULL;
}

/* Local. A query of several searches has a plan, and so an order, for each. */
static gemp_code read_order(search *s)
{
	const char *order = s->base.settings->order;
	if (!order)
		return GEMP_OK;
	if (gemp_prepared_is_composed(s->pattern))
		return gemp_fail(GEMP_EUSAGE, "order is for one search; this query is composed of several");
	return gemp_query_order(s->base.how.order, &s->base.how.order_count, s->pattern, order);
}

static gemp_rows_options rows_options(const search *s)
{
	bool whole = s->rows_path || s->asked->table;
	return (gemp_rows_options){
		.path = s->rows_path,
		.table = s->asked->table,
		.limit = whole ? s->row_limit : gemp_min(s->preview, s->row_limit),
		.chain = gemp_prepared_chain(s->prepared),
		.semantics = gemp_semantics_name[s->base.how.semantics],
		.distinct = gemp_distinct_name[s->base.how.distinct],
		.count_loops = gemp_degree_loops(s->base.how.semantics),
		.preview = s->preview ? s->base.report->people : NULL,
	};
}

/* Collective. The last sink comes first. Files and tables know the limit of rows. */
static gemp_code open_sinks(search *s)
{
	if (s->writes) {
		const gemp_rows_options options = rows_options(s);
		GEMP_PROPAGATE(gemp_rows_new(&s->rows, s->base.runtime, s->base.graph, s->pattern, &options));
		s->first = s->only_counts ? NULL : &s->rows;
	}
	if (s->graph_path) {
		s->provenance = (gemp_provenance){ s->base.text, GEMP_VERSION, 0, NULL, NULL };
		const gemp_subgraph_sink_options options = {
			.path = s->graph_path, .provenance = &s->provenance, .limit = s->base.how.limit, .next = s->first
		};
		GEMP_PROPAGATE(gemp_subgraph_sink_new(&s->covered, s->base.runtime, s->base.graph, &options));
		s->first = &s->covered;
	}
	if (!s->rows_path && !s->asked->table && s->base.how.limit < UINT64_MAX) {
		s->limit = (gemp_limit){ s->comm, s->base.how.limit, 0, s->first };
		s->limit_sink = gemp_limit_sink(&s->limit);
		s->first = &s->limit_sink;
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code explain(const search *s, bool shown)
{
	char *plan = gemp_prepared_explain(s->prepared);
	gemp_code code = plan ? GEMP_OK : GEMP_ENOMEM;
	if (plan && s->asked->plan) {
		gemp_text_print(s->asked->plan, "%s", plan);
		code = gemp_text_status(s->asked->plan);
	}
	code = gemp_comm_agree(s->comm, code);
	if (code == GEMP_OK && shown)
		gemp_report_print(s->base.report, "%s%s", plan, is_dry(s) ? "" : "\n");
	else if (code == GEMP_OK)
		gemp_log(GEMP_VERBOSE, "%s", plan);
	if (code == GEMP_OK)
		gemp_report_set(s->base.report, "plan", json_string(plan));
	gemp_free(plan);
	return code;
}

/* Collective. The one row of RETURN count(*), whose value the search knows without any row. */
static gemp_code write_count(search *s, const gemp_match_result *result)
{
	bool chosen = s->base.settings->distinct_given, known = chosen || result->embeddings_known;
	gemp_count count = chosen ? result->matches : result->embeddings;
	if (s->asked->mode == MODE_COUNT && (!known || count > INT64_MAX))
		return GEMP_OK; /* the row cannot hold the count, and nobody reads the row */
	if (!known)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is of embeddings, which are not known: %s; set distinct to count matches",
		                 result->embeddings_reason);
	if (count > INT64_MAX)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is %" GEMP_PRICOUNT ", and integers of a row end at 2^63 - 1; count without rows",
		                 count);
	gemp_report_set(s->base.report, "count", gemp_json_count(count));
	return gemp_rows_count(&s->rows, count);
}

/* Does the checkpoint hold the rows of finished parts? */
static bool keeps_rows(const search *s)
{
	return s->checkpoint && s->writes && !s->only_counts;
}

/* Collective. A resumed search binds vertices in the order of the earlier jobs. */
static gemp_code open_checkpoint(search *s)
{
	const char *path = s->writes && !s->only_counts ? s->rows_path : NULL;
	gemp_match_options *how = &s->base.how;
	GEMP_PROPAGATE(
		gemp_checkpoint_open(&s->checkpoint, s->asked->query, s->base.text, path, s->asked->mode == MODE_COUNT));
	if (s->checkpoint->order_count) {
		how->order_count = s->checkpoint->order_count;
		memcpy(how->order, s->checkpoint->order, sizeof how->order);
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code find_matches(search *s, gemp_match_result *result)
{
	if (!keeps_rows(s))
		GEMP_PROPAGATE(open_sinks(s));
	if (!s->checkpoint)
		return gemp_prepared_run(s->prepared, s->first, result);
	const gemp_resumable job = { .runtime = s->base.runtime,
		                         .graph = s->base.graph,
		                         .pattern = s->pattern,
		                         .query = s->prepared,
		                         .checkpoint = s->checkpoint,
		                         .rows = rows_options(s),
		                         .lists = keeps_rows(s),
		                         .start_time = s->base.report->began,
		                         .max_seconds = s->base.settings->checkpoint.max_seconds };
	gemp_code code = gemp_resumable_run(&job, result);
	gemp_resumable_report(s->base.report, s->checkpoint, code == GEMP_OK);
	return code;
}

/* Collective. */
static gemp_code run_search(search *s)
{
	gemp_match_result result = { 0 };
	const bool only_count = s->asked->mode == MODE_COUNT;
	const char *path = s->writes ? s->rows_path : NULL;
	GEMP_PROPAGATE(find_matches(s, &result));
	if (!result.complete)
		result.matches = gemp_min(result.matches, s->base.how.limit);
	gemp_match_report found = {
		.how = &s->base.how,
		.result = &result,
		.runtime = s->base.runtime,
		.query = s->base.text,
		.rows = result.matches,
		.path = path,
		.subgraph = s->graph_path,
	};
	if (s->only_counts)
		GEMP_PROPAGATE(write_count(s, &result));
	if (keeps_rows(s)) {
		found.rows = s->checkpoint->rows;
	} else if (s->writes) {
		const bool whole = path || s->asked->table;
		found.preview = !whole && !only_count;
		found.shown = gemp_rows_written(&s->rows);
		found.rows = gemp_min(whole ? found.shown : gemp_rows_total(&s->rows), s->row_limit);
		found.truncated = !only_count && !gemp_rows_complete(&s->rows);
	}
	if (s->covered.self)
		gemp_subgraph_sink_size(&s->covered, &found.covered_vertices, &found.covered_edges);
	if (s->base.settings->profile)
		GEMP_PROPAGATE(explain(s, true));
	if (s->asked->result)
		*s->asked->result = (gemp_query_result){ result.matches, result.embeddings, result.embeddings_known, found.rows,
			                                     result.complete && !found.truncated };
	return gemp_match_report_write(s->base.report, &found);
}

/* Collective. Of a plan: what was prepared, and how large it is. */
static gemp_code report_preparation(const search *s)
{
	gemp_report *report = s->base.report;
	gemp_report_set(report, "query", json_string(s->base.text));
	gemp_report_seconds(report, &s->base.runtime->timers, false);
	GEMP_PROPAGATE(gemp_report_devices(report, s->base.runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(s->base.runtime));
	return GEMP_OK;
}

/* Local. Binds the pattern, and refuses what does not go together, before a device is opened. */
static gemp_code make_ready(search *s)
{
	const request *asked = s->asked;
	const gemp_query_settings *settings = s->base.settings;
	GEMP_PROPAGATE(gemp_file_numbered(&s->rows_path, asked->path, s->number));
	GEMP_PROPAGATE(gemp_file_numbered(&s->graph_path, settings->subgraph, s->number));
	GEMP_PROPAGATE(gemp_pattern_bind_with(s->pattern, s->base.graph, settings->lenient));
	if (settings->checkpoint.folder && !gemp_clause_only_counts(s->pattern))
		s->preview = 0; /* rows of parts go to a file, or are only counted */
	choose_options(s);
	GEMP_PROPAGATE(read_order(s));
	if (settings->checkpoint.folder)
		GEMP_PROPAGATE(gemp_resumable_check_pattern(s->pattern));
	if (asked->mode == MODE_COUNT_PER)
		return gemp_count_per_check(&s->base, asked->vertex);
	return asked->mode == MODE_SAMPLE ? gemp_sample_check(&s->base, asked->seconds) : GEMP_OK;
}

/* Local. Frees what a run has added to its search, and what make_ready has. */
static void free_search(search *s)
{
	if (s->covered.free)
		s->covered.free(s->covered.self);
	if (s->rows.free)
		s->rows.free(s->rows.self);
	gemp_prepared_free(s->prepared);
	gemp_checkpoint_free(s->checkpoint);
	gemp_free(s->rows_path);
	gemp_free(s->graph_path);
	*s = (search){ 0 };
}

/* Collective. */
static gemp_code run_one(search *s, gemp_report *report, gemp_runtime *runtime)
{
	const request *asked = s->asked;
	const bool dry = is_dry(s);
	s->base.report = report;
	s->base.runtime = runtime;
	if (asked->mode == MODE_SAMPLE && !dry)
		return gemp_sample_run(&s->base, asked->seconds, asked->seed, asked->estimate);
	if (asked->mode == MODE_COUNT_PER && !dry)
		return gemp_count_per_run(&s->base, asked->vertex, s->rows_path, s->preview, asked->result);
	if (s->base.settings->checkpoint.folder && !dry)
		GEMP_PROPAGATE(open_checkpoint(s));
	const gemp_prepared_options options = { .match = s->base.how, .combinations = s->base.settings->combinations };
	GEMP_PROPAGATE(gemp_prepared_prepare(&s->prepared, runtime, s->base.graph, s->pattern, &options));
	GEMP_PROPAGATE(explain(s, s->base.settings->explain || dry));
	return dry ? report_preparation(s) : run_search(s);
}

/* SEVERAL QUERIES */

/* Adds the clocks of the last query to the total, and sets clocks and counters to zero for the next. */
static void take_timers(gemp_timers *total, gemp_runtime *runtime)
{
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		total->seconds[phase] += runtime->timers.seconds[phase];
	gemp_runtime_reset(runtime);
}

/* Collective. */
static gemp_code run_all(search *all, size_t count, gemp_report *report, gemp_runtime *runtime)
{
	gemp_code code = GEMP_OK;
	gemp_timers total = { 0 };
	json_auto_t *list = json_array();
	const bool kept = runtime->keep_resident;
	runtime->keep_resident = true;
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		gemp_report part = *report;
		const char *text = all[i].base.text;
		part.began = gemp_now();
		part.json = report->json ? json_object() : NULL;
		take_timers(&total, runtime);
		gemp_report_print(report, "%squery %zu of %zu: %.*s\n", i ? "\n" : "", i + 1, count, (int)strcspn(text, "\n"),
		                  text);
		code = run_one(&all[i], &part, runtime);
		free_search(&all[i]); /* the next one needs its memory on the device */
		json_array_append_new(list, part.json);
	}
	runtime->keep_resident = kept;
	if (code != GEMP_OK)
		return code;
	take_timers(&total, runtime);
	gemp_report_detail(report, "\nall %zu queries:\n", count);
	gemp_report_seconds(report, &total, false);
	GEMP_PROPAGATE(gemp_report_devices(report, runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(runtime));
	gemp_report_set(report, "queries", json_incref(list));
	return GEMP_OK;
}

/* REQUESTS */

static const char *const without_checkpoint[] = {
	[MODE_TABLE] = "rows in memory: write them to a file",
	[MODE_COUNT_PER] =
		"count-per: counts by vertex are kept on the device; write RETURN v, count(*) without a checkpoint",
	[MODE_SAMPLE] = "estimate: samples are taken anew in each run",
	[MODE_PLAN] = NULL,
};

/* Local. What several queries, or queries without rows of the graph, cannot have. */
static gemp_code check_request(const request *asked, size_t count)
{
	const gemp_query *query = asked->query;
	const gemp_query_settings *settings = &query->settings;
	bool named = query->source == GEMP_QUERY_NAMED || query->source == GEMP_QUERY_GRAPH;
	if (settings->subgraph && named)
		return gemp_fail(GEMP_EUSAGE,
		                 "subgraph %s: named patterns and query graphs match the simple graph, where an edge is no "
		                 "longer one of the file; write the pattern as a query",
		                 settings->subgraph);
	if (count > 1 && asked->mode == MODE_TABLE)
		return gemp_fail(GEMP_EUSAGE, "%s has %zu queries, whose rows have columns of their own; write them to files",
		                 query->name, count);
	if (count > 1 && asked->path && strcmp(asked->path, "-") == 0)
		return gemp_fail(
			GEMP_EUSAGE,
			"output -: %s has %zu queries, whose rows have columns of their own; name a file, and each gets "
			"one with its number, or keep one query in the file",
			query->name, count);
	if (settings->checkpoint.folder && without_checkpoint[asked->mode])
		return gemp_fail(GEMP_EUSAGE, "checkpoint does not go with %s", without_checkpoint[asked->mode]);
	return settings->checkpoint.folder ? gemp_resumable_check(settings, asked->path, count) : GEMP_OK;
}

/* Collective. Finds files that cannot be written before the work. */
static gemp_code check_paths(const request *asked, const gemp_comm *comm)
{
	const char *subgraph = asked->query->settings.subgraph;
	gemp_code code = GEMP_OK;
	if (subgraph) {
		code = gemp_subgraph_sink_check(subgraph);
		if (code == GEMP_OK && comm->rank == 0)
			code = gemp_file_may_write("subgraph", subgraph);
		GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	}
	return asked->path ? gemp_rows_path_check(comm, "output", asked->path) : GEMP_OK;
}

/* Queries of a file begin with as many empty lines as the file has before them. */
static const char *text_of(const gemp_pattern *pattern, size_t count)
{
	return count > 1 ? pattern->text + strspn(pattern->text, " \n") : pattern->text;
}

typedef struct search_list {
	search *all; /* [count] */
	size_t count;
} search_list;

/* Local. The searches of the queries, bound and checked. */
static gemp_code make_searches(search_list *out, const request *asked, const gemp_script *script,
                               const gemp_report *report)
{
	gemp_graph *graph = asked->query->graph;
	const gemp_query_settings *settings = &asked->query->settings;
	const bool shown = (asked->mode == MODE_WRITE || asked->mode == MODE_COUNT_PER) && !asked->path && !report->no_rows;
	GEMP_PROPAGATE(GEMP_NEW(out->all, script->count));
	for (size_t i = 0; i < script->count; i++) {
		search *s = &out->all[out->count++];
		gemp_pattern *pattern = script->queries[i];
		*s = (search){ .asked = asked,
			           .comm = &graph->context->comm,
			           .pattern = pattern,
			           .number = script->count > 1 ? i + 1 : 0,
			           .preview = shown ? settings->preview : 0,
			           .base = { .graph = graph->shard,
			                     .pattern = pattern,
			                     .settings = settings,
			                     .text = text_of(pattern, script->count) } };
		GEMP_PROPAGATE(make_ready(s));
	}
	return GEMP_OK;
}

static void free_searches(search_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_search(&list->all[i]);
	gemp_free(list->all);
}

/* Collective. */
static gemp_code execute(const request *asked, gemp_report *given)
{
	gemp_graph *graph = asked->query->graph;
	const gemp_comm *comm = &graph->context->comm;
	gemp_report none, *report = gemp_report_or(given, &none, graph->context);
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	GEMP_OWNED_BY(free_searches) search_list searches = { 0 };
	gemp_runtime *runtime = NULL;
	gemp_code code = gemp_query_parse(&script, asked->query);
	GEMP_THEN(check_request(asked, script.count));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	GEMP_PROPAGATE(check_paths(asked, comm));
	GEMP_PROPAGATE(gemp_comm_agree(comm, make_searches(&searches, asked, &script, report)));
	const gemp_timers timers = gemp_graph_take_timers(graph);
	GEMP_PROPAGATE(gemp_context_runtime(&runtime, graph->context, true, &timers));
	gemp_report_graph(report, graph->shard);
	return searches.count > 1 ? run_all(searches.all, searches.count, report, runtime)
	                          : run_one(searches.all, report, runtime);
}

/* THE PUBLIC FACE */

gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result, gemp_report *report)
{
	gemp_columns *columns = NULL;
	*rows = NULL;
	gemp_code code = gemp_columns_new(&columns, query->graph->context);
	const request asked = {
		.mode = MODE_TABLE, .query = query, .table = columns ? &columns->table : NULL, .result = result
	};
	GEMP_THEN(execute(&asked, report));
	if (code == GEMP_OK)
		*rows = columns;
	else
		gemp_columns_close(columns);
	return code;
}

gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result, gemp_report *report)
{
	const request asked = { .mode = MODE_WRITE, .query = query, .path = path, .result = result };
	return execute(&asked, report);
}

gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report)
{
	const request asked = { .mode = MODE_COUNT, .query = query, .result = result };
	return execute(&asked, report);
}

gemp_code gemp_query_count_per(gemp_query *query, const char *vertex, const char *path, gemp_query_result *result,
                               gemp_report *report)
{
	const request asked = { .mode = MODE_COUNT_PER, .query = query, .vertex = vertex, .path = path, .result = result };
	return execute(&asked, report);
}

gemp_code gemp_query_sample(gemp_query *query, double seconds, uint64_t seed, gemp_query_estimate *result,
                            gemp_report *report)
{
	const request asked = { .mode = MODE_SAMPLE, .query = query, .seconds = seconds, .seed = seed, .estimate = result };
	return execute(&asked, report);
}

gemp_code gemp_query_plan(gemp_query *query, char **out)
{
	gemp_text plan = { 0 };
	const request asked = { .mode = MODE_PLAN, .query = query, .plan = &plan };
	gemp_code code = execute(&asked, NULL);
	if (code != GEMP_OK)
		gemp_text_free(&plan);
	*out = plan.data;
	return code;
}
