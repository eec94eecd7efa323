/* option: an entry of the table of options, and searches in the table.
 *
 * One table (option_table.c and its parts) drives parsing, --help, --config, completion, the manual and the field
 * `options` of --json. */

#ifndef GEMP_CLI_OPTIONS_OPTION_H
#define GEMP_CLI_OPTIONS_OPTION_H

#include "cli/options/command.h"

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
	bool input;               /* the value names a file that the command reads; see gemp_config_apply */
	const char *help;
} gemp_option;

/* Returns the table, followed by the parameters of all generators. Each parameter name occurs once. */
const gemp_option *gemp_option_table(size_t *count);

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
