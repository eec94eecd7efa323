/* command: a subcommand of gemp-mpi.
 *
 * The function of a command maps options to settings of the library and calls the library. main.c lists all commands in
 * the order of the help. Commands that use the same header of include/gemp share a file of src/cli:
 *
 *     graph.c      import, generate, info, verify, partition, convert
 *     index.c      index
 *     match.c      match, transform
 *     demo.c       demo
 *     analytics.c  degrees, edges, reverse, components, bfs, sssp, pagerank, spmv, sort, distinct
 *     euler.c      euler, assemble
 *     som.c        som train, som apply, som draw
 *     bench.c      bench match, bench tune, bench device, bench shuffle, bench analytics; devices; warm
 *     help/        help, completion
 */

#ifndef GEMP_CLI_OPTIONS_COMMAND_H
#define GEMP_CLI_OPTIONS_COMMAND_H

#include <gemp/gemp.h>

struct gemp_options;

/* Each command has a bit. An option has the bits of the commands that accept it. */
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
	GEMP_ON_WARM = 1 << 26,
	GEMP_ON_INDEX = 1 << 27,
};

/* Collective. All ranks return the same code. */
typedef gemp_code gemp_command_function(gemp_context *context, const struct gemp_options *options, gemp_report *report);

typedef struct gemp_command {
	const char *name;
	unsigned bit;          /* a gemp_command_bit */
	const char *arguments; /* text for the usage; one line for each form of use */
	const char *summary;   /* one line without a full stop */
	const char *text;      /* the paragraphs of --help; each is one line that ends with \n */
	const char *examples;  /* one example a line; a line that begins with # is a comment */
	struct {
		size_t min, max;
	} argument_count; /* number of positional arguments that the command accepts */
	/* The command needs neither MPI nor OpenCL, so its function is local. It gets no context and no report; --json,
	 * --trace and --quiet have no effect. */
	bool local;
	bool devices; /* the command reads the graph file of its first argument, and then opens devices */
	gemp_command_function *run;
} gemp_command;

typedef struct gemp_command_table {
	size_t count;
	const gemp_command *const *commands; /* [count]; the first command runs when the command line names none */
} gemp_command_table;

extern const gemp_command gemp_command_demo, gemp_command_import, gemp_command_generate, gemp_command_info,
	gemp_command_degrees, gemp_command_edges, gemp_command_reverse, gemp_command_components, gemp_command_sort,
	gemp_command_distinct, gemp_command_euler, gemp_command_verify, gemp_command_partition, gemp_command_match,
	gemp_command_devices, gemp_command_help, gemp_command_completion, gemp_command_convert, gemp_command_bench,
	gemp_command_warm, gemp_command_transform, gemp_command_assemble, gemp_command_bfs, gemp_command_sssp,
	gemp_command_pagerank, gemp_command_spmv, gemp_command_som, gemp_command_index;

/* Returns the command called `name`, or NULL. */
const gemp_command *gemp_command_find(const gemp_command_table *table, const char *name);
/* Fails with GEMP_EUSAGE and a message that lists all commands. */
gemp_code gemp_command_unknown(const gemp_command_table *table, const char *name);

/* Fails with GEMP_EUSAGE because of missing or wrong arguments. The message shows all forms of use. */
gemp_code gemp_command_misused(const gemp_command *command);

/* A subcommand is a function that the first argument of a command selects, such as `match` in `bench match`. */
typedef struct gemp_subcommand {
	const char *name;
	size_t min, max; /* number of arguments, including the word */
	gemp_command_function *run;
} gemp_subcommand;

/* Returns the first line of *text and moves *text to the next line. The line has *size bytes and is not ended by 0. */
const char *gemp_next_line(const char **text, int *size);

#endif
