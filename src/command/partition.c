#include "command/quantity.h"
#include "command/report.h"

#include "core/memory.h"
#include "io/graph_file.h"

/* Counts of one part, all ranks. */
enum { VERTICES, EDGES_OUT, EDGES_IN, EDGES_INSIDE, COUNTS };

/* Owner of id v among `parts` random parts of n vertices. */
static uint64_t owner_of(uint64_t v, uint64_t parts, uint64_t n)
{
	return ((v + 1) * parts - 1) / n;
}

/* Collective. counts is [parts * COUNTS]. */
static gemp_code count_parts(const gemp_comm *comm, gemp_graph *graph, uint64_t parts, uint64_t *counts)
{
	uint64_t n = graph->vertices;
	for (size_t i = 0; i < graph->relation_count; i++) {
		gemp_code code = gemp_graph_need_relation(graph, i, GEMP_PART_OUT | GEMP_PART_IN);
		if (code != GEMP_OK)
			return code;
		const gemp_relation *relation = &graph->relations[i];
		for (size_t row = 0; row < graph->rows; row++) {
			uint64_t own = owner_of(graph->first + row, parts, n), *part = &counts[own * COUNTS];
			part[EDGES_OUT] += relation->out_begin[row + 1] - relation->out_begin[row];
			part[EDGES_IN] += relation->in_begin[row + 1] - relation->in_begin[row];
			for (uint64_t e = relation->out_begin[row]; e < relation->out_begin[row + 1]; e++)
				part[EDGES_INSIDE] += owner_of(relation->out[e], parts, n) == own;
		}
	}
	for (size_t row = 0; row < graph->rows; row++)
		counts[owner_of(graph->first + row, parts, n) * COUNTS + VERTICES]++;
	gemp_comm_sum(comm, counts, (int)(parts * COUNTS));
	return GEMP_OK;
}

static json_t *balance(gemp_report *report, const char *name, const uint64_t *counts, uint64_t parts, int which)
{
	uint64_t least = UINT64_MAX, most = 0, sum = 0;
	for (uint64_t p = 0; p < parts; p++) {
		uint64_t count = counts[p * COUNTS + (uint64_t)which];
		least = count < least ? count : least;
		most = count > most ? count : most;
		sum += count;
	}
	double mean = (double)sum / (double)parts, ratio = sum ? (double)most / mean : 1;
	gemp_report_print(report, "  %-12s min %s, avg %.1f, max %s, max/avg %.3f\n", name, gemp_grouped(least).text,
	                  mean, gemp_grouped(most).text, ratio);
	return json_pack("{s:o, s:f, s:o, s:f}", "min", gemp_json_count(least), "avg", mean, "max",
	                 gemp_json_count(most), "imbalance", ratio);
}

static void print_parts(gemp_report *report, const gemp_graph *graph, const uint64_t *counts, uint64_t parts)
{
	enum { SHOWN = 32 };
	uint64_t n = graph->vertices, inside = 0, edges = gemp_graph_edges(graph);
	json_t *list = json_array();
	gemp_report_print(report, "\n  %5s %23s %13s %13s %13s %13s\n", "part", "ids", "vertices", "edges out",
	                  "edges in", "inside");
	for (uint64_t p = 0; p < parts; p++) {
		const uint64_t *part = &counts[p * COUNTS];
		uint64_t from = (uint64_t)((unsigned __int128)p * n / parts);
		inside += part[EDGES_INSIDE];
		if (p < SHOWN)
			gemp_report_print(report, "  %5s %11s %11s %13s %13s %13s %13s\n", gemp_grouped(p).text,
			                  gemp_grouped(from).text, gemp_grouped(from + part[VERTICES]).text,
			                  gemp_grouped(part[VERTICES]).text, gemp_grouped(part[EDGES_OUT]).text,
			                  gemp_grouped(part[EDGES_IN]).text, gemp_grouped(part[EDGES_INSIDE]).text);
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "begin", gemp_json_count(from),
		                                      "vertices", gemp_json_count(part[VERTICES]),
		                                      "edges_out", gemp_json_count(part[EDGES_OUT]),
		                                      "edges_in", gemp_json_count(part[EDGES_IN]),
		                                      "edges_inside", gemp_json_count(part[EDGES_INSIDE])));
	}
	if (parts > SHOWN)
		gemp_report_print(report, "  and %s more (--json FILE has all)\n", gemp_grouped(parts - SHOWN).text);
	double share = edges ? (double)inside / (double)edges : 1;
	gemp_report_print(report, "\n");
	gemp_report_set(report, "parts", list);
	gemp_report_set(report, "edges_inside_share", json_real(share));
	gemp_report_set(report, "vertices", balance(report, "vertices", counts, parts, VERTICES));
	gemp_report_set(report, "edges_out", balance(report, "edges out", counts, parts, EDGES_OUT));
	gemp_report_set(report, "edges_in", balance(report, "edges in", counts, parts, EDGES_IN));
	gemp_report_print(report, "  %-12s %.2f %% of the edges join two vertices of one part (1/parts is %.2f %%)\n",
	                  "inside", 100 * share, 100 / (double)parts);
}

static gemp_code partition(gemp_comm *comm, const gemp_options *options)
{
	enum { MOST = 1 << 20 };
	gemp_report report;
	gemp_graph *graph = NULL;
	uint64_t *counts = NULL, parts = gemp_options_given(options, "parts") ? options->parts : (uint64_t)comm->size;
	if (parts < 1 || parts > MOST)
		return gemp_fail(GEMP_EUSAGE, "--parts: %" GEMP_PRICOUNT " is not from 1 to %d", parts, MOST);
	gemp_code code = gemp_report_new(&report, comm, options, false);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[0]));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(counts, parts * COUNTS)));
	GEMP_TRY(count_parts(comm, graph, parts, counts));
	gemp_report_graph(&report, graph);
	gemp_report_print(&report, "%s in %s random parts (seed %" GEMP_PRICOUNT ")\n", options->arguments[0],
	                  gemp_grouped(parts).text, graph->seed);
	print_parts(&report, graph, counts, parts);
done:
	gemp_free(counts);
	gemp_graph_free(graph);
	return gemp_report_finish(&report, code);
}

const gemp_command gemp_command_partition = {
	.name = "partition",
	.bit = GEMP_ON_PARTITION,
	.arguments = "G.h5 [--parts R]",
	.summary = "Shows sizes and balance of the random partition for R parts",
	.text = "Vertices are stored in a random order, so that part p of R is ids p n / R to (p + 1) n / R, for every "
		"R.\n",
	.examples = "gemp-mpi partition movies.h5 --parts 8\n",
	.least = 1,
	.most = 1,
	.run = partition,
};
