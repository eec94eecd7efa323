/* bench: the words behind `gemp-mpi bench`, each a function of gemp/bench.h. */

#include "cli/handles.h"
#include "cli/query_options.h"
#include "core/quantity.h"

#include <inttypes.h>
#include <string.h>

typedef struct word {
	const char *name;
	size_t min, max; /* arguments, with the word itself */
	gemp_code (*run)(gemp_context *context, const gemp_options *options, gemp_report *report);
} word;

/* QUERIES: named patterns, then query graphs, then the one of the command line. */

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

static gemp_code open_one(gemp_query **out, gemp_graph *graph, const gemp_options *options, size_t which)
{
	const gemp_query_settings settings = gemp_query_options(options);
	if (which < options->patterns.count)
		return gemp_query_open_pattern(out, graph, options->patterns.items[which], &settings);
	which -= options->patterns.count;
	if (which < options->query_graphs.count)
		return gemp_query_open_query_graph(out, graph, options->query_graphs.items[which], options->query_labels,
		                                   &settings);
	return gemp_query_open(out, graph, options->arguments[2], &settings);
}

static gemp_code bench_match(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(close_queries) query_list queries = { 0 };
	const size_t count = options->patterns.count + options->query_graphs.count + (options->argument_count == 3);
	if (!count)
		return gemp_fail(GEMP_EUSAGE, "bench match needs queries, and has none: QUERY, --query-graph or --pattern");
	GEMP_TRY(gemp_context_agree(context, GEMP_NEW(queries.of, count)));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[1]));
	for (; queries.count < count; queries.count++)
		GEMP_TRY(open_one(&queries.of[queries.count], graph, options, queries.count));
	return gemp_bench_match(queries.of, count, options->repeat, options->seconds, report);
}

static gemp_code bench_tune(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	const gemp_query_settings settings = gemp_query_options(options);
	if (options->argument_count > 1)
		GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[1]));
	return gemp_bench_tune(context, graph, &settings, options->output, report);
}

static gemp_code bench_device(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)options;
	return gemp_bench_device(context, report);
}

/* SHUFFLES */

enum { MAX_NUMBERS = 8 };

typedef struct number_list {
	uint64_t of[MAX_NUMBERS];
	size_t count;
} number_list;

/* "4,8,16": powers of two from min to max. */
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
			                 "--%s: '%s' is not up to %d powers of 2 from %" PRIu64 " to %" PRIu64 ", with commas "
			                 "between them",
			                 option, text, MAX_NUMBERS, min, max);
		out->of[out->count++] = number;
		at += size;
		if (!*at)
			return GEMP_OK;
	}
}

static gemp_code bench_shuffle(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	enum { BOTH, UNIFORM, SKEWED }; /* the words of --destinations */
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

static const word words[] = {
	{ "match", 2, 3, bench_match },
	{ "tune", 1, 2, bench_tune },
	{ "device", 1, 1, bench_device },
	{ "shuffle", 1, 1, bench_shuffle },
};

static gemp_code bench(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	const char *name = options->arguments[0];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(words[i].name, name) != 0)
			continue;
		if (options->argument_count < words[i].min || options->argument_count > words[i].max)
			return gemp_fail(GEMP_EUSAGE, "bench %s: %zu arguments are not what it takes; see gemp-mpi bench --help",
			                 name, options->argument_count - 1);
		return words[i].run(context, options, report);
	}
	return gemp_fail(GEMP_EUSAGE, "bench: there is no '%s'; there are match, tune, device and shuffle", name);
}

const gemp_command gemp_command_bench = {
	.name = "bench",
	.bit = GEMP_ON_BENCH,
	.arguments =
		"match G.h5 QUERY\nmatch G.h5 --pattern NAME...\nmatch G.h5 --query-graph FILE...\ntune [G.h5]\ndevice\nshuffle",
	.summary = "Measures a query, or a device, and finds the launch geometry that suits it",
	.text =
		"match plans each query once and counts it again and again in one process, the graph on the device: seconds "
		"of kernels, of what they need prepared on the device, of whole runs and of processors, each the slowest rank's.\n"
		"tune tries values for the numbers that shape kernel launches on this device, on a generated graph and on G.h5, "
		"measures from which size on sort, distinct, edges, degrees, reverse and components are faster there than on the host, "
		"and writes what it finds to the file that later runs read (~/.config/gemp-mpi/tuning/DEVICE.conf, or -o FILE).\n"
		"device measures the copy bandwidth of the device's memory and the cost of a launch.\n"
		"shuffle makes tuples of a destination and a value on the device and brings them to ranges of destinations, by decode "
		"(they are put in the order of their ranges; across ranks by owner, then all to all, then by range), polling (every range "
		"looks at every tuple), converge (and collects those it wants), atomic (straight to their destinations) and tables (CPU "
		"devices: eight tuples looked at together). Tuples a second of the shuffle, as fractions of copy bandwidth / (2 w + 4) "
		"and / w for tuples of w bytes, and with all values added up; checked outside of the time. Across "
		"ranks also the slowest rank's times of each step, and what the exchange sent a second beside what MPI exchanges.\n",
	.examples = "gemp-mpi bench match wiki.h5 --pattern cycle:5 --pattern house --repeat 10\n"
				"gemp-mpi bench tune wiki.h5\n"
				"gemp-mpi bench device --json -\n"
				"gemp-mpi bench shuffle --tuple-size 4,8 --ranges 256\n",
	.min_arguments = 1,
	.max_arguments = 3,
	.run = bench,
};
