/* bfs, sssp, pagerank, spmv: values of all vertices, each by a function of gemp/analytics.h of one type, so that one function maps the
 * options of all four.
 */

#include "cli/edge_options.h"
#include "cli/handles.h"

#include <inttypes.h>
#include <string.h>

typedef gemp_code analysis(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                           const gemp_analysis_settings *settings, gemp_report *report);

/* A search starts from one vertex. The last --source of the line wins, but several are a misunderstanding. */
static gemp_code check_source(const gemp_options *options)
{
	const char *command = options->command->name, *first = NULL;
	if (!options->source)
		return gemp_fail(GEMP_EUSAGE, "%s needs the vertex to start from: --source KEY", command);
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (strcmp(given->option->name, "source") != 0 || given->place) /* the line replaces a configuration's */
			continue;
		if (first)
			return gemp_fail(GEMP_EUSAGE,
			                 "--source %s and --source %s: %s starts from one vertex; run it once for each "
			                 "(pagerank takes several)",
			                 first, given->text, command);
		first = given->text;
	}
	return GEMP_OK;
}

/* The library counts iterations in 32 bits. */
static gemp_code check_count(const char *option, uint64_t count)
{
	if (count <= INT32_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "--%s %" PRIu64 ": at most 2147483647", option, count);
}

/* Options that a command does not take are 0, which chooses the default or is not read. */
static gemp_code run(analysis *function, gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_edge_selection edges = gemp_edge_options(options);
	gemp_analysis_settings settings;
	gemp_analysis_settings_init(&settings);
	GEMP_TRY(check_count("max-iterations", options->max_iterations));
	GEMP_TRY(check_count("repeat", options->repeat));
	if (function == gemp_graph_spmv) /* rows of A gather what their targets have */
		edges.direction = options->transpose ? GEMP_ALONG : GEMP_AGAINST;
	settings.sources = options->source ? &options->source : options->sources.items;
	settings.source_count = options->source ? 1 : options->sources.count;
	settings.personalization = options->personalization;
	settings.pass = (gemp_frontier_pass)options->pass;
	settings.delta = options->delta;
	settings.damping = options->damping;
	settings.tolerance = options->tolerance;
	settings.max_iterations = (uint32_t)options->max_iterations;
	settings.x_attribute = options->vector;
	settings.repeat = (uint32_t)options->repeat;
	settings.normalize = options->normalize;
	settings.gather = (gemp_gather)options->gather;
	settings.cut = (gemp_layout_cut)options->cut;
	settings.precision = (gemp_precision)options->precision;
	settings.verify = options->verify_order;
	settings.save = (gemp_vertex_output){ options->output, options->into, options->column, options->as_given };
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return function(NULL, graph, &edges, &settings, report);
}

static gemp_code bfs(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_TRY(check_source(options));
	return run(gemp_graph_bfs, context, options, report);
}

const gemp_command gemp_command_bfs = {
	.name = "bfs",
	.bit = GEMP_ON_BFS,
	.arguments = "G.h5 --source KEY [--relation TYPE] [--direction WAY] [-o FILE] [--into H.h5]",
	.summary = "Finds how many edges away each vertex is",
	.text =
		"A breadth-first search from one vertex. Rows of FILE are key, level, which is the least number of edges from "
		"the source, and parent: the neighbour one level before, of several the one with the smallest key, so that "
		"the answer is the same for every number of ranks, device and seed. The source has no parent, and unreached "
		"vertices have no level.\n"
		"Edges of small frontiers are pushed; where frontiers are large, the vertices that are left look for a parent in "
		"them.\n",
	.examples = "gemp-mpi bfs social.h5 --source 42 -o levels.tsv\n"
				"# which vertices can reach it; as attributes bfs_level and bfs_parent of the graph\n"
				"mpirun -n 8 gemp-mpi bfs roads.h5 --source Jena --direction against --into roads.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = bfs,
};

/* Without weights a breadth-first search gives the same paths, faster. */
static gemp_code sssp(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	if (!options->weight)
		return gemp_fail(GEMP_EUSAGE, "sssp needs the attribute of edges that is their length: --weight COLUMN; "
		                              "`gemp-mpi info` lists those that they have, and `gemp-mpi bfs` counts edges");
	GEMP_TRY(check_source(options));
	return run(gemp_graph_sssp, context, options, report);
}

const gemp_command gemp_command_sssp = {
	.name = "sssp",
	.bit = GEMP_ON_SSSP,
	.arguments = "G.h5 --source KEY --weight COLUMN [--direction WAY] [-o FILE] [--into H.h5]",
	.summary = "Finds the shortest paths from a vertex",
	.text =
		"Lengths of edges are an attribute of theirs: numbers that are not negative. Rows of FILE are key, distance, and "
		"predecessor: the vertex before it on a shortest path. Of several the one with the smallest key among those that "
		"are nearer; edges of length 0 are followed away from the source, so that predecessors lead back to it in any "
		"case. Distances are exact: integers, or sums in double precision. Unreached vertices have none.\n"
		"The answer is the same for every number of ranks, device and seed.\n",
	.examples = "gemp-mpi sssp roads.h5 --source Jena --weight km -o ways.tsv\n"
				"mpirun -n 8 gemp-mpi sssp roads.h5 --source Jena --weight km --direction against --into roads.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = sssp,
};

static gemp_code pagerank(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	return run(gemp_graph_pagerank, context, options, report);
}

const gemp_command gemp_command_pagerank = {
	.name = "pagerank",
	.bit = GEMP_ON_PAGERANK,
	.arguments = "G.h5 [--damping D] [--tolerance T] [--source KEY] [-o FILE] [--into H.h5]",
	.summary = "Ranks vertices by how often a random surfer comes to them",
	.text =
		"A surfer follows one of the edges that leave a vertex, each with the same chance, or with --weight in "
		"proportion to it, and now and then (1 - damping), or where no edge leaves, jumps to any vertex, or with --source "
		"or --personalization to certain ones. Ranks are the chances to meet the surfer at a vertex; they add up to 1. "
		"Parallel edges and loops count. Rows of FILE are key and rank; the ten greatest are shown.\n",
	.examples = "gemp-mpi pagerank citations.h5 -o ranks.tsv\n"
				"# as seen from two vertices; as the attribute `near` of the graph\n"
				"gemp-mpi pagerank social.h5 --source 7 --source 42 --into social.h5 --column near\n"
				"mpirun -n 8 gemp-mpi pagerank web.h5 --tolerance 1e-10 --json - --quiet\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = pagerank,
};

static gemp_code spmv(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	return run(gemp_graph_spmv, context, options, report);
}

const gemp_command gemp_command_spmv = {
	.name = "spmv",
	.bit = GEMP_ON_SPMV,
	.arguments = "G.h5 [--weight COLUMN] [--x ATTRIBUTE] [--transpose] [--repeat K] [-o FILE] [--into H.h5]",
	.summary = "Multiplies the graph's matrix with a vector",
	.text =
		"y = A x, where A has the weight of an edge in the row of its source and the column of its target, as scipy reads "
		"the graph file; parallel edges add up. Edges without a direction count both ways. x is an attribute of the "
		"vertices, or ones: y is then the number, or the weight, of the edges that leave a vertex. Rows of FILE are key and "
		"y. With --repeat y becomes x again; with --normalize the greatest magnitude is made 1 each time, which leads to an "
		"eigenvector of the greatest eigenvalue, if there is one.\n",
	.examples = "gemp-mpi spmv flows.h5 --weight litres --x price -o cost.tsv\n"
				"gemp-mpi spmv social.h5 --repeat 50 --normalize --into social.h5 --column centrality\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = spmv,
};
