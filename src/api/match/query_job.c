/* Before the search the job decides what counts as one match (distinct_of), whether matches must be listed or only
 * counted, and which sinks the rows pass. The report is written after the sinks have counted the rows. */

#include "api/match/query_job.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/file/output.h"
#include "io/picture/pattern_picture.h"
#include "match/filter/computed_columns.h"
#include "match/forecast.h"
#include "pattern/bind/bind.h"
#include "query/clause/group_request.h"
#include "query/clause/pipeline.h"
#include "query/neighbourhood.h"
#include "query/output/subgraph_sink.h"

#include <math.h>
#include <string.h>

static const double write_row = 200e-9; /* seconds for a row of the output (TSV of three integers, AMD EPYC) */

/* Returns whether the run ends after planning. */
static bool is_dry(const gemp_query_job *job)
{
	return job->request->mode == GEMP_QUERY_MODE_PLAN || job->base.settings->dry_run;
}

/* Aggregates, DISTINCT and OPTIONAL MATCH work on embeddings unless `distinct` is given. If only the number of
 * embeddings is needed, and it is a multiple of the number of orbits, orbits are enumerated. */
static gemp_distinct distinct_of(const gemp_query_job *job)
{
	const gemp_query_settings *settings = job->base.settings;
	bool free_orbits = settings->semantics == GEMP_ISO || settings->semantics == GEMP_INDUCED;
	bool plain = !gemp_prepared_is_composed(job->pattern);
	if (settings->distinct_given)
		return settings->distinct;
	if (job->pattern->optional_count)
		return GEMP_BY_NOTHING;
	if (job->only_counts)
		return free_orbits && plain ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return gemp_clause_wants_embeddings(job->pattern) ? GEMP_BY_NOTHING : settings->distinct;
}

/* Sets the engine's options, the limit of rows, and whether rows are written or only counted. */
static void choose_options(gemp_query_job *job)
{
	const gemp_query_settings *settings = job->base.settings;
	const gemp_clause *clause = &job->pattern->result;
	gemp_match_options *how = &job->base.how;
	bool streams = gemp_clause_streams(job->pattern), composed = gemp_prepared_is_composed(job->pattern);
	job->only_counts = gemp_clause_only_counts(job->pattern);
	job->row_limit = settings->limit;
	if (streams && clause->has_limit)
		job->row_limit = gemp_min(job->row_limit, clause->limit);
	job->writes = !streams || (job->request->mode != GEMP_QUERY_MODE_COUNT &&
	                           (job->rows_path || job->request->table || job->preview));
	*how = gemp_query_search_options(settings).match;
	how->distinct = distinct_of(job);
	how->listed = (!job->only_counts && (job->writes || job->row_limit < UINT64_MAX)) || job->graph_path;
	how->count_parts = settings->profile && job->request->mode != GEMP_QUERY_MODE_COUNT && !composed;
	how->explained = is_dry(job);
	how->edges = job->graph_path || (composed && gemp_clause_edges(job->pattern));
	how->limit = streams ? job->row_limit : UINT64_MAX;
	how->in_parts = settings->checkpoint.folder != NULL;
	how->groups = job->graph_path ? (gemp_group_request){ 0 } : gemp_clause_group_request(job->pattern);
}

/* Local. A query of several searches has a plan for each search, so a single order is refused. */
static gemp_code read_order(gemp_query_job *job)
{
	const char *order = job->base.settings->order;
	if (!order)
		return GEMP_OK;
	if (gemp_prepared_is_composed(job->pattern))
		return gemp_fail(GEMP_EUSAGE, "order is for one search; this query is composed of several");
	return gemp_query_order(job->base.how.order, &job->base.how.order_count, job->pattern, order);
}

/* Files and tables get all rows up to the limit. The text of the report has the first rows. */
static gemp_rows_options rows_options(const gemp_query_job *job)
{
	bool whole = job->rows_path || job->request->table;
	return (gemp_rows_options){
		.path = job->rows_path,
		.table = job->request->table,
		.limit = whole ? job->row_limit : gemp_min(job->preview, job->row_limit),
		.chain = gemp_prepared_chain(job->prepared),
		.semantics = gemp_semantics_name[job->base.how.semantics],
		.distinct = gemp_distinct_name[job->base.how.distinct],
		.count_loops = gemp_degree_loops(job->base.how.semantics),
		.preview = job->preview ? job->base.report->people : NULL,
	};
}

/* Collective. Opens the sinks from the last to the first. The sinks of files and tables apply the limit of rows
 * themselves. */
static gemp_code open_sinks(gemp_query_job *job)
{
	if (job->writes) {
		const gemp_rows_options options = rows_options(job);
		const gemp_folded_groups *groups = gemp_prepared_groups(job->prepared);
		GEMP_TRY(gemp_rows_new_folded(&job->rows, job->base.runtime, job->base.graph, job->pattern, groups, &options));
		job->first = job->only_counts || groups ? NULL : &job->rows;
	}
	if (job->graph_path) {
		job->provenance = (gemp_provenance){ job->base.text, GEMP_VERSION, 0, NULL, NULL };
		const gemp_subgraph_sink_options options = {
			.path = job->graph_path, .provenance = &job->provenance, .limit = job->base.how.limit, .next = job->first
		};
		GEMP_TRY(gemp_subgraph_sink_new(&job->covered, job->base.runtime, job->base.graph, &options));
		job->first = &job->covered;
	}
	if (!job->rows_path && !job->request->table && job->base.how.limit < UINT64_MAX) {
		job->limit = (gemp_limit){ job->comm, job->base.how.limit, 0, job->first };
		job->limit_sink = gemp_limit_sink(&job->limit);
		job->first = &job->limit_sink;
	}
	return GEMP_OK;
}

/* Whether the plan has a reader. All ranks decide alike. */
static bool explains(const gemp_query_job *job)
{
	return !job->base.report->unwanted || job->request->plan;
}

/* Collective. Reports the plan; the text has it only if `shown` is true. */
static gemp_code explain(const gemp_query_job *job, bool shown)
{
	if (!explains(job))
		return GEMP_OK;
	GEMP_OWNED char *plan = gemp_prepared_explain(job->prepared);
	const char *chained = job->pattern->chained ? "the clauses are one search:\n" : "";
	const char *found_by = job->neighbourhood ? job->found_by.data : "";
	gemp_code code = plan ? GEMP_OK : GEMP_ENOMEM;
	if (plan && job->request->plan) {
		gemp_text_print(job->request->plan, "%s%s%s", chained, plan, found_by);
		code = gemp_text_status(job->request->plan);
	}
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	if (shown)
		gemp_report_print(job->base.report, "%s%s%s%s", chained, plan, found_by, is_dry(job) ? "" : "\n");
	else
		gemp_log(GEMP_VERBOSE, "%s%s%s", chained, plan, found_by);
	gemp_report_set(job->base.report, "plan", json_string(plan));
	return GEMP_OK;
}

/* Collective. Rank 0 draws the pattern. A query that is counted by sums or has several searches has no order. */
static gemp_code draw(const gemp_query_job *job)
{
	GEMP_OWNED char *path = NULL;
	int order[GEMP_MAX_PATTERN_VERTICES], count = 0;
	const gemp_match *match = gemp_prepared_match(job->prepared);
	gemp_code code = GEMP_OK;
	if (!job->base.settings->picture)
		return GEMP_OK;
	if (match)
		count = gemp_pivot_order(match, order);
	if (job->comm->rank == 0) {
		code = gemp_file_numbered(&path, job->base.settings->picture, job->number);
		GEMP_THEN(gemp_pattern_picture_write(job->pattern, order, (size_t)count, path));
	}
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	gemp_report_detail(job->base.report, "Wrote the picture of the pattern to %s.\n", path ? path : "");
	return GEMP_OK;
}

/* Collective. Writes the only row of RETURN count(*). The search knows its value without any row. */
static gemp_code write_count(gemp_query_job *job, const gemp_match_result *result)
{
	bool chosen = job->base.settings->distinct_given, known = chosen || result->embeddings_known;
	gemp_count count = chosen ? result->matches : result->embeddings;
	if (job->request->mode == GEMP_QUERY_MODE_COUNT && (!known || count > INT64_MAX))
		return GEMP_OK; /* the row cannot hold the count, and no output needs the row */
	if (!known)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is of embeddings, which are not known: %s; set distinct to count matches",
		                 result->embeddings_reason);
	if (count > INT64_MAX)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is %" GEMP_PRICOUNT ", and integers of a row end at 2^63 - 1; count without rows",
		                 count);
	gemp_report_set(job->base.report, "count", gemp_json_count(count));
	return gemp_rows_count(&job->rows, count);
}

/* Returns whether the checkpoint has the rows of finished parts. */
static bool keeps_rows(const gemp_query_job *job)
{
	return job->checkpoint && job->writes && !job->only_counts;
}

/* Collective. A resumed search must bind vertices in the same order as the earlier jobs. Otherwise its parts would have
 * other matches. */
static gemp_code open_checkpoint(gemp_query_job *job)
{
	const char *path = job->writes && !job->only_counts ? job->rows_path : NULL;
	gemp_match_options *how = &job->base.how;
	GEMP_TRY(gemp_checkpoint_open(&job->checkpoint, job->request->query, job->base.text, path,
	                              job->request->mode == GEMP_QUERY_MODE_COUNT));
	if (job->checkpoint->order_count) {
		how->order_count = job->checkpoint->order_count;
		memcpy(how->order, job->checkpoint->order, sizeof how->order);
	}
	return GEMP_OK;
}

/* Collective. If the checkpoint keeps rows, each part opens a sink of its own. */
static gemp_code find_matches(gemp_query_job *job, gemp_match_result *result)
{
	if (!keeps_rows(job))
		GEMP_TRY(open_sinks(job));
	if (!job->checkpoint) {
		GEMP_TRY(gemp_prepared_run(job->prepared, job->first, result));
		return gemp_prepared_groups(job->prepared) ? gemp_rows_fold(&job->rows) : GEMP_OK;
	}
	const gemp_resumable resumable = { .runtime = job->base.runtime,
		                               .graph = job->base.graph,
		                               .pattern = job->pattern,
		                               .query = job->prepared,
		                               .checkpoint = job->checkpoint,
		                               .rows = rows_options(job),
		                               .lists = keeps_rows(job),
		                               .start_time = job->base.report->began,
		                               .max_seconds = job->base.settings->checkpoint.max_seconds };
	gemp_code code = gemp_resumable_run(&resumable, result);
	gemp_resumable_report(job->base.report, job->checkpoint, code == GEMP_OK);
	return code;
}

/* True if many rows are expected, the report shows a few of them, and nothing else needs the others: each match gives a
 * row. If duplicates are removed, a count compares keys alone, which takes half the time and memory, and one search can
 * end when enough matches are known. */
static bool may_count_apart(const gemp_query_job *job, const gemp_forecast *expected)
{
	const gemp_query_settings *settings = job->base.settings;
	return expected->rows > gemp_limits_now()->preview_apart &&
	       (expected->classes_bytes <= 0 || gemp_prepared_match(job->prepared)) &&
	       job->request->mode == GEMP_QUERY_MODE_WRITE && job->preview && !job->rows_path && !job->graph_path &&
	       !job->checkpoint && !settings->profile && !settings->by_rank && job->row_limit == UINT64_MAX &&
	       !job->only_counts && gemp_clause_streams(job->pattern) && !job->pattern->result.skip;
}

/* Collective. Counts the matches as --count does, which may need no match at all. Then searches again until there are
 * enough rows for the preview. */
static gemp_code count_apart(gemp_query_job *job, gemp_match_result *result)
{
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *counts = NULL;
	gemp_runtime *runtime = job->base.runtime;
	gemp_prepared_options options = { .match = job->base.how, .combinations = job->base.settings->combinations };
	gemp_match_result shown;
	const bool kept = runtime->keep_resident;
	options.match.listed = false;
	runtime->keep_resident = true;
	gemp_code code = gemp_prepared_prepare(&counts, runtime, job->base.graph, job->pattern, &options);
	runtime->keep_resident = kept;
	GEMP_TRY(code);
	GEMP_TRY(gemp_prepared_run(counts, NULL, result));
	job->base.how.limit = job->preview;
	GEMP_TRY(open_sinks(job));
	job->base.how.limit = UINT64_MAX;
	if (gemp_prepared_match(job->prepared))
		gemp_match_limit(gemp_prepared_match(job->prepared), job->preview);
	return gemp_prepared_run(job->prepared, job->first, &shown);
}

/* Announces a long search on rank 0, with what dominates it and how to ask for less. */
static void announce(const gemp_query_job *job, const gemp_forecast *f, double seconds)
{
	char time[32], compared[160] = "";
	snprintf(time, sizeof time,
	         seconds < 7200     ? "%.0f min"
	         : seconds < 172800 ? "%.0f h"
	                            : "%.0f days",
	         seconds < 7200     ? seconds / 60
	         : seconds < 172800 ? seconds / 3600
	                            : seconds / 86400);
	if (f->classes_bytes > 0)
		snprintf(compared, sizeof compared, ", which --distinct %s compares in up to %s and %.0f pass%s",
		         gemp_distinct_name[job->base.how.distinct],
		         gemp_shown_bytes((uint64_t)fmin(f->classes_bytes, 1e18)).text, f->passes, f->passes > 1 ? "es" : "");
	gemp_log(
		GEMP_NORMAL,
		"the search will take about %s: about %.2g matches%s, at %.2g a second; --estimate or --limit N takes less",
		time, f->rows, compared, f->rows / seconds);
}

/* Collective. Reports how long the search is expected to take. Nothing is expected of a search that stops at a limit,
 * and of counts by sums. */
static gemp_forecast forecast(gemp_query_job *job)
{
	const gemp_match *match = gemp_prepared_match(job->prepared);
	if (!match || job->base.how.limit < UINT64_MAX || job->base.how.first_only)
		return (gemp_forecast){ 0 };
	const gemp_forecast f = gemp_match_forecast(match);
	const double seconds = f.search + f.host + (job->rows_path || job->request->table ? f.rows * write_row : 0);
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:b}", "rows", gemp_json_real(f.rows), "seconds",
	                           gemp_json_real(seconds), "distinct_bytes", gemp_json_real(f.classes_bytes), "passes",
	                           gemp_json_real(f.passes), "sampled", f.sampled);
	gemp_report_set(job->base.report, "forecast", object);
	if (seconds > gemp_limits_now()->forecast_min)
		announce(job, &f, seconds);
	return f;
}

/* Collective. Searches, and reports the number and the destination of the rows. */
static gemp_code run_search(gemp_query_job *job)
{
	gemp_match_result result = { 0 };
	const bool only_count = job->request->mode == GEMP_QUERY_MODE_COUNT;
	const char *path = job->writes ? job->rows_path : NULL;
	const gemp_forecast expected = forecast(job);
	const bool apart = may_count_apart(job, &expected);
	GEMP_TRY(apart ? count_apart(job, &result) : find_matches(job, &result));
	if (!result.complete)
		result.matches = gemp_min(result.matches, job->base.how.limit);
	job->found_nothing = result.matches == 0;
	gemp_match_report found = {
		.how = &job->base.how,
		.result = &result,
		.runtime = job->base.runtime,
		.query = job->base.text,
		.profile = job->base.settings->profile,
		.rows = result.matches,
		.path = path,
		.subgraph = job->graph_path,
	};
	if (job->only_counts)
		GEMP_TRY(write_count(job, &result));
	if (keeps_rows(job)) {
		found.rows = job->checkpoint->rows;
	} else if (job->writes) {
		const bool whole = path || job->request->table;
		found.preview = !whole && !only_count;
		found.shown = gemp_rows_written(&job->rows);
		found.rows = apart ? result.matches : gemp_rows_total(&job->rows);
		found.rows = gemp_min(whole ? found.shown : found.rows, job->row_limit);
		found.truncated = !only_count && !gemp_rows_complete(&job->rows);
	}
	if (job->covered.self)
		gemp_subgraph_sink_size(&job->covered, &found.covered_vertices, &found.covered_edges);
	if (job->base.settings->profile)
		GEMP_TRY(explain(job, true));
	if (job->request->result)
		*job->request->result = (gemp_query_result){ result.matches, result.embeddings, result.embeddings_known,
			                                         found.rows, result.complete && !found.truncated };
	return gemp_match_report_write(job->base.report, &found);
}

/* With a checkpoint the rows of parts go to a file or are only counted, so the text of the report has none. */
gemp_code gemp_query_job_check(gemp_query_job *job)
{
	const gemp_query_request *request = job->request;
	const gemp_query_settings *settings = job->base.settings;
	GEMP_TRY(gemp_file_numbered(&job->rows_path, request->path, job->number));
	GEMP_TRY(gemp_file_numbered(&job->graph_path, settings->subgraph, job->number));
	if (!job->form->bound)
		GEMP_TRY(gemp_pattern_bind_with(job->pattern, job->base.graph, settings->lenient));
	job->form->bound = true;
	if (settings->checkpoint.folder && !gemp_clause_only_counts(job->pattern))
		job->preview = 0; /* the rows of parts go to a file or are only counted */
	choose_options(job);
	GEMP_TRY(read_order(job));
	if (settings->checkpoint.folder)
		GEMP_TRY(gemp_resumable_check_pattern(job->pattern));
	if (request->mode == GEMP_QUERY_MODE_COUNT_PER)
		return gemp_count_per_check(&job->base, request->vertex);
	return request->mode == GEMP_QUERY_MODE_SAMPLE ? gemp_sample_check(&job->base, request->seconds) : GEMP_OK;
}

/* Local. Loads the drivers by a thread while the graph is read, if the program expects to need them. */
static void preload_drivers(const gemp_query_job *job)
{
	if (job->base.settings->place != GEMP_PLACE_HOST)
		gemp_context_preload(job->request->query->graph->context);
}

/* Collective. Whether the query has more matches in the part of the graph than its LIMIT wants. */
static gemp_code has_enough(const gemp_query_job *job, gemp_shard *part, bool *enough)
{
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *probe = NULL;
	gemp_prepared_options options = { .match = job->base.how };
	gemp_match_result result;
	options.match.limit++;
	options.match.count_parts = false;
	GEMP_TRY(gemp_prepared_prepare(&probe, job->base.runtime, part, job->pattern, &options));
	GEMP_TRY(gemp_prepared_run(probe, NULL, &result));
	*enough = result.matches > job->base.how.limit;
	return GEMP_OK;
}

/* Collective. If any rows satisfy the LIMIT, the query runs near few vertices, unless it has too few matches there:
 * then it runs near more, and at last on the whole graph. More matches than are wanted must be there, so that the
 * result is known to be incomplete. */
static gemp_code sample_graph(gemp_query_job *job, gemp_text *found_by)
{
	enum { FIRST = 1, FACTOR = 4, LAST = 1024 };
	gemp_runtime *runtime = job->base.runtime;
	const bool kept = runtime->keep_resident;
	gemp_code code = GEMP_OK;
	if (!job->writes || job->base.how.limit >= gemp_limits_now()->neighbourhood_entries)
		return GEMP_OK;
	runtime->keep_resident = false;
	for (uint64_t vertices = FIRST; vertices <= LAST && code == GEMP_OK && !job->neighbourhood; vertices *= FACTOR) {
		gemp_shard *part = NULL;
		bool enough = false;
		gemp_text_clear(&job->found_by);
		code = gemp_neighbourhood_sample(&part, runtime, job->base.graph, job->pattern, &job->base.how, vertices,
		                                 found_by);
		if (code == GEMP_OK && !part)
			break;
		GEMP_THEN(has_enough(job, part, &enough));
		if (enough)
			job->neighbourhood = part;
		else
			gemp_shard_free(part);
	}
	runtime->keep_resident = kept;
	return code;
}

/* Collective. If the query begins with few vertices, it runs on the part of the graph that it needs. The files of
 * checkpoints and covered subgraphs are of the whole graph. Rows of the part must not stay on devices after the job. */
static gemp_code narrow_graph(gemp_query_job *job)
{
	if (job->graph_path || job->base.settings->checkpoint.folder) {
		preload_drivers(job);
		return GEMP_OK;
	}
	gemp_text *found_by = explains(job) ? &job->found_by : NULL;
	GEMP_TRY(gemp_neighbourhood_new(&job->neighbourhood, job->base.runtime, job->base.graph, job->pattern,
	                                &job->base.how, found_by));
	if (!job->neighbourhood)
		GEMP_TRY(sample_graph(job, found_by));
	if (job->neighbourhood) {
		job->base.graph = job->neighbourhood;
		job->base.how.count_parts = false;
	} else {
		preload_drivers(job);
	}
	return GEMP_OK;
}

/* Rows of a neighbourhood do not stay with the runtime, which outlives it. */
static void free_prepared(gemp_query_job *job)
{
	gemp_runtime *runtime = job->base.runtime;
	const bool kept = runtime && runtime->keep_resident;
	if (runtime)
		runtime->keep_resident = kept && !job->neighbourhood;
	gemp_prepared_free(job->prepared);
	if (runtime)
		runtime->keep_resident = kept;
	gemp_shard_free(job->neighbourhood);
	gemp_text_free(&job->found_by);
}

/* This function may be called twice for a job: run_all (query_run.c) frees each job after its run, and the caller of
 * run_all frees all jobs. */
void gemp_query_job_free(gemp_query_job *job)
{
	if (job->covered.free)
		job->covered.free(job->covered.self);
	if (job->rows.free)
		job->rows.free(job->rows.self);
	free_prepared(job);
	gemp_checkpoint_free(job->checkpoint);
	gemp_free_all(job->rows_path, job->graph_path);
	*job = (gemp_query_job){ 0 };
}

/* A dry run ends after planning in every mode. */
gemp_code gemp_query_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime)
{
	const gemp_query_request *request = job->request;
	const bool dry = is_dry(job);
	job->base.report = report;
	job->base.runtime = runtime;
	if (request->mode == GEMP_QUERY_MODE_COUNT_PER)
		preload_drivers(job);
	if (request->mode == GEMP_QUERY_MODE_SAMPLE && !dry)
		return gemp_sample_run(&job->base, request->seconds, request->seed, request->estimate);
	if (request->mode == GEMP_QUERY_MODE_COUNT_PER && !dry)
		return gemp_count_per_run(&job->base, request->vertex, job->rows_path, job->preview, request->result);
	if (job->base.settings->checkpoint.folder && !dry)
		GEMP_TRY(open_checkpoint(job));
	GEMP_TRY(narrow_graph(job));
	const gemp_prepared_options options = { job->base.how, job->base.settings->combinations, !job->graph_path };
	GEMP_TRY(gemp_prepared_prepare(&job->prepared, runtime, job->base.graph, job->pattern, &options));
	GEMP_TRY(explain(job, job->base.settings->explain || dry));
	GEMP_TRY(draw(job));
	if (!dry)
		return run_search(job);
	gemp_report_set(report, "query", json_string(job->base.text));
	return gemp_report_search(report, runtime, &runtime->timers, false);
}
