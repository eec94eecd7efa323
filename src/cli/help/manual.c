/* The manual as Markdown and as a man page. */

#include "cli/help/help.h"

#include <stdio.h>
#include <string.h>

const gemp_help_entry gemp_help_json[] = {
	{ "version, command, arguments, options", "The program and what it was asked, options as given." },
	{ "ranks, devices", "Ranks; devices with the number of ranks on each." },
	{ "graph", "vertices, edges and hash: the hash of the content is the same for every number of ranks." },
	{ "seconds", "For each phase, and elapsed, min, avg and max over ranks; kernel: the mean of a rank's devices." },
	{ "memory",
	  "Peak bytes of the largest rank: host, device; shared_by_node: what the ranks of a node hold together." },
	{ "device_memory", "match: bytes on the device of the largest rank: graph, result_buffer, attributes." },
	{ "schema, degrees, seed, bytes", "info: labels, relations, attributes; degrees with a histogram; the file." },
	{ "parts, method, edge_cut",
	  "partition: vertices and edges of each part; how they were cut, in partition_seconds; edges "
	  "between parts, edges_inside_share; vertices, edges_out, edges_in and part_bytes (of rows): min, avg, max, imbalance." },
	{ "partition", "info: method and parts of a file that `partition` wrote." },
	{ "assignment",
	  "devices: host and devices of each rank, one by one. pci and uuid are null where the driver does not know them." },
	{ "query, semantics, distinct, plan", "match: what was asked, and how it is searched." },
	{ "matches", "match: matches in the chosen sense. A count has all its digits, up to 2^64 - 1; some parsers round "
	             "beyond 2^53." },
	{ "embeddings, embeddings_reason", "match: embeddings; null and why where they were not counted." },
	{ "rows, count", "match: rows of the result; what count(*) returned." },
	{ "steps, rules, explain",
	  "transform: steps taken; of each rule steps, matches, applied, conflicts, blocked, rounds of choosing, "
	  "seconds, what was created, deleted and set; --explain: the same of each step." },
	{ "changes, replayed, dot",
	  "transform: file and lines of the change log; lines of a log that was applied; file of the drawing." },
	{ "complete",
	  "match, and transform --checkpoint: false where a limit or --max-time or a signal ended the search, or SKIP or LIMIT left out rows that have no order." },
	{ "checkpoint",
	  "match --checkpoint: folder; jobs that worked on it, seconds_before of those before this one; parts of the "
	  "search and how many are finished. transform --checkpoint: the same without parts." },
	{ "launches, pivots, result_fill", "match: kernel launches, vertices to start from, fill of the result buffer." },
	{ "exchange",
	  "match: how (none, push, pull), bytes, messages, rounds; local_share: matches that never crossed ranks, or, "
	  "pull, rows read that were at hand; pull_rounds, rows_read, rows_fetched, row_bytes, row_bytes_uncoded, pivots_in_parts; "
	  "push: match_bytes, match_bytes_uncoded; auto: expected_row_bytes, expected_match_bytes." },
	{ "work", "match: for each rank and device: kernel seconds; of searches launches, and matches found there (before "
	          "deduplication)." },
	{ "imbalance", "match: kernel seconds, and matches found, of the greatest device over the mean." },
	{ "attribute_values", "match: values copied to devices, and values that results refer to." },
	{ "count_per", "match --count-per: vertex; members: vertices of a match that it counts for." },
	{ "estimate", "match --estimate: matches, low, high, confidence; samples, seconds, seed." },
	{ "motifs", "match --pattern motifs:K: pattern, edges, count and seconds of each." },
	{ "order", "match: the pattern's vertices in the order they were bound." },
	{ "entries_read", "match --profile: entries of neighbour lists that were walked." },
	{ "rows_passed", "match --profile: partial matches, of all steps but the last." },
	{ "lookups", "match --profile: vertices looked for in neighbour lists." },
	{ "part_share", "match --profile: share of matches inside one of 1, 2, ... 64 parts." },
	{ "quantisation_error, topographic_error",
	  "som train, som apply: of all vectors, by the map that was written or given." },
	{ "epochs, epoch, seconds_per_epoch",
	  "som train: radius, rate and errors of each epoch of this run; epochs done in all; the slowest "
	  "rank's seconds." },
	{ "exchange",
	  "som train: what ranks told each other: units, sums, or maps (affine ones, of online training); null on one rank, "
	  "and where nothing was left to train." },
	{ "vectors, dimensions, missing, without_unit",
	  "som: vectors of all ranks and numbers of each; values that are missing; vectors "
	  "without any." },
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

/* Text that roff shows as it is. */
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
