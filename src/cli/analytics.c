/* analytics: the commands degrees, edges, reverse, components, bfs, sssp, pagerank and spmv, which work on the edges
 * that
 * --relation and --direction select, and the commands sort and distinct, which work on the numbers of a file. The
 * library functions are those of gemp/analytics.h and gemp/primitives.h.
 *
 * An option that a command does not accept is 0 or NULL, which selects the library's default. One function therefore
 * maps the options of bfs, sssp, pagerank and spmv, and one function maps the options of the commands without weights.
 */

#include "cli/report/report_run.h"
#include "cli/settings.h"
#include "gemp/primitives.h"

#include <inttypes.h>
#include <string.h>

/* TOPOLOGY */

/* Only components accepts --tree; for the other commands it is NULL. */
static gemp_topology_settings topology_settings(const gemp_options *options)
{
	gemp_topology_settings settings;
	gemp_topology_settings_init(&settings);
	settings.place = (gemp_placement)options->on;
	settings.output = options->output;
	settings.tree = options->tree;
	settings.drawing = options->dot;
	/* degrees counts only directed edges, since `info` shows the degrees of all edges. */
	settings.directed = options->command->bit == GEMP_ON_DEGREES;
	return settings;
}

/* The three commands components, degrees and edges differ only in the library function. */
static gemp_code topology(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection edges = gemp_edge_options(options);
	const gemp_topology_settings settings = topology_settings(options);
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	switch (options->command->bit) {
	case GEMP_ON_COMPONENTS: return gemp_graph_components(NULL, graph, &edges, &settings, NULL, report);
	case GEMP_ON_DEGREES: return gemp_graph_degrees(NULL, graph, &edges, &settings, report);
	default: return gemp_graph_list_edges(graph, &edges, &settings, NULL, report);
	}
}

/* --output is a graph file. If it is given, its writing ends the report. */
static gemp_code reverse(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection edges = gemp_edge_options(options);
	gemp_topology_settings settings = topology_settings(options);
	settings.output = NULL;
	settings.unfinished = options->output != NULL;
	if (options->output)
		GEMP_TRY(gemp_output_check(context, options));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	GEMP_TRY(gemp_graph_reverse(graph, &edges, &settings, NULL, report));
	return options->output ? gemp_write_output(graph, options, report) : GEMP_OK;
}

const gemp_command gemp_command_degrees = {
	.name = "degrees",
	.bit = GEMP_ON_DEGREES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Counts the edges that leave and reach each vertex",
	.text =
		"Only directed edges count. The report has the vertices by out- and in-degree, the numbers of sources, sinks "
		"and isolated vertices, and how many vertices have equal in- and out-degree, which all vertices of an Euler "
		"circuit must have. Rows of FILE are key, out and in; a loop counts in both. Each rank counts on its device or "
		"its threads.\n",
	.examples = "gemp-mpi degrees citations.h5 -o degrees.tsv\n"
				"mpirun -n 8 gemp-mpi degrees city.h5 --relation ONE_WAY\n",
	.argument_count = { 1, 1 },
	.run = topology,
};

const gemp_command gemp_command_edges = {
	.name = "edges",
	.bit = GEMP_ON_EDGES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Lists the edges of a graph as pairs of source and target",
	.text =
		"A graph file keeps the edges of each vertex in a row (CSR). This command turns the rows into pairs, with "
		"equal work for each thread however long the rows are, on the device or the threads of each rank, and reports "
		"the speed beside that of a copy in the same memory. Rows of FILE are source, type, edge and target; edge is "
		"the number among the edges of its type, which distinguishes parallel edges.\n",
	.examples = "gemp-mpi edges movies.h5 --relation ACTS_IN -o acts.tsv\n"
				"gemp-mpi edges rmat20.h5 --on device --devices gpu\n",
	.argument_count = { 1, 1 },
	.run = topology,
};

const gemp_command gemp_command_reverse = {
	.name = "reverse",
	.bit = GEMP_ON_REVERSE,
	.arguments = "G.h5 [--relation TYPE] [-o H.h5]",
	.summary = "Reverses the edges of a graph",
	.text =
		"Each edge then leads from its target to its source (the matrix is transposed). All vertices stay, attributes "
		"go with their edges, and parallel edges keep their order. Undirected edges do not change. Each rank collects "
		"the edges that lead to its vertices and reverses them on its device or its threads.\n",
	.examples = "gemp-mpi reverse citations.h5 -o cited-by.h5\n"
				"gemp-mpi reverse city.h5 --relation ONE_WAY -o back.h5\n",
	.argument_count = { 1, 1 },
	.run = reverse,
};

const gemp_command gemp_command_components = {
	.name = "components",
	.bit = GEMP_ON_COMPONENTS,
	.arguments = "G.h5 [--relation TYPE] [-o FILE] [--tree FILE]",
	.summary = "Finds the connected components of a graph, and a spanning forest",
	.text =
		"Edges connect their ends whatever their direction (weak connectivity). Rows of FILE are key and component, "
		"which is the smallest key in the component. --tree writes the edges of a spanning forest, which keep every "
		"component connected and close no cycle. Every rank works on its device, or every rank on its threads: --on "
		"auto decides by the rows and edges of the largest rank.\n",
	.examples = "gemp-mpi components social.h5 -o parts.tsv\n"
				"mpirun -n 8 gemp-mpi components roads.h5 --tree forest.tsv\n",
	.argument_count = { 1, 1 },
	.run = topology,
};

/* ANALYSES */

/* A search starts at one vertex. A second --source is refused, since the user would expect both to have an effect. */
static gemp_code check_source(const gemp_options *options)
{
	const char *command = options->command->name, *first = NULL;
	if (!options->source)
		return gemp_fail(GEMP_EUSAGE, "%s needs the vertex to start from: --source KEY", command);
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (strcmp(given->option->name, "source") != 0 ||
		    given->place) /* the command line replaces the configuration */
			continue;
		if (first)
			return gemp_fail(GEMP_EUSAGE,
			                 "--source %s and --source %s: %s starts from one vertex; run it once for each "
			                 "(pagerank accepts several)",
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

/* Local. sssp without weights is an error, since bfs finds the same paths faster. */
static gemp_code check_analysis(const gemp_options *options)
{
	const unsigned command = options->command->bit;
	if (command == GEMP_ON_SSSP && !options->weight)
		return gemp_fail(GEMP_EUSAGE, "sssp needs the attribute of the edges that is their length: --weight COLUMN; "
		                              "`gemp-mpi info` lists the attributes, and `gemp-mpi bfs` counts edges");
	if (command == GEMP_ON_SSSP || command == GEMP_ON_BFS)
		GEMP_TRY(check_source(options));
	GEMP_TRY(check_count("max-iterations", options->max_iterations));
	return check_count("repeat", options->repeat);
}

/* --source is a text for bfs and sssp, and a list for pagerank. The library always takes a list. */
static gemp_analysis_settings analysis_settings(const gemp_options *options)
{
	gemp_analysis_settings settings;
	gemp_analysis_settings_init(&settings);
	settings.sources = options->source ? &options->source : options->sources.items;
	settings.source_count = options->source ? 1 : options->sources.count;
	settings.personalization = options->personalization;
	settings.pass = (gemp_frontier_pass)options->pass;
	settings.delta = options->delta;
	settings.damping = options->damping;
	settings.tolerance = options->tolerance;
	settings.max_iterations = (uint32_t)options->max_iterations;
	settings.x_attribute = options->vector;
	settings.shown = options->shown_attribute;
	settings.repeat = (uint32_t)options->repeat;
	settings.normalize = options->normalize;
	settings.gather = (gemp_gather)options->gather;
	settings.cut = (gemp_layout_cut)options->cut;
	settings.precision = (gemp_precision)options->precision;
	settings.verify = options->verify_order;
	settings.save = (gemp_vertex_output){ options->output, options->into, options->column, options->as_given };
	return settings;
}

/* bfs, sssp, pagerank and spmv differ only in the library function. */
static gemp_code analyse(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_edge_selection edges = gemp_edge_options(options);
	const gemp_analysis_settings settings = analysis_settings(options);
	GEMP_TRY(check_analysis(options));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	switch (options->command->bit) {
	case GEMP_ON_BFS: return gemp_graph_bfs(NULL, graph, &edges, &settings, report);
	case GEMP_ON_SSSP: return gemp_graph_sssp(NULL, graph, &edges, &settings, report);
	case GEMP_ON_PAGERANK: return gemp_graph_pagerank(NULL, graph, &edges, &settings, report);
	default:
		/* y[v] is a sum over the edges that leave v, so values travel against the edges. */
		edges.direction = options->transpose ? GEMP_ALONG : GEMP_AGAINST;
		return gemp_graph_spmv(NULL, graph, &edges, &settings, report);
	}
}

const gemp_command gemp_command_bfs = {
	.name = "bfs",
	.bit = GEMP_ON_BFS,
	.arguments = "G.h5 --source KEY [--relation TYPE] [--direction WAY] [-o FILE] [--into H.h5]",
	.summary = "Finds how many edges away each vertex is",
	.text =
		"A breadth-first search from one vertex. Rows of FILE are key, level and parent. The level is the smallest "
		"number of edges from the source. The parent is a neighbour one level before; if there are several, the one "
		"with the smallest key, so the answer is the same for every number of ranks, device and seed. The source has "
		"no parent, and unreached vertices have no level.\n"
		"Edges of small frontiers are pushed; if a frontier is large, the vertices without a level look for a parent "
		"in it.\n",
	.examples = "gemp-mpi bfs social.h5 --source 42 -o levels.tsv\n"
				"# which vertices can reach it; as attributes bfs_level and bfs_parent of the graph\n"
				"mpirun -n 8 gemp-mpi bfs roads.h5 --source Jena --direction against --into roads.h5\n",
	.argument_count = { 1, 1 },
	.devices = true,
	.run = analyse,
};

const gemp_command gemp_command_sssp = {
	.name = "sssp",
	.bit = GEMP_ON_SSSP,
	.arguments = "G.h5 --source KEY --weight COLUMN [--direction WAY] [-o FILE] [--into H.h5]",
	.summary = "Finds the shortest paths from a vertex",
	.text =
		"--weight names the attribute with the lengths of the edges, which must not be negative. Rows of FILE are "
		"key, distance and predecessor, the vertex before it on a shortest path. Of several such vertices it is the "
		"one with the smallest key among those that are nearer; edges of length 0 are followed away from the source, "
		"so predecessors always lead back to it. Distances are exact: integers, or sums in double precision. "
		"Unreached vertices have none.\n"
		"The answer is the same for every number of ranks, device and seed.\n",
	.examples = "gemp-mpi sssp roads.h5 --source Jena --weight km -o ways.tsv\n"
				"mpirun -n 8 gemp-mpi sssp roads.h5 --source Jena --weight km --direction against --into roads.h5\n",
	.argument_count = { 1, 1 },
	.devices = true,
	.run = analyse,
};

const gemp_command gemp_command_pagerank = {
	.name = "pagerank",
	.bit = GEMP_ON_PAGERANK,
	.arguments = "G.h5 [--damping D] [--tolerance T] [--source KEY] [-o FILE] [--into H.h5]",
	.summary = "Ranks vertices by how often a random surfer comes to them",
	.text =
		"With the probability --damping the surfer follows one of the edges that leave a vertex, all with equal "
		"probability or, with --weight, in proportion to their weights. Otherwise, and where no edge leaves, it jumps "
		"to any vertex or, with --source or --personalization, to certain ones. The rank of a vertex is the "
		"probability of finding the surfer there; ranks add up to 1. Parallel edges and loops count. Rows of FILE are "
		"key and rank; the ten largest are shown.\n",
	.examples = "gemp-mpi pagerank citations.h5 -o ranks.tsv\n"
				"gemp-mpi pagerank movies.h5 --direction either --show name\n"
				"# as seen from two vertices; as the attribute `near` of the graph\n"
				"gemp-mpi pagerank social.h5 --source 7 --source 42 --into social.h5 --column near\n"
				"mpirun -n 8 gemp-mpi pagerank web.h5 --tolerance 1e-10 --json - --quiet\n",
	.argument_count = { 1, 1 },
	.devices = true,
	.run = analyse,
};

const gemp_command gemp_command_spmv = {
	.name = "spmv",
	.bit = GEMP_ON_SPMV,
	.arguments = "G.h5 [--weight COLUMN] [--x ATTRIBUTE] [--transpose] [--repeat K] [-o FILE] [--into H.h5]",
	.summary = "Multiplies the graph's matrix with a vector",
	.text =
		"y = A x. A has the weight of an edge in the row of its source and the column of its target, as scipy reads "
		"the graph file; parallel edges add up, and undirected edges count both ways. x is an attribute of the "
		"vertices, or all ones: then y is the number, or the total weight, of the edges that leave a vertex. Rows of "
		"FILE are key and y. With --repeat, y becomes x again; with --normalize, each y is scaled so that its "
		"greatest magnitude is 1, which converges to an eigenvector of the greatest eigenvalue, if there is one.\n",
	.examples = "gemp-mpi spmv flows.h5 --weight litres --x price -o cost.tsv\n"
				"gemp-mpi spmv social.h5 --repeat 50 --normalize --into social.h5 --column centrality\n",
	.argument_count = { 1, 1 },
	.devices = true,
	.run = analyse,
};

/* NUMBERS of a file, over all ranks */

/* Both commands read one file, and each rank holds a part of its numbers. */
static gemp_code sort_or_distinct(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_array_close_at) gemp_array *array = NULL;
	/* The first choice of --type is auto. The types of the library follow in their order. */
	const gemp_number_type type = options->value_type ? (gemp_number_type)(options->value_type - 1) : GEMP_NUMBER_AUTO;
	const gemp_array_settings settings = { .size = sizeof settings,
		                                   .place = (gemp_placement)options->on,
		                                   .descending = options->descending,
		                                   .count_only = options->count,
		                                   .output = options->output };
	if (options->count && options->output)
		return gemp_fail(GEMP_EUSAGE, "--count prints only the count, so --output has no numbers to write; leave one "
		                              "of them out");
	if (settings.place != GEMP_PLACE_HOST)
		gemp_context_expect_devices(context, options->arguments[0]);
	GEMP_TRY(gemp_array_read(&array, context, options->arguments[0], type));
	return options->command->bit == GEMP_ON_SORT ? gemp_array_sort(array, &settings, report)
	                                             : gemp_array_distinct(array, &settings, NULL, report);
}

const gemp_command gemp_command_sort = {
	.name = "sort",
	.bit = GEMP_ON_SORT,
	.arguments = "FILE [--type TYPE] [--descending] [-o OUT]",
	.summary = "Sorts the numbers of a file",
	.text =
		"FILE is text with one number a line (plain, .gz or .zst), a numpy array (.npy), or a dataset of an HDF5 "
		"file, as in G.h5:/values. The ending of OUT selects the same formats; - is text on stdout. A radix sort runs "
		"on the device or on the threads of the host; several ranks share the numbers, and each writes an equal part "
		"of them.\n"
		"-0.0 comes before 0.0, and NaN after inf; all NaN are equal.\n",
	.examples = "gemp-mpi sort numbers.txt -o sorted.txt\n"
				"mpirun -n 8 gemp-mpi sort large.npy --descending -o sorted.npy --json -\n",
	.argument_count = { 1, 1 },
	.run = sort_or_distinct,
};

const gemp_command gemp_command_distinct = {
	.name = "distinct",
	.bit = GEMP_ON_DISTINCT,
	.arguments = "FILE [--type TYPE] [--count] [-o OUT]",
	.summary = "Finds the distinct numbers of a file",
	.text =
		"FILE is text with one number a line (plain, .gz or .zst), a numpy array (.npy), or a dataset of an HDF5 "
		"file, as in G.h5:/values. The ending of OUT selects the same formats; - is text on stdout. OUT has each "
		"number once, in ascending order. Dense numbers become bits of bitmaps that fit a cache; others are sorted.\n"
		"0.0 and -0.0 are the same number; all NaN are equal and come after inf.\n",
	.examples = "gemp-mpi distinct numbers.txt --count\n"
				"mpirun -n 8 gemp-mpi distinct large.npy -o distinct.npy\n",
	.argument_count = { 1, 1 },
	.run = sort_or_distinct,
};
