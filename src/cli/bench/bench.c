#include "cli/bench/bench.h"

#include "api/context_state.h"
#include "bench/measure.h"
#include "cli/report/report_run.h"
#include "core/quantity.h"
#include "device/open.h"
#include "io/graph_file/graph_file_read.h"
#include "pattern/bind/bind.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/shapes/query_graph.h"

#include <string.h>

typedef struct word {
	const char *name;
	size_t least, most; /* arguments, with the word itself */
	gemp_code (*run)(gemp_report *report, gemp_comm *comm, const gemp_options *options);
} word;

/* Collective; what rank 0 finds is shown. */
static gemp_code gemp_bench_device(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *context = NULL;
	gemp_rates rates;
	(void)options;
	GEMP_TRY(gemp_context_runtime(&context, report->context, true, NULL));
	GEMP_TRY(gemp_comm_agree(comm, gemp_device_rates(context->device, &rates)));
	gemp_report_print(report, "%s\n  %-10s %10.1f GB/s read and written\n", context->device->name, "copy",
	                  rates.copy / 1e9);
	gemp_report_print(report, "  %-10s %10.1f us with the host waiting, %.1f us on the device\n", "launch",
	                  rates.launch * 1e6, rates.empty * 1e6);
	gemp_report_set(report, "copy_bytes_per_second", json_real(rates.copy));
	gemp_report_set(report, "units", gemp_json_count(context->device->units));
	gemp_report_set(report, "launch_us", json_real(rates.launch * 1e6));
	gemp_report_set(report, "empty_kernel_us", json_real(rates.empty * 1e6));
	gemp_report_set(report, "tuning", json_string(context->device->tuning.source));
	GEMP_TRY(gemp_report_devices(report, context));
done:
	return code;
}

/* THE QUERIES: named patterns, then query graphs, then the one of the command line. */
static size_t count_queries(const gemp_options *options)
{
	return options->patterns.count + options->query_graphs.count + (options->argument_count == 3);
}

static void print_line(const gemp_report *report, const char *name, const gemp_spread *spread)
{
	gemp_report_print(report, "  %-10s %12.4f %12.4f %12.4f\n", name, spread->min * 1e3, spread->median * 1e3,
	                  spread->max * 1e3);
}

static void print(const gemp_report *report, const gemp_query_timing *m)
{
	gemp_report_print(report, "%s", gemp_counted(m->result.matches, "match").text);
	if (m->result.embeddings_known)
		gemp_report_print(report, ", %s", gemp_counted(m->result.embeddings, "embedding").text);
	gemp_report_print(report, "\n\n  %-10s %12s %12s %12s   (milliseconds, %zu run%s, the slowest rank)\n", "", "min",
	                  "median", "max", m->runs, m->runs == 1 ? "" : "s");
	print_line(report, "kernel", &m->kernel);
	print_line(report, "prepare", &m->prepare);
	print_line(report, "run", &m->run);
	print_line(report, "cpu", &m->cpu);
	gemp_report_print(report, "  %-10s %12.4f, of that preparation %.4f\n\n", "first", m->first * 1e3,
	                  m->first_prepare * 1e3);
}

/* Milliseconds of runs. */
static json_t *spread_json(const gemp_spread *spread)
{
	return gemp_json_spread(1e3 * spread->min, "median", 1e3 * spread->median, 1e3 * spread->max);
}

static json_t *measured_json(const gemp_pattern *pattern, const gemp_query_timing *m, bool profile)
{
	json_t *object = json_object();
	json_object_set_new(object, "query", json_string(pattern->text));
	json_object_set_new(object, "matches", gemp_json_count(m->result.matches));
	json_object_set_new(object, "embeddings",
	                    m->result.embeddings_known ? gemp_json_count(m->result.embeddings) : json_null());
	json_object_set_new(object, "runs", gemp_json_count(m->runs));
	json_object_set_new(object, "kernel_ms", spread_json(&m->kernel));
	json_object_set_new(object, "prepare_ms", spread_json(&m->prepare));
	json_object_set_new(object, "run_ms", spread_json(&m->run));
	json_object_set_new(object, "cpu_ms", spread_json(&m->cpu));
	json_object_set_new(object, "first_ms", json_real(m->first * 1e3));
	json_object_set_new(object, "first_prepare_ms", json_real(m->first_prepare * 1e3));
	json_object_set_new(object, "by_sums", json_boolean(m->result.by_sums));
	json_object_set_new(object, "launches", gemp_json_count(m->result.launches));
	if (profile) {
		json_object_set_new(object, "entries_read", gemp_json_count(m->result.entries_read));
		json_object_set_new(object, "lookups", gemp_json_count(m->result.lookups));
	}
	json_object_set_new(object, "plan", json_string(m->plan));
	return object;
}

static gemp_code read_one(gemp_pattern **out, const gemp_options *options, size_t which)
{
	if (which < options->patterns.count)
		return gemp_pattern_named(out, options->patterns.items[which]);
	which -= options->patterns.count;
	if (which < options->query_graphs.count)
		return gemp_pattern_query_graph(out, options->query_graphs.items[which], options->query_labels);
	return gemp_pattern_parse(out, options->arguments[2], NULL);
}

/* Collective. *measured has the query before, and is replaced after this one is measured: their rows are made once. */
static gemp_code measure_one(const gemp_report *report, const gemp_options *options, gemp_query_timing *measured,
                             gemp_runtime *context, gemp_shard *graph, size_t which, json_t *list)
{
	gemp_code code = GEMP_OK;
	const gemp_prepared_options how = gemp_bench_how(options);
	gemp_pattern *pattern = NULL;
	gemp_query_timing next = { 0 };
	code = read_one(&pattern, options, which);
	if (code == GEMP_OK)
		code = gemp_pattern_bind(pattern, graph);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_query_timing_run(&next, context, graph, pattern, &how, options->repeat, options->seconds));
	if (count_queries(options) > 1 || options->explain || options->profile)
		gemp_report_print(report, "%s\n", pattern->text);
	if (options->explain || options->profile)
		gemp_report_print(report, "%s\n", next.plan);
	print(report, &next);
	json_array_append_new(list, measured_json(pattern, &next, options->profile));
done:
	if (code == GEMP_OK) {
		next.pattern = pattern;
		gemp_query_timing_free(measured);
		*measured = next;
	} else {
		gemp_pattern_free(pattern);
	}
	return code;
}

static gemp_code gemp_bench_match(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = NULL;
	gemp_runtime *context = NULL;
	gemp_query_timing measured = { 0 };
	json_t *list = json_array();
	double since = gemp_now();
	if (!count_queries(options))
		code = gemp_fail(GEMP_EUSAGE, "bench match needs queries, and has none: QUERY, --query-graph or --pattern");
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[1]));
	GEMP_TRY(gemp_context_runtime(&context, report->context, true, NULL));
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, since);
	for (size_t i = 0; i < count_queries(options); i++)
		GEMP_TRY(measure_one(report, options, &measured, context, graph, i, list));
	gemp_report_set(report, "queries", json_incref(list));
	gemp_report_set(report, "tuning", json_string(context->device->tuning.source));
	gemp_report_graph(report, graph);
	gemp_report_seconds(report, &context->timers, false);
	GEMP_TRY(gemp_report_devices(report, context));
	gemp_report_memory(report, gemp_runtime_device_peak(context));
done:
	json_decref(list);
	gemp_query_timing_free(&measured);
	gemp_shard_free(graph);
	return code;
}

static const word words[] = {
	{ "match", 2, 3, gemp_bench_match },
	{ "tune", 1, 2, gemp_bench_tune },
	{ "device", 1, 1, gemp_bench_device },
	{ "shuffle", 1, 1, gemp_bench_shuffle },
};

static gemp_code find(const word **out, const gemp_options *options)
{
	const char *name = options->arguments[0];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i].name, name) == 0) {
			*out = &words[i];
			if (options->argument_count >= words[i].least && options->argument_count <= words[i].most)
				return GEMP_OK;
			return gemp_fail(GEMP_EUSAGE, "bench %s: %zu arguments are not what it takes; see gemp-mpi bench --help",
			                 name, options->argument_count - 1);
		}
	return gemp_fail(GEMP_EUSAGE, "bench: there is no '%s'; there are match, tune, device and shuffle", name);
}

gemp_prepared_options gemp_bench_how(const gemp_options *options)
{
	return (gemp_prepared_options){
		.match = {
			.semantics = (gemp_semantics)options->semantics,
			.distinct = (gemp_distinct)options->distinct,
			.symmetry_by_hash = options->symmetry == 1,
			.count_by_formula = options->count_by == 0,
			.pivot_off = options->pivot == 1,
			.attributes = (gemp_condition_phase)options->attributes,
			.replicate = options->replicate,
			.exchange = (gemp_exchange_mode)options->exchange,
			.launch_factor = options->launch_factor,
			.profile = options->profile,
			.lanes = (int)options->lanes,
			.limit = UINT64_MAX,
		},
		.combinations = options->combinations,
	};
}

static gemp_code bench(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	const word *chosen = NULL;
	gemp_code code = find(&chosen, options);
	if (code != GEMP_OK)
		return code;
	return chosen->run(report, comm, options);
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
