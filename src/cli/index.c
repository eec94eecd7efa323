/* index: the command index, which adds indexes to a graph file (gemp/index.h). */

#include "cli/report/report_run.h"

#include <gemp/file.h>
#include <gemp/index.h>

/* Collective. Opens the query of the command line, or the queries of --query-file, whose text is `script`. */
static gemp_code open_query(gemp_query **out, gemp_graph *graph, const gemp_options *options, const char *script)
{
	gemp_code code = GEMP_OK;
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.lenient = options->lenient;
	GEMP_TRY(script ? gemp_query_open_script(out, graph, script, options->query_file, &settings)
	                : gemp_query_open(out, graph, options->arguments[1], &settings));
	for (size_t i = 0; i < options->parameters.count && code == GEMP_OK; i++)
		code = gemp_query_bind(*out, options->parameters.items[i]);
	return code;
}

/* Without anything to add or remove, the command only lists the indexes. */
static gemp_code make_index(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *script = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	gemp_index_settings settings;
	gemp_index_settings_init(&settings);
	settings.rows = options->index_rows.items;
	settings.row_count = options->index_rows.count;
	settings.values = options->index_values.items;
	settings.value_count = options->index_values.count;
	settings.drop = options->drop;
	settings.compressed = options->compress;
	if (options->query_file && options->argument_count == 2)
		return gemp_command_misused(options->command);
	if (options->query_file)
		GEMP_TRY(gemp_file_read_text(&script, context, "--query-file", options->query_file));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	if (script || options->argument_count == 2)
		GEMP_TRY(open_query(&query, graph, options, script));
	settings.query = query;
	return gemp_graph_index(graph, &settings, report);
}

const gemp_command gemp_command_index = {
	.name = "index",
	.bit = GEMP_ON_INDEX,
	.arguments = "G.h5 [--rows TYPES]... [--values NAME]...\nG.h5 QUERY\nG.h5 --query-file FILE\nG.h5 --drop",
	.summary = "Adds indexes to a graph file, so that some queries are answered faster",
	.text =
		"An index of rows has the edges of several types merged, as queries read them that allow any of these types "
		"(-[:A|B]->, -->) or both directions of directed types (-[:A]-). A query uses an index if it names exactly the "
		"same types and direction, and if it need not tell parallel edges apart. An index of values has the vertices "
		"sorted by an attribute, for queries in which it equals a literal, is IN a list, is compared by <, <=, > or >=, "
		"or STARTS WITH a string, as (n {name: 'X'}). A query that begins with few vertices then reads only their rows. "
		"--explain names the indexes that a query uses.\n"
		"With a query or a file of queries the command adds the indexes that these would use. With G.h5 alone it lists "
		"the indexes of the file.\n"
		"The file is written anew beside the old one, which it then replaces. --into of other commands keeps the "
		"indexes; commands that make another graph leave them out. import --index NAME makes an index of values at "
		"once.\n",
	.examples = "gemp-mpi index movies.h5 --rows 'ACTS_IN|HAS_GENRE' --rows '*:either'\n"
				"gemp-mpi index movies.h5 'MATCH (m:Movie)-->(x) RETURN m, x'\n"
				"gemp-mpi index movies.h5 --values name\n"
				"gemp-mpi index movies.h5\n",
	.argument_count = { 1, 2 },
	.run = make_index,
};
