/* manual: the help of all commands as Markdown (docs/command-line.md) and as a man page (docs/gemp-mpi.1), with the
 * fields of the JSON report, and the bash script that completes commands and options. tests/cli/options.sh compares
 * both files with the output of this module, so neither file can lack a new option.
 */

#include "cli/help/help.h"

#include <string.h>

/* Fields that several commands have are in one entry. The text of a field of a single command begins with the name of
 * the command. */
const gemp_help_entry gemp_help_json[] = {
	{ "version, command, arguments, options", "The program and its command line; options as they were given." },
	{ "ranks, devices", "Number of ranks; devices with the number of ranks on each." },
	{ "graph", "Vertices, edges, and a hash of the content, which is the same for every number of ranks." },
	{ "seconds",
	  "Minimum, mean and maximum over ranks of each phase and of the elapsed time. start: MPI and the library, before the command; verify: checking results; close: closing graphs and devices after the command; other: in no other phase; kernel: mean over the devices of a rank." },
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
	{ "query, semantics, distinct, sense, plan",
	  "match: the query, its meaning, also in words (sense), and the plan of the search." },
	{ "matches",
	  "match: number of matches in the chosen meaning. Counts are exact up to 2^64 - 1; some parsers round above 2^53." },
	{ "embeddings, embeddings_reason", "match: number of embeddings; null and the reason if they were not counted." },
	{ "rows, count", "match, transform with a query: number of rows of the result; the value of count(*)." },
	{ "steps, rules, explain",
	  "transform: number of steps; for each rule its steps, matches, applied, conflicting and inapplicable ones, rounds of "
	  "conflict resolution and where it ran (resolved_on: host, device or both), seconds, and elements created, deleted and "
	  "set; --explain: the same for each step. exchange: what ranks sent to resolve conflicts." },
	{ "created, deleted, attributes_set, labels_added, labels_removed",
	  "transform with a query: vertices and edges that were created and deleted; attributes that got a value or lost it; "
	  "labels of vertices." },
	{ "changes, replayed, dot",
	  "transform: file and lines of the change log; lines that were replayed; file of the drawing." },
	{ "complete",
	  "match, and transform --checkpoint: false if a limit, --max-time or a signal ended the work, or if SKIP or LIMIT left out rows that have no order." },
	{ "checkpoint",
	  "match --checkpoint: folder; number of jobs that worked on it; seconds_before: of the earlier jobs; parts of the "
	  "search, and how many are finished. transform --checkpoint: the same without parts." },
	{ "launches, pivots, result_fill",
	  "match: number of kernel launches and of start vertices; used share of the result buffer." },
	{ "launch_sizes",
	  "match --profile: the first launches of rank 0's first device: planned, tasks, taken, results, capacity, seconds." },
	{ "searched_on", "match: host if threads of the host searched, without a device; otherwise device." },
	{ "early_search",
	  "match on devices: pivots from which threads of the host searched while the kernel was compiled, and the seconds of rank 0; absent if there were none." },
	{ "sample_check",
	  "match on devices: pivots whose matches the host has counted, too, and these matches with duplicates; absent if nothing was checked." },
	{ "exchange",
	  "match: method (none, push, pull), bytes, messages and rounds; local_share: share of matches that never left a rank "
	  "(push) or of rows that a rank had (pull); pull: pull_rounds, rows_read, rows_fetched, row_bytes, row_bytes_uncoded, "
	  "pivots_in_parts; push: match_bytes, match_bytes_uncoded; auto: expected_row_bytes, expected_match_bytes." },
	{ "work", "match: for each rank and device the kernel seconds, launches, and matches with duplicates." },
	{ "times",
	  "match: seconds by what GEMP measured: read, convert, search (its parts: build, copy, run, read_back), results; "
	  "conditions tested after the search: values, test, select; in addition filter (conditions tested before it), "
	  "exchange, check." },
	{ "residual",
	  "match: conditions tested after the search: matches that were tested and kept; values copied, their bytes, and values "
	  "to which the matches refer; host_bytes and device_bytes: the most at a time." },
	{ "by_rank",
	  "match: for each rank the pivots and launches of its searches; partial matches sent and received (push); rows fetched "
	  "(pull); embeddings found (one of each orbit under order restrictions); canonical forms sent and received, duplicates "
	  "that their hashes removed, and matches kept "
	  "(--symmetry hash, --distinct subgraph, vertices); --profile: reads, the row entries and lookups. "
	  "duplicates_removed is null if a limit or short memory interrupted the removal." },
	{ "duplicates_left_out_by_devices",
	  "match: embeddings that devices left out as duplicates of earlier ones before the host removed the others "
	  "(--symmetry hash, --distinct vertices; 0 on CPU devices)." },
	{ "imbalance", "match: maximum over mean of the devices' kernel seconds and matches." },
	{ "attribute_values", "match: number of values that were copied to devices, and of values in results." },
	{ "count_per",
	  "match --count-per: the vertex; members: the pattern vertices that are equivalent to it by symmetry." },
	{ "estimate", "match --estimate: matches, low, high, confidence; samples, seconds, seed." },
	{ "forecast",
	  "match: expected before the search: rows that it finds, seconds, bytes of the matches that --distinct compares, passes; sampled: false if the planner's estimate had to do." },
	{ "motifs", "match --pattern motifs:K: name, pattern, edges, count and seconds of each shape." },
	{ "order", "match: the pattern's vertices in the order in which they are bound." },
	{ "entries_read", "match --profile: number of row entries that were read." },
	{ "rows_passed", "match --profile: number of partial matches of all steps but the last." },
	{ "lookups", "match --profile: number of searches for a vertex in a row." },
	{ "part_share", "match --profile: share of matches that lie within one of 1, 2, 4, ... 64 parts." },
	{ "warmed", "warm: an array of what the kernels are of, and the seconds of building them on rank 0." },
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

/* The name of a group is a bold line instead of a heading, since a command has up to seven groups. */
static void markdown_group(gemp_text *out, const char *title)
{
	gemp_text_print(out, "\n**%s**\n\n", title);
}

static void markdown_generator(gemp_text *out, const gemp_generator *generator)
{
	gemp_text_print(out, "\n`%s`: %s\n\n", generator->name, generator->meaning);
}

static const gemp_help_form markdown_form = { markdown_group, markdown_entry, markdown_generator, "", "" };

/* Adds a section with the summary, the forms of use, the paragraphs, the examples and the options of a command. */
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

/* Adds a heading and the entries of a list, which ends with a NULL name. */
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

/* Adds text, and escapes the characters that roff would interpret. These are dots and quotes at the beginning of a
 * line, backslashes, and hyphens, which must be minus signs so that a search finds them. */
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

/* Adds a line. */
static void roff_line(gemp_text *out, const char *text)
{
	roff(out, text, strlen(text));
	gemp_text_print(out, "\n");
}

/* Adds a tagged paragraph with a name in bold and its meaning. */
static void man_entry(gemp_text *out, const char *name, const char *meaning)
{
	gemp_text_print(out, ".TP\n.B ");
	roff_line(out, name);
	roff_line(out, meaning);
}

/* The parameters of a generator are indented. */
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

/* Adds a section with the entries of a list, which ends with a NULL name. */
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

/* COMPLETION: a bash script that completes commands, options, and the values of options that have choices */

/* Adds the names of the options of a command, for compgen -W. */
static void print_option_names(gemp_text *out, const gemp_command *command)
{
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(command, &i));)
		gemp_text_print(out, " --%s", option->name);
}

/* Adds a case branch for each option that has choices. */
static void print_choices(gemp_text *out)
{
	size_t size;
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(NULL, &i));) {
		if (option->kind != GEMP_OPTION_CHOICE && option->kind != GEMP_OPTION_SIZE_OR_WORD)
			continue;
		const char *word;
		gemp_text_print(out, "\t--%s) words='", option->name);
		for (size_t w = 0; (word = gemp_word_at(option->value, w, &size)); w++)
			gemp_text_print(out, "%s%.*s", w ? " " : "", (int)size, word);
		gemp_text_print(out, "' ;;\n");
	}
}

/* Adds the function that bash calls. It completes the choices of the option before the cursor if there are any,
 * otherwise the options of the command, otherwise files. */
static void print_bash_script(gemp_text *out, const gemp_command_table *table)
{
	size_t generators;
	const gemp_generator *generator = gemp_generators(&generators);
	gemp_text_print(out, "# bash completion of gemp-mpi: . <(gemp-mpi completion bash)\n"
	                     "_gemp_mpi() {\n"
	                     "\tlocal i command= words=\n"
	                     "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	                     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	                     "\t\t[[ -n $command || ${COMP_WORDS[i]} == -* ]] || command=${COMP_WORDS[i]}\n"
	                     "\tdone\n"
	                     "\tcase $previous in\n");
	print_choices(out);
	gemp_text_print(out, "\tgenerate) words='");
	for (size_t g = 0; g < generators; g++)
		gemp_text_print(out, "%s%s", g ? " " : "", generator[g].name);
	gemp_text_print(out, "' ;;\n\tesac\n\tif [ -z \"$words\" ]; then case $command in\n");
	for (size_t i = 1; i < table->count; i++) {
		gemp_text_print(out, "\t%s) words='", table->commands[i]->name);
		print_option_names(out, table->commands[i]);
		gemp_text_print(out, "' ;;\n");
	}
	gemp_text_print(out, "\t*) words='");
	for (size_t i = 0; i < table->count; i++)
		gemp_text_print(out, "%s ", table->commands[i]->name);
	print_option_names(out, table->commands[0]);
	gemp_text_print(out, "' ;;\n\tesac; [[ $current == -* || -z $command ]] || words=; fi\n"
	                     "\tif [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	                     "\telse COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
	                     "}\n"
	                     "complete -o filenames -F _gemp_mpi gemp-mpi\n");
}

/* Only bash is supported. Other shells would need scripts of their own. */
static gemp_code completion(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)context, (void)report;
	if (strcmp(options->arguments[0], "bash") != 0)
		return gemp_fail(GEMP_EUSAGE, "there is no completion for '%s'; there is one for bash", options->arguments[0]);
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	print_bash_script(&text, options->table);
	return gemp_help_print(&text);
}

const gemp_command gemp_command_completion = {
	.name = "completion",
	.bit = GEMP_ON_COMPLETION,
	.arguments = "bash",
	.summary = "Prints a script that lets the shell complete commands and options",
	.text = "",
	.examples = ". <(gemp-mpi completion bash)\n",
	.argument_count = { 1, 1 },
	.run = completion,
	.local = true,
};
