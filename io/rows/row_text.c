#include "io/rows/row_text.h"

#include "core/memory.h"
#include "core/status.h"
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

/* CELLS */

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

/* CSV: the text of an edge is quoted as a whole, so it is made first. */
static void add_quoted_edge(gemp_text *out, const gemp_value *type, const gemp_value *source, const gemp_value *target)
{
	gemp_text edge = { 0 };
	gemp_value_print(type, &edge);
	gemp_text_print(&edge, ":");
	gemp_value_print(source, &edge);
	gemp_text_print(&edge, "->");
	gemp_value_print(target, &edge);
	gemp_escape_csv(out, edge.data, edge.size);
	out->failed |= edge.failed;
	gemp_text_free(&edge);
}

/* NULL is an empty cell in TSV and CSV. */
void gemp_cell_text(gemp_text *out, gemp_row_form form, const gemp_value *value)
{
	const bool text = !value->null && gemp_is_text(value->type);
	if (form == GEMP_ROWS_JSON)
		gemp_json_value(out, value);
	else if (!text)
		gemp_value_print(value, out);
	else if (form == GEMP_ROWS_CSV)
		gemp_escape_csv(out, value->string.bytes, value->string.size);
	else
		add_escaped(out, value->string.bytes, value->string.size);
}

/* An edge of an OPTIONAL MATCH without a match is NULL and has no ends. */
void gemp_edge_text(gemp_text *out, gemp_row_form form, const gemp_projected *column, size_t row)
{
	const gemp_value type = gemp_projected_value(column, row);
	if (type.null) {
		gemp_cell_text(out, form, &type);
		return;
	}
	const gemp_value source = gemp_column_get(&column->source, row), target = gemp_column_get(&column->target, row);
	if (form == GEMP_ROWS_JSON) {
		gemp_json_edge(out, &type, &source, &target);
	} else if (form == GEMP_ROWS_CSV) {
		add_quoted_edge(out, &type, &source, &target);
	} else {
		gemp_cell_text(out, form, &type);
		gemp_text_add(out, ":", 1);
		gemp_cell_text(out, form, &source);
		gemp_text_add(out, "->", 2);
		gemp_cell_text(out, form, &target);
	}
}

static void add_cell(gemp_text *out, gemp_row_form form, const gemp_projected *column, size_t row)
{
	const gemp_value value = gemp_projected_value(column, row);
	if (column->edge)
		gemp_edge_text(out, form, column, row);
	else
		gemp_cell_text(out, form, &value);
}

/* TSV */

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
		add_cell(out, GEMP_ROWS_TSV, &columns[c], row);
		gemp_text_add(out, c + 1 < count ? "\t" : "\n", 1);
	}
}

/* CSV */

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
		add_cell(out, GEMP_ROWS_CSV, &columns[c], row);
	}
	gemp_text_print(out, "%s\r\n", out->size == before ? "\"\"" : "");
}

/* JSON */

/* A row is one JSON object on a line. An edge is an object with its type and its ends. */
void gemp_json_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row)
{
	for (size_t c = 0; c < count; c++) {
		gemp_text_add(out, c ? ", " : "{", c ? 2 : 1);
		gemp_json_string(out, columns[c].name, strlen(columns[c].name));
		gemp_text_add(out, ": ", 2);
		add_cell(out, GEMP_ROWS_JSON, &columns[c], row);
	}
	gemp_text_add(out, "}\n", 2);
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
