/* command: a subcommand is one object of this type, which maps options to settings of the library and calls one function of it.
 * main.c holds the table of all subcommands, in the order of the help. Commands over the same header of include/gemp share a file of
 * src/cli:
 *
 *     graph.c          import, generate, info, verify, partition, convert
 *     match.c          match, demo
 *     transform.c      transform
 *     analytics.c      degrees, edges, reverse, components, bfs, sssp, pagerank, spmv
 *     sort_distinct.c  sort, distinct
 *     euler.c          euler, assemble
 *     som.c            som train, som apply, som draw
 *     bench.c          bench match, bench tune, bench device, bench shuffle; devices
 *     help/            help, completion
 */

#ifndef GEMP_CLI_OPTIONS_COMMAND_H
#define GEMP_CLI_OPTIONS_COMMAND_H

#include "gemp/report.h"

struct gemp_options;

/* Each command has a bit; an option has the bits of the commands that accept it. */
enum gemp_command_bit {
	GEMP_ON_DEMO = 1 << 0,
	GEMP_ON_IMPORT = 1 << 1,
	GEMP_ON_GENERATE = 1 << 2,
	GEMP_ON_INFO = 1 << 3,
	GEMP_ON_VERIFY = 1 << 4,
	GEMP_ON_PARTITION = 1 << 5,
	GEMP_ON_MATCH = 1 << 6,
	GEMP_ON_DEVICES = 1 << 7,
	GEMP_ON_HELP = 1 << 8,
	GEMP_ON_COMPLETION = 1 << 9,
	GEMP_ON_CONVERT = 1 << 10,
	GEMP_ON_BENCH = 1 << 11,
	GEMP_ON_TRANSFORM = 1 << 12,
	GEMP_ON_SORT = 1 << 13,
	GEMP_ON_DISTINCT = 1 << 14,
	GEMP_ON_EDGES = 1 << 15,
	GEMP_ON_REVERSE = 1 << 16,
	GEMP_ON_COMPONENTS = 1 << 17,
	GEMP_ON_EULER = 1 << 18,
	GEMP_ON_ASSEMBLE = 1 << 19,
	GEMP_ON_DEGREES = 1 << 20,
	GEMP_ON_BFS = 1 << 21,
	GEMP_ON_SSSP = 1 << 22,
	GEMP_ON_PAGERANK = 1 << 23,
	GEMP_ON_SPMV = 1 << 24,
	GEMP_ON_SOM = 1 << 25,
};

/* Collective. All ranks return the same code. */
typedef gemp_code gemp_command_function(gemp_context *context, const struct gemp_options *options, gemp_report *report);

typedef struct gemp_command {
	const char *name;
	unsigned bit;          /* one gemp_command_bit */
	const char *arguments; /* as usage shows them; a line for each form of use */
	const char *summary;   /* one line, no full stop */
	const char *text;      /* paragraphs of --help; each is one line of text and ends with \n */
	const char *examples;  /* a line each; a line that begins with # is a comment */
	struct {
		size_t min, max;
	} argument_count; /* positional arguments that the command accepts */
	bool plain;       /* the command has no report, so --json, --trace and --quiet have no effect */
	gemp_command_function *run;
} gemp_command;

typedef struct gemp_command_table {
	size_t count;
	const gemp_command *const *commands; /* [count]; the first one runs when the command line names none */
} gemp_command_table;

/* Collective over MPI_COMM_WORLD. Finds the command that argv names, parses its options and runs it, or prints what
 * --help and --version ask for; rank 0 prints the message of a failure. All ranks return the same code. */
gemp_code gemp_command_line(const gemp_command_table *table, int argc, char **argv);

extern const gemp_command gemp_command_demo, gemp_command_import, gemp_command_generate, gemp_command_info,
	gemp_command_degrees, gemp_command_edges, gemp_command_reverse, gemp_command_components, gemp_command_sort,
	gemp_command_distinct, gemp_command_euler, gemp_command_verify, gemp_command_partition, gemp_command_match,
	gemp_command_devices, gemp_command_help, gemp_command_completion, gemp_command_convert, gemp_command_bench,
	gemp_command_transform, gemp_command_assemble, gemp_command_bfs, gemp_command_sssp, gemp_command_pagerank,
	gemp_command_spmv, gemp_command_som;

#endif
