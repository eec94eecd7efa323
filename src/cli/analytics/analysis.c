#include "cli/analytics/analysis.h"
#include "io/rows/row_writer.h"

#include "analytics/layout/layout_build.h"
#include "api/context_state.h"
#include "cli/analytics/vertex_output.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "device/open.h"
#include "io/graph_file/graph_file_read.h"
#include "io/rows/vertex_keys.h"

#include <string.h>

/* Collective. The paths are checked before anything is read. */
static gemp_code begin(gemp_analysis *out, gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_analysis){ 0 };
	GEMP_TRY(gemp_graph_job_init(&out->job, context, options, report));
	GEMP_TRY(gemp_rows_path_check(out->job.comm, "output", options->output));
	code = gemp_vertex_output_check(out->job.comm, options);
done:
	return code;
}

/* Collective. */
static gemp_code open_graph(gemp_analysis *a, const gemp_analysis_kind *kind)
{
	gemp_code code = GEMP_OK;
	gemp_graph_job *job = &a->job;
	const char *path = job->options->arguments[0];
	GEMP_TRY(gemp_graph_job_read(job, path));
	GEMP_TRY(gemp_vertex_output_names(job->comm, job->options, job->graph, path, kind->names, kind->count));
	code = gemp_graph_job_device(job);
done:
	return code;
}

/* Has any of the types of edges asked for the attribute, and is it a number? That each edge has one is the layout's. */
static gemp_code check_weight(const gemp_analysis *a)
{
	const char *weight = a->job.options->weight;
	bool any = !weight || a->job.graph->relation_count == 0;
	for (size_t r = 0; r < a->job.graph->relation_count && weight; r++) {
		const gemp_column *column = a->job.relations[r] ? gemp_table_find(&a->job.graph->relations[r].props, weight)
		                                                : NULL;
		any |= column != NULL;
		if (column && column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
			return gemp_fail(GEMP_EUSAGE,
			                 "--weight %s: this attribute of edges %s is %s; weights are integers or floats", weight,
			                 a->job.graph->relations[r].name, gemp_type_name[column->type]);
	}
	return any ? GEMP_OK
	           : gemp_fail(GEMP_EUSAGE,
	                       "--weight %s: no edges have this attribute; `gemp-mpi info %s` lists "
	                       "those that they have",
	                       weight, a->job.options->arguments[0]);
}

gemp_code gemp_analysis_layout(gemp_analysis *a, gemp_layout_options how)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	how.relations = a->job.relations;
	GEMP_TRY(check_weight(a));
	code = gemp_layout_new(&a->layout, a->job.comm, a->job.graph, &how);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: ", a->job.options->arguments[0]);
	if (code != GEMP_OK)
		return code;
	gemp_timers_add_less(&a->job.timers, GEMP_PHASE_READ, since, a->layout.seconds);
	a->job.timers.seconds[GEMP_PHASE_CONVERT] += a->layout.seconds;
	a->prepared += a->layout.seconds;
done:
	return code;
}

gemp_code gemp_analysis_check_source(const gemp_options *options)
{
	const char *command = options->command->name, *first = NULL;
	if (!options->source)
		return gemp_fail(GEMP_EUSAGE, "%s needs the vertex to start from: --source KEY", command);
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (strcmp(given->option->name, "source") != 0 || given->place) /* the line stands in for a configuration's */
			continue;
		if (first)
			return gemp_fail(GEMP_EUSAGE,
			                 "--source %s and --source %s: %s starts from one vertex; run it once for each "
			                 "(pagerank takes several)",
			                 first, given->text, command);
		first = given->text;
	}
	return GEMP_OK;
}

gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source)
{
	return gemp_vertex_keys_sources(source, a->job.comm, a->job.graph, a->job.options->arguments[0],
	                                &a->job.options->source, 1);
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

gemp_verify_edges gemp_analysis_edges(const gemp_analysis *a)
{
	return (gemp_verify_edges){ .comm = a->job.comm,
		                        .graph = a->job.graph,
		                        .relations = a->job.relations,
		                        .direction = (gemp_layout_direction)a->job.options->direction,
		                        .weight = a->job.options->weight };
}

gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size)
{
	char *rows = NULL;
	*out = NULL;
	if (!values)
		return GEMP_OK;
	rows = gemp_calloc(a->layout.own, size);
	if (!rows)
		return GEMP_ENOMEM;
	for (size_t row = 0; row < a->layout.own; row++)
		memcpy(rows + row * size, (const char *)values + a->layout.local[row] * size, size);
	*out = rows;
	return GEMP_OK;
}

void gemp_analysis_report_verified(gemp_analysis *a, const char *what, double since)
{
	gemp_report_print(a->job.report, "Verified: %s\n", what);
	gemp_report_set(a->job.report, "verified", json_true());
	gemp_report_set(a->job.report, "verify_seconds", json_real(gemp_now() - since));
}

/* REPORT */

void gemp_analysis_report_reached(gemp_analysis *a, gemp_count reached)
{
	gemp_report_print(a->job.report, "%s of %s %s reached from %s", gemp_grouped(reached).text,
	                  gemp_counted(a->layout.vertices, "vertex").text, reached == 1 ? "is" : "are",
	                  a->job.options->source);
}

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

/* How ranks share the edges, and what of the bytes were sums. */
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

/* Collective. What travelled, of all ranks. */
static void report_exchange(gemp_analysis *a, const gemp_analysis_work *work)
{
	uint64_t sums[] = { work->traffic.bytes, work->traffic.messages, work->sum_bytes }, rounds = work->traffic.rounds;
	if (a->job.comm->size == 1)
		return;
	gemp_comm_sum(a->job.comm, sums, 3);
	gemp_comm_max(a->job.comm, &rounds, 1);
	const gemp_traffic all = { sums[0], sums[1], rounds };
	double steps = (double)(work->iterations ? work->iterations : 1), edges = (double)a->layout.edges;
	double each = edges > 0 ? (double)sums[0] / edges / steps : 0;
	gemp_report_exchange(a->job.report, &all, -1, NULL);
	gemp_report_detail(a->job.report, "  %-10s %.3f bytes an edge and iteration\n", "", each);
	gemp_report_set(a->job.report, "bytes_per_edge_and_iteration", json_real(each));
	if (a->job.options->cut == GEMP_LAYOUT_ON_GRID)
		report_grid(a, sums[2], steps);
}

/* Collective. How much was done in a second, beside a copy in the devices' memory. */
static gemp_code report_rate(gemp_analysis *a, const gemp_analysis_work *work)
{
	enum { WORTH_MEASURING = 1 << 22 };
	gemp_code code = GEMP_OK;
	gemp_rates rates = { 0 };
	double longest[2] = { work->seconds, a->prepared }, copy = 0;
	uint64_t bytes = gemp_comm_sum1(a->job.comm, work->bytes);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, longest, 2, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	double seconds = longest[0], gteps = seconds > 0 ? 1e-9 * (double)work->edges / seconds : 0;
	gemp_report_detail(a->job.report, "  %-10s %10.3f ms: %.3f billion edges a second; made ready in %.3f ms\n", "work",
	                   1e3 * seconds, gteps, 1e3 * longest[1]);
	if (bytes >= WORTH_MEASURING) {
		GEMP_TRY(gemp_comm_agree(a->job.comm, gemp_device_rates(a->job.device, &rates)));
		GEMP_MPI(MPI_Allreduce(&rates.copy, &copy, 1, MPI_DOUBLE, MPI_SUM, a->job.comm->world));
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
done:
	return code;
}

gemp_code gemp_analysis_report(gemp_analysis *a, const gemp_analysis_work *work)
{
	gemp_code code = GEMP_OK;
	gemp_report *report = a->job.report;
	gemp_report_graph(report, a->job.graph);
	gemp_report_set(report, "edges_led_along", gemp_json_count(a->layout.edges));
	gemp_report_set(report, "edges_of_the_work", gemp_json_count(work->edges));
	gemp_report_detail(report, "\n");
	GEMP_TRY(report_rate(a, work));
	report_exchange(a, work);
	code = gemp_graph_job_resources(&a->job);
done:
	return code;
}

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

/* THE WHOLE */

/* Collective. Rows and graph file, as asked for. */
static gemp_code write_columns(gemp_analysis *a)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	GEMP_TRY(gemp_vertex_output_rows(a->job.report, a->job.options, a->job.graph, &a->columns));
	GEMP_TRY(gemp_vertex_output_into(a->job.report, a->job.options, a->job.graph, a->job.options->arguments[0],
	                                 &a->columns));
	gemp_timers_add(&a->job.timers, GEMP_PHASE_WRITE, since);
done:
	return code;
}

/* Gives the code of the whole command. */
static gemp_code end(gemp_analysis *a, gemp_code code)
{
	gemp_table_free(&a->columns);
	gemp_layout_free(&a->layout);
	gemp_graph_job_free(&a->job);
	*a = (gemp_analysis){ 0 };
	return code;
}

gemp_code gemp_analysis_run(gemp_context *context, const gemp_options *options, gemp_report *report,
                            const gemp_analysis_kind *kind, void *work)
{
	gemp_analysis a;
	gemp_code code = kind->check(options);
	if (code == GEMP_OK)
		code = begin(&a, context, options, report);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(open_graph(&a, kind));
	GEMP_TRY(kind->compute(&a, work));
	GEMP_TRY(write_columns(&a));
	GEMP_TRY(kind->report(&a, work));
done:
	kind->free(work);
	return end(&a, code);
}
