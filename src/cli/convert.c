/* convert: a graph file to a form that other programs read. What a format cannot hold is refused by the library, before a file
 * gets its name. */

#include "cli/handles.h"
#include "cli/report/report_run.h"

/* A path that cannot be written is found before the graph is read. */
static gemp_code check(const gemp_context *context, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (!options->output)
		code = gemp_fail(GEMP_EUSAGE, "convert needs the file to write: --output F");
	else if (gemp_context_rank(context) == 0)
		code = gemp_file_may_write("--output", options->output);
	return gemp_context_agree(context, code);
}

static gemp_code convert(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_export_settings settings;
	gemp_export_settings_init(&settings);
	settings.format = (gemp_export_format)options->export_format;
	settings.type = options->only_type;
	settings.weight = options->weight;
	GEMP_TRY(check(context, options));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return gemp_graph_export(graph, options->output, &settings, report);
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
