#include "gemp/query.h"
#include "match/filter/computed_columns.h"
#include "partition/views/resident.h"
#include "pattern/shapes/named_pattern.h"

#include "api/graph_state.h"
#include "api/parameters.h"
#include "api/report_state.h"
#include "core/memory.h"
#include "core/types.h"
#include "pattern/bind/bind.h"
#include "pattern/semantic/parse.h"
#include "query/clause/clause.h"
#include "query/output/result_rows.h"
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

/* A pattern is bound to one graph, once, and values of parameters are part of it: each run parses the text anew, which takes
 * microseconds. */
struct gemp_query {
	gemp_graph *graph; /* borrowed */
	char *text;        /* owned; of the query, or the name of a pattern */
	bool named;
	gemp_query_settings settings;
	gemp_parameter_list parameters;
};

void gemp_query_settings_init(gemp_query_settings *settings)
{
	*settings = (gemp_query_settings){ .size = sizeof *settings, .limit = UINT64_MAX };
}

/* Local. What can be known of a query before its parameters have values. */
static gemp_code check(const gemp_query *query)
{
	const gemp_query_settings *settings = &query->settings;
	gemp_pattern *pattern = NULL;
	gemp_code code = GEMP_OK;
	if ((unsigned)settings->semantics > GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "semantics %d is none of gemp_semantics", (int)settings->semantics);
	if ((unsigned)settings->distinct > GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "distinct %d is none of gemp_distinct", (int)settings->distinct);
	code = query->named ? gemp_pattern_named(&pattern, query->text) : gemp_pattern_check(query->text);
	gemp_pattern_free(pattern);
	return code;
}

/* Local. The pattern with the parameters' values. */
static gemp_code parse(gemp_pattern **out, const gemp_query *query)
{
	*out = NULL;
	return query->named
	           ? gemp_pattern_named(out, query->text)
	           : gemp_pattern_parse_with(out, query->text, NULL, query->parameters.items, query->parameters.count);
}

static gemp_code open_query(gemp_query **out, gemp_graph *graph, const char *text, bool named,
                            const gemp_query_settings *settings)
{
	gemp_code code = GEMP_OK;
	gemp_query *query = NULL;
	*out = NULL;
	code = GEMP_NEW(query, 1);
	if (code == GEMP_OK) {
		query->graph = graph;
		query->named = named;
		gemp_query_settings_init(&query->settings);
		if (settings)
			gemp_options_copy(&query->settings, sizeof query->settings, settings);
		query->text = gemp_strdup(text);
		code = query->text ? check(query) : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, code));
	*out = query;
	query = NULL;
done:
	gemp_query_close(query);
	return code;
}

gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	return open_query(out, graph, text, false, settings);
}

gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                  const gemp_query_settings *settings)
{
	return open_query(out, graph, pattern, true, settings);
}

void gemp_query_close(gemp_query *query)
{
	if (!query)
		return;
	gemp_parameter_list_free(&query->parameters);
	gemp_free(query->text);
	gemp_free(query);
}

/* PARAMETERS */

gemp_code gemp_query_bind_integer(gemp_query *query, const char *name, int64_t value)
{
	return gemp_parameter_list_set(&query->parameters, name, (gemp_value){ .type = GEMP_INTEGER, .integer = value });
}

gemp_code gemp_query_bind_real(gemp_query *query, const char *name, double value)
{
	return gemp_parameter_list_set(&query->parameters, name, (gemp_value){ .type = GEMP_FLOAT, .real = value });
}

gemp_code gemp_query_bind_boolean(gemp_query *query, const char *name, bool value)
{
	return gemp_parameter_list_set(&query->parameters, name, (gemp_value){ .type = GEMP_BOOLEAN, .truth = value });
}

gemp_code gemp_query_bind_text(gemp_query *query, const char *name, const char *value)
{
	const gemp_value text = { .type = GEMP_STRING, .string = { gemp_strdup(value), strlen(value) } };
	return gemp_parameter_list_set(&query->parameters, name, text);
}

/* RUNS */

typedef enum wanted { WANT_COUNT, WANT_TABLE, WANT_FILE, WANT_PLAN } wanted;

typedef struct run {
	gemp_query *query;
	wanted wanted;
	const char *path;      /* WANT_FILE */
	gemp_columns *columns; /* WANT_TABLE */
	gemp_runtime *runtime;
	gemp_pattern *pattern;
	gemp_prepared *prepared;
	gemp_match_options match;
	bool only_counts; /* clauses ask for the number of matches alone, which the search can tell */
	bool writes;      /* rows, to a table or file */
	uint64_t limit;   /* rows, of the settings and, where rows stream, of the text */
	gemp_sink rows;
	gemp_query_result result;
} run;

/* What clauses count and tell apart are embeddings, and so are rows of OPTIONAL MATCH, unless `distinct` is given. Where embeddings
 * are orbits times a constant, their number needs no more than orbits. */
static gemp_distinct distinct_of(const run *r)
{
	const gemp_query_settings *settings = &r->query->settings;
	bool free_orbits = settings->semantics == GEMP_ISO || settings->semantics == GEMP_INDUCED;
	bool plain = !gemp_prepared_is_composed(r->pattern);
	if (settings->distinct_given)
		return settings->distinct;
	if (r->pattern->optional_count)
		return GEMP_BY_NOTHING;
	if (r->only_counts)
		return free_orbits && plain ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return gemp_clause_wants_embeddings(r->pattern) ? GEMP_BY_NOTHING : settings->distinct;
}

/* Local. How the search works, by what is wanted of it. */
static void choose(run *r)
{
	const gemp_query_settings *settings = &r->query->settings;
	const gemp_clause *clause = &r->pattern->result;
	bool streams = gemp_clause_streams(r->pattern);
	uint64_t limit = settings->limit;
	if (streams && clause->has_limit && clause->limit < limit)
		limit = clause->limit;
	r->only_counts = gemp_clause_only_counts(r->pattern);
	r->writes = !streams || r->wanted == WANT_TABLE || r->wanted == WANT_FILE;
	r->limit = limit;
	r->match = (gemp_match_options){
		.semantics = settings->semantics,
		.distinct = distinct_of(r),
		.count_by_formula = true,
		.listed = !r->only_counts && (r->writes || limit < UINT64_MAX),
		.replicate = GEMP_REPLICATE_AUTO,
		.edges = gemp_prepared_is_composed(r->pattern) && gemp_clause_edges(r->pattern),
		.limit = streams ? limit : UINT64_MAX,
	};
}

/* Collective. */
static gemp_code prepare(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_graph *graph = r->query->graph;
	code = parse(&r->pattern, r->query);
	GEMP_THEN(gemp_pattern_bind_with(r->pattern, graph->shard, r->query->settings.lenient));
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, code));
	choose(r);
	GEMP_TRY(gemp_context_runtime(&r->runtime, graph->context, true, NULL));
	const gemp_prepared_options options = { .match = r->match };
	code = gemp_prepared_prepare(&r->prepared, r->runtime, graph->shard, r->pattern, &options);
done:
	return code;
}

/* Collective. */
static gemp_code open_rows(run *r)
{
	const gemp_rows_options options = {
		.path = r->wanted == WANT_FILE ? r->path : NULL,
		.table = r->wanted == WANT_TABLE ? &r->columns->table : NULL,
		.limit = r->wanted == WANT_COUNT ? 0 : r->query->settings.limit,
		.chain = gemp_prepared_chain(r->prepared),
		.semantics = gemp_semantics_name[r->match.semantics],
		.distinct = gemp_distinct_name[r->match.distinct],
		.count_loops = gemp_degree_loops(r->match.semantics),
	};
	return gemp_rows_new(&r->rows, r->runtime, r->query->graph->shard, r->pattern, &options);
}

/* Collective. The one row of `RETURN count(*)`, which the search knows without finding them. */
static gemp_code write_count(run *r, const gemp_match_result *found)
{
	bool matches = r->query->settings.distinct_given;
	gemp_count count = matches ? found->matches : found->embeddings;
	if (!matches && !found->embeddings_known)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is of embeddings, which are not known: %s; choose gemp_query_settings.distinct "
		                 "to count matches",
		                 found->embeddings_reason);
	if (count > INT64_MAX)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is %" PRIu64 ", and integers of a row end at 2^63 - 1; use gemp_query_count", count);
	return gemp_rows_count(&r->rows, count);
}

/* Collective. */
static gemp_code search(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_match_result found = { 0 };
	const bool handed_out = r->wanted == WANT_TABLE || r->wanted == WANT_FILE;
	if (r->writes)
		GEMP_TRY(open_rows(r));
	GEMP_TRY(gemp_prepared_run(r->prepared, r->writes && !r->only_counts ? &r->rows : NULL, &found));
	if (r->writes && r->only_counts)
		GEMP_TRY(write_count(r, &found));
	const uint64_t rows = !r->writes   ? found.matches
	                      : handed_out ? gemp_rows_written(&r->rows)
	                                   : gemp_rows_total(&r->rows);
	r->result = (gemp_query_result){ .matches = found.matches,
		                             .embeddings = found.embeddings,
		                             .embeddings_known = found.embeddings_known,
		                             .rows = rows < r->limit ? rows : r->limit,
		                             .complete = found.complete && rows <= r->limit &&
		                                         (!r->writes || gemp_rows_complete(&r->rows)) };
done:
	return code;
}

/* Collective. */
static gemp_code report_run(const run *r, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	if (!report)
		return GEMP_OK;
	gemp_report_set(report, "query", json_string(r->query->text));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[r->match.semantics]));
	gemp_report_set(report, "distinct", json_string(gemp_distinct_name[r->match.distinct]));
	gemp_report_set(report, "matches", gemp_json_count(r->result.matches));
	gemp_report_set(report, "embeddings",
	                r->result.embeddings_known ? gemp_json_count(r->result.embeddings) : json_null());
	gemp_report_set(report, "rows", gemp_json_count(r->result.rows));
	gemp_report_set(report, "complete", json_boolean(r->result.complete));
	gemp_report_graph(report, r->query->graph->shard);
	gemp_report_seconds(report, &r->runtime->timers, false);
	GEMP_TRY(gemp_report_devices(report, r->runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(r->runtime));
done:
	return code;
}

static void free_run(run *r)
{
	if (r->rows.free)
		r->rows.free(r->rows.self);
	gemp_prepared_free(r->prepared);
	gemp_pattern_free(r->pattern);
}

/* Collective. */
static gemp_code execute(run *r, gemp_query_result *result, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(prepare(r));
	GEMP_TRY(search(r));
	GEMP_TRY(report_run(r, report));
	if (result)
		*result = r->result;
done:
	free_run(r);
	return code;
}

gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result, gemp_report *report)
{
	run r = { .query = query, .wanted = WANT_TABLE };
	*rows = NULL;
	gemp_code code = gemp_columns_new(&r.columns, query->graph->context);
	if (code == GEMP_OK)
		code = execute(&r, result, report);
	if (code == GEMP_OK)
		*rows = r.columns;
	else
		gemp_columns_close(r.columns);
	return code;
}

gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result, gemp_report *report)
{
	run r = { .query = query, .wanted = WANT_FILE, .path = path };
	return execute(&r, result, report);
}

gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report)
{
	run r = { .query = query, .wanted = WANT_COUNT };
	return execute(&r, result, report);
}

gemp_code gemp_query_plan(gemp_query *query, char **out)
{
	gemp_code code = GEMP_OK;
	char *plan = NULL;
	run r = { .query = query, .wanted = WANT_PLAN };
	*out = NULL;
	GEMP_TRY(prepare(&r));
	plan = gemp_prepared_explain(r.prepared);
	GEMP_TRY(gemp_comm_agree(&query->graph->context->comm, plan ? GEMP_OK : GEMP_ENOMEM));
	*out = plan;
	plan = NULL;
done:
	gemp_free(plan);
	free_run(&r);
	return code;
}
