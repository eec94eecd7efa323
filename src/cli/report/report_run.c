/* apart: what a command writes, its results, its report and its trace, replaces no other file that it is given. */

#include "cli/report/report_run.h"

#include "cli/report/trace_file.h"
#include "io/file/local_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static json_t *echo(const gemp_options *options)
{
	json_t *given = json_object();
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *one = &options->values[i];
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

/* The file of a place, which may be a dataset: F.h5 of F.h5:/values. */
static size_t file_length(const char *place)
{
	const char *dataset = strstr(place, ".h5:");
	return dataset ? (size_t)(dataset - place) + strlen(".h5") : strlen(place);
}

static bool look(const char *place, struct stat *status)
{
	char path[4096];
	size_t length = file_length(place);
	if (length >= sizeof path)
		return false;
	snprintf(path, sizeof path, "%.*s", (int)length, place);
	return stat(path, status) == 0;
}

/* A name that is not there yet is only itself. */
static bool same_file(const char *one, const char *other)
{
	struct stat a, b;
	size_t length = file_length(one);
	if (length == file_length(other) && memcmp(one, other, length) == 0)
		return true;
	return look(one, &a) && look(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static gemp_code apart_from(const char *option, const char *path, const char *dashes, const char *what,
                            const char *other)
{
	if (!other || !same_file(path, other))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "--%s %s is the file of %s%s, too; give it a name of its own", option, path, dashes,
	                 what);
}

/* By what help calls its value. */
static bool takes_file(const gemp_option *option)
{
	static const char *const files[] = { "FILE", "G.h5", "H.h5", "F", "F.dot", "F.jsonl", "OUT" };
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (option->value && strcmp(option->value, files[i]) == 0)
			return true;
	return false;
}

static gemp_code is_apart(const gemp_options *options, const char *option, const char *path)
{
	gemp_code code = GEMP_OK;
	if (!path || strcmp(path, "-") == 0)
		return GEMP_OK;
	for (size_t i = 0; i < options->argument_count; i++)
		GEMP_TRY(apart_from(option, path, "", "an argument", options->arguments[i]));
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (takes_file(given->option) && strcmp(given->option->name, option) != 0)
			GEMP_TRY(apart_from(option, path, "--", given->option->name, given->text));
	}
done:
	return code;
}

/* Local. GEMP_EUSAGE if a file to be written is an argument, the file of another option, or to be written twice. */
static gemp_code gemp_output_paths_check(const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(is_apart(options, "trace", options->trace));
	GEMP_TRY(is_apart(options, "json", options->json));
	GEMP_TRY(is_apart(options, "output", options->output));
	GEMP_TRY(is_apart(options, "subgraph", options->subgraph));
	GEMP_TRY(is_apart(options, "dot", options->dot));
	GEMP_TRY(is_apart(options, "tree", options->tree));
	GEMP_TRY(is_apart(options, "unitigs", options->unitigs));
	GEMP_TRY(is_apart(options, "gfa", options->gfa));
done:
	return code;
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
			code = gemp_output_paths_check(options);
	}
	code = gemp_comm_agree(comm, code);
	if (code != GEMP_OK)
		json_decref(report->json);
	else if (options->trace)
		gemp_trace_start(gemp_trace_max);
	return code;
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
