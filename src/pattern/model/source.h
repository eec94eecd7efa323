/* source: the text of a query, places in the text, error messages that show the line with a caret, and the values of
 * $parameters.
 *
 * A place is a byte offset, or a line and a column. Columns count characters of UTF-8, as editors do. The syntax tree
 * replaces a parameter by a literal with its value. So later steps need not handle parameters, and the text of a value
 * never becomes part of a query's text. */

#ifndef GEMP_PATTERN_MODEL_SOURCE_H
#define GEMP_PATTERN_MODEL_SOURCE_H

#include "graph/column.h"

#include <stdarg.h>

typedef struct gemp_source {
	const char *file; /* NULL: the command line */
	const char *text;
} gemp_source;

/* Sets line and column of a byte, both from 1. Columns count characters, not bytes. */
void gemp_source_place(const gemp_source *source, size_t at, int *line, int *column);

/* A place that moves forward through the text. A cursor begins as {0, 1, 1}. All places of a text in ascending order
 * cost one pass together. */
typedef struct gemp_cursor {
	size_t at;
	int line, column;
} gemp_cursor;
void gemp_source_move(const gemp_source *source, gemp_cursor *cursor, size_t at);

/* Returns GEMP_EUSAGE with the message "FILE:line:column: message", the line, and a caret below the place. */
gemp_code gemp_source_fail(const gemp_source *source, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
gemp_code gemp_source_vfail(const gemp_source *source, size_t at, const char *format, va_list arguments);
/* Like gemp_source_fail, with a place by line and column. If line is 0, the message has the text instead of a place. */
gemp_code gemp_source_fail_at(const gemp_source *source, int line, int column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Returns the byte offset of the character at line:column. */
size_t gemp_source_offset(const gemp_source *source, int line, int column);

/* Returns GEMP_EUSAGE if the text is not UTF-8, has control characters other than tab and line ends, or is longer than
 * GEMP_MAX_QUERY bytes. */
gemp_code gemp_source_check(const gemp_source *source);
enum { GEMP_MAX_QUERY = 1 << 20 };

/* PARAMETERS */

typedef struct gemp_query_parameter {
	const char *name;
	gemp_value value; /* strings borrowed */
} gemp_query_parameter;

/* Reads `name=value` or `name:type=value`, where type is string, int, float or bool. Without a type the form of the
 * value decides: an integer, a float, true, false or null. Every other value is a string. 'quotes' make any value a
 * string. Errors are GEMP_EUSAGE and name the parameter. The parameter owns its name and strings; free it with
 * gemp_query_parameter_free. */
gemp_code gemp_query_parameter_read(gemp_query_parameter *out, const char *text);
void gemp_query_parameter_free(gemp_query_parameter *parameter);

#endif
