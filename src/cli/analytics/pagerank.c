/* personalization: where the jumps of PageRank lead. */

#include "analytics/dense/pagerank.h"
#include "analytics/verify/verify.h"
#include "analytics/vertex_columns.h"
#include "cli/analytics/analysis.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/text.h"
#include "io/file/output.h"
#include "io/file/stream.h"
#include "io/rows/vertex_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line of a file. */
typedef struct line {
	size_t number;
	const char *key, *text; /* of the text: the key, ended by 0; the chance, NULL: none given, which stands for 1 */
	double chance;          /* NAN: the first line's text is no number, so that it may be a head */
} line;

typedef struct list {
	const char *path;
	size_t count, capacity;
	line *lines;      /* [count] */
	gemp_value *keys; /* [count] their bytes are the lines' */
} list;

static gemp_code fail_at(const list *l, const line *line, const char *place, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s:%zu:%zu: '%s'%s", l->path, line->number, (size_t)(place - line->key) + 1, place,
	                 why);
}

/* One line, ended by 0: a key, and a tab and a number if the key does not stand for 1. */
static gemp_code read_line(list *l, char *text, size_t number)
{
	gemp_code code = GEMP_OK;
	char *tab = strchr(text, '\t');
	line line = { .number = number, .key = text, .text = tab ? tab + 1 : NULL, .chance = 1 };
	if (*text == '\0' || *text == '#')
		return GEMP_OK;
	if (tab)
		*tab = '\0';
	if (tab && !gemp_parse_real(line.text, &line.chance)) {
		line.chance = NAN;
		if (l->count)
			return fail_at(l, &line, line.text, " is no number; lines are a key, a tab and a number");
	}
	if (line.chance < 0)
		return fail_at(l, &line, line.text, " is negative; a vertex is jumped to with a chance of 0 or more");
	GEMP_TRY(GEMP_RESERVE(l->lines, l->capacity, l->count + 1));
	l->lines[l->count++] = line;
done:
	return code;
}

/* Cuts the text into lines. */
static gemp_code read_lines(list *l, const gemp_shard *graph, char *text)
{
	gemp_code code = GEMP_OK;
	for (size_t number = 1; *text; number++) {
		char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
		*end = '\0';
		if (end > text && end[-1] == '\r')
			end[-1] = '\0';
		GEMP_TRY(read_line(l, text, number));
		text = next;
	}
	GEMP_TRY(GEMP_NEW(l->keys, l->count));
	for (size_t i = 0; i < l->count; i++)
		l->keys[i] = gemp_vertex_keys_of_text(graph, l->lines[i].key, strlen(l->lines[i].key));
done:
	return code;
}

/* Its vertices: each is one, and none comes twice. A first line that may be a head is one if it names no vertex. */
static gemp_code set_jumps(double *jump, const list *l, const gemp_vertex *ids, const gemp_layout *layout)
{
	const gemp_shard *graph = layout->graph;
	double sum = 0;
	for (size_t i = 0; i < l->count; i++) {
		const line *line = &l->lines[i];
		bool number = !isnan(line->chance);
		if (ids[i] == GEMP_NO_VERTEX && !number)
			continue;
		if (ids[i] == GEMP_NO_VERTEX)
			return fail_at(l, line, line->key,
			               graph->keys.type == GEMP_INTEGER ? " is no key of this graph, whose keys are integers"
			                                                : " is no key of this graph");
		if (!number)
			return fail_at(l, line, line->text, " is no number; lines are a key, a tab and a number");
		sum += line->chance;
		if (ids[i] < graph->first_vertex || ids[i] - graph->first_vertex >= graph->rows)
			continue;
		double *own = &jump[layout->local[ids[i] - graph->first_vertex]];
		if (*own >= 0)
			return fail_at(l, line, line->key, " is there already; give each vertex one line");
		*own = line->chance;
	}
	if (!(sum > 0) || sum > 1e300)
		return gemp_fail(GEMP_EDATA,
		                 "%s: the numbers add up to %g; jumps must lead somewhere, with a sum above 0 and up to "
		                 "1e300",
		                 l->path, sum);
	return GEMP_OK;
}

/* Collective. */
static gemp_code from_file(double *jump, const gemp_layout *layout, gemp_shard *graph, const char *path)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	list l = { .path = path };
	char *text = NULL;
	gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_file_read(&text, comm, "--personalization", path));
	code = read_lines(&l, graph, text);
	if (code == GEMP_OK)
		code = GEMP_NEW(ids, l.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_vertex_keys_find(ids, comm, graph, l.keys, l.count));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = -1;
	GEMP_TRY(gemp_comm_agree(comm, set_jumps(jump, &l, ids, layout)));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = jump[v] < 0 ? 0 : jump[v];
done:
	gemp_free(l.lines);
	gemp_free(l.keys);
	gemp_free(text);
	gemp_free(ids);
	return code;
}

/* Collective. */
static gemp_code from_sources(double *jump, const gemp_layout *layout, gemp_shard *graph, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	const gemp_list *sources = &options->sources;
	gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_comm_agree(layout->comm, GEMP_NEW(ids, sources->count)));
	GEMP_TRY(gemp_vertex_keys_sources(ids, layout->comm, graph, options->arguments[0], sources->items, sources->count));
	for (size_t i = 0; i < sources->count; i++)
		if (ids[i] >= graph->first_vertex && ids[i] - graph->first_vertex < graph->rows)
			jump[layout->local[ids[i] - graph->first_vertex]] = 1;
done:
	gemp_free(ids);
	return code;
}

/* Collective. (*out)[layout->own] by local vertex, as --source or --personalization say; NULL if neither is given. The caller
 * frees. */
static gemp_code gemp_personalization(double **out, const gemp_layout *layout, gemp_shard *graph,
                                      const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	double *jump = NULL;
	bool file = options->personalization, sources = options->sources.count > 0;
	*out = NULL;
	if (file && sources)
		return gemp_fail(GEMP_EUSAGE, "--source and --personalization both say where jumps lead; give one of them");
	if (!file && !sources)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(layout->comm, GEMP_NEW(jump, layout->own)));
	if (file)
		GEMP_TRY(from_file(jump, layout, graph, options->personalization));
	else
		GEMP_TRY(from_sources(jump, layout, graph, options));
	*out = jump;
	jump = NULL;
done:
	gemp_free(jump);
	return code;
}

enum { TOP = 10 }; /* vertices, for people */

typedef struct work {
	gemp_pagerank *engine;
	gemp_pagerank_result found;
} work;

static const char *const names[] = { "rank" };

/* As the words of --precision. */
enum { AUTO, SINGLE, DOUBLE };

static gemp_code check(const gemp_options *options)
{
	if (!(options->damping >= 0 && options->damping < 1))
		return gemp_fail(GEMP_EUSAGE, "--damping %g: a chance below 1, and not below 0", options->damping);
	if (!(options->tolerance >= 0))
		return gemp_fail(GEMP_EUSAGE, "--tolerance %g: 0 or more; 0 takes all --max-iterations", options->tolerance);
	if (options->max_iterations > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "--max-iterations %" PRIu64 ": at most 2147483647", options->max_iterations);
	return GEMP_OK;
}

static bool twofold(const gemp_options *options)
{
	return options->precision == DOUBLE || (options->precision == AUTO && options->tolerance < 1e-6);
}

/* THE FIRST TEN */

typedef struct ranked {
	double rank;
	gemp_vertex id;
	uint32_t key_rank;
} ranked;

static int by_rank(const void *a, const void *b)
{
	const ranked *one = a, *other = b;
	int order = (one->rank < other->rank) - (one->rank > other->rank);
	return order ? order : (one->key_rank > other->key_rank) - (one->key_rank < other->key_rank);
}

/* Those of this rank, in order. */
static size_t choose_own(ranked top[TOP], const gemp_layout *layout, const double *rank)
{
	size_t count = 0;
	for (uint32_t v = 0; v < layout->own; v++) {
		ranked one = { rank[v], layout->id[v], layout->key_rank[v] };
		if (count == TOP && by_rank(&one, &top[TOP - 1]) >= 0)
			continue;
		size_t at = count < TOP ? count++ : TOP - 1;
		for (; at > 0 && by_rank(&one, &top[at - 1]) < 0; at--)
			top[at] = top[at - 1];
		top[at] = one;
	}
	return count;
}

/* Collective. */
static gemp_code print_top(gemp_analysis *a, const ranked *top, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_column keys = { 0 };
	gemp_text text = { 0 };
	gemp_vertex ids[TOP];
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		ids[i] = top[i].id;
	GEMP_TRY(gemp_shard_load_keys(a->job.graph));
	GEMP_TRY(gemp_vertex_keys_fetch(&keys, a->job.comm, a->job.graph, ids, count));
	gemp_report_print(a->job.report, "\n  %-30s %12s\n", "key", "rank");
	for (size_t i = 0; i < count; i++) {
		gemp_value key = gemp_column_get(&keys, i);
		gemp_text_clear(&text);
		gemp_value_print(&key, &text);
		gemp_report_print(a->job.report, "  %-30s %12.6g\n", text.data, top[i].rank);
		json_array_append_new(list, json_pack("{s:o, s:f}", "key", gemp_json_key(&key), "rank", top[i].rank));
	}
	gemp_report_print(a->job.report, "\n");
	gemp_report_set(a->job.report, "top", json_incref(list));
	code = gemp_comm_agree(a->job.comm, gemp_text_status(&text));
done:
	json_decref(list);
	gemp_text_free(&text);
	gemp_column_free(&keys);
	return code;
}

/* Collective. */
static gemp_code report_top(gemp_analysis *a, const double *rank)
{
	gemp_code code = GEMP_OK;
	ranked own[TOP], *all = NULL;
	size_t *begin = NULL, count = choose_own(own, &a->layout, rank);
	GEMP_TRY(gemp_comm_allgather(a->job.comm, GEMP_OK, own, count * sizeof *own, (void **)&all, &begin));
	count = begin[a->job.comm->size] / sizeof *all;
	qsort(all, count, sizeof *all, by_rank);
	code = print_top(a, all, count < TOP ? count : TOP);
done:
	gemp_free(all);
	gemp_free(begin);
	return code;
}

/* THE REST */

static void report_rounds(gemp_analysis *a, const gemp_pagerank_result *found)
{
	gemp_report *report = a->job.report;
	uint32_t rounds = found->report.rounds;
	double last = rounds ? found->change[rounds - 1] : 0;
	json_t *changes = json_array();
	for (uint32_t r = 0; r < rounds; r++)
		json_array_append_new(changes, json_real(found->change[r]));
	gemp_report_print(report, "%s in %s precision; the last changed ranks by %.3g in all\n",
	                  gemp_counted(rounds, "iteration").text, twofold(a->job.options) ? "double" : "single", last);
	if (!found->converged && a->job.options->tolerance > 0)
		gemp_warn("ranks still change by %.3g, more than --tolerance %g; give more --max-iterations%s", last,
		          a->job.options->tolerance, twofold(a->job.options) ? "" : ", or --precision double");
	gemp_report_set(report, "iterations", gemp_json_count(rounds));
	gemp_report_set(report, "converged", json_boolean(found->converged));
	gemp_report_set(report, "residuals", changes);
	gemp_report_set(report, "dangling", json_real(found->dangling));
	gemp_report_set(report, "precision", json_string(twofold(a->job.options) ? "double" : "single"));
}

/* Collective. */
static gemp_code report_result(gemp_analysis *a, void *self)
{
	const gemp_pagerank_result *found = &((work *)self)->found;
	gemp_code code = GEMP_OK;
	const gemp_dense_report *run = &found->report;
	report_rounds(a, found);
	GEMP_TRY(report_top(a, found->rank));
	code = gemp_analysis_report_sums(a, run);
done:
	return code;
}

/* What rounding changes in all ranks together, at most: sums over long rows, of the mass of vertices without edges. */
static double rounding(const gemp_options *options)
{
	return twofold(options) ? 1e-10 : 1e-4;
}

/* Collective. One more iteration in double precision changes ranks by less than the last one did, but for rounding. */
static gemp_code verify(gemp_analysis *a, const double *jump, const gemp_pagerank_result *found)
{
	gemp_code code = GEMP_OK;
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now(), residual;
	double last = found->report.rounds ? found->change[found->report.rounds - 1] : 0;
	void *rank = NULL, *jumps = NULL;
	if (!a->job.options->verify_order)
		return GEMP_OK;
	code = gemp_analysis_by_row(&rank, a, found->rank, sizeof *found->rank);
	if (code == GEMP_OK)
		code = gemp_analysis_by_row(&jumps, a, jump, sizeof *jump);
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	GEMP_TRY(
		gemp_verify_pagerank(&edges, a->job.options->damping, jumps, rank, last + rounding(a->job.options), &residual));
	gemp_report_set(a->job.report, "verified_residual", json_real(residual));
	gemp_analysis_report_verified(a, "one more iteration, in double precision, changes ranks by no more than the last",
	                              since);
done:
	gemp_free(rank);
	gemp_free(jumps);
	return code;
}

/* Collective. */
static gemp_code compute(gemp_analysis *a, void *self)
{
	gemp_code code = GEMP_OK;
	work *w = self;
	gemp_pagerank_result *found = &w->found;
	const gemp_options *options = a->job.options;
	bool weights = options->weight;
	double *jump = NULL;
	const gemp_layout_options how = { .direction = (gemp_layout_direction)options->direction,
		                              .weight = options->weight,
		                              .parts = GEMP_LAYOUT_IN | (weights ? GEMP_LAYOUT_OUT_WEIGHT : 0),
		                              .cut = (gemp_layout_cut)options->cut,
		                              .wanted = twofold(options) ? GEMP_LAYOUT_DOUBLE : GEMP_LAYOUT_SINGLE,
		                              .not_negative = true };
	const gemp_dense_options shape = { .fp64 = twofold(options), .gather = (gemp_gather)options->gather };
	gemp_pagerank_params ask = { .damping = options->damping,
		                         .tolerance = options->tolerance,
		                         .rounds = (uint32_t)options->max_iterations };
	GEMP_TRY(gemp_analysis_layout(a, how));
	GEMP_TRY(gemp_personalization(&jump, &a->layout, a->job.graph, options));
	ask.jump = jump;
	code = gemp_pagerank_new(&w->engine, &a->layout, a->job.device, &shape);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: --weight %s: ", options->arguments[0], options->weight);
	GEMP_TRY(code);
	GEMP_TRY(gemp_pagerank_run(w->engine, &ask, found));
	gemp_analysis_add_sums(a, &found->report);
	GEMP_TRY(verify(a, jump, found));
	code = gemp_comm_agree(a->job.comm, gemp_vertex_columns_double(&a->columns, names[0], &a->layout, found->rank));
done:
	gemp_free(jump);
	return code;
}

static void work_free(void *self)
{
	work *w = self;
	gemp_pagerank_free(w->engine);
	gemp_pagerank_result_free(&w->found);
}

static gemp_code pagerank(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	static const gemp_analysis_kind kind = { names, 1, check, compute, report_result, work_free };
	return gemp_analysis_run(context, options, report, &kind, &(work){ 0 });
}

const gemp_command gemp_command_pagerank = {
	.name = "pagerank",
	.bit = GEMP_ON_PAGERANK,
	.arguments = "G.h5 [--damping D] [--tolerance T] [--source KEY] [-o FILE] [--into H.h5]",
	.summary = "Ranks vertices by how often a random surfer comes to them",
	.text =
		"A surfer follows one of the edges that leave a vertex, each with the same chance, or with --weight in "
		"proportion to it, and now and then (1 - damping), or where no edge leaves, jumps to any vertex, or with --source "
		"or --personalization to certain ones. Ranks are the chances to meet the surfer at a vertex; they add up to 1. "
		"Parallel edges and loops count. Rows of FILE are key and rank; the ten greatest are shown.\n",
	.examples = "gemp-mpi pagerank citations.h5 -o ranks.tsv\n"
				"# as seen from two vertices; as the attribute `near` of the graph\n"
				"gemp-mpi pagerank social.h5 --source 7 --source 42 --into social.h5 --column near\n"
				"mpirun -n 8 gemp-mpi pagerank web.h5 --tolerance 1e-10 --json - --quiet\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = pagerank,
};
