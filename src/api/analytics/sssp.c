/* sssp: gemp_graph_sssp, shortest paths with their columns, their check and their report. The search itself is
 * analytics/traversal/sssp.h.
 */

#include "analytics/traversal/sssp.h"
#include "analytics/verify/verify.h"
#include "api/analytics/analysis.h"
#include "api/analytics/vertex_output.h"
#include "core/memory.h"
#include "core/quantity.h"

#include <float.h>
#include <math.h>

enum { SHOWN = 24 }; /* rows of the table of distances, at most */

static const char *const names[] = { "distance", "predecessor" };

/* Collective. The greatest distance; of integers exactly, as text goes: they are below 2^63. */
static double report_farthest(gemp_analysis *a, const gemp_sssp_result *found)
{
	uint64_t most = 0;
	double real = 0;
	for (uint32_t v = 0; v < a->layout.own; v++) {
		if (found->distance && found->distance[v] != GEMP_NO_DISTANCE && found->distance[v] > most)
			most = found->distance[v];
		if (found->real && isfinite(found->real[v]) && found->real[v] > real)
			real = found->real[v];
	}
	gemp_comm_max(a->job.comm, &most, 1);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &real, 1, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	if (found->distance)
		gemp_report_print(a->job.report, "%s away\n", gemp_grouped(most).text);
	else
		gemp_report_print(a->job.report, "%.9g away\n", real);
	gemp_report_set(a->job.report, "farthest", found->distance ? gemp_json_count(most) : json_real(real));
	return found->distance ? (double)most : real;
}

/* Collective. How many vertices are how far: those of a step, or of several steps where there are many. */
static void report_steps(gemp_analysis *a, const gemp_sssp_result *found, double farthest)
{
	const double delta = fmin(found->delta, DBL_MAX), steps = floor(farthest / delta) + 1, most = 0x1p53;
	const double width = steps < most ? delta * ceil(steps / SHOWN) : farthest / (SHOWN - 1);
	uint64_t vertices[SHOWN] = { 0 };
	for (uint32_t v = 0; v < a->layout.own; v++) {
		double distance = found->real ? found->real[v] : (double)found->distance[v];
		bool reached = found->real ? isfinite(distance) : found->distance[v] != GEMP_NO_DISTANCE;
		size_t place = reached && distance > 0 ? (size_t)(distance / width) : 0;
		if (reached)
			vertices[place < SHOWN ? place : SHOWN - 1]++;
	}
	gemp_comm_sum(a->job.comm, vertices, SHOWN);
	json_t *list = json_array();
	gemp_report_detail(a->job.report, "\n  %-20s %13s\n", "distance from", "vertices");
	for (int place = 0; place < SHOWN && (place == 0 || place * width <= farthest); place++) {
		double from = place * width;
		gemp_report_detail(a->job.report, "  %-20.9g %13s\n", from, gemp_grouped(vertices[place]).text);
		json_array_append_new(list,
		                      json_pack("{s:f, s:o}", "from", from, "vertices", gemp_json_count(vertices[place])));
	}
	gemp_report_set(a->job.report, "distances", list);
}

/* Collective. */
static gemp_code report_result(gemp_analysis *a, const gemp_sssp_result *found)
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
	gemp_report_set(report, "reached", gemp_json_count(found->reached));
	gemp_report_set(report, "reached_edges", gemp_json_count(found->reached_edges));
	gemp_report_set(report, "relaxed_edges", gemp_json_count(cost->edges));
	gemp_report_set(report, "rounds", gemp_json_count(cost->rounds));
	gemp_report_set(report, "delta", gemp_json_real(found->delta));
	const gemp_analysis_work work = {
		.seconds = cost->wall, .edges = a->layout.edges, .iterations = cost->rounds, .traffic = cost->traffic
	};
	return gemp_analysis_report(a, &work);
}

/* Collective. */
static gemp_code verify(gemp_analysis *a, gemp_vertex source, const gemp_sssp_result *found)
{
	gemp_code code = GEMP_OK;
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now();
	GEMP_OWNED void *distance = NULL, *real = NULL, *predecessor = NULL;
	if (!a->settings.verify)
		return GEMP_OK;
	code = gemp_analysis_by_row(&distance, a, found->distance, sizeof *found->distance);
	GEMP_THEN(gemp_analysis_by_row(&real, a, found->real, sizeof *found->real));
	GEMP_THEN(gemp_analysis_by_row(&predecessor, a, found->predecessor, sizeof *found->predecessor));
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	GEMP_TRY(gemp_verify_sssp(&edges, source, distance, real, predecessor));
	gemp_analysis_report_verified(a, "no edge makes a way shorter, and predecessors lead to the source", since);
	return GEMP_OK;
}

/* Collective. */
static gemp_code add_columns(gemp_analysis *a, const gemp_sssp_result *found)
{
	gemp_table *table = &a->columns->table;
	gemp_code code = found->distance
	                     ? gemp_vertex_columns_u64(table, names[0], &a->layout, found->distance, GEMP_NO_DISTANCE)
	                     : gemp_vertex_columns_double(table, names[0], &a->layout, found->real);
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	return gemp_vertex_columns_keys(table, names[1], &a->layout, a->job.shard, found->predecessor);
}

gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                          const gemp_analysis_settings *settings, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_analysis a;
	gemp_sssp *engine = NULL;
	gemp_sssp_result found;
	gemp_vertex source;
	double build = 0;
	GEMP_TRY_DONE(gemp_analysis_begin(&a, "sssp", graph, edges, settings, report, names, 2));
	GEMP_TRY_DONE(gemp_analysis_source(&a, &source));
	GEMP_TRY_DONE(gemp_analysis_layout(&a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
	                                                              .wanted = GEMP_LAYOUT_LENGTHS,
	                                                              .not_negative = true }));
	const gemp_sssp_options shape = { .delta = a.settings.delta, .pass = a.settings.pass };
	GEMP_TRY_DONE(gemp_sssp_new(&engine, &a.layout, a.job.device, &shape));
	double prepared = gemp_sssp_prepare_seconds(engine, &build);
	gemp_analysis_add_prepared(&a, prepared, build);
	code = gemp_sssp_run(engine, source, &found);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: weight %s: ", graph->name, a.job.edges.weight);
	GEMP_TRY_DONE(code);
	gemp_analysis_add_search(&a, &found.cost);
	GEMP_TRY_DONE(add_columns(&a, &found));
	GEMP_TRY_DONE(verify(&a, source, &found));
	GEMP_TRY_DONE(gemp_analysis_write(&a));
	if (a.job.reports)
		code = report_result(&a, &found);
done:
	gemp_sssp_free(engine);
	return gemp_analysis_end(&a, code, out);
}
