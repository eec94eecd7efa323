/* manual: the help of all commands as Markdown (docs/command-line.md) and as a man page (docs/gemp-mpi.1), with the
 * fields of the JSON report. tests/cli/options.sh compares both files with the output of this module, so they cannot
 * lack a new option.
 */

#include "cli/help/help.h"

#include <string.h>

/* Commands that share a field stand in one entry. Fields of single commands begin with the name of the command. */
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
	  "match: number of matches in the chosen meaning. Counts are exact up to 2^64 - 1; some parsers round above 2^53." },
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
	{ "work", "match: for each rank and device the kernel seconds, launches, and matches with duplicates." },
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
	  "som train: radius, rate and errors of each epoch of this run; epochs in all; seconds of the slowest rank." },
	{ "exchange",
	  "som train: what ranks exchanged: units, sums, or affine maps (online training); null for one rank or no training." },
	{ "vectors, dimensions, missing, without_unit",
	  "som: number of vectors and their length; number of missing values, and of vectors without any value." },
	{ NULL, NULL },
};

/* MARKDOWN */

static void markdown_entry(gemp_text *out, const char *name, const char *meaning)
{
	gemp_text_print(out, "- `%s`: %s\n", name, meaning);
}

/* Groups are bold lines and no headings, since a command has up to seven. */
static void markdown_group(gemp_text *out, const char *title)
{
	gemp_text_print(out, "\n**%s**\n\n", title);
}

static void markdown_generator(gemp_text *out, const gemp_generator *generator)
{
	gemp_text_print(out, "\n`%s`: %s\n\n", generator->name, generator->meaning);
}

static const gemp_help_form markdown_form = { markdown_group, markdown_entry, markdown_generator, "", "" };

/* A section with summary, forms of use, paragraphs, examples and options of a command. */
static void markdown_command(gemp_text *out, const gemp_command *command)
{
	const char *rest = command->text;
	int size;
	gemp_text_print(out, "\n## %s\n\n%s.\n\n```sh\n", command->name, command->summary);
	gemp_help_usage(out, command, "", "");
	gemp_text_print(out, "```\n");
	while (*rest) {
		const char *paragraph = gemp_next_line(&rest, &size);
		gemp_text_print(out, "\n%.*s\n", size, paragraph);
	}
	if (*command->examples)
		gemp_text_print(out, "\n```sh\n%s```\n", command->examples);
	gemp_help_items(out, command, &markdown_form);
}

/* A heading and a list that ends with a NULL name. */
static void markdown_entries(gemp_text *out, const char *heading, const gemp_help_entry *list)
{
	gemp_text_print(out, "\n## %s\n\n", heading);
	for (; list->name; list++)
		markdown_entry(out, list->name, list->meaning);
}

void gemp_help_markdown(gemp_text *out, const gemp_command_table *table)
{
	gemp_text_print(out,
	                "# The command line\n\n"
	                "`gemp-mpi help --as markdown` makes this page from the tables of options that the program itself "
	                "reads; a test compares the two.\n\n"
	                "```sh\nmpirun -n RANKS gemp-mpi COMMAND [ARGUMENTS] [OPTIONS]\n```\n\n"
	                "Without mpirun a command runs as one rank. A configuration (`--config FILE`) has one "
	                "`long-option = value` a line; `#` begins a comment.\n");
	for (size_t i = 0; i < table->count; i++)
		markdown_command(out, table->commands[i]);
	markdown_entries(out, "Fields of the JSON report", gemp_help_json);
	markdown_entries(out, "Exit codes", gemp_help_codes);
	markdown_entries(out, "Environment", gemp_help_environment);
}

/* MAN PAGE */

/* Adds text with the characters escaped that roff would interpret: dots and quotes at the beginning of a line,
 * backslashes, and hyphens, which a search must find as minus signs. */
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

/* A line of its own. */
static void roff_line(gemp_text *out, const char *text)
{
	roff(out, text, strlen(text));
	gemp_text_print(out, "\n");
}

/* A tagged paragraph: a name, in bold, and its meaning. */
static void man_entry(gemp_text *out, const char *name, const char *meaning)
{
	gemp_text_print(out, ".TP\n.B ");
	roff_line(out, name);
	roff_line(out, meaning);
}

/* The parameters are indented. */
static void man_generator(gemp_text *out, const gemp_generator *generator)
{
	man_entry(out, generator->name, generator->meaning);
	gemp_text_print(out, ".RS\n");
}

static const gemp_help_form man_form = { NULL, man_entry, man_generator, ".RE\n", "" };

/* Lines are not wrapped here, since man wraps them. */
static void man_command(gemp_text *out, const gemp_command *command)
{
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
	gemp_help_items(out, command, &man_form);
}

/* A section of its own for a list that ends with a NULL name. */
static void man_entries(gemp_text *out, const char *heading, const gemp_help_entry *list)
{
	gemp_text_print(out, ".SH %s\n", heading);
	for (; list->name; list++)
		man_entry(out, list->name, list->meaning);
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
