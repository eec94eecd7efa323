/* Records are cut in place. UTF-8 is checked by the rules of Unicode's table 3-7: no overlong forms, no
 * surrogates, nothing beyond U+10FFFF. */

#include "io/text/text_cells.h"

#include "core/memory.h"

#include <stdint.h>
#include <string.h>

void gemp_cells_free(gemp_cells *cells)
{
	gemp_free(cells->cell);
	*cells = (gemp_cells){ 0 };
}

/* Cells are slices of the record: nothing is copied. */
static gemp_code add(gemp_cells *cells, const char *bytes, size_t size, bool null)
{
	gemp_code code = GEMP_OK;
	if (cells->count == cells->capacity)
		code = GEMP_RESERVE(cells->cell, cells->capacity, cells->count + 1);
	if (code == GEMP_OK)
		cells->cell[cells->count++] = (gemp_text_cell){ bytes, size, null };
	return code;
}

/* TSV of other programs has no quotes, so that a quote is a byte like any other. */
gemp_code gemp_cells_tsv(gemp_cells *cells, const char *record, size_t size)
{
	gemp_code code = GEMP_OK;
	const char *end = record + size, *tab;
	cells->count = 0;
	while (code == GEMP_OK && (tab = memchr(record, '\t', (size_t)(end - record))) != NULL) {
		code = add(cells, record, (size_t)(tab - record), tab == record);
		record = tab + 1;
	}
	return code == GEMP_OK ? add(cells, record, (size_t)(end - record), end == record) : code;
}

/* A cell that begins with a quote: its text moves to its own front, without the quotes. *next is what follows it. */
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
	return add(cells, text, (size_t)(to - text), false);
}

/* RFC 4180 allows quotes only around whole fields; one inside is mostly a broken export. */
static gemp_code plain_cell(gemp_cells *cells, char *from, char *end, char **next)
{
	char *comma = memchr(from, ',', (size_t)(end - from));
	*next = comma ? comma : end;
	if (memchr(from, '"', (size_t)(*next - from)))
		return gemp_fail(GEMP_EDATA,
		                 "field %zu: a quote inside a field that is not quoted; quote the whole "
		                 "field, and write the quote as \"\"",
		                 cells->count + 1);
	return add(cells, from, (size_t)(*next - from), *next == from);
}

/* A record that ends in a comma has an empty cell behind it. */
gemp_code gemp_cells_csv(gemp_cells *cells, char *record, size_t size)
{
	char *end = record + size, *next = record;
	cells->count = 0;
	for (;;) {
		GEMP_PROPAGATE(next < end && *next == '"' ? unquote(cells, next, end, &next)
		                                          : plain_cell(cells, next, end, &next));
		if (next == end)
			break;
		next++; /* the comma */
	}
	return GEMP_OK;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Any number of blanks and tabs separates two words, at the ends of the line too. */
gemp_code gemp_cells_blanks(gemp_cells *cells, const char *record, size_t size)
{
	gemp_code code = GEMP_OK;
	const char *end = record + size;
	cells->count = 0;
	while (code == GEMP_OK) {
		while (record < end && blank(*record))
			record++;
		const char *word = record;
		while (record < end && !blank(*record))
			record++;
		if (word == record)
			break;
		code = add(cells, word, (size_t)(record - word), false);
	}
	return code;
}

/* Bytes of the character at text[0..size), 0 if it is not UTF-8: no overlong forms, no surrogates, at most U+10FFFF. */
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

/* Eight bytes that are ASCII and not 0: no high bit, and subtracting 1 borrows nowhere. */
static bool eight_plain(const char *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	return ((word | (word - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080)) == 0;
}

/* Eight plain bytes are passed over at once, since most text is ASCII. */
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

/* The column helps to find the byte with an editor; iconv is the usual remedy. */
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
