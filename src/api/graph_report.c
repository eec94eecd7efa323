/* graph_report: what a graph is like: labels, edge types, attributes and degrees, as JSON and in columns that line up. */

#include "api/graph_report.h"
#include "api/graph_state.h"

#include "core/memory.h"
#include "core/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Vertices that carry each label, all ranks; [label_count], the caller frees (gemp_free). NULL when out of memory. */
static uint64_t *gemp_schema_labels(const gemp_shard *graph)
{
	uint64_t *counts = gemp_calloc(graph->label_count, sizeof *counts);
	for (size_t s = 0; counts && s < graph->label_set_count; s++)
		for (size_t i = 0; i < graph->label_sets[s].count; i++)
			counts[graph->label_sets[s].labels[i]] += graph->label_sets[s].vertex_count;
	return counts;
}

static int width_of(int width, const char *name)
{
	int size = (int)strlen(name);
	return size > width ? size : width;
}

/* Columns line up over all three lists. */
static int name_width(const gemp_shard *graph)
{
	int width = 8;
	for (size_t i = 0; i < graph->label_count; i++)
		width = width_of(width, graph->labels[i]);
	for (size_t i = 0; i < graph->relation_count; i++)
		width = width_of(width, graph->relations[i].name);
	for (size_t i = 0; i < graph->attributes.count; i++)
		width = width_of(width, graph->attributes.columns[i].name);
	return width < 32 ? width : 32;
}

/* The word that heads a list, in front of its first line only. */
static const char *head(const char *word, size_t index)
{
	return index ? "" : word;
}

/* A vertex with several labels counts for each of them. */
static gemp_code report_labels(gemp_report *report, json_t *schema, const gemp_shard *graph, int width)
{
	json_t *object = json_object();
	uint64_t *counts = gemp_schema_labels(graph);
	for (size_t i = 0; counts && i < graph->label_count; i++) {
		json_object_set_new(object, graph->labels[i], gemp_json_count(counts[i]));
		gemp_report_print(report, "  %-11s %-*s %15s\n", head("labels", i), width, graph->labels[i],
		                  gemp_grouped(counts[i]).text);
	}
	json_object_set_new(schema, "labels", object);
	gemp_free(counts);
	return counts ? GEMP_OK : GEMP_ENOMEM;
}

/* Names and types, in the order of the file. */
static json_t *attribute_types(const gemp_table *table)
{
	json_t *object = json_object();
	for (size_t i = 0; i < table->count; i++) {
		const gemp_column *column = &table->columns[i];
		json_object_set_new(object, column->name, json_string(gemp_type_name[column->type]));
	}
	return object;
}

/* "Relation" is the engines' word for an edge type with its rows. */
static void report_relations(gemp_report *report, json_t *schema, const gemp_shard *graph, int width)
{
	json_t *object = json_object();
	for (size_t i = 0; i < graph->relation_count; i++) {
		const gemp_relation *relation = &graph->relations[i];
		json_t *one = json_pack("{s:o, s:b, s:b}", "edges", gemp_json_count(relation->edge_count), "directed",
		                        relation->directed, "multigraph", relation->multigraph);
		json_object_set_new(one, "attributes", attribute_types(&relation->props));
		json_object_set_new(object, relation->name, one);
		gemp_report_print(report, "  %-11s %-*s %15s  %s%s", head("edge types", i), width, relation->name,
		                  gemp_grouped(relation->edge_count).text, relation->directed ? "directed" : "undirected",
		                  relation->multigraph ? ", with parallel edges" : "");
		for (size_t c = 0; c < relation->props.count; c++)
			gemp_report_print(report, "%s%s: %s", c ? ", " : "; ", relation->props.columns[c].name,
			                  gemp_type_name[relation->props.columns[c].type]);
		gemp_report_print(report, "\n");
	}
	json_object_set_new(schema, "relations", object);
}

/* Collective. NULLs of all ranks in a vertex attribute. */
static gemp_code count_nulls(const gemp_report *report, gemp_shard *graph, size_t index, uint64_t *nulls)
{
	gemp_code code = gemp_shard_load_attribute(graph, index);
	const gemp_column *column = &graph->attributes.columns[index];
	*nulls = 0;
	if (code != GEMP_OK)
		return code;
	for (size_t row = 0; column->null && row < column->rows; row++)
		*nulls += column->null[row] != 0;
	*nulls = gemp_comm_sum1(report->comm, *nulls);
	return GEMP_OK;
}

/* Types are in the head of the file; NULLs are counted only on request, as every attribute must be read. */
static gemp_code report_attributes(gemp_report *report, json_t *schema, gemp_shard *graph, int width, bool with_nulls)
{
	gemp_code code = GEMP_OK;
	json_t *object = json_object();
	for (size_t i = 0; i < graph->attributes.count; i++) {
		uint64_t nulls = 0;
		const gemp_column *column = &graph->attributes.columns[i];
		json_t *one = json_pack("{s:s}", "type", gemp_type_name[column->type]);
		gemp_report_print(report, "  %-11s %-*s %15s", head("attributes", i), width, column->name,
		                  gemp_type_name[column->type]);
		if (with_nulls) {
			code = count_nulls(report, graph, i, &nulls);
			double share = graph->vertex_count ? (double)nulls / (double)graph->vertex_count : 0;
			json_object_set_new(one, "null_share", json_real(share));
			gemp_report_print(report, "  %5.1f %% NULL", 100 * share);
		}
		gemp_report_print(report, "\n");
		json_object_set_new(object, column->name, one);
		if (code != GEMP_OK)
			break;
	}
	json_object_set_new(schema, "attributes", object);
	return code;
}

/* The schema is reported as far as it goes, also after a failure. */
gemp_code gemp_schema_report(gemp_report *report, gemp_shard *graph, bool with_nulls)
{
	gemp_code code = GEMP_OK;
	json_t *schema = json_object();
	int width = name_width(graph);
	gemp_report_graph(report, graph);
	GEMP_TRY_DONE(gemp_comm_agree(report->comm, report_labels(report, schema, graph, width)));
	report_relations(report, schema, graph, width);
	GEMP_TRY_DONE(report_attributes(report, schema, graph, width, with_nulls));
done:
	gemp_report_set(report, "schema", schema);
	return code;
}

/* Class k > 0 has the degrees from 2^(k-1) to 2^k - 1. */
void gemp_degrees_range(char *out, size_t size, int class)
{
	uint64_t from = class ? (uint64_t)1 << (class - 1) : 0, to = class ? from + (from - 1) : 0;
	if (from == to)
		snprintf(out, size, "%s", gemp_grouped(from).text);
	else
		snprintf(out, size, "%s to %s", gemp_grouped(from).text, gemp_grouped(to).text);
}

/* Classes without vertices are left out of the text, not of the JSON. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degree_histogram *degrees)
{
	const gemp_degree_summary *kinds = &degrees->kinds;
	json_t *list = json_array();
	uint64_t most = kinds->max_out > kinds->max_in ? kinds->max_out : kinds->max_in;
	gemp_report_print(report, "\n  %-23s %13s %13s   (vertices, edges with a direction)\n", "degree", "out", "in");
	for (int k = 0; k <= gemp_degrees_class(most); k++) {
		char range[100];
		gemp_degrees_range(range, sizeof range, k);
		if (degrees->out[k] || degrees->in[k])
			gemp_report_print(report, "  %-23s %13s %13s\n", range, gemp_grouped(degrees->out[k]).text,
			                  gemp_grouped(degrees->in[k]).text);
		json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "class", (json_int_t)k, "out",
		                                      gemp_json_count(degrees->out[k]), "in", gemp_json_count(degrees->in[k])));
	}
	gemp_report_print(report,
	                  "\n  %-11s %s sources, %s sinks, %s isolated; %s as many in as out, %s more out, "
	                  "%s more in\n",
	                  "vertices", gemp_grouped(kinds->sources).text, gemp_grouped(kinds->sinks).text,
	                  gemp_grouped(kinds->isolated).text, gemp_grouped(kinds->balanced).text,
	                  gemp_grouped(kinds->more_out).text, gemp_grouped(kinds->more_in).text);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "classes", list, "sources",
	                 gemp_json_count(kinds->sources), "sinks", gemp_json_count(kinds->sinks), "isolated",
	                 gemp_json_count(kinds->isolated), "balanced", gemp_json_count(kinds->balanced), "more_out",
	                 gemp_json_count(kinds->more_out), "more_in", gemp_json_count(kinds->more_in), "max_out",
	                 gemp_json_count(kinds->max_out), "max_in", gemp_json_count(kinds->max_in));
}

/* A class with any vertex gets at least one mark. */
static void bar(char *out, uint64_t part, uint64_t whole, int width)
{
	int length = whole ? (int)((part * (uint64_t)width + whole - 1) / whole) : 0;
	memset(out, '#', (size_t)length);
	out[length] = '\0';
}

/* A bar chart, as degrees of real graphs are so skewed that figures alone mislead. */
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

/* All edge types together, since a search meets them together. */
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

/* The size is that of the file; a graph in memory has none. */
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

/* Labels are small and belong to the head of the file. */
gemp_code gemp_graph_describe(gemp_graph *graph, bool whole, gemp_report *report)
{
	gemp_shard *shard = graph->shard;
	GEMP_TRY(gemp_shard_load_labels(shard));
	report_head(report, shard, graph->name);
	GEMP_TRY(gemp_schema_report(report, shard, whole));
	return whole ? report_degrees(report, shard) : GEMP_OK;
}
