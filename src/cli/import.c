/* import: files of other programs to a graph file.
 *
 * The graph is built in memory, distributed over the ranks, and then written; the provenance names every file that was read.
 */

#include "cli/handles.h"
#include "cli/report/report_run.h"

/* Files named as arguments are files of edges like those of --edges: for most formats a whole graph. The caller frees. */
static gemp_code list_edge_files(const char ***out, size_t *count, const gemp_options *options)
{
	size_t listed = options->edge_files.count;
	*count = listed + options->argument_count;
	GEMP_TRY(GEMP_NEW(*out, *count));
	for (size_t i = 0; i < *count; i++)
		(*out)[i] = i < listed ? options->edge_files.items[i] : options->arguments[i - listed];
	return GEMP_OK;
}

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
	if (options->format > 0) /* the words of --format are auto and the formats */
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
	.text = "Files are plain, .gz or .zst. Tables (TSV, CSV) have a header: vertices the columns id, type "
			"(several labels: A;B) and attributes; edges src, dst, type and attributes. The type of a column is "
			"stated (year:int) or inferred; an empty field is NULL. A file of most other formats is a whole "
			"graph. docs/formats.md describes each format.\n"
			"The graph file stores the vertices in random order. The random part of each rank is then contiguous, "
			"whatever the number of ranks.\n",
	.examples = "gemp-mpi import --vertices people.tsv --vertices films.tsv --edges roles.tsv.zst -o movies.h5\n"
				"mpirun -n 4 gemp-mpi import wiki-Vote.txt.gz --undirected -o wiki.h5\n"
				"gemp-mpi import /usr/share/dictd/*.index --undirected -o translations.h5\n",
	.max_arguments = SIZE_MAX,
	.run = import,
};
