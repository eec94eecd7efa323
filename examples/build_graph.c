/* Builds a weighted graph from arrays, finds shortest paths in it, and writes it to a file.
 *
 *     build_graph out.h5
 */
#include <gemp/analytics.h>

#include <inttypes.h>
#include <stdio.h>

/* The path 1 -> 2 -> 3 -> 4 of length 3.5, and a direct edge from 1 to 4 of length 10. */
static const int64_t source[] = { 1, 2, 3, 1 }, target[] = { 2, 3, 4, 4 };
static const double weight[] = { 1, 1.5, 1, 10 };

static gemp_code build(gemp_graph **out, gemp_context *context)
{
	gemp_graph_builder *builder = NULL;
	gemp_code code = gemp_graph_builder_open(&builder, context, 1);
	if (code != GEMP_OK)
		return code;
	code = gemp_graph_builder_edges(builder, "ROAD", 4, source, target, weight);
	if (code == GEMP_OK)
		return gemp_graph_builder_finish(builder, out);
	gemp_graph_builder_close(builder);
	return code;
}

static gemp_code print_distances(gemp_graph *graph)
{
	gemp_columns *paths = NULL, *keys = NULL;
	gemp_column_view distance, key;
	gemp_edge_selection edges;
	gemp_analysis_settings settings;
	static const char *const source = "1";
	gemp_edge_selection_init(&edges);
	edges.weight = "weight";
	gemp_analysis_settings_init(&settings);
	settings.sources = &source;
	settings.source_count = 1;
	gemp_code code = gemp_graph_sssp(&paths, graph, &edges, &settings, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_keys(&keys, graph);
	if (code == GEMP_OK && gemp_columns_find(paths, "distance", &distance) && gemp_columns_find(keys, "key", &key))
		for (size_t i = 0; i < distance.rows; i++)
			printf("from 1 to %" PRId64 ": %g\n", key.integers[i], distance.floats[i]);
	gemp_columns_close(keys);
	gemp_columns_close(paths);
	return code;
}

int main(int argc, char **argv)
{
	gemp_context *context = NULL;
	gemp_graph *graph = NULL;
	gemp_code code = gemp_process_begin(&argc, &argv);
	if (code == GEMP_OK)
		code = gemp_context_open(&context, MPI_COMM_SELF, NULL);
	if (code == GEMP_OK)
		code = build(&graph, context);
	if (code == GEMP_OK)
		code = print_distances(graph);
	if (code == GEMP_OK && argc == 2)
		code = gemp_graph_write(graph, argv[1], NULL, NULL);
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_graph_close(graph);
	gemp_context_close(context);
	return gemp_process_end(code);
}
