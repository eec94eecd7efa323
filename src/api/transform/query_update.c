/* query_update: runs a query that may change the graph (gemp/query.h), writes its rows and the new graph, and reports.
 *
 * Rows are written while their elements have the ids of the run. Then the vertices get the ids of a graph file, and the
 * graph is written. The file of rows gets its name last, so a failure leaves no file. */

#include "api/analytics/procedures.h"
#include "api/match/clause_job.h"
#include "api/transform/changed_graph.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "cypher/check/graph_names.h"
#include "gemp/file.h"
#include "partition/derived/canonical.h"

GEMP_SETTINGS(gemp_update_settings)

typedef struct updating {
	gemp_update_settings settings;
	gemp_query_request request;
	gemp_query_forms forms;
	gemp_query_job job;
	gemp_graph *graph;
	gemp_runtime *runtime;
	gemp_report *report, none;
	gemp_row_writer *writer; /* of the file of rows, until the graph is written */
	gemp_cypher_counts counts;
	uint64_t hash; /* of the graph before the run */
	uint64_t rows;
	bool returns; /* the query has RETURN */
} updating;

static void free_updating(updating *u)
{
	gemp_row_writer_abandon(u->writer);
	gemp_query_job_free(&u->job);
	gemp_query_forms_free(&u->forms);
}

/* CHECKS */

/* Local. GEMP_EUSAGE unless the query is a single text in the sense of openCypher. */
static gemp_code read_text(updating *u, gemp_query *query)
{
	const gemp_query_settings *settings = &query->settings;
	if (query->source == GEMP_QUERY_NAMED || query->source == GEMP_QUERY_GRAPH)
		return gemp_fail(GEMP_EUSAGE, "a named pattern or query graph changes nothing; give the text of a query");
	if (settings->semantics != GEMP_EDGE_ISO || settings->distinct != GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "a query that changes a graph has the sense of openCypher; leave semantics and "
		                              "distinct out");
	GEMP_TRY(gemp_query_forms_read(&u->forms, query, true));
	if (u->forms.count != 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s has %zu queries, and one run changes a graph by one query; run the others on "
		                 "the new graph",
		                 query->name ? query->name : "the text", u->forms.count);
	u->returns = u->forms.items->tree.query->first->last->kind == GEMP_CY_RETURN;
	if (u->settings.rows && !u->returns)
		return gemp_fail(GEMP_EUSAGE, "rows %s: the query has no RETURN, so it has no rows; leave rows out",
		                 u->settings.rows);
	return GEMP_OK;
}

/* Collective. Checks before the work that the files can be written. */
static gemp_code check_paths(const updating *u, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	if (u->settings.rows)
		GEMP_TRY(gemp_rows_path_check(comm, "rows", u->settings.rows));
	if (u->settings.output && comm->rank == 0)
		code = gemp_file_may_write("output", u->settings.output);
	return gemp_comm_agree(comm, code);
}

/* Local. Makes the job, and refuses names that the graph lacks. */
static gemp_code make_job(updating *u, gemp_query *query)
{
	gemp_query_form *form = u->forms.items;
	gemp_shard *shard = u->graph->shard;
	u->job = (gemp_query_job){ .request = &u->request,
		                       .comm = &u->graph->context->comm,
		                       .form = form,
		                       .preview = u->settings.rows || u->report->no_rows ? 0 : query->settings.preview,
		                       .base = { .graph = shard,
		                                 .settings = &query->settings,
		                                 .text = form->text,
		                                 .report = u->report,
		                                 .how = gemp_query_search_options(&query->settings).match } };
	GEMP_TRY(gemp_cypher_warn_of_types(&form->tree, shard));
	return gemp_clause_job_check(&u->job);
}

/* Collective. `u` must not be moved afterwards, since its job has pointers to it. */
static gemp_code begin(updating *u, gemp_query *query, gemp_report *report)
{
	const gemp_comm *comm = &u->graph->context->comm;
	u->report = gemp_report_or(report, &u->none, u->graph->context);
	GEMP_TRY(gemp_comm_agree(comm, read_text(u, query)));
	GEMP_TRY(check_paths(u, comm));
	GEMP_TRY(gemp_comm_agree(comm, make_job(u, query)));
	GEMP_TRY(gemp_context_runtime(&u->runtime, u->graph->context, GEMP_NEED_DEVICES_LATER, NULL));
	u->job.base.runtime = u->runtime;
	u->hash = u->graph->shard->hash;
	return gemp_clause_job_explain(&u->job, query->settings.explain);
}

/* RUN */

static bool has_changes(const gemp_cypher_counts *c)
{
	return c->nodes_created || c->nodes_deleted || c->relationships_created || c->relationships_deleted ||
	       c->properties_set || c->labels_added || c->labels_removed;
}

/* Collective. Runs the clauses and writes the rows. A preview is printed at once; a file of rows stays open. */
static gemp_code run_clauses(updating *u, const gemp_query *query)
{
	GEMP_OWNED_BY(gemp_cypher_result_free) gemp_cypher_result result = { 0 };
	GEMP_OWNED_BY(gemp_procedures_free_at) gemp_procedures *procedures = NULL;
	gemp_cypher_analyses analyses;
	const gemp_prepared_options options = gemp_query_search_options(&query->settings);
	gemp_query_form *form = u->forms.items;
	gemp_shard **graph = &u->graph->shard;
	GEMP_TRY(gemp_comm_agree(u->job.comm, gemp_procedures_new(&procedures, &analyses, u->graph)));
	GEMP_TRY(gemp_cypher_run_writing(&result, u->runtime, graph, &form->tree, form->parameters, &options, &analyses,
	                                 &u->counts));
	u->job.base.graph = *graph;
	u->rows = result.rows.rows;
	gemp_comm_max(u->job.comm, &u->rows, 1);
	if (u->returns)
		GEMP_TRY(gemp_clause_job_write(&u->writer, &u->job, &result, result.rows.rows));
	if (u->settings.rows)
		return GEMP_OK;
	gemp_row_writer *writer = u->writer;
	u->writer = NULL;
	return gemp_clause_job_close(&u->job, writer, u->hash, true);
}

/* Collective. */
static gemp_code run(updating *u, const gemp_query *query)
{
	const gemp_comm *comm = u->job.comm;
	gemp_shard **graph = &u->graph->shard;
	const gemp_shard *old = *graph;
	bool string_keys;
	GEMP_TRY(gemp_shard_load_keys(*graph));
	GEMP_TRY(gemp_has_string_keys(comm, *graph, &string_keys));
	GEMP_TRY(run_clauses(u, query));
	return *graph != old || has_changes(&u->counts) ? gemp_changed_graph_canonical(graph, comm, string_keys) : GEMP_OK;
}

/* REPORT */

static void report_changes(const updating *u)
{
	gemp_report *to = u->report;
	const gemp_cypher_counts *c = &u->counts;
	if (u->returns)
		gemp_clause_job_report(&u->job, u->rows, u->rows);
	else
		gemp_report_set(to, "query", json_string(u->job.base.text));
	gemp_report_print(
		to, "created %s and %s, deleted %s and %s, set %s, added %s, removed %s\n",
		gemp_counted(c->nodes_created, "vertex").text, gemp_counted(c->relationships_created, "edge").text,
		gemp_counted(c->nodes_deleted, "vertex").text, gemp_counted(c->relationships_deleted, "edge").text,
		gemp_counted(c->properties_set, "attribute").text, gemp_counted(c->labels_added, "label").text,
		gemp_counted(c->labels_removed, "label").text);
	gemp_report_set(to, "created",
	                gemp_json_counts({ "vertices", c->nodes_created }, { "edges", c->relationships_created }));
	gemp_report_set(to, "deleted",
	                gemp_json_counts({ "vertices", c->nodes_deleted }, { "edges", c->relationships_deleted }));
	gemp_report_set_counts(to, { "attributes_set", c->properties_set }, { "labels_added", c->labels_added },
	                       { "labels_removed", c->labels_removed });
}

/* Collective. Writes the graph if it has a file, completes the file of rows, and reports. */
static gemp_code write_files(updating *u)
{
	report_changes(u);
	GEMP_TRY(gemp_changed_graph_write(u->graph, u->runtime, u->settings.output, u->settings.write, u->report));
	gemp_row_writer *writer = u->writer;
	u->writer = NULL;
	GEMP_TRY(gemp_clause_job_close(&u->job, writer, u->hash, true));
	return gemp_report_devices(u->report, u->runtime);
}

gemp_code gemp_query_update(gemp_query *query, const gemp_update_settings *settings, gemp_query_changes *changes,
                            gemp_query_result *result, gemp_report *report)
{
	GEMP_OWNED_BY(free_updating)
	updating u = { .settings = gemp_update_settings_from(settings), .graph = query->graph };
	u.request = (gemp_query_request){ GEMP_QUERY_MODE_UPDATE, query, .path = u.settings.rows };
	GEMP_TRY(begin(&u, query, report));
	GEMP_TRY(run(&u, query));
	GEMP_TRY(write_files(&u));
	if (changes)
		*changes = (gemp_query_changes){ u.counts.nodes_created,  u.counts.relationships_created,
			                             u.counts.nodes_deleted,  u.counts.relationships_deleted,
			                             u.counts.properties_set, u.counts.labels_added,
			                             u.counts.labels_removed };
	if (result)
		*result = (gemp_query_result){ .matches = u.rows, .rows = u.rows, .complete = true };
	return GEMP_OK;
}
