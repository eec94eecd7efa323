/* query_run: the public functions that run a query. They make one job (query_job.h) for each query of the text.
 *
 * If there are several queries, each job has a report of its own in the array `queries` of the whole report. The time
 * and memory of all jobs are in the whole report. Rows that one query has copied to the devices remain there for the
 * next query. */

#include "api/match/clause_job.h"
#include "api/match/statement.h"
#include "core/log.h"
#include "core/memory.h"
#include "cypher/check/graph_names.h"
#include "cypher/search/absent_values.h"
#include "io/file/output.h"
#include "io/picture/pattern_picture.h"
#include "query/output/subgraph_sink.h"

#include <string.h>

GEMP_RELEASE(gemp_columns_close, gemp_columns *)

/* SEVERAL QUERIES */

/* Adds the clocks of the last query to the total, and resets clocks and counters for the next query. */
static void take_timers(gemp_timers *total, gemp_runtime *runtime)
{
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		total->seconds[phase] += runtime->timers.seconds[phase];
	gemp_runtime_reset(runtime);
}

/* Collective. A job without a pattern runs clause by clause. */
static gemp_code run_job(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime)
{
	GEMP_TRY(job->pattern ? gemp_query_job_run(job, report, runtime) : gemp_clause_job_run(job, report, runtime));
	if (!job->found_nothing || !job->form->tree.query)
		return GEMP_OK;
	return gemp_cypher_warn_of_absent_values(&job->form->tree, job->request->query->graph->shard, job->comm);
}

/* Collective. Runs the jobs one after the other. Each job is freed after its run, since the next job needs its memory
 * on the device. */
static gemp_code run_all(gemp_query_job *all, size_t count, gemp_report *report, gemp_runtime *runtime)
{
	gemp_code code = GEMP_OK;
	gemp_timers total = { 0 };
	json_auto_t *list = json_array();
	const bool kept = runtime->keep_resident;
	runtime->keep_resident = true;
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		gemp_report part = *report;
		part.whole_run = false;
		const char *text = all[i].base.text;
		part.began = gemp_now();
		part.start = 0;
		part.json = report->json ? json_object() : NULL;
		take_timers(&total, runtime);
		gemp_report_print(report, "%squery %zu of %zu: %.*s\n", i ? "\n" : "", i + 1, count, (int)strcspn(text, "\n"),
		                  text);
		code = run_job(&all[i], &part, runtime);
		gemp_query_job_free(&all[i]);
		json_array_append_new(list, part.json);
	}
	runtime->keep_resident = kept;
	GEMP_TRY(code);
	take_timers(&total, runtime);
	gemp_report_detail(report, "\nall %zu queries:\n", count);
	GEMP_TRY(gemp_report_search(report, runtime, &total, false));
	gemp_report_set(report, "queries", json_incref(list));
	return GEMP_OK;
}

/* REQUESTS */

/* The reason why a mode cannot have a checkpoint, or NULL if it can have one or needs none. */
static const char *const without_checkpoint[] = {
	[GEMP_QUERY_MODE_TABLE] = "rows in memory: write them to a file",
	[GEMP_QUERY_MODE_COUNT_PER] =
		"count-per: counts by vertex are kept on the device; write RETURN v, count(*) without a checkpoint",
	[GEMP_QUERY_MODE_SAMPLE] = "estimate: samples are taken anew in each run",
	[GEMP_QUERY_MODE_PLAN] = NULL,
};

/* Local. Refuses settings that do not suit several queries, or queries without rows of the graph. */
static gemp_code check_request(const gemp_query_request *request, size_t count)
{
	const gemp_query *query = request->query;
	const gemp_query_settings *settings = &query->settings;
	bool named = query->source == GEMP_QUERY_NAMED || query->source == GEMP_QUERY_GRAPH;
	if (settings->subgraph && named)
		return gemp_fail(GEMP_EUSAGE,
		                 "subgraph %s: named patterns and query graphs match the simple graph, where an edge is no "
		                 "longer one of the file; write the pattern as a query",
		                 settings->subgraph);
	if (count > 1 && request->mode == GEMP_QUERY_MODE_TABLE)
		return gemp_fail(GEMP_EUSAGE, "%s has %zu queries, whose rows have columns of their own; write them to files",
		                 query->name, count);
	if (count > 1 && request->path && strcmp(request->path, "-") == 0)
		return gemp_fail(
			GEMP_EUSAGE,
			"output -: %s has %zu queries, whose rows have columns of their own; name a file, and each gets "
			"one with its number, or keep one query in the file",
			query->name, count);
	if (settings->checkpoint.folder && without_checkpoint[request->mode])
		return gemp_fail(GEMP_EUSAGE, "checkpoint does not go with %s", without_checkpoint[request->mode]);
	return settings->checkpoint.folder ? gemp_resumable_check(settings, request->path, count) : GEMP_OK;
}

/* Collective. Checks before the work that the files can be written. */
static gemp_code check_paths(const gemp_query_request *request, const gemp_comm *comm)
{
	const char *subgraph = request->query->settings.subgraph;
	gemp_code code = GEMP_OK;
	if (subgraph) {
		code = gemp_subgraph_sink_check(subgraph);
		if (code == GEMP_OK && comm->rank == 0)
			code = gemp_file_may_write("subgraph", subgraph);
		GEMP_TRY(gemp_comm_agree(comm, code));
	}
	const char *picture = request->query->settings.picture;
	if (picture) {
		code = gemp_pattern_picture_check(picture);
		if (code == GEMP_OK && comm->rank == 0)
			code = gemp_file_may_write("draw", picture);
		GEMP_TRY(gemp_comm_agree(comm, code));
	}
	return request->path ? gemp_rows_path_check(comm, "output", request->path) : GEMP_OK;
}

/* In a file of several queries the text of a query begins with one empty line for each line before it in the file, so
 * that messages have the right line number. This function returns the text without the empty lines, for the report. */
static const char *text_of(const gemp_query_form *form, size_t count)
{
	const char *text = form->pattern ? form->pattern->text : form->text;
	return count > 1 ? text + strspn(text, " \n") : text;
}

/* Local. A pattern whose types a search does not compute with becomes a query that runs clause by clause, if it can. */
static gemp_code check_job(gemp_query_job *job)
{
	gemp_query_form *form = job->form;
	if (!job->pattern)
		return gemp_clause_job_check(job);
	const gemp_code code = gemp_query_job_check(job);
	if (code != GEMP_EUSAGE || !form->pattern->mixed_types || !form->parameters)
		return code;
	gemp_free_all(job->rows_path, job->graph_path);
	job->rows_path = job->graph_path = NULL;
	job->pattern = NULL;
	job->base.pattern = NULL;
	return gemp_clause_job_check(job);
}

typedef struct job_list {
	gemp_query_job *all; /* [count] */
	size_t count;
} job_list;

/* Local. Makes a job for each query, binds it and checks it. */
static gemp_code make_jobs(job_list *out, const gemp_query_request *request, const gemp_query_forms *forms,
                           const gemp_report *report)
{
	gemp_graph *graph = request->query->graph;
	const gemp_query_settings *settings = &request->query->settings;
	const bool shown = (request->mode == GEMP_QUERY_MODE_WRITE || request->mode == GEMP_QUERY_MODE_COUNT_PER) &&
	                   !request->path && !report->no_rows;
	GEMP_TRY(GEMP_NEW(out->all, forms->count));
	for (size_t i = 0; i < forms->count; i++) {
		gemp_query_job *job = &out->all[out->count++];
		gemp_query_form *form = &forms->items[i];
		*job = (gemp_query_job){ .request = request,
			                     .comm = &graph->context->comm,
			                     .pattern = form->pattern,
			                     .form = form,
			                     .number = forms->count > 1 ? i + 1 : 0,
			                     .preview = shown ? settings->preview : 0,
			                     .base = { .graph = graph->shard,
			                               .pattern = form->pattern,
			                               .settings = settings,
			                               .text = text_of(form, forms->count) } };
		if (form->tree.query)
			GEMP_TRY(gemp_cypher_warn_of_types(&form->tree, graph->shard));
		GEMP_TRY(check_job(job));
	}
	return GEMP_OK;
}

static void free_jobs(job_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		gemp_query_job_free(&list->all[i]);
	gemp_free(list->all);
}

/* Collective. A report whose outputs are wanted on no rank takes a third of the time of a query that begins with one
 * vertex, so all ranks leave it out (one hop by name, AMD EPYC, 2026-11-30: 27 of 120 us). */
static gemp_report *choose_report(gemp_report *given, gemp_report *none, gemp_context *context)
{
	uint64_t wanted = given || gemp_log_level() >= GEMP_VERBOSE; /* messages have the plan, too */
	gemp_comm_max(&context->comm, &wanted, 1);
	gemp_report *report = gemp_report_or(given, none, context);
	none->unwanted = !wanted;
	return report;
}

/* Collective. Runs the queries of a statement. Mistakes in paths are found before a device is opened. */
static gemp_code execute_forms(const gemp_query_request *request, const gemp_query_forms *forms, gemp_report *report)
{
	gemp_graph *graph = request->query->graph;
	const gemp_comm *comm = &graph->context->comm;
	GEMP_OWNED_BY(free_jobs) job_list jobs = { 0 };
	gemp_runtime *runtime = NULL;
	GEMP_TRY(check_paths(request, comm));
	GEMP_TRY(gemp_comm_agree(comm, make_jobs(&jobs, request, forms, report)));
	const gemp_timers timers = gemp_graph_take_timers(graph);
	GEMP_TRY(gemp_context_runtime(&runtime, graph->context, GEMP_NEED_DEVICES_LATER, &timers));
	if (!report->unwanted)
		gemp_report_graph(report, graph->shard);
	GEMP_TRY(gemp_graph_keep_results(graph));
	return jobs.count > 1 ? run_all(jobs.all, jobs.count, report, runtime) : run_job(jobs.all, report, runtime);
}

/* Collective. Mistakes in queries are found before a device is opened. */
static gemp_code execute(const gemp_query_request *request, gemp_report *given)
{
	gemp_graph *graph = request->query->graph;
	gemp_report none, *report = choose_report(given, &none, graph->context);
	gemp_statement *statement = NULL;
	gemp_code code = gemp_statement_read(&statement, request->query);
	GEMP_THEN(check_request(request, statement->forms.count));
	code = gemp_comm_agree(&graph->context->comm, code);
	GEMP_THEN(execute_forms(request, &statement->forms, report));
	gemp_statement_end(statement, request->query, code);
	return code;
}

/* PUBLIC FUNCTIONS */

/* The columns move to the caller only after a successful run. After a failure *rows is NULL. */
gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_columns_close_at) gemp_columns *columns = NULL;
	*rows = NULL;
	GEMP_TRY(gemp_columns_new(&columns, query->graph->context));
	const gemp_query_request request = {
		.mode = GEMP_QUERY_MODE_TABLE, .query = query, .table = &columns->table, .result = result
	};
	GEMP_TRY(execute(&request, report));
	*rows = GEMP_MOVE(columns);
	return GEMP_OK;
}

gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result, gemp_report *report)
{
	return execute(&(gemp_query_request){ GEMP_QUERY_MODE_WRITE, query, .path = path, .result = result }, report);
}

gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report)
{
	return execute(&(gemp_query_request){ GEMP_QUERY_MODE_COUNT, query, .result = result }, report);
}

gemp_code gemp_query_count_per(gemp_query *query, const char *vertex, const char *path, gemp_query_result *result,
                               gemp_report *report)
{
	const gemp_query_request request = { GEMP_QUERY_MODE_COUNT_PER, query, .vertex = vertex, .path = path,
		                                 .result = result };
	return execute(&request, report);
}

gemp_code gemp_query_sample(gemp_query *query, double seconds, uint64_t seed, gemp_query_estimate *result,
                            gemp_report *report)
{
	const gemp_query_request request = { GEMP_QUERY_MODE_SAMPLE, query, .seconds = seconds, .seed = seed,
		                                 .estimate = result };
	return execute(&request, report);
}

/* The text moves from the request to the caller without a copy. `plan` becomes empty, so its owner frees nothing. */
gemp_code gemp_query_plan(gemp_query *query, char **out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text plan = { 0 };
	const gemp_query_request request = { .mode = GEMP_QUERY_MODE_PLAN, .query = query, .plan = &plan };
	*out = NULL;
	GEMP_TRY(execute(&request, NULL));
	*out = plan.data;
	plan = (gemp_text){ 0 };
	return GEMP_OK;
}
