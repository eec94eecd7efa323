/* rows_open: measures queries in an open process, for rows_peers.py.
 *     rows_open GRAPH.h5 FILE.json N
 * Opens the graph once. Runs each query of FILE.json, a list of {"text", "hom"}, up to N times, and at most about 4 s
 * altogether. A run parses the query and makes all rows in memory. Prints a JSON list with, for each query, the seconds
 * of the first run, the least seconds and processor seconds of the runs after it (of all runs if there is one), and the
 * rows; or the error. */
#include "core/timer.h"

#include <gemp/gemp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double processor_seconds(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static gemp_code run(gemp_graph *graph, const char *text, bool homomorphisms, size_t *rows)
{
	gemp_query *query;
	gemp_columns *columns = NULL;
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	if (homomorphisms) {
		settings.semantics = GEMP_HOM;
		settings.distinct = GEMP_BY_NOTHING;
	}
	gemp_code code = gemp_query_open(&query, graph, text, &settings);
	if (code)
		return code;
	code = gemp_query_run(query, &columns, NULL, NULL);
	*rows = code ? 0 : gemp_columns_rows(columns);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return code;
}

static json_t *measured(gemp_graph *graph, const json_t *query, long repeat)
{
	double first = 0, least = 0, processor = 0;
	size_t rows = 0;
	const double began = gemp_now();
	for (long i = 0; i < repeat && gemp_now() - began < 4; i++) {
		const double start = gemp_now(), before = processor_seconds();
		if (run(graph, json_string_value(json_object_get(query, "text")), json_is_true(json_object_get(query, "hom")),
		        &rows))
			return json_pack("{s:s}", "error", gemp_message());
		const double seconds = gemp_now() - start, used = processor_seconds() - before;
		if (i == 0)
			first = seconds;
		if (i <= 1 || seconds < least)
			least = seconds;
		if (i <= 1 || used < processor)
			processor = used;
	}
	return json_pack("{s:f, s:f, s:f, s:I}", "first", first, "seconds", least, "cpu", processor, "rows",
	                 (json_int_t)rows);
}

static int failed(const char *what)
{
	fprintf(stderr, "rows_open: %s\n", what);
	return 1;
}

int main(int argc, char **argv)
{
	gemp_context *context;
	gemp_graph *graph;
	json_t *answers = json_array();
	json_error_t error;
	const long repeat = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
	if (repeat < 1)
		return failed("usage: rows_open GRAPH.h5 FILE.json N");
	json_t *queries = json_load_file(argv[2], 0, &error);
	if (!json_is_array(queries))
		return failed(error.text);
	if (gemp_process_begin(&argc, &argv) || gemp_context_open(&context, MPI_COMM_WORLD, NULL) ||
	    gemp_graph_open(&graph, context, argv[1]))
		return failed(gemp_message());
	for (size_t i = 0; i < json_array_size(queries); i++)
		json_array_append_new(answers, measured(graph, json_array_get(queries, i), repeat));
	json_dumpf(answers, stdout, JSON_COMPACT);
	gemp_graph_close(graph);
	gemp_context_close(context);
	json_decref(queries);
	json_decref(answers);
	return gemp_process_end(GEMP_OK);
}
