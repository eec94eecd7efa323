/* option_list: the table of options in parts, in the order of the help.
 *
 * An option is one entry of a part and one field of gemp_options. An entry has, in this order: name, letter, kind,
 * value in the form that help shows, default, commands that accept the option, heading in help, field, and help text.
 * Options of different commands may have the same name and different meanings (--weight, --seed). No command accepts
 * two options of one name, which tests/unit/cli_options.c checks. Help lists the options in the order of the table; all
 * options of a command with the same heading must follow one another. */

#ifndef GEMP_CLI_OPTIONS_OPTION_LIST_H
#define GEMP_CLI_OPTIONS_OPTION_LIST_H

#include "cli/options/options.h"

#include <stddef.h>

typedef struct gemp_option_part {
	const gemp_option *options; /* [count] */
	size_t count;
} gemp_option_part;

extern const gemp_option_part gemp_options_input, gemp_options_search, gemp_options_output, gemp_options_models,
	gemp_options_general;

/* The field that an option sets. For POSITIVE options a given 0 is an error, so a 0 in the field means that the option
 * is not given. INPUT options name files that the command reads (config.h). */
#define AT(field) offsetof(gemp_options, field), false, false
#define POSITIVE(field) offsetof(gemp_options, field), true, false
#define INPUT(field) offsetof(gemp_options, field), false, true

/* Groups of commands with common options. ON_REPORT commands have --json, --trace, --config and --quiet.
 * ON_HOST_OR_DEVICE commands can use threads or a device. ON_DEVICE commands have the budgets of a search. */
enum {
	ON_ALL = (1 << 28) - 1, /* all bits of gemp_command_bit */
	ON_GRAPH = GEMP_ON_INFO | GEMP_ON_VERIFY | GEMP_ON_PARTITION | GEMP_ON_MATCH | GEMP_ON_CONVERT | GEMP_ON_TRANSFORM |
	           GEMP_ON_INDEX,
	ON_MAKE = GEMP_ON_IMPORT | GEMP_ON_GENERATE,
	ON_RUN = GEMP_ON_DEMO | GEMP_ON_MATCH,
	ON_DEVICE = ON_RUN | GEMP_ON_TRANSFORM,
	ON_SEARCH = GEMP_ON_MATCH | GEMP_ON_BENCH,
	ON_ARRAYS = GEMP_ON_SORT | GEMP_ON_DISTINCT,
	ON_TOPOLOGY = GEMP_ON_DEGREES | GEMP_ON_EDGES | GEMP_ON_REVERSE | GEMP_ON_COMPONENTS,
	ON_HOST_OR_DEVICE = ON_ARRAYS | ON_TOPOLOGY | GEMP_ON_EULER,
	ON_SEARCH_FROM = GEMP_ON_BFS | GEMP_ON_SSSP,
	ON_SUMS = GEMP_ON_PAGERANK | GEMP_ON_SPMV,
	ON_ANALYSIS = ON_SEARCH_FROM | ON_SUMS,
	ON_REPORT = ON_GRAPH | ON_MAKE | GEMP_ON_DEMO | GEMP_ON_DEVICES | GEMP_ON_BENCH | ON_HOST_OR_DEVICE |
	            GEMP_ON_ASSEMBLE | ON_ANALYSIS | GEMP_ON_SOM | GEMP_ON_WARM,
};

/* Headings of help. */
#define OF_INPUT "Input"
#define OF_QUERY "Query"
#define OF_MEANING "What a match is"
#define OF_SEARCH "Search"
#define OF_OUTPUT "Output"
#define OF_BUDGETS "Device and memory"
#define OF_GENERAL "General"

#endif
