/* Runs a Cypher query twice with different values of its parameter, and reads the rows from typed arrays.
 *
 *     rows_to_arrays movies.h5
 */
#include <gemp/query.h>

#include <inttypes.h>
#include <stdio.h>

static const char text[] = "MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE m.year < $year AND p.name IS NOT NULL "
						   "RETURN p.name AS name, count(m) AS films ORDER BY films DESC, name LIMIT 3";

static void print_rows(const gemp_columns *rows)
{
	gemp_column_view name, films;
	if (!gemp_columns_find(rows, "name", &name) || !gemp_columns_find(rows, "films", &films))
		return;
	for (size_t i = 0; i < name.rows; i++)
		printf("  %.*s: %" PRId64 " films\n", (int)(name.offsets[i + 1] - name.offsets[i]),
		       name.bytes + name.offsets[i], films.integers[i]);
}

static gemp_code run(gemp_query *query, int64_t year)
{
	gemp_columns *rows = NULL;
	gemp_query_result result;
	gemp_code code = gemp_query_bind_integer(query, "year", year);
	if (code == GEMP_OK)
		code = gemp_query_run(query, &rows, &result, NULL);
	if (code != GEMP_OK)
		return code;
	printf("before %" PRId64 ": %" PRIu64 " rows\n", year, result.rows);
	print_rows(rows);
	gemp_columns_close(rows);
	return GEMP_OK;
}

int main(int argc, char **argv)
{
	gemp_context *context = NULL;
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_code code = gemp_process_begin(&argc, &argv);
	if (code == GEMP_OK)
		code = gemp_context_open(&context, MPI_COMM_SELF, NULL);
	if (code == GEMP_OK)
		code = argc == 2 ? gemp_graph_open(&graph, context, argv[1])
		                 : gemp_fail(GEMP_EUSAGE, "usage: %s G.h5", argv[0]);
	if (code == GEMP_OK)
		code = gemp_query_open(&query, graph, text, NULL);
	if (code == GEMP_OK)
		code = run(query, 1950);
	if (code == GEMP_OK)
		code = run(query, 2000);
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_query_close(query);
	gemp_graph_close(graph);
	gemp_context_close(context);
	return gemp_process_end(code);
}
