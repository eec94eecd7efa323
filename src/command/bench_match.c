#include "command/bench.h"
#include "command/measure.h"
#include "command/quantity.h"

#include "core/memory.h"
#include "io/graph_file.h"

/* Milliseconds of runs. */
static json_t *spread_json(const gemp_spread *spread)
{
	json_t *object = json_object();
	json_object_set_new(object, "min", json_real(spread->least * 1e3));
	json_object_set_new(object, "median", json_real(spread->median * 1e3));
	json_object_set_new(object, "max", json_real(spread->most * 1e3));
	return object;
}

static void print_line(const gemp_report *report, const char *name, const gemp_spread *spread)
{
	gemp_report_print(report, "  %-10s %12.4f %12.4f %12.4f\n", name, spread->least * 1e3, spread->median * 1e3,
	                  spread->most * 1e3);
}

static void print(const gemp_report *report, const gemp_measured *m)
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

static json_t *measured_json(const gemp_report *report, const gemp_pattern *pattern, const gemp_measured *m)
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
	if (report->options->profile) {
		json_object_set_new(object, "entries_read", gemp_json_count(m->result.entries_read));
		json_object_set_new(object, "lookups", gemp_json_count(m->result.lookups));
	}
	json_object_set_new(object, "plan", json_string(m->plan));
	return object;
}

/* THE QUERIES: named patterns, then query graphs, then the one of the command line. */
static size_t count_queries(const gemp_options *options)
{
	return options->patterns.count + options->query_graphs.count + (options->argument_count == 3);
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
static gemp_code measure_one(const gemp_report *report, gemp_measured *measured, gemp_context *context,
                             gemp_graph *graph, size_t which, json_t *list)
{
	gemp_code code = GEMP_OK;
	const gemp_options *options = report->options;
	const gemp_query_options how = gemp_bench_how(options);
	gemp_pattern *pattern = NULL;
	gemp_measured next = { 0 };
	code = read_one(&pattern, options, which);
	if (code == GEMP_OK)
		code = gemp_pattern_bind(pattern, graph);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_measure(&next, context, graph, pattern, &how, options->repeat, options->seconds));
	if (count_queries(options) > 1 || options->explain || options->profile)
		gemp_report_print(report, "%s\n", pattern->text);
	if (options->explain || options->profile)
		gemp_report_print(report, "%s\n", next.plan);
	print(report, &next);
	json_array_append_new(list, measured_json(report, pattern, &next));
done:
	if (code == GEMP_OK) {
		next.pattern = pattern;
		gemp_measured_free(measured);
		*measured = next;
	} else {
		gemp_pattern_free(pattern);
	}
	return code;
}

gemp_code gemp_bench_match(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_graph *graph = NULL;
	gemp_context *context = NULL;
	gemp_measured measured = { 0 };
	json_t *list = json_array();
	double since = gemp_now();
	if (!count_queries(options))
		code = gemp_fail(GEMP_EUSAGE, "bench match needs queries, and has none: QUERY, --query-graph or --pattern");
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[1]));
	GEMP_TRY(gemp_bench_context(&context, comm, options));
	gemp_timers_add(&context->timers, GEMP_READ, since);
	for (size_t i = 0; i < count_queries(options); i++)
		GEMP_TRY(measure_one(report, &measured, context, graph, i, list));
	gemp_report_set(report, "queries", json_incref(list));
	gemp_report_set(report, "tuning", json_string(context->device->tuning.source));
	gemp_report_graph(report, graph);
	gemp_report_seconds(report, &context->timers, false);
	GEMP_TRY(gemp_report_devices(report, context));
	gemp_report_memory(report, gemp_context_device_peak(context));
done:
	json_decref(list);
	gemp_measured_free(&measured);
	gemp_context_free(context);
	gemp_graph_free(graph);
	return code;
}
