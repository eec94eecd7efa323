/* Uses the library inside an MPI program that initialises MPI itself. The ranks form two groups. Each group makes and
 * searches its own graph over its own communicator.
 *
 *     mpirun -n 4 own_communicator
 */
#include <gemp/query.h>

#include <inttypes.h>
#include <stdio.h>

/* Counts the triangles of the circulant graph in which edges join vertex i to the vertices i + 1 and i + 2. If it has
 * at least 7 vertices, the number of triangles equals the number of vertices. */
static gemp_code count_triangles(gemp_context *context, int64_t vertices, uint64_t *triangles)
{
	gemp_graph_builder *builder = NULL;
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_query_result result = { 0 };
	gemp_code code = gemp_graph_builder_open(&builder, context, 1);
	if (code != GEMP_OK)
		return code;
	for (int64_t i = gemp_context_rank(context); i < vertices && code == GEMP_OK; i += gemp_context_size(context)) {
		const int64_t source[] = { i, i }, target[] = { (i + 1) % vertices, (i + 2) % vertices };
		code = gemp_graph_builder_edges(builder, "NEXT", 2, source, target, NULL);
	}
	code = gemp_context_agree(context, code);
	if (code == GEMP_OK)
		code = gemp_graph_builder_finish(builder, &graph);
	else
		gemp_graph_builder_close(builder);
	if (code == GEMP_OK)
		code = gemp_query_open_pattern(&query, graph, "triangle", NULL);
	if (code == GEMP_OK)
		code = gemp_query_count(query, &result, NULL);
	*triangles = result.matches;
	gemp_query_close(query);
	gemp_graph_close(graph);
	return code;
}

int main(int argc, char **argv)
{
	int provided, rank;
	MPI_Comm group;
	uint64_t triangles = 0;
	gemp_context *context = NULL;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
	const int64_t vertices = rank % 2 ? 100 : 1000;
	gemp_code code = gemp_context_open(&context, group, NULL);
	if (code == GEMP_OK)
		code = count_triangles(context, vertices, &triangles);
	if (code != GEMP_OK)
		fprintf(stderr, "rank %d: %s\n", rank, gemp_message());
	else if (gemp_context_rank(context) == 0)
		printf("%" PRId64 " vertices: %" PRIu64 " triangles, found by %d ranks\n", vertices, triangles,
		       gemp_context_size(context));
	gemp_context_close(context);
	MPI_Comm_free(&group);
	MPI_Finalize();
	return (int)code;
}
