/* graph_write: a graph as a file: the graph file, with provenance, and the files of other programs. The report of a graph that this
 * program has made ends with how fast that was, since only now all its steps are known.
 */

#include "api/graph_report.h"
#include "api/graph_state.h"
#include "api/rates.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/export/export.h"
#include "io/graph_file/graph_file_write.h"

#include <inttypes.h>
#include <sys/stat.h>

void gemp_write_settings_init(gemp_write_settings *settings)
{
	*settings = (gemp_write_settings){ .size = sizeof *settings };
}

/* A file that cannot be read any more counts nothing; it is only a figure of the report. */
static uint64_t size_of(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Collective. The bytes of the inputs are added to *bytes. */
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
	if (provenance.input_count)
		GEMP_TRY(gemp_import_hashes(comm, provenance.inputs, provenance.input_count, hashes));
	provenance.input_hashes = hashes;
	for (size_t i = 0; i < provenance.input_count; i++)
		*bytes += size_of(provenance.inputs[i]);
	return gemp_graph_file_write_weighted(comm, graph->shard, path, &provenance, settings->weight);
}

/* Writing is the last step of making a graph, so the step goes on even where nobody wants a report. */
gemp_code gemp_graph_write(gemp_graph *graph, const char *path, const gemp_write_settings *settings,
                           gemp_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_write_settings chosen;
	const gemp_shard *shard = graph->shard;
	uint64_t input_bytes = 0;
	double since = gemp_now();
	bool made = graph->steps.count > 0;
	gemp_write_settings_init(&chosen);
	if (settings)
		gemp_options_copy(&chosen, sizeof chosen, settings);
	if (made)
		gemp_step_times_next(&graph->steps, "write");
	code = write_file(graph, path, &chosen, &input_bytes);
	if (made)
		gemp_step_times_next(&graph->steps, NULL);
	gemp_timers_add(&graph->timers, GEMP_PHASE_WRITE, since);
	if (code != GEMP_OK || !report)
		return code;
	const gemp_timers timers = gemp_graph_take_timers(graph);
	uint64_t bytes = size_of(path);
	gemp_report_set(report, "output", json_string(path));
	gemp_report_set(report, "bytes", gemp_json_count(bytes));
	gemp_report_detail(report, "%s: %s, %s, %s\n", path, gemp_counted(shard->vertex_count, "vertex").text,
	                   gemp_counted(gemp_shard_edges(shard), "edge").text, gemp_shown_bytes(bytes).text);
	if (report->brief)
		gemp_report_graph(report, shard);
	else
		GEMP_TRY_DONE(gemp_schema_report(report, graph->shard, false));
	gemp_report_seconds(report, &timers, false);
	if (made)
		gemp_report_throughput(report, &graph->steps, gemp_shard_edges(shard), input_bytes);
	gemp_report_memory(report, 0);
done:
	return code;
}

/* The command that makes the graph again. */
static void report_way_back(const gemp_report *report, const gemp_shard *graph, gemp_export_format format,
                            const gemp_export_files *files)
{
	bool undirected = graph->relation_count > 0;
	for (size_t r = 0; r < graph->relation_count; r++)
		undirected &= !graph->relations[r].directed;
	const char *beside = format == GEMP_EXPORT_XMI ? "--metamodel " : "--vertices ";
	gemp_report_detail(report, "\nBack: gemp-mpi import %s%s%s--edges %s%s", files->vertices ? beside : "",
	                   files->vertices ? files->vertices : "", files->vertices ? " " : "", files->edges,
	                   undirected ? " --undirected" : "");
	if (graph->seed != 1)
		gemp_report_detail(report, " --seed %" PRIu64, graph->seed);
	gemp_report_detail(report, " -o G.h5\n");
}

/* One file, or two of which the second has the edges. */
static void report_files(gemp_report *report, const gemp_shard *graph, const gemp_export_files *files)
{
	json_t *list = json_array();
	const char *const paths[] = { files->vertices, files->edges };
	uint64_t bytes = (files->vertices ? size_of(files->vertices) : 0) + size_of(files->edges);
	for (size_t i = 0; i < 2; i++) {
		if (!paths[i])
			continue;
		json_array_append_new(list, json_string(paths[i]));
		gemp_report_detail(report, "%s%s", i && files->vertices ? " and " : "", paths[i]);
	}
	gemp_report_detail(report, ": %s, %s, %s\n", gemp_counted(graph->vertex_count, "vertex").text,
	                   gemp_counted(gemp_shard_edges(graph), "edge").text, gemp_shown_bytes(bytes).text);
	gemp_report_set(report, "output", list);
	gemp_report_set(report, "bytes", gemp_json_count(bytes));
}

void gemp_export_settings_init(gemp_export_settings *settings)
{
	*settings = (gemp_export_settings){ .size = sizeof *settings };
}

/* Refuses a weight where it would be ignored. */
static gemp_code export_options(gemp_export_options *out, const char *path, const gemp_export_settings *settings)
{
	gemp_export_settings chosen;
	gemp_export_settings_init(&chosen);
	if (settings)
		gemp_options_copy(&chosen, sizeof chosen, settings);
	*out = (gemp_export_options){ chosen.format, path, chosen.type, chosen.weight };
	GEMP_TRY(gemp_export_choose(&out->format, path));
	if (out->weight && out->format != GEMP_EXPORT_MTX)
		return gemp_fail(GEMP_EUSAGE, "weight is for .mtx; the other formats have all columns");
	return GEMP_OK;
}

/* The format is known before anything is read. */
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
	if (how.format != GEMP_EXPORT_DOT && !how.type)
		report_way_back(report, shard, how.format, &files);
	const gemp_timers timers = gemp_graph_take_timers(graph);
	gemp_report_seconds(report, &timers, false);
	gemp_report_memory(report, 0);
	return GEMP_OK;
}
