/* bench_tune: gemp_bench_tune, which measures the launch geometry of one device.
 *
 * A tunable (device/tuning.h) is a power of 2 with a pattern whose counting it changes most; each value is timed on a generated graph
 * with hubs and on the caller's graph. The tunables NAME.host_below are sizes: from there on the device, with all copies to it and
 * back, is faster than the threads of the host.
 */

#include "gemp/bench.h"

#include "api/match/query_state.h"
#include "api/report_state.h"

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

/* EACH: edges of a row; SURE: further sizes that must agree. */
enum { LEAST = 1 << 10, EACH = 16, TRIES = 3, SURE = 2 };

/* Keys, and a graph of as many rows and edges; both are used up to a size. */
typedef struct primitive_case {
	gemp_runtime *context;
	gemp_arrays arrays;
	size_t items;
	uint32_t *keys, *sorted;
	uint64_t *begin;
	gemp_vertex *target;
	gemp_edge_pair *pairs;
	gemp_csr csr;
	uint64_t bounds[2];
} primitive_case;

/* PRIMITIVES: each from the host's memory to the host's memory. */

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
	return gemp_edge_pairs(&s->csr, s->context->device, s->arrays.place, s->pairs, &figures);
}

static gemp_code run_degrees(primitive_case *s)
{
	gemp_vertex_degrees out;
	gemp_code code = gemp_vertex_degrees_new(&out, s->context->comm, s->context->device, s->arrays.place, s->bounds,
	                                         &s->csr, 1);
	if (code == GEMP_OK)
		gemp_vertex_degrees_free(&out);
	return code;
}

static gemp_code run_reverse(primitive_case *s)
{
	gemp_reversed_rows out;
	gemp_code code = gemp_reverse(&out, &s->csr, s->context->device, s->arrays.place, false);
	if (code == GEMP_OK)
		gemp_reversed_rows_free(&out);
	return code;
}

static gemp_code run_components(primitive_case *s)
{
	gemp_components out;
	const gemp_components_options how = { .place = s->arrays.place };
	gemp_code code = gemp_components_find(&out, s->context->comm, s->context->device, s->bounds, &s->csr, 1, &how);
	if (code == GEMP_OK)
		gemp_components_free(&out);
	return code;
}

enum { SUBJECTS = 2, RUNS = 5 };

/* What is counted in. The held query keeps its rows on the device between trials. */
typedef struct subject {
	gemp_shard *graph;
	gemp_pattern *held_pattern;
	gemp_prepared *held;
	gemp_count count; /* of the probe */
} subject;

typedef struct tuning {
	gemp_report *report;
	gemp_runtime *context;
	size_t subject_count;
	subject subjects[SUBJECTS];
	gemp_prepared_options how;
	const char *probe; /* that was counted last */
} tuning;

static const struct {
	const char *tuning;
	gemp_code (*run)(primitive_case *s);
} primitives[] = {
	{ "sort.host_below", run_sort },       { "distinct.host_below", run_distinct },
	{ "edges.host_below", run_edges },     { "degrees.host_below", run_degrees },
	{ "reverse.host_below", run_reverse }, { "components.host_below", run_components },
};

/* SUBJECT */

static void case_free(primitive_case *s)
{
	gemp_toolbox_free(s->arrays.box);
	gemp_free(s->keys);
	gemp_free(s->sorted);
	gemp_free(s->begin);
	gemp_free(s->target);
	gemp_free(s->pairs);
}

static gemp_code case_new(primitive_case *s, gemp_runtime *context, size_t most)
{
	*s = (primitive_case){ .context = context, .arrays.device = context->device };
	GEMP_TRY(gemp_toolbox_new(&s->arrays.box, context->device, GEMP_FORM_AUTO));
	GEMP_TRY(GEMP_NEW(s->keys, most));
	GEMP_TRY(GEMP_NEW(s->sorted, most));
	GEMP_TRY(GEMP_NEW(s->begin, most / EACH + 2));
	GEMP_TRY(GEMP_NEW(s->target, most));
	GEMP_TRY(GEMP_NEW(s->pairs, most));
	for (size_t i = 0; i < most; i++)
		s->keys[i] = (uint32_t)gemp_mix(i);
	return GEMP_OK;
}

/* The first `items` keys, and a graph of rows of equal length; their targets are at random. */
static void resize(primitive_case *s, size_t items)
{
	size_t rows = items / (EACH + 1);
	s->items = items;
	for (size_t row = 0; row <= rows; row++)
		s->begin[row] = row * EACH;
	for (size_t e = 0; e < rows * EACH; e++)
		s->target[e] = (gemp_vertex)(((uint64_t)s->keys[e] * rows) >> 32);
	s->bounds[1] = rows;
	s->csr = (gemp_csr){ rows, 0, rows, s->begin, s->target };
}

/* *seconds: the least of some tries. */
static gemp_code time_at(primitive_case *s, size_t primitive, gemp_placement place, double *seconds)
{
	s->arrays.place = place;
	*seconds = 1e9;
	for (int i = 0; i <= TRIES; i++) { /* the first one builds kernels, and is not counted */
		memcpy(s->sorted, s->keys, s->items * sizeof *s->keys);
		double since = gemp_now(), took;
		GEMP_TRY(primitives[primitive].run(s));
		took = gemp_now() - since;
		*seconds = i && took < *seconds ? took : *seconds;
	}
	return GEMP_OK;
}

/* *below: the size from which the device is faster, also at further ones; 0: none up to `most`. */
static gemp_code measure_case(primitive_case *s, gemp_report *report, size_t primitive, size_t most, uint32_t *below)
{
	json_auto_t *list = json_array();
	unsigned faster = 0;
	double host = 0, device = 0;
	*below = 0;
	for (size_t items = LEAST; items <= most && faster <= SURE; items *= 2) {
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

/* Measures the tunables NAME.host_below (device/tuning.h) on arrays and graphs of 2^10 to `most` items, prints and
 * reports them, and sets those of a GPU. On a CPU device, which has the same cores, they stay as they are. */
static gemp_code measure_places(gemp_report *report, gemp_runtime *context, size_t most)
{
	GEMP_OWNED_BY(case_free) primitive_case s = { 0 };
	GEMP_TRY(case_new(&s, context, most));
	for (size_t p = 0; p < sizeof primitives / sizeof *primitives; p++) {
		uint32_t below;
		GEMP_TRY(measure_case(&s, report, p, most, &below));
		if (context->device->gpu)
			gemp_tuning_set(context->device, primitives[p].tuning, below ? below : (uint32_t)1 << 31);
	}
	return GEMP_OK;
}

enum { MAX_ITEMS = 1 << 26, CPU_ITEMS = 1 << 12 }; /* of what is measured on a GPU, and on a CPU device */

/* A value has to be that much better than the one before to be taken: less is noise. */
static const double worthwhile = 0.97, most_seconds = 1;

static gemp_code count_in(const tuning *t, const subject *s, const gemp_tunable *one, gemp_query_timing *measured)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	gemp_prepared_options how = t->how;
	how.match.count_by_formula = !one->by_search;
	GEMP_TRY(gemp_pattern_named(&pattern, one->probe));
	GEMP_TRY(gemp_pattern_bind(pattern, s->graph));
	return gemp_query_timing_run(measured, t->context, s->graph, pattern, &how, RUNS, most_seconds);
}

/* A pattern in all graphs: the geometric mean of the kernels' seconds, preparation too. A count that differs from that
 * of another geometry is an error. */
static gemp_code time_probe(tuning *t, const gemp_tunable *one, double *seconds)
{
	gemp_code code = GEMP_OK;
	double sum = 0;
	bool known = t->probe && strcmp(t->probe, one->probe) == 0;
	for (size_t i = 0; i < t->subject_count && code == GEMP_OK; i++) {
		subject *s = &t->subjects[i];
		gemp_query_timing m;
		code = count_in(t, s, one, &m);
		if (code != GEMP_OK)
			break;
		if (known && m.result.matches != s->count)
			code = gemp_fail(GEMP_EINTERNAL,
			                 "%s counts %" GEMP_PRICOUNT " matches with one launch geometry and %" GEMP_PRICOUNT
			                 " with another",
			                 one->probe, s->count, m.result.matches);
		s->count = m.result.matches;
		sum += log(m.kernel.median + m.prepare.median + 1e-9);
		gemp_query_timing_free(&m);
	}
	t->probe = code == GEMP_OK || known ? one->probe : NULL;
	*seconds = exp(sum / (double)t->subject_count);
	return code;
}

/* A geometry that the device cannot launch is no choice (*seconds is negative); all else that fails is a failure. */
static gemp_code try_value(tuning *t, const gemp_tunable *one, uint32_t value, double *seconds)
{
	gemp_tuning_set(t->context->device, one->name, value);
	gemp_code code = time_probe(t, one, seconds);
	if (code != GEMP_ENOMEM && (code != GEMP_EINTERNAL || !strstr(gemp_message(), "CL_")))
		return code;
	gemp_log(GEMP_VERBOSE, "%s = %" PRIu32 " is refused: %s", one->name, value, gemp_message());
	*seconds = -1;
	return GEMP_OK;
}

static gemp_code tune_one(tuning *t, const gemp_tunable *one)
{
	uint32_t best = 0;
	double standard, least, seconds;
	json_auto_t *tried = json_object();
	GEMP_TRY(try_value(t, one, 0, &standard));
	if (standard < 0)
		return gemp_fail_in(GEMP_EINTERNAL, "bench tune: %s, %s as it stands: ", one->name, one->probe);
	least = standard;
	for (uint32_t value = one->min; value <= one->max; value *= 2) {
		char name[16];
		GEMP_TRY(try_value(t, one, value, &seconds));
		snprintf(name, sizeof name, "%" PRIu32, value);
		json_object_set_new(tried, name, seconds < 0 ? json_null() : json_real(seconds * 1e3));
		if (seconds >= 0 && seconds < least * (best ? 1 : worthwhile)) {
			best = value;
			least = seconds;
		}
	}
	gemp_tuning_set(t->context->device, one->name, best);
	gemp_report_print(t->report, "  %-24s %8" PRIu32 " %12.4f %12.4f   %s\n", one->name, best, standard * 1e3,
	                  least * 1e3, one->probe);
	gemp_report_set(t->report, one->name,
	                json_pack("{s:I, s:f, s:f, s:O}", "best", (json_int_t)best, "standard_ms", standard * 1e3,
	                          "best_ms", least * 1e3, "tried", tried));
	return GEMP_OK;
}

static void print_file(const tuning *t, gemp_text *text)
{
	size_t count;
	const gemp_tunable *all = gemp_tunables(&count);
	char date[32] = "";
	time_t now = time(NULL);
	strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
	gemp_text_print(text, "# %s (%s): gemp-mpi bench tune, version %s, %s\n", t->context->device->name,
	                t->context->device->driver, GEMP_VERSION, date);
	for (size_t i = 0; i < count; i++)
		if (t->context->device->tuning.values[i])
			gemp_text_print(text, "%s = %" PRIu32 "\n", all[i].name, t->context->device->tuning.values[i]);
}

/* The folder that gemp_tuning_load looks into, made where it is not there. */
static gemp_code own_file(gemp_text *path, const gemp_device *device)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	static const char *const parts[] = { "/gemp-mpi", "/tuning" };
	char name[GEMP_TUNING_NAME];
	if (!(xdg && *xdg) && !(home && *home))
		return gemp_fail(GEMP_EUSAGE, "bench tune: there is no HOME to write to; say -o FILE");
	gemp_text_print(path, "%s%s", xdg && *xdg ? xdg : home, xdg && *xdg ? "" : "/.config");
	for (size_t i = 0; gemp_text_status(path) == GEMP_OK && i <= sizeof parts / sizeof *parts; i++) {
		mkdir(path->data, 0777); /* what fails here fails to be written to as well */
		gemp_text_print(path, "%s", i < sizeof parts / sizeof *parts ? parts[i] : "/");
	}
	gemp_tuning_file_name(name, device->name);
	gemp_text_print(path, "%s", name);
	return gemp_text_status(path);
}

static gemp_code write_file(const tuning *t, const char *output)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text path = { 0 }, text = { 0 };
	print_file(t, &text);
	if (output)
		gemp_text_print(&path, "%s", output);
	else
		GEMP_TRY(own_file(&path, t->context->device));
	GEMP_TRY(gemp_text_status(&path));
	GEMP_TRY(gemp_text_status(&text));
	GEMP_TRY(gemp_file_replace(path.data, text.data, text.size));
	gemp_report_print(t->report, "\nwritten to %s\n", path.data);
	gemp_report_set(t->report, "file", json_string(path.data));
	return GEMP_OK;
}

/* A graph with hubs, large enough to fill the device for a while. */
static gemp_code open_graphs(tuning *t, gemp_comm *comm, gemp_graph *graph)
{
	gemp_generate_options how;
	GEMP_TRY(gemp_generate_init(&how, "rmat"));
	GEMP_TRY(gemp_generate_set(&how, "scale", t->context->device->gpu ? "16" : "12"));
	t->subject_count = graph ? 2 : 1;
	GEMP_TRY(gemp_generate(&t->subjects[0].graph, comm, &how));
	if (graph)
		t->subjects[1].graph = graph->shard;
	for (size_t i = 0; i < t->subject_count; i++) {
		subject *s = &t->subjects[i];
		GEMP_TRY(gemp_pattern_named(&s->held_pattern, "triangle"));
		GEMP_TRY(gemp_pattern_bind(s->held_pattern, s->graph));
		GEMP_TRY(gemp_prepared_prepare(&s->held, t->context, s->graph, s->held_pattern, &t->how));
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
	GEMP_TRY(gemp_query_settings_read(&chosen, settings));
	t.how = gemp_query_search_options(&chosen);
	GEMP_TRY(gemp_context_runtime(&t.context, context, true, NULL));
	GEMP_TRY(open_graphs(&t, &context->comm, graph));
	for (size_t i = 0; i < count; i++)
		if (all[i].probe)
			gemp_tuning_set(t.context->device, all[i].name, 0);
	gemp_report_print(t.report, "%s\n  %-24s %8s %12s %12s   (milliseconds; 0: left to the program)\n",
	                  t.context->device->name, "", "best", "default", "best");
	for (size_t i = 0; i < count; i++)
		if (all[i].probe && (t.context->device->gpu || !all[i].gpu_only))
			GEMP_TRY(tune_one(&t, &all[i]));
	GEMP_TRY(measure_places(t.report, t.context, t.context->device->gpu ? MAX_ITEMS : CPU_ITEMS));
	GEMP_TRY(write_file(&t, path));
	GEMP_TRY(gemp_report_devices(t.report, t.context));
	return GEMP_OK;
}
