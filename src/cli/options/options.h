/* options: the command line, or a command line and a configuration, as fields.
 *
 * The value of an option is the default of the table (option.h), unless --config sets it; a value on the command line
 * replaces both. A list on the command line replaces the list of the configuration. */

#ifndef GEMP_CLI_OPTIONS_OPTIONS_H
#define GEMP_CLI_OPTIONS_OPTIONS_H

#include "cli/options/option.h"
#include "core/memory.h"

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
	bool help, version, quiet, verbose, debug, dry_run, trust;
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
	const char *changes, *rows, *draw, *dot, *svg;
	const char *query, *query_file, *query_graph, *query_labels, *pattern, *subgraph, *order, *count_per, *checkpoint;
	gemp_list parameters;
	bool lenient;
	int semantics, distinct, symmetry, count_by, pivot, attributes, attribute_copies, exchange, choose, rematch;
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
	const char *source, *into, *column, *personalization, *vector, *shown_attribute;
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
	uint64_t repeat, tuples, iterations;
	const char *tuple_sizes, *ranges;
	int shuffle_method, destinations, application;
	double seconds;
} gemp_options;

/* Returns the subcommand that the first argument names if it accepts the number of arguments, otherwise NULL. */
const gemp_subcommand *gemp_subcommand_find(const gemp_subcommand *list, size_t count, const gemp_options *options);

/* Local, so it may be called before MPI is initialised. Parses the command line; argv[0] is ignored. The fields are
 * set unless there is a configuration to be read first. The caller frees *out. */
gemp_code gemp_options_parse(gemp_options **out, const gemp_command_table *table, const gemp_command *command, int argc,
                             char **argv);
/* Returns the path of the configuration that must be read before the fields are set, or NULL. */
const char *gemp_options_config(const gemp_options *options);
/* Sets all fields, from the defaults and the kept texts, and checks the number of arguments. Called once. */
gemp_code gemp_options_set(gemp_options *options);
void gemp_options_free(gemp_options *options);

/* Keeps a copy of the text of an option until gemp_options_set. `place` is its place in the configuration, or NULL for
 * the command line, which is parsed first. */
gemp_code gemp_options_keep(gemp_options *options, const gemp_option *option, const char *text, const char *place);
/* GEMP_EUSAGE for an option that the command does not accept. If other commands accept the option, the message names
 * them; otherwise it shows a similar name. `place` is "" or "file:line: ". `dashes` is "--" if they belong to the
 * name. */
gemp_code gemp_options_refuse_unknown(const gemp_options *options, const char *place, const char *dashes,
                                      const char *name);

/* Returns true if the command line or the configuration has the option. */
bool gemp_options_has(const gemp_options *options, const char *name);
/* GEMP_EUSAGE with the message "--NAME WHY" if one of the options in `names` was given. The names are joined by |. */
gemp_code gemp_options_refuse(const gemp_options *options, const char *names, const char *why);

#endif
