/* Computes PageRank of a generated graph, and reads the result as an array, with the keys of the vertices in a second
 * array.
 *
 *     mpirun -n 2 pagerank_array
 */
#include <gemp/analytics.h>

#include <inttypes.h>
#include <stdio.h>

/* Collective. Prints the sum over all ranks, and the first three vertices of rank 0. */
static gemp_code report(gemp_context *context, gemp_graph *graph, const gemp_columns *columns)
{
	double sum = 0;
	gemp_columns *keys = NULL;
	gemp_column_view rank, key;
	gemp_code code = gemp_graph_keys(&keys, graph);
	if (code == GEMP_OK && gemp_columns_find(columns, "rank", &rank) && gemp_columns_find(keys, "key", &key)) {
		for (size_t i = 0; i < rank.rows; i++)
			sum += rank.floats[i];
		for (size_t i = 0; i < 3 && i < rank.rows && gemp_context_rank(context) == 0; i++)
			printf("vertex %" PRId64 ": %.9f\n", key.integers[i], rank.floats[i]);
		MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, gemp_context_communicator(context));
		if (gemp_context_rank(context) == 0)
			printf("sum %.6f\n", sum);
	}
	gemp_columns_close(keys);
	return code;
}

int main(int argc, char **argv)
{
	static const gemp_generator_parameter parameters[] = { { .name = "scale", .value = "10" },
		                                                   { .name = "edge-factor", .value = "8" } };
	uint64_t iterations = 0;
	gemp_analysis_settings settings;
	gemp_context *context = NULL;
	gemp_graph *graph = NULL;
	gemp_columns *columns = NULL;
	gemp_report *figures = NULL;
	gemp_analysis_settings_init(&settings);
	settings.tolerance = 1e-9;
	settings.max_iterations = 200;
	gemp_code code = gemp_process_begin(&argc, &argv);
	if (code == GEMP_OK)
		code = gemp_context_open(&context, MPI_COMM_WORLD, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_generate(&graph, context, "rmat", parameters, 2, 1, 1);
	if (code == GEMP_OK)
		code = gemp_report_open(&figures, context, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_pagerank(&columns, graph, NULL, &settings, figures);
	if (code == GEMP_OK && gemp_report_count(figures, "iterations", &iterations))
		printf("converged after %" PRIu64 " iterations\n", iterations);
	if (code == GEMP_OK)
		code = report(context, graph, columns);
	if (code != GEMP_OK && context && gemp_context_rank(context) == 0)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_report_close(figures);
	gemp_columns_close(columns);
	gemp_graph_close(graph);
	gemp_context_close(context);
	return gemp_process_end(code);
}
