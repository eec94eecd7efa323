/* query_modes: runs whose result is neither rows nor a plain count: estimates and counts by vertex. */

#include "api/match/query_job.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "io/rows/row_writer.h"
#include "match/estimate.h"
#include "match/match.h"
#include "match/vertex_counts.h"
#include "query/query.h"

#include <ctype.h>
#include <string.h>

/* *out becomes the vertex that name[size] denotes, which is a variable or a number from 0. `setting` is the name of the
 * setting for messages. */
static gemp_code find_vertex(int *out, const gemp_pattern *pattern, const char *setting, const char *name, size_t size)
{
	size_t number = 0, digits = 0;
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		const char *own = pattern->vertices[v].name;
		if (own && strlen(own) == size && memcmp(own, name, size) == 0) {
			*out = (int)v;
			return GEMP_OK;
		}
	}
	for (; digits < size && digits < 4 && isdigit((unsigned char)name[digits]); digits++)
		number = number * 10 + (size_t)(name[digits] - '0');
	if (digits == 0 || digits < size || number >= pattern->vertex_count)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s: '%.*s' is no vertex of the pattern; give a variable of it or a number from 0 to %zu",
		                 setting, (int)size, name, pattern->vertex_count - 1);
	*out = (int)number;
	return GEMP_OK;
}

/* order[] has one element for each vertex of the pattern. A repeated vertex is refused before it is stored, so the
 * array cannot overflow. */
gemp_code gemp_query_order(int *order, int *count, const gemp_pattern *pattern, const char *text)
{
	uint64_t named = 0;
	*count = 0;
	for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
		int v;
		end = at + strcspn(at, ",");
		GEMP_TRY(find_vertex(&v, pattern, "order", at, (size_t)(end - at)));
		if (named >> v & 1)
			return gemp_fail(GEMP_EUSAGE, "order %s: '%.*s' stands there twice", text, (int)(end - at), at);
		named |= UINT64_C(1) << v;
		order[(*count)++] = v;
	}
	if ((size_t)*count < pattern->vertex_count)
		return gemp_fail(GEMP_EUSAGE, "order %s: the pattern has %zu vertices, and all are to be given", text,
		                 pattern->vertex_count);
	return GEMP_OK;
}

/* ESTIMATES
 *
 * The search is prepared for samples alone. Conditions are evaluated before the search. Finding an order takes up to a
 * quarter of the caller's seconds, in addition to them. */

static const double relative = 0.05; /* sampling ends when half the interval is at most this fraction of the estimate */

gemp_code gemp_sample_check(gemp_query_search *search, double seconds)
{
	const gemp_query_settings *settings = search->settings;
	const gemp_clause *clause = &search->pattern->result;
	gemp_match_options *how = &search->how;
	if (clause->has_limit || clause->skip || settings->limit < UINT64_MAX)
		return gemp_fail(GEMP_EUSAGE, "LIMIT and SKIP: estimate is of all matches; leave them out of the query");
	if (gemp_prepared_is_composed(search->pattern))
		return gemp_fail(GEMP_EUSAGE, "estimate is for one search; this query is composed of several");
	how->sampled = true;
	how->order_reads = gemp_estimate_order_reads(seconds);
	how->listed = how->count_parts = false;
	how->attributes = GEMP_CONDITIONS_BEFORE;
	if (!settings->distinct_given && (how->semantics == GEMP_HOM || how->semantics == GEMP_EDGE_ISO))
		how->distinct = GEMP_BY_NOTHING;
	return GEMP_OK;
}

/* Prints "≈ 1.234e+06 ± 4.9 % (95 %) matches". Numbers are doubles, since there may be more matches than integers
 * hold. */
static void print_estimate(const gemp_report *report, const gemp_estimate *e, gemp_distinct distinct)
{
	if (e->confidence >= 1)
		gemp_report_print(report, "%.0f match%s (all were visited)", e->matches, e->matches == 1 ? "" : "es");
	else if (e->matches <= 0)
		gemp_report_print(report, "≈ 0 matches: none was met");
	else
		gemp_report_print(report, "≈ %.4g ± %.2g %% (%.0f %%) matches", e->matches,
		                  100 * (e->high - e->matches) / e->matches, 100 * e->confidence);
	gemp_report_print(report, " (%s)", gemp_distinct_unit[distinct]);
	if (e->embeddings > 0 && distinct != GEMP_BY_NOTHING)
		gemp_report_print(report, " = %s%.*g embedding%s", e->confidence < 1 ? "≈ " : "", e->confidence < 1 ? 4 : 15,
		                  e->embeddings, e->embeddings == 1 ? "" : "s");
	gemp_report_print(report, "\nfrom %s in %.3f s\n", gemp_counted(e->samples, "partial match").text, e->seconds);
}

/* JSON has no infinity, so an infinite upper end becomes null. */
static void set_estimate(gemp_report *report, const gemp_estimate *e, uint64_t seed)
{
	const bool known = e->embeddings > 0 || e->matches <= 0;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:f, s:o}", "matches", gemp_json_real(e->matches), "low",
	                           gemp_json_real(e->low), "high", gemp_json_real(e->high), "embeddings",
	                           known ? json_real(e->embeddings) : json_null(), "confidence", e->confidence, "samples",
	                           gemp_json_count(e->samples), "seconds", e->seconds, "seed", gemp_json_count(seed));
	gemp_report_set(report, "estimate", object);
}

/* Collective. Reports the plan; the text has it only if `shown` is true. */
static gemp_code explain(gemp_report *report, const gemp_match *match, bool shown)
{
	GEMP_OWNED char *plan = gemp_match_explain(match);
	GEMP_TRY(gemp_comm_agree(report->comm, plan ? GEMP_OK : GEMP_ENOMEM));
	if (shown)
		gemp_report_print(report, "%s\n", plan);
	gemp_report_set(report, "plan", json_string(plan));
	return GEMP_OK;
}

gemp_code gemp_sample_run(const gemp_query_search *search, double seconds, uint64_t seed, gemp_query_estimate *out)
{
	gemp_report *report = search->report;
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *match = NULL;
	gemp_estimate found;
	const gemp_match_options *how = &search->how;
	const gemp_estimate_options sampling = { .relative = relative, .seconds = seconds, .seed = seed };
	GEMP_TRY(gemp_match_prepare(&match, search->runtime, search->graph, search->pattern, how));
	GEMP_TRY(explain(report, match, search->settings->explain));
	GEMP_TRY(gemp_match_sample(match, &sampling, &found));
	print_estimate(report, &found, how->distinct);
	gemp_report_set(report, "query", json_string(search->text));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[how->semantics]));
	gemp_report_set(report, "distinct", json_string(gemp_distinct_name[how->distinct]));
	set_estimate(report, &found, seed);
	GEMP_TRY(gemp_report_search(report, search->runtime, &search->runtime->timers, false));
	if (out)
		*out = (gemp_query_estimate){ found.matches,    found.low,        found.high,
			                          found.embeddings, found.confidence, found.samples };
	return GEMP_OK;
}

/* COUNTS BY VERTEX
 *
 * The device counts, and no match is listed (match/match_run.h). Each rank has the counts of its own vertices and
 * writes their rows. Vertices without a match have no row. */

/* Counting by a formula or in parts gives only totals, so both are switched off. The limit is also switched off, since
 * a search that ends early would count too few matches for some vertices. */
gemp_code gemp_count_per_check(gemp_query_search *search, const char *name)
{
	const gemp_query_settings *settings = search->settings;
	const gemp_clause *clause = &search->pattern->result;
	gemp_match_options *how = &search->how;
	int vertex;
	if (settings->subgraph)
		return gemp_fail(GEMP_EUSAGE, "subgraph: count-per gives a count for each vertex; leave one of them out");
	if (clause->has_limit || clause->skip || settings->limit < UINT64_MAX)
		return gemp_fail(GEMP_EUSAGE, "LIMIT and SKIP: count-per counts all matches; leave them out of the query");
	if (gemp_prepared_is_composed(search->pattern))
		return gemp_fail(GEMP_EUSAGE,
		                 "count-per is for one search; this query is composed of several: RETURN %s, count(*)", name);
	GEMP_TRY(find_vertex(&vertex, search->pattern, "count-per", name, strlen(name)));
	how->count_per = 1 + vertex;
	how->listed = how->count_parts = how->count_by_formula = false;
	how->limit = UINT64_MAX;
	if (!settings->distinct_given && (how->semantics == GEMP_HOM || how->semantics == GEMP_EDGE_ISO))
		how->distinct = GEMP_BY_NOTHING;
	else
		how->distinct = settings->distinct;
	return GEMP_OK;
}

typedef struct count_source {
	const gemp_shard *graph;
	const uint64_t *counts; /* [graph->rows] */
	uint64_t *rows;         /* [count] local rows of the vertices that have matches */
	size_t count;
} count_source;

static void free_source(count_source *source)
{
	gemp_free(source->rows);
}

/* Local. Selects the vertices that get a row. Fails if a count is above 2^63 - 1, which does not fit into a row. */
static gemp_code select_rows(count_source *source)
{
	GEMP_TRY(GEMP_NEW(source->rows, source->graph->rows));
	for (size_t row = 0; row < source->graph->rows; row++) {
		if (source->counts[row] > INT64_MAX)
			return gemp_fail(GEMP_EDATA, "a vertex is in more than 2^63 - 1 matches, which no row can say");
		if (source->counts[row])
			source->rows[source->count++] = row;
	}
	return GEMP_OK;
}

/* Callback of the row writer. Fills the rows first .. first + count - 1 of the source. */
static gemp_code fill_rows(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const count_source *source = self;
	for (size_t i = first; i < first + count; i++) {
		const gemp_value key = gemp_column_get(&source->graph->keys, source->rows[i]);
		GEMP_TRY(gemp_column_add(&columns[0].value, &key));
		GEMP_TRY(gemp_row_fill_integer(&columns[1], source->counts[source->rows[i]]));
	}
	return GEMP_OK;
}

/* Collective. *total becomes the number of rows of all ranks. Without a path the text shows the first rows. */
static gemp_code write_rows(const gemp_query_search *search, const char *path, uint64_t preview, const uint64_t *counts,
                            uint64_t *total)
{
	const gemp_match_options *how = &search->how;
	gemp_runtime *runtime = search->runtime;
	GEMP_OWNED_BY(free_source) count_source source = { .graph = search->graph, .counts = counts };
	const gemp_row_column columns[] = { { "key", search->graph->keys.type }, { "count", GEMP_INTEGER } };
	double began = gemp_now();
	gemp_row_turns turns = { .comm = runtime->comm,
		                     .columns = columns,
		                     .count = 2,
		                     .fill = fill_rows,
		                     .self = &source,
		                     .path = path,
		                     .preview = search->report->people,
		                     .shown = preview,
		                     .info = { search->text, gemp_semantics_name[how->semantics],
		                               gemp_distinct_name[how->distinct], search->graph->hash, true },
		                     .at_once = true };
	GEMP_TRY(gemp_comm_agree(runtime->comm, select_rows(&source)));
	*total = gemp_comm_sum1(runtime->comm, source.count);
	if (path || preview)
		GEMP_TRY(gemp_row_turns_write(&turns, source.count));
	gemp_timers_add(&runtime->timers, GEMP_PHASE_WRITE, began);
	return GEMP_OK;
}

/* counts[rows] has the number of matches of each vertex of this rank. Keys are loaded after the search, since only the
 * rows need them. */
gemp_code gemp_count_per_run(const gemp_query_search *search, const char *vertex, const char *path, uint64_t preview,
                             gemp_query_result *out)
{
	const gemp_comm *comm = search->runtime->comm;
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *match = NULL;
	gemp_match_result result = { 0 };
	GEMP_OWNED uint64_t *counts = NULL;
	uint64_t rows = 0;
	int members = 1;
	GEMP_TRY(gemp_match_prepare(&match, search->runtime, search->graph, search->pattern, &search->how));
	GEMP_TRY(gemp_match_run(match, NULL, &result));
	GEMP_TRY(gemp_shard_load_keys(search->graph));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(counts, search->graph->rows)));
	GEMP_TRY(gemp_match_vertex_counts(match, counts, &members));
	GEMP_TRY(write_rows(search, path, preview, counts, &rows));
	const gemp_match_report found = { .how = &search->how,
		                              .result = &result,
		                              .runtime = search->runtime,
		                              .query = search->text,
		                              .rows = rows,
		                              .preview = !path && preview,
		                              .shown = gemp_min(rows, preview),
		                              .path = path };
	GEMP_TRY(gemp_match_report_write(search->report, &found));
	gemp_report_print(search->report, "each counts for %d of its vertices\n", members);
	gemp_report_set(search->report, "count_per", json_pack("{s:s,s:i}", "vertex", vertex, "members", members));
	if (out)
		*out = (gemp_query_result){ result.matches, result.embeddings, result.embeddings_known, rows, true };
	return GEMP_OK;
}
