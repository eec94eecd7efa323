/* Rank 0 executes the clauses, and the other ranks serve its searches. The rows are on rank 0. */

#include "api/match/clause_job.h"

#include "api/analytics/procedures.h"
#include "api/match/clause_rows.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "cypher/check/graph_names.h"
#include "cypher/function/procedure.h"
#include "io/file/output.h"

#include <ctype.h>

/* CHECKS */

/* GEMP_EUSAGE if a setting is on that only a query of one search has. */
static gemp_code refuse_settings(const gemp_query_job *job)
{
	const gemp_query_settings *settings = job->base.settings;
	const gemp_query_mode mode = job->request->mode;
	const struct {
		bool given;
		const char *name, *remedy;
	} unsuited[] = {
		{ settings->subgraph, "subgraph", "return the vertices and edges as rows" },
		{ settings->picture, "draw", "only a pattern of one search can be drawn" },
		{ settings->order, "order", "leave it out" },
		{ settings->checkpoint.folder, "checkpoint", "leave it out" },
		{ mode == GEMP_QUERY_MODE_SAMPLE, "estimate", "count the rows by --count" },
		{ mode == GEMP_QUERY_MODE_COUNT_PER, "count-per", "write RETURN v, count(*)" },
	};
	for (size_t i = 0; i < sizeof unsuited / sizeof *unsuited; i++)
		if (unsuited[i].given)
			return gemp_fail(GEMP_EUSAGE,
			                 "%s is for a query that is one search, and this query runs clause by clause; %s",
			                 unsuited[i].name, unsuited[i].remedy);
	return GEMP_OK;
}

gemp_code gemp_clause_job_check(gemp_query_job *job)
{
	if (job->request->mode != GEMP_QUERY_MODE_UPDATE)
		GEMP_TRY(gemp_cypher_refuse_updates(&job->form->tree));
	gemp_query_form_take_tree(job->form);
	GEMP_TRY(gemp_file_numbered(&job->rows_path, job->request->path, job->number));
	GEMP_TRY(refuse_settings(job));
	return gemp_cypher_check_names(&job->form->tree, job->base.graph, job->base.settings->lenient);
}

/* PLAN */

/* Appends the text of a clause on one line. */
static void add_clause(gemp_text *out, const gemp_source *source, const gemp_cypher_clause *clause)
{
	bool space = false;
	for (size_t i = clause->place.begin; i < clause->place.end; i++) {
		const char c = source->text[i];
		space = isspace((unsigned char)c);
		if (!space || (i > clause->place.begin && !isspace((unsigned char)source->text[i - 1])))
			gemp_text_add(out, space ? " " : &c, 1);
	}
}

/* The way in which a clause is executed. */
static const char *way_of(const gemp_cypher_clause *clause)
{
	if (clause->kind == GEMP_CY_CALL_PROCEDURE &&
	    gemp_cypher_is_analysis(gemp_cypher_procedure_find(clause->name.bytes)))
		return "analysis on all ranks";
	if (clause->kind != GEMP_CY_MATCH)
		return "on rank 0";
	for (const gemp_cypher_path *path = clause->pattern->first; path; path = path->next)
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
			if (edge->variable)
				return "searches, and an expansion step by step, on all ranks";
	return "search on all ranks";
}

static gemp_code make_plan(gemp_text *out, const gemp_cypher_tree *tree)
{
	int number = 0;
	gemp_text_print(out, "runs clause by clause:\n");
	for (const gemp_cypher_part *part = tree->query->first; part; part = part->next) {
		if (part != tree->query->first)
			gemp_text_print(out, "  UNION%s\n", part->all ? " ALL" : "");
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next) {
			gemp_text_print(out, "  %d. ", ++number);
			add_clause(out, &tree->source, clause);
			gemp_text_print(out, "  (%s)\n", way_of(clause));
		}
	}
	return gemp_text_status(out);
}

gemp_code gemp_clause_job_explain(const gemp_query_job *job, bool shown)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text plan = { 0 };
	gemp_code code = make_plan(&plan, &job->form->tree);
	if (code == GEMP_OK && job->request->plan) {
		gemp_text_print(job->request->plan, "%s", plan.data);
		code = gemp_text_status(job->request->plan);
	}
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	if (shown)
		gemp_report_print(job->base.report, "%s\n", plan.data);
	gemp_report_set(job->base.report, "plan", json_string(plan.data));
	return GEMP_OK;
}

/* ROWS */

gemp_code gemp_clause_job_write(gemp_row_writer **out, gemp_query_job *job, const gemp_cypher_result *result,
                                uint64_t count)
{
	const bool whole = job->rows_path || job->request->table;
	const double began = gemp_now();
	const gemp_rows_options options = { .path = job->rows_path,
		                                .table = job->request->table,
		                                .limit = UINT64_MAX,
		                                .semantics = gemp_semantics_name[GEMP_EDGE_ISO],
		                                .distinct = gemp_distinct_name[GEMP_BY_NOTHING],
		                                .preview = job->preview ? job->base.report->people : NULL };
	if (job->request->mode == GEMP_QUERY_MODE_COUNT || (!whole && !job->preview))
		return GEMP_OK;
	if (!whole)
		count = gemp_min(count, job->preview);
	GEMP_TRY(gemp_clause_rows_write(out, job->comm, result, job->base.graph->keys.type, count, &options));
	gemp_timers_add(&job->base.runtime->timers, GEMP_PHASE_WRITE, began);
	return GEMP_OK;
}

gemp_code gemp_clause_job_close(const gemp_query_job *job, gemp_row_writer *writer, uint64_t hash, bool complete)
{
	const gemp_result_info info = { job->base.text, gemp_semantics_name[GEMP_EDGE_ISO],
		                            gemp_distinct_name[GEMP_BY_NOTHING], hash, complete };
	return gemp_row_writer_close(writer, &info);
}

void gemp_clause_job_report(const gemp_query_job *job, uint64_t rows, uint64_t all)
{
	gemp_report *to = job->base.report;
	const bool whole = job->rows_path || job->request->table;
	const bool preview = job->request->mode != GEMP_QUERY_MODE_COUNT && !whole && job->preview;
	if (preview && job->preview < rows)
		gemp_report_print(to, "... (%s of %s rows; --output FILE writes all)\n", gemp_grouped(job->preview).text,
		                  gemp_grouped(rows).text);
	gemp_report_print(to, "%s%s", preview ? "\n" : "", gemp_counted(rows, "row").text);
	if (job->rows_path && strcmp(job->rows_path, "-") != 0)
		gemp_report_print(to, " in %s", job->rows_path);
	gemp_report_print(to, "; the query ran clause by clause\n");
	gemp_match_report_sense(to, &job->base.how);
	gemp_report_set(to, "query", json_string(job->base.text));
	gemp_report_set(to, "executed", json_string("clause by clause"));
	gemp_report_set(to, "semantics", json_string(gemp_semantics_name[job->base.how.semantics]));
	gemp_report_set(to, "distinct", json_string(gemp_distinct_name[job->base.how.distinct]));
	gemp_report_set(to, "matches", gemp_json_count(rows));
	gemp_report_set(to, "embeddings", json_null());
	gemp_report_set(to, "embeddings_reason", json_string("the query ran clause by clause"));
	gemp_report_set(to, "rows", gemp_json_count(rows));
	gemp_report_set(to, "complete", json_boolean(rows == all));
	if (job->request->result)
		*job->request->result = (gemp_query_result){ .matches = rows, .rows = rows, .complete = rows == all };
}

gemp_code gemp_clause_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime)
{
	GEMP_OWNED_BY(gemp_cypher_result_free) gemp_cypher_result result = { 0 };
	GEMP_OWNED_BY(gemp_procedures_free_at) gemp_procedures *procedures = NULL;
	gemp_cypher_analyses analyses;
	gemp_row_writer *writer = NULL;
	const gemp_query_settings *settings = job->base.settings;
	const bool dry = settings->dry_run || job->request->mode == GEMP_QUERY_MODE_PLAN;
	const gemp_prepared_options options = gemp_query_search_options(settings);
	job->base.how = options.match;
	job->base.report = report;
	job->base.runtime = runtime;
	GEMP_TRY(gemp_clause_job_explain(job, settings->explain || dry));
	if (dry) {
		gemp_report_set(job->base.report, "query", json_string(job->base.text));
		return gemp_report_search(job->base.report, job->base.runtime, &job->base.runtime->timers, false);
	}
	if (settings->place != GEMP_PLACE_HOST)
		gemp_context_preload(job->request->query->graph->context);
	GEMP_TRY(gemp_shard_load_keys(job->base.graph));
	GEMP_TRY(gemp_comm_agree(job->comm, gemp_procedures_new(&procedures, &analyses, job->request->query->graph)));
	GEMP_TRY(gemp_cypher_run(&result, job->base.runtime, job->base.graph, &job->form->tree, job->form->parameters,
	                         &options, &analyses));
	uint64_t counts[] = { result.rows.rows, result.unmatched };
	gemp_comm_max(job->comm, counts, 2);
	const uint64_t all = counts[0];
	job->found_nothing = all == 0 || counts[1];
	const uint64_t rows = gemp_min(all, settings->limit);
	GEMP_TRY(gemp_clause_job_write(&writer, job, &result, job->comm->rank == 0 ? rows : 0));
	GEMP_TRY(gemp_clause_job_close(job, writer, job->base.graph->hash, rows == all));
	gemp_clause_job_report(job, rows, all);
	return gemp_report_search(report, runtime, &runtime->timers, false);
}
