/* The steps of an analysis and its report. The clocks are divided so that the phases of a report add up. An engine
 * measures its preparation, its kernels and its exchanges. The remaining time of a run is work of the host
 * (GEMP_PHASE_RESOLVE). */

#include "api/analytics/analysis.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "io/rows/vertex_keys.h"

#include <string.h>

GEMP_SETTINGS(gemp_analysis_settings, .damping = .85, .tolerance = 1e-6, .max_iterations = 100, .repeat = 1)

/* Opens no device. */
gemp_code gemp_analysis_begin(gemp_analysis *a, const gemp_analysis_kind *kind, gemp_columns **out, gemp_graph *graph,
                              const gemp_edge_selection *edges, const gemp_analysis_settings *settings,
                              gemp_report *report)
{
	*a = (gemp_analysis){ .kind = kind, .settings = gemp_analysis_settings_from(settings) };
	if (out)
		*out = NULL;
	a->wants_columns = out || a->settings.save.output || a->settings.save.into;
	GEMP_TRY(gemp_edge_job_begin(&a->job, graph, edges, report));
	GEMP_TRY(gemp_vertex_output_check(graph, &a->settings.save, kind->name, kind->columns, kind->column_count));
	return gemp_columns_new(&a->job.columns, graph->context);
}

/* The time of computing the layout counts as conversion. */
gemp_code gemp_analysis_layout(gemp_analysis *a, gemp_layout_options how)
{
	double since = gemp_now();
	how.relations = a->job.relations;
	how.direction = a->job.edges.direction;
	how.weight = a->job.edges.weight;
	GEMP_TRY(gemp_edge_job_check_weight(&a->job));
	GEMP_TRY(gemp_layout_load(a->job.comm, a->job.shard, &how));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_edge_job_device(&a->job));
	if (a->settings.gather != GEMP_GATHER_BINNED)
		how.device = a->job.device;
	gemp_code code = gemp_layout_new(&a->layout, a->job.comm, a->job.shard, &how);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: ", a->job.graph->name);
	GEMP_TRY(code);
	a->job.timers.seconds[GEMP_PHASE_CONVERT] += a->layout.seconds;
	a->prepared += a->layout.seconds;
	return GEMP_OK;
}

gemp_code gemp_analysis_name_weight(const gemp_analysis *a, gemp_code code)
{
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: weight %s: ", a->job.graph->name, a->job.edges.weight);
	return code;
}

gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source)
{
	if (a->settings.source_count != 1)
		return gemp_fail(GEMP_EUSAGE, "%s starts from one source; got %zu", a->kind->name, a->settings.source_count);
	double since = gemp_now();
	GEMP_TRY(gemp_vertex_keys_sources(source, a->job.comm, a->job.shard, a->job.graph->name, a->settings.sources, 1));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_READ, since);
	return GEMP_OK;
}

void gemp_analysis_add_prepared(gemp_analysis *a, double seconds, double build)
{
	a->prepared += seconds;
	a->job.timers.seconds[GEMP_PHASE_BUILD] += build;
	a->job.timers.seconds[GEMP_PHASE_UPLOAD] += seconds;
}

void gemp_analysis_add_search(gemp_analysis *a, const gemp_traversal_cost *cost)
{
	double *seconds = a->job.timers.seconds, host = cost->wall - cost->device - cost->exchange;
	seconds[GEMP_PHASE_KERNEL] += cost->device + cost->parents;
	seconds[GEMP_PHASE_EXCHANGE] += cost->exchange;
	seconds[GEMP_PHASE_RESOLVE] += host > 0 ? host : 0;
	seconds[GEMP_PHASE_DOWNLOAD] += cost->download;
}

void gemp_analysis_add_sums(gemp_analysis *a, const gemp_dense_report *run)
{
	double *seconds = a->job.timers.seconds, host = run->wall - run->own - run->ghost - run->halo - run->agree;
	gemp_analysis_add_prepared(a, run->prepare, run->build);
	seconds[GEMP_PHASE_KERNEL] += run->own + run->ghost;
	seconds[GEMP_PHASE_EXCHANGE] += run->halo + run->agree;
	seconds[GEMP_PHASE_RESOLVE] += host > 0 ? host : 0;
}

/* The check reads the rows of the graph, not the layout, so it also finds mistakes of the layout. */
gemp_verify_edges gemp_analysis_edges(const gemp_analysis *a)
{
	return (gemp_verify_edges){ .comm = a->job.comm,
		                        .graph = a->job.shard,
		                        .relations = a->job.relations,
		                        .direction = a->job.edges.direction,
		                        .weight = a->job.edges.weight };
}

/* Local vertices are in the order of the device, but the check reads the rows in the order of the graph. */
gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size)
{
	*out = values ? gemp_calloc(a->layout.own, size) : NULL;
	for (size_t row = 0; *out && row < a->layout.own; row++)
		memcpy((char *)*out + row * size, (const char *)values + a->layout.local[row] * size, size);
	return *out || !values ? GEMP_OK : GEMP_ENOMEM;
}

void gemp_analysis_report_verified(gemp_analysis *a, const char *what, double since)
{
	gemp_report_print(a->job.report, "Verified: %s\n", what);
	gemp_report_set(a->job.report, "verified", json_true());
	gemp_report_set(a->job.report, "verify_seconds", json_real(gemp_now() - since));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_VERIFY, since);
}

/* REPORT */

void gemp_analysis_report_reached(gemp_analysis *a, gemp_count reached)
{
	gemp_report_print(a->job.report, "%s of %s %s reached from %s", gemp_grouped(reached).text,
	                  gemp_counted(a->layout.vertices, "vertex").text, reached == 1 ? "is" : "are",
	                  a->settings.sources[0]);
}

/* The seconds of the device and of the exchange are parts of the seconds of the search. The table says so. */
void gemp_analysis_report_stages(gemp_analysis *a, const gemp_traversal_cost *cost)
{
	enum { STAGES = 5 };
	static const char *const stages[STAGES] = { "search", "device", "exchange", "settle", "download" };
	double seconds[STAGES] = { cost->wall, cost->device, cost->exchange, cost->parents, cost->download };
	json_t *object = json_object();
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seconds, STAGES, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	gemp_report_detail(a->job.report, "\n  stage              ms\n");
	for (int s = 0; s < STAGES; s++) {
		json_object_set_new(object, stages[s], json_real(seconds[s]));
		gemp_report_detail(a->job.report, "  %-10s %10.3f%s\n", stages[s], 1e3 * seconds[s],
		                   s == 1 || s == 2 ? "   of it" : "");
	}
	gemp_report_set(a->job.report, "stages", object);
}

/* Reports the grid of ranks that share the edges, and how many of the bytes per edge and iteration carry partial sums
 * instead of values. */
static void report_grid(gemp_analysis *a, uint64_t sum_bytes, double steps)
{
	const gemp_layout_grid grid = a->layout.grid;
	double edges = (double)a->layout.edges, each = edges > 0 ? (double)sum_bytes / edges / steps : 0;
	gemp_report_detail(a->job.report, "  %-10s %.3f of them sums, on a grid of %d row%s and %d column%s\n", "", each,
	                   grid.rows, grid.rows == 1 ? "" : "s", grid.columns,
	                   grid.columns == 1 ? ": the random partition" : "s");
	gemp_report_set(a->job.report, "grid", json_pack("{s:i, s:i}", "rows", grid.rows, "columns", grid.columns));
	gemp_report_set(a->job.report, "sum_bytes_per_edge_and_iteration", json_real(each));
}

/* Collective. A single rank exchanges nothing, so its report has no such fields. */
static void report_exchange(gemp_analysis *a, const gemp_analysis_work *work)
{
	if (a->job.comm->size == 1)
		return;
	const gemp_traffic all = gemp_report_traffic(a->job.report, &work->traffic);
	const uint64_t sum_bytes = gemp_comm_sum1(a->job.comm, work->sum_bytes);
	double steps = (double)(work->iterations ? work->iterations : 1), edges = (double)a->layout.edges;
	double each = edges > 0 ? (double)all.bytes / edges / steps : 0;
	gemp_report_detail(a->job.report, "  %-10s %.3f bytes an edge and iteration\n", "", each);
	gemp_report_set(a->job.report, "bytes_per_edge_and_iteration", json_real(each));
	if (a->settings.cut == GEMP_LAYOUT_ON_GRID)
		report_grid(a, sum_bytes, steps);
}

/* Collective. Reports edges a second, and the bandwidth relative to the bandwidth of a copy in the devices' memory, if
 * that is known. Only this ratio shows how far the kernels are from the limit. Below WORTH_COMPARING bytes the launches
 * dominate the time, and no ratio is reported. */
static gemp_code report_rate(gemp_analysis *a, const gemp_analysis_work *work)
{
	enum { WORTH_COMPARING = 1 << 22 };
	double longest[2] = { work->seconds, a->prepared }, copy = 0;
	uint64_t bytes = gemp_comm_sum1(a->job.comm, work->bytes);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, longest, 2, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	double seconds = longest[0], gteps = seconds > 0 ? 1e-9 * (double)work->edges / seconds : 0;
	gemp_report_detail(a->job.report, "  %-10s %10.3f ms: %.3f billion edges a second; made ready in %.3f ms\n", "work",
	                   1e3 * seconds, gteps, 1e3 * longest[1]);
	if (bytes >= WORTH_COMPARING)
		GEMP_TRY(gemp_report_copy_rate(&copy, a->job.comm, a->job.device));
	if (copy > 0) {
		double rate = seconds > 0 ? (double)bytes / seconds : 0;
		gemp_report_detail(a->job.report, "  %-10s %10.1f GB/s, %.2f of a copy in the same memory (%.1f GB/s)\n", "",
		                   1e-9 * rate, rate / copy, 1e-9 * copy);
		gemp_report_set(a->job.report, "bandwidth_share", json_real(rate / copy));
		gemp_report_set(a->job.report, "copy_bytes_per_second", json_real(copy));
	}
	gemp_report_set(a->job.report, "work_seconds", json_real(seconds));
	gemp_report_set(a->job.report, "prepare_seconds", json_real(longest[1]));
	gemp_report_set(a->job.report, "gteps", json_real(gteps));
	gemp_report_set(a->job.report, "bytes_moved", gemp_json_count(bytes));
	return GEMP_OK;
}

/* The graph is set before the rates, since they refer to its edges. */
gemp_code gemp_analysis_report(gemp_analysis *a, const gemp_analysis_work *work)
{
	gemp_report *report = a->job.report;
	gemp_report_graph(report, a->job.shard);
	gemp_report_set_counts(report, { "edges_led_along", a->layout.edges }, { "edges_of_the_work", work->edges });
	gemp_report_detail(report, "\n");
	GEMP_TRY(report_rate(a, work));
	report_exchange(a, work);
	return gemp_report_resources(report, a->job.runtime, &a->job.timers);
}

/* Every iteration uses all edges, so edges and bytes are the figures of one iteration times the number of
 * iterations. */
gemp_code gemp_analysis_report_sums(gemp_analysis *a, const gemp_dense_report *run)
{
	double wall = run->wall;
	const gemp_analysis_work work = { .seconds = wall,
		                              .edges = a->layout.edges * run->rounds,
		                              .iterations = run->rounds,
		                              .bytes = run->bytes * run->rounds,
		                              .traffic = run->traffic,
		                              .sum_bytes = run->sum_bytes };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &wall, 1, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	double each = run->rounds ? wall / run->rounds : 0;
	gemp_report_detail(a->job.report, "  %-10s %10.3f ms an iteration\n", "time", 1e3 * each);
	gemp_report_set(a->job.report, "seconds_per_iteration", json_real(each));
	return gemp_analysis_report(a, &work);
}

/* COLUMNS, WRITING AND RELEASE */

/* Columns that nobody receives are not made: for R-MAT 24 the parents' keys took 1.0 of the 3.3 s of a bfs (H200 and
 * 16 cores, 2026-11-28). */
gemp_code gemp_analysis_column(gemp_analysis *a, gemp_column_values type, const void *values, uint64_t none)
{
	gemp_table *table = &a->job.columns->table;
	double since = gemp_now();
	if (!a->wants_columns)
		return GEMP_OK;
	GEMP_TRY(gemp_vertex_column_add(table, a->kind->columns[table->count], &a->layout, type, values, none));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

gemp_code gemp_analysis_column_keys(gemp_analysis *a, const gemp_vertex *values)
{
	gemp_table *table = &a->job.columns->table;
	double since = gemp_now();
	if (!a->wants_columns)
		return GEMP_OK;
	GEMP_TRY(gemp_vertex_column_keys(table, a->kind->columns[table->count], &a->layout, a->job.shard, values));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

gemp_code gemp_analysis_write(gemp_analysis *a)
{
	double since = gemp_now();
	gemp_table *table = &a->job.columns->table;
	table->rows = a->job.shard->rows;
	GEMP_TRY(gemp_vertex_output_write(a->job.graph, &a->settings.save, a->kind->name, table, a->job.report));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

void gemp_analysis_free(gemp_analysis *a)
{
	gemp_layout_free(&a->layout);
	gemp_edge_job_free(&a->job);
}
