#include "cli/som/som.h"
#include "core/memory.h"
#include "core/text.h"
#include "som/file/map_vectors.h"
#include "som/picture/unit_labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct drawing {
	const gemp_options *options;
	gemp_som_map map;
	size_t count, capacity;
	gemp_som_panel *panels; /* [count] */
	double **values;        /* [count] owned */
	size_t values_capacity;
	gemp_som_label *labels; /* [units]; NULL: none are asked for */
} drawing;

/* WHAT IS SHOWN */

/* values: [units] to fill, of colours [3][units]. */
static gemp_code add_panel(drawing *d, const char *title, gemp_som_shade shade, double **values)
{
	gemp_code code = GEMP_OK;
	const size_t units = gemp_som_map_units(&d->map);
	GEMP_TRY(GEMP_RESERVE(d->panels, d->capacity, d->count + 1));
	GEMP_TRY(GEMP_RESERVE(d->values, d->values_capacity, d->count + 1));
	const bool colours = shade == GEMP_SOM_SHADE_COLOURS;
	GEMP_TRY(GEMP_NEW(d->values[d->count], (colours ? 3 : 1) * units));
	*values = d->values[d->count];
	d->panels[d->count] = (gemp_som_panel){ .title = title, .shade = shade };
	for (size_t k = 0; k < (colours ? 3 : 1); k++)
		d->panels[d->count].values[k] = *values + k * units;
	d->count++;
done:
	return code;
}

static void fill_plane(const drawing *d, uint32_t column, double *values)
{
	for (uint32_t u = 0; u < gemp_som_map_units(&d->map); u++)
		values[u] = gemp_som_value(&d->map, u, column);
}

static gemp_code add_plane(drawing *d, uint32_t column)
{
	double *values;
	gemp_code code = add_panel(d, d->map.names[column], GEMP_SOM_SHADE_VALUES, &values);
	if (code == GEMP_OK)
		fill_plane(d, column, values);
	return code;
}

static gemp_code add_umatrix(drawing *d)
{
	double *values;
	gemp_code code = add_panel(d, "U-matrix", GEMP_SOM_SHADE_VALUES, &values);
	for (uint32_t u = 0; code == GEMP_OK && u < gemp_som_map_units(&d->map); u++)
		values[u] = (double)d->map.umatrix[u];
	return code;
}

static gemp_code add_hits(drawing *d)
{
	double *values;
	if (!d->map.hits)
		return gemp_fail(GEMP_EDATA,
		                 "--show hits: %s was kept while it was trained, and has no hits; finish it with "
		                 "--resume",
		                 d->options->arguments[1]);
	gemp_code code = add_panel(d, "hits", GEMP_SOM_SHADE_COUNTS, &values);
	for (uint32_t u = 0; code == GEMP_OK && u < gemp_som_map_units(&d->map); u++)
		values[u] = (double)d->map.hits[u];
	return code;
}

static gemp_code unknown_column(const drawing *d, const char *name)
{
	const char *near = gemp_text_nearest(name, (const char *const *)d->map.names, d->map.dims);
	return gemp_fail(GEMP_EUSAGE,
	                 "--show %s: the map has no such column%s%s%s there are umatrix, hits, planes, the "
	                 "columns of its data, and rgb: with three of these",
	                 name, near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "");
}

/* -1: there is none. */
static int64_t column_of(const drawing *d, const char *name)
{
	for (uint32_t c = 0; c < d->map.dims; c++)
		if (strcmp(name, d->map.names[c]) == 0)
			return c;
	return -1;
}

/* asked: "RED,GREEN,BLUE". */
static gemp_code add_colours(drawing *d, const char *asked)
{
	gemp_code code = GEMP_OK;
	uint32_t columns[3], count = 0;
	char *name = NULL, *rest = NULL, *names = gemp_strdup(asked);
	double *values;
	if (!names)
		return GEMP_ENOMEM;
	for (name = strtok_r(names, ",", &rest); name && count < 3; name = strtok_r(NULL, ",", &rest)) {
		const int64_t column = column_of(d, name);
		if (column < 0)
			GEMP_TRY(unknown_column(d, name));
		columns[count++] = (uint32_t)column;
	}
	if (count < 3 || name)
		GEMP_TRY(gemp_fail(GEMP_EUSAGE, "--show rgb:%s: three columns make a colour, as rgb:red,green,blue", asked));
	GEMP_TRY(add_panel(d, asked, GEMP_SOM_SHADE_COLOURS, &values));
	for (int k = 0; k < 3; k++)
		fill_plane(d, columns[k], values + (size_t)k * gemp_som_map_units(&d->map));
done:
	gemp_free(names);
	return code;
}

static gemp_code add_named(drawing *d, const char *name)
{
	gemp_code code = GEMP_OK;
	const int64_t column = column_of(d, name);
	if (strcmp(name, "umatrix") == 0)
		return add_umatrix(d);
	if (strcmp(name, "hits") == 0)
		return add_hits(d);
	if (column >= 0)
		return add_plane(d, (uint32_t)column);
	if (strncmp(name, "rgb:", strlen("rgb:")) == 0)
		return add_colours(d, name + strlen("rgb:"));
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

/* Collective. Of the first part, on rank 0, which draws. */
static gemp_code read_labels(drawing *d, gemp_comm *comm)
{
	const uint32_t units = gemp_som_map_units(&d->map);
	gemp_code code = GEMP_NEW(d->labels, units);
	if (code == GEMP_OK && comm->rank == 0)
		code = gemp_som_labels_read(d->labels, units, d->options->labels_file);
	d->panels[0].labels = d->labels;
	return gemp_comm_agree(comm, code);
}

gemp_code gemp_som_run_draw(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	drawing d = { .options = options };
	GEMP_TRY(gemp_som_file_read(&d.map, comm, options->arguments[1]));
	const gemp_som_grid grid = gemp_som_grid_of(&d.map);
	GEMP_TRY(gemp_comm_agree(comm, choose(&d)));
	if (options->labels_file)
		GEMP_TRY(read_labels(&d, comm));
	code = gemp_som_picture_check(options->output, &grid, d.panels, d.count);
	if (code == GEMP_OK && comm->rank == 0)
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
	gemp_som_map_free(&d.map);
	return code;
}
