/* The first part reads values of parameters. The second part finds places in a text, makes error messages with the line
 * and a caret, and refuses texts that are not UTF-8. */

#include "pattern/model/source.h"

#include "core/memory.h"
#include "core/status.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves *at behind the digits that begin there. Returns false if there are no digits. */
static bool digits(const char **at)
{
	const char *from = *at;
	while (isdigit((unsigned char)**at))
		(*at)++;
	return *at > from;
}

/* True if the text has the form in which integers are printed: no leading zeros and no plus sign. Postal codes with
 * leading zeros stay strings. */
static bool is_integer(const char *text)
{
	text += *text == '-';
	const char *first = text;
	return digits(&text) && !*text && (*first != '0' || first[1] == '\0');
}

/* True for digits with a point, an exponent, or both. */
static bool is_float(const char *text)
{
	text += *text == '-';
	bool whole = digits(&text), point = *text == '.', exponent;
	text += point;
	bool fraction = point && digits(&text);
	exponent = (whole || fraction) && (*text == 'e' || *text == 'E');
	if (exponent) {
		text++;
		text += *text == '-' || *text == '+';
		exponent = digits(&text);
	}
	return !*text && (point ? fraction : whole && exponent);
}

/* The type int was given, so a text that is not an integer is an error instead of a string. */
static gemp_code read_integer(const char *name, const char *text, gemp_value *out)
{
	char *end;
	errno = 0;
	*out = (gemp_value){ .type = GEMP_INTEGER, .integer = strtoll(text, &end, 10) };
	const char *number = text + (*text == '-' || *text == '+');
	if (!digits(&number) || *number || end == text)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: '%s' is not an integer", name, text);
	if (errno == ERANGE)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: %s is beyond the range of 64 bits; as a string write %s:string=%s",
		                 name, text, name, text);
	return GEMP_OK;
}

/* The type float was given, so `1` is a float here. */
static gemp_code read_float(const char *name, const char *text, gemp_value *out)
{
	*out = (gemp_value){ .type = GEMP_FLOAT, .real = strtod(text, NULL) };
	const char *number = text + (*text == '-' || *text == '+');
	const char *whole = number;
	if (!is_float(number) && !(digits(&whole) && !*whole))
		return gemp_fail(GEMP_EUSAGE, "parameter %s: '%s' is not a float such as 0.5 or 1e6", name, text);
	if (!isfinite(out->real))
		return gemp_fail(GEMP_EUSAGE, "parameter %s: %s is beyond the range of a double", name, text);
	return GEMP_OK;
}

/* Only true and false are booleans. 1 and 0 are refused. */
static gemp_code read_boolean(const char *name, const char *text, gemp_value *out)
{
	*out = (gemp_value){ .type = GEMP_BOOLEAN, .truth = strcmp(text, "true") == 0 };
	if (!out->truth && strcmp(text, "false") != 0)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: '%s' is neither true nor false", name, text);
	return GEMP_OK;
}

/* The bytes of the value belong to the copy of the parameter's text. */
static gemp_code read_string(const char *name, const char *text, gemp_value *out)
{
	(void)name;
	*out = (gemp_value){ .type = GEMP_STRING, .string = { text, strlen(text) } };
	return GEMP_OK;
}

/* No type was given, so the form of the value decides: null, booleans and numbers in their plain form. Every other
 * value is a string. */
static gemp_code read_any(const char *name, const char *text, gemp_value *out)
{
	size_t size = strlen(text);
	if (size >= 2 && *text == '\'' && text[size - 1] == '\'') {
		*out = (gemp_value){ .type = GEMP_STRING, .string = { text + 1, size - 2 } };
		return GEMP_OK;
	}
	if (strcmp(text, "null") == 0) {
		*out = (gemp_value){ .type = GEMP_BOOLEAN, .null = true };
		return GEMP_OK;
	}
	return is_integer(text)                                          ? read_integer(name, text, out)
	       : is_float(text)                                          ? read_float(name, text, out)
	       : strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? read_boolean(name, text, out)
	                                                                 : read_string(name, text, out);
}

static const struct {
	const char *name;
	gemp_code (*read)(const char *name, const char *text, gemp_value *out);
} types[] = { { "string", read_string }, { "int", read_integer }, { "float", read_float }, { "bool", read_boolean } };

/* The type's name chooses how the text is read. */
static gemp_code read_typed(const char *name, const char *type, const char *text, gemp_value *out)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].read(name, text, out);
	return gemp_fail(GEMP_EUSAGE, "parameter %s: unknown type '%s'; there are string, int, float and bool", name, type);
}

/* Name and value are parts of one copy of the text, so freeing the name also frees a string value. */
gemp_code gemp_query_parameter_read(gemp_query_parameter *out, const char *text)
{
	const gemp_source source = { "parameter", text };
	*out = (gemp_query_parameter){ 0 };
	GEMP_OWNED char *name = gemp_strdup(text);
	char *equal = name ? strchr(name, '=') : NULL, *colon;
	gemp_value value;
	if (!name)
		return GEMP_ENOMEM;
	GEMP_TRY(gemp_source_check(&source));
	if (!equal || equal == name || *name == ':')
		return gemp_fail(GEMP_EUSAGE, "parameter '%s': write NAME=VALUE or NAME:TYPE=VALUE", text);
	*equal = '\0';
	colon = strchr(name, ':');
	if (colon)
		*colon = '\0';
	GEMP_TRY(colon ? read_typed(name, colon + 1, equal + 1, &value) : read_any(name, equal + 1, &value));
	*out = (gemp_query_parameter){ name, value };
	name = NULL;
	return GEMP_OK;
}

/* The value's bytes are part of the name's block. */
void gemp_query_parameter_free(gemp_query_parameter *parameter)
{
	gemp_free((char *)parameter->name);
	*parameter = (gemp_query_parameter){ 0 };
}

/* SHOWN: maximum number of characters that are shown of a line; BEFORE: of these, before the caret */
enum { SHOWN = 100, BEFORE = 60 };

/* In UTF-8, bytes 10xxxxxx continue a character. */
static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Returns the first byte of the line that contains byte `at`. */
static size_t line_begin(const char *text, size_t at)
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	return at;
}

/* A cursor that is already behind the place starts again at the beginning, so callers should request places in
 * ascending order. */
void gemp_source_move(const gemp_source *source, gemp_cursor *cursor, size_t at)
{
	if (at < cursor->at)
		*cursor = (gemp_cursor){ 0, 1, 1 };
	for (; cursor->at < at && source->text[cursor->at]; cursor->at++) {
		if (source->text[cursor->at] == '\n') {
			cursor->line++;
			cursor->column = 1;
		} else if (!is_continuation(source->text[cursor->at + 1])) {
			cursor->column++;
		}
	}
}

/* For a single place. A caller with many places moves a cursor instead. */
void gemp_source_place(const gemp_source *source, size_t at, int *line, int *column)
{
	gemp_cursor cursor = { 0, 1, 1 };
	gemp_source_move(source, &cursor, at);
	*line = cursor.line;
	*column = cursor.column;
}

/* Returns the byte `count` characters after `at`, but at most the end of the line. */
static size_t forward(const char *text, size_t at, size_t count)
{
	for (; count > 0 && text[at] && text[at] != '\n'; count--) {
		at++;
		while (is_continuation(text[at]))
			at++;
	}
	return at;
}

/* The inverse of gemp_source_place. A column beyond the line gives the line's end. */
size_t gemp_source_offset(const gemp_source *source, int line, int column)
{
	size_t at = 0;
	for (; line > 1 && source->text[at]; at++)
		line -= source->text[at] == '\n';
	return forward(source->text, at, column > 1 ? (size_t)column - 1 : 0);
}

/* Returns the byte `count` characters before `at`, but at least `begin`. */
static size_t backward(const char *text, size_t begin, size_t at, size_t count)
{
	for (; count > 0 && at > begin; count--) {
		at--;
		while (at > begin && is_continuation(text[at]))
			at--;
	}
	return at;
}

/* Appends the line with a caret below byte `at`. A long line is cut on both sides. The line of the caret repeats the
 * tabs, so that the caret is in the right column. */
static void show_line(const gemp_source *source, size_t at, gemp_text *out)
{
	const char *text = source->text;
	size_t begin = line_begin(text, at), from = backward(text, begin, at, BEFORE), to = forward(text, from, SHOWN);
	gemp_text_print(out, "\n  %s", from > begin ? "..." : "");
	for (size_t i = from; i < to; i++)
		gemp_text_add(out, (unsigned char)text[i] < ' ' && text[i] != '\t' ? "?" : text + i, 1);
	gemp_text_print(out, "%s\n  %s", text[to] && text[to] != '\n' ? "..." : "", from > begin ? "   " : "");
	for (size_t i = from; i < at; i++)
		if (!is_continuation(text[i]))
			gemp_text_add(out, text[i] == '\t' ? "\t" : " ", 1);
	gemp_text_add(out, "^", 1);
}

/* Editors parse the form FILE:line:column. For a query from the command line, FILE is `query`. */
gemp_code gemp_source_vfail(const gemp_source *source, size_t at, const char *format, va_list arguments)
{
	char message[1024];
	vsnprintf(message, sizeof message, format, arguments);
	int line, column;
	gemp_source_place(source, at, &line, &column);
	GEMP_OWNED_BY(gemp_text_free) gemp_text shown = { 0 };
	show_line(source, at, &shown);
	GEMP_TRY(gemp_text_status(&shown));
	return gemp_fail(GEMP_EUSAGE, "%s:%d:%d: %s%s", source->file ? source->file : "query", line, column, message,
	                 shown.data);
}

/* Callers with a va_list use gemp_source_vfail. */
gemp_code gemp_source_fail(const gemp_source *source, size_t at, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	gemp_code code = gemp_source_vfail(source, at, format, arguments);
	va_end(arguments);
	return code;
}

/* A shape has no lines, so its message begins with the text of the shape. */
gemp_code gemp_source_fail_at(const gemp_source *source, int line, int column, const char *format, ...)
{
	char message[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	if (line > 0)
		return gemp_source_fail(source, gemp_source_offset(source, line, column), "%s", message);
	return gemp_fail(GEMP_EUSAGE, "%s: %s", source->text, message);
}

/* Returns the length of the UTF-8 character that begins here, or 0 if it is invalid by RFC 3629: a surrogate, an
 * overlong form, or beyond U+10FFFF. */
static size_t utf8_length(const unsigned char *at)
{
	unsigned lead = at[0];
	size_t length = lead < 0x80                   ? 1
	                : lead >= 0xC2 && lead < 0xE0 ? 2
	                : (lead & 0xF0) == 0xE0       ? 3
	                : lead >= 0xF0 && lead < 0xF5 ? 4
	                                              : 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xC0) != 0x80)
			return 0;
	bool overlong = (lead == 0xE0 && at[1] < 0xA0) || (lead == 0xF0 && at[1] < 0x90);
	bool surrogate = lead == 0xED && at[1] >= 0xA0, beyond = lead == 0xF4 && at[1] >= 0x90;
	return overlong || surrogate || beyond ? 0 : length;
}

/* The lexer works on bytes and assumes valid UTF-8. An unchecked text could end inside a character. */
gemp_code gemp_source_check(const gemp_source *source)
{
	size_t at = 0;
	while (source->text[at]) {
		unsigned char byte = (unsigned char)source->text[at];
		size_t length = utf8_length((const unsigned char *)source->text + at);
		if (length == 0)
			return gemp_source_fail(source, at, "the byte 0x%02X is not UTF-8; save the query as UTF-8", byte);
		if ((byte < ' ' && !strchr("\t\n\r", byte)) || byte == 0x7F)
			return gemp_source_fail(source, at, "the control character 0x%02X cannot stand in a query", byte);
		at += length;
		if (at > GEMP_MAX_QUERY)
			return gemp_fail(GEMP_EUSAGE, "%s: the query is longer than %d bytes",
			                 source->file ? source->file : "query", GEMP_MAX_QUERY);
	}
	return GEMP_OK;
}
