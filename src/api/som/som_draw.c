/* som_draw: gemp_som_model_draw, which draws a picture of a map. Each panel shows one quantity of all units, in the
 * order of the caller's names. All ranks choose the panels, so they all find the same mistakes in the names. Rank 0
 * draws. */

#include "api/som/som_input.h"

#include "core/memory.h"
#include "core/text.h"
#include "som/picture/unit_labels.h"

#include <inttypes.h>
#include <string.h>

typedef struct drawing {
	const gemp_som_picture *picture;
	const gemp_som_model *model;
	const gemp_som_map *map; /* the map of the model */
	size_t count, capacity;
	gemp_som_panel *panels; /* [count] */
	double **values;        /* [count] owned arrays of values */
	size_t values_capacity;
	gemp_som_label *labels; /* [units]; NULL: no labels are wanted */
} drawing;

GEMP_SETTINGS(gemp_som_picture)

/* PANELS */

/* Appends a panel. *values becomes an array for the caller to fill, [units], or [3][units] for colours. */
static gemp_code add_panel(drawing *d, const char *title, gemp_som_shade shade, double **values)
{
	const size_t units = gemp_som_map_units(d->map);
	GEMP_TRY(GEMP_RESERVE(d->panels, d->capacity, d->count + 1));
	GEMP_TRY(GEMP_RESERVE(d->values, d->values_capacity, d->count + 1));
	const bool colours = shade == GEMP_SOM_SHADE_COLOURS;
	GEMP_TRY(GEMP_NEW(d->values[d->count], (colours ? 3 : 1) * units));
	*values = d->values[d->count];
	d->panels[d->count] = (gemp_som_panel){ .title = title, .shade = shade };
	for (size_t k = 0; k < (colours ? 3 : 1); k++)
		d->panels[d->count].values[k] = *values + k * units;
	d->count++;
	return GEMP_OK;
}

/* values[units] become the values of a column in the unit of the data, without the scaling. */
static void fill_plane(const drawing *d, uint32_t column, double *values)
{
	for (uint32_t u = 0; u < gemp_som_map_units(d->map); u++)
		values[u] = gemp_som_value(d->map, u, column);
}

static gemp_code add_plane(drawing *d, uint32_t column)
{
	double *values;
	GEMP_TRY(add_panel(d, d->map->names[column], GEMP_SOM_SHADE_VALUES, &values));
	fill_plane(d, column, values);
	return GEMP_OK;
}

/* Appends the U-matrix, the distances between neighbouring units, which the map stores. */
static gemp_code add_umatrix(drawing *d)
{
	double *values;
	GEMP_TRY(add_panel(d, "U-matrix", GEMP_SOM_SHADE_VALUES, &values));
	for (uint32_t u = 0; u < gemp_som_map_units(d->map); u++)
		values[u] = (double)d->map->umatrix[u];
	return GEMP_OK;
}

/* Appends a panel of hits. The hits of a unit are the vectors whose best unit it is; a map has them only after its
 * training has ended. */
static gemp_code add_hits(drawing *d)
{
	double *values;
	if (!d->map->hits)
		return gemp_fail(GEMP_EDATA,
		                 "show hits: the training of %s has not ended, so that it has no hits; end it with resume",
		                 d->model->name);
	GEMP_TRY(add_panel(d, "hits", GEMP_SOM_SHADE_COUNTS, &values));
	for (uint32_t u = 0; u < gemp_som_map_units(d->map); u++)
		values[u] = (double)d->map->hits[u];
	return GEMP_OK;
}

/* The message proposes a similar name, since the usual cause is a misspelt column. */
static gemp_code unknown_column(const drawing *d, const char *name)
{
	const char *near = gemp_text_nearest(name, (const char *const *)d->map->names, d->map->dims);
	return gemp_fail(GEMP_EUSAGE,
	                 "show %s: the map has no such column%s%s%s there are umatrix, hits, planes, the "
	                 "columns of its data, and rgb: with three of these",
	                 name, near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "");
}

/* Returns the index of a column, or -1 if the map has no such column. */
static int64_t column_of(const drawing *d, const char *name)
{
	for (uint32_t c = 0; c < d->map->dims; c++)
		if (strcmp(name, d->map->names[c]) == 0)
			return c;
	return -1;
}

/* Adds a panel that shows three columns as colours. `asked` is "RED,GREEN,BLUE", the names of the columns. */
static gemp_code add_colours(drawing *d, const char *asked)
{
	uint32_t columns[3], count = 0;
	GEMP_OWNED char *names = gemp_strdup(asked);
	char *name = NULL, *rest = NULL;
	double *values;
	if (!names)
		return GEMP_ENOMEM;
	for (name = strtok_r(names, ",", &rest); name && count < 3; name = strtok_r(NULL, ",", &rest)) {
		const int64_t column = column_of(d, name);
		if (column < 0)
			return unknown_column(d, name);
		columns[count++] = (uint32_t)column;
	}
	if (count < 3 || name)
		return gemp_fail(GEMP_EUSAGE, "show rgb:%s: three columns make a colour, as rgb:red,green,blue", asked);
	GEMP_TRY(add_panel(d, asked, GEMP_SOM_SHADE_COLOURS, &values));
	for (int k = 0; k < 3; k++)
		fill_plane(d, columns[k], values + (size_t)k * gemp_som_map_units(d->map));
	return GEMP_OK;
}

/* Adds the panels that a name denotes. The name of a column takes precedence over rgb: and planes, but not over umatrix
 * and hits. */
static gemp_code add_named(drawing *d, const char *name)
{
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
	for (uint32_t c = 0; c < d->map->dims; c++)
		GEMP_TRY(add_plane(d, c));
	return GEMP_OK;
}

/* If the caller names no panels, the picture has the U-matrix and all columns. */
static gemp_code choose_panels(drawing *d)
{
	static const char *const usual[] = { "umatrix", "planes" };
	const bool asked = d->picture->show_count > 0;
	for (size_t i = 0; i < (asked ? d->picture->show_count : 2); i++)
		GEMP_TRY(add_named(d, asked ? d->picture->show[i] : usual[i]));
	return GEMP_OK;
}

/* Collective. Rank 0 reads the labels of the first panel, since it draws. */
static gemp_code read_labels(drawing *d, const gemp_comm *comm)
{
	const uint32_t units = gemp_som_map_units(d->map);
	gemp_code code = GEMP_NEW(d->labels, units);
	if (comm->rank == 0)
		GEMP_THEN(gemp_som_labels_read(d->labels, units, d->picture->labels));
	d->panels[0].labels = d->labels;
	return gemp_comm_agree(comm, code);
}

static void free_drawing(drawing *d)
{
	for (size_t i = 0; i < d->count; i++)
		gemp_free(d->values[i]);
	gemp_free_all(d->values, d->panels, d->labels);
}

/* Every rank chooses the panels and checks the picture, so a wrong name fails on all ranks. Only rank 0 writes the
 * file, and the ranks agree on its result. */
gemp_code gemp_som_model_draw(gemp_som_model *model, const gemp_som_picture *picture, gemp_report *report)
{
	const gemp_comm *comm = &model->context->comm;
	const gemp_som_grid grid = gemp_som_grid_of(&model->map);
	const gemp_som_picture chosen = gemp_som_picture_from(picture);
	GEMP_OWNED_BY(free_drawing) drawing d = { .picture = &chosen, .model = model, .map = &model->map };
	gemp_report none;
	report = gemp_report_or(report, &none, model->context);
	if (!chosen.output)
		return gemp_fail(GEMP_EUSAGE, "output must name the picture to write, .svg or .png");
	GEMP_TRY(gemp_comm_agree(comm, choose_panels(&d)));
	if (chosen.labels)
		GEMP_TRY(read_labels(&d, comm));
	gemp_code code = gemp_som_picture_check(chosen.output, &grid, d.panels, d.count);
	if (comm->rank == 0)
		GEMP_THEN(gemp_som_picture_write(chosen.output, &grid, d.panels, d.count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_report_print(report, "%s: %zu part%s of a map of %" PRIu32 " x %" PRIu32 " units\n", chosen.output, d.count,
	                  d.count == 1 ? "" : "s", d.map->rows, d.map->columns);
	gemp_report_set(report, "parts", gemp_json_count(d.count));
	return GEMP_OK;
}
