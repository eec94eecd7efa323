/* Opens a graph file and counts the matches of a named pattern, by default of the triangle.
 *
 *     mpirun -n 4 count_triangles movies.h5 [PATTERN]
 */
#include <gemp/query.h>

#include <inttypes.h>
#include <stdio.h>

static gemp_code count(gemp_context *context, const char *path, const char *pattern)
{
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_query_result result;
	gemp_code code = gemp_graph_open(&graph, context, path);
	if (code == GEMP_OK)
		code = gemp_query_open_pattern(&query, graph, pattern, NULL);
	if (code == GEMP_OK)
		code = gemp_query_count(query, &result, NULL);
	if (code == GEMP_OK && gemp_context_rank(context) == 0)
		printf("%" PRIu64 " vertices, %" PRIu64 " edges, %" PRIu64 " x %s\n", gemp_graph_vertex_count(graph),
		       gemp_graph_edge_count(graph), result.matches, pattern);
	gemp_query_close(query);
	gemp_graph_close(graph);
	return code;
}

int main(int argc, char **argv)
{
	gemp_context *context = NULL;
	gemp_code code = gemp_process_begin(&argc, &argv);
	if (argc < 2) {
		fprintf(stderr, "usage: %s G.h5 [PATTERN]\n", argv[0]);
		return gemp_process_end(GEMP_EUSAGE);
	}
	if (code == GEMP_OK)
		code = gemp_context_open(&context, MPI_COMM_WORLD, NULL);
	if (code == GEMP_OK)
		code = count(context, argv[1], argc > 2 ? argv[2] : "triangle");
	if (code != GEMP_OK && context && gemp_context_rank(context) == 0)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_context_close(context);
	return gemp_process_end(code);
}
