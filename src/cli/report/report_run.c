/* report_run: makes the report of a command, and checks the files that the command writes.
 *
 * A command must not overwrite its input. Before any work rank 0 compares the paths of results, report and trace with
 * one another, with the arguments, and with the files of other options. It compares names, and also device and inode,
 * since links are common. */

#include "cli/report/report_run.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static json_t *arguments_of(const gemp_options *options)
{
	json_t *arguments = json_array();
	for (size_t i = 0; i < options->argument_count; i++)
		json_array_append_new(arguments, json_string(options->arguments[i]));
	return arguments;
}

/* Returns the given options. A list is an array, with the values of the configuration before the values of the command
 * line. */
static json_t *options_given(const gemp_options *options)
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

/* Sets a field of the report and releases `value`. The library accepts JSON as text, so that programs need not use
 * jansson. */
static gemp_code set_field(gemp_report *report, const char *name, json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY);
	json_decref(value);
	gemp_code code = text ? gemp_report_set_json(report, name, text) : gemp_fail(GEMP_ENOMEM, "out of memory");
	free(text);
	return code;
}

/* Sets the fields that make a report understandable without the command line. */
static gemp_code set_head(gemp_report *report, const gemp_context *context, const gemp_options *options)
{
	GEMP_TRY(set_field(report, "version", json_string(gemp_version())));
	GEMP_TRY(set_field(report, "command", json_string(options->command->name)));
	GEMP_TRY(set_field(report, "arguments", arguments_of(options)));
	GEMP_TRY(set_field(report, "options", options_given(options)));
	return set_field(report, "ranks", json_integer(gemp_context_size(context)));
}

/* OUTPUT PATHS */

/* Returns the length of the file name in a path that may name a dataset, such as F.h5 in F.h5:/values. */
static size_t file_length(const char *place)
{
	const char *dataset = strstr(place, ".h5:");
	return dataset ? (size_t)(dataset - place) + strlen(".h5") : strlen(place);
}

/* Returns false if the file does not exist. */
static bool find_file(const char *place, struct stat *status)
{
	char path[4096];
	size_t length = file_length(place);
	if (length >= sizeof path)
		return false;
	snprintf(path, sizeof path, "%.*s", (int)length, place);
	return stat(path, status) == 0;
}

/* Two files that do not exist are the same only if their names are equal. */
static bool same_file(const char *one, const char *other)
{
	struct stat a, b;
	size_t length = file_length(one);
	if (length == file_length(other) && memcmp(one, other, length) == 0)
		return true;
	return find_file(one, &a) && find_file(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* GEMP_EUSAGE if `path` and `other` are the same file. The message calls `other` by `dashes` and `name`, which denote
 * an argument or an option. */
static gemp_code refuse_same(const char *option, const char *path, const char *dashes, const char *name,
                             const char *other)
{
	if (!other || !same_file(path, other))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "--%s %s is also the file of %s%s; give it another name", option, path, dashes, name);
}

/* The value of an option is a file name if --help shows the value as FILE, G.h5, and so on. */
static bool takes_file(const gemp_option *option)
{
	return option->value && gemp_word_index("FILE|G.h5|H.h5|F|F.dot|F.jsonl|OUT", option->value) >= 0;
}

/* Compares an output with the arguments and with the files of all other options. */
static gemp_code check_path(const gemp_options *options, const char *option, const char *path)
{
	if (!path || strcmp(path, "-") == 0)
		return GEMP_OK;
	for (size_t i = 0; i < options->argument_count; i++)
		GEMP_TRY(refuse_same(option, path, "", "an argument", options->arguments[i]));
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (takes_file(given->option) && strcmp(given->option->name, option) != 0)
			GEMP_TRY(refuse_same(option, path, "--", given->option->name, given->text));
	}
	return GEMP_OK;
}

/* Checks the options that write a file, except --into, which may name the input graph. */
static gemp_code check_paths(const gemp_options *options)
{
	GEMP_TRY(check_path(options, "trace", options->trace));
	GEMP_TRY(check_path(options, "json", options->json));
	GEMP_TRY(check_path(options, "output", options->output));
	GEMP_TRY(check_path(options, "changes", options->changes));
	GEMP_TRY(check_path(options, "rows", options->rows));
	GEMP_TRY(check_path(options, "subgraph", options->subgraph));
	GEMP_TRY(check_path(options, "dot", options->dot));
	GEMP_TRY(check_path(options, "svg", options->svg));
	GEMP_TRY(check_path(options, "draw", options->draw));
	GEMP_TRY(check_path(options, "tree", options->tree));
	GEMP_TRY(check_path(options, "unitigs", options->unitigs));
	return check_path(options, "gfa", options->gfa);
}

/* STDOUT */

bool gemp_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Returns true if rows, FASTA or a spelled text go to stdout. Text for people must not be mixed with them. */
static bool answer_on_stdout(const gemp_options *options)
{
	bool sequence = options->sequence && !options->output && !gemp_is_stdout(options->json);
	return sequence || gemp_is_stdout(options->output) || gemp_is_stdout(options->rows) ||
	       gemp_is_stdout(options->tree) || gemp_is_stdout(options->unitigs) || gemp_is_stdout(options->gfa);
}

gemp_code gemp_output_check(const gemp_context *context, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (!options->output)
		code = gemp_fail(GEMP_EUSAGE, "%s needs the file to write: --output %s", options->command->name,
		                 gemp_option_find("output", options->command)->value);
	else if (gemp_context_rank(context) == 0)
		code = gemp_file_may_write("--output", options->output);
	return gemp_context_agree(context, code);
}

gemp_code gemp_write_output(gemp_graph *graph, const gemp_options *options, gemp_report *report)
{
	gemp_write_settings settings;
	gemp_write_settings_init(&settings);
	settings.command = options->as_given;
	settings.weight = options->weight;
	settings.compressed = options->compress;
	settings.indexed = options->index_values.items;
	settings.indexed_count = options->index_values.count;
	return gemp_graph_write(graph, options->output, &settings, report);
}

/* Callback of gemp_report_options. */
static void print_text(void *file, const char *text, size_t size)
{
	fwrite(text, 1, size, file);
}

/* On rank 0. Paths are checked before the work, which may take hours. */
static gemp_code check_files(const gemp_options *options)
{
	if (options->json && !gemp_is_stdout(options->json))
		GEMP_TRY(gemp_file_may_write("--json", options->json));
	if (options->trace)
		GEMP_TRY(gemp_file_may_write("--trace", options->trace));
	return check_paths(options);
}

/* Only rank 0 writes, so it alone fills the head of the report and checks the paths. The other ranks receive its
 * code. */
gemp_code gemp_report_begin(gemp_report **out, gemp_context *context, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	bool on_stdout = gemp_is_stdout(options->json);
	gemp_report_options how;
	gemp_report_options_init(&how);
	how.brief = options->quiet;
	how.no_rows = on_stdout;
	how.whole_run = true;
	how.text = on_stdout && options->quiet ? NULL : print_text;
	how.text_self = on_stdout || answer_on_stdout(options) ? stderr : stdout;
	GEMP_TRY(gemp_report_open(out, context, &how));
	if (gemp_context_rank(context) == 0) {
		code = set_head(*out, context, options);
		GEMP_THEN(check_files(options));
	}
	code = gemp_context_agree(context, code);
	if (code == GEMP_OK && options->trace)
		gemp_report_trace_begin(*out);
	if (code != GEMP_OK) {
		gemp_report_close(*out);
		*out = NULL;
	}
	return code;
}

/* On rank 0. Writes the JSON to the file of --json or to stdout. */
static gemp_code write_json(const gemp_report *report, const gemp_options *options)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *text = NULL;
	GEMP_TRY(gemp_report_json(report, &text));
	if (!text || !options->json)
		return GEMP_OK;
	if (!gemp_is_stdout(options->json))
		return gemp_file_replace(options->json, text, strlen(text));
	puts(text);
	return GEMP_OK;
}

/* Collective. The trace has a span for closing. It is written before the JSON, since it adds fields to the report. */
static gemp_code write_files(gemp_report *report, const gemp_context *context, const gemp_options *options)
{
	gemp_report_finish(report);
	gemp_code code = options->trace ? gemp_report_trace_write(report, options->trace) : GEMP_OK;
	gemp_code written = gemp_context_agree(context, write_json(report, options));
	return code == GEMP_OK ? written : code;
}

/* After a failure no file is written, since it could be taken for a result. The exception is a report that is complete
 * and explains the failure. */
gemp_code gemp_report_end(gemp_report *report, const gemp_context *context, const gemp_options *options, gemp_code code)
{
	code = gemp_context_agree(context, code);
	bool went_well = code == GEMP_OK || code == GEMP_STOPPED;
	if (went_well || gemp_report_is_complete(report)) {
		gemp_code written = write_files(report, context, options);
		if (went_well && written != GEMP_OK)
			code = written;
	}
	gemp_report_close(report);
	return code;
}
