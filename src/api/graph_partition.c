/* graph_partition: cuts a graph into parts, reports their sizes, their balance and the edges between them, and orders
 * the vertices of the graph by parts.
 *
 * part[rows] is the part of each vertex of this rank. sizes[parts] has the sizes of all parts, summed over all ranks.
 * The parts either come from a method (partition/cut), or the file stores them; the vertices of such a file lie in the
 * order of the parts. */

#include "api/graph.h"
#include "api/report.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/search.h"
#include "partition/cut/partitioner.h"
#include "partition/derived/renumber.h"

#include <inttypes.h>

/* The parts that the caller wants. */
typedef struct cut_request {
	uint64_t parts;
	gemp_partitioner method;
	bool stored;      /* the parts of the file; otherwise the method chooses them */
	const char *name; /* the name of the method */
} cut_request;

GEMP_SETTINGS(gemp_partition_settings, .stored = true)

/* The parts that the file stores take precedence, unless the caller asks for another number. */
static gemp_code make_request(cut_request *out, const gemp_graph *graph, const gemp_partition_settings *settings)
{
	const gemp_partition_settings chosen = gemp_partition_settings_from(settings);
	if (chosen.parts > GEMP_MAX_PARTITIONS)
		return gemp_fail(GEMP_EUSAGE, "parts must be from 1 to %d; got %" PRIu64, GEMP_MAX_PARTITIONS, chosen.parts);
	uint64_t stored = graph->shard->partition.count;
	*out = (cut_request){ .method = chosen.method,
		                  .stored = stored && chosen.stored && (!chosen.parts || chosen.parts == stored) };
	out->parts = out->stored ? stored : chosen.parts ? chosen.parts : (uint64_t)graph->context->comm.size;
	out->name = out->stored ? graph->shard->partition.method : gemp_partitioner_name[out->method];
	return GEMP_OK;
}

/* Collective. part[rows] becomes the part of each vertex of this rank. */
static gemp_code assign_parts(const gemp_comm *comm, gemp_shard *graph, const cut_request *wanted, uint32_t *part)
{
	if (!wanted->stored)
		return gemp_partition_choose(comm, graph, wanted->method, wanted->parts, part);
	for (size_t v = 0; v < graph->rows; v++)
		part[v] = (uint32_t)gemp_range_find(graph->partition.bounds, graph->partition.count, graph->first_vertex + v);
	return GEMP_OK;
}

/* Reports the balance of one quantity over the parts. If the time of a part is proportional to the quantity, the
 * largest part slows a run down by the factor max/avg. */
static json_t *report_spread(gemp_report *report, const char *name, const uint64_t *counts, uint64_t parts)
{
	uint64_t min = UINT64_MAX, max = 0, sum = 0;
	for (uint64_t p = 0; p < parts; p++) {
		min = gemp_min(min, counts[p]);
		max = gemp_max(max, counts[p]);
		sum += counts[p];
	}
	double mean = (double)sum / (double)parts, ratio = sum ? (double)max / mean : 1;
	gemp_report_print(report, "  %-12s min %s, avg %.1f, max %s, max/avg %.3f\n", name, gemp_grouped(min).text, mean,
	                  gemp_grouped(max).text, ratio);
	return json_pack("{s:o, s:f, s:o, s:f}", "min", gemp_json_count(min), "avg", mean, "max", gemp_json_count(max),
	                 "imbalance", ratio);
}

/* values[parts] is scratch memory. */
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
		gemp_report_set(report, fields[column], report_spread(report, shown[column], values, parts));
	}
}

/* The text shows the first 32 parts. The JSON has all parts. */
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
		json_array_append_new(list, gemp_json_counts({ "begin", begin }, { "vertices", size->vertices },
		                                             { "edges_out", size->edges_out }, { "edges_in", size->edges_in },
		                                             { "edges_inside", size->inside }));
		begin = end;
	}
	if (parts > SHOWN)
		gemp_report_print(report, "  and %s more (--json FILE has all)\n", gemp_grouped(parts - SHOWN).text);
	gemp_report_print(report, "\n");
	gemp_report_set(report, "parts", list);
}

/* The text compares the cut with the expected cut of random parts. */
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

/* Collective. Reports the parts, their balance and the cut. */
static gemp_code report_all(gemp_report *report, const char *path, gemp_shard *graph, const cut_request *wanted,
                            const uint32_t *part, double seconds)
{
	GEMP_OWNED gemp_part_size *sizes = NULL;
	GEMP_OWNED uint64_t *values = NULL;
	GEMP_TRY(gemp_comm_agree(report->comm,
	                         gemp_new_all(GEMP_ARRAY(sizes, wanted->parts), GEMP_ARRAY(values, wanted->parts))));
	GEMP_TRY(gemp_partition_measure(report->comm, graph, part, wanted->parts, sizes));
	gemp_report_graph(report, graph);
	gemp_report_set(report, "method", json_string(wanted->name));
	gemp_report_set(report, "partition_seconds", json_real(seconds));
	gemp_report_print(report, "%s in %s %s part%s%s: %s s\n", path, gemp_grouped(wanted->parts).text, wanted->name,
	                  wanted->parts == 1 ? "" : "s", wanted->stored ? ", as the file keeps them" : "",
	                  gemp_shown_seconds(seconds).text);
	report_parts(report, sizes, wanted->parts);
	report_balance(report, sizes, wanted->parts, values);
	report_cut(report, graph, sizes, wanted->parts);
	return GEMP_OK;
}

/* Collective. Makes the graph with its vertices in the order of the parts. The new graph takes over the seconds of the
 * old graph, since writing the new graph ends the report. */
static gemp_code make_ordered(gemp_graph **out, gemp_graph *graph, const cut_request *wanted, const uint32_t *part)
{
	gemp_shard *cut = NULL;
	double since = gemp_now();
	GEMP_TRY(gemp_shard_renumber(&cut, &graph->context->comm, graph->shard, part, wanted->parts, wanted->name));
	GEMP_TRY(gemp_graph_of_shard(out, graph->context, cut, graph->name));
	(*out)->timers = gemp_graph_take_timers(graph);
	gemp_timers_add(&(*out)->timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

/* If `out` is NULL, the caller wants only the figures: no row moves to another rank, and this function ends the report.
 * Otherwise gemp_graph_write ends the report. */
gemp_code gemp_graph_partition(gemp_graph **out, gemp_graph *graph, const gemp_partition_settings *settings,
                               gemp_report *report)
{
	const gemp_comm *comm = &graph->context->comm;
	gemp_report none;
	GEMP_OWNED uint32_t *part = NULL;
	cut_request wanted = { 0 };
	if (out)
		*out = NULL;
	report = gemp_report_or(report, &none, graph->context);
	GEMP_TRY(make_request(&wanted, graph, settings));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(part, graph->shard->rows)));
	double since = gemp_now();
	GEMP_TRY(assign_parts(comm, graph->shard, &wanted, part));
	gemp_timers_add(&graph->timers, GEMP_PHASE_CONVERT, since);
	GEMP_TRY(report_all(report, graph->name, graph->shard, &wanted, part, gemp_now() - since));
	if (out)
		GEMP_TRY(make_ordered(out, graph, &wanted, part));
	else
		gemp_report_memory(report, 0);
	return GEMP_OK;
}
