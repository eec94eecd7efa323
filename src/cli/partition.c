#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/search.h"
#include "io/file/local_file.h"
#include "io/graph_file/graph_file_read.h"
#include "partition/cut/partitioner.h"
#include "partition/derived/renumber.h"

#include <inttypes.h>
#include <string.h>

/* What is asked for: by a method, or the cut that the file keeps. */
typedef struct request {
	uint64_t parts;
	gemp_partitioner method;
	bool stored;
	const char *name; /* of the method */
} request;

static gemp_code check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (gemp_options_has(options, "parts") && options->parts > GEMP_MAX_PARTITIONS)
		code = gemp_fail(GEMP_EUSAGE, "--parts: %" PRIu64 " is not from 1 to %d", options->parts, GEMP_MAX_PARTITIONS);
	else if (options->weight && !options->output)
		code = gemp_fail(GEMP_EUSAGE, "--weight is about the file that --output writes; give both, or neither");
	else if (options->output && comm->rank == 0)
		code = gemp_file_may_write("--output", options->output);
	return gemp_comm_agree(comm, code);
}

/* Without --method a file with parts shows them, unless other parts are asked for. */
static request make_request(const gemp_comm *comm, const gemp_options *options, const gemp_shard *graph)
{
	bool counted = gemp_options_has(options, "parts"), named = gemp_options_has(options, "method");
	request a = { .parts = counted ? options->parts : (uint64_t)comm->size,
		          .method = (gemp_partitioner)options->method };
	a.stored = graph->partition.count && !named && (!counted || options->parts == graph->partition.count);
	if (a.stored)
		a.parts = graph->partition.count;
	a.name = a.stored ? graph->partition.method : gemp_partitioner_name[a.method];
	return a;
}

static gemp_code choose(const gemp_comm *comm, gemp_shard *graph, const request *a, uint32_t *part)
{
	if (!a->stored)
		return gemp_partition_choose(comm, graph, a->method, a->parts, part);
	for (size_t v = 0; v < graph->rows; v++)
		part[v] = (uint32_t)gemp_range_find(graph->partition.bounds, graph->partition.count, graph->first_vertex + v);
	return GEMP_OK;
}

static json_t *balance(gemp_report *report, const char *name, const uint64_t *counts, uint64_t parts)
{
	uint64_t least = UINT64_MAX, most = 0, sum = 0;
	for (uint64_t p = 0; p < parts; p++) {
		least = counts[p] < least ? counts[p] : least;
		most = counts[p] > most ? counts[p] : most;
		sum += counts[p];
	}
	double mean = (double)sum / (double)parts, ratio = sum ? (double)most / mean : 1;
	gemp_report_print(report, "  %-12s min %s, avg %.1f, max %s, max/avg %.3f\n", name, gemp_grouped(least).text, mean,
	                  gemp_grouped(most).text, ratio);
	return json_pack("{s:o, s:f, s:o, s:f}", "min", gemp_json_count(least), "avg", mean, "max", gemp_json_count(most),
	                 "imbalance", ratio);
}

/* values[parts]: room for one column of sizes. */
static void report_balance(gemp_report *report, const gemp_part_size *sizes, uint64_t parts, uint64_t *values)
{
	static const char *const shown[] = { "vertices", "edges out", "edges in", "bytes" };
	static const char *const fields[] = { "vertices", "edges_out", "edges_in", "part_bytes" };
	for (int column = 0; column < 4; column++) {
		for (uint64_t p = 0; p < parts; p++) {
			const uint64_t all[] = { sizes[p].vertices, sizes[p].edges_out, sizes[p].edges_in,
				                     gemp_part_bytes(&sizes[p]) };
			values[p] = all[column];
		}
		gemp_report_set(report, fields[column], balance(report, shown[column], values, parts));
	}
}

static void report_parts(gemp_report *report, const gemp_part_size *sizes, uint64_t parts)
{
	enum { SHOWN = 32 };
	uint64_t begin = 0;
	json_t *list = json_array();
	gemp_report_print(report, "\n  %5s %23s %13s %13s %13s %13s\n", "part", "ids", "vertices", "edges out", "edges in",
	                  "inside");
	for (uint64_t p = 0; p < parts; p++) {
		const gemp_part_size *size = &sizes[p];
		uint64_t end = begin + size->vertices;
		if (p < SHOWN)
			gemp_report_print(report, "  %5s %11s %11s %13s %13s %13s %13s\n", gemp_grouped(p).text,
			                  gemp_grouped(begin).text, gemp_grouped(end).text, gemp_grouped(size->vertices).text,
			                  gemp_grouped(size->edges_out).text, gemp_grouped(size->edges_in).text,
			                  gemp_grouped(size->inside).text);
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "begin", gemp_json_count(begin), "vertices",
		                    gemp_json_count(size->vertices), "edges_out", gemp_json_count(size->edges_out), "edges_in",
		                    gemp_json_count(size->edges_in), "edges_inside", gemp_json_count(size->inside)));
		begin = end;
	}
	if (parts > SHOWN)
		gemp_report_print(report, "  and %s more (--json FILE has all)\n", gemp_grouped(parts - SHOWN).text);
	gemp_report_print(report, "\n");
	gemp_report_set(report, "parts", list);
}

static void report_cut(gemp_report *report, const gemp_shard *graph, const gemp_part_size *sizes, uint64_t parts)
{
	uint64_t edges = gemp_shard_edges(graph), inside = 0;
	for (uint64_t p = 0; p < parts; p++)
		inside += sizes[p].inside;
	double share = edges ? (double)inside / (double)edges : 1;
	gemp_report_set(report, "edges_inside_share", json_real(share));
	gemp_report_set(report, "edge_cut", gemp_json_count(edges - inside));
	gemp_report_print(report, "  %-12s %s, %.2f %%, join%s two parts (random parts: about %.2f %%)\n", "cut",
	                  gemp_counted(edges - inside, "edge").text, 100 * (1 - share), edges - inside == 1 ? "s" : "",
	                  100 - 100 / (double)parts);
}

static gemp_code report_all(gemp_report *report, const char *path, gemp_shard *graph, const request *a,
                            const uint32_t *part, double seconds)
{
	gemp_code code = GEMP_OK;
	gemp_part_size *sizes = NULL;
	uint64_t *values = NULL;
	code = GEMP_NEW(sizes, a->parts);
	if (code == GEMP_OK)
		code = GEMP_NEW(values, a->parts);
	GEMP_TRY(gemp_comm_agree(report->comm, code));
	GEMP_TRY(gemp_partition_measure(report->comm, graph, part, a->parts, sizes));
	gemp_report_graph(report, graph);
	gemp_report_set(report, "method", json_string(a->name));
	gemp_report_set(report, "partition_seconds", json_real(seconds));
	gemp_report_print(report, "%s in %s %s part%s%s: %s s\n", path, gemp_grouped(a->parts).text, a->name,
	                  a->parts == 1 ? "" : "s", a->stored ? ", as the file keeps them" : "",
	                  gemp_shown_seconds(seconds).text);
	report_parts(report, sizes, a->parts);
	report_balance(report, sizes, a->parts, values);
	report_cut(report, graph, sizes, a->parts);
done:
	gemp_free(sizes);
	gemp_free(values);
	return code;
}

static gemp_code write_parts(gemp_report *report, const gemp_options *options, gemp_shard *graph, const request *a,
                             const uint32_t *part, gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	gemp_shard *cut = NULL;
	double since = gemp_now();
	GEMP_TRY(gemp_shard_renumber(&cut, report->comm, graph, part, a->parts, a->name));
	gemp_timers_add(timers, GEMP_PHASE_CONVERT, since);
	gemp_report_print(report, "\n");
	GEMP_TRY(gemp_graph_output(report, options, cut, NULL, 0, timers, NULL));
done:
	gemp_shard_free(cut);
	return code;
}

static gemp_code partition(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_shard *graph = NULL;
	gemp_timers timers = { 0 };
	uint32_t *part = NULL;
	gemp_code code = check(comm, options);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[0]));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(part, graph->rows)));
	request a = make_request(comm, options, graph);
	double since = gemp_now();
	GEMP_TRY(choose(comm, graph, &a, part));
	gemp_timers_add(&timers, GEMP_PHASE_CONVERT, since);
	GEMP_TRY(report_all(report, options->arguments[0], graph, &a, part, gemp_now() - since));
	if (options->output)
		GEMP_TRY(write_parts(report, options, graph, &a, part, &timers));
	else
		gemp_report_memory(report, 0);
done:
	gemp_free(part);
	gemp_shard_free(graph);
	return code;
}

const gemp_command gemp_command_partition = {
	.name = "partition",
	.bit = GEMP_ON_PARTITION,
	.arguments = "G.h5 [--parts K] [--method METHOD] [-o H.h5]",
	.summary = "Cuts a graph into parts; shows sizes, balance and edges between parts",
	.text =
		"Vertices of a graph file are in a random order, so that any K equal ranges of them are K random parts: that is "
		"what ranks own, and it balances whatever the graph. Graphs with structure (roads, meshes, texts) can do with fewer "
		"edges between parts: block takes contiguous blocks of keys, ptscotch looks for a small cut. --output writes the "
		"graph in the order of its parts. As many ranks as parts then own one part each; ranks that divide the parts own "
		"several, a multiple of the parts pieces of them; another number gets equal ranges, with a warning.\n",
	.examples = "gemp-mpi partition movies.h5 --parts 8\n"
				"mpirun -n 8 gemp-mpi partition roads.h5 -k 8 --method ptscotch -o roads-8.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = partition,
};
