/* bench: gemp_bench_match and gemp_bench_device, timings of queries and rates of a device.
 *
 * A query is prepared once and run again and again (bench/measure.h), so that the figures are those of a program that asks the same
 * question often: reading, planning and building kernels are in `first` alone.
 */

#include "gemp/bench.h"

#include "api/match/query_state.h"
#include "api/report_state.h"
#include "bench/measure.h"
#include "core/quantity.h"
#include "device/open.h"
#include "pattern/bind/bind.h"

gemp_code gemp_bench_device(gemp_context *context, gemp_report *report)
{
	gemp_runtime *runtime = NULL;
	gemp_rates rates;
	gemp_report none;
	report = gemp_report_or(report, &none, context);
	GEMP_TRY(gemp_context_runtime(&runtime, context, true, NULL));
	GEMP_TRY(gemp_comm_agree(&context->comm, gemp_device_rates(runtime->device, &rates)));
	gemp_report_print(report, "%s\n  %-10s %10.1f GB/s read and written\n", runtime->device->name, "copy",
	                  rates.copy / 1e9);
	gemp_report_print(report, "  %-10s %10.1f us with the host waiting, %.1f us on the device\n", "launch",
	                  rates.launch * 1e6, rates.empty * 1e6);
	gemp_report_set(report, "copy_bytes_per_second", json_real(rates.copy));
	gemp_report_set(report, "units", gemp_json_count(runtime->device->units));
	gemp_report_set(report, "launch_us", json_real(rates.launch * 1e6));
	gemp_report_set(report, "empty_kernel_us", json_real(rates.empty * 1e6));
	gemp_report_set(report, "tuning", json_string(runtime->device->tuning.source));
	return gemp_report_devices(report, runtime);
}

/* A line of the table of milliseconds. */
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

/* The object of a query in the array `queries`. */
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

/* Collective. *measured is the query before, and is freed once this one is measured: equal rows stay on the device. */
static gemp_code measure_one(gemp_query_timing *measured, gemp_runtime *runtime, const gemp_query *query, bool shown,
                             uint64_t repeat, double seconds, gemp_report *report, json_t *list)
{
	const gemp_query_settings *settings = &query->settings;
	const gemp_prepared_options how = gemp_query_search_options(settings);
	gemp_shard *graph = query->graph->shard;
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	gemp_query_timing next = { 0 };
	gemp_code code = gemp_query_parse(&script, query);
	if (code == GEMP_OK && script.count != 1)
		code = gemp_fail(GEMP_EUSAGE, "%s has %zu queries; give one each", query->name, script.count);
	GEMP_THEN(gemp_pattern_bind_with(script.queries[0], graph, settings->lenient));
	GEMP_TRY(gemp_comm_agree(runtime->comm, code));
	GEMP_TRY(gemp_query_timing_run(&next, runtime, graph, script.queries[0], &how, repeat, seconds));
	if (shown || settings->explain || settings->profile)
		gemp_report_print(report, "%s\n", script.queries[0]->text);
	if (settings->explain || settings->profile)
		gemp_report_print(report, "%s\n", next.plan);
	print(report, &next);
	json_array_append_new(list, measured_json(script.queries[0], &next, settings->profile));
	next.pattern = script.queries[0];
	script.queries[0] = NULL;
	gemp_query_timing_free(measured);
	*measured = next;
	return GEMP_OK;
}

gemp_code gemp_bench_match(gemp_query *const *queries, size_t count, uint64_t repeat, double seconds,
                           gemp_report *report)
{
	gemp_runtime *runtime = NULL;
	GEMP_OWNED_BY(gemp_query_timing_free) gemp_query_timing measured = { 0 };
	gemp_report none;
	if (!count)
		return GEMP_OK;
	gemp_graph *graph = queries[0]->graph;
	const gemp_timers timers = gemp_graph_take_timers(graph);
	json_auto_t *list = json_array();
	report = gemp_report_or(report, &none, graph->context);
	GEMP_TRY(gemp_context_runtime(&runtime, graph->context, true, &timers));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(measure_one(&measured, runtime, queries[i], count > 1, repeat, seconds, report, list));
	gemp_report_set(report, "queries", json_incref(list));
	gemp_report_set(report, "tuning", json_string(runtime->device->tuning.source));
	gemp_report_graph(report, graph->shard);
	gemp_report_seconds(report, &runtime->timers, false);
	GEMP_TRY(gemp_report_devices(report, runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(runtime));
	return GEMP_OK;
}
