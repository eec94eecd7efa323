/* bench_tune: gemp_bench_tune, which measures the best launch geometry of one device.
 *
 * A tunable (device/tuning.h) is a power of 2. Its probe is the pattern whose count depends on it most. Each value is
 * timed on a generated graph with hubs and on the caller's graph. The tunables NAME.host_below are sizes. From such a
 * size on the device, including all copies to it and back, is faster than the threads of the host. */

#include "gemp/bench.h"

#include "api/match/query.h"
#include "api/report.h"

#include "bench/measure.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "generate/generate.h"
#include "io/file/output.h"
#include "pattern/bind/bind.h"
#include "pattern/shapes/named_pattern.h"
#include "primitive/arrays.h"
#include "topology/components.h"
#include "topology/csr.h"
#include "topology/reverse.h"
#include "topology/vertex_degrees.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* MIN_ITEMS is the smallest size, and ROW_EDGES the length of each adjacency row. TRIES is the number of timed runs.
 * CONFIRMATIONS is the number of larger sizes at which the device must be faster, too. */
enum { MIN_ITEMS = 1 << 10, ROW_EDGES = 16, TRIES = 3, CONFIRMATIONS = 2 };

/* An array of `items` keys, and a graph whose number of rows plus number of edges is about `items`. The arrays have
 * memory for the largest size. */
typedef struct primitive_case {
	gemp_runtime *runtime;
	gemp_arrays arrays;
	size_t items;
	uint32_t *keys, *sorted;
	uint64_t *begin;
	gemp_vertex *target;
	gemp_edge_pair *pairs;
	gemp_csr csr;
	uint64_t bounds[2];
} primitive_case;

/* PRIMITIVES, each with its copies from the memory of the host and back */

static gemp_code run_sort(primitive_case *s)
{
	static const gemp_sort by_key = { .key = GEMP_KEY_U32 };
	return gemp_arrays_sort(&s->arrays, &by_key, s->sorted, NULL, s->items);
}

static gemp_code run_distinct(primitive_case *s)
{
	void *out = NULL;
	size_t distinct;
	gemp_code code = gemp_arrays_distinct(&s->arrays, GEMP_KEY_U32, s->keys, s->items, &out, &distinct);
	gemp_free(out);
	return code;
}

static gemp_code run_edges(primitive_case *s)
{
	gemp_edge_pairs_stats figures;
	return gemp_edge_pairs(&s->csr, s->runtime->device, s->arrays.place, s->pairs, &figures);
}

static gemp_code run_degrees(primitive_case *s)
{
	GEMP_OWNED_BY(gemp_vertex_degrees_free) gemp_vertex_degrees out = { 0 };
	return gemp_vertex_degrees_new(&out, s->runtime->comm, s->runtime->device, s->arrays.place, s->bounds, &s->csr, 1);
}

static gemp_code run_reverse(primitive_case *s)
{
	GEMP_OWNED_BY(gemp_reversed_rows_free) gemp_reversed_rows out = { 0 };
	return gemp_reverse(&out, &s->csr, s->runtime->device, s->arrays.place, false);
}

static gemp_code run_components(primitive_case *s)
{
	GEMP_OWNED_BY(gemp_components_free) gemp_components out = { 0 };
	const gemp_components_options how = { .place = s->arrays.place };
	return gemp_components_find(&out, s->runtime->comm, s->runtime->device, s->bounds, &s->csr, 1, &how);
}

static const struct {
	const char *tuning;
	gemp_code (*run)(primitive_case *s);
} primitives[] = {
	{ "sort.host_below", run_sort },       { "distinct.host_below", run_distinct },
	{ "edges.host_below", run_edges },     { "degrees.host_below", run_degrees },
	{ "reverse.host_below", run_reverse }, { "components.host_below", run_components },
};

static void case_free(primitive_case *s)
{
	gemp_toolbox_free(s->arrays.box);
	gemp_free_all(s->keys, s->sorted, s->begin, s->target, s->pairs);
}

/* A key is a hash of its index, so each run has the same keys. */
static gemp_code case_new(primitive_case *s, gemp_runtime *runtime, size_t max)
{
	*s = (primitive_case){ .runtime = runtime, .arrays.device = runtime->device };
	GEMP_TRY(gemp_toolbox_new(&s->arrays.box, runtime->device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->keys, max), GEMP_ARRAY(s->sorted, max),
	                      GEMP_ARRAY(s->begin, max / ROW_EDGES + 2), GEMP_ARRAY(s->target, max),
	                      GEMP_ARRAY(s->pairs, max)));
	for (size_t i = 0; i < max; i++)
		s->keys[i] = (uint32_t)gemp_mix(i);
	return GEMP_OK;
}

/* Selects the first `items` keys, and makes a graph with rows of equal length and random targets. */
static void resize(primitive_case *s, size_t items)
{
	size_t rows = items / (ROW_EDGES + 1);
	s->items = items;
	for (size_t row = 0; row <= rows; row++)
		s->begin[row] = row * ROW_EDGES;
	for (size_t e = 0; e < rows * ROW_EDGES; e++)
		s->target[e] = (gemp_vertex)(((uint64_t)s->keys[e] * rows) >> 32);
	s->bounds[1] = rows;
	s->csr = (gemp_csr){ .vertices = rows, .rows = rows, .begin = s->begin, .target = s->target };
}

/* *seconds becomes the minimum of TRIES runs. An earlier run, which builds kernels, is not counted. */
static gemp_code time_at(primitive_case *s, size_t primitive, gemp_placement place, double *seconds)
{
	s->arrays.place = place;
	*seconds = 1e9;
	for (int i = 0; i <= TRIES; i++) {
		memcpy(s->sorted, s->keys, s->items * sizeof *s->keys);
		double since = gemp_now(), took;
		GEMP_TRY(primitives[primitive].run(s));
		took = gemp_now() - since;
		*seconds = i && took < *seconds ? took : *seconds;
	}
	return GEMP_OK;
}

/* *below becomes the smallest size from which on the device was faster at all measured sizes, or 0 if the host was
 * faster at the largest measured size. */
static gemp_code measure_case(primitive_case *s, gemp_report *report, size_t primitive, size_t max, uint32_t *below)
{
	json_auto_t *list = json_array();
	unsigned faster = 0;
	double host = 0, device = 0;
	*below = 0;
	for (size_t items = MIN_ITEMS; items <= max && faster <= CONFIRMATIONS; items *= 2) {
		resize(s, items);
		GEMP_TRY(time_at(s, primitive, GEMP_PLACE_HOST, &host));
		GEMP_TRY(time_at(s, primitive, GEMP_PLACE_DEVICE, &device));
		faster = device < host ? faster + 1 : 0;
		*below = faster ? (uint32_t)(items >> (faster - 1)) : 0;
		json_array_append_new(list, json_pack("{s:I, s:f, s:f}", "items", (json_int_t)items, "host_ms", 1e3 * host,
		                                      "device_ms", 1e3 * device));
	}
	gemp_report_print(report, "  %-24s %8" PRIu32 " %12.4f %12.4f   host and device, at the largest size\n",
	                  primitives[primitive].tuning, *below, 1e3 * host, 1e3 * device);
	gemp_report_set(report, primitives[primitive].tuning,
	                json_pack("{s:I, s:O}", "below", (json_int_t)*below, "sizes", list));
	return GEMP_OK;
}

/* Measures and reports the tunables NAME.host_below on arrays and graphs of MIN_ITEMS to `max` items, and sets them if
 * the device is a GPU. A CPU device uses the same cores as the host, so its values do not change. */
static gemp_code measure_places(gemp_report *report, gemp_runtime *runtime, size_t max)
{
	GEMP_OWNED_BY(case_free) primitive_case s = { 0 };
	GEMP_TRY(case_new(&s, runtime, max));
	for (size_t p = 0; p < sizeof primitives / sizeof *primitives; p++) {
		uint32_t below;
		GEMP_TRY(measure_case(&s, report, p, max, &below));
		if (runtime->device->gpu)
			gemp_tuning_set(runtime->device, primitives[p].tuning, below ? below : (uint32_t)1 << 31);
	}
	return GEMP_OK;
}

/* GEOMETRY */

enum { MAX_ITEMS = 1 << 26, CPU_ITEMS = 1 << 12 }; /* the largest measured sizes for a GPU and for a CPU device */

enum { SUBJECTS = 2, RUNS = 5 };

/* A graph for the searches. The held query keeps its rows on the device between trials. */
typedef struct subject {
	gemp_shard *graph;
	gemp_pattern *held_pattern;
	gemp_prepared *held;
	gemp_count count; /* count of the probe's matches */
} subject;

typedef struct tuning {
	gemp_report *report;
	gemp_runtime *runtime;
	size_t subject_count;
	subject subjects[SUBJECTS];
	gemp_prepared_options how;
	const char *probe; /* the pattern that was counted last */
} tuning;

/* A value is preferred to the default only if its time is below this fraction of the default's time. Smaller
 * differences are noise. */
static const double worthwhile = 0.97;
static const double max_seconds = 1; /* limit of time for the runs of one probe */

/* Measures the time to count a probe in one graph. */
static gemp_code count_in(const tuning *t, const subject *s, const gemp_tunable *one, gemp_query_timing *measured)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	gemp_prepared_options how = t->how;
	how.match.count_by_formula = !one->by_search;
	GEMP_TRY(gemp_pattern_named(&pattern, one->probe));
	GEMP_TRY(gemp_pattern_bind(pattern, s->graph));
	return gemp_query_timing_run(measured, t->runtime, s->graph, pattern, &how, RUNS, max_seconds);
}

/* Times a probe in all graphs. *seconds becomes the geometric mean of the kernels' times with their preparation. All
 * geometries must give the same count; otherwise it fails. */
static gemp_code time_probe(tuning *t, const gemp_tunable *one, double *seconds)
{
	double sum = 0;
	bool known = t->probe && strcmp(t->probe, one->probe) == 0;
	t->probe = known ? one->probe : NULL;
	for (size_t i = 0; i < t->subject_count; i++) {
		subject *s = &t->subjects[i];
		GEMP_OWNED_BY(gemp_query_timing_free) gemp_query_timing timing = { 0 };
		GEMP_TRY(count_in(t, s, one, &timing));
		if (known && timing.result.matches != s->count)
			return gemp_fail(GEMP_EINTERNAL,
			                 "%s counts %" GEMP_PRICOUNT " matches with one launch geometry and %" GEMP_PRICOUNT
			                 " with another",
			                 one->probe, s->count, timing.result.matches);
		s->count = timing.result.matches;
		sum += log(timing.kernel.median + timing.prepare.median + 1e-9);
	}
	t->probe = one->probe;
	*seconds = exp(sum / (double)t->subject_count);
	return GEMP_OK;
}

/* Times one value. *seconds becomes negative if the device cannot launch the geometry. Any other error is a failure. */
static gemp_code try_value(tuning *t, const gemp_tunable *one, uint32_t value, double *seconds)
{
	gemp_tuning_set(t->runtime->device, one->name, value);
	gemp_code code = time_probe(t, one, seconds);
	if (code != GEMP_ENOMEM && (code != GEMP_EINTERNAL || !strstr(gemp_message(), "CL_")))
		return code;
	gemp_log(GEMP_VERBOSE, "%s = %" PRIu32 " is refused: %s", one->name, value, gemp_message());
	*seconds = -1;
	return GEMP_OK;
}

/* Tries all values of a tunable, and sets the best value. 0 stands for the default. */
static gemp_code tune_one(tuning *t, const gemp_tunable *one)
{
	uint32_t best = 0;
	double standard, min, seconds;
	json_auto_t *tried = json_object();
	GEMP_TRY(try_value(t, one, 0, &standard));
	if (standard < 0)
		return gemp_fail_in(GEMP_EINTERNAL, "bench tune: %s, %s as it stands: ", one->name, one->probe);
	min = standard;
	for (uint32_t value = one->min; value <= one->max; value *= 2) {
		char name[16];
		GEMP_TRY(try_value(t, one, value, &seconds));
		snprintf(name, sizeof name, "%" PRIu32, value);
		json_object_set_new(tried, name, seconds < 0 ? json_null() : json_real(seconds * 1e3));
		if (seconds >= 0 && seconds < min * (best ? 1 : worthwhile)) {
			best = value;
			min = seconds;
		}
	}
	gemp_tuning_set(t->runtime->device, one->name, best);
	gemp_report_print(t->report, "  %-24s %8" PRIu32 " %12.4f %12.4f   %s\n", one->name, best, standard * 1e3,
	                  min * 1e3, one->probe);
	gemp_report_set(t->report, one->name,
	                json_pack("{s:I, s:f, s:f, s:O}", "best", (json_int_t)best, "standard_ms", standard * 1e3,
	                          "best_ms", min * 1e3, "tried", tried));
	return GEMP_OK;
}

/* Writes the text of the tuning file to `text`. */
static void print_file(const tuning *t, gemp_text *text)
{
	size_t count;
	const gemp_tunable *all = gemp_tunables(&count);
	char date[32] = "";
	time_t now = time(NULL);
	strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
	gemp_text_print(text, "# %s (%s): gemp-mpi bench tune, version %s, %s\n", t->runtime->device->name,
	                t->runtime->device->driver, GEMP_VERSION, date);
	for (size_t i = 0; i < count; i++)
		if (t->runtime->device->tuning.values[i])
			gemp_text_print(text, "%s = %" PRIu32 "\n", all[i].name, t->runtime->device->tuning.values[i]);
}

/* Makes the path of the file that gemp_tuning_load reads, and its folders. If a folder cannot be made, the writing of
 * the file fails later. */
static gemp_code default_path(gemp_text *path, const gemp_device *device)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	static const char *const parts[] = { "/gemp-mpi", "/tuning" };
	char name[GEMP_TUNING_NAME];
	if (!(xdg && *xdg) && !(home && *home))
		return gemp_fail(GEMP_EUSAGE, "bench tune: there is no HOME to write to; say -o FILE");
	gemp_text_print(path, "%s%s", xdg && *xdg ? xdg : home, xdg && *xdg ? "" : "/.config");
	for (size_t i = 0; gemp_text_status(path) == GEMP_OK && i <= sizeof parts / sizeof *parts; i++) {
		mkdir(path->data, 0777);
		gemp_text_print(path, "%s", i < sizeof parts / sizeof *parts ? parts[i] : "/");
	}
	gemp_tuning_file_name(name, device->name);
	gemp_text_print(path, "%s", name);
	return gemp_text_status(path);
}

/* The file names the device, the driver and the date, since a new driver may prefer other values. */
static gemp_code write_file(const tuning *t, const char *output)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text path = { 0 }, text = { 0 };
	print_file(t, &text);
	if (output)
		gemp_text_print(&path, "%s", output);
	else
		GEMP_TRY(default_path(&path, t->runtime->device));
	GEMP_TRY(gemp_text_status(&path));
	GEMP_TRY(gemp_text_status(&text));
	GEMP_TRY(gemp_file_replace(path.data, text.data, text.size));
	gemp_report_print(t->report, "\nwritten to %s\n", path.data);
	gemp_report_set(t->report, "file", json_string(path.data));
	return GEMP_OK;
}

/* Generates a graph with hubs that is large enough to keep the device busy, and holds a query on each graph. */
static gemp_code open_graphs(tuning *t, gemp_comm *comm, gemp_graph *graph)
{
	gemp_generate_options how;
	GEMP_TRY(gemp_generate_init(&how, "rmat"));
	GEMP_TRY(gemp_generate_set(&how, "scale", t->runtime->device->gpu ? "16" : "12"));
	t->subject_count = graph ? 2 : 1;
	GEMP_TRY(gemp_generate(&t->subjects[0].graph, comm, &how));
	if (graph)
		t->subjects[1].graph = graph->shard;
	for (size_t i = 0; i < t->subject_count; i++) {
		subject *s = &t->subjects[i];
		GEMP_TRY(gemp_pattern_named(&s->held_pattern, "triangle"));
		GEMP_TRY(gemp_pattern_bind(s->held_pattern, s->graph));
		GEMP_TRY(gemp_prepared_prepare(&s->held, t->runtime, s->graph, s->held_pattern, &t->how));
	}
	return GEMP_OK;
}

static void tuning_free(tuning *t)
{
	for (size_t i = 0; i < SUBJECTS; i++) {
		gemp_prepared_free(t->subjects[i].held);
		gemp_pattern_free(t->subjects[i].held_pattern);
	}
	gemp_shard_free(t->subjects[0].graph); /* the second graph belongs to the caller */
}

/* Each probed tunable is set to 0, its default, before the first measurement. Otherwise the values of an earlier tuning
 * file would influence the times. The file is written at the end, so a failed run leaves the old file. */
gemp_code gemp_bench_tune(gemp_context *context, gemp_graph *graph, const gemp_query_settings *settings,
                          const char *path, gemp_report *report)
{
	gemp_report none;
	gemp_query_settings chosen;
	size_t count;
	const gemp_tunable *all = gemp_tunables(&count);
	GEMP_OWNED_BY(tuning_free) tuning t = { .report = gemp_report_or(report, &none, context) };
	if (context->comm.size > 1)
		return gemp_fail(GEMP_EUSAGE, "bench tune measures one device: run it with one rank");
	GEMP_TRY(gemp_query_settings_read(&chosen, GEMP_QUERY_NAMED, settings));
	t.how = gemp_query_search_options(&chosen);
	GEMP_TRY(gemp_context_runtime(&t.runtime, context, GEMP_NEED_ALL_DEVICES, NULL));
	GEMP_TRY(open_graphs(&t, &context->comm, graph));
	for (size_t i = 0; i < count; i++)
		if (all[i].probe)
			gemp_tuning_set(t.runtime->device, all[i].name, 0);
	gemp_report_print(t.report, "%s\n  %-24s %8s %12s %12s   (milliseconds; 0: left to the program)\n",
	                  t.runtime->device->name, "", "best", "default", "best");
	for (size_t i = 0; i < count; i++)
		if (all[i].probe && (t.runtime->device->gpu || !all[i].gpu_only))
			GEMP_TRY(tune_one(&t, &all[i]));
	GEMP_TRY(measure_places(t.report, t.runtime, t.runtime->device->gpu ? MAX_ITEMS : CPU_ITEMS));
	GEMP_TRY(write_file(&t, path));
	return gemp_report_devices(t.report, t.runtime);
}
