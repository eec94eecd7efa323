#include "som/picture/unit_labels.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "graph/column.h"
#include "io/file/output.h"
#include "io/file/stream.h"
#include "io/som/som_file.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum file_format { TABS, COMMAS, JSON, HDF5 } file_format;

/* The name of a vector, and the vector's unit. */
typedef struct unit_name {
	uint32_t unit;
	uint64_t line;
	gemp_text_cell key;
} unit_name;

typedef struct label_reader {
	const char *path;
	uint32_t units;
	file_format file_format;
	uint64_t line;
	int64_t key, unit; /* indices of the columns `key` and `unit`; -1 if a column is missing */
	gemp_cells cells;
	gemp_text text;   /* all keys, one after the other, without separators */
	unit_name *names; /* [count] */
	size_t count, capacity;
} label_reader;

/* The file's ending gives the format. The default is TSV. */
static file_format format_of(const char *path)
{
	static const char *const endings[] = { ".csv", ".csv.gz", ".csv.zst", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".h5" };
	static const file_format forms[] = { COMMAS, COMMAS, COMMAS, JSON, JSON, JSON, HDF5 };
	for (size_t e = 0; e < sizeof forms / sizeof *forms; e++)
		if (gemp_file_ends_in(path, endings[e]))
			return forms[e];
	return TABS;
}

/* Returns the index of the header's column with this name, or -1 if there is none. */
static int64_t column_of(const gemp_cells *cells, const char *name)
{
	for (size_t c = 0; c < cells->count; c++)
		if (cells->cell[c].size == strlen(name) && memcmp(cells->cell[c].bytes, name, cells->cell[c].size) == 0)
			return (int64_t)c;
	return -1;
}

/* The two columns may be anywhere among the columns of the table. */
static gemp_code read_header(label_reader *r)
{
	r->key = column_of(&r->cells, "key");
	r->unit = column_of(&r->cells, "unit");
	if (r->key < 0 || r->unit < 0)
		return gemp_fail(GEMP_EDATA, "%s:1: the header has no columns key and unit; give what som apply wrote",
		                 r->path);
	return GEMP_OK;
}

/* All keys are in one text, which moves when it grows, so read_names stores pointers to the keys in names[] only at the
 * end. */
static gemp_code add_name(label_reader *r, const char *number, const char *key, size_t size)
{
	uint64_t unit;
	if (!gemp_parse_count(number, &unit) || unit >= r->units)
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": '%s' is no unit of this map; give what som apply wrote with it",
		                 r->path, r->line, number);
	GEMP_TRY(GEMP_RESERVE(r->names, r->capacity, r->count + 1));
	r->names[r->count++] = (unit_name){ (uint32_t)unit, r->line, { .size = size } };
	gemp_text_add(&r->text, key, size);
	return gemp_text_status(&r->text);
}

/* Reads a line of a table. A vector whose unit is NULL labels no unit. A number that is too long for number[] becomes
 * empty, and add_name refuses it. */
static gemp_code read_cells(label_reader *r)
{
	char number[24];
	if (r->cells.count <= (size_t)(r->key > r->unit ? r->key : r->unit))
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": has no columns key and unit", r->path, r->line);
	const gemp_text_cell *unit = &r->cells.cell[r->unit], *key = &r->cells.cell[r->key];
	snprintf(number, sizeof number, "%.*s", (int)(unit->size < sizeof number ? unit->size : 0), unit->bytes);
	return unit->null ? GEMP_OK : add_name(r, number, key->bytes, key->size);
}

/* Reads a line of a JSON Lines file. A key that is no string is shown as its JSON text. */
static gemp_code read_object(label_reader *r, const char *record, size_t size)
{
	gemp_code code = GEMP_OK;
	json_error_t error;
	json_t *object = json_loadb(record, size, JSON_DECODE_ANY, &error);
	const json_t *key = json_object_get(object, "key"), *unit = json_object_get(object, "unit");
	char number[24], *other = NULL;
	if (!json_is_object(object) || !key || !unit)
		GEMP_TRY_DONE(gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": is no object with key and unit; give what som apply wrote",
		                        r->path, r->line));
	if (json_is_null(unit))
		goto done;
	if (!json_is_integer(unit))
		GEMP_TRY_DONE(gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": unit is %s; give what som apply wrote with this map",
		                        r->path, r->line, gemp_json_kind(unit)));
	snprintf(number, sizeof number, "%lld", (long long)json_integer_value(unit));
	if (!json_is_string(key) && !(other = json_dumps(key, JSON_ENCODE_ANY)))
		GEMP_TRY_DONE(GEMP_ENOMEM);
	code = add_name(r, number, other ? other : json_string_value(key), other ? strlen(other) : json_string_length(key));
done:
	free(other);
	json_decref(object);
	return code;
}

/* Reads a record, which is a line of a table or a JSON object. Empty lines are skipped. Text that is not UTF-8 is
 * refused, as an SVG with such text would not be XML. */
static gemp_code read_record(label_reader *r, char *record, size_t size)
{
	gemp_code code = GEMP_OK;
	if (gemp_utf8_check(record, size) < size)
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": is not UTF-8", r->path, r->line);
	if (r->file_format == JSON)
		return size > 0 ? read_object(r, record, size) : GEMP_OK;
	code = r->file_format == TABS ? gemp_cells_tsv(&r->cells, record, size) : gemp_cells_csv(&r->cells, record, size);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%s:%" PRIu64 ": ", r->path, r->line);
	return r->line == 1 ? read_header(r) : size > 0 ? read_cells(r) : GEMP_OK;
}

/* Reads a plain or compressed file record by record. A record of CSV may have line breaks within quotes. */
static gemp_code read_text(label_reader *r)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	char *record;
	size_t size;
	GEMP_TRY_DONE(gemp_stream_open_once(&stream, r->path));
	for (;;) {
		GEMP_TRY_DONE(gemp_stream_next(stream, r->file_format == COMMAS, &record, &size));
		if (!record)
			break;
		r->line = gemp_stream_line(stream);
		GEMP_TRY_DONE(read_record(r, record, size));
	}
done:
	gemp_stream_close(stream);
	gemp_cells_free(&r->cells);
	return code;
}

/* Adds a row of an HDF5 file, whose keys are strings or integers. */
static gemp_code add_row(label_reader *r, size_t row, const gemp_column *keys, const gemp_column *units)
{
	const gemp_value key = gemp_column_get(keys, row), unit = gemp_column_get(units, row);
	char number[24], other[24];
	snprintf(number, sizeof number, "%" PRId64, unit.integer);
	if (key.type == GEMP_STRING)
		return add_name(r, number, key.string.bytes, key.string.size);
	snprintf(other, sizeof other, "%" PRId64, key.integer);
	return add_name(r, number, other, strlen(other));
}

/* Reads keys and units of an HDF5 file as columns. A row whose unit is NULL labels no unit. */
static gemp_code read_h5(label_reader *r)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column units = { 0 };
	GEMP_TRY(gemp_som_names_read(&keys, &units, r->path));
	for (size_t row = 0; row < units.rows; row++) {
		r->line = row + 1;
		if (!units.null || !units.null[row])
			GEMP_TRY(add_row(r, row, &keys, &units));
	}
	return GEMP_OK;
}

/* Reads all names of the file. */
static gemp_code read_names(label_reader *r)
{
	r->file_format = format_of(r->path);
	gemp_code code = r->file_format == HDF5 ? read_h5(r) : read_text(r);
	for (size_t i = 0, at = 0; code == GEMP_OK && i < r->count; at += r->names[i++].key.size)
		r->names[i].key.bytes = r->text.data + at;
	return code;
}

/* Orders bytewise: a prefix of a name precedes the name. Keys are in one text without terminators, so strcmp cannot
 * compare them. */
static int compare_names(const gemp_text_cell *a, const gemp_text_cell *b)
{
	const int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
	return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Orders names by unit, then by name, then by line. Equal names of a unit are then adjacent, in the order of the
 * file. */
static int compare_by_unit(const void *left, const void *right)
{
	const unit_name *a = left, *b = right;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	const int order = compare_names(&a->key, &b->key);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* A name that is too long is cut between characters, as an incomplete UTF-8 sequence would make the picture invalid. */
static void set_label(gemp_som_label *to, const gemp_text_cell *key)
{
	enum { MAX_LENGTH = sizeof to->text - 1 };
	size_t length = key->size < MAX_LENGTH ? key->size : MAX_LENGTH;
	while (length > 0 && length < key->size && (key->bytes[length] & 0xc0) == 0x80)
		length--;
	snprintf(to->text, sizeof to->text, "%.*s", (int)length, key->bytes);
}

/* names[count]: the sorted names of one unit. The most frequent name becomes the label. If several names are equally
 * frequent, it is the name that comes first in the file. */
static void label_unit(gemp_som_label *label, const unit_name *names, size_t count)
{
	const unit_name *best = names;
	size_t max_count = 0;
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && compare_names(&names[to].key, &names[from].key) == 0;)
			to++;
		if (to - from > max_count || (to - from == max_count && names[from].line < best->line)) {
			best = &names[from];
			max_count = to - from;
		}
	}
	set_label(label, &best->key);
	label->others = count - max_count;
}

/* Local. Sorting makes the names of a unit adjacent. A unit without a name keeps the label that the caller has
 * zeroed. */
gemp_code gemp_som_labels_read(gemp_som_label *labels, uint32_t units, const char *path)
{
	label_reader r = { .path = path, .units = units };
	gemp_code code = read_names(&r);
	if (code == GEMP_OK && r.count > 0) {
		qsort(r.names, r.count, sizeof *r.names, compare_by_unit);
		for (size_t from = 0, to; from < r.count; from = to) {
			for (to = from + 1; to < r.count && r.names[to].unit == r.names[from].unit;)
				to++;
			label_unit(&labels[r.names[from].unit], r.names + from, to - from);
		}
	}
	gemp_free(r.names);
	gemp_text_free(&r.text);
	return code;
}
