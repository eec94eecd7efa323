#include "command/som.h"

#include "command/files.h"
#include "command/quantity.h"
#include "command/som_picture.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/text_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_LABEL = 24 };

/* Names of vectors on one unit. */
typedef struct label {
	char text[LONGEST_LABEL + 8];
	size_t count;
} label;

typedef struct drawing {
	const gemp_options *options;
	gemp_som_map map;
	size_t count, capacity;
	gemp_som_panel *panels; /* [count] */
	double **values;        /* [count] owned */
	size_t values_capacity;
	label *labels;          /* [units]; NULL: none are asked for */
	const char **shown;     /* [units] */
} drawing;

/* WHAT IS SHOWN */

static gemp_code add_panel(drawing *d, const char *title, double **values)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(d->panels, d->capacity, d->count + 1));
	GEMP_TRY(GEMP_RESERVE(d->values, d->values_capacity, d->count + 1));
	GEMP_TRY(GEMP_NEW(d->values[d->count], (size_t)d->map.rows * d->map.columns));
	*values = d->values[d->count];
	d->panels[d->count++] = (gemp_som_panel){ .title = title, .values = *values };
done:
	return code;
}

static gemp_code add_plane(drawing *d, uint32_t column)
{
	double *values;
	gemp_code code = add_panel(d, d->map.names[column], &values);
	for (uint32_t u = 0; code == GEMP_OK && u < d->map.rows * d->map.columns; u++)
		values[u] = gemp_som_value(&d->map, u, column);
	return code;
}

static gemp_code add_umatrix(drawing *d)
{
	double *values;
	gemp_code code = add_panel(d, "U-matrix", &values);
	for (uint32_t u = 0; code == GEMP_OK && u < d->map.rows * d->map.columns; u++)
		values[u] = (double)d->map.umatrix[u];
	return code;
}

static gemp_code add_hits(drawing *d)
{
	double *values;
	if (!d->map.hits)
		return gemp_fail(GEMP_EDATA, "--show hits: %s was kept while it was trained, and has no hits; finish it with --resume",
		                 d->options->arguments[1]);
	gemp_code code = add_panel(d, "hits", &values);
	for (uint32_t u = 0; code == GEMP_OK && u < d->map.rows * d->map.columns; u++)
		values[u] = (double)d->map.hits[u];
	return code;
}

static gemp_code unknown_column(const drawing *d, const char *name)
{
	const char *near = gemp_nearest(name, (const char *const *)d->map.names, d->map.dims);
	return gemp_fail(GEMP_EUSAGE, "--show %s: the map has no such column%s%s%s there are umatrix, hits, planes, and the "
	                 "columns of its data", name, near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "");
}

static gemp_code add_named(drawing *d, const char *name)
{
	gemp_code code = GEMP_OK;
	if (strcmp(name, "umatrix") == 0)
		return add_umatrix(d);
	if (strcmp(name, "hits") == 0)
		return add_hits(d);
	for (uint32_t c = 0; c < d->map.dims; c++)
		if (strcmp(name, d->map.names[c]) == 0)
			return add_plane(d, c);
	if (strcmp(name, "planes") != 0)
		return unknown_column(d, name);
	for (uint32_t c = 0; c < d->map.dims; c++)
		GEMP_TRY(add_plane(d, c));
done:
	return code;
}

static gemp_code choose(drawing *d)
{
	gemp_code code = GEMP_OK;
	static const char *const usual[] = { "umatrix", "planes" };
	const gemp_list *asked = &d->options->shown;
	for (size_t i = 0; i < asked->count; i++)
		GEMP_TRY(add_named(d, asked->items[i]));
	for (size_t i = 0; i < 2 && asked->count == 0; i++)
		GEMP_TRY(add_named(d, usual[i]));
done:
	return code;
}

/* LABELS */

static int64_t column_of(const gemp_cells *cells, const char *name)
{
	for (size_t c = 0; c < cells->count; c++)
		if (cells->cell[c].size == strlen(name) && memcmp(cells->cell[c].bytes, name, cells->cell[c].size) == 0)
			return (int64_t)c;
	return -1;
}

static void give(label *to, const gemp_cell *key)
{
	if (to->count++ > 0)
		return;
	int length = (int)(key->size < LONGEST_LABEL ? key->size : LONGEST_LABEL);
	while (length > 0 && length < (int)key->size && (key->bytes[length] & 0xc0) == 0x80)
		length--; /* whole characters of UTF-8 */
	snprintf(to->text, sizeof to->text, "%.*s", length, key->bytes);
}

static gemp_code read_label(drawing *d, const gemp_cells *cells, int64_t key, int64_t unit, uint64_t line)
{
	uint64_t number;
	char text[24];
	const char *file = d->options->labels_file;
	if (cells->count <= (size_t)(key > unit ? key : unit))
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": has no columns key and unit", file, line);
	const gemp_cell *cell = &cells->cell[unit];
	if (cell->null)
		return GEMP_OK;
	snprintf(text, sizeof text, "%.*s", (int)(cell->size < sizeof text ? cell->size : 0), cell->bytes);
	if (!gemp_parse_count(text, &number) || number >= (uint64_t)d->map.rows * d->map.columns)
		return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": '%s' is no unit of this map", file, line, text);
	give(&d->labels[number], &cells->cell[key]);
	return GEMP_OK;
}

static gemp_code read_labels(drawing *d, char *text)
{
	gemp_code code = GEMP_OK;
	gemp_cells cells = { 0 };
	int64_t key = -1, unit = -1;
	uint64_t line = 0;
	for (char *at = text; *at;) {
		size_t size = strcspn(at, "\n"), length = size && at[size - 1] == '\r' ? size - 1 : size;
		GEMP_TRY(gemp_cells_tsv(&cells, at, length));
		if (++line == 1) {
			key = column_of(&cells, "key");
			unit = column_of(&cells, "unit");
			if (key < 0 || unit < 0)
				GEMP_TRY(gemp_fail(GEMP_EDATA, "%s:1: the header has no columns key and unit; give what som apply wrote as .tsv",
				                   d->options->labels_file));
		} else if (length) {
			GEMP_TRY(read_label(d, &cells, key, unit, line));
		}
		at += size + (at[size] == '\n');
	}
done:
	gemp_cells_free(&cells);
	return code;
}

/* The first name on a unit, and how many more there are. */
static gemp_code label_units(drawing *d, char *text)
{
	gemp_code code = GEMP_OK;
	size_t units = (size_t)d->map.rows * d->map.columns;
	GEMP_TRY(GEMP_NEW(d->labels, units));
	GEMP_TRY(GEMP_NEW(d->shown, units));
	GEMP_TRY(read_labels(d, text));
	for (size_t u = 0; u < units; u++) {
		label *one = &d->labels[u];
		size_t length = strlen(one->text);
		if (one->count > 1 && one->count <= 9999)
			snprintf(one->text + length, sizeof one->text - length, " +%zu", one->count - 1);
		d->shown[u] = one->count ? one->text : NULL;
	}
	d->panels[0].labels = d->shown;
done:
	return code;
}

gemp_code gemp_som_run_draw(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	drawing d = { .options = options };
	char *text = NULL;
	GEMP_TRY(gemp_som_file_read(&d.map, comm, options->arguments[1]));
	const gemp_som_grid grid = gemp_som_grid_of(&d.map);
	code = choose(&d);
	if (code == GEMP_OK)
		code = gemp_som_picture_check(options->output, &grid, d.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (options->labels_file) {
		GEMP_TRY(gemp_file_read(&text, comm, "--labels", options->labels_file));
		GEMP_TRY(gemp_comm_agree(comm, label_units(&d, text)));
	}
	if (comm->rank == 0)
		code = gemp_som_picture_write(options->output, &grid, d.panels, d.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_report_print(report, "%s: %zu part%s of a map of %" PRIu32 " x %" PRIu32 " units\n", options->output, d.count,
	                  d.count == 1 ? "" : "s", d.map.rows, d.map.columns);
	gemp_report_set(report, "parts", gemp_json_count(d.count));
done:
	for (size_t i = 0; i < d.count; i++)
		gemp_free(d.values[i]);
	gemp_free(d.values);
	gemp_free(d.panels);
	gemp_free(d.labels);
	gemp_free(d.shown);
	gemp_free(text);
	gemp_som_map_free(&d.map);
	return code;
}
