/* pagerank: gemp_graph_pagerank. Jumps come from the sources or from a file of keys and probabilities. The result
 * becomes a column. Its ten largest ranks and the figures go to the report. analytics/dense/pagerank.h has the
 * iterations. */

#include "api/analytics/pagerank.h"

#include "analytics/verify/verify.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/threads.h"
#include "io/file/stream.h"
#include "io/rows/row_text.h"
#include "io/rows/vertex_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* JUMPS from a file. Each line has a key and, after a tab, the probability of a jump to this vertex; without a number
 * the probability is 1. If the number of the first line cannot be read and no vertex has its key, the first line is a
 * header. */

typedef struct jump_line {
	size_t number;    /* number of the line, from 1 */
	const char *key;  /* ended by a 0 byte */
	const char *text; /* text of the probability; NULL: none is given */
	double chance;    /* probability; NAN if the text in the first line is not a number */
} jump_line;

typedef struct jump_list {
	const char *path;
	char *text; /* text of the file; lines and keys point into it */
	size_t count, capacity;
	jump_line *lines; /* [count] */
	gemp_value *keys; /* [count] */
} jump_list;

static void free_list(jump_list *list)
{
	gemp_free_all(list->lines, list->keys, list->text);
}

static gemp_code fail_at(const jump_list *list, const jump_line *line, const char *place, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s:%zu:%zu: '%s'%s", list->path, line->number, (size_t)(place - line->key) + 1, place,
	                 why);
}

/* Appends a line, whose text ends with a 0 byte. Empty lines and lines that begin with # are skipped. */
static gemp_code read_line(jump_list *list, char *text, size_t number)
{
	char *tab = strchr(text, '\t');
	jump_line line = { .number = number, .key = text, .text = tab ? tab + 1 : NULL, .chance = 1 };
	if (*text == '\0' || *text == '#')
		return GEMP_OK;
	if (tab)
		*tab = '\0';
	if (tab && !gemp_parse_real(line.text, &line.chance)) {
		line.chance = NAN;
		if (list->count)
			return fail_at(list, &line, line.text, " is no number; lines are a key, a tab and a number");
	}
	if (line.chance < 0)
		return fail_at(list, &line, line.text, " is negative; a vertex is jumped to with a chance of 0 or more");
	GEMP_TRY(GEMP_RESERVE(list->lines, list->capacity, list->count + 1));
	list->lines[list->count++] = line;
	return GEMP_OK;
}

/* Local. Cuts the text into lines at LF or CR LF. */
static gemp_code read_lines(jump_list *list, const gemp_shard *graph)
{
	char *text = list->text;
	for (size_t number = 1; *text; number++) {
		char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
		*end = '\0';
		if (end > text && end[-1] == '\r')
			end[-1] = '\0';
		GEMP_TRY(read_line(list, text, number));
		text = next;
	}
	GEMP_TRY(GEMP_NEW(list->keys, list->count));
	for (size_t i = 0; i < list->count; i++)
		list->keys[i] = gemp_vertex_keys_of_text(graph, list->lines[i].key, strlen(list->lines[i].key));
	return GEMP_OK;
}

/* Local. All ranks find the same mistakes, except that only the owner of a vertex finds a repeated line of the vertex.
 * jump[own] is -1 for vertices that have no probability yet. */
static gemp_code set_jumps(double *jump, const jump_list *list, const gemp_vertex *ids, const gemp_layout *layout)
{
	const gemp_shard *graph = layout->graph;
	double sum = 0;
	for (size_t i = 0; i < list->count; i++) {
		const jump_line *line = &list->lines[i];
		bool number = !isnan(line->chance);
		if (ids[i] == GEMP_NO_VERTEX && !number)
			continue;
		if (ids[i] == GEMP_NO_VERTEX)
			return fail_at(list, line, line->key,
			               graph->keys.type == GEMP_INTEGER ? " is no key of this graph, whose keys are integers"
			                                                : " is no key of this graph");
		if (!number)
			return fail_at(list, line, line->text, " is no number; lines are a key, a tab and a number");
		sum += line->chance;
		if (ids[i] < graph->first_vertex || ids[i] - graph->first_vertex >= graph->rows)
			continue;
		double *own = &jump[layout->local[ids[i] - graph->first_vertex]];
		if (*own >= 0)
			return fail_at(list, line, line->key, " is there already; give each vertex one line");
		*own = line->chance;
	}
	if (!(sum > 0) || sum > 1e300)
		return gemp_fail(GEMP_EDATA,
		                 "%s: the numbers add up to %g; jumps must lead somewhere, with a sum above 0 and up to "
		                 "1e300",
		                 list->path, sum);
	return GEMP_OK;
}

/* Collective. Rank 0 reads the text, and all ranks parse it. */
static gemp_code from_file(double *jump, const gemp_layout *layout, gemp_shard *graph, const char *path)
{
	const gemp_comm *comm = layout->comm;
	GEMP_OWNED_BY(free_list) jump_list list = { .path = path };
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_file_read(&list.text, comm, "personalization", path));
	gemp_code code = read_lines(&list, graph);
	GEMP_THEN(GEMP_NEW(ids, list.count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_vertex_keys_find(ids, comm, graph, list.keys, list.count));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = -1;
	GEMP_TRY(gemp_comm_agree(comm, set_jumps(jump, &list, ids, layout)));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = jump[v] < 0 ? 0 : jump[v];
	return GEMP_OK;
}

/* Collective. All sources get the same probability. */
static gemp_code from_sources(double *jump, gemp_analysis *a)
{
	const size_t count = a->settings.source_count;
	const gemp_shard *graph = a->job.shard;
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_comm_agree(a->job.comm, GEMP_NEW(ids, count)));
	GEMP_TRY(gemp_vertex_keys_sources(ids, a->job.comm, a->job.shard, a->job.graph->name, a->settings.sources, count));
	for (size_t i = 0; i < count; i++)
		if (ids[i] >= graph->first_vertex && ids[i] - graph->first_vertex < graph->rows)
			jump[a->layout.local[ids[i] - graph->first_vertex]] = 1;
	return GEMP_OK;
}

/* Collective. (*out)[own], indexed by local vertex, becomes the probabilities of the sources or of the file, or NULL if
 * the settings give neither. The caller frees *out. */
static gemp_code make_jumps(double **out, gemp_analysis *a)
{
	const char *file = a->settings.personalization;
	*out = NULL;
	if (!file && !a->settings.source_count)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(a->job.comm, GEMP_NEW(*out, a->layout.own)));
	return file ? from_file(*out, &a->layout, a->job.shard, file) : from_sources(*out, a);
}

enum { TOP = 10 }; /* number of vertices in the text of the report */

/* The comparisons are negated, so they also refuse NaN. A damping of 1 is refused, since the iterations may not
 * converge without jumps. */
gemp_code gemp_pagerank_check(const gemp_analysis_settings *settings)
{
	if (!(settings->damping >= 0 && settings->damping < 1))
		return gemp_fail(GEMP_EUSAGE, "damping must be in [0, 1); got %g", settings->damping);
	if (!(settings->tolerance >= 0))
		return gemp_fail(GEMP_EUSAGE, "tolerance must be 0 or more; got %g", settings->tolerance);
	if (settings->max_iterations < 1 || settings->max_iterations > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "max-iterations must be 1 to 2147483647; got %" PRIu32, settings->max_iterations);
	if (settings->personalization && settings->source_count)
		return gemp_fail(GEMP_EUSAGE, "source and personalization both say where jumps lead; give one of them");
	return GEMP_OK;
}

static bool is_double(const gemp_analysis *a)
{
	return a->settings.precision == GEMP_PRECISION_DOUBLE ||
	       (a->settings.precision == GEMP_PRECISION_AUTO && a->settings.tolerance < 1e-6);
}

gemp_code gemp_pagerank_layout(gemp_analysis *a)
{
	return gemp_analysis_layout(
		a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | (a->job.edges.weight ? GEMP_LAYOUT_OUT_WEIGHT : 0),
	                              .cut = a->settings.cut,
	                              .wanted = is_double(a) ? GEMP_LAYOUT_DOUBLE : GEMP_LAYOUT_SINGLE,
	                              .not_negative = true });
}

gemp_code gemp_pagerank_solve(gemp_pagerank **out, gemp_analysis *a, const double *jump, gemp_pagerank_result *found)
{
	const gemp_dense_options shape = { .fp64 = is_double(a), .gather = a->settings.gather };
	GEMP_TRY(gemp_analysis_name_weight(a, gemp_pagerank_new(out, &a->layout, a->job.device, &shape)));
	const gemp_pagerank_params ask = { .damping = a->settings.damping,
		                               .tolerance = a->settings.tolerance,
		                               .rounds = a->settings.max_iterations,
		                               .jump = jump };
	GEMP_TRY(gemp_pagerank_run(*out, &ask, found));
	gemp_analysis_add_sums(a, &found->report);
	return GEMP_OK;
}

void gemp_pagerank_warn(const gemp_analysis *a, const gemp_pagerank_result *found)
{
	const uint32_t rounds = found->report.rounds;
	if (!found->converged && a->settings.tolerance > 0)
		gemp_warn("ranks still change by %.3g, more than the tolerance %g; allow more iterations%s",
		          rounds ? found->change[rounds - 1] : 0., a->settings.tolerance,
		          is_double(a) ? "" : ", or precision double");
}

/* THE LARGEST RANKS */

typedef struct ranked {
	double rank;
	gemp_vertex id;
	uint32_t key_rank;
} ranked;

/* The larger rank comes first; equal ranks are ordered by key. */
static int by_rank(const void *a, const void *b)
{
	const ranked *one = a, *other = b;
	int order = (one->rank < other->rank) - (one->rank > other->rank);
	return order ? order : (one->key_rank > other->key_rank) - (one->key_rank < other->key_rank);
}

/* The largest ranks of some vertices in order. Insertion into a short sorted array costs less than sorting all
 * vertices. */
typedef struct top_list {
	size_t count;
	ranked top[TOP];
} top_list;

static void insert(top_list *list, const ranked *one)
{
	if (list->count == TOP && by_rank(one, &list->top[TOP - 1]) >= 0)
		return;
	size_t at = list->count < TOP ? list->count++ : TOP - 1;
	for (; at > 0 && by_rank(one, &list->top[at - 1]) < 0; at--)
		list->top[at] = list->top[at - 1];
	list->top[at] = *one;
}

typedef struct top_task {
	const gemp_layout *layout;
	const double *rank;
	top_list ranges[GEMP_MAX_RANGES];
} top_task;

static void choose_in_range(void *context, size_t range, size_t begin, size_t end)
{
	top_task *t = context;
	for (size_t v = begin; v < end; v++)
		insert(&t->ranges[range], &(ranked){ t->rank[v], t->layout->id[v], t->layout->key_rank[v] });
}

/* *out becomes the largest ranks of this rank's vertices. */
static void choose_own(top_list *out, const gemp_layout *layout, const double *rank)
{
	top_task t = { .layout = layout, .rank = rank };
	gemp_for_ranges(layout->own, choose_in_range, &t);
	for (size_t range = 0; range < gemp_range_count(layout->own); range++)
		for (size_t i = 0; i < t.ranges[range].count; i++)
			insert(out, &t.ranges[range].top[i]);
}

/* *out becomes the attribute that the list shows beside the keys, or NULL. GEMP_EUSAGE if the graph has none of the
 * name. */
static gemp_code find_shown(const gemp_column **out, const gemp_analysis *a)
{
	const char *name = a->settings.shown, *file = a->job.graph->name;
	*out = name ? gemp_table_find(&a->job.shard->attributes, name) : NULL;
	return *out || !name ? GEMP_OK
	                     : gemp_fail(GEMP_EUSAGE,
	                                 "show %s: vertices of %s have no such attribute; `gemp-mpi info %s` lists those "
	                                 "that they have",
	                                 name, file, file);
}

/* Collective. The keys and the values of the shown attribute, for the vertices of the list. They are fetched from their
 * owners, since any rank may own a vertex of the list. */
static gemp_code fetch_names(gemp_column *keys, gemp_column *values, gemp_analysis *a, const ranked *top, size_t count)
{
	gemp_shard *graph = a->job.shard;
	const gemp_column *shown;
	gemp_vertex ids[TOP];
	for (size_t i = 0; i < count; i++)
		ids[i] = top[i].id;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_vertex_keys_fetch(keys, a->job.comm, graph, ids, count));
	GEMP_TRY(find_shown(&shown, a));
	if (!shown)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_attribute(graph, (size_t)(shown - graph->attributes.columns)));
	return gemp_vertex_attribute_fetch(values, a->job.comm, graph, shown, ids, count);
}

/* Returns the value of an attribute as JSON. Lists, which are no attributes, and NULL become null. */
static json_t *value_json(const gemp_value *value)
{
	if (value->null)
		return json_null();
	switch (value->type) {
	case GEMP_INTEGER: return json_integer(value->integer);
	case GEMP_FLOAT: return gemp_json_real(value->real);
	case GEMP_BOOLEAN: return json_boolean(value->truth);
	default: return json_stringn(value->string.bytes, value->string.size);
	}
}

/* Local. Appends the list as a table. The values are escaped, since a tab in one of them would begin a cell. */
static gemp_code add_table(gemp_text *out, const gemp_column *keys, const gemp_column *values, const char *shown,
                           const ranked *top, size_t count)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column ranks = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text lines = { 0 };
	GEMP_TRY(gemp_column_init(&ranks, "rank", GEMP_STRING));
	for (size_t i = 0; i < count; i++) {
		char text[32];
		const size_t size = (size_t)snprintf(text, sizeof text, "%.6g", top[i].rank);
		GEMP_TRY(gemp_column_add(&ranks, &(gemp_value){ .type = GEMP_STRING, .string = { text, size } }));
	}
	gemp_projected columns[3] = { { .name = "key", .value = *keys } };
	size_t used = 1;
	if (shown)
		columns[used++] = (gemp_projected){ .name = shown, .value = *values };
	columns[used++] = (gemp_projected){ .name = "rank", .value = ranks };
	gemp_tsv_header(&lines, columns, used);
	for (size_t i = 0; i < count; i++)
		gemp_tsv_row(&lines, columns, used, i);
	GEMP_TRY(gemp_text_status(&lines));
	return gemp_align_tsv(out, lines.data, lines.size);
}

/* Collective. */
static gemp_code print_top(gemp_analysis *a, const ranked *top, size_t count)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text table = { 0 };
	const char *shown = a->settings.shown;
	json_auto_t *list = json_array();
	GEMP_TRY(fetch_names(&keys, &values, a, top, count));
	for (size_t i = 0; i < count; i++) {
		const gemp_value key = gemp_column_get(&keys, i);
		json_t *one = json_pack("{s:o, s:f}", "key", gemp_json_key(&key), "rank", top[i].rank);
		if (shown) {
			const gemp_value value = gemp_column_get(&values, i);
			json_object_set_new(one, "shown", value_json(&value));
		}
		json_array_append_new(list, one);
	}
	GEMP_TRY(gemp_comm_agree(a->job.comm, add_table(&table, &keys, &values, shown, top, count)));
	gemp_report_print(a->job.report, "\n%s\n", table.data);
	gemp_report_set(a->job.report, "top", json_incref(list));
	return GEMP_OK;
}

/* Collective. The TOP vertices of all ranks are among the TOP vertices of each rank. */
static gemp_code report_top(gemp_analysis *a, const double *rank)
{
	top_list own = { 0 };
	GEMP_OWNED ranked *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	choose_own(&own, &a->layout, rank);
	GEMP_TRY(gemp_comm_allgather(a->job.comm, GEMP_OK, own.top, own.count * sizeof *own.top, (void **)&all, &begin));
	size_t count = begin[a->job.comm->size] / sizeof *all;
	qsort(all, count, sizeof *all, by_rank);
	return print_top(a, all, count < TOP ? count : TOP);
}

/* REPORT AND RUN */

static void report_rounds(gemp_analysis *a, const gemp_pagerank_result *found)
{
	gemp_report *report = a->job.report;
	uint32_t rounds = found->report.rounds;
	double last = rounds ? found->change[rounds - 1] : 0;
	json_t *changes = json_array();
	for (uint32_t r = 0; r < rounds; r++)
		json_array_append_new(changes, json_real(found->change[r]));
	gemp_report_print(report, "%s in %s precision; the last changed ranks by %.3g in all\n",
	                  gemp_counted(rounds, "iteration").text, is_double(a) ? "double" : "single", last);
	gemp_pagerank_warn(a, found);
	gemp_report_set(report, "iterations", gemp_json_count(rounds));
	gemp_report_set(report, "converged", json_boolean(found->converged));
	gemp_report_set(report, "residuals", changes);
	gemp_report_set(report, "dangling", json_real(found->dangling));
	gemp_report_set(report, "precision", json_string(is_double(a) ? "double" : "single"));
}

/* Collective. Computes one more iteration in double precision. The iteration must change the ranks by less than the
 * last iteration did, apart from rounding. Rounding errors arise in sums over long rows and in the mass of vertices
 * without edges. */
static gemp_code verify(gemp_analysis *a, const double *jump, const gemp_pagerank_result *found)
{
	const double rounding = is_double(a) ? 1e-10 : 1e-4;
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now(), residual;
	double last = found->report.rounds ? found->change[found->report.rounds - 1] : 0;
	GEMP_OWNED void *rank = NULL, *jumps = NULL;
	if (!a->settings.verify)
		return GEMP_OK;
	gemp_code code = gemp_analysis_by_row(&rank, a, found->rank, sizeof *found->rank);
	GEMP_THEN(gemp_analysis_by_row(&jumps, a, jump, sizeof *jump));
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	GEMP_TRY(gemp_verify_pagerank(&edges, a->settings.damping, jumps, rank, last + rounding, &residual));
	gemp_report_set(a->job.report, "verified_residual", json_real(residual));
	gemp_analysis_report_verified(a, "one more iteration, in double precision, changes ranks by no more than the last",
	                              since);
	return GEMP_OK;
}

/* The settings are checked before the layout is made, and the jumps before kernels are built. The result is verified
 * before it is written, so no file gets wrong ranks. */
gemp_code gemp_graph_pagerank(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                              const gemp_analysis_settings *settings, gemp_report *report)
{
	static const gemp_analysis_kind kind = { "pagerank", 1, { "rank" } };
	GEMP_OWNED_BY(gemp_analysis_free) gemp_analysis a = { 0 };
	GEMP_OWNED_BY(gemp_pagerank_result_free) gemp_pagerank_result found = { 0 };
	GEMP_OWNED_BY(gemp_pagerank_free_at) gemp_pagerank *engine = NULL;
	GEMP_OWNED double *jump = NULL;
	GEMP_TRY(gemp_analysis_begin(&a, &kind, out, graph, edges, settings, report));
	GEMP_TRY(gemp_pagerank_check(&a.settings));
	GEMP_TRY(find_shown(&(const gemp_column *){ NULL }, &a));
	GEMP_TRY(gemp_pagerank_layout(&a));
	GEMP_TRY(make_jumps(&jump, &a));
	GEMP_TRY(gemp_pagerank_solve(&engine, &a, jump, &found));
	GEMP_TRY(verify(&a, jump, &found));
	GEMP_TRY(gemp_analysis_column(&a, GEMP_VALUES_DOUBLE, found.rank, 0));
	GEMP_TRY(gemp_analysis_write(&a));
	if (a.job.reports) {
		report_rounds(&a, &found);
		GEMP_TRY(report_top(&a, found.rank));
		GEMP_TRY(gemp_analysis_report_sums(&a, &found.report));
	}
	gemp_edge_job_hand_over(&a.job, out);
	return GEMP_OK;
}
