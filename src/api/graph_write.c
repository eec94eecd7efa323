/* graph_write: writes a graph as a graph file with its provenance, or as files for other programs. If the graph was
 * imported or generated, the report has the throughput, since writing is the last step of making a graph. */

#include "api/graph.h"
#include "api/report.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/export/export.h"
#include "io/graph_file/graph_file_write.h"

#include <inttypes.h>
#include <sys/stat.h>

GEMP_SETTINGS(gemp_write_settings)
GEMP_SETTINGS(gemp_export_settings)

/* Returns the size of a file in bytes. A file that has been removed counts as empty, since the size is only a figure of
 * the report. */
static uint64_t file_size(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Local. Adds the indexes of values that the file gets. Making the graph may have taken hours, so a wrong name does not
 * keep it from being written. */
static gemp_code add_indexes(gemp_shard *shard, const gemp_write_settings *settings)
{
	for (size_t i = 0; i < settings->indexed_count; i++) {
		const gemp_column *column = gemp_table_find(&shard->attributes, settings->indexed[i]);
		if (!column || !gemp_value_index_takes(column->type))
			gemp_warn("index %s: %s, so the file gets no such index; 'gemp-mpi index --values' adds indexes later",
			          settings->indexed[i],
			          column ? "only strings, integers and floats have one" : "no vertex has this attribute");
		else
			GEMP_TRY(gemp_shard_add_value_index(shard, (size_t)(column - shard->attributes.columns)));
	}
	return GEMP_OK;
}

/* Collective. Writes the graph file with the names and hashes of its input files. Adds the sizes of these files to
 * *bytes. */
static gemp_code write_file(gemp_graph *graph, const char *path, const gemp_write_settings *settings, uint64_t *bytes)
{
	const gemp_comm *comm = &graph->context->comm;
	gemp_provenance provenance = { .command = settings->command ? settings->command : "libgemp",
		                           .version = gemp_version(),
		                           .input_count = settings->input_count,
		                           .inputs = settings->inputs };
	GEMP_OWNED uint64_t *hashes = NULL;
	if (!settings->input_count) {
		provenance.input_count = graph->inputs.count;
		provenance.inputs = (const char *const *)graph->inputs.path;
	}
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(hashes, provenance.input_count)));
	if (settings->input_count)
		GEMP_TRY(gemp_source_hashes_make(comm, provenance.inputs, provenance.input_count, hashes));
	else if (graph->input_hashes)
		GEMP_TRY(gemp_source_hashes_get(graph->input_hashes, comm, hashes));
	provenance.input_hashes = hashes;
	for (size_t i = 0; i < provenance.input_count; i++)
		*bytes += file_size(provenance.inputs[i]);
	GEMP_TRY(gemp_comm_agree(comm, add_indexes(graph->shard, settings)));
	return gemp_graph_file_write_weighted(comm, graph->shard, path, &provenance, settings->weight, settings->compressed,
	                                      settings->indexed_count > 0);
}

/* THE GRAPH FILE */

/* Collective. All ranks have the same steps. The text shows the seconds of the slowest rank, for which the other ranks
 * wait. */
static void report_steps(gemp_report *report, const gemp_step_times *steps)
{
	double own[GEMP_MAX_STEP_TIMES] = { 0 }, min[GEMP_MAX_STEP_TIMES], sum[GEMP_MAX_STEP_TIMES],
		   max[GEMP_MAX_STEP_TIMES];
	int count = (int)steps->count;
	json_t *object = json_object();
	for (int i = 0; i < count; i++)
		own[i] = steps->step[i].seconds;
	gemp_reduce_spread(report->comm, own, count, min, sum, max);
	gemp_report_detail(report, "  %-10s", "steps");
	for (int i = 0; i < count && report->comm->rank == 0; i++) {
		json_object_set_new(object, steps->step[i].name,
		                    gemp_json_spread(min[i], "avg", sum[i] / report->comm->size, max[i]));
		gemp_report_detail(report, "%s %s %s", i ? "," : "", steps->step[i].name, gemp_shown_seconds(max[i]).text);
	}
	gemp_report_detail(report, "   (seconds of the slowest rank)\n");
	gemp_report_set(report, "steps", object);
}

/* Collective. Reports how fast a graph was made, in which steps, and in how much memory. The rates are over the whole
 * time since the report began, which includes reading and writing. `bytes` is the size of the input files, or 0 if
 * there are none. */
static void report_throughput(gemp_report *report, const gemp_step_times *steps, uint64_t edges, uint64_t bytes)
{
	double seconds = gemp_now() - report->began;
	uint64_t resident = gemp_memory_resident_peak();
	gemp_comm_max(report->comm, &resident, 1);
	report_steps(report, steps);
	double edge_rate = seconds > 0 ? (double)edges / seconds : 0, byte_rate = seconds > 0 ? (double)bytes / seconds : 0;
	json_t *object = json_pack("{s:f, s:f}", "seconds", seconds, "edges_per_second", edge_rate);
	gemp_report_detail(report, "  %-10s %s edges/s", "throughput", gemp_grouped((uint64_t)edge_rate).text);
	if (bytes) {
		json_object_set_new(object, "input_bytes", gemp_json_count(bytes));
		json_object_set_new(object, "bytes_per_second", json_real(byte_rate));
		gemp_report_detail(report, ", %s of %s input/s", gemp_shown_bytes((uint64_t)byte_rate).text,
		                   gemp_shown_bytes(bytes).text);
	}
	json_object_set_new(object, "resident_bytes", gemp_json_count(resident));
	gemp_report_detail(report, "; peak of the largest rank in memory %s\n", gemp_shown_bytes(resident).text);
	gemp_report_set(report, "throughput", object);
}

/* The clock of the steps must stop here even if no report is wanted, since writing is the last step. */
gemp_code gemp_graph_write(gemp_graph *graph, const char *path, const gemp_write_settings *settings,
                           gemp_report *report)
{
	const gemp_write_settings chosen = gemp_write_settings_from(settings);
	const gemp_shard *shard = graph->shard;
	uint64_t input_bytes = 0;
	double since = gemp_now();
	bool made = graph->steps.count > 0;
	if (made)
		gemp_step_times_next(&graph->steps, "write");
	gemp_code code = write_file(graph, path, &chosen, &input_bytes);
	if (made)
		gemp_step_times_next(&graph->steps, NULL);
	gemp_timers_add(&graph->timers, GEMP_PHASE_WRITE, since);
	if (code != GEMP_OK || !report)
		return code;
	const gemp_timers timers = gemp_graph_take_timers(graph);
	uint64_t bytes = file_size(path);
	gemp_report_set(report, "output", json_string(path));
	gemp_report_set(report, "bytes", gemp_json_count(bytes));
	gemp_report_detail(report, "%s: %s, %s, %s\n", path, gemp_counted(shard->vertex_count, "vertex").text,
	                   gemp_counted(gemp_shard_edges(shard), "edge").text, gemp_shown_bytes(bytes).text);
	if (report->brief)
		gemp_report_graph(report, shard);
	else
		GEMP_TRY(gemp_schema_report(report, graph->shard, false));
	gemp_report_seconds(report, &timers, false);
	if (made)
		report_throughput(report, &graph->steps, gemp_shard_edges(shard), input_bytes);
	gemp_report_memory(report, 0);
	return GEMP_OK;
}

/* FILES FOR OTHER PROGRAMS */

/* Prints the command that makes the graph again from the files. A matrix is imported without its file of keys: the
 * vertices then have their numbers in the matrix as keys. */
static void print_way_back(const gemp_report *report, const gemp_shard *graph, gemp_export_format format,
                           const gemp_export_files *files)
{
	bool undirected = graph->relation_count > 0;
	for (size_t r = 0; r < graph->relation_count; r++)
		undirected &= !graph->relations[r].directed;
	gemp_report_detail(report, "\nBack: gemp-mpi import ");
	if (files->vertices && format != GEMP_EXPORT_MTX)
		gemp_report_detail(report, "%s %s ", format == GEMP_EXPORT_XMI ? "--metamodel" : "--vertices", files->vertices);
	gemp_report_detail(report, "--edges %s%s", files->edges, undirected ? " --undirected" : "");
	if (graph->seed != 1)
		gemp_report_detail(report, " --seed %" PRIu64, graph->seed);
	gemp_report_detail(report, " -o G.h5\n");
}

/* Reports the name of the only file, or of the files of vertices and edges. The size of a text on stdout is unknown. */
static void report_files(gemp_report *report, const gemp_shard *graph, const gemp_export_files *files)
{
	json_t *list = json_array();
	const char *const paths[] = { files->vertices, files->edges };
	const bool printed = strcmp(files->edges, "-") == 0;
	const uint64_t bytes = printed ? 0 : (files->vertices ? file_size(files->vertices) : 0) + file_size(files->edges);
	for (size_t i = 0; i < 2; i++) {
		if (!paths[i])
			continue;
		json_array_append_new(list, json_string(paths[i]));
		gemp_report_detail(report, "%s%s", i && files->vertices ? " and " : "", paths[i]);
	}
	gemp_report_detail(report, ": %s, %s%s%s\n", gemp_counted(graph->vertex_count, "vertex").text,
	                   gemp_counted(gemp_shard_edges(graph), "edge").text, printed ? "" : ", ",
	                   printed ? "" : gemp_shown_bytes(bytes).text);
	gemp_report_set(report, "output", list);
	if (!printed)
		gemp_report_set(report, "bytes", gemp_json_count(bytes));
}

/* Local. Refuses a weight for formats that would ignore the weight. */
static gemp_code export_options(gemp_export_options *out, const char *path, const gemp_export_settings *settings)
{
	const gemp_export_settings chosen = gemp_export_settings_from(settings);
	*out = (gemp_export_options){ chosen.format, path, chosen.type, chosen.weight };
	GEMP_TRY(gemp_export_choose(&out->format, path));
	if (out->weight && out->format != GEMP_EXPORT_MTX)
		return gemp_fail(GEMP_EUSAGE, "weight is for .mtx; the other formats have all columns");
	return GEMP_OK;
}

/* Format and path are checked before the graph is read, which may take long. */
gemp_code gemp_graph_export(gemp_graph *graph, const char *path, const gemp_export_settings *settings,
                            gemp_report *report)
{
	gemp_shard *shard = graph->shard;
	GEMP_OWNED_BY(gemp_export_files_free) gemp_export_files files = { 0 };
	gemp_export_options how;
	double since = gemp_now();
	GEMP_TRY(export_options(&how, path, settings));
	GEMP_TRY(gemp_export(&graph->context->comm, shard, &how, &files));
	gemp_timers_add(&graph->timers, GEMP_PHASE_WRITE, since);
	if (!report)
		return GEMP_OK;
	report_files(report, shard, &files);
	gemp_report_graph(report, shard);
	if (how.format != GEMP_EXPORT_DOT && !how.type && strcmp(path, "-") != 0)
		print_way_back(report, shard, how.format, &files);
	const gemp_timers timers = gemp_graph_take_timers(graph);
	gemp_report_seconds(report, &timers, false);
	gemp_report_memory(report, 0);
	return GEMP_OK;
}
