#include "io/import.h"

#include "command/produce.h"

static gemp_code check(const gemp_options *options)
{
	if (options->edge_files.count || options->vertex_files.count)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE,
	                 "import needs files: --edges FILE, and --vertices FILE if vertices have attributes");
}

static gemp_code import(gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_report report;
	gemp_graph *graph = NULL;
	gemp_timers timers = { 0 };
	const gemp_list files[] = { options->vertex_files, options->edge_files };
	const gemp_import_options how = {
		.vertex_file_count = options->vertex_files.count,
		.vertex_files = options->vertex_files.items,
		.edge_file_count = options->edge_files.count,
		.edge_files = options->edge_files.items,
		.format = (gemp_format)options->format,
		.undirected = options->undirected,
		.merge_parallel = options->parallel == 1,
		.seed = options->relabel_seed,
		.default_label = options->default_label,
		.default_type = options->default_type,
	};
	code = check(options);
	if (code == GEMP_OK)
		code = gemp_produce_check(comm, options);
	if (code != GEMP_OK)
		return code;
	code = gemp_report_new(&report, comm, options, false);
	if (code != GEMP_OK)
		return code;
	double since = gemp_now();
	GEMP_TRY(gemp_import(&graph, comm, &how));
	gemp_timers_add(&timers, GEMP_CONVERT, since);
	GEMP_TRY(gemp_produce(&report, graph, files, 2, &timers));
done:
	gemp_graph_free(graph);
	return gemp_report_finish(&report, code);
}

const gemp_command gemp_command_import = {
	.name = "import",
	.bit = GEMP_ON_IMPORT,
	.arguments = "--vertices FILE... --edges FILE... -o G.h5",
	.summary = "Makes a graph file of tables of vertices and edges",
	.text = "Files are TSV or CSV with a header, or SNAP edge lists; plain, .gz or .zst. Vertices have the columns "
		"id, type (several labels: A;B) and attributes; edges src, dst, type and attributes. The type of a "
		"column is stated (year:int) or inferred; an empty field is NULL. The file is stored in a random "
		"order of the vertices, so that each of any number of ranks finds its random part in one piece.\n",
	.examples = "gemp-mpi import --vertices people.tsv --vertices films.tsv --edges roles.tsv.zst -o movies.h5\n"
		"mpirun -n 4 gemp-mpi import --edges wiki-Vote.txt.gz --format snap --undirected -o wiki.h5\n",
	.least = 0,
	.most = 0,
	.run = import,
};
