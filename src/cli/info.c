/* info: what a graph file holds. With --schema nothing but the head of the file is read, so that it answers at once for files of any
 * size. */

#include "cli/handles.h"
#include "cli/report/report_run.h"

static gemp_code info(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return gemp_graph_describe(graph, !options->schema, report);
}

const gemp_command gemp_command_info = {
	.name = "info",
	.bit = GEMP_ON_INFO,
	.arguments = "G.h5",
	.summary = "Shows labels, edge types, attributes, sizes and degrees of a graph file",
	.text = "",
	.examples = "gemp-mpi info movies.h5\ngemp-mpi info movies.h5 --schema --json -\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = info,
};
