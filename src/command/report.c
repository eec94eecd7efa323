#include "command/report.h"

#include "command/apart.h"
#include "command/files.h"
#include "command/quantity.h"
#include "command/trace_file.h"
#include "comm/shared.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool gemp_json_on_stdout(const gemp_options *options)
{
	return options->json && strcmp(options->json, "-") == 0;
}

static json_t *echo(const gemp_options *options)
{
	json_t *given = json_object();
	for (size_t i = 0; i < options->given_count; i++) {
		const gemp_given *one = &options->given[i];
		if (one->option->kind != GEMP_OPTION_LIST) {
			json_object_set_new(given, one->option->name, json_string(one->text));
			continue;
		}
		if (!json_object_get(given, one->option->name))
			json_object_set_new(given, one->option->name, json_array());
		json_array_append_new(json_object_get(given, one->option->name), json_string(one->text));
	}
	return given;
}

static void set_head(gemp_report *report, const gemp_options *options)
{
	json_t *arguments = json_array();
	for (size_t i = 0; i < options->argument_count; i++)
		json_array_append_new(arguments, json_string(options->arguments[i]));
	gemp_report_set(report, "version", json_string(GEMP_VERSION));
	gemp_report_set(report, "command", json_string(options->command->name));
	gemp_report_set(report, "arguments", arguments);
	gemp_report_set(report, "options", echo(options));
	gemp_report_set(report, "ranks", json_integer(report->comm->size));
}

gemp_code gemp_report_new(gemp_report *report, const gemp_comm *comm, const gemp_options *options, bool rows_on_stdout)
{
	bool quiet = gemp_json_on_stdout(options) && options->quiet;
	gemp_code code = GEMP_OK;
	*report = (gemp_report){ .comm = comm, .options = options, .began = gemp_now() };
	if (comm->rank == 0) {
		if (!quiet)
			report->people = gemp_json_on_stdout(options) || rows_on_stdout ? stderr : stdout;
		report->json = json_object();
		code = report->json ? GEMP_OK : gemp_fail(GEMP_ENOMEM, "out of memory for the report");
		set_head(report, options);
		if (options->json && !gemp_json_on_stdout(options) && code == GEMP_OK)
			code = gemp_file_may_write("--json", options->json);
		if (code == GEMP_OK)
			code = gemp_trace_file_may(options->trace);
		if (code == GEMP_OK)
			code = gemp_files_apart(options);
	}
	code = gemp_comm_agree(comm, code);
	if (code != GEMP_OK)
		json_decref(report->json);
	else if (options->trace)
		gemp_trace_start(gemp_trace_most);
	return code;
}

/* jansson's integers are signed. A greater count is kept as a string of a NUL and its digits, which no other string of a
 * report begins with, as they all come from C strings. */
json_t *gemp_json_count(uint64_t count)
{
	char digits[24];
	if (count <= INT64_MAX)
		return json_integer((json_int_t)count);
	int length = snprintf(digits, sizeof digits, "%c%" PRIu64, '\0', count);
	return json_stringn(digits, (size_t)length);
}

json_t *gemp_json_real(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_t *gemp_json_key(const gemp_value *key)
{
	return key->type == GEMP_INTEGER ? json_integer(key->integer) : json_stringn(key->string.bytes, key->string.size);
}

/* Such strings become numbers. */
static void unquote_counts(char *text)
{
	static const char mark[] = "\"\\u0000";
	char *to = text, *from = text, *found;
	while ((found = strstr(from, mark)) != NULL) {
		size_t before = (size_t)(found - from), digits = strspn(found + strlen(mark), "0123456789");
		memmove(to, from, before);
		memmove(to + before, found + strlen(mark), digits);
		to += before + digits;
		from = found + strlen(mark) + digits + 1; /* behind the closing quote */
	}
	memmove(to, from, strlen(from) + 1);
}

static gemp_code write_json(const gemp_report *report)
{
	if (!report->json || !report->options->json)
		return GEMP_OK;
	char *text = json_dumps(report->json, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	if (!text)
		return gemp_fail(GEMP_ENOMEM, "out of memory for the report");
	unquote_counts(text);
	gemp_code code = GEMP_OK;
	if (gemp_json_on_stdout(report->options))
		puts(text);
	else
		code = gemp_file_replace(report->options->json, text, strlen(text));
	free(text);
	return code;
}

gemp_code gemp_report_finish(gemp_report *report, gemp_code code)
{
	code = gemp_comm_agree(report->comm, code);
	if (code == GEMP_OK || code == GEMP_STOPPED) {
		gemp_code traced = report->options->trace ? gemp_trace_file_write(report) : GEMP_OK;
		gemp_code written = gemp_comm_agree(report->comm, write_json(report));
		code = traced != GEMP_OK ? traced : written != GEMP_OK ? written : code;
	}
	gemp_trace_free();
	json_decref(report->json);
	report->json = NULL;
	return code;
}

static void print(const gemp_report *report, const char *format, va_list arguments)
{
	gemp_progress_end();
	if (report->people)
		vfprintf(report->people, format, arguments);
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
	if (!report->options->quiet)
		print(report, format, arguments);
	va_end(arguments);
}

void gemp_report_set(gemp_report *report, const char *name, json_t *value)
{
	json_object_set_new(report->json, name, value);
}

void gemp_report_graph(gemp_report *report, const gemp_graph *graph)
{
	char hash[20];
	json_t *object = json_object();
	snprintf(hash, sizeof hash, "%016" PRIx64, graph->hash);
	json_object_set_new(object, "vertices", gemp_json_count(graph->vertices));
	json_object_set_new(object, "edges", gemp_json_count(gemp_graph_edges(graph)));
	json_object_set_new(object, "hash", json_string(hash));
	gemp_report_set(report, "graph", object);
}

static json_t *spread(double least, double mean, double most)
{
	json_t *object = json_object();
	json_object_set_new(object, "min", json_real(least));
	json_object_set_new(object, "avg", json_real(mean));
	json_object_set_new(object, "max", json_real(most));
	return object;
}

static void print_spread(const gemp_report *report, const char *name, double least, double mean, double most)
{
	gemp_report_detail(report, "  %-10s %11s %11s %11s\n", name, gemp_shown_seconds(least).text,
	                   gemp_shown_seconds(mean).text, gemp_shown_seconds(most).text);
}

void gemp_report_seconds(gemp_report *report, const gemp_timers *timers, bool all)
{
	double own[GEMP_PHASES + 1], least[GEMP_PHASES + 1], sum[GEMP_PHASES + 1], most[GEMP_PHASES + 1];
	MPI_Comm world = report->comm->world;
	json_t *seconds = json_object();
	memcpy(own, timers->seconds, sizeof timers->seconds);
	own[GEMP_PHASES] = gemp_now() - report->began;
	GEMP_MPI(MPI_Reduce(own, least, GEMP_PHASES + 1, MPI_DOUBLE, MPI_MIN, 0, world));
	GEMP_MPI(MPI_Reduce(own, sum, GEMP_PHASES + 1, MPI_DOUBLE, MPI_SUM, 0, world));
	GEMP_MPI(MPI_Reduce(own, most, GEMP_PHASES + 1, MPI_DOUBLE, MPI_MAX, 0, world));
	if (report->comm->rank == 0) {
		gemp_report_detail(report, "\n  %-10s %11s %11s %11s   (seconds, %d rank%s)\n", "phase", "min", "avg",
		                   "max", report->comm->size, report->comm->size == 1 ? "" : "s");
		for (int phase = 0; phase <= GEMP_PHASES; phase++) {
			const char *name = phase < GEMP_PHASES ? gemp_phase_name[phase] : "elapsed";
			double mean = sum[phase] / report->comm->size;
			json_object_set_new(seconds, name, spread(least[phase], mean, most[phase]));
			if (all || most[phase] >= 0.0005)
				print_spread(report, name, least[phase], mean, most[phase]);
		}
		gemp_report_detail(report, "\n");
	}
	gemp_report_set(report, "seconds", seconds);
}

void gemp_report_memory(gemp_report *report, size_t device_peak)
{
	uint64_t peaks[4] = { gemp_memory_peak(), device_peak, gemp_shared_peak(), (uint64_t)report->comm->node_size };
	gemp_comm_max(report->comm, peaks, 4);
	gemp_report_detail(report, "  %-10s host %s, device %s (peak of the largest rank", "memory",
	                   gemp_shown_bytes(peaks[0]).text, gemp_shown_bytes(peaks[1]).text);
	if (peaks[2])
		gemp_report_detail(report, ", with its part of %s shared by %llu ranks of a node", gemp_shown_bytes(peaks[2]).text,
		                   (unsigned long long)peaks[3]);
	gemp_report_detail(report, ")\n");
	json_t *object = json_object();
	json_object_set_new(object, "host", gemp_json_count(peaks[0]));
	json_object_set_new(object, "device", gemp_json_count(peaks[1]));
	json_object_set_new(object, "shared_by_node", gemp_json_count(peaks[2]));
	gemp_report_set(report, "memory", object);
}

void gemp_report_exchange(gemp_report *report, const gemp_traffic *traffic, double local_share, const char *of)
{
	json_t *object = json_object();
	json_object_set_new(object, "bytes", gemp_json_count(traffic->bytes));
	json_object_set_new(object, "messages", gemp_json_count(traffic->messages));
	json_object_set_new(object, "rounds", gemp_json_count(traffic->rounds));
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
