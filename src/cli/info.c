#include "api/graph_report.h"
#include "cli/report/report_run.h"
#include "core/quantity.h"
#include "io/graph_file/graph_file_read.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static void bar(char *out, uint64_t part, uint64_t whole, int width)
{
	int length = whole ? (int)((part * (uint64_t)width + whole - 1) / whole) : 0;
	memset(out, '#', (size_t)length);
	out[length] = '\0';
}

static void print_histogram(gemp_report *report, const gemp_degree_histogram *degrees)
{
	enum { BAR = 50 };
	json_t *list = json_array();
	uint64_t highest = 0;
	int last = gemp_degrees_class(degrees->max);
	for (int k = 0; k <= last; k++)
		highest = degrees->vertices[k] > highest ? degrees->vertices[k] : highest;
	gemp_report_print(report, "\n  %-23s %13s\n", "degree", "vertices");
	for (int k = 0; k <= last; k++) {
		char line[BAR + 1], range[100];
		uint64_t from = k ? (uint64_t)1 << (k - 1) : 0, to = k ? from + (from - 1) : 0;
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "from", gemp_json_count(from), "to",
		                                      gemp_json_count(to), "vertices", gemp_json_count(degrees->vertices[k])));
		if (k < gemp_degrees_class(degrees->min))
			continue;
		bar(line, degrees->vertices[k], highest, BAR);
		gemp_degrees_range(range, sizeof range, k);
		gemp_report_print(report, "  %-23s %13s  %s\n", range, gemp_grouped(degrees->vertices[k]).text, line);
	}
	json_object_set_new(json_object_get(report->json, "degrees"), "histogram", list);
}

static gemp_code report_degrees(gemp_report *report, gemp_shard *graph)
{
	gemp_degree_histogram degrees;
	gemp_code code = gemp_degrees_count(&degrees, report->comm, graph);
	if (code != GEMP_OK)
		return code;
	double mean = graph->vertex_count ? (double)degrees.sum / (double)graph->vertex_count : 0;
	gemp_report_set(report, "degrees",
	                json_pack("{s:o, s:f, s:o}", "min", gemp_json_count(degrees.min), "avg", mean, "max",
	                          gemp_json_count(degrees.max)));
	gemp_report_print(report, "\n  %-11s min %s, avg %.2f, max %s (edges of all types in and out, a loop twice)\n",
	                  "degrees", gemp_grouped(degrees.min).text, mean, gemp_grouped(degrees.max).text);
	print_histogram(report, &degrees);
	if (degrees.directed)
		json_object_set_new(json_object_get(report->json, "degrees"), "directed",
		                    gemp_degrees_report(report, &degrees));
	return GEMP_OK;
}

static void report_head(gemp_report *report, const gemp_shard *graph, const char *path)
{
	struct stat status;
	uint64_t bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
	gemp_report_print(report, "%s: %s, %s, %s; seed %" PRIu64 ", hash %016" PRIx64 "\n\n", path,
	                  gemp_counted(graph->vertex_count, "vertex").text,
	                  gemp_counted(gemp_shard_edges(graph), "edge").text, gemp_shown_bytes(bytes).text, graph->seed,
	                  graph->hash);
	if (graph->partition.count) {
		gemp_report_print(report, "  %-11s %s: %s\n", "parts", graph->partition.method,
		                  gemp_grouped(graph->partition.count).text);
		gemp_report_set(report, "partition",
		                json_pack("{s:s, s:o}", "method", graph->partition.method, "parts",
		                          gemp_json_count(graph->partition.count)));
	}
	gemp_report_set(report, "file", json_string(path));
	gemp_report_set(report, "bytes", gemp_json_count(bytes));
	gemp_report_set(report, "seed", gemp_json_count(graph->seed));
}

static gemp_code info(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_shard *graph = NULL;
	const char *path = options->arguments[0];
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_graph_file_open(&graph, comm, path));
	GEMP_TRY(gemp_shard_load_labels(graph));
	report_head(report, graph, path);
	GEMP_TRY(gemp_schema_report(report, graph, !options->schema));
	if (!options->schema)
		GEMP_TRY(report_degrees(report, graph));
done:
	gemp_shard_free(graph);
	return code;
}

const gemp_command gemp_command_info = {
	.name = "info",
	.bit = GEMP_ON_INFO,
	.arguments = "G.h5",
	.summary = "Shows labels, edge types, attributes, sizes and degrees of a graph file",
	.text = "",
	.examples = "gemp-mpi info movies.h5\ngemp-mpi info movies.h5 --schema --json -\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = info,
};
