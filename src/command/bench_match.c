#include "command/bench.h"
#include "command/measure.h"
#include "command/quantity.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/types.h"
#include "io/graph_file.h"

/* Milliseconds of runs, as JSON and as a line. */
static void report_spread(gemp_report *report, const char *name, const gemp_spread *spread)
{
	json_t *object = json_object();
	json_object_set_new(object, "min", json_real(spread->least * 1e3));
	json_object_set_new(object, "median", json_real(spread->median * 1e3));
	json_object_set_new(object, "max", json_real(spread->most * 1e3));
	gemp_report_set(report, name, object);
}

static void print_line(const gemp_report *report, const char *name, const gemp_spread *spread)
{
	gemp_report_print(report, "  %-10s %12.4f %12.4f %12.4f\n", name, spread->least * 1e3, spread->median * 1e3,
	                  spread->most * 1e3);
}

static void print(const gemp_report *report, const gemp_measured *m)
{
	gemp_report_print(report, "%s matches", gemp_grouped(m->result.matches).text);
	if (m->result.embeddings_known)
		gemp_report_print(report, ", %s embeddings", gemp_grouped(m->result.embeddings).text);
	gemp_report_print(report, "\n\n  %-10s %12s %12s %12s   (milliseconds, %zu run%s, the slowest rank)\n", "", "min",
	                  "median", "max", m->runs, m->runs == 1 ? "" : "s");
	print_line(report, "kernel", &m->kernel);
	print_line(report, "prepare", &m->prepare);
	print_line(report, "run", &m->run);
	print_line(report, "cpu", &m->cpu);
	gemp_report_print(report, "  %-10s %12.4f, of that preparation %.4f\n\n", "first", m->first * 1e3,
	                  m->first_prepare * 1e3);
}

static void set(gemp_report *report, const gemp_context *context, const gemp_pattern *pattern, const gemp_measured *m)
{
	gemp_report_set(report, "query", json_string(pattern->text));
	gemp_report_set(report, "matches", gemp_json_count(m->result.matches));
	gemp_report_set(report, "embeddings", m->result.embeddings_known ? gemp_json_count(m->result.embeddings) : json_null());
	gemp_report_set(report, "runs", gemp_json_count(m->runs));
	report_spread(report, "kernel_ms", &m->kernel);
	report_spread(report, "prepare_ms", &m->prepare);
	report_spread(report, "run_ms", &m->run);
	report_spread(report, "cpu_ms", &m->cpu);
	gemp_report_set(report, "first_ms", json_real(m->first * 1e3));
	gemp_report_set(report, "first_prepare_ms", json_real(m->first_prepare * 1e3));
	gemp_report_set(report, "by_sums", json_boolean(m->result.by_sums));
	gemp_report_set(report, "launches", gemp_json_count(m->result.launches));
	if (report->options->profile) {
		gemp_report_set(report, "entries_read", gemp_json_count(m->result.entries_read));
		gemp_report_set(report, "lookups", gemp_json_count(m->result.lookups));
	}
	gemp_report_set(report, "tuning", json_string(context->device->tuning.source));
	gemp_report_set(report, "plan", json_string(m->plan));
}

/* Collective. */
static gemp_code read_pattern(gemp_pattern **out, const gemp_comm *comm, const gemp_options *options)
{
	int asked = (options->argument_count == 3) + (options->pattern != NULL) + (options->query_graph != NULL);
	gemp_code code;
	if (asked != 1)
		code = gemp_fail(GEMP_EUSAGE, "bench match needs one query, and has %s: QUERY, --query-graph or --pattern",
		                 asked ? "more" : "none");
	else if (options->pattern)
		code = gemp_pattern_named(out, options->pattern);
	else if (options->query_graph)
		code = gemp_pattern_query_graph(out, options->query_graph, options->query_labels);
	else
		code = gemp_pattern_parse(out, options->arguments[2], NULL);
	return gemp_comm_agree(comm, code);
}

gemp_code gemp_bench_match(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_pattern *pattern = NULL;
	gemp_graph *graph = NULL;
	gemp_context *context = NULL;
	gemp_measured measured = { 0 };
	const gemp_query_options how = gemp_bench_how(options);
	GEMP_TRY(read_pattern(&pattern, comm, options));
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[1]));
	GEMP_TRY(gemp_comm_agree(comm, gemp_pattern_bind(pattern, graph)));
	GEMP_TRY(gemp_bench_context(&context, comm, options));
	gemp_timers_add(&context->timers, GEMP_READ, since);
	GEMP_TRY(gemp_measure(&measured, context, graph, pattern, &how, options->repeat, options->seconds));
	if (options->explain || options->profile)
		gemp_report_print(report, "%s\n", measured.plan);
	print(report, &measured);
	set(report, context, pattern, &measured);
	gemp_report_graph(report, graph);
	gemp_report_seconds(report, &context->timers, false);
	GEMP_TRY(gemp_report_devices(report, context->device));
	gemp_report_memory(report, context->device->peak);
done:
	gemp_measured_free(&measured);
	gemp_context_free(context);
	gemp_graph_free(graph);
	gemp_pattern_free(pattern);
	return code;
}
