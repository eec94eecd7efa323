/* cells: cuts a record of a text file into cells in place, reads the values of cells, and escapes texts for the formats
 * that are written.
 *
 * Cells are slices of the record and are valid as long as it is. CSV is unquoted within the record, whose bytes change.
 */

#ifndef GEMP_IO_TEXT_CELLS_H
#define GEMP_IO_TEXT_CELLS_H

#include "core/text.h"
#include "graph/column.h"

#include <string.h>
#include <strings.h>

/* A slice of the record. */
typedef struct gemp_text_cell {
	const char *bytes;
	size_t size;
	bool null; /* empty; in CSV only if not quoted */
} gemp_text_cell;

/* Is the cell this word, in upper or lower case? */
static inline bool gemp_cell_is(const gemp_text_cell *cell, const char *word)
{
	return strlen(word) == cell->size && strncasecmp(cell->bytes, word, cell->size) == 0;
}

/* Grows to the widest record. {0} is empty. */
typedef struct gemp_cells {
	gemp_text_cell *cell; /* [count] */
	size_t count, capacity;
} gemp_cells;

void gemp_cells_free(gemp_cells *cells);

/* Bytes of a longer text, which it borrows. */
typedef struct gemp_slice {
	const char *bytes;
	size_t size;
} gemp_slice;

/* [begin, end) without the blanks (space, tab, ends of lines) around it. */
static inline gemp_slice gemp_trimmed(const char *begin, const char *end)
{
	while (begin < end && (*begin == ' ' || (*begin >= '\t' && *begin <= '\r')))
		begin++;
	while (begin < end && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r')))
		end--;
	return (gemp_slice){ begin, (size_t)(end - begin) };
}

/* A string as a value, borrowed. */
static inline gemp_value gemp_string_value(const char *bytes, size_t size)
{
	return (gemp_value){ .type = GEMP_STRING, .string = { bytes, size } };
}

/* Each replaces the content of `cells`; the caller puts file and line in front of messages. */
gemp_code gemp_cells_tsv(gemp_cells *cells, const char *record, size_t size);    /* tabs, no quoting */
gemp_code gemp_cells_csv(gemp_cells *cells, char *record, size_t size);          /* RFC 4180; unquotes in the record */
gemp_code gemp_cells_blanks(gemp_cells *cells, const char *record, size_t size); /* words between blanks and tabs */

/* The first byte that is not UTF-8 (or is 0, which no text has); size if there is none. */
size_t gemp_utf8_check(const char *bytes, size_t size);
/* GEMP_EDATA that names byte and column if there is one; with neither file nor line. */
gemp_code gemp_utf8_require(const char *bytes, size_t size);

/* VALUES: the text of a cell as a value, and the types that a text looks like.
 *
 * Inference is strict, so an inferred column prints back unchanged; reading a stated type accepts more forms.
 */

/* The types that a text looks like; an integer looks like a float, too. Integers are canonical (no +, no leading zeros,
 * no -0) and of any length; floats are JSON's numbers, and NaN, which reading then refuses; booleans are true, True,
 * TRUE and so on. */
enum { GEMP_LOOKS_INTEGER = 1, GEMP_LOOKS_FLOAT = 2, GEMP_LOOKS_BOOLEAN = 4, GEMP_LOOKS_ALL = 7 };
unsigned gemp_scalar_looks(const char *text, size_t size);

/* Reads a text as a value of the type; more forms are read than inferred: +7, 007, .5, inf, and 0 and 1 as booleans. A
 * string is borrowed. The caller puts file and line in front of the message of GEMP_EDATA. */
gemp_code gemp_scalar_read(gemp_value *out, gemp_type type, const char *text, size_t size);

/* The id of a vertex where its type is not stated: an integer if the text is one in canonical form and of 64 bits, else
 * a string, which is borrowed. */
gemp_value gemp_scalar_key(const char *text, size_t size);

/* The type that has this name. names[type]: its names, separated by blanks. */
bool gemp_type_named(gemp_type *out, const char *const names[GEMP_LIST], bool any_case, const char *name, size_t size);
/* The type of the name: int, integer, float, string, bool, boolean. */
bool gemp_scalar_type(gemp_type *out, const char *name, size_t size);

/* ESCAPES: bytes as text formats need them. A text that a format cannot hold is GEMP_EDATA; the message says why,
 * without file and place, and names a format that can hold it. */

/* TSV has no quoting: tabs, line ends and 0 bytes are refused, and an empty string, since an empty field is NULL. */
gemp_code gemp_escape_tsv(gemp_text *out, const char *bytes, size_t size);
/* RFC 4180: quoted where it must be; an empty string is "". */
void gemp_escape_csv(gemp_text *out, const char *bytes, size_t size);
/* For an element's text and for an attribute in double quotes. XML has no control characters: they are refused. */
gemp_code gemp_escape_xml(gemp_text *out, const char *bytes, size_t size);
/* With its quotes, as a name or a label of Graphviz. */
void gemp_escape_dot(gemp_text *out, const char *bytes, size_t size);

#endif
