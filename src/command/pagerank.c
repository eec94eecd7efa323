#include "gas/pagerank.h"

#include "command/analysis.h"
#include "command/personalization.h"
#include "command/quantity.h"
#include "command/vertex_found.h"
#include "command/vertex_keys.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"

#include <stdlib.h>

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
static size_t choose_own(ranked top[TOP], const gemp_gas_layout *layout, const double *rank)
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
	GEMP_TRY(gemp_graph_need_keys(a->graph));
	GEMP_TRY(gemp_vertex_keys(&keys, a->comm, a->graph, ids, count));
	gemp_report_print(a->report, "\n  %-30s %12s\n", "key", "rank");
	for (size_t i = 0; i < count; i++) {
		gemp_value key = gemp_column_get(&keys, i);
		gemp_text_clear(&text);
		gemp_value_print(&key, &text);
		gemp_report_print(a->report, "  %-30s %12.6g\n", text.data, top[i].rank);
		json_array_append_new(list, json_pack("{s:o, s:f}", "key", gemp_json_key(&key), "rank", top[i].rank));
	}
	gemp_report_print(a->report, "\n");
	gemp_report_set(a->report, "top", json_incref(list));
	code = gemp_comm_agree(a->comm, gemp_text_status(&text));
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
	GEMP_TRY(gemp_comm_gather_all(a->comm, own, count * sizeof *own, (void **)&all, &begin));
	count = begin[a->comm->size] / sizeof *all;
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
	gemp_report *report = a->report;
	uint32_t rounds = found->report.rounds;
	double last = rounds ? found->change[rounds - 1] : 0;
	json_t *changes = json_array();
	for (uint32_t r = 0; r < rounds; r++)
		json_array_append_new(changes, json_real(found->change[r]));
	gemp_report_print(report, "%s in %s precision; the last changed ranks by %.3g in all\n",
	                  gemp_counted(rounds, "iteration").text, twofold(a->options) ? "double" : "single", last);
	if (!found->converged && a->options->tolerance > 0)
		gemp_warn("ranks still change by %.3g, more than --tolerance %g; give more --max-iterations%s", last,
		          a->options->tolerance, twofold(a->options) ? "" : ", or --precision double");
	gemp_report_set(report, "iterations", gemp_json_count(rounds));
	gemp_report_set(report, "converged", json_boolean(found->converged));
	gemp_report_set(report, "residuals", changes);
	gemp_report_set(report, "dangling", json_real(found->dangling));
	gemp_report_set(report, "precision", json_string(twofold(a->options) ? "double" : "single"));
}

/* Collective. */
static gemp_code report_found(gemp_analysis *a, void *self)
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
	const gemp_gas_edges edges = gemp_analysis_edges(a);
	double since = gemp_now(), residual;
	double last = found->report.rounds ? found->change[found->report.rounds - 1] : 0;
	void *rank = NULL, *jumps = NULL;
	if (!a->options->verify_order)
		return GEMP_OK;
	code = gemp_analysis_by_row(&rank, a, found->rank, sizeof *found->rank);
	if (code == GEMP_OK)
		code = gemp_analysis_by_row(&jumps, a, jump, sizeof *jump);
	GEMP_TRY(gemp_comm_agree(a->comm, code));
	GEMP_TRY(gemp_gas_verify_pagerank(&edges, a->options->damping, jumps, rank, last + rounding(a->options), &residual));
	gemp_report_set(a->report, "verified_residual", json_real(residual));
	gemp_analysis_verified(a, "one more iteration, in double precision, changes ranks by no more than the last", since);
done:
	gemp_free(rank);
	gemp_free(jumps);
	return code;
}

/* Collective. */
static gemp_code find(gemp_analysis *a, void *self)
{
	gemp_code code = GEMP_OK;
	work *w = self;
	gemp_pagerank_result *found = &w->found;
	const gemp_options *options = a->options;
	bool weights = options->weight;
	double *jump = NULL;
	const gemp_gas_layout_options how = { .direction = (gemp_gas_direction)options->direction, .weight = options->weight,
		.parts = GEMP_GAS_IN | (weights ? GEMP_GAS_OUT_WEIGHT : 0), .cut = (gemp_gas_cut)options->cut,
		.wanted = twofold(options) ? GEMP_GAS_DOUBLE : GEMP_GAS_SINGLE, .not_negative = true };
	const gemp_dense_options shape = { .twofold = twofold(options), .gather = (gemp_gather)options->gather };
	gemp_pagerank_ask ask = { .damping = options->damping, .tolerance = options->tolerance,
	                          .rounds = (uint32_t)options->max_iterations };
	GEMP_TRY(gemp_analysis_lay_out(a, how));
	GEMP_TRY(gemp_personalization(&jump, &a->layout, a->graph, options));
	ask.jump = jump;
	code = gemp_pagerank_new(&w->engine, &a->layout, a->device, &shape);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: --weight %s: ", options->arguments[0], options->weight);
	GEMP_TRY(code);
	GEMP_TRY(gemp_pagerank_run(w->engine, &ask, found));
	gemp_analysis_summed(a, &found->report);
	GEMP_TRY(verify(a, jump, found));
	code = gemp_comm_agree(a->comm, gemp_found_add_double(&a->found, names[0], &a->layout, found->rank));
done:
	gemp_free(jump);
	return code;
}

static void forget(void *self)
{
	work *w = self;
	gemp_pagerank_free(w->engine);
	gemp_pagerank_result_free(&w->found);
}

static gemp_code pagerank(gemp_comm *comm, const gemp_options *options)
{
	static const gemp_analysis_kind kind = { names, 1, check, find, report_found, forget };
	return gemp_analysis_run(comm, options, &kind, &(work){ 0 });
}

const gemp_command gemp_command_pagerank = {
	.name = "pagerank",
	.bit = GEMP_ON_PAGERANK,
	.arguments = "G.h5 [--damping D] [--tolerance T] [--source KEY] [-o FILE] [--into H.h5]",
	.summary = "Ranks vertices by how often a random surfer comes to them",
	.text = "A surfer follows one of the edges that leave a vertex, each with the same chance, or with --weight in "
		"proportion to it, and now and then (1 - damping), or where no edge leaves, jumps to any vertex, or with --source "
		"or --personalization to certain ones. Ranks are the chances to meet the surfer at a vertex; they add up to 1. "
		"Parallel edges and loops count. Rows of FILE are key and rank; the ten greatest are shown.\n",
	.examples = "gemp-mpi pagerank citations.h5 -o ranks.tsv\n"
		"# as seen from two vertices; as the attribute `near` of the graph\n"
		"gemp-mpi pagerank social.h5 --source 7 --source 42 --into social.h5 --column near\n"
		"mpirun -n 8 gemp-mpi pagerank web.h5 --tolerance 1e-10 --json - --quiet\n",
	.least = 1,
	.most = 1,
	.run = pagerank,
};
