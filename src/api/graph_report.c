/* graph_report: describes the labels, edge types, attributes and degrees of a graph as JSON and as aligned text, and
 * verifies a graph file.
 *
 * Verification first compares the checksums (gemp_graph_file_verify). Then it compares the rows by source with the rows
 * by target. A rank holds different edges in the two directions, so the comparison uses the sum of the hashes of all
 * edges. */

#include "api/graph.h"
#include "api/report.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "core/random.h"
#include "core/threads.h"
#include "graph/either_rows.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_verify.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* counts[label_count] becomes the number of vertices with each label, over all ranks. */
static void count_labels(uint64_t *counts, const gemp_shard *graph)
{
	for (size_t s = 0; s < graph->label_set_count; s++)
		for (size_t i = 0; i < graph->label_sets[s].count; i++)
			counts[graph->label_sets[s].labels[i]] += graph->label_sets[s].vertex_count;
}

/* Returns the width of the column of names. All three lists have the same width, so their columns are aligned. */
static int name_width(const gemp_shard *graph)
{
	size_t width = 8;
	for (size_t i = 0; i < graph->label_count; i++)
		width = gemp_max(width, strlen(graph->labels[i]));
	for (size_t i = 0; i < graph->relation_count; i++)
		width = gemp_max(width, strlen(graph->relations[i].name));
	for (size_t i = 0; i < graph->attributes.count; i++)
		width = gemp_max(width, strlen(graph->attributes.columns[i].name));
	return (int)gemp_min(width, 32);
}

/* Only the first line of a list has its heading. */
static const char *head(const char *word, size_t index)
{
	return index ? "" : word;
}

/* A vertex with several labels counts for each of them. */
static gemp_code report_labels(gemp_report *report, json_t *schema, const gemp_shard *graph, int width)
{
	json_t *object = json_object();
	GEMP_OWNED uint64_t *counts = NULL;
	const gemp_code code = GEMP_NEW(counts, graph->label_count);
	if (code == GEMP_OK)
		count_labels(counts, graph);
	for (size_t i = 0; code == GEMP_OK && i < graph->label_count; i++) {
		json_object_set_new(object, graph->labels[i], gemp_json_count(counts[i]));
		gemp_report_print(report, "  %-11s %-*s %15s\n", head("labels", i), width, graph->labels[i],
		                  gemp_grouped(counts[i]).text);
	}
	json_object_set_new(schema, "labels", object);
	return code;
}

/* Returns an object with the names and types of attributes in the order of the file. */
static json_t *attribute_types(const gemp_table *table)
{
	json_t *object = json_object();
	for (size_t i = 0; i < table->count; i++) {
		const gemp_column *column = &table->columns[i];
		json_object_set_new(object, column->name, json_string(gemp_type_name[column->type]));
	}
	return object;
}

/* The JSON field is called `relations`, which is the engines' word for edge types with their rows. */
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

/* Collective. *nulls becomes the number of vertices with a NULL in this attribute, over all ranks. */
static gemp_code count_nulls(const gemp_report *report, gemp_shard *graph, size_t index, uint64_t *nulls)
{
	*nulls = 0;
	GEMP_TRY(gemp_shard_load_attribute(graph, index));
	const gemp_column *column = &graph->attributes.columns[index];
	for (size_t row = 0; column->null && row < column->rows; row++)
		*nulls += column->null[row] != 0;
	*nulls = gemp_comm_sum1(report->comm, *nulls);
	return GEMP_OK;
}

/* The head of the file has the types. NULLs are counted only on request, since every attribute must be read to count
 * them. */
static gemp_code report_attributes(gemp_report *report, json_t *schema, gemp_shard *graph, int width, bool with_nulls)
{
	gemp_code code = GEMP_OK;
	json_t *object = json_object();
	for (size_t i = 0; code == GEMP_OK && i < graph->attributes.count; i++) {
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
	}
	json_object_set_new(schema, "attributes", object);
	return code;
}

/* After a failure the field `schema` has the part that was complete before the failure. */
gemp_code gemp_schema_report(gemp_report *report, gemp_shard *graph, bool with_nulls)
{
	json_t *schema = json_object();
	int width = name_width(graph);
	gemp_report_graph(report, graph);
	gemp_code code = gemp_comm_agree(report->comm, report_labels(report, schema, graph, width));
	if (code == GEMP_OK)
		report_relations(report, schema, graph, width);
	GEMP_THEN(report_attributes(report, schema, graph, width, with_nulls));
	gemp_report_set(report, "schema", schema);
	return code;
}

/* DEGREES */

/* Sets *from and *to to the smallest and the largest degree of a class. */
static void class_range(int class, uint64_t *from, uint64_t *to)
{
	*from = class ? (uint64_t)1 << (class - 1) : 0;
	*to = class ? *from + (*from - 1) : 0;
}

void gemp_degrees_range(char *out, size_t size, int class)
{
	uint64_t from, to;
	class_range(class, &from, &to);
	snprintf(out, size, from == to ? "%s" : "%s to %s", gemp_grouped(from).text, gemp_grouped(to).text);
}

/* The text omits classes without vertices. The JSON has them. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degree_histogram *degrees)
{
	const gemp_degree_summary *kinds = &degrees->kinds;
	json_t *list = json_array();
	const uint64_t max = gemp_max(kinds->max_out, kinds->max_in);
	gemp_report_print(report, "\n  %-23s %13s %13s   (vertices, edges with a direction)\n", "degree", "out", "in");
	for (int k = 0; k <= gemp_degrees_class(max); k++) {
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
	json_t *object = json_pack("{s:o}", "classes", list);
	return gemp_json_set_counts(object, { "sources", kinds->sources }, { "sinks", kinds->sinks },
	                            { "isolated", kinds->isolated }, { "balanced", kinds->balanced },
	                            { "more_out", kinds->more_out }, { "more_in", kinds->more_in },
	                            { "max_out", kinds->max_out }, { "max_in", kinds->max_in });
}

/* out[width + 1] becomes a bar. A class that is not empty gets at least one mark. */
static void draw_bar(char *out, uint64_t part, uint64_t whole, int width)
{
	int length = whole ? (int)((part * (uint64_t)width + whole - 1) / whole) : 0;
	memset(out, '#', (size_t)length);
	out[length] = '\0';
}

/* A bar chart shows the skew that averages hide: in real graphs a few vertices have most of the edges. */
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
		uint64_t from, to;
		class_range(k, &from, &to);
		json_array_append_new(list,
		                      gemp_json_counts({ "from", from }, { "to", to }, { "vertices", degrees->vertices[k] }));
		if (k < gemp_degrees_class(degrees->min))
			continue;
		draw_bar(line, degrees->vertices[k], highest, BAR);
		gemp_degrees_range(range, sizeof range, k);
		gemp_report_print(report, "  %-23s %13s  %s\n", range, gemp_grouped(degrees->vertices[k]).text, line);
	}
	json_object_set_new(json_object_get(report->json, "degrees"), "histogram", list);
}

/* Collective. Edges of all types are counted together, since a search reads rows in which all types are merged. */
static gemp_code report_degrees(gemp_report *report, gemp_shard *graph)
{
	gemp_degree_histogram degrees;
	GEMP_TRY(gemp_degrees_count(&degrees, report->comm, graph));
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

/* The size of a graph in memory, which has no file, is reported as 0. */
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

/* A short description also loads the labels, since they are few and lie at the head of the file. */
gemp_code gemp_graph_describe(gemp_graph *graph, bool whole, gemp_report *report)
{
	gemp_shard *shard = graph->shard;
	GEMP_TRY(gemp_shard_load_labels(shard));
	report_head(report, shard, graph->name);
	GEMP_TRY(gemp_schema_report(report, shard, whole));
	return whole ? report_degrees(report, shard) : GEMP_OK;
}

/* VERIFICATION */

/* Returns the hash of an edge. The sum of the hashes of a relation must be the same by source and by target. */
static uint64_t edge_hash(uint64_t source, uint64_t target, uint64_t edge)
{
	return gemp_mix(gemp_mix(gemp_mix(source) + target) + edge);
}

/* Returns the sum of the hashes in this rank's rows of one direction. Edges by source are numbered from
 * relation->first_edge on. */
static uint64_t hash_rows(const gemp_shard *graph, const gemp_relation *relation, bool out)
{
	uint64_t sum = 0;
	const uint64_t *begin = out ? relation->out_offsets : relation->in_offsets;
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t id = graph->first_vertex + row;
		for (uint64_t i = begin[row]; i < begin[row + 1]; i++)
			sum += out ? edge_hash(id, relation->out_targets[i], relation->first_edge + i)
			           : edge_hash(relation->in_sources[i], id, relation->in_edges[i]);
	}
	return sum;
}

/* The entries of a symmetric matrix, by source and by target: sums of hashes, and numbers. */
typedef struct symmetric_sums {
	const gemp_shard *graph;
	const gemp_relation *relation;
	_Atomic uint64_t sums[4];
} symmetric_sums;

static void sum_symmetric(void *context, size_t begin, size_t end)
{
	symmetric_sums *s = context;
	uint64_t sums[4] = { 0 };
	for (size_t row = begin; row < end; row++) {
		const gemp_vertex id = (gemp_vertex)(s->graph->first_vertex + row);
		for (uint64_t e = s->relation->either_offsets[row]; e < s->relation->either_offsets[row + 1]; e++) {
			const gemp_vertex other = s->relation->either_neighbours[e];
			const bool out = gemp_edge_leads(id, other), in = gemp_edge_leads(other, id);
			sums[0] += out ? edge_hash(id, other, 0) : 0;
			sums[1] += in ? edge_hash(other, id, 0) : 0;
			sums[2] += out;
			sums[3] += in;
		}
	}
	for (int i = 0; i < 4; i++)
		atomic_fetch_add_explicit(&s->sums[i], sums[i], memory_order_relaxed);
}

/* Collective. Loads a relation and computes the sums of hashes and the numbers of edges by source and by target. */
static gemp_code sum_relation(gemp_shard *graph, size_t index, uint64_t sums[4])
{
	const gemp_relation *relation = &graph->relations[index];
	if (relation->merged) {
		symmetric_sums s = { graph, relation, { 0 } };
		GEMP_TRY(gemp_shard_load_relation(graph, index, GEMP_LOAD_EITHER));
		gemp_for_elements(graph->rows, sum_symmetric, &s);
		for (int i = 0; i < 4; i++)
			sums[i] = s.sums[i];
		return GEMP_OK;
	}
	GEMP_TRY(gemp_shard_load_relation(graph, index, GEMP_LOAD_OUT | GEMP_LOAD_IN_EDGES));
	sums[0] = hash_rows(graph, relation, true);
	sums[1] = hash_rows(graph, relation, false);
	sums[2] = relation->out_offsets[graph->rows];
	sums[3] = relation->in_offsets[graph->rows];
	return GEMP_OK;
}

/* Collective. Checks that the rows by source and the rows by target hold the same edges, and that their number is the
 * number in the head of the file. */
static gemp_code check_relation(const gemp_comm *comm, gemp_shard *graph, size_t index)
{
	const gemp_relation *relation = &graph->relations[index];
	uint64_t sums[4];
	GEMP_TRY(sum_relation(graph, index, sums));
	gemp_comm_sum(comm, sums, 4);
	if (sums[2] != relation->edge_count || sums[3] != relation->edge_count)
		return gemp_fail(GEMP_EDATA,
		                 "edge type %s: %" GEMP_PRICOUNT " edges in the head of the file, "
		                 "%" GEMP_PRICOUNT " by source, %" GEMP_PRICOUNT " by target",
		                 relation->name, relation->edge_count, sums[2], sums[3]);
	if (sums[0] != sums[1])
		return gemp_fail(GEMP_EDATA, "edge type %s: the rows by source and by target hold different edges",
		                 relation->name);
	return GEMP_OK;
}

/* Collective. Checks that each of the numbers 0 to n - 1 is the rank of one key, by a comparison of sums of hashes. */
static gemp_code check_key_order(const gemp_comm *comm, gemp_shard *graph)
{
	uint64_t difference = 0;
	GEMP_TRY(gemp_shard_load_keys(graph));
	for (size_t row = 0; row < graph->rows; row++)
		difference += gemp_mix(graph->key_ranks[row]) - gemp_mix(graph->first_vertex + row);
	return gemp_comm_sum1(comm, difference) == 0
	           ? GEMP_OK
	           : gemp_fail(GEMP_EDATA, "the orders of keys (_rank) are not 0 to n - 1, each once");
}

/* Checksums are compared first, since all later checks use offsets that the file contains. The later checks know only
 * the graph, so the path is put in front of their messages. */
gemp_code gemp_graph_verify(gemp_context *context, const char *path, gemp_report *report)
{
	const gemp_comm *comm = &context->comm;
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	gemp_report none;
	report = gemp_report_or(report, &none, context);
	GEMP_TRY(gemp_graph_file_verify(comm, path, context->trust));
	GEMP_TRY(gemp_graph_file_open(&graph, comm, path, context->trust));
	gemp_code code = check_key_order(comm, graph);
	for (size_t i = 0; i < graph->relation_count && code == GEMP_OK; i++)
		code = check_relation(comm, graph, i);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%s: ", path);
	gemp_report_graph(report, graph);
	gemp_report_set(report, "good", json_true());
	gemp_report_print(report, "%s: good (%s, %s)\n", path, gemp_counted(graph->vertex_count, "vertex").text,
	                  gemp_counted(gemp_shard_edges(graph), "edge").text);
	return GEMP_OK;
}
