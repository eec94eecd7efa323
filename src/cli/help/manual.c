/* manual: the whole of the help as Markdown (docs/command-line.md) and as a man page (docs/gemp-mpi.1), with the fields of the JSON
 * report. A test compares both files with what this module makes, so that a new option cannot be left out.
 */

#include "cli/help/help.h"

#include <stdio.h>
#include <string.h>

const gemp_help_entry gemp_help_json[] = {
	{ "version, command, arguments, options", "The program and its command line; options as they were given." },
	{ "ranks, devices", "Number of ranks; devices with the number of ranks on each." },
	{ "graph", "Vertices, edges, and a hash of the content, which is the same for every number of ranks." },
	{ "seconds",
	  "Minimum, mean and maximum over ranks of each phase and of the elapsed time; kernel: mean over the devices of a rank." },
	{ "memory",
	  "Peak bytes of the largest rank on host and device; shared_by_node: bytes that the ranks of a node share." },
	{ "device_memory", "match: bytes on the device of the largest rank for graph, result_buffer and attributes." },
	{ "schema, degrees, seed, bytes",
	  "info: labels, edge types and attributes; degrees with a histogram; seed and size of the file." },
	{ "parts, method, edge_cut",
	  "partition: vertices and edges of each part; the method, and its partition_seconds; edges "
	  "between parts, and edges_inside_share; min, avg, max and imbalance of vertices, edges_out, edges_in and part_bytes (of rows)." },
	{ "partition", "info: method and number of parts of a file that `partition` wrote." },
	{ "assignment", "devices: host and devices of each rank. pci and uuid are null if the driver does not give them." },
	{ "query, semantics, distinct, plan", "match: the query, its meaning, and the plan of the search." },
	{ "matches",
	  "match: number of matches in the chosen meaning. Counts have all their digits, up to 2^64 - 1; some parsers "
	  "round numbers above 2^53." },
	{ "embeddings, embeddings_reason", "match: number of embeddings; null and the reason if they were not counted." },
	{ "rows, count", "match: number of rows of the result; the value of count(*)." },
	{ "steps, rules, explain",
	  "transform: number of steps; for each rule its steps, matches, applied, conflicting and inapplicable ones, rounds of "
	  "conflict resolution, seconds, and elements created, deleted and set; --explain: the same for each step." },
	{ "changes, replayed, dot",
	  "transform: file and lines of the change log; lines that were replayed; file of the drawing." },
	{ "complete",
	  "match, and transform --checkpoint: false if a limit, --max-time or a signal ended the work, or if SKIP or LIMIT left out rows that have no order." },
	{ "checkpoint",
	  "match --checkpoint: folder; number of jobs that worked on it; seconds_before: of the earlier jobs; parts of the "
	  "search, and how many are finished. transform --checkpoint: the same without parts." },
	{ "launches, pivots, result_fill",
	  "match: number of kernel launches and of start vertices; used share of the result buffer." },
	{ "exchange",
	  "match: method (none, push, pull), bytes, messages and rounds; local_share: share of matches that never left a rank "
	  "(push) or of rows that a rank had (pull); pull: pull_rounds, rows_read, rows_fetched, row_bytes, row_bytes_uncoded, "
	  "pivots_in_parts; push: match_bytes, match_bytes_uncoded; auto: expected_row_bytes, expected_match_bytes." },
	{ "work", "match: for each rank and device the kernel seconds, launches, and matches before duplicates were "
	          "removed." },
	{ "imbalance", "match: maximum over mean of the devices' kernel seconds and matches." },
	{ "attribute_values", "match: number of values that were copied to devices, and of values in results." },
	{ "count_per",
	  "match --count-per: the vertex; members: the pattern vertices that are equivalent to it by symmetry." },
	{ "estimate", "match --estimate: matches, low, high, confidence; samples, seconds, seed." },
	{ "motifs", "match --pattern motifs:K: pattern, edges, count and seconds of each shape." },
	{ "order", "match: the pattern's vertices in the order in which they are bound." },
	{ "entries_read", "match --profile: number of row entries that were read." },
	{ "rows_passed", "match --profile: number of partial matches of all steps but the last." },
	{ "lookups", "match --profile: number of searches for a vertex in a row." },
	{ "part_share", "match --profile: share of matches that lie within one of 1, 2, 4, ... 64 parts." },
	{ "quantisation_error, topographic_error", "som train, som apply: errors of all vectors with respect to the map." },
	{ "epochs, epoch, seconds_per_epoch",
	  "som train: radius, rate and errors of each epoch of this run; number of epochs in all; seconds of the slowest "
	  "rank." },
	{ "exchange",
	  "som train: what ranks exchanged: units, sums, or the affine maps of online training; null on one rank, "
	  "and if there was nothing to train." },
	{ "vectors, dimensions, missing, without_unit",
	  "som: number of vectors of all ranks, and their length; number of missing values; number of vectors "
	  "without any value." },
	{ NULL, NULL },
};

/* MARKDOWN */

static void markdown_option(gemp_text *out, const gemp_option *option)
{
	gemp_text_print(out, "- ");
	if (option->letter)
		gemp_text_print(out, "`-%c`, ", option->letter);
	gemp_text_print(out, "`");
	gemp_help_option_name(out, option);
	gemp_text_print(out, "`");
	if (option->default_text)
		gemp_text_print(out, " (default `%s`)", option->default_text);
	gemp_text_print(out, ": %s\n", option->help);
}

/* Each form of use is a line. */
static void markdown_usage(gemp_text *out, const gemp_command *command)
{
	const char *form = command->arguments;
	gemp_text_print(out, "```sh\n");
	do {
		size_t size = strcspn(form, "\n");
		gemp_text_print(out, "gemp-mpi %s%s%.*s [OPTIONS]\n", command->name, size ? " " : "", (int)size, form);
		form += size + (form[size] == '\n');
	} while (*form);
	gemp_text_print(out, "```\n");
}

/* Parameters stand with their generator, not among the options. */
static void markdown_generators(gemp_text *out)
{
	size_t count;
	const gemp_generator *generator = gemp_generators(&count);
	for (size_t g = 0; g < count; g++, generator++) {
		gemp_text_print(out, "\n`%s`: %s\n\n", generator->name, generator->meaning);
		for (size_t p = 0; p < generator->parameter_count; p++) {
			const gemp_parameter *parameter = &generator->parameters[p];
			char form[64], value[64];
			gemp_parameter_form(form, sizeof form, parameter);
			gemp_parameter_default(value, sizeof value, parameter);
			gemp_text_print(out, "- `--%s %s` (default `%s`): %s\n", parameter->name, form, value, parameter->meaning);
		}
	}
}

static void markdown_formats(gemp_text *out)
{
	gemp_text_print(out, "\n**Formats**\n\n");
	for (const gemp_help_entry *entry = gemp_help_formats(); entry->name; entry++)
		gemp_text_print(out, "- `%s`: %s\n", entry->name, entry->meaning);
}

/* Groups of options are bold lines, no headings, since a command has up to seven. */
static void markdown_command(gemp_text *out, const gemp_command *command)
{
	const char *group = "", *text = command->text;
	const gemp_option *option;
	gemp_text_print(out, "\n## %s\n\n%s.\n\n", command->name, command->summary);
	markdown_usage(out, command);
	while (*text) {
		size_t size = strcspn(text, "\n");
		gemp_text_print(out, "\n%.*s\n", (int)size, text);
		text += size + (text[size] == '\n');
	}
	if (*command->examples)
		gemp_text_print(out, "\n```sh\n%s```\n", command->examples);
	if (command->bit == GEMP_ON_GENERATE)
		markdown_generators(out);
	if (command->bit == GEMP_ON_IMPORT)
		markdown_formats(out);
	for (size_t i = 0; (option = gemp_help_next(command, &i));) {
		if (strcmp(group, option->group) != 0)
			gemp_text_print(out, "\n**%s**\n\n", group = option->group);
		markdown_option(out, option);
	}
}

static void markdown_entries(gemp_text *out, const char *heading, const gemp_help_entry *list)
{
	gemp_text_print(out, "\n## %s\n\n", heading);
	for (; list->name; list++)
		gemp_text_print(out, "- `%s`: %s\n", list->name, list->meaning);
}

void gemp_help_markdown(gemp_text *out, const gemp_command_table *table)
{
	gemp_text_print(out, "# The command line\n\n"
	                     "Made by `gemp-mpi help --as markdown` of the tables that the program itself goes by; a test "
	                     "compares the two.\n\n"
	                     "```sh\nmpirun -n RANKS gemp-mpi COMMAND [ARGUMENTS] [OPTIONS]\n```\n\n"
	                     "A command runs alone too, as one rank. A configuration (`--config FILE`) has one "
	                     "`long-option = value` a line; `#` begins a comment.\n");
	for (size_t i = 0; i < table->count; i++)
		markdown_command(out, table->commands[i]);
	markdown_entries(out, "Fields of the JSON report", gemp_help_json);
	markdown_entries(out, "Exit codes", gemp_help_codes);
	markdown_entries(out, "Environment", gemp_help_environment);
}

/* MAN PAGE */

/* Escapes what roff would interpret: dots and quotes at the beginning of a line, backslashes, and hyphens, which must be
 * searchable as minus signs. */
static void roff(gemp_text *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		bool first = i == 0 || text[i - 1] == '\n';
		if (first && (text[i] == '.' || text[i] == '\''))
			gemp_text_print(out, "\\&");
		if (text[i] == '\\')
			gemp_text_print(out, "\\e");
		else if (text[i] == '-')
			gemp_text_print(out, "\\-");
		else
			gemp_text_add(out, &text[i], 1);
	}
}

static void roff_line(gemp_text *out, const char *text)
{
	roff(out, text, strlen(text));
	gemp_text_print(out, "\n");
}

/* A tagged paragraph: a name, in bold, and its meaning. */
static void man_item(gemp_text *out, const char *name, const char *value, const char *meaning)
{
	gemp_text_print(out, ".TP\n.B ");
	roff(out, name, strlen(name));
	if (value) {
		gemp_text_print(out, " ");
		roff(out, value, strlen(value));
	}
	gemp_text_print(out, "\n");
	roff_line(out, meaning);
}

static void man_option(gemp_text *out, const gemp_option *option)
{
	char name[80], meaning[1024];
	if (option->letter)
		snprintf(name, sizeof name, "-%c, --%s", option->letter, option->name);
	else
		snprintf(name, sizeof name, "--%s", option->name);
	snprintf(meaning, sizeof meaning, "%s%s%s%s", option->help, option->default_text ? " Default: " : "",
	         option->default_text ? option->default_text : "", option->default_text ? "." : "");
	man_item(out, name, option->value, meaning);
}

static void man_parameter(gemp_text *out, const gemp_parameter *parameter)
{
	char name[64], form[64], value[64], meaning[512];
	snprintf(name, sizeof name, "--%s", parameter->name);
	gemp_parameter_form(form, sizeof form, parameter);
	gemp_parameter_default(value, sizeof value, parameter);
	snprintf(meaning, sizeof meaning, "%s Default: %s.", parameter->meaning, value);
	man_item(out, name, form, meaning);
}

static void man_generators(gemp_text *out)
{
	size_t count;
	const gemp_generator *generator = gemp_generators(&count);
	for (size_t g = 0; g < count; g++, generator++) {
		man_item(out, generator->name, NULL, generator->meaning);
		gemp_text_print(out, ".RS\n");
		for (size_t p = 0; p < generator->parameter_count; p++)
			man_parameter(out, &generator->parameters[p]);
		gemp_text_print(out, ".RE\n");
	}
}

/* The text is not wrapped here, since man wraps it. */
static void man_command(gemp_text *out, const gemp_command *command)
{
	const gemp_option *option;
	gemp_text_print(out, ".SS ");
	roff_line(out, command->name);
	roff(out, command->summary, strlen(command->summary));
	gemp_text_print(out, ".\n.PP\n.nf\n");
	roff_line(out, command->arguments);
	gemp_text_print(out, ".fi\n.PP\n");
	roff(out, command->text, strlen(command->text));
	if (*command->examples) {
		gemp_text_print(out, ".PP\n.nf\n");
		roff(out, command->examples, strlen(command->examples));
		gemp_text_print(out, ".fi\n");
	}
	if (command->bit == GEMP_ON_GENERATE)
		man_generators(out);
	for (const gemp_help_entry *entry = gemp_help_formats(); command->bit == GEMP_ON_IMPORT && entry->name; entry++)
		man_item(out, entry->name, NULL, entry->meaning);
	for (size_t i = 0; (option = gemp_help_next(command, &i));)
		man_option(out, option);
}

static void man_entries(gemp_text *out, const char *heading, const gemp_help_entry *list)
{
	gemp_text_print(out, ".SH %s\n", heading);
	for (; list->name; list++)
		man_item(out, list->name, NULL, list->meaning);
}

void gemp_help_man(gemp_text *out, const gemp_command_table *table)
{
	gemp_text_print(out, ".TH GEMP\\-MPI 1 \"\" \"gemp\\-mpi %s\"\n", GEMP_VERSION);
	gemp_text_print(out,
	                ".SH NAME\ngemp\\-mpi \\- pattern matching in large graphs on many GPUs\n"
	                ".SH SYNOPSIS\n.B mpirun \\-n\nRANKS\n.B gemp\\-mpi\nCOMMAND [ARGUMENTS] [OPTIONS]\n"
	                ".SH DESCRIPTION\nFinds every occurrence of a typed, attributed pattern in a large graph. Each "
	                "rank owns a random part of the graph and searches it on its OpenCL device.\n"
	                ".SH COMMANDS\n");
	for (size_t i = 0; i < table->count; i++)
		man_command(out, table->commands[i]);
	man_entries(out, "JSON REPORT", gemp_help_json);
	man_entries(out, "EXIT STATUS", gemp_help_codes);
	man_entries(out, "ENVIRONMENT", gemp_help_environment);
}
