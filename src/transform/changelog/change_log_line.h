/* change_log_line: parses a line of a change log from JSON into edits (edit.h). A moved edge becomes two edits, a
 * deletion and a creation. */

#ifndef GEMP_TRANSFORM_CHANGELOG_CHANGE_LOG_LINE_H
#define GEMP_TRANSFORM_CHANGELOG_CHANGE_LOG_LINE_H

#include "transform/changelog/edit.h"

#include <jansson.h>

typedef struct gemp_change_log_line {
	json_t *root; /* the JSON tree into which edits point */
	size_t count;
	gemp_edit edits[2]; /* [count] */
	gemp_text labels;
} gemp_change_log_line; /* {0} is an empty line */

/* The attributes and the key type of the new graph. They determine the types of the values. */
typedef struct gemp_change_log_schema {
	const gemp_table *vertex_schema, *edge_schema;
	gemp_type keys;
} gemp_change_log_schema;

/* Parses a line, which is one JSON object. Messages contain neither file nor line. After an error *root is NULL. */
gemp_code gemp_change_log_json(json_t **root, const char *text, size_t size);
/* Parses a line into edits, which replace the edits of the previous line. Messages contain neither file nor line. */
gemp_code gemp_change_log_line_read(gemp_change_log_line *line, const gemp_change_log_schema *schema, const char *text,
                                    size_t size);
void gemp_change_log_line_free(gemp_change_log_line *line);

#endif
