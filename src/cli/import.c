#include "io/import/import.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"

/* Files named as arguments are files of edges like those of --edges: for most formats a whole graph. */
static gemp_code list_edge_files(gemp_list *out, const gemp_options *options)
{
	size_t listed = options->edge_files.count;
	*out = (gemp_list){ .count = listed + options->argument_count };
	gemp_code code = GEMP_NEW(out->items, out->count);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < out->count; i++)
		out->items[i] = i < listed ? options->edge_files.items[i] : options->arguments[i - listed];
	return GEMP_OK;
}

static const gemp_format *asked_format(const gemp_options *options)
{
	size_t count;
	return options->format > 0 ? gemp_formats(&count)[options->format - 1] : NULL;
}

static gemp_code check(gemp_paths *read, gemp_comm *comm, const gemp_options *options, const gemp_import_options *how)
{
	gemp_code code = gemp_import_files(read, how);
	if (code == GEMP_OK)
		code = gemp_graph_output_check(comm, options);
	return gemp_comm_agree(comm, code);
}

static gemp_code import(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_code code = GEMP_OK;
	gemp_shard *graph = NULL;
	gemp_timers timers = { 0 };
	gemp_step_times steps = { 0 };
	gemp_paths read = { 0 };
	gemp_list edges = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, list_edge_files(&edges, options)));
	const gemp_import_options how = {
		.vertex_file_count = options->vertex_files.count,
		.vertex_files = options->vertex_files.items,
		.edge_file_count = edges.count,
		.edge_files = edges.items,
		.format = asked_format(options),
		.metamodel = options->metamodel,
		.undirected = options->undirected,
		.merge_parallel = options->parallel == 1,
		.seed = options->relabel_seed,
		.default_label = options->default_label,
		.default_type = options->default_type,
		.steps = &steps,
	};
	GEMP_TRY(check(&read, comm, options, &how));
	double since = gemp_now();
	GEMP_TRY(gemp_import(&graph, comm, &how));
	gemp_timers_add(&timers, GEMP_PHASE_CONVERT, since);
	GEMP_TRY(gemp_graph_output(report, options, graph, &(gemp_list){ read.count, 0, (const char **)read.path }, 1,
	                           &timers, &steps));
done:
	gemp_shard_free(graph);
	gemp_paths_free(&read);
	gemp_free(edges.items);
	return code;
}

const gemp_command gemp_command_import = {
	.name = "import",
	.bit = GEMP_ON_IMPORT,
	.arguments = "--vertices FILE... --edges FILE... -o G.h5\nFILE... -o G.h5",
	.summary = "Makes a graph file of tables, edge lists and other formats",
	.text = "Files are plain, .gz or .zst. Tables (TSV, CSV) have a header: vertices the columns id, type (several "
			"labels: A;B) and attributes; edges src, dst, type and attributes. The type of a column is stated "
			"(year:int) or inferred; an empty field is NULL. A file of most other formats is a whole graph. "
			"docs/formats.md shows each, and what becomes of it.\n"
			"The graph file is stored in a random order of the vertices, so that each of any number of ranks finds "
			"its random part in one piece.\n",
	.examples = "gemp-mpi import --vertices people.tsv --vertices films.tsv --edges roles.tsv.zst -o movies.h5\n"
				"mpirun -n 4 gemp-mpi import wiki-Vote.txt.gz --undirected -o wiki.h5\n"
				"gemp-mpi import /usr/share/dictd/*.index --undirected -o translations.h5\n",
	.min_arguments = 0,
	.max_arguments = SIZE_MAX,
	.run = import,
};
