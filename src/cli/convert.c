#include "cli/report/report_run.h"
#include "core/quantity.h"
#include "io/export/export.h"
#include "io/file/local_file.h"
#include "io/graph_file/graph_file_read.h"

#include <inttypes.h>
#include <sys/stat.h>

static gemp_code check(gemp_export_format *format, const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	*format = (gemp_export_format)options->export_format;
	if (!options->output)
		code = gemp_fail(GEMP_EUSAGE, "convert needs the file to write: --output F");
	else
		code = gemp_export_choose(format, options->output);
	if (code == GEMP_OK && options->weight && *format != GEMP_EXPORT_MTX)
		code = gemp_fail(GEMP_EUSAGE, "--weight is for .mtx; the other formats have all columns");
	if (code == GEMP_OK && comm->rank == 0)
		code = gemp_file_may_write("--output", options->output);
	return gemp_comm_agree(comm, code);
}

static uint64_t size_of(const char *path)
{
	struct stat status;
	return path && stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
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

static void report_files(gemp_report *report, const gemp_shard *graph, const gemp_export_files *files)
{
	json_t *list = json_array();
	const char *const paths[] = { files->vertices, files->edges };
	uint64_t bytes = size_of(files->vertices) + size_of(files->edges);
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

static gemp_code convert(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_shard *graph = NULL;
	gemp_timers timers = { 0 };
	gemp_export_files files = { 0 };
	gemp_export_options how = { .path = options->output, .type = options->only_type, .weight = options->weight };
	gemp_code code = check(&how.format, comm, options);
	if (code != GEMP_OK)
		return code;
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[0]));
	GEMP_TRY(gemp_export(comm, graph, &how, &files));
	gemp_timers_add(&timers, GEMP_PHASE_WRITE, since);
	report_files(report, graph, &files);
	gemp_report_graph(report, graph);
	if (how.format != GEMP_EXPORT_DOT && !how.type)
		report_way_back(report, graph, how.format, &files);
	gemp_report_seconds(report, &timers, false);
	gemp_report_memory(report, 0);
done:
	gemp_export_files_free(&files);
	gemp_shard_free(graph);
	return code;
}

const gemp_command gemp_command_convert = {
	.name = "convert",
	.bit = GEMP_ON_CONVERT,
	.arguments = "G.h5 -o F",
	.summary = "Writes a graph in a form that other programs read",
	.text = "By the ending of F: .tsv or .csv makes two files, F.vertices.tsv and F.edges.tsv for F.tsv, that import "
			"reads again; .jsonl, .graphml and .dot make one; .xmi (EMF) comes with its metamodel, "
			"F.metamodel.ecore; .mtx (Matrix Market) has vertices as numbers in the order of their keys, and says in "
			"F.keys.tsv which is which.\n"
			"All ranks write at once. The files do not depend on their number.\n",
	.examples = "gemp-mpi convert movies.h5 -o movies.csv\n"
				"mpirun -n 8 gemp-mpi convert movies.h5 -o movies.graphml\n"
				"gemp-mpi convert movies.h5 -o acts.mtx --type ACTS_IN\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = convert,
};
