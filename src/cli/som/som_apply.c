#include "api/context_state.h"
#include "cli/graph_job.h"
#include "cli/som/som.h"
#include "cli/som/som_graph.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/arrays/vectors.h"
#include "io/rows/row_writer.h"
#include "som/file/map_vectors.h"
#include "som/map/quality.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY, UNIT, X, Y, DISTANCE, SECOND, COLUMNS };

typedef struct applying {
	gemp_graph_job job;
	gemp_som_graph graph; /* whose vertices the vectors are, if they are */
	gemp_vectors vectors;
	gemp_som_map map;
	gemp_som_unit_list units;
	gemp_row_column columns[COLUMNS];
	gemp_row_turns rows;
	uint64_t first_number; /* of this rank's first vector, from 0 over all ranks */
} applying;

/* ROWS */

static gemp_value whole(uint64_t number, bool there)
{
	return (gemp_value){ .type = GEMP_INTEGER, .null = !there, .integer = (int64_t)number };
}

static gemp_code add_row(gemp_projected *columns, const applying *a, size_t i, uint64_t number)
{
	gemp_code code = GEMP_OK;
	const gemp_som_unit_list *u = &a->units;
	const bool has = u->unit[i] != GEMP_SOM_NO_UNIT;
	const gemp_value values[COLUMNS] = {
		[KEY] = gemp_column_loaded(&a->vectors.keys) ? gemp_column_get(&a->vectors.keys, i) : whole(number, true),
		[UNIT] = whole(u->unit[i], has),
		[X] = whole(u->unit[i] % a->map.columns, has),
		[Y] = whole(u->unit[i] / a->map.columns, has),
		[DISTANCE] = { .type = GEMP_FLOAT, .null = !has, .real = (double)u->distance[i] },
		[SECOND] = whole(u->second[i], u->second[i] != GEMP_SOM_NO_UNIT),
	};
	for (size_t c = 0; c < COLUMNS; c++)
		GEMP_TRY(gemp_column_add(&columns[c].value, &values[c]));
done:
	return code;
}

static gemp_code fill(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const applying *a = self;
	for (size_t i = first; i < first + count; i++)
		GEMP_PROPAGATE(add_row(columns, a, i, a->first_number + i));
	return GEMP_OK;
}

/* Collective. The vectors are read, so that it is known whether they have keys. */
static gemp_code open_rows(applying *a)
{
	const gemp_column *keys = &a->vectors.keys;
	a->columns[KEY] = (gemp_row_column){ "key", gemp_column_loaded(keys) ? keys->type : GEMP_INTEGER };
	a->columns[UNIT] = (gemp_row_column){ "unit", GEMP_INTEGER };
	a->columns[X] = (gemp_row_column){ "x", GEMP_INTEGER };
	a->columns[Y] = (gemp_row_column){ "y", GEMP_INTEGER };
	a->columns[DISTANCE] = (gemp_row_column){ "distance", GEMP_FLOAT };
	a->columns[SECOND] = (gemp_row_column){ "second", GEMP_INTEGER };
	a->rows = (gemp_row_turns){ .comm = a->job.comm,
		                        .columns = a->columns,
		                        .count = COLUMNS,
		                        .fill = fill,
		                        .self = a,
		                        .path = a->job.options->output,
		                        .info = gemp_row_info("som", NULL) };
	a->first_number = gemp_comm_exscan(a->job.comm, a->vectors.count);
	return gemp_row_turns_open(&a->rows);
}

/* Collective. */
static gemp_code write_rows(applying *a)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	GEMP_TRY(gemp_row_turns_add(&a->rows, a->vectors.count));
	code = gemp_row_turns_close(&a->rows);
	gemp_timers_add(&a->job.timers, GEMP_PHASE_WRITE, since);
done:
	return code;
}

/* SEARCH */

/* Were its vectors without a header? Or it named them just so. */
static bool has_plain_names(const gemp_som_map *map)
{
	bool plain = true;
	char name[16];
	for (uint32_t c = 0; c < map->dims && plain; c++) {
		snprintf(name, sizeof name, "x%" PRIu32, c + 1);
		plain = strcmp(map->names[c], name) == 0;
	}
	return plain;
}

/* Collective. Columns with names are those of the map, in any order; without, they are in the map's order. */
static gemp_code take_columns(applying *a)
{
	const gemp_som_map *map = &a->map;
	if (a->vectors.named && (!has_plain_names(map) || gemp_vectors_have(&a->vectors, map->names, map->dims)))
		return gemp_vectors_select(&a->vectors, a->job.comm, a->job.options->arguments[2], map->names, map->dims);
	if (a->vectors.dims != map->dims) /* on all ranks */
		return gemp_fail(GEMP_EDATA, "%s: vectors have %s, and those of %s %" PRIu32, a->job.options->arguments[2],
		                 gemp_counted(a->vectors.dims, "number").text, a->job.options->arguments[1], map->dims);
	return GEMP_OK;
}

/* Collective. */
static gemp_code report_all(applying *a)
{
	const gemp_som_map *map = &a->map;
	const gemp_vectors *v = &a->vectors;
	const gemp_som_grid grid = gemp_som_grid_of(map);
	gemp_report *report = a->job.report;
	double quantisation, topographic;
	uint64_t without = 0;
	for (size_t i = 0; i < v->count; i++)
		without += a->units.unit[i] == GEMP_SOM_NO_UNIT;
	without = gemp_comm_sum1(a->job.comm, without);
	gemp_som_errors(a->job.comm, &grid, (gemp_som_metric)map->metric, map->codebook, v->x, v->count, v->dims,
	                a->units.unit, a->units.second, &quantisation, &topographic);
	gemp_report_print(report, "%s on a map of %" PRIu32 " x %" PRIu32 " units; %s without any value\n",
	                  gemp_counted(v->total, "vector").text, map->rows, map->columns, gemp_grouped(without).text);
	gemp_som_report_errors(report, quantisation, topographic);
	gemp_report_set(report, "vectors", gemp_json_count(v->total));
	gemp_report_set(report, "without_unit", gemp_json_count(without));
	gemp_report_set(report, "missing", gemp_json_count(v->missing));
	if (a->graph.job)
		gemp_som_graph_report(&a->graph);
	return gemp_graph_job_resources(&a->job);
}

/* Collective. Of a file, or of a graph's vertices, whose features, the map's columns, are found on the devices. */
static gemp_code read_vectors(applying *a)
{
	gemp_code code = GEMP_OK;
	const gemp_options *o = a->job.options;
	const char *place = o->arguments[2];
	double since = gemp_now();
	GEMP_TRY(gemp_som_file_read(&a->map, a->job.comm, o->arguments[1]));
	GEMP_TRY(gemp_som_check_dims(o->arguments[1], a->map.dims));
	if (gemp_som_is_graph(place)) {
		gemp_timers_add(&a->job.timers, GEMP_PHASE_READ, since);
		GEMP_TRY(gemp_som_graph_open(&a->graph, &a->job, place, o->arguments[1], &a->map));
		since = gemp_now();
		GEMP_TRY(gemp_graph_job_device(&a->job));
		GEMP_TRY(gemp_som_graph_vectors(&a->vectors, &a->graph, o->output != NULL));
		gemp_timers_add(&a->job.timers, GEMP_PHASE_CONVERT, since);
	} else {
		GEMP_TRY(gemp_som_check_vectors(o, place));
		GEMP_TRY(gemp_vectors_read(&a->vectors, a->job.comm, place, o->key_column));
		GEMP_TRY(take_columns(a));
		gemp_timers_add(&a->job.timers, GEMP_PHASE_READ, since);
		GEMP_TRY(gemp_graph_job_device(&a->job));
	}
	code = gemp_som_scale_apply(&a->map, a->job.comm, place, &a->vectors);
done:
	return code;
}

/* Collective. */
static gemp_code find_units(applying *a)
{
	double since = gemp_now();
	gemp_code code = gemp_som_unit_list_find(&a->units, a->job.context, &a->map, &a->vectors);
	gemp_timers_add(&a->job.timers, GEMP_PHASE_KERNEL, since);
	return code;
}

/* Collective. */
static gemp_code write_units(applying *a)
{
	double since = gemp_now();
	gemp_code code = gemp_som_graph_write(&a->graph, &a->units, &a->map);
	gemp_timers_add(&a->job.timers, GEMP_PHASE_WRITE, since);
	return code;
}

gemp_code gemp_som_run_apply(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	applying a = { 0 };
	GEMP_TRY(gemp_graph_job_init(&a.job, report->context, options, report));
	GEMP_TRY(gemp_rows_path_check(comm, "output", options->output));
	GEMP_TRY(read_vectors(&a));
	if (options->output)
		GEMP_TRY(open_rows(&a));
	GEMP_TRY(find_units(&a));
	if (options->output)
		GEMP_TRY(write_rows(&a));
	if (a.graph.job)
		GEMP_TRY(write_units(&a));
	code = report_all(&a);
done:
	gemp_row_turns_abandon(&a.rows);
	gemp_som_map_free(&a.map);
	gemp_vectors_free(&a.vectors);
	gemp_som_unit_list_free(&a.units);
	gemp_som_graph_free(&a.graph);
	gemp_graph_job_free(&a.job);
	return code;
}
