/* components, degrees, edges, reverse: what a graph is like without weights, each a function of gemp/analytics.h or
 * gemp/primitives.h. They share --relation, --on and the ways of output, so that they are one file.
 */

#include "cli/edge_options.h"
#include "cli/handles.h"
#include "cli/report/report_run.h"
#include "gemp/primitives.h"

/* Options that a command does not take are 0 or NULL, the defaults. */
static gemp_topology_settings settings_of(const gemp_options *options)
{
	gemp_topology_settings settings;
	gemp_topology_settings_init(&settings);
	settings.place = (gemp_placement)options->on;
	settings.output = options->output;
	settings.tree = options->tree;
	return settings;
}

static gemp_code components(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection edges = gemp_edge_options(options);
	const gemp_topology_settings settings = settings_of(options);
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return gemp_graph_components(NULL, graph, &edges, &settings, NULL, report);
}

const gemp_command gemp_command_components = {
	.name = "components",
	.bit = GEMP_ON_COMPONENTS,
	.arguments = "G.h5 [--relation TYPE] [-o FILE] [--tree FILE]",
	.summary = "Finds the connected components of a graph, and a spanning forest",
	.text = "Edges join their ends whatever their direction (weak connectivity). Rows of FILE are key and "
			"component, which is the smallest key in it. --tree "
			"writes edges that keep every component together and close no circle: one less for each component "
			"than it has vertices. One rank takes its device or its threads, several ranks take the threads of "
			"all; none of them ever has all vertices.\n",
	.examples = "gemp-mpi components social.h5 -o parts.tsv\n"
				"mpirun -n 8 gemp-mpi components roads.h5 --tree forest.tsv\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = components,
};

/* Only edges with a direction count, since `info` shows the degrees of all edges. */
static gemp_code degrees(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection edges = gemp_edge_options(options);
	gemp_topology_settings settings = settings_of(options);
	settings.directed = true;
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return gemp_graph_degrees(NULL, graph, &edges, &settings, report);
}

const gemp_command gemp_command_degrees = {
	.name = "degrees",
	.bit = GEMP_ON_DEGREES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Counts the edges that leave and reach each vertex",
	.text = "Of edges with a direction: vertices by out- and in-degree, sources, sinks, isolated ones, and how "
			"many have as many edges in as out, which all must have for an Euler circuit. Rows of FILE are key, "
			"out and in; a loop counts both ways.\n",
	.examples = "gemp-mpi degrees citations.h5 -o degrees.tsv\n"
				"mpirun -n 8 gemp-mpi degrees city.h5 --relation ONE_WAY\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = degrees,
};

static gemp_code edges(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection selection = gemp_edge_options(options);
	const gemp_topology_settings settings = settings_of(options);
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return gemp_graph_list_edges(graph, &selection, &settings, NULL, report);
}

const gemp_command gemp_command_edges = {
	.name = "edges",
	.bit = GEMP_ON_EDGES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Lists the edges of a graph as pairs of source and target",
	.text = "A graph file keeps the edges of each vertex in a row (CSR). This makes a pair of each, in equal "
			"shares however long the rows are, and tells how fast that was beside a copy in the same memory. Rows "
			"of FILE are source, type, edge and target: edge is the number among the edges of its type, which "
			"tells parallel ones apart.\n",
	.examples = "gemp-mpi edges movies.h5 --relation ACTS_IN -o acts.tsv\n"
				"gemp-mpi edges rmat20.h5 --on device --devices gpu\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = edges,
};

/* The report is finished by the writing of the graph, if it is written. */
static gemp_code reverse(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection selection = gemp_edge_options(options);
	gemp_topology_settings settings = settings_of(options);
	settings.output = NULL;
	settings.unfinished = options->output != NULL;
	if (options->output)
		GEMP_TRY(gemp_output_check(context, options));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	GEMP_TRY(gemp_graph_reverse(graph, &selection, &settings, NULL, report));
	return options->output ? gemp_write_output(graph, options, report) : GEMP_OK;
}

const gemp_command gemp_command_reverse = {
	.name = "reverse",
	.bit = GEMP_ON_REVERSE,
	.arguments = "G.h5 [--relation TYPE] [-o H.h5]",
	.summary = "Reverses the edges of a graph",
	.text = "Each edge leads from its target to its source (the matrix is transposed). Vertices stay as they are, "
			"those without edges too, attributes go with their edges, and parallel edges keep their order. Edges "
			"without a direction are left alone. One rank takes its device or its threads; of several each takes "
			"the edges that lead to its vertices.\n",
	.examples = "gemp-mpi reverse citations.h5 -o cited-by.h5\n"
				"gemp-mpi reverse city.h5 --relation ONE_WAY -o back.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = reverse,
};
