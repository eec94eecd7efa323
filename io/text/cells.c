/* Records are cut in place, and cells are slices of the record. UTF-8 is checked by table 3-7 of the Unicode standard:
 * no overlong forms, no surrogates, no character beyond U+10FFFF. Inference of types only classifies a text, since it
 * visits every cell of a table. Values are converted later, when the types are known. Escaping copies each run of
 * ordinary bytes at once. */

#include "io/text/cells.h"

#include "core/memory.h"
#include "core/status.h"
#include "partition/build/dictionary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void gemp_cells_free(gemp_cells *cells)
{
	gemp_free(cells->cell);
	*cells = (gemp_cells){ 0 };
}

/* A cell borrows its bytes from the record. */
static gemp_code add_cell(gemp_cells *cells, const char *bytes, size_t size, bool null)
{
	if (cells->count == cells->capacity)
		GEMP_TRY(GEMP_RESERVE(cells->cell, cells->capacity, cells->count + 1));
	cells->cell[cells->count++] = (gemp_text_cell){ bytes, size, null };
	return GEMP_OK;
}

/* TSV has no quoting: other programs write a quote as an ordinary byte. */
gemp_code gemp_cells_tsv(gemp_cells *cells, const char *record, size_t size)
{
	const char *end = record + size, *tab;
	cells->count = 0;
	while ((tab = memchr(record, '\t', (size_t)(end - record))) != NULL) {
		GEMP_TRY(add_cell(cells, record, (size_t)(tab - record), tab == record));
		record = tab + 1;
	}
	return add_cell(cells, record, (size_t)(end - record), end == record);
}

/* Adds a cell that begins with a quote. The text without its quotes is moved to the front of the cell's bytes. *next
 * becomes the byte after the cell. */
static gemp_code unquote(gemp_cells *cells, char *from, char *end, char **next)
{
	char *text = from, *to = from, *quote = from + 1;
	for (;;) {
		char *piece = quote;
		quote = memchr(piece, '"', (size_t)(end - piece));
		if (!quote)
			return gemp_fail(GEMP_EDATA, "field %zu: the quote is never closed; close it with \"", cells->count + 1);
		memmove(to, piece, (size_t)(quote - piece));
		to += quote - piece;
		if (++quote == end || *quote != '"')
			break;
		*to++ = '"';
		quote++;
	}
	if (quote < end && *quote != ',')
		return gemp_fail(GEMP_EDATA, "field %zu: text after the closing quote; write a quote inside quotes as \"\"",
		                 cells->count + 1);
	*next = quote;
	return add_cell(cells, text, (size_t)(to - text), false);
}

/* RFC 4180 allows quotes only around a whole field. A quote within an unquoted field is usually a broken export. */
static gemp_code plain_cell(gemp_cells *cells, char *from, char *end, char **next)
{
	char *comma = memchr(from, ',', (size_t)(end - from));
	*next = comma ? comma : end;
	if (memchr(from, '"', (size_t)(*next - from)))
		return gemp_fail(GEMP_EDATA,
		                 "field %zu: a quote inside a field that is not quoted; quote the whole "
		                 "field, and write the quote as \"\"",
		                 cells->count + 1);
	return add_cell(cells, from, (size_t)(*next - from), *next == from);
}

/* If the record ends in a comma, an empty cell follows the comma. */
gemp_code gemp_cells_csv(gemp_cells *cells, char *record, size_t size)
{
	char *end = record + size, *next = record;
	cells->count = 0;
	for (;;) {
		GEMP_TRY(next < end && *next == '"' ? unquote(cells, next, end, &next) : plain_cell(cells, next, end, &next));
		if (next == end)
			break;
		next++; /* the comma */
	}
	return GEMP_OK;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Any number of blanks and tabs may precede the first word, separate two words, and end the line. */
gemp_code gemp_cells_blanks(gemp_cells *cells, const char *record, size_t size)
{
	const char *end = record + size;
	cells->count = 0;
	for (;;) {
		while (record < end && is_blank(*record))
			record++;
		const char *word = record;
		while (record < end && !is_blank(*record))
			record++;
		if (word == record)
			return GEMP_OK;
		GEMP_TRY(add_cell(cells, word, (size_t)(record - word), false));
	}
}

/* The number of bytes of the first character of text[size]; 0 if the text does not begin with valid UTF-8 or begins
 * with a 0 byte. */
static size_t character(const unsigned char *text, size_t size)
{
	unsigned char first = text[0];
	if (first < 0x80)
		return first != 0;
	size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
	if (length == 0 || length > size)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
	bool surrogate = first == 0xed && text[1] >= 0xa0;
	bool beyond = first == 0xf4 && text[1] >= 0x90;
	return overlong || surrogate || beyond ? 0 : length;
}

/* Tests whether eight bytes are all ASCII and none is 0. In this case no byte has its high bit set, and subtracting 1
 * from every byte sets no high bit by a borrow. */
static bool eight_plain(const char *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	return ((word | (word - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080)) == 0;
}

/* Most text is ASCII, so eight ASCII bytes are skipped at once. */
size_t gemp_utf8_check(const char *bytes, size_t size)
{
	size_t at = 0;
	while (at < size) {
		if (size - at >= 8 && eight_plain(bytes + at)) {
			at += 8;
			continue;
		}
		size_t length = character((const unsigned char *)bytes + at, size - at);
		if (length == 0)
			return at;
		at += length;
	}
	return size;
}

/* The message gives the column, which editors show, and names iconv, the usual remedy. */
gemp_code gemp_utf8_require(const char *bytes, size_t size)
{
	size_t bad = gemp_utf8_check(bytes, size);
	if (bad < size)
		return gemp_fail(GEMP_EDATA,
		                 "byte 0x%02x at column %zu is not UTF-8 text; convert the file "
		                 "(iconv -t UTF-8), and check that it is a text file",
		                 (unsigned char)bytes[bad], bad + 1);
	return GEMP_OK;
}

/* VALUES */

enum { LONGEST_NUMBER = 511 };

static bool is_word(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number of consecutive digits from text[from] on. */
static size_t count_digits(const char *text, size_t from, size_t size)
{
	size_t i = from;
	while (i < size && is_digit(text[i]))
		i++;
	return i - from;
}

static bool is_sign(char c)
{
	return c == '-' || c == '+';
}

/* Tests whether text[at..size) is [.digits] [e [sign] digits]. before: digits precede text[at], so the point and the
 * digits after it are optional. */
static bool fraction_and_exponent(const char *text, size_t at, size_t size, bool before)
{
	if (at < size && text[at] == '.') {
		size_t after = count_digits(text, at + 1, size);
		if (after == 0 && !before)
			return false;
		at += 1 + after;
	} else if (!before) {
		return false;
	}
	if (at < size && (text[at] == 'e' || text[at] == 'E')) {
		at += at + 1 < size && is_sign(text[at + 1]) ? 2 : 1;
		size_t power = count_digits(text, at, size);
		if (power == 0)
			return false;
		at += power;
	}
	return at == size;
}

/* A text looks like a number only in JSON's form. As integers, 007 would lose its zeros and +7 its sign. */
unsigned gemp_scalar_looks(const char *text, size_t size)
{
	if (size == 0 || size > LONGEST_NUMBER)
		return 0;
	size_t minus = text[0] == '-';
	size_t whole = count_digits(text, minus, size);
	if (whole > 0) {
		size_t at = minus + whole;
		if (text[minus] == '0' && whole > 1)
			return 0;
		if (at == size)
			return minus && text[1] == '0' ? GEMP_LOOKS_FLOAT : GEMP_LOOKS_INTEGER | GEMP_LOOKS_FLOAT;
		bool json = text[at] != '.' || (at + 1 < size && is_digit(text[at + 1]));
		return json && fraction_and_exponent(text, at, size, true) ? GEMP_LOOKS_FLOAT : 0;
	}
	if (is_word(text, size, "nan"))
		return GEMP_LOOKS_FLOAT;
	return is_word(text, size, "true") || is_word(text, size, "false") ? GEMP_LOOKS_BOOLEAN : 0;
}

/* The message shows at most 40 bytes of a cell and cuts between characters. */
static gemp_code reject_scalar(const char *text, size_t size, const char *why)
{
	int shown = size > 40 ? 40 : (int)size;
	while (shown > 0 && (size_t)shown < size && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--;
	return gemp_fail(GEMP_EDATA, "'%.*s%s' %s", shown, text, (size_t)shown < size ? "…" : "", why);
}

/* The digits of a negative number are subtracted, since 2^63 does not fit in int64_t but -2^63 does. */
static gemp_code read_integer(int64_t *out, const char *text, size_t size)
{
	size_t at = size > 0 && is_sign(text[0]);
	bool negative = at && text[0] == '-', overflow = false;
	int64_t value = 0;
	if (count_digits(text, at, size) != size - at || size == at)
		return reject_scalar(text, size, "is not an integer; correct it, or state the column as :float or :string");
	for (; at < size && !overflow; at++) {
		int digit_value = text[at] - '0';
		overflow = __builtin_mul_overflow(value, 10, &value) ||
		           __builtin_add_overflow(value, negative ? -digit_value : digit_value, &value);
	}
	if (overflow)
		return reject_scalar(text, size, "is beyond the range of 64-bit integers; state the column as :string");
	*out = value;
	return GEMP_OK;
}

/* The form is checked first, since strtod would also accept hexadecimal numbers and words. */
static gemp_code read_float(double *out, const char *text, size_t size)
{
	char copy[LONGEST_NUMBER + 1]; /* strtod needs a terminating 0 */
	size_t at = size > 0 && is_sign(text[0]);
	if (is_word(text, size, "nan"))
		return reject_scalar(
			text, size, "is not a value; leave the field empty where it is missing, or state the column as :string");
	bool infinite = is_word(text + at, size - at, "inf") || is_word(text + at, size - at, "infinity");
	size_t whole = count_digits(text, at, size);
	if (size > LONGEST_NUMBER || (!infinite && !fraction_and_exponent(text, at + whole, size, whole > 0)))
		return reject_scalar(text, size, "is not a number; correct it, or state the column as :string");
	memcpy(copy, text, size);
	copy[size] = '\0';
	*out = strtod(copy, NULL);
	if (!infinite && isinf(*out))
		return reject_scalar(text, size, "is beyond the range of 64-bit floats; state the column as :string");
	return GEMP_OK;
}

/* 0 and 1 are read as booleans only here; inference takes them for integers. */
static gemp_code read_boolean(bool *out, const char *text, size_t size)
{
	*out = is_word(text, size, "true") || is_word(text, size, "1");
	if (!*out && !is_word(text, size, "false") && !is_word(text, size, "0"))
		return reject_scalar(text, size, "is neither true nor false; correct it, or state the column as :string");
	return GEMP_OK;
}

/* A string value borrows the bytes of the text. */
gemp_code gemp_scalar_read(gemp_value *out, gemp_type type, const char *text, size_t size)
{
	*out = (gemp_value){ .type = type };
	switch (type) {
	case GEMP_INTEGER: return read_integer(&out->integer, text, size);
	case GEMP_FLOAT: return read_float(&out->real, text, size);
	case GEMP_BOOLEAN: return read_boolean(&out->truth, text, size);
	default: break;
	}
	out->string.bytes = text;
	out->string.size = size;
	return GEMP_OK;
}

/* An id becomes an integer only if it is canonical, since 007 and 7 may be two vertices. */
gemp_value gemp_scalar_key(const char *text, size_t size)
{
	gemp_value key = { .type = GEMP_INTEGER };
	if (!gemp_canonical_integer(text, size, &key.integer))
		key = (gemp_value){ .type = GEMP_STRING, .string = { text, size } };
	return key;
}

/* A name matches only if the lengths are equal, since strncasecmp would also accept a prefix. */
bool gemp_type_named(gemp_type *out, const char *const names[GEMP_LIST], bool any_case, const char *name, size_t size)
{
	for (int type = 0; type < GEMP_LIST; type++)
		for (const char *at = names[type]; *at; at += strspn(at, " ")) {
			size_t length = strcspn(at, " ");
			if (length == size && (any_case ? strncasecmp : strncmp)(at, name, size) == 0) {
				*out = (gemp_type)type;
				return true;
			}
			at += length;
		}
	return false;
}

bool gemp_scalar_type(gemp_type *out, const char *name, size_t size)
{
	static const char *const names[] = { "string", "int integer", "float", "bool boolean" };
	return gemp_type_named(out, names, true, name, size);
}

/* ESCAPES */

/* The number of bytes before the first byte that is in special[specials]; size if there is none. */
static size_t plain_bytes(const char *bytes, size_t size, const char *special, size_t specials)
{
	size_t at = 0;
	while (at < size && !memchr(special, bytes[at], specials))
		at++;
	return at;
}

/* Import reads an empty field of TSV as NULL. An empty string is refused, so that exported TSV can be imported
 * unchanged. */
gemp_code gemp_escape_tsv(gemp_text *out, const char *bytes, size_t size)
{
	static const char special[] = "\t\n\r"; /* and the terminating 0 */
	size_t good = plain_bytes(bytes, size, special, sizeof special);
	if (size == 0)
		return gemp_fail(GEMP_EDATA, "an empty string would be read as NULL, as TSV has no quoting; "
		                             "write .csv, .jsonl or .graphml");
	if (good < size)
		return gemp_fail(GEMP_EDATA, "a string has a %s, which TSV cannot hold; write .csv or .jsonl",
		                 bytes[good] == '\t' ? "tab"
		                 : bytes[good]       ? "line end"
		                                     : "zero byte");
	gemp_text_add(out, bytes, size);
	return GEMP_OK;
}

/* A field is quoted only if it must be. This keeps files small, and other programs read unquoted numbers as numbers. */
void gemp_escape_csv(gemp_text *out, const char *bytes, size_t size)
{
	if (size && plain_bytes(bytes, size, ",\"\r\n", 4) == size) {
		gemp_text_add(out, bytes, size);
		return;
	}
	gemp_text_add(out, "\"", 1);
	for (;;) {
		size_t good = plain_bytes(bytes, size, "\"", 1);
		gemp_text_add(out, bytes, good);
		if (good == size)
			break;
		gemp_text_add(out, "\"\"", 2);
		bytes += good + 1;
		size -= good + 1;
	}
	gemp_text_add(out, "\"", 1);
}

/* Tests whether the bytes begin with U+FFFE or U+FFFF, which XML forbids. */
static bool is_no_character(const char *bytes, size_t size)
{
	return size >= 3 && memcmp(bytes, "\xef\xbf", 2) == 0 && (unsigned char)bytes[2] >= 0xbe;
}

/* Tabs and line ends are written as character references, since XML readers replace them by blanks in attributes. */
gemp_code gemp_escape_xml(gemp_text *out, const char *bytes, size_t size)
{
	size_t from = 0, utf8 = gemp_utf8_check(bytes, size);
	if (utf8 < size && bytes[utf8])
		return gemp_fail(GEMP_EDATA, "a string is not UTF-8, which XML must be; write .csv or .jsonl");
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)bytes[i];
		const char *entity = byte == '&'    ? "&amp;"
		                     : byte == '<'  ? "&lt;"
		                     : byte == '>'  ? "&gt;"
		                     : byte == '"'  ? "&quot;"
		                     : byte == '\n' ? "&#10;"
		                     : byte == '\t' ? "&#9;"
		                     : byte == '\r' ? "&#13;"
		                                    : NULL;
		if ((byte < ' ' && !entity) || is_no_character(bytes + i, size - i))
			return gemp_fail(GEMP_EDATA,
			                 "a string has a control character (byte 0x%02x), which XML cannot "
			                 "hold; write .csv or .jsonl",
			                 byte);
		if (!entity)
			continue;
		gemp_text_add(out, bytes + from, i - from);
		gemp_text_print(out, "%s", entity);
		from = i + 1;
	}
	gemp_text_add(out, bytes + from, size - from);
	return GEMP_OK;
}

/* A 0 byte is left out, since Graphviz would end the string there. */
void gemp_escape_dot(gemp_text *out, const char *bytes, size_t size)
{
	gemp_text_add(out, "\"", 1);
	while (size) {
		size_t good = plain_bytes(bytes, size, "\"\\\n\r", 5); /* and the terminating 0 */
		gemp_text_add(out, bytes, good);
		if (good == size)
			break;
		if (bytes[good] == '"' || bytes[good] == '\\')
			gemp_text_print(out, "\\%c", bytes[good]);
		else if (bytes[good])
			gemp_text_print(out, "\\%c", bytes[good] == '\n' ? 'n' : 'r');
		bytes += good + 1;
		size -= good + 1;
	}
	gemp_text_add(out, "\"", 1);
}
