/* partition: how a graph can be cut, and with --output the graph in the order of the parts, which later runs then own in one
 * piece for each rank. */

#include "cli/handles.h"
#include "cli/report/report_run.h"

/* What can be refused before the graph is read. */
static gemp_code check(const gemp_context *context, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (options->weight && !options->output)
		code = gemp_fail(GEMP_EUSAGE, "--weight is about the file that --output writes; give both, or neither");
	else if (options->output && gemp_context_rank(context) == 0)
		code = gemp_file_may_write("--output", options->output);
	return gemp_context_agree(context, code);
}

/* Without --method a file with parts shows them, unless other parts are asked for. */
static gemp_code partition(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL, *ordered = NULL;
	gemp_partition_settings settings;
	gemp_partition_settings_init(&settings);
	settings.parts = options->parts;
	settings.method = (gemp_partitioner)options->method;
	settings.stored = !gemp_options_has(options, "method");
	GEMP_TRY(check(context, options));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	GEMP_TRY(gemp_graph_partition(options->output ? &ordered : NULL, graph, &settings, report));
	if (!options->output)
		return GEMP_OK;
	gemp_report_print(report, "\n");
	return gemp_write_output(ordered, options, report);
}

const gemp_command gemp_command_partition = {
	.name = "partition",
	.bit = GEMP_ON_PARTITION,
	.arguments = "G.h5 [--parts K] [--method METHOD] [-o H.h5]",
	.summary = "Cuts a graph into parts; shows sizes, balance and edges between parts",
	.text = "The vertices of a graph file are in random order. K equal ranges of them are K random parts, which "
			"is what ranks own; they balance the load for any graph. Graphs with structure (roads, meshes, texts) "
			"can have fewer edges between parts: block makes contiguous blocks of keys, ptscotch searches for a "
			"small cut.\n"
			"--output writes the graph in the order of its parts. As many ranks as parts then own one part each. "
			"If the number of ranks divides the number of parts, each rank owns several parts; if it is a "
			"multiple, each owns a piece of a part; other numbers of ranks own equal ranges, with a warning.\n",
	.examples = "gemp-mpi partition movies.h5 --parts 8\n"
				"mpirun -n 8 gemp-mpi partition roads.h5 -k 8 --method ptscotch -o roads-8.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = partition,
};
