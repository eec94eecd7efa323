#include "api/match/query_job.h"

#include "api/match/match_report.h"
#include "core/log.h"
#include "core/memory.h"
#include "io/file/output.h"
#include "match/filter/computed_columns.h"
#include "pattern/bind/bind.h"
#include "query/clause/pipeline.h"
#include "query/output/subgraph_sink.h"

#include <string.h>

/* Does the run end with the plan? */
static bool is_dry(const gemp_query_job *s)
{
	return s->asked->mode == GEMP_QUERY_MODE_PLAN || s->base.settings->dry_run;
}

/* Aggregates, DISTINCT and OPTIONAL MATCH see embeddings unless `distinct` is given. The number of embeddings follows from that of
 * orbits where it is a multiple, which saves their enumeration. */
static gemp_distinct distinct_of(const gemp_query_job *s)
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

static void choose_options(gemp_query_job *s)
{
	const gemp_query_settings *settings = s->base.settings;
	const gemp_clause *clause = &s->pattern->result;
	gemp_match_options *how = &s->base.how;
	bool streams = gemp_clause_streams(s->pattern), composed = gemp_prepared_is_composed(s->pattern);
	s->only_counts = gemp_clause_only_counts(s->pattern);
	s->row_limit = settings->limit;
	if (streams && clause->has_limit)
		s->row_limit = gemp_min(s->row_limit, clause->limit);
	s->writes = !streams ||
	            (s->asked->mode != GEMP_QUERY_MODE_COUNT && (s->rows_path || s->asked->table || s->preview));
	*how = gemp_query_search_options(settings).match;
	how->distinct = distinct_of(s);
	how->listed = (!s->only_counts && (s->writes || s->row_limit < UINT64_MAX)) || s->graph_path;
	how->count_parts = settings->profile && s->asked->mode != GEMP_QUERY_MODE_COUNT && !composed;
	how->explained = is_dry(s);
	how->edges = s->graph_path || (composed && gemp_clause_edges(s->pattern));
	how->limit = streams ? s->row_limit : UINT64_MAX;
	how->in_parts = settings->checkpoint.folder != NULL;
}

/* Local. A query of several searches has a plan, and so an order, for each. */
static gemp_code read_order(gemp_query_job *s)
{
	const char *order = s->base.settings->order;
	if (!order)
		return GEMP_OK;
	if (gemp_prepared_is_composed(s->pattern))
		return gemp_fail(GEMP_EUSAGE, "order is for one search; this query is composed of several");
	return gemp_query_order(s->base.how.order, &s->base.how.order_count, s->pattern, order);
}

static gemp_rows_options rows_options(const gemp_query_job *s)
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
static gemp_code open_sinks(gemp_query_job *s)
{
	if (s->writes) {
		const gemp_rows_options options = rows_options(s);
		GEMP_TRY(gemp_rows_new(&s->rows, s->base.runtime, s->base.graph, s->pattern, &options));
		s->first = s->only_counts ? NULL : &s->rows;
	}
	if (s->graph_path) {
		s->provenance = (gemp_provenance){ s->base.text, GEMP_VERSION, 0, NULL, NULL };
		const gemp_subgraph_sink_options options = {
			.path = s->graph_path, .provenance = &s->provenance, .limit = s->base.how.limit, .next = s->first
		};
		GEMP_TRY(gemp_subgraph_sink_new(&s->covered, s->base.runtime, s->base.graph, &options));
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
static gemp_code explain(const gemp_query_job *s, bool shown)
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
static gemp_code write_count(gemp_query_job *s, const gemp_match_result *result)
{
	bool chosen = s->base.settings->distinct_given, known = chosen || result->embeddings_known;
	gemp_count count = chosen ? result->matches : result->embeddings;
	if (s->asked->mode == GEMP_QUERY_MODE_COUNT && (!known || count > INT64_MAX))
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
static bool keeps_rows(const gemp_query_job *s)
{
	return s->checkpoint && s->writes && !s->only_counts;
}

/* Collective. A resumed search binds vertices in the order of the earlier jobs. */
static gemp_code open_checkpoint(gemp_query_job *s)
{
	const char *path = s->writes && !s->only_counts ? s->rows_path : NULL;
	gemp_match_options *how = &s->base.how;
	GEMP_TRY(gemp_checkpoint_open(&s->checkpoint, s->asked->query, s->base.text, path,
	                              s->asked->mode == GEMP_QUERY_MODE_COUNT));
	if (s->checkpoint->order_count) {
		how->order_count = s->checkpoint->order_count;
		memcpy(how->order, s->checkpoint->order, sizeof how->order);
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code find_matches(gemp_query_job *s, gemp_match_result *result)
{
	if (!keeps_rows(s))
		GEMP_TRY(open_sinks(s));
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
static gemp_code run_search(gemp_query_job *s)
{
	gemp_match_result result = { 0 };
	const bool only_count = s->asked->mode == GEMP_QUERY_MODE_COUNT;
	const char *path = s->writes ? s->rows_path : NULL;
	GEMP_TRY(find_matches(s, &result));
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
		GEMP_TRY(write_count(s, &result));
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
		GEMP_TRY(explain(s, true));
	if (s->asked->result)
		*s->asked->result = (gemp_query_result){ result.matches, result.embeddings, result.embeddings_known, found.rows,
			                                     result.complete && !found.truncated };
	return gemp_match_report_write(s->base.report, &found);
}

/* Collective. Of a plan: what was prepared, and how large it is. */
static gemp_code report_preparation(const gemp_query_job *s)
{
	gemp_report *report = s->base.report;
	gemp_report_set(report, "query", json_string(s->base.text));
	gemp_report_seconds(report, &s->base.runtime->timers, false);
	GEMP_TRY(gemp_report_devices(report, s->base.runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(s->base.runtime));
	return GEMP_OK;
}

gemp_code gemp_query_job_check(gemp_query_job *s)
{
	const gemp_query_request *asked = s->asked;
	const gemp_query_settings *settings = s->base.settings;
	GEMP_TRY(gemp_file_numbered(&s->rows_path, asked->path, s->number));
	GEMP_TRY(gemp_file_numbered(&s->graph_path, settings->subgraph, s->number));
	GEMP_TRY(gemp_pattern_bind_with(s->pattern, s->base.graph, settings->lenient));
	if (settings->checkpoint.folder && !gemp_clause_only_counts(s->pattern))
		s->preview = 0; /* rows of parts go to a file, or are only counted */
	choose_options(s);
	GEMP_TRY(read_order(s));
	if (settings->checkpoint.folder)
		GEMP_TRY(gemp_resumable_check_pattern(s->pattern));
	if (asked->mode == GEMP_QUERY_MODE_COUNT_PER)
		return gemp_count_per_check(&s->base, asked->vertex);
	return asked->mode == GEMP_QUERY_MODE_SAMPLE ? gemp_sample_check(&s->base, asked->seconds) : GEMP_OK;
}

void gemp_query_job_free(gemp_query_job *s)
{
	if (s->covered.free)
		s->covered.free(s->covered.self);
	if (s->rows.free)
		s->rows.free(s->rows.self);
	gemp_prepared_free(s->prepared);
	gemp_checkpoint_free(s->checkpoint);
	gemp_free(s->rows_path);
	gemp_free(s->graph_path);
	*s = (gemp_query_job){ 0 };
}

gemp_code gemp_query_job_run(gemp_query_job *s, gemp_report *report, gemp_runtime *runtime)
{
	const gemp_query_request *asked = s->asked;
	const bool dry = is_dry(s);
	s->base.report = report;
	s->base.runtime = runtime;
	if (asked->mode == GEMP_QUERY_MODE_SAMPLE && !dry)
		return gemp_sample_run(&s->base, asked->seconds, asked->seed, asked->estimate);
	if (asked->mode == GEMP_QUERY_MODE_COUNT_PER && !dry)
		return gemp_count_per_run(&s->base, asked->vertex, s->rows_path, s->preview, asked->result);
	if (s->base.settings->checkpoint.folder && !dry)
		GEMP_TRY(open_checkpoint(s));
	const gemp_prepared_options options = { .match = s->base.how, .combinations = s->base.settings->combinations };
	GEMP_TRY(gemp_prepared_prepare(&s->prepared, runtime, s->base.graph, s->pattern, &options));
	GEMP_TRY(explain(s, s->base.settings->explain || dry));
	return dry ? report_preparation(s) : run_search(s);
}
