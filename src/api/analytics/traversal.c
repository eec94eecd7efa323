/* traversal: gemp_graph_bfs and gemp_graph_sssp, searches from one source, with their columns, their verification and
 * their report. analytics/traversal/bfs.h and sssp.h have the algorithms. */

#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "analytics/verify/verify.h"
#include "api/analytics/analysis.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>

GEMP_RELEASE(gemp_bfs_free, gemp_bfs *)
GEMP_RELEASE(gemp_sssp_free, gemp_sssp *)

enum { SHOWN = 24 }; /* number of levels, or of bars of distances, in the text of the report */

/* BREADTH-FIRST SEARCH */

enum { NEAR = 32 };

typedef struct level_count {
	const uint32_t *level;
	_Atomic uint64_t *sizes; /* [levels] */
	size_t levels;
} level_count;

/* Most vertices are near the source, so their levels are counted apart: otherwise the threads would contend. */
static void count_levels(void *context, size_t begin, size_t end)
{
	const level_count *c = context;
	uint64_t near[NEAR] = { 0 };
	for (size_t v = begin; v < end; v++)
		if (c->level[v] < NEAR)
			near[c->level[v]]++;
		else if (c->level[v] != GEMP_NO_LEVEL)
			c->sizes[c->level[v]]++;
	for (size_t level = 0; level < gemp_min(NEAR, c->levels); level++)
		c->sizes[level] += near[level];
}

/* Collective. Reports the number of vertices in each level, which is the size of the search's frontiers. */
static gemp_code report_levels(gemp_analysis *a, const gemp_bfs_result *found)
{
	gemp_report *report = a->job.report;
	GEMP_OWNED uint64_t *sizes = NULL;
	int levels = (int)found->depth + 1;
	GEMP_TRY(gemp_comm_agree(a->job.comm, GEMP_NEW(sizes, (size_t)levels)));
	gemp_for_elements(a->layout.own, count_levels,
	                  &(level_count){ found->level, (_Atomic uint64_t *)sizes, (size_t)levels });
	gemp_comm_sum(a->job.comm, sizes, levels);
	json_t *list = json_array();
	gemp_report_detail(report, "\n  %-10s %13s\n", "level", "vertices");
	for (int level = 0; level < levels; level++) {
		json_array_append_new(list, gemp_json_count(sizes[level]));
		if (level < SHOWN)
			gemp_report_detail(report, "  %-10d %13s\n", level, gemp_grouped(sizes[level]).text);
	}
	if (levels > SHOWN)
		gemp_report_detail(report, "  and %s\n", gemp_counted((uint64_t)levels - SHOWN, "more level").text);
	gemp_report_set(report, "levels", list);
	return GEMP_OK;
}

/* Collective. In a symmetric layout the search follows each edge from both ends, so each of the two visits counts
 * half. */
static gemp_code report_bfs(gemp_analysis *a, const gemp_bfs_result *found)
{
	gemp_report *report = a->job.report;
	const gemp_traversal_cost *cost = &found->cost;
	gemp_analysis_report_reached(a, found->reached);
	gemp_report_print(report, ", the farthest over %s\n", gemp_counted(found->depth, "edge").text);
	gemp_report_set_counts(report, { "reached", found->reached }, { "depth", found->depth },
	                       { "pushes", found->pushes }, { "pulls", found->pulls });
	GEMP_TRY(report_levels(a, found));
	gemp_report_detail(report, "\n  %-10s %s, of which %s pulled\n", "rounds",
	                   gemp_grouped(found->pushes + found->pulls).text, gemp_grouped(found->pulls).text);
	gemp_analysis_report_stages(a, cost);
	const gemp_analysis_work work = { .seconds = cost->wall,
		                              .edges = a->layout.symmetric ? cost->edges / 2 : cost->edges,
		                              .iterations = cost->rounds,
		                              .traffic = cost->traffic };
	return gemp_analysis_report(a, &work);
}

/* Collective. The check reads all edges again, on the threads of the host, independently of the frontiers. */
static gemp_code verify_bfs(gemp_analysis *a, gemp_vertex source, const gemp_bfs_result *found)
{
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now();
	GEMP_OWNED void *level = NULL, *parent = NULL;
	if (!a->settings.verify)
		return GEMP_OK;
	gemp_code code = gemp_analysis_by_row(&level, a, found->level, sizeof *found->level);
	GEMP_THEN(gemp_analysis_by_row(&parent, a, found->parent, sizeof *found->parent));
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	GEMP_TRY(gemp_verify_bfs(&edges, source, level, parent, true));
	gemp_analysis_report_verified(
		a, "no edge leads farther than to the next level, and parents are the least one level before", since);
	return GEMP_OK;
}

/* The layout has the edges in both directions. A round with few vertices in the frontier pushes along edges; a round
 * with many pulls against them. */
gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                         const gemp_analysis_settings *settings, gemp_report *report)
{
	static const gemp_analysis_kind kind = { "bfs", 2, { "level", "parent" } };
	GEMP_OWNED_BY(gemp_analysis_free) gemp_analysis a = { 0 };
	GEMP_OWNED_BY(gemp_bfs_free_at) gemp_bfs *engine = NULL;
	gemp_bfs_result found;
	gemp_vertex source;
	double build = 0;
	GEMP_TRY(gemp_analysis_begin(&a, &kind, out, graph, edges, settings, report));
	GEMP_TRY(gemp_analysis_source(&a, &source));
	GEMP_TRY(gemp_analysis_layout(&a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT }));
	GEMP_TRY(gemp_bfs_new(&engine, &a.layout, a.job.device, &(gemp_bfs_options){ .pass = a.settings.pass }));
	double prepared = gemp_bfs_prepare_seconds(engine, &build);
	gemp_analysis_add_prepared(&a, prepared, build);
	GEMP_TRY(gemp_bfs_run(engine, source, &found));
	gemp_analysis_add_search(&a, &found.cost);
	GEMP_TRY(gemp_analysis_column(&a, GEMP_VALUES_U32, found.level, GEMP_NO_LEVEL));
	GEMP_TRY(gemp_analysis_column_keys(&a, found.parent));
	GEMP_TRY(verify_bfs(&a, source, &found));
	GEMP_TRY(gemp_analysis_write(&a));
	if (a.job.reports)
		GEMP_TRY(report_bfs(&a, &found));
	gemp_edge_job_hand_over(&a.job, out);
	return GEMP_OK;
}

/* SHORTEST PATHS */

/* Collective. Reports and returns the largest distance. Integers are printed with all digits, since they have up to 63
 * bits and a double holds only 53. */
static double report_farthest(gemp_analysis *a, const gemp_sssp_result *found)
{
	uint64_t max = 0;
	double real = 0;
	for (uint32_t v = 0; v < a->layout.own; v++) {
		if (found->distance && found->distance[v] != GEMP_NO_DISTANCE && found->distance[v] > max)
			max = found->distance[v];
		if (found->real && isfinite(found->real[v]) && found->real[v] > real)
			real = found->real[v];
	}
	gemp_comm_max(a->job.comm, &max, 1);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &real, 1, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	if (found->distance)
		gemp_report_print(a->job.report, "%s away\n", gemp_grouped(max).text);
	else
		gemp_report_print(a->job.report, "%.9g away\n", real);
	gemp_report_set(a->job.report, "farthest", found->distance ? gemp_json_count(max) : json_real(real));
	return found->distance ? (double)max : real;
}

/* Collective. Reports a histogram of the distances. A bar stands for one step of the search, or for several steps if
 * there are more than SHOWN. If a double cannot count the steps, the bars divide the distances evenly. */
static void report_steps(gemp_analysis *a, const gemp_sssp_result *found, double farthest)
{
	const double delta = fmin(found->delta, DBL_MAX), steps = floor(farthest / delta) + 1, exact = 0x1p53;
	const double width = steps < exact ? delta * ceil(steps / SHOWN) : farthest / (SHOWN - 1);
	uint64_t vertices[SHOWN] = { 0 };
	for (uint32_t v = 0; v < a->layout.own; v++) {
		double distance = found->real ? found->real[v] : (double)found->distance[v];
		bool reached = found->real ? isfinite(distance) : found->distance[v] != GEMP_NO_DISTANCE;
		size_t bar = reached && distance > 0 ? (size_t)(distance / width) : 0;
		if (reached)
			vertices[bar < SHOWN ? bar : SHOWN - 1]++;
	}
	gemp_comm_sum(a->job.comm, vertices, SHOWN);
	json_t *list = json_array();
	gemp_report_detail(a->job.report, "\n  %-20s %13s\n", "distance from", "vertices");
	for (int bar = 0; bar < SHOWN && (bar == 0 || bar * width <= farthest); bar++) {
		double from = bar * width;
		gemp_report_detail(a->job.report, "  %-20.9g %13s\n", from, gemp_grouped(vertices[bar]).text);
		json_array_append_new(list, json_pack("{s:f, s:o}", "from", from, "vertices", gemp_json_count(vertices[bar])));
	}
	gemp_report_set(a->job.report, "distances", list);
}

/* Collective. Reports the result of a search for shortest paths. */
static gemp_code report_sssp(gemp_analysis *a, const gemp_sssp_result *found)
{
	gemp_report *report = a->job.report;
	const gemp_traversal_cost *cost = &found->cost;
	gemp_analysis_report_reached(a, found->reached);
	gemp_report_print(report, ", the farthest is ");
	report_steps(a, found, report_farthest(a, found));
	gemp_report_detail(report, "\n  %-10s %s of relaxing, in steps of %g; %s gone along, %s leave%s reached vertices\n",
	                   "rounds", gemp_grouped(cost->rounds).text, found->delta, gemp_counted(cost->edges, "edge").text,
	                   gemp_grouped(found->reached_edges).text, found->reached_edges == 1 ? "s" : "");
	gemp_analysis_report_stages(a, cost);
	gemp_report_set_counts(report, { "reached", found->reached }, { "reached_edges", found->reached_edges },
	                       { "relaxed_edges", cost->edges }, { "rounds", cost->rounds });
	gemp_report_set(report, "delta", gemp_json_real(found->delta));
	const gemp_analysis_work work = {
		.seconds = cost->wall, .edges = a->layout.edges, .iterations = cost->rounds, .traffic = cost->traffic
	};
	return gemp_analysis_report(a, &work);
}

/* Collective. The check relaxes all edges again. No edge may shorten a distance, and the predecessors must lead to the
 * source. */
static gemp_code verify_sssp(gemp_analysis *a, gemp_vertex source, const gemp_sssp_result *found)
{
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now();
	GEMP_OWNED void *distance = NULL, *real = NULL, *predecessor = NULL;
	if (!a->settings.verify)
		return GEMP_OK;
	gemp_code code = gemp_analysis_by_row(&distance, a, found->distance, sizeof *found->distance);
	GEMP_THEN(gemp_analysis_by_row(&real, a, found->real, sizeof *found->real));
	GEMP_THEN(gemp_analysis_by_row(&predecessor, a, found->predecessor, sizeof *found->predecessor));
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	GEMP_TRY(gemp_verify_sssp(&edges, source, distance, real, predecessor));
	gemp_analysis_report_verified(a, "no edge makes a way shorter, and predecessors lead to the source", since);
	return GEMP_OK;
}

/* Distances are 64-bit integers if all weights are integers, otherwise doubles. The engine chooses the type and fills
 * one of the two arrays. */
gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                          const gemp_analysis_settings *settings, gemp_report *report)
{
	static const gemp_analysis_kind kind = { "sssp", 2, { "distance", "predecessor" } };
	GEMP_OWNED_BY(gemp_analysis_free) gemp_analysis a = { 0 };
	GEMP_OWNED_BY(gemp_sssp_free_at) gemp_sssp *engine = NULL;
	gemp_sssp_result found;
	gemp_vertex source;
	double build = 0;
	GEMP_TRY(gemp_analysis_begin(&a, &kind, out, graph, edges, settings, report));
	GEMP_TRY(gemp_analysis_source(&a, &source));
	GEMP_TRY(gemp_analysis_layout(&a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
	                                                         .wanted = GEMP_LAYOUT_LENGTHS,
	                                                         .not_negative = true }));
	const gemp_sssp_options shape = { .delta = a.settings.delta, .pass = a.settings.pass };
	GEMP_TRY(gemp_sssp_new(&engine, &a.layout, a.job.device, &shape));
	double prepared = gemp_sssp_prepare_seconds(engine, &build);
	gemp_analysis_add_prepared(&a, prepared, build);
	GEMP_TRY(gemp_analysis_name_weight(&a, gemp_sssp_run(engine, source, &found)));
	gemp_analysis_add_search(&a, &found.cost);
	const bool integers = found.distance != NULL;
	GEMP_TRY(gemp_analysis_column(&a, integers ? GEMP_VALUES_U64 : GEMP_VALUES_DOUBLE,
	                              integers ? (const void *)found.distance : found.real, GEMP_NO_DISTANCE));
	GEMP_TRY(gemp_analysis_column_keys(&a, found.predecessor));
	GEMP_TRY(verify_sssp(&a, source, &found));
	GEMP_TRY(gemp_analysis_write(&a));
	if (a.job.reports)
		GEMP_TRY(report_sssp(&a, &found));
	gemp_edge_job_hand_over(&a.job, out);
	return GEMP_OK;
}
