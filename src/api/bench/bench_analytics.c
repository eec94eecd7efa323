/* bench_analytics: gemp_bench_analytics runs each application by each method of a shuffle (bench/streaming.h) and by
 * the engine of src/analytics (bench/production.h), compares the answers, and reports both.
 *
 * A method that reads all tuples once for each range can be a hundred times slower than decode. Its first run is cut
 * off after the seconds of the settings; the rounds until then are reported and checked. Ratios are of seconds a round,
 * so they mean the same for a run that was cut off. */

#include "api/analytics/analysis.h"
#include "api/bench/kernel_report.h"
#include "bench/production.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/random.h"
#include "gemp/bench.h"
#include "io/rows/vertex_keys.h"
#include "primitive/split.h"

#include <inttypes.h>

GEMP_SETTINGS(gemp_bench_analytics_settings, .iterations = 10, .repeat = 3, .seconds = 10)

static const char *const application_name[GEMP_APPLICATIONS] = { "pagerank", "bfs", "sssp", "spmv" };

typedef struct analytics_bench {
	gemp_edge_job job;
	gemp_bench_analytics_settings settings;
	gemp_toolbox *box;
	json_t *rows;
	/* of the application that is measured */
	gemp_layout layout;
	gemp_edge_stream stream;
	gemp_production production;
	gemp_streaming streaming;
	gemp_streaming_params params;
	float *x;            /* spmv: [vertices] by id */
	void *answer;        /* [vertices] by id, u32 or float */
	double decode_round; /* seconds of a round of decode; 0: not measured */
} analytics_bench;

static void free_application(analytics_bench *b)
{
	gemp_streaming_free(&b->streaming);
	gemp_production_free(&b->production);
	gemp_edge_stream_free(&b->stream);
	gemp_layout_free(&b->layout);
	gemp_free_all(b->x, b->answer);
	b->x = NULL;
	b->answer = NULL;
}

static void free_bench(analytics_bench *b)
{
	free_application(b);
	json_decref(b->rows);
	gemp_toolbox_free(b->box);
	gemp_edge_job_free(&b->job);
}

/* The vector has 24 random bits for each vertex, which a float holds exactly. */
static gemp_code make_vector(analytics_bench *b)
{
	GEMP_TRY(GEMP_NEW(b->x, b->layout.own));
	for (uint32_t id = 0; id < b->layout.own; id++)
		b->x[id] = (float)(gemp_mix(id + 1) >> 40) * 0x1p-24f;
	return GEMP_OK;
}

/* Local vertex 0 of a layout is one with the most edges. */
static gemp_code choose_source(analytics_bench *b, uint32_t *source)
{
	gemp_vertex id = b->layout.id[0];
	if (b->settings.source)
		GEMP_TRY(gemp_vertex_keys_sources(&id, b->job.comm, b->job.shard, b->job.graph->name, &b->settings.source, 1));
	*source = (uint32_t)id;
	return GEMP_OK;
}

/* Makes the layout, the stream and the engines of an application. */
static gemp_code begin_application(analytics_bench *b, gemp_application application)
{
	gemp_layout_options how = { .relations = b->job.relations,
		                        .direction = b->job.edges.direction,
		                        .weight = b->job.edges.weight };
	unsigned bits = 0;
	while (b->settings.max_ranges >> bits > 1)
		bits++;
	gemp_production_layout(&how, application);
	GEMP_TRY(gemp_layout_new(&b->layout, b->job.comm, b->job.shard, &how));
	b->params = (gemp_streaming_params){
		.application = application, .iterations = b->settings.iterations, .damping = .85, .seconds = b->settings.seconds
	};
	if (application == GEMP_APPLICATION_SPMV)
		GEMP_TRY(make_vector(b));
	b->params.x = b->x;
	GEMP_TRY(choose_source(b, &b->params.source));
	GEMP_TRY(gemp_edge_stream_new(&b->stream, b->job.device, &b->layout, bits));
	GEMP_TRY(gemp_production_new(&b->production, b->job.device, &b->layout, &b->params));
	GEMP_TRY(gemp_streaming_new(&b->streaming, b->box, &b->stream, &b->params));
	b->answer = gemp_calloc(b->layout.own, sizeof(uint32_t));
	b->decode_round = 0;
	return b->answer ? GEMP_OK : GEMP_ENOMEM;
}

static uint64_t range_count(const gemp_edge_stream *stream)
{
	uint64_t ranges = 0;
	for (size_t p = 0; p < stream->part_count; p++)
		ranges += stream->parts[p].used;
	return ranges;
}

/* The fields and the line of a method, or of the engine. */
static json_t *report_row(analytics_bench *b, const char *method, double seconds, uint64_t rounds, bool complete)
{
	const char *application = application_name[b->params.application];
	const double round = seconds / (double)gemp_max(rounds, 1), edges = (double)b->stream.edges;
	const double ratio = b->decode_round > 0 ? round / b->decode_round : 0;
	gemp_report_print(b->job.report, "%-9s %-9s %8" PRIu64 " %12.3f %12.3f %10.1f", application, method, rounds,
	                  1e3 * seconds, 1e3 * round, edges / round / 1e6);
	if (ratio > 0)
		gemp_report_print(b->job.report, " %9.3f", ratio);
	gemp_report_print(b->job.report, "%s\n", complete ? "" : "   cut off");
	json_t *row = json_pack("{s:s, s:s, s:f, s:o, s:b, s:f, s:f}", "application", application, "method", method,
	                        "seconds", seconds, "iterations", gemp_json_count(rounds), "complete", complete,
	                        "seconds_per_iteration", round, "edges_per_second", edges / round);
	gemp_json_set_counts(row, { "ranges", range_count(&b->stream) }, { "parts", b->stream.part_count });
	json_object_set_new(row, "times_decode", ratio > 0 ? json_real(ratio) : json_null());
	json_array_append(b->rows, row);
	return row;
}

/* Runs the engine until the repetitions or the seconds are used. The fastest run counts, and the first one only if
 * there is no other, since PoCL compiles in it. */
static gemp_code run_engine(analytics_bench *b, double *best)
{
	const double since = gemp_now();
	*best = 1e30;
	for (uint64_t i = 0; i <= b->settings.repeat && (i == 0 || gemp_now() - since < b->settings.seconds); i++) {
		GEMP_TRY(gemp_production_run(&b->production, b->settings.iterations));
		if (i == 1)
			*best = 1e30;
		*best = b->production.seconds < *best ? b->production.seconds : *best;
	}
	return GEMP_OK;
}

/* The engine is repeated if PageRank was cut off, since it must have made as many iterations. */
static gemp_code check_answer(analytics_bench *b, const gemp_streaming_result *result, double *error)
{
	GEMP_TRY(gemp_streaming_read(&b->streaming, b->answer));
	if (b->params.application == GEMP_APPLICATION_PAGERANK && b->production.rounds != result->rounds)
		GEMP_TRY(gemp_production_run(&b->production, result->rounds));
	return gemp_production_compare(&b->production, b->answer, result, error);
}

static gemp_code run_method(analytics_bench *b, gemp_shuffle_method method)
{
	gemp_streaming_result best = { .seconds = 1e30 }, run;
	const double since = gemp_now();
	double error = 0;
	for (uint64_t i = 0; i < b->settings.repeat && (i == 0 || gemp_now() - since < b->settings.seconds); i++) {
		GEMP_TRY(gemp_streaming_run(&b->streaming, method, &run));
		if (i == 0 || (run.complete && run.seconds < best.seconds))
			best = run;
	}
	GEMP_TRY(check_answer(b, &run, &error));
	const double round = best.seconds / (double)best.rounds;
	b->decode_round = method == GEMP_SHUFFLE_DECODE ? round : b->decode_round;
	json_t *row = report_row(b, gemp_shuffle_method_name[method], best.seconds, best.rounds, best.complete);
	const double device = best.scatter + best.shuffle + best.gather + best.apply;
	json_t *stages = json_pack("{s:f, s:f, s:f, s:f}", "scatter", best.scatter, "shuffle", best.shuffle, "gather",
	                           best.gather, "apply", best.apply);
	json_object_set_new(row, "device_seconds", json_real(device));
	json_object_set_new(row, "stages", stages);
	json_object_set_new(row, "difference", json_real(error));
	json_decref(row);
	return GEMP_OK;
}

static bool is_wanted_method(const analytics_bench *b, gemp_shuffle_method method)
{
	return b->settings.methods ? b->settings.methods >> method & 1 : method != GEMP_SHUFFLE_TABLES;
}

/* The kernel phase also has the compilations and the comparisons, which are between the runs. The engine runs first,
 * since the answers are compared with its answer. decode is the first method, since the others are compared with its
 * time. */
static gemp_code run_application(analytics_bench *b, gemp_application application)
{
	double engine, since = gemp_now();
	GEMP_TRY(begin_application(b, application));
	gemp_timers_add(&b->job.timers, GEMP_PHASE_CONVERT, since);
	since = gemp_now();
	GEMP_TRY(run_engine(b, &engine));
	const uint64_t rounds = b->production.rounds;
	for (gemp_shuffle_method m = 0; m < GEMP_SHUFFLE_METHODS; m++)
		if (is_wanted_method(b, m))
			GEMP_TRY(run_method(b, m));
	json_t *row = report_row(b, "engine", engine, rounds, true);
	json_decref(row);
	gemp_timers_add(&b->job.timers, GEMP_PHASE_KERNEL, since);
	free_application(b);
	return GEMP_OK;
}

/* Checked before a device is opened. */
static gemp_code check_settings(const analytics_bench *b)
{
	const gemp_bench_analytics_settings *s = &b->settings;
	if (b->job.comm->size > 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "bench analytics measures one device with one rank, and these are %d; start one rank",
		                 b->job.comm->size);
	if (b->job.shard->vertex_count == 0)
		return gemp_fail(GEMP_EUSAGE, "%s has no vertices, so there is nothing to measure", b->job.graph->name);
	if (s->iterations < 1 || s->repeat < 1 || !(s->seconds > 0))
		return gemp_fail(GEMP_EUSAGE, "iterations, repeat and seconds must be above 0");
	GEMP_TRY(gemp_edge_job_check_weight(&b->job));
	if (s->max_ranges &&
	    (s->max_ranges < 2 || s->max_ranges > GEMP_BENCH_MAX_RANGES || (s->max_ranges & (s->max_ranges - 1))))
		return gemp_fail(GEMP_EUSAGE, "max_ranges: a power of 2 from 2 to %d; got %" PRIu64, GEMP_BENCH_MAX_RANGES,
		                 s->max_ranges);
	return GEMP_OK;
}

gemp_code gemp_bench_analytics(gemp_graph *graph, const gemp_edge_selection *edges,
                               const gemp_bench_analytics_settings *settings, gemp_report *report)
{
	GEMP_OWNED_BY(free_bench)
	analytics_bench b = { .settings = gemp_bench_analytics_settings_from(settings), .rows = json_array() };
	GEMP_TRY(gemp_edge_job_begin(&b.job, graph, edges, report));
	GEMP_TRY(check_settings(&b));
	GEMP_TRY(gemp_edge_job_device(&b.job));
	GEMP_TRY(gemp_toolbox_new(&b.box, b.job.device, GEMP_FORM_AUTO));
	gemp_report_print(b.job.report, "%s\n%-9s %-9s %8s %12s %12s %10s %9s\n", b.job.device->name, "", "method",
	                  "rounds", "ms", "ms a round", "Medges/s", "x decode");
	for (gemp_application a = 0; a < GEMP_APPLICATIONS; a++)
		if (!b.settings.applications || b.settings.applications >> a & 1)
			GEMP_TRY(run_application(&b, a));
	gemp_report_set(b.job.report, "analytics", json_incref(b.rows));
	GEMP_TRY(gemp_report_kernels(b.job.report, b.box));
	return gemp_edge_job_report(&b.job);
}
