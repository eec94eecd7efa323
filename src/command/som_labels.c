#include "command/som_labels.h"

#include "command/quantity.h"
#include "core/memory.h"
#include "io/text_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_UNIT UINT32_MAX

/* Of a vector, on a unit. */
typedef struct name {
	uint32_t unit;
	uint64_t line;
	gemp_cell key;      /* in the file's text */
} name;

/* Where columns are. */
typedef struct layout {
	const char *path;
	uint64_t line;
	int64_t key, unit;
} layout;

static int64_t column_of(const gemp_cells *cells, const char *name)
{
	for (size_t c = 0; c < cells->count; c++)
		if (cells->cell[c].size == strlen(name) && memcmp(cells->cell[c].bytes, name, cells->cell[c].size) == 0)
			return (int64_t)c;
	return -1;
}

static gemp_code read_header(layout *at, const gemp_cells *cells)
{
	at->key = column_of(cells, "key");
	at->unit = column_of(cells, "unit");
	if (at->key < 0 || at->unit < 0)
		return gemp_fail(GEMP_EDATA, "%s:1: the header has no columns key and unit; give what som apply wrote as .tsv",
		                 at->path);
	return GEMP_OK;
}

static gemp_code read_line(name *out, uint32_t units, const layout *at, const gemp_cells *cells)
{
	uint64_t number;
	char text[24];
	if (cells->count <= (size_t)(at->key > at->unit ? at->key : at->unit))
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": has no columns key and unit", at->path, at->line);
	const gemp_cell *cell = &cells->cell[at->unit];
	*out = (name){ .unit = NO_UNIT };
	if (cell->null)
		return GEMP_OK;
	snprintf(text, sizeof text, "%.*s", (int)(cell->size < sizeof text ? cell->size : 0), cell->bytes);
	if (!gemp_parse_count(text, &number) || number >= units)
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": '%s' is no unit of this map; give what som apply wrote with it",
		                 at->path, at->line, text);
	*out = (name){ (uint32_t)number, at->line, cells->cell[at->key] };
	return GEMP_OK;
}

/* All names of units; *out is owned by the caller. */
static gemp_code read_names(name **out, size_t *count, uint32_t units, const char *text, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_cells cells = { 0 };
	layout at = { .path = path };
	size_t capacity = 0;
	for (const char *line = text; *line;) {
		const size_t size = strcspn(line, "\n"), length = size && line[size - 1] == '\r' ? size - 1 : size;
		at.line++;
		if (gemp_utf8_check(line, length) < length)
			GEMP_TRY(gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": is not UTF-8", path, at.line));
		GEMP_TRY(gemp_cells_tsv(&cells, line, length));
		if (at.line == 1) {
			GEMP_TRY(read_header(&at, &cells));
		} else if (length > 0) {
			GEMP_TRY(GEMP_RESERVE(*out, capacity, *count + 1));
			GEMP_TRY(read_line(&(*out)[*count], units, &at, &cells));
			*count += (*out)[*count].unit != NO_UNIT;
		}
		line += size + (line[size] == '\n');
	}
	if (at.line == 0)
		code = read_header(&at, &cells); /* of a file without any */
done:
	gemp_cells_free(&cells);
	return code;
}

static int compare_names(const gemp_cell *a, const gemp_cell *b)
{
	const int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
	return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* By unit, name and line. */
static int compare(const void *left, const void *right)
{
	const name *a = left, *b = right;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	const int order = compare_names(&a->key, &b->key);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static void give(gemp_som_label *to, const gemp_cell *key)
{
	enum { LONGEST = sizeof to->text - 1 };
	size_t length = key->size < LONGEST ? key->size : LONGEST;
	while (length > 0 && length < key->size && (key->bytes[length] & 0xc0) == 0x80)
		length--; /* whole characters of UTF-8 */
	snprintf(to->text, sizeof to->text, "%.*s", (int)length, key->bytes);
}

/* Sorted names of one unit. */
static void label_unit(gemp_som_label *label, const name *names, size_t count)
{
	const name *best = names;
	size_t most = 0;
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && compare_names(&names[to].key, &names[from].key) == 0;)
			to++;
		if (to - from > most || (to - from == most && names[from].line < best->line)) {
			best = &names[from];
			most = to - from;
		}
	}
	give(label, &best->key);
	label->others = count - most;
}

gemp_code gemp_som_labels_read(gemp_som_label *labels, uint32_t units, const char *text, const char *path)
{
	name *names = NULL;
	size_t count = 0;
	gemp_code code = read_names(&names, &count, units, text, path);
	if (code == GEMP_OK && count > 0) {
		qsort(names, count, sizeof *names, compare);
		for (size_t from = 0, to; from < count; from = to) {
			for (to = from + 1; to < count && names[to].unit == names[from].unit;)
				to++;
			label_unit(&labels[names[from].unit], names + from, to - from);
		}
	}
	gemp_free(names);
	return code;
}
