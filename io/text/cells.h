/* cells: cuts a record of a text file into cells, reads the values of cells, and escapes texts for the formats that the
 * program writes.
 *
 * A cell is a slice of its record and is valid as long as the record. Unquoting CSV changes the bytes of the record. */

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
	bool null; /* the cell is empty and, in CSV, not quoted */
} gemp_text_cell;

/* Compares the cell with the word without regard to case. */
static inline bool gemp_cell_is(const gemp_text_cell *cell, const char *word)
{
	return strlen(word) == cell->size && strncasecmp(cell->bytes, word, cell->size) == 0;
}

/* The cells of one record, reused for the next record. {0} is empty. */
typedef struct gemp_cells {
	gemp_text_cell *cell; /* [count] */
	size_t count, capacity;
} gemp_cells;

void gemp_cells_free(gemp_cells *cells);

/* A part of a text, whose bytes it borrows. */
typedef struct gemp_slice {
	const char *bytes;
	size_t size;
} gemp_slice;

/* Removes the white space at both ends of [begin, end). */
static inline gemp_slice gemp_trimmed(const char *begin, const char *end)
{
	while (begin < end && (*begin == ' ' || (*begin >= '\t' && *begin <= '\r')))
		begin++;
	while (begin < end && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r')))
		end--;
	return (gemp_slice){ begin, (size_t)(end - begin) };
}

/* A string value that borrows its bytes. */
static inline gemp_value gemp_string_value(const char *bytes, size_t size)
{
	return (gemp_value){ .type = GEMP_STRING, .string = { bytes, size } };
}

/* Each function replaces the content of `cells`. The caller adds file and line to messages. */
gemp_code gemp_cells_tsv(gemp_cells *cells, const char *record, size_t size); /* tabs, no quoting */
/* RFC 4180; changes the record's bytes */
gemp_code gemp_cells_csv(gemp_cells *cells, char *record, size_t size);
/* words that blanks and tabs separate */
gemp_code gemp_cells_blanks(gemp_cells *cells, const char *record, size_t size);

/* The index of the first byte that is 0 or not valid UTF-8; size if there is none. */
size_t gemp_utf8_check(const char *bytes, size_t size);
/* GEMP_EDATA if the text is not UTF-8. The message names byte and column; the caller adds file and line. */
gemp_code gemp_utf8_require(const char *bytes, size_t size);

/* VALUES: the text of a cell as a value, and the types that a text looks like.
 *
 * Inference accepts only the common forms of a value. Reading a value of a stated type accepts more forms than
 * inference does. */

/* The types that a text looks like, as a set of bits. An integer looks like a float, too. Integers are canonical (no +,
 * no leading zeros, no -0) and of any length. Floats are JSON's numbers and NaN, which gemp_scalar_read refuses later.
 * Booleans are true and false, without regard to case. */
enum { GEMP_LOOKS_INTEGER = 1, GEMP_LOOKS_FLOAT = 2, GEMP_LOOKS_BOOLEAN = 4, GEMP_LOOKS_ALL = 7 };
unsigned gemp_scalar_looks(const char *text, size_t size);

/* Reads a text as a value of the type. It accepts more forms than inference: +7, 007, .5, inf, and 0 and 1 as booleans.
 * A string value borrows the text. GEMP_EDATA: the text has no such value; the caller adds file and line to the
 * message. */
gemp_code gemp_scalar_read(gemp_value *out, gemp_type type, const char *text, size_t size);

/* The id of a vertex in a column without a stated type. A canonical integer of 64 bits becomes an integer; any other
 * text becomes a string, which borrows the text. */
gemp_value gemp_scalar_key(const char *text, size_t size);

/* Finds the type with the given name. names[type]: the names of a type, separated by blanks. False if no type has the
 * name. */
bool gemp_type_named(gemp_type *out, const char *const names[GEMP_LIST], bool any_case, const char *name, size_t size);
/* Finds the type for one of the names int, integer, float, string, bool and boolean, in any case. */
bool gemp_scalar_type(gemp_type *out, const char *name, size_t size);

/* ESCAPES: texts as the text formats need them. A text that a format cannot hold is GEMP_EDATA. The message gives the
 * reason and a format that can hold the text; the caller adds the place. */

/* TSV has no quoting, so tabs, line ends and 0 bytes are refused. An empty string is refused, too, since an empty field
 * is NULL. */
gemp_code gemp_escape_tsv(gemp_text *out, const char *bytes, size_t size);
/* Quotes as in RFC 4180, where necessary. An empty string is "". */
void gemp_escape_csv(gemp_text *out, const char *bytes, size_t size);
/* For the text of an element and for an attribute in double quotes. Control characters other than tabs and line ends
 * are refused, since XML cannot hold them. Text that is not UTF-8 is refused, too. */
gemp_code gemp_escape_xml(gemp_text *out, const char *bytes, size_t size);
/* A name or label of Graphviz, with its quotes. */
void gemp_escape_dot(gemp_text *out, const char *bytes, size_t size);

#endif
