/* options: the subcommands of gemp-mpi, and the options that they accept.
 *
 * A subcommand is one gemp_command. Its function maps options to settings of the library and calls the library. main.c
 * lists all subcommands in the order of the help. Subcommands that use the same header of include/gemp share a file of
 * src/cli:
 *
 *     graph.c      import, generate, info, verify, partition, convert
 *     index.c      index
 *     match.c      match, demo, transform
 *     analytics.c  degrees, edges, reverse, components, bfs, sssp, pagerank, spmv, sort, distinct
 *     euler.c      euler, assemble
 *     som.c        som train, som apply, som draw
 *     bench.c      bench match, bench tune, bench device, bench shuffle; devices; warm
 *     help/        help, completion
 *
 * One table of options (option_table.c) drives parsing, --help, --config, completion, the manual and the field `options`
 * of --json. The value of an option is the default of the table, unless --config sets it; a value on the command line
 * replaces both. A list on the command line replaces the list of the configuration.
 */

#ifndef GEMP_CLI_OPTIONS_OPTIONS_H
#define GEMP_CLI_OPTIONS_OPTIONS_H

#include "core/memory.h"

#include <gemp/gemp.h>

/* Owners that close a handle of the library when their scope ends (core/memory.h):
 *
 *     GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
 *
 * A scope releases its owners in the reverse order of their declarations, so handles are declared in the order in which
 * they are opened.
 */
GEMP_RELEASE(gemp_array_close, gemp_array *)
GEMP_RELEASE(gemp_columns_close, gemp_columns *)
GEMP_RELEASE(gemp_context_close, gemp_context *)
GEMP_RELEASE(gemp_graph_close, gemp_graph *)
GEMP_RELEASE(gemp_query_close, gemp_query *)
GEMP_RELEASE(gemp_report_close, gemp_report *)
GEMP_RELEASE(gemp_rules_close, gemp_rules *)
GEMP_RELEASE(gemp_som_model_close, gemp_som_model *)
GEMP_RELEASE(gemp_text_release, char *)

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

enum { GEMP_MAX_OPTIONS = 256 };

typedef enum gemp_option_kind {
	GEMP_OPTION_FLAG,   /* bool; a configuration has `true` or `false` */
	GEMP_OPTION_TEXT,   /* const char * */
	GEMP_OPTION_LIST,   /* gemp_list; the option may be repeated */
	GEMP_OPTION_COUNT,  /* uint64_t */
	GEMP_OPTION_SIZE,   /* uint64_t, bytes */
	GEMP_OPTION_REAL,   /* double */
	GEMP_OPTION_CHOICE, /* int: the index of a choice in `value` */
	/* int64_t: a number of bytes, or minus the index of a choice (none|auto|all|SIZE: 0, -1, -2) */
	GEMP_OPTION_SIZE_OR_WORD,
	/* parameter of a generator, which has no field; gemp_graph_generate gets the text in `values` */
	GEMP_OPTION_PARAMETER,
} gemp_option_kind;

typedef struct gemp_option {
	const char *name;
	char letter; /* 0: none */
	gemp_option_kind kind;
	const char *value;        /* text for help: FILE, N, SIZE, or choices joined by | */
	const char *default_text; /* parsed like any other value; NULL: the field is 0, NULL or an empty list */
	unsigned commands;        /* the gemp_command_bit of each command that accepts the option */
	const char *group;        /* heading in help */
	size_t offset;            /* offset of the field in gemp_options */
	bool positive;            /* the value 0 is an error */
	const char *help;
} gemp_option;

/* Returns the table, followed by the parameters of all generators. Each parameter name occurs once. */
const gemp_option *gemp_option_table(size_t *count);

typedef struct gemp_list {
	size_t count, capacity;
	const char **items; /* [count]; the strings are borrowed from `values` */
} gemp_list;

/* An option and its text, as the user gave them. */
typedef struct gemp_option_value {
	const gemp_option *option;
	char *text;  /* owned; "true" or "false" for a flag */
	char *place; /* owned; "file:line" in a configuration; NULL: the option is on the command line */
} gemp_option_value;

typedef struct gemp_options {
	const gemp_command *command;
	const gemp_command_table *table;
	size_t argument_count;
	char **arguments; /* [argument_count] owned */
	size_t value_count, value_capacity, configured_count;
	gemp_option_value *values; /* [value_count]; the first configured_count come from the configuration */

	char *as_given; /* owned: the command with the options that determine the graph, for the provenance of files */

	/* FIELDS that the table sets. An int field is the index of a choice of its option. */

	/* general */
	bool help, version, quiet, verbose, debug, dry_run;
	const char *config, *json, *trace, *devices, *output;
	/* budgets */
	uint64_t host_memory, device_memory, result_buffer, outbox, row_cache;
	/* import, generate */
	gemp_list vertex_files, edge_files;
	int format, parallel;
	bool undirected;
	uint64_t seed, relabel_seed;
	const char *default_label, *default_type, *metamodel;
	/* convert */
	int export_format;
	const char *only_type, *weight;
	bool compress; /* the graph file that is written */
	/* info, partition, help, completion */
	bool schema;
	uint64_t parts;
	int method, as;
	/* match */
	const char *changes, *dot;
	const char *query_file, *query_graph, *query_labels, *pattern, *subgraph, *order, *count_per, *checkpoint;
	gemp_list parameters;
	bool lenient;
	int semantics, distinct, symmetry, count_by, pivot, attributes, exchange, choose, rematch;
	int on; /* a gemp_placement */
	int64_t replicate;
	bool count, explain, profile, estimate, resume;
	double estimate_seconds, max_time;
	uint64_t limit, lanes, combinations, max_steps;
	double launch_factor;
	/* index */
	gemp_list index_rows, index_values;
	bool drop;
	/* assemble */
	uint64_t kmer, min_count;
	int strands, copies;
	const char *unitigs, *gfa;
	/* euler */
	gemp_list only_relations;
	const char *tree;
	bool path, verify_order, sequence, circular;
	const char *alphabet;
	uint64_t word_length;
	/* bfs, sssp, pagerank, spmv */
	const char *source, *into, *column, *personalization, *vector;
	gemp_list sources;
	int direction, precision, pass, gather, cut;
	bool transpose, normalize;
	uint64_t max_iterations;
	double delta, damping, tolerance;
	/* sort, distinct */
	int value_type; /* 0: auto; otherwise a gemp_number_type plus 1 */
	bool descending;
	/* som: the ints are indices into the lists of gemp/types.h */
	const char *features, *map_size, *key_column, *labels_file;
	int grid, topology, metric, neighbourhood, cooling, training, start, scaling;
	uint64_t epochs, save_every;
	double radius, radius_end, rate, rate_end;
	bool no_quality;
	gemp_list shown;
	/* bench */
	gemp_list patterns, query_graphs;
	uint64_t repeat, tuples;
	const char *tuple_sizes, *ranges;
	int shuffle_method, destinations;
	double seconds;
} gemp_options;

/* Returns the subcommand that the first argument names if it accepts the number of arguments, otherwise NULL. */
const gemp_subcommand *gemp_subcommand_find(const gemp_subcommand *list, size_t count, const gemp_options *options);

/* Local, so it may be called before MPI is initialised. Parses the command line; argv[0] is ignored. The fields are
 * set unless there is a configuration to be read first. The caller frees *out. */
gemp_code gemp_options_parse(gemp_options **out, const gemp_command_table *table, const gemp_command *command, int argc,
                             char **argv);
/* Collective. Rank 0 reads the configuration of --config, if there is one. All ranks set the fields. */
gemp_code gemp_options_configure(gemp_options *options, const gemp_context *context);
void gemp_options_free(gemp_options *options);

/* Returns true if the command line or the configuration has the option. */
bool gemp_options_has(const gemp_options *options, const char *name);
/* GEMP_EUSAGE with the message "--NAME WHY" if one of the options in `names` was given. The names are joined by |. */
gemp_code gemp_options_refuse(const gemp_options *options, const char *names, const char *why);

/* Returns the index of `word` in `words`, which are joined by |, or -1. */
int gemp_word_index(const char *words, const char *word);
/* Returns word number `index`, which has *size bytes, or NULL if there are fewer words. */
const char *gemp_word_at(const char *words, size_t index, size_t *size);
/* Returns the next option of a command from *index on, and moves *index behind it. Returns NULL after the last option.
 * If `command` is NULL, the options of all commands are returned. */
const gemp_option *gemp_option_next(const gemp_command *command, size_t *index);
/* Returns the option called `name` that the command accepts, or NULL. If `command` is NULL, any command may accept
 * it. */
const gemp_option *gemp_option_find(const char *name, const gemp_command *command);

#endif
