/* bench_warm: gemp_bench_warm builds the kernels that do not depend on the user's query, so that later runs load them.
 *
 * The options of a program depend on its engine, the device and its tuning. The module therefore does not build
 * programs itself: it runs small questions on devices, and the engines build what they need. Drivers that compile at
 * the first launch of a kernel, as PoCL does, then have compiled it, too. The graphs have all kinds of attributes, and
 * both directed and undirected edges. The kernels of a search are generated for its plan and are not among the
 * kernels of this module. */

#include "gemp/bench.h"

#include "api/report.h"
#include "core/memory.h"
#include "core/timer.h"
#include "gemp/primitives.h"

GEMP_RELEASE(gemp_graph_close, gemp_graph *)
GEMP_RELEASE(gemp_query_close, gemp_query *)

/* The graphs of all questions. */
typedef struct warm_graphs {
	gemp_context *context;
	gemp_graph *movies;   /* attributes of vertices: strings, integers and floats with NULLs */
	gemp_graph *weighted; /* undirected edges with the attribute `weight` */
} warm_graphs;

static gemp_code make_movies(gemp_graph **out, gemp_context *context)
{
	static const gemp_generator_parameter small[] = { { "films", "60", NULL }, { "people", "90", NULL } };
	return gemp_graph_generate(out, context, "movies", small, 2, 1, 1);
}

/* SEARCHES AND COUNTS */

/* Conditions that together use every kernel of kernels/match/filter.cl. */
static const char *const conditions[] = {
	"MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE p.born < 1950 AND m.rating > 5.5 AND NOT m.year = 1999 RETURN count(*)",
	"MATCH (p:Person)-[:ACTS_IN]->(m) WHERE p.name < 'M' OR m.name STARTS WITH 'A' OR p.born IS NULL RETURN count(*)",
	"MATCH (p)-[:ACTS_IN]->(m) WHERE p.name IN ['A', 'B'] OR m.year IN [1990, 1991] OR m.name CONTAINS 'e' RETURN count(*)",
};

/* Patterns whose sums use all kernels of kernels/count. */
static const char *const patterns[] = { "triangle", "cycle:4", "diamond", "clique:4", "house", "star:3", "path:4" };

/* Collective. Counts the matches of a query on devices. A NULL text stands for the pattern. */
static gemp_code count_matches(gemp_graph *graph, const char *text, const char *pattern, bool by_search)
{
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.place = GEMP_PLACE_DEVICE;
	settings.conditions = GEMP_CONDITIONS_BEFORE;
	settings.count_by_search = by_search;
	if (text)
		GEMP_TRY(gemp_query_open(&query, graph, text, &settings));
	else
		GEMP_TRY(gemp_query_open_pattern(&query, graph, pattern, &settings));
	return gemp_query_count(query, NULL, NULL);
}

static gemp_code warm_conditions(const warm_graphs *graphs)
{
	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
		GEMP_TRY(count_matches(graphs->movies, conditions[i], NULL, true));
	return GEMP_OK;
}

static gemp_code warm_counts(const warm_graphs *graphs)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		GEMP_TRY(count_matches(graphs->weighted, NULL, patterns[i], false));
	return GEMP_OK;
}

/* ANALYSES */

/* The reversed graph is one of its own, since other steps need the movies as they are. */
static gemp_code warm_topology(const warm_graphs *graphs)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *reversed = NULL;
	gemp_topology_settings settings;
	gemp_topology_settings_init(&settings);
	settings.place = GEMP_PLACE_DEVICE;
	GEMP_TRY(gemp_graph_components(NULL, graphs->movies, NULL, &settings, NULL, NULL));
	GEMP_TRY(gemp_graph_degrees(NULL, graphs->movies, NULL, &settings, NULL));
	GEMP_TRY(gemp_graph_list_edges(graphs->movies, NULL, &settings, NULL, NULL));
	GEMP_TRY(make_movies(&reversed, graphs->context));
	return gemp_graph_reverse(reversed, NULL, &settings, NULL, NULL);
}

static gemp_code warm_analytics(const warm_graphs *graphs)
{
	static const char *const source = "1";
	gemp_analysis_settings settings;
	gemp_edge_selection weighted;
	gemp_edge_selection_init(&weighted);
	weighted.weight = "weight";
	gemp_analysis_settings_init(&settings);
	GEMP_TRY(gemp_graph_pagerank(NULL, graphs->weighted, NULL, &settings, NULL));
	GEMP_TRY(gemp_graph_spmv(NULL, graphs->weighted, NULL, &settings, NULL));
	settings.sources = &source;
	settings.source_count = 1;
	GEMP_TRY(gemp_graph_bfs(NULL, graphs->weighted, NULL, &settings, NULL));
	return gemp_graph_sssp(NULL, graphs->weighted, &weighted, &settings, NULL);
}

/* THE STEPS */

static const struct warm_step {
	const char *name;
	gemp_code (*run)(const warm_graphs *graphs);
} steps[] = {
	{ "conditions", warm_conditions },
	{ "counts", warm_counts },
	{ "topology", warm_topology },
	{ "analytics", warm_analytics },
};

static gemp_code make_graphs(warm_graphs *graphs)
{
	static const gemp_generator_parameter heavy[] = { { "vertices", "100", NULL },
		                                              { "edges", "600", NULL },
		                                              { "weights", "9", NULL } };
	GEMP_TRY(make_movies(&graphs->movies, graphs->context));
	return gemp_graph_generate(&graphs->weighted, graphs->context, "uniform", heavy, 3, 1, 1);
}

static void close_graphs(warm_graphs *graphs)
{
	gemp_graph_close(graphs->movies);
	gemp_graph_close(graphs->weighted);
}

/* Collective. The seconds of all steps count as building, since the questions are far shorter than their kernels'
 * compilation. */
gemp_code gemp_bench_warm(gemp_context *context, gemp_report *report)
{
	GEMP_OWNED_BY(close_graphs) warm_graphs graphs = { .context = context };
	gemp_report none;
	gemp_timers timers = { 0 };
	json_auto_t *list = json_array();
	double since = gemp_now();
	report = gemp_report_or(report, &none, context);
	GEMP_TRY(make_graphs(&graphs));
	gemp_report_print(report, "  %-10s %11s\n", "kernels of", "seconds");
	since = gemp_timers_add(&timers, GEMP_PHASE_CONVERT, since);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		GEMP_TRY(steps[i].run(&graphs));
		const double seconds = gemp_now() - since;
		gemp_report_print(report, "  %-10s %11.3f\n", steps[i].name, seconds);
		json_array_append_new(list, json_pack("{s:s, s:f}", "kernels", steps[i].name, "seconds", seconds));
		since = gemp_timers_add(&timers, GEMP_PHASE_BUILD, since);
	}
	gemp_report_set(report, "warmed", json_incref(list));
	return gemp_report_resources(report, context->runtime, &timers);
}
