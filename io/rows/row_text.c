/* Threads make the texts of chunks of rows, and the texts are joined in the order of the rows. Most results are
 * integers alone. For these the first pass measures each chunk, and the second pass writes the digits to their final
 * places, so nothing is allocated or copied per row. */

#include "io/rows/row_text.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/column.h"
#include "io/file/output.h"
#include "io/text/cells.h"

#include <string.h>

/* columns may be NULL. */
void gemp_projected_free(gemp_projected *columns, size_t count)
{
	for (size_t i = 0; columns && i < count; i++) {
		gemp_column_free(&columns[i].value);
		gemp_column_free(&columns[i].source);
		gemp_column_free(&columns[i].target);
	}
}

/* Standard output gets TSV. */
gemp_row_form gemp_row_form_of(const char *path)
{
	static const char *const endings[] = { ".tsv", ".csv", ".jsonl", ".h5" }; /* in the order of gemp_row_form */
	int form = GEMP_ROWS_TSV;
	if (strcmp(path, "-") == 0)
		return GEMP_ROWS_TSV;
	while (form < GEMP_ROWS_UNKNOWN && !gemp_file_ends_in(path, endings[form]))
		form++;
	return (gemp_row_form)form;
}

/* TSV */

/* Results may hold any text, so tabs and line ends in TSV results are escaped. Exported TSV has no escapes. */
static void add_escaped(gemp_text *out, const char *bytes, size_t size)
{
	static const char special[] = "\t\n\r\\", letter[] = "tnr\\";
	size_t from = 0;
	for (size_t i = 0; i < size; i++) {
		const char *found = bytes[i] == '\\' || (unsigned char)bytes[i] < ' ' ? memchr(special, bytes[i], 4) : NULL;
		if (!found)
			continue;
		gemp_text_add(out, bytes + from, i - from);
		gemp_text_add(out, (const char[]){ '\\', letter[found - special] }, 2);
		from = i + 1;
	}
	gemp_text_add(out, bytes + from, size - from);
}

/* An edge of an OPTIONAL MATCH without a match is NULL and has no ends. */
static bool has_ends(const gemp_projected *column, size_t row)
{
	return column->edge && !gemp_projected_value(column, row).null;
}

/* NULL is an empty cell. */
static void add_cell(gemp_text *out, gemp_value value)
{
	if (value.null)
		return;
	if (value.type == GEMP_STRING || value.type == GEMP_LIST)
		add_escaped(out, value.string.bytes, value.string.size);
	else
		gemp_value_print(&value, out);
}

/* A column name may hold a tab, so names are escaped as values are. */
void gemp_tsv_header(gemp_text *out, const gemp_projected *columns, size_t count)
{
	for (size_t c = 0; c < count; c++) {
		add_escaped(out, columns[c].name, strlen(columns[c].name));
		gemp_text_add(out, c + 1 < count ? "\t" : "\n", 1);
	}
}

/* An edge is written as type:source->target. */
void gemp_tsv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row)
{
	for (size_t c = 0; c < count; c++) {
		add_cell(out, gemp_projected_value(&columns[c], row));
		if (has_ends(&columns[c], row)) {
			gemp_text_add(out, ":", 1);
			add_cell(out, gemp_column_get(&columns[c].source, row));
			gemp_text_add(out, "->", 2);
			add_cell(out, gemp_column_get(&columns[c].target, row));
		}
		gemp_text_add(out, c + 1 < count ? "\t" : "\n", 1);
	}
}

/* CSV */

/* The text of an edge is quoted as a whole, so it is made first. */
static void add_quoted(gemp_text *out, const gemp_projected *column, size_t row)
{
	gemp_value value = gemp_projected_value(column, row);
	gemp_text edge = { 0 };
	if (has_ends(column, row)) {
		gemp_value source = gemp_column_get(&column->source, row), target = gemp_column_get(&column->target, row);
		gemp_value_print(&value, &edge);
		gemp_text_print(&edge, ":");
		gemp_value_print(&source, &edge);
		gemp_text_print(&edge, "->");
		gemp_value_print(&target, &edge);
		gemp_escape_csv(out, edge.data, edge.size);
		out->failed |= edge.failed;
		gemp_text_free(&edge);
	} else if (!value.null && (value.type == GEMP_STRING || value.type == GEMP_LIST)) {
		gemp_escape_csv(out, value.string.bytes, value.string.size);
	} else {
		gemp_value_print(&value, out);
	}
}

/* RFC 4180 ends a line with CR and LF. */
void gemp_csv_header(gemp_text *out, const gemp_projected *columns, size_t count)
{
	for (size_t c = 0; c < count; c++) {
		gemp_escape_csv(out, columns[c].name, strlen(columns[c].name));
		gemp_text_print(out, "%s", c + 1 < count ? "," : "\r\n");
	}
}

/* A row of a single NULL is written as "", since readers skip an empty line. */
void gemp_csv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row)
{
	size_t before = out->size;
	for (size_t c = 0; c < count; c++) {
		gemp_text_add(out, ",", c ? 1 : 0);
		add_quoted(out, &columns[c], row);
	}
	gemp_text_print(out, "%s\r\n", out->size == before ? "\"\"" : "");
}

/* JSON */

/* A row is one JSON object on a line. An edge is an object with its type and its ends. */
void gemp_json_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row)
{
	for (size_t c = 0; c < count; c++) {
		gemp_value value = gemp_projected_value(&columns[c], row);
		gemp_text_add(out, c ? ", " : "{", c ? 2 : 1);
		gemp_json_string(out, columns[c].name, strlen(columns[c].name));
		gemp_text_add(out, ": ", 2);
		if (has_ends(&columns[c], row)) {
			gemp_value source = gemp_column_get(&columns[c].source, row),
					   target = gemp_column_get(&columns[c].target, row);
			gemp_json_edge(out, &value, &source, &target);
		} else {
			gemp_json_value(out, &value);
		}
	}
	gemp_text_add(out, "}\n", 2);
}

/* MANY ROWS */

/* Appends the text before a cell of column c: the separator, and in JSON the column's name. */
static void add_before(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t c)
{
	static const char *const between[] = { "\t", ",", ", " };
	gemp_text_print(out, "%s", c ? between[form] : form == GEMP_ROWS_JSON ? "{" : "");
	if (form == GEMP_ROWS_JSON) {
		gemp_json_string(out, columns[c].name, strlen(columns[c].name));
		gemp_text_print(out, ": ");
	}
}

enum { INTEGER_CHUNK = 1 << 12 }; /* rows that one thread writes at a time */

typedef struct integer_writer {
	const gemp_projected *columns;
	size_t count;
	gemp_text *before; /* [count] text in front of each cell */
	const char *after; /* text after each row */
	size_t fixed;      /* bytes of a row without the digits and signs of its numbers */
	size_t *begin;     /* [chunks] after the first pass the size of each chunk's text, then its offset from `to` */
	char *to;
} integer_writer;

/* The magnitude of -2^63 fits only in an unsigned integer. */
static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The loop takes four digits per step. */
static size_t digits_of(uint64_t number)
{
	size_t digits = 1;
	for (; number >= 10000; number /= 10000)
		digits += 4;
	return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

/* First pass: computes the size of the chunk's text. */
static void measure_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	integer_writer *w = context;
	size_t bytes = (end - begin) * w->fixed;
	for (size_t c = 0; c < w->count; c++) {
		const int64_t *values = w->columns[c].value.integers;
		for (size_t row = begin; row < end; row++)
			bytes += digits_of(magnitude(values[row])) + (values[row] < 0);
	}
	w->begin[chunk] = bytes;
}

/* A table gives two digits at a time, which halves the number of divisions. */
static char *put_number(char *to, int64_t value)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	uint64_t number = magnitude(value);
	*to = '-';
	to += value < 0;
	char *end = to + digits_of(number), *at = end;
	for (; number >= 100; number /= 100)
		memcpy(at -= 2, pairs + number % 100 * 2, 2);
	if (number >= 10)
		memcpy(at - 2, pairs + number * 2, 2);
	else
		at[-1] = (char)('0' + number);
	return end;
}

/* Most separators are one byte, and a call of memcpy would cost more than copying this byte. */
static char *put_bytes(char *to, const char *bytes, size_t size)
{
	if (size == 1)
		*to = *bytes;
	else
		memcpy(to, bytes, size);
	return to + size;
}

/* Second pass: writes the text of the chunk at the offset that the first pass found. */
static void write_integers(void *context, size_t chunk, size_t begin, size_t end)
{
	integer_writer *w = context;
	char *to = w->to + w->begin[chunk];
	const size_t after_length = strlen(w->after);
	for (size_t row = begin; row < end; row++) {
		for (size_t c = 0; c < w->count; c++)
			to = put_number(put_bytes(to, w->before[c].data, w->before[c].size), w->columns[c].value.integers[row]);
		to = put_bytes(to, w->after, after_length);
	}
}

static void free_integer_writer(integer_writer *w)
{
	for (size_t c = 0; w->before && c < w->count; c++)
		gemp_text_free(&w->before[c]);
	gemp_free_all(w->before, w->begin);
}

/* The texts between the numbers are the same in each row, so they are made once. */
static gemp_code integer_rows(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t count,
                              size_t rows)
{
	static const char *const after[] = { "\n", "\r\n", "}\n" };
	size_t chunks = (rows + INTEGER_CHUNK - 1) / INTEGER_CHUNK, all = 0;
	GEMP_OWNED_BY(free_integer_writer)
	integer_writer w = { .columns = columns, .count = count, .after = after[form], .fixed = strlen(after[form]) };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(w.before, count), GEMP_ARRAY(w.begin, chunks)));
	for (size_t c = 0; c < count; c++) {
		add_before(&w.before[c], form, columns, c);
		GEMP_TRY(gemp_text_status(&w.before[c]));
		w.fixed += w.before[c].size;
	}
	gemp_for_chunks(rows, INTEGER_CHUNK, measure_chunk, &w);
	for (size_t p = 0; p < chunks; p++) {
		size_t size = w.begin[p];
		w.begin[p] = all;
		all += size;
	}
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + all + 1));
	w.to = out->data + out->size;
	gemp_for_chunks(rows, INTEGER_CHUNK, write_integers, &w);
	out->size += all;
	out->data[out->size] = '\0';
	return GEMP_OK;
}

enum { ROW_CHUNK = 1 << 11 }; /* rows that one thread writes at a time */

typedef struct row_writer {
	gemp_row_form form;
	const gemp_projected *columns;
	size_t count, chunks;
	gemp_text *texts; /* [chunks] */
} row_writer;

static void free_row_writer(row_writer *w)
{
	for (size_t p = 0; w->texts && p < w->chunks; p++)
		gemp_text_free(&w->texts[p]);
	gemp_free(w->texts);
}

/* Each chunk has its own text, so threads need no lock. */
static void write_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	static void (*const row_of[])(gemp_text *, const gemp_projected *, size_t, size_t) = { gemp_tsv_row, gemp_csv_row,
		                                                                                   gemp_json_row };
	const row_writer *w = context;
	for (size_t row = begin; row < end; row++)
		row_of[w->form](&w->texts[chunk], w->columns, w->count, row);
}

/* Tests whether every column holds integers without NULL. */
static bool only_integers(const gemp_projected *columns, size_t count)
{
	bool only = count > 0;
	for (size_t c = 0; c < count; c++)
		only = only && !columns[c].edge && !columns[c].dictionary && columns[c].value.type == GEMP_INTEGER &&
		       !columns[c].value.null;
	return only;
}

/* The chunks' texts are joined in the order of the rows. */
gemp_code gemp_rows_text(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t count, size_t rows)
{
	GEMP_OWNED_BY(free_row_writer)
	row_writer w = { .form = form, .columns = columns, .count = count, .chunks = (rows + ROW_CHUNK - 1) / ROW_CHUNK };
	size_t all = 0;
	if (only_integers(columns, count))
		return integer_rows(out, form, columns, count, rows);
	GEMP_TRY(GEMP_NEW(w.texts, w.chunks));
	gemp_for_chunks(rows, ROW_CHUNK, write_chunk, &w);
	for (size_t p = 0; p < w.chunks; p++) {
		GEMP_TRY(gemp_text_status(&w.texts[p]));
		all += w.texts[p].size;
	}
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + all + 1));
	for (size_t p = 0; p < w.chunks; p++)
		gemp_text_add(out, w.texts[p].data, w.texts[p].size);
	return gemp_text_status(out);
}

/* TABLES FOR PEOPLE */

enum { WIDEST = 40 };

/* In UTF-8 the second and later bytes of a character begin with the bits 10. */
static bool starts_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

/* The width is the number of characters. Combining characters count as one column each; they are rare in keys. */
static size_t width_of(const char *bytes, size_t size)
{
	size_t width = 0;
	for (size_t i = 0; i < size; i++)
		width += starts_character(bytes[i]);
	return width;
}

/* The number of bytes of the first `width` characters. */
static size_t bytes_of(const char *bytes, size_t size, size_t width)
{
	size_t at = 0;
	while (at < size && (width > 0 || !starts_character(bytes[at])))
		width -= starts_character(bytes[at++]);
	return at;
}

/* Tabs and newlines within a TSV cell are escaped, so the next tab or newline ends the cell. */
static const char *cell_end(const char *at, const char *end)
{
	while (at < end && *at != '\t' && *at != '\n')
		at++;
	return at;
}

static void add_padding(gemp_text *out, size_t from, size_t to, const char *with)
{
	for (; from < to; from++)
		gemp_text_add(out, with, 1);
}

/* A cell wider than its column is cut and ends in an ellipsis. */
static void add_aligned(gemp_text *out, const char *cell, size_t size, size_t width, bool is_last)
{
	size_t shown = width_of(cell, size);
	if (shown > width) {
		gemp_text_add(out, cell, bytes_of(cell, size, width - 1));
		gemp_text_print(out, "…");
	} else {
		gemp_text_add(out, cell, size);
		add_padding(out, shown, is_last ? 0 : width, " ");
	}
	gemp_text_add(out, is_last ? "\n" : "  ", is_last ? 1 : 2);
}

/* A line of dashes below the header, as in psql. */
static void add_rule(gemp_text *out, const size_t *width, size_t columns)
{
	for (size_t c = 0; c < columns; c++) {
		add_padding(out, 0, width[c], "-");
		gemp_text_add(out, c + 1 < columns ? "  " : "\n", c + 1 < columns ? 2 : 1);
	}
}

/* The first pass finds the width of each column, and the second pass makes the text. */
gemp_code gemp_align_tsv(gemp_text *out, const char *tsv, size_t size)
{
	const char *end = tsv + size;
	size_t columns = 1, column = 0, line = 0;
	GEMP_OWNED size_t *width = NULL;
	for (const char *at = tsv; at < end && *at != '\n'; at++)
		columns += *at == '\t';
	GEMP_TRY(GEMP_NEW(width, columns));
	for (const char *at = tsv, *stop; at < end; at = stop + 1) {
		stop = cell_end(at, end);
		size_t wide = width_of(at, (size_t)(stop - at));
		wide = gemp_min(wide, WIDEST);
		width[column] = width[column] < wide ? wide : width[column];
		column = stop < end && *stop == '\t' ? column + 1 : 0;
	}
	for (const char *at = tsv, *stop; at < end; at = stop + 1) {
		stop = cell_end(at, end);
		bool is_last = stop == end || *stop == '\n';
		add_aligned(out, at, (size_t)(stop - at), width[column], is_last);
		column = is_last ? 0 : column + 1;
		if (is_last && line++ == 0)
			add_rule(out, width, columns);
	}
	return gemp_text_status(out);
}
