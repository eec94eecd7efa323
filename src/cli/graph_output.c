#include "cli/graph_output.h"

#include "api/graph_report.h"
#include "api/rates.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_write.h"
#include "io/import/import.h"

#include <sys/stat.h>

gemp_code gemp_graph_output_check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (!options->output)
		code = gemp_fail(GEMP_EUSAGE, "%s needs the graph file to write: --output G.h5", options->command->name);
	else if (comm->rank == 0)
		code = gemp_file_may_write("--output", options->output);
	return gemp_comm_agree(comm, code);
}

static gemp_code write_file(const gemp_report *report, const gemp_options *options, gemp_shard *graph, const char *path,
                            const char *weight, const gemp_list *files, size_t file_lists)
{
	gemp_code code = GEMP_OK;
	size_t count = 0;
	const char **paths = NULL;
	uint64_t *hashes = NULL;
	for (size_t i = 0; i < file_lists; i++)
		count += files[i].count;
	code = GEMP_NEW(paths, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(hashes, count);
	GEMP_TRY(gemp_comm_agree(report->comm, code));
	for (size_t i = 0, at = 0; i < file_lists; i++)
		for (size_t f = 0; f < files[i].count; f++)
			paths[at++] = files[i].items[f];
	if (count)
		GEMP_TRY(gemp_import_hashes(report->comm, paths, count, hashes));
	gemp_provenance provenance = { options->as_given, GEMP_VERSION, count, paths, hashes };
	code = gemp_graph_file_write_weighted(report->comm, graph, path, &provenance, weight);
done:
	gemp_free(paths);
	gemp_free(hashes);
	return code;
}

gemp_code gemp_graph_output_file(const gemp_report *report, const gemp_options *options, gemp_shard *graph,
                                 const char *path, const char *weight)
{
	return write_file(report, options, graph, path, weight, NULL, 0);
}

static uint64_t size_of_all(const gemp_list *files, size_t file_lists)
{
	uint64_t size = 0;
	struct stat status;
	for (size_t i = 0; i < file_lists; i++)
		for (size_t f = 0; f < files[i].count; f++)
			size += stat(files[i].items[f], &status) == 0 ? (uint64_t)status.st_size : 0;
	return size;
}

gemp_code gemp_graph_output(gemp_report *report, const gemp_options *options, gemp_shard *graph, const gemp_list *files,
                            size_t file_lists, gemp_timers *timers, gemp_step_times *steps)
{
	gemp_code code = GEMP_OK;
	struct stat status;
	const char *path = options->output;
	double since = gemp_now();
	gemp_step_times_next(steps, "write");
	GEMP_TRY(write_file(report, options, graph, path, options->weight, files, file_lists));
	gemp_step_times_next(steps, NULL);
	gemp_timers_add(timers, GEMP_PHASE_WRITE, since);
	uint64_t bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
	gemp_report_set(report, "output", json_string(path));
	gemp_report_set(report, "bytes", gemp_json_count(bytes));
	gemp_report_detail(report, "%s: %s, %s, %s\n", path, gemp_counted(graph->vertex_count, "vertex").text,
	                   gemp_counted(gemp_shard_edges(graph), "edge").text, gemp_shown_bytes(bytes).text);
	if (options->quiet)
		gemp_report_graph(report, graph);
	else
		GEMP_TRY(gemp_schema_report(report, graph, false));
	gemp_report_seconds(report, timers, false);
	if (steps)
		gemp_report_throughput(report, steps, gemp_shard_edges(graph), size_of_all(files, file_lists));
	gemp_report_memory(report, 0);
done:
	return code;
}
