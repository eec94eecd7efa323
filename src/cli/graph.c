/* graph: the commands import, generate, info, verify, partition and convert, which make, check and convert graph files
 * (gemp/graph.h).
 *
 * A graph is built in memory, distributed over the ranks, and then written. Output paths are checked before the graph
 * is read, since reading may take hours. */

#include "cli/report/report_run.h"

/* Lists the files of --edges and the files that are arguments. In most formats such a file is a whole graph. The caller
 * frees *out. */
static gemp_code list_edge_files(const char ***out, size_t *count, const gemp_options *options)
{
	size_t listed = options->edge_files.count;
	*count = listed + options->argument_count;
	GEMP_TRY(GEMP_NEW(*out, *count));
	for (size_t i = 0; i < *count; i++)
		(*out)[i] = i < listed ? options->edge_files.items[i] : options->arguments[i - listed];
	return GEMP_OK;
}

/* The words of --parallel are keep and merge. For this command --seed is the seed of the random partition. */
static gemp_code import(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED const char **edges = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const char *endings, *summary;
	gemp_import_settings settings;
	gemp_import_settings_init(&settings);
	GEMP_TRY(gemp_context_agree(context, list_edge_files(&edges, &settings.edge_file_count, options)));
	settings.edge_files = edges;
	settings.vertex_files = options->vertex_files.items;
	settings.vertex_file_count = options->vertex_files.count;
	if (options->format > 0) /* the words of --format are auto and the names of the formats */
		gemp_import_format_at((size_t)options->format - 1, &settings.format, &endings, &summary);
	settings.metamodel = options->metamodel;
	settings.default_label = options->default_label;
	settings.default_type = options->default_type;
	settings.undirected = options->undirected;
	settings.merge_parallel = options->parallel == 1;
	settings.seed = options->relabel_seed;
	GEMP_TRY(gemp_output_check(context, options));
	GEMP_TRY(gemp_graph_import(&graph, context, &settings));
	return gemp_write_output(graph, options, report);
}

const gemp_command gemp_command_import = {
	.name = "import",
	.bit = GEMP_ON_IMPORT,
	.arguments = "--vertices FILE... --edges FILE... -o G.h5\nFILE... -o G.h5",
	.summary = "Makes a graph file of tables, edge lists and other formats",
	.text =
		"Files are plain, .gz, .bz2 or .zst. Tables (TSV, CSV) have a header. A table of vertices has the columns id, type "
		"(several labels: A;B) and attributes; a table of edges has src, dst, type and attributes. The type of a "
		"column is stated (year:int) or inferred; an empty field is NULL. A file of most other formats is a whole "
		"graph. docs/formats.md describes each format.\n"
		"The graph file stores the vertices in random order. The random part of each rank is then contiguous, "
		"whatever the number of ranks.\n",
	.examples = "gemp-mpi import --vertices people.tsv --vertices films.tsv --edges roles.tsv.zst -o movies.h5\n"
				"mpirun -n 4 gemp-mpi import wiki-Vote.txt.gz --undirected -o wiki.h5\n"
				"gemp-mpi import /usr/share/dictd/*.index --undirected -o translations.h5\n",
	.argument_count = { 0, SIZE_MAX },
	.run = import,
};

/* Lists the given parameters as text, since only the generator knows their ranges. (*out)[*count] is freed by the
 * caller. */
static gemp_code list_parameters(gemp_generator_parameter **out, size_t *count, const gemp_options *options)
{
	GEMP_TRY(GEMP_NEW(*out, options->value_count));
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (given->option->kind == GEMP_OPTION_PARAMETER)
			(*out)[(*count)++] = (gemp_generator_parameter){ given->option->name, given->text, given->place };
	}
	return GEMP_OK;
}

/* The ranks agree on the list of parameters before the following steps, which are collective. */
static gemp_code generate(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED gemp_generator_parameter *parameters = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_context_agree(context, list_parameters(&parameters, &count, options)));
	GEMP_TRY(gemp_output_check(context, options));
	GEMP_TRY(gemp_graph_generate(&graph, context, options->arguments[0], parameters, count, options->seed,
	                             options->relabel_seed));
	return gemp_write_output(graph, options, report);
}

const gemp_command gemp_command_generate = {
	.name = "generate",
	.bit = GEMP_ON_GENERATE,
	.arguments = "GENERATOR -o G.h5",
	.summary = "Makes a graph file of a random graph",
	.text = "The same seed gives the same graph, whatever the number of ranks.\n",
	.examples = "gemp-mpi generate movies -o movies.h5\n"
				"mpirun -n 8 gemp-mpi generate rmat --scale 20 --seed 7 -o rmat20.h5\n"
				"# a graph for sssp, with lengths of edges\n"
				"gemp-mpi generate uniform --vertices 50000 --edges 400000 --weights 255 -o lengths.h5\n"
				"gemp-mpi generate railway --routes 2560 --faults 0.1 -o railway.h5\n"
				"gemp-mpi generate translations --pairs 514047 -o translations.h5\n",
	.argument_count = { 1, 1 },
	.run = generate,
};

/* With --schema only the head of the file is read, so the answer takes the same time for files of any size. */
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
	.argument_count = { 1, 1 },
	.run = info,
};

/* Users verify a file after a transfer or before a long run. The exit code gives scripts the result. */
static gemp_code verify(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	return gemp_graph_verify(context, options->arguments[0], report);
}

const gemp_command gemp_command_verify = {
	.name = "verify",
	.bit = GEMP_ON_VERIFY,
	.arguments = "G.h5",
	.summary = "Checks a graph file",
	.text =
		"Reads the whole file, compares its seal, checksums and the hash of its content, and checks that rows are sorted, that "
		"ids exist and that the rows by source and by target hold the same edges. The exit code is 65 if something is "
		"wrong.\n",
	.examples = "gemp-mpi verify movies.h5\n",
	.argument_count = { 1, 1 },
	.run = verify,
};

/* Without --method the command shows the parts that the file stores, unless --parts requests another number. */
static gemp_code partition(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL, *ordered = NULL;
	gemp_partition_settings settings;
	gemp_partition_settings_init(&settings);
	settings.parts = options->parts;
	settings.method = (gemp_partitioner)options->method;
	settings.stored = !gemp_options_has(options, "method");
	if (options->output)
		GEMP_TRY(gemp_output_check(context, options));
	else
		GEMP_TRY(gemp_options_refuse(options, "weight|compress",
		                             "is about the file that --output writes; give both, or neither"));
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
	.text =
		"The vertices of a graph file are in random order. K equal ranges of them are K random parts, which is what "
		"ranks own; they balance the load for any graph. Graphs with structure (roads, meshes, texts) can have fewer "
		"edges between parts: block makes contiguous blocks of keys, ptscotch searches for a small cut.\n"
		"--output writes the graph in the order of its parts. As many ranks as parts then own one part each. If the "
		"number of ranks divides the number of parts, each rank owns several parts; if it is a multiple, several "
		"ranks share each part. Other numbers of ranks own equal ranges, with a warning.\n",
	.examples = "gemp-mpi partition movies.h5 --parts 8\n"
				"mpirun -n 8 gemp-mpi partition roads.h5 -k 8 --method ptscotch -o roads-8.h5\n",
	.argument_count = { 1, 1 },
	.run = partition,
};

/* The library refuses data that the format cannot hold, before the file gets its name. */
static gemp_code convert(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_export_settings settings;
	gemp_export_settings_init(&settings);
	settings.format = (gemp_export_format)options->export_format;
	settings.type = options->only_type;
	settings.weight = options->weight;
	if (!gemp_is_stdout(options->output))
		GEMP_TRY(gemp_output_check(context, options));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return gemp_graph_export(graph, options->output, &settings, report);
}

const gemp_command gemp_command_convert = {
	.name = "convert",
	.bit = GEMP_ON_CONVERT,
	.arguments = "G.h5 -o F",
	.summary = "Writes a graph in a format that other programs read",
	.text =
		"The ending of F selects the format: .tsv or .csv makes two files, F.vertices.tsv and F.edges.tsv for F.tsv, "
		"which import reads again; .jsonl, .graphml and .dot make one file; .xmi (EMF) comes with its metamodel, "
		"F.metamodel.ecore; .mtx (Matrix Market) numbers the vertices in the order of their keys, and F.keys.tsv "
		"lists the key of each number; .adj lists the neighbours of each vertex in a line.\n"
		"All ranks write at once. The files do not depend on the number of ranks.\n",
	.examples = "gemp-mpi convert movies.h5 -o movies.csv\n"
				"mpirun -n 8 gemp-mpi convert movies.h5 -o movies.graphml\n"
				"gemp-mpi convert movies.h5 -o acts.mtx --type ACTS_IN\n",
	.argument_count = { 1, 1 },
	.run = convert,
};
