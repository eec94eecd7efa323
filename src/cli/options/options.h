/* options: one table of options drives parsing, --help, --config, completion, the manual and the echo in --json.
 *
 * Values come from the table's defaults, then from --config, then from the command line; the last one wins. A list is
 * what the command line gives, or else what the configuration gives.
 */

#ifndef GEMP_CLI_OPTIONS_OPTIONS_H
#define GEMP_CLI_OPTIONS_OPTIONS_H

#include "cli/options/command.h"

/* The command called `name`, or NULL. */
const gemp_command *gemp_command_find(const gemp_command_table *table, const char *name);
/* GEMP_EUSAGE that lists the commands there are. */
gemp_code gemp_command_unknown(const gemp_command_table *table, const char *name);

enum { GEMP_MAX_OPTIONS = 256 };

typedef enum gemp_option_kind {
	GEMP_OPTION_FLAG,         /* bool; in a configuration `true` or `false` */
	GEMP_OPTION_TEXT,         /* const char * */
	GEMP_OPTION_LIST,         /* gemp_list: may be repeated */
	GEMP_OPTION_COUNT,        /* uint64_t */
	GEMP_OPTION_SIZE,         /* uint64_t, bytes */
	GEMP_OPTION_REAL,         /* double */
	GEMP_OPTION_CHOICE,       /* int: which of the words in `value` */
	GEMP_OPTION_SIZE_OR_WORD, /* int64_t: bytes, or minus a word's place (none|auto|all|SIZE: 0, -1, -2) */
	GEMP_OPTION_PARAMETER,    /* of a generator: stays in `given` for gemp_generate_set */
} gemp_option_kind;

typedef struct gemp_option {
	const char *name;
	char letter; /* 0: none */
	gemp_option_kind kind;
	const char *value;        /* as help calls it: FILE, N, SIZE, or words joined by | */
	const char *default_text; /* default, parsed like any other value; NULL: zero, empty */
	unsigned commands;        /* gemp_taken_by, together */
	const char *group;        /* heading in help */
	size_t offset;            /* of its field in gemp_options */
	bool positive;            /* 0 is refused */
	const char *help;
} gemp_option;

/* The table, and a parameter of each name that generators take. */
const gemp_option *gemp_option_table(size_t *count);

typedef struct gemp_list {
	size_t count, capacity;
	const char **items; /* [count] borrowed from `given` */
} gemp_list;

/* One option as it was given. */
typedef struct gemp_option_value {
	const gemp_option *option;
	char *text;  /* owned; "true" or "false" for a flag */
	char *place; /* owned; "file:line" in a configuration; NULL: command line */
} gemp_option_value;

typedef struct gemp_options {
	const gemp_command *command;
	const gemp_command_table *table;
	size_t argument_count;
	char **arguments; /* [argument_count] owned */
	size_t value_count, value_capacity, configured_count;
	gemp_option_value *values; /* [value_count] the configuration's [configured_count], then the command line's */

	char *as_given; /* owned: the command with what shapes its result, for the provenance of files */

	/* THE FIELDS that the table sets. An int is the number of a word in the list of its option. */

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
	/* info, partition, help, completion */
	bool schema;
	uint64_t parts;
	int method;
	int as;
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
	int value_type; /* 0: auto; else a type of numbers, and 1 */
	bool descending;
	/* som: words of the lists in gemp/types.h */
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

/* Collective (rank 0 reads the configuration). argv[0] is not looked at. */
gemp_code gemp_options_new(gemp_options **out, const gemp_context *context, const gemp_command_table *table,
                           const gemp_command *command, int argc, char **argv);
void gemp_options_free(gemp_options *options);

bool gemp_options_has(const gemp_options *options, const char *name);
/* The index-th of the words joined by | in `value`; its size in *size; NULL past the last. */
const char *gemp_option_word(const char *value, size_t index, size_t *size);
/* The option of that name that the command takes, or NULL. command NULL: any command's. */
const gemp_option *gemp_option_find(const char *name, const gemp_command *command);

#endif
