/* report: the JSON object and the text of a gemp_report.
 *
 * Text goes through a stdio stream to the program's callback, a line at a time, so formatted output needs no buffer. If
 * the caller wants no report, a function fills a gemp_report on the stack that has neither object nor stream
 * (gemp_report_or). jansson's setters accept and ignore the missing object, so no function has to test whether a report
 * is wanted. */

#include "api/report.h"

#include "comm/shared.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "device/drivers.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* OPEN AND CLOSE */

GEMP_SETTINGS(gemp_report_options)
GEMP_RELEASE(gemp_report_close, gemp_report *)

/* The write function of the stream. It passes the text to the callback. */
static ssize_t send_text(void *self, const char *text, size_t size)
{
	const gemp_report *report = self;
	report->text(report->text_self, text, size);
	return (ssize_t)size;
}

/* Local. Gives rank 0 its object, and its stream if the program wants text. */
static gemp_code open_outputs(gemp_report *report)
{
	report->json = json_object();
	if (report->text)
		report->people = fopencookie(report, "w", (cookie_io_functions_t){ .write = send_text });
	if (!report->json || (report->text && !report->people))
		return gemp_fail(GEMP_ENOMEM, "out of memory for the report");
	if (report->people)
		setvbuf(report->people, NULL, _IOLBF, BUFSIZ);
	return GEMP_OK;
}

/* Ranks other than 0 have a report without object and stream. All ranks can therefore call the same functions in the
 * same order. */
gemp_code gemp_report_open(gemp_report **out, gemp_context *context, const gemp_report_options *options)
{
	GEMP_OWNED_BY(gemp_report_close_at) gemp_report *report = NULL;
	const gemp_report_options chosen = gemp_report_options_from(options);
	*out = NULL;
	const double now = gemp_now(), start = gemp_process_take_start();
	gemp_code code = GEMP_NEW(report, 1);
	if (code == GEMP_OK)
		*report = (gemp_report){ .context = context,
			                     .comm = &context->comm,
			                     .began = now,
			                     .start = start > 0 ? now - start : 0,
			                     .brief = chosen.brief,
			                     .no_rows = chosen.no_rows,
			                     .whole_run = chosen.whole_run,
			                     .text = chosen.text,
			                     .text_self = chosen.text_self };
	if (context->comm.rank == 0)
		GEMP_THEN(open_outputs(report));
	GEMP_TRY(gemp_comm_agree(&context->comm, code));
	*out = GEMP_MOVE(report);
	return GEMP_OK;
}

void gemp_report_close(gemp_report *report)
{
	if (!report)
		return;
	if (report->people)
		fclose(report->people);
	if (report->traces)
		gemp_trace_free();
	json_decref(report->json);
	gemp_free(report);
}

/* `none` needs a clock, since rates use the time since the beginning of the report. */
gemp_report *gemp_report_or(gemp_report *given, gemp_report *none, gemp_context *context)
{
	*none = (gemp_report){ .context = context, .comm = &context->comm, .began = gemp_now() };
	return given ? given : none;
}

/* FIELDS */

/* jansson's integers are signed. A count above INT64_MAX is kept as a string that consists of a NUL and the digits. No
 * other string of a report begins with NUL, since all others are C strings. */
json_t *gemp_json_count(uint64_t count)
{
	char digits[24];
	if (count <= INT64_MAX)
		return json_integer((json_int_t)count);
	int length = snprintf(digits, sizeof digits, "%c%" PRIu64, '\0', count);
	return json_stringn(digits, (size_t)length);
}

/* Turns the strings of gemp_json_count into numbers. `text` is the JSON text of the whole report. */
static void unquote_counts(char *text)
{
	static const char mark[] = "\"\\u0000";
	char *to = text, *from = text, *found;
	while ((found = strstr(from, mark)) != NULL) {
		size_t before = (size_t)(found - from), digits = strspn(found + strlen(mark), "0123456789");
		memmove(to, from, before);
		memmove(to + before, found + strlen(mark), digits);
		to += before + digits;
		from = found + strlen(mark) + digits + 1; /* after the closing quote */
	}
	memmove(to, from, strlen(from) + 1);
}

/* The stream is flushed first, so that JSON which the program prints now comes after the text. The result is copied
 * from jansson's block to a block that gemp_free can free. */
gemp_code gemp_report_json(const gemp_report *report, char **out)
{
	*out = NULL;
	if (report->people)
		fflush(report->people);
	if (!report->json)
		return GEMP_OK;
	char *text = json_dumps(report->json, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	if (!text)
		return gemp_fail(GEMP_ENOMEM, "out of memory for the report");
	unquote_counts(text);
	*out = gemp_strdup(text);
	free(text);
	return *out ? GEMP_OK : GEMP_ENOMEM;
}

/* Returns the field at a path such as "a.b.2", where a number is an index of an array, or NULL if there is no such
 * field. */
static const json_t *find_field(const gemp_report *report, const char *path)
{
	const json_t *at = report->json;
	while (at && *path) {
		char name[128];
		size_t length = strcspn(path, ".");
		if (length >= sizeof name)
			return NULL;
		memcpy(name, path, length);
		name[length] = '\0';
		if (json_is_array(at) && (!*name || name[strspn(name, "0123456789")]))
			return NULL;
		at = json_is_array(at) ? json_array_get(at, strtoull(name, NULL, 10)) : json_object_get(at, name);
		path += length + (path[length] == '.');
	}
	return at;
}

/* Counts above INT64_MAX are kept as marked strings (gemp_json_count). */
bool gemp_report_count(const gemp_report *report, const char *path, uint64_t *out)
{
	const json_t *field = find_field(report, path);
	bool large = json_is_string(field) && json_string_value(field)[0] == '\0' && json_string_length(field) > 1;
	if (large)
		*out = strtoull(json_string_value(field) + 1, NULL, 10);
	else if (json_is_integer(field) && json_integer_value(field) >= 0)
		*out = (uint64_t)json_integer_value(field);
	else
		return false;
	return true;
}

bool gemp_report_real(const gemp_report *report, const char *path, double *out)
{
	const json_t *field = find_field(report, path);
	if (!json_is_number(field))
		return false;
	*out = json_number_value(field);
	return true;
}

bool gemp_report_text(const gemp_report *report, const char *path, const char **out)
{
	const json_t *field = find_field(report, path);
	if (!json_is_string(field))
		return false;
	*out = json_string_value(field);
	return true;
}

/* The text is parsed before the field is set, so wrong JSON leaves the report unchanged. */
gemp_code gemp_report_set_json(gemp_report *report, const char *name, const char *json)
{
	json_error_t error;
	json_t *value = json_loads(json, JSON_DECODE_ANY, &error);
	if (!value)
		return gemp_fail(GEMP_EUSAGE, "report field %s: %s", name, error.text);
	gemp_report_set(report, name, value);
	return GEMP_OK;
}

bool gemp_report_is_complete(const gemp_report *report)
{
	return report->complete;
}

/* JSON has no infinity and no NaN. */
json_t *gemp_json_real(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_t *gemp_json_set_count_list(json_t *object, const gemp_named_count *counts, size_t size)
{
	for (size_t i = 0; i < size; i++)
		json_object_set_new(object, counts[i].name, gemp_json_count(counts[i].count));
	return object;
}

json_t *gemp_json_key(const gemp_value *key)
{
	return key->type == GEMP_INTEGER ? json_integer(key->integer) : json_stringn(key->string.bytes, key->string.size);
}

/* Progress is ended first, since the text would otherwise be appended to its line. */
static void print(const gemp_report *report, const char *format, va_list arguments)
{
	gemp_progress_end();
	if (!report->people)
		return;
	vfprintf(report->people, format, arguments);
	fflush(report->people);
}

void gemp_report_print(const gemp_report *report, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print(report, format, arguments);
	va_end(arguments);
}

void gemp_report_detail(const gemp_report *report, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (!report->brief)
		print(report, format, arguments);
	va_end(arguments);
}

void gemp_report_set(gemp_report *report, const char *name, json_t *value)
{
	json_object_set_new(report->json, name, value);
}

/* The hash is a string of 16 hexadecimal digits, since readers of JSON that store numbers as doubles would round 64
 * bits. */
void gemp_report_graph(gemp_report *report, const gemp_shard *graph)
{
	char hash[20];
	json_t *object = gemp_json_counts({ "vertices", graph->vertex_count }, { "edges", gemp_shard_edges(graph) });
	snprintf(hash, sizeof hash, "%016" PRIx64, graph->hash);
	json_object_set_new(object, "hash", json_string(hash));
	gemp_report_set(report, "graph", object);
}

json_t *gemp_json_spread(double min, const char *middle_name, double middle, double max)
{
	return json_pack("{s:f, s:f, s:f}", "min", min, middle_name, middle, "max", max);
}

void gemp_reduce_spread(const gemp_comm *comm, const double *values, int count, double *min, double *sum, double *max)
{
	GEMP_MPI(MPI_Reduce(values, min, count, MPI_DOUBLE, MPI_MIN, 0, comm->world));
	GEMP_MPI(MPI_Reduce(values, sum, count, MPI_DOUBLE, MPI_SUM, 0, comm->world));
	GEMP_MPI(MPI_Reduce(values, max, count, MPI_DOUBLE, MPI_MAX, 0, comm->world));
}

/* On rank 0. Prints the phases with at least one percent of the mean elapsed time, the longest first. */
static void report_shares(gemp_report *report, const double mean[GEMP_PHASES + 1])
{
	bool shown[GEMP_PHASES] = { false };
	const double elapsed = mean[GEMP_PHASES];
	gemp_report_detail(report, "  %-10s", "shares");
	for (const char *between = "  ";; between = ", ") {
		int longest = 0;
		while (longest < GEMP_PHASES && shown[longest])
			longest++;
		for (int phase = longest; phase < GEMP_PHASES; phase++)
			longest = !shown[phase] && mean[phase] > mean[longest] ? phase : longest;
		if (longest == GEMP_PHASES || mean[longest] < 0.01 * elapsed)
			break;
		shown[longest] = true;
		gemp_report_detail(report, "%s%s %.0f %%", between, gemp_phase_name[longest], 100 * mean[longest] / elapsed);
	}
	gemp_report_detail(report, "\n\n");
}

/* Returns the elapsed time of this rank, and sets the phases that no clock measures. Phases that overlap can have a
 * greater sum than the elapsed time; no time is in no phase then. */
static double complete_phases(const gemp_report *report, double seconds[GEMP_PHASES])
{
	const double elapsed = report->start + gemp_now() - report->began;
	double sum = 0;
	seconds[GEMP_PHASE_START] = report->start;
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		sum += seconds[phase];
	seconds[GEMP_PHASE_OTHER] = elapsed > sum ? elapsed - sum : 0;
	return elapsed;
}

/* True for phases that few runs have, and which the text shows only if they took time. */
static bool is_rare(int phase)
{
	return phase == GEMP_PHASE_LAUNCH || phase == GEMP_PHASE_VALUES || phase == GEMP_PHASE_RESIDUAL ||
	       phase == GEMP_PHASE_SELECT;
}

/* Collective. Phases that took no time are left out of the text, but not of the JSON. */
static void report_phases(gemp_report *report, const gemp_timers *timers, bool all)
{
	double own[GEMP_PHASES + 1], min[GEMP_PHASES + 1], mean[GEMP_PHASES + 1], max[GEMP_PHASES + 1];
	json_t *seconds = json_object();
	memcpy(own, timers->seconds, sizeof timers->seconds);
	own[GEMP_PHASES] = complete_phases(report, own);
	gemp_reduce_spread(report->comm, own, GEMP_PHASES + 1, min, mean, max);
	if (report->comm->rank == 0) {
		gemp_report_detail(report, "\n  %-10s %11s %11s %11s   (seconds, %d rank%s)\n", "phase", "min", "avg", "max",
		                   report->comm->size, report->comm->size == 1 ? "" : "s");
		for (int phase = 0; phase <= GEMP_PHASES; phase++) {
			const char *name = phase < GEMP_PHASES ? gemp_phase_name[phase] : "elapsed";
			mean[phase] /= report->comm->size;
			json_object_set_new(seconds, name, gemp_json_spread(min[phase], "avg", mean[phase], max[phase]));
			if ((all && !is_rare(phase)) || max[phase] >= 0.0005)
				gemp_report_detail(report, "  %-10s %11s %11s %11s\n", name, gemp_shown_seconds(min[phase]).text,
				                   gemp_shown_seconds(mean[phase]).text, gemp_shown_seconds(max[phase]).text);
		}
		report_shares(report, mean);
	}
	gemp_report_set(report, "seconds", seconds);
}

/* The report of a whole run keeps the seconds until its end. */
void gemp_report_seconds(gemp_report *report, const gemp_timers *timers, bool all)
{
	report->context->reported = gemp_now();
	if (!report->whole_run) {
		report_phases(report, timers, all);
		return;
	}
	report->pending = (gemp_pending_seconds){ .timers = *timers, .all = all, .since = gemp_now() };
}

/* The work of later reports of the same context is not closing, so closing begins after the last report. A thread that
 * loads drivers may still run, if no device was opened. The runtime is freed with the context instead if a
 * compiler still runs for a search that threads of the host have finished: the report does not wait for the
 * compiler. */
void gemp_report_finish(gemp_report *report)
{
	gemp_pending_seconds *pending = &report->pending;
	gemp_context *context = report->context;
	if (pending->since == 0)
		return;
	gemp_drivers_wait();
	if (gemp_comm_sum1(report->comm, gemp_runtime_is_compiling(context->runtime)) == 0) {
		gemp_runtime_free(context->runtime);
		context->runtime = NULL;
	}
	gemp_timers_add(&pending->timers, GEMP_PHASE_CLOSE, context->reported);
	report_phases(report, &pending->timers, pending->all);
	*pending = (gemp_pending_seconds){ 0 };
}

/* The peak of the largest rank decides whether a graph fits, so averages would mislead. */
void gemp_report_memory(gemp_report *report, size_t device_peak)
{
	uint64_t peaks[4] = { gemp_memory_peak(), device_peak, gemp_shared_peak(), (uint64_t)report->comm->node_size };
	gemp_comm_max(report->comm, peaks, 4);
	gemp_report_detail(report, "  %-10s host %s, device %s (peak of the largest rank", "memory",
	                   gemp_shown_bytes(peaks[0]).text, gemp_shown_bytes(peaks[1]).text);
	if (peaks[2])
		gemp_report_detail(report, ", with its part of %s shared by %llu ranks of a node",
		                   gemp_shown_bytes(peaks[2]).text, (unsigned long long)peaks[3]);
	gemp_report_detail(report, ")\n");
	gemp_report_set(report, "memory",
	                gemp_json_counts({ "host", peaks[0] }, { "device", peaks[1] }, { "shared_by_node", peaks[2] }));
}

gemp_traffic gemp_traffic_of_all(const gemp_comm *comm, const gemp_traffic *mine)
{
	uint64_t sums[] = { mine->bytes, mine->messages }, rounds = mine->rounds;
	gemp_comm_sum(comm, sums, 2);
	gemp_comm_max(comm, &rounds, 1);
	return (gemp_traffic){ sums[0], sums[1], rounds };
}

/* The caller has summed the traffic over all ranks. */
void gemp_report_exchange(gemp_report *report, const gemp_traffic *traffic, double local_share, const char *of)
{
	json_t *object = gemp_json_counts({ "bytes", traffic->bytes }, { "messages", traffic->messages },
	                                  { "rounds", traffic->rounds });
	json_object_set_new(object, "local_share", local_share < 0 ? json_null() : json_real(local_share));
	gemp_report_set(report, "exchange", object);
	gemp_report_detail(report, "  %-10s %s in %s message%s, %s round%s", "exchange",
	                   gemp_shown_bytes(traffic->bytes).text, gemp_grouped(traffic->messages).text,
	                   traffic->messages == 1 ? "" : "s", gemp_grouped(traffic->rounds).text,
	                   traffic->rounds == 1 ? "" : "s");
	if (local_share >= 0)
		gemp_report_detail(report, "; %.1f %% of %s", 100 * local_share, of);
	gemp_report_detail(report, "\n");
}

gemp_traffic gemp_report_traffic(gemp_report *report, const gemp_traffic *mine)
{
	const gemp_traffic all = gemp_traffic_of_all(report->comm, mine);
	gemp_report_exchange(report, &all, -1, NULL);
	return all;
}

gemp_code gemp_report_resources(gemp_report *report, const gemp_runtime *runtime, const gemp_timers *timers)
{
	GEMP_TRY(gemp_report_devices(report, runtime));
	gemp_report_seconds(report, timers, false);
	gemp_report_memory(report, runtime ? gemp_runtime_device_peak(runtime) : 0);
	return GEMP_OK;
}

gemp_code gemp_report_search(gemp_report *report, const gemp_runtime *runtime, const gemp_timers *timers, bool all)
{
	gemp_report_seconds(report, timers, all);
	GEMP_TRY(gemp_report_devices(report, runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(runtime));
	return GEMP_OK;
}
