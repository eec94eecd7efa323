/* replay_line: a line of a change log as edits. */
#ifndef GEMP_COMMAND_REPLAY_LINE_H
#define GEMP_COMMAND_REPLAY_LINE_H

#include "changelog/edit.h"
#include "io/lines.h"

#include <jansson.h>

typedef struct gemp_replay_line {
	json_t *root;      /* what edits point into */
	size_t count;
	gemp_edit edits[2]; /* [count]; an edge that moves is deleted, and another created */
	size_t capacity[2]; /* of their attributes */
	gemp_text labels;
} gemp_replay_line; /* {0} holds nothing */

typedef struct gemp_replay_words {
	const gemp_table *vertex_schema, *edge_schema;
	gemp_type keys;
} gemp_replay_words;

/* One object a line. Errors with neither file nor line; *root becomes NULL after one. */
gemp_code gemp_json_line(json_t **root, const char *text, size_t size);
/* Replaces what it held. Errors likewise. */
gemp_code gemp_replay_line_read(gemp_replay_line *line, const gemp_replay_words *words, const char *text, size_t size);
void gemp_replay_line_free(gemp_replay_line *line);

#endif
