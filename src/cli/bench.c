/* bench: the commands bench, devices and warm. They show the devices of the machine, measure how fast queries and
 * shuffles run on them, and build their kernels (gemp/bench.h). */

#include "cli/settings.h"
#include "core/quantity.h"

#include <inttypes.h>
#include <string.h>

/* QUERIES. Their order: --pattern, --query-graph, --query-file, then the query of the command line. */

/* A list of queries. Its owner closes all of them when its scope ends. */
typedef struct query_list {
	gemp_query **of; /* [count] */
	size_t count;
} query_list;

static void close_queries(query_list *queries)
{
	for (size_t i = 0; i < queries->count; i++)
		gemp_query_close(queries->of[i]);
	gemp_free(queries->of);
}

/* Collective. Opens query number `which` of the order above, a text with its parameters. `script` is the text of
 * --query-file, or NULL. */
static gemp_code open_query(gemp_query **out, gemp_graph *graph, const gemp_options *options, const char *script,
                            size_t which)
{
	const gemp_query_settings settings = gemp_query_options(options);
	if (which < options->patterns.count)
		return gemp_query_open_pattern(out, graph, options->patterns.items[which], &settings);
	which -= options->patterns.count;
	if (which < options->query_graphs.count)
		return gemp_query_open_query_graph(out, graph, options->query_graphs.items[which], options->query_labels,
		                                   &settings);
	which -= options->query_graphs.count;
	if (which == 0 && script)
		GEMP_TRY(gemp_query_open_script(out, graph, script, options->query_file, &settings));
	else
		GEMP_TRY(gemp_query_open(out, graph, options->arguments[2], &settings));
	for (size_t i = 0; i < options->parameters.count; i++)
		GEMP_TRY(gemp_query_bind(*out, options->parameters.items[i]));
	return GEMP_OK;
}

/* All queries are opened before the first one is timed, so an error in the last query is found before any
 * measurement. */
static gemp_code bench_match(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *script = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(close_queries) query_list queries = { 0 };
	const size_t texts = (size_t)(options->query_file != NULL) + (options->argument_count == 3);
	const size_t count = options->patterns.count + options->query_graphs.count + texts;
	if (!count)
		return gemp_fail(GEMP_EUSAGE, "bench match needs a query: QUERY, --query-file, --query-graph or --pattern");
	if (!texts)
		GEMP_TRY(gemp_options_refuse(options, "param", "gives values to the text of a query, and there is none"));
	if (options->query_file)
		GEMP_TRY(gemp_file_read_text(&script, context, "--query-file", options->query_file));
	GEMP_TRY(gemp_context_agree(context, GEMP_NEW(queries.of, count)));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[1]));
	for (; queries.count < count; queries.count++)
		GEMP_TRY(open_query(&queries.of[queries.count], graph, options, script, queries.count));
	return gemp_bench_match(queries.of, count, options->repeat, options->seconds, report);
}

/* Without G.h5 the geometry is tuned only on a generated graph. */
static gemp_code bench_tune(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_query_settings settings = gemp_query_options(options);
	if (options->argument_count > 1)
		GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[1]));
	return gemp_bench_tune(context, graph, &settings, options->output, report);
}

/* --devices selects the device, so there are no settings. */
static gemp_code bench_device(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)options;
	return gemp_bench_device(context, report);
}

/* SHUFFLES */

enum { MAX_NUMBERS = 8 };

/* The numbers of --tuple-size or --ranges. */
typedef struct number_list {
	uint64_t of[MAX_NUMBERS];
	size_t count;
} number_list;

/* Reads a list such as "4,8,16". Each number must be a power of two from min to max. */
static gemp_code read_numbers(number_list *out, const char *option, const char *text, uint64_t min, uint64_t max)
{
	out->count = 0;
	for (const char *at = text;; at++) {
		size_t size = strcspn(at, ",");
		char digits[24] = "";
		uint64_t number = 0;
		if (size && size < sizeof digits)
			memcpy(digits, at, size);
		if (!gemp_parse_count(digits, &number) || number < min || number > max || (number & (number - 1)) ||
		    out->count == MAX_NUMBERS)
			return gemp_fail(GEMP_EUSAGE,
			                 "--%s: '%s' is not a list of up to %d powers of 2 from %" PRIu64 " to %" PRIu64
			                 ", joined by commas",
			                 option, text, MAX_NUMBERS, min, max);
		out->of[out->count++] = number;
		at += size;
		if (!*at)
			return GEMP_OK;
	}
}

/* The first choice of --method is all. The bits of the library belong to the following choices. */
static gemp_code bench_shuffle(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	enum { BOTH, UNIFORM, SKEWED }; /* the choices of --destinations, in their order */
	gemp_bench_shuffle_settings settings;
	number_list sizes, ranges;
	gemp_bench_shuffle_settings_init(&settings);
	GEMP_TRY(read_numbers(&sizes, "tuple-size", options->tuple_sizes, 4, GEMP_BENCH_MAX_TUPLE));
	GEMP_TRY(read_numbers(&ranges, "ranges", options->ranges, 2, GEMP_BENCH_MAX_RANGES));
	settings.tuple_sizes = sizes.of;
	settings.tuple_size_count = sizes.count;
	settings.ranges = ranges.of;
	settings.range_count = ranges.count;
	settings.methods = options->shuffle_method ? 1u << (options->shuffle_method - 1) : 0;
	settings.no_uniform = options->destinations == SKEWED;
	settings.no_skewed = options->destinations == UNIFORM;
	settings.tuples = options->tuples;
	return gemp_bench_shuffle(context, &settings, report);
}

/* ANALYTICS */

/* The first choices of --application and --method are all. --repeat and --ranges have defaults for other
 * subcommands. */
static gemp_code bench_analytics(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_edge_selection edges = gemp_edge_options(options);
	gemp_bench_analytics_settings settings;
	number_list ranges = { .count = 1 };
	gemp_bench_analytics_settings_init(&settings);
	if (gemp_options_has(options, "ranges"))
		GEMP_TRY(read_numbers(&ranges, "ranges", options->ranges, 2, GEMP_BENCH_MAX_RANGES));
	if (ranges.count != 1)
		return gemp_fail(GEMP_EUSAGE, "--ranges: bench analytics takes one number; got '%s'", options->ranges);
	settings.max_ranges = ranges.of[0];
	settings.applications = options->application ? 1u << (options->application - 1) : 0;
	settings.methods = options->shuffle_method ? 1u << (options->shuffle_method - 1) : 0;
	settings.source = options->source;
	settings.iterations = (uint32_t)gemp_min(options->iterations, INT32_MAX);
	settings.repeat = gemp_options_has(options, "repeat") ? options->repeat : settings.repeat;
	settings.seconds = options->seconds;
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[1]));
	return gemp_bench_analytics(graph, &edges, &settings, report);
}

/* The option table gives every subcommand of bench all options. An option of another subcommand has no effect. */
static gemp_code bench(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	static const gemp_subcommand list[] = {
		{ "match", 2, 3, bench_match },     { "tune", 1, 2, bench_tune },           { "device", 1, 1, bench_device },
		{ "shuffle", 1, 1, bench_shuffle }, { "analytics", 2, 2, bench_analytics },
	};
	const gemp_subcommand *subcommand = gemp_subcommand_find(list, sizeof list / sizeof *list, options);
	return subcommand ? subcommand->run(context, options, report) : gemp_command_misused(options->command);
}

const gemp_command gemp_command_bench = {
	.name = "bench",
	.bit = GEMP_ON_BENCH,
	.arguments =
		"match G.h5 QUERY\nmatch G.h5 --query-file FILE\nmatch G.h5 --pattern NAME...\nmatch G.h5 --query-graph FILE...\ntune [G.h5]\ndevice\nshuffle\n"
		"analytics G.h5",
	.summary = "Measures queries, shuffles and devices, and finds the best launch geometry for a device",
	.text =
		"match plans each query once and then counts its matches repeatedly in one process, with the graph on the "
		"device. It reports the seconds of kernels, of preparations on the device, of whole runs and of processors, "
		"each for the slowest rank.\n"
		"tune tries launch geometries on this device, on a generated graph and on G.h5. It also measures from which "
		"size on sort, distinct, edges, degrees, reverse and components are faster on the device than on the host. It "
		"writes the results to the file that later runs read (~/.config/gemp-mpi/tuning/DEVICE.conf, or -o FILE).\n"
		"device measures the copy bandwidth of the device's memory and the cost of a launch.\n"
		"shuffle makes tuples of a destination and a value on the device and groups them by ranges of destinations. "
		"Its methods are decode (tuples are sorted by range; with several ranks first by owner, then exchanged), "
		"polling (every range reads every tuple), converge (polling that first collects the tuples of a range), "
		"atomic (every tuple is added to its destination by an atomic) and tables (CPU devices: polling of eight "
		"tuples at a time). It reports tuples per second of the shuffle alone, as fractions of copy bandwidth / (2 w "
		"+ 4) and / w for tuples of w bytes, and of the shuffle with the sums of all values; the results are checked "
		"outside of the measured time. With several ranks it also reports the time of each step on the slowest rank, "
		"and the bytes per second of the exchange beside those of MPI.\n"
		"analytics runs PageRank, BFS, SSSP and products with a matrix by edge streaming. In each round, every edge "
		"makes a tuple, one of these methods shuffles the tuples, and the vertices are updated. The report has for each "
		"method the time, the edges per second, and the time of a round divided by that of decode. It has the same "
		"figures for the engine that `gemp-mpi pagerank`, bfs, sssp and spmv use. The answer of each method is compared "
		"with the engine's answer. One rank measures one device.\n",
	.examples = "gemp-mpi bench match wiki.h5 --pattern cycle:5 --pattern house --repeat 10\n"
				"gemp-mpi bench match movies.h5 --query-file casts.cypher\n"
				"gemp-mpi bench tune wiki.h5\n"
				"gemp-mpi bench device --json -\n"
				"gemp-mpi bench shuffle --tuple-size 4,8 --ranges 256\n"
				"gemp-mpi bench analytics wiki.h5 --application pagerank --method decode\n",
	.argument_count = { 1, 3 },
	.run = bench,
};

/* The context has already chosen the devices, as for any other command. */
static gemp_code devices(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)options;
	return gemp_context_devices(context, report);
}

const gemp_command gemp_command_devices = {
	.name = "devices",
	.bit = GEMP_ON_DEVICES,
	.arguments = "",
	.summary = "Lists the OpenCL devices of this machine, and which rank gets which",
	.text = "GPUs are shown with their PCI address and UUID, which --devices accepts. The ranks of a node take the "
			"selected devices in turn, in PCI order; a warning says if several ranks share a GPU. If there are more "
			"devices than ranks, each rank gets several neighbouring devices, with a line for each.\n",
	.examples = "gemp-mpi devices\ngemp-mpi devices --devices all\nmpirun -n 4 gemp-mpi devices --devices gpu\n"
				"mpirun -n 2 gemp-mpi devices --devices 65:00.0,ca:00.0\n",
	.run = devices,
};

static gemp_code warm(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)options;
	return gemp_bench_warm(context, report);
}

const gemp_command gemp_command_warm = {
	.name = "warm",
	.bit = GEMP_ON_WARM,
	.arguments = "",
	.summary = "Builds the kernels that all queries share, so that later runs load them",
	.text =
		"A first run compiles the kernels that it needs, which takes up to some seconds. warm compiles those that do "
		"not depend on a query: for conditions on attributes, for counts by sums, for components and degrees, and "
		"for bfs, sssp, pagerank and spmv. They are kept in the folder of GEMP_CACHE_DIR. Ranks that share "
		"a CPU have kernels of their own, so run it with the number of ranks of later runs.\n",
	.examples = "gemp-mpi warm\nmpirun -n 8 gemp-mpi warm --devices gpu\n",
	.run = warm,
};
