#include "command/count_per.h"

#include "command/found.h"
#include "command/order_option.h"
#include "command/row_writer.h"
#include "core/memory.h"
#include "match/vertex_counts.h"
#include "query/query.h"

#include <string.h>

gemp_code gemp_count_per_ready(const gemp_options *options, const gemp_pattern *pattern, gemp_match_options *how)
{
	static const char *const others[] = { "count", "subgraph", "limit", "estimate" };
	int vertex;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (gemp_options_given(options, others[i]))
			return gemp_fail(GEMP_EUSAGE, "--%s: --count-per gives a count for each vertex; leave one of them out",
			                 others[i]);
	if (pattern->result.has_limit || pattern->result.skip)
		return gemp_fail(GEMP_EUSAGE, "LIMIT and SKIP: --count-per counts all matches; leave them out of the query");
	if (gemp_query_is_composed(pattern))
		return gemp_fail(GEMP_EUSAGE,
		                 "--count-per is for one search; this query is composed of several: RETURN %s, count(*)",
		                 options->count_per);
	gemp_code code = gemp_vertex_option(&vertex, pattern, "--count-per", options->count_per,
	                                    strlen(options->count_per));
	if (code != GEMP_OK)
		return code;
	how->count_per = 1 + vertex;
	how->listed = how->count_parts = how->count_by_formula = false;
	how->limit = UINT64_MAX;
	if (!gemp_options_given(options, "distinct"))
		how->distinct = how->semantics == GEMP_ISO || how->semantics == GEMP_INDUCED ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return GEMP_OK;
}

/* Own vertices that are in some match. */
static gemp_code make_rows(gemp_projected columns[2], const gemp_graph *graph, const uint64_t *counts, size_t *rows)
{
	gemp_code code = GEMP_OK;
	columns[0].name = "key";
	columns[1].name = "count";
	GEMP_TRY(gemp_column_init(&columns[0].value, "", graph->key.type));
	GEMP_TRY(gemp_column_init(&columns[1].value, "", GEMP_INTEGER));
	*rows = 0;
	for (size_t v = 0; v < graph->rows; v++) {
		if (!counts[v])
			continue;
		if (counts[v] > INT64_MAX)
			return gemp_fail(GEMP_EDATA, "a vertex is in more than 2^63 - 1 matches, which no row can say");
		const gemp_value key = gemp_column_get(&graph->key, v);
		GEMP_TRY(gemp_column_add(&columns[0].value, &key));
		GEMP_TRY(gemp_column_add(&columns[1].value, &(gemp_value){ .type = GEMP_INTEGER,
			.integer = (int64_t)counts[v] }));
		(*rows)++;
	}
done:
	return code;
}

/* Collective. */
static gemp_code write_rows(gemp_report *report, gemp_context *context, const gemp_graph *graph,
                            const gemp_pattern *pattern, const gemp_match_options *how, const char *path, uint64_t preview,
                            const uint64_t *counts, uint64_t *all)
{
	gemp_code code = GEMP_OK;
	gemp_projected columns[2] = { { 0 } };
	gemp_row_writer *writer = NULL;
	size_t rows = 0;
	double began = gemp_now();
	const gemp_rows_options options = { .path = path, .limit = path ? UINT64_MAX : preview,
		.semantics = gemp_semantics_name[how->semantics], .distinct = gemp_distinct_name[how->distinct],
		.preview = report->people };
	const gemp_result_info info = { pattern->text ? pattern->text : "", options.semantics, options.distinct,
		graph->hash, true };
	GEMP_TRY(gemp_comm_agree(context->comm, make_rows(columns, graph, counts, &rows)));
	*all = gemp_comm_sum1(context->comm, rows);
	if (path || preview) {
		uint64_t before = gemp_comm_before(context->comm, rows);
		if (!path && before + rows > preview)
			rows = before < preview ? (size_t)(preview - before) : 0;
		GEMP_TRY(gemp_row_writer_open(&writer, context->comm, columns, 2, &options));
		GEMP_TRY(gemp_row_writer_write(writer, columns, 2, rows));
		code = gemp_row_writer_close(writer, &info);
		writer = NULL;
	}
	gemp_timers_add(&context->timers, GEMP_WRITE, began);
done:
	gemp_row_writer_abandon(writer);
	for (int i = 0; i < 2; i++)
		gemp_column_free(&columns[i].value);
	return code;
}

gemp_code gemp_count_per_answer(gemp_report *report, gemp_context *context, gemp_graph *graph,
                                const gemp_pattern *pattern,
                                const gemp_match_options *how, const char *path, uint64_t preview)
{
	gemp_code code = GEMP_OK;
	gemp_match *match = NULL;
	gemp_match_result result = { 0 };
	uint64_t *counts = NULL, rows = 0;
	int members = 1;
	GEMP_TRY(gemp_match_prepare(&match, context, graph, pattern, how));
	GEMP_TRY(gemp_match_run(match, NULL, &result));
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(counts, graph->rows)));
	GEMP_TRY(gemp_match_vertex_counts(match, counts, &members));
	GEMP_TRY(write_rows(report, context, graph, pattern, how, path, preview, counts, &rows));
	const gemp_found found = { .how = how, .result = &result, .context = context, .query = pattern->text, .rows = rows,
		.preview = !path && preview, .shown = rows < preview ? rows : preview, .path = path };
	GEMP_TRY(gemp_found_report(report, &found));
	gemp_report_print(report, "each counts for %d of its vertices\n", members);
	gemp_report_set(report, "count_per", json_pack("{s:s,s:i}", "vertex", report->options->count_per, "members",
	                                               members));
done:
	gemp_free(counts);
	gemp_match_free(match);
	return code;
}
