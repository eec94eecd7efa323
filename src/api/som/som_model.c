/* som_model: opens, writes and closes a gemp_som_model, and applies it to vectors. The best unit of each vector goes to
 * columns, to rows of a file, and to attributes. */

#include "api/som/som_input.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "io/rows/row_writer.h"
#include "som/map/apply.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

GEMP_RELEASE(gemp_som_model_close, gemp_som_model *)
GEMP_RELEASE(gemp_columns_close, gemp_columns *)

/* OPEN, WRITE AND CLOSE */

static_assert(GEMP_SOM_UNIT_NONE == GEMP_SOM_NO_UNIT, "the public unit of a vector without values is the engine's");

gemp_code gemp_som_model_new(gemp_som_model **out, gemp_context *context, const char *name)
{
	*out = NULL;
	GEMP_TRY(GEMP_NEW(*out, 1));
	**out = (gemp_som_model){ .context = context, .name = gemp_strdup(name) };
	return (*out)->name ? GEMP_OK : GEMP_ENOMEM;
}

void gemp_som_model_close(gemp_som_model *model)
{
	if (!model)
		return;
	gemp_som_map_free(&model->map);
	gemp_free_all(model->name, model);
}

gemp_code gemp_som_model_open(gemp_som_model **out, gemp_context *context, const char *path)
{
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	double since = gemp_now();
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(&context->comm, gemp_som_model_new(&model, context, path)));
	GEMP_TRY(gemp_som_file_read(&model->map, &context->comm, path));
	model->seconds = gemp_now() - since;
	*out = GEMP_MOVE(model);
	return GEMP_OK;
}

gemp_code gemp_som_model_write(gemp_som_model *model, const char *path)
{
	return gemp_som_map_save(&model->map, &model->context->comm, path);
}

void gemp_som_model_info(const gemp_som_model *model, gemp_som_info *out)
{
	const gemp_som_map *map = &model->map;
	*out = (gemp_som_info){ .rows = map->rows,
		                    .columns = map->columns,
		                    .dims = map->dims,
		                    .vectors = map->samples,
		                    .quantisation = map->quantisation,
		                    .topographic = map->topographic };
}

const float *gemp_som_model_codebook(const gemp_som_model *model, const double **offset, const double **factor)
{
	if (offset)
		*offset = model->map.offset;
	if (factor)
		*factor = model->map.factor;
	return model->map.codebook;
}

/* ROWS */

/* Local. Adds a column with the numbers of this rank's vectors, which are counted from 0 over all ranks. */
static gemp_code add_numbers(gemp_table *table, uint64_t first, size_t count)
{
	gemp_column *key;
	GEMP_TRY(gemp_table_add(table, "key", GEMP_INTEGER, &key));
	GEMP_TRY(gemp_column_reserve(key, count, 0));
	for (size_t i = 0; i < count; i++)
		key->integers[i] = (int64_t)(first + i);
	key->rows = count;
	return GEMP_OK;
}

/* Collective. Makes the columns with a row for each vector. The keys move from the input to the columns. */
static gemp_code make_columns(gemp_columns **out, gemp_som_input *input, const gemp_som_unit_list *units,
                              const gemp_som_map *map)
{
	gemp_vectors *vectors = &input->vectors;
	const uint64_t first = gemp_comm_exscan(input->job.comm, vectors->count);
	GEMP_TRY(gemp_columns_new(out, input->context));
	gemp_table *table = &(*out)->table;
	gemp_code code = gemp_column_loaded(&vectors->keys) ? gemp_table_add_column(table, "key", &vectors->keys)
	                                                    : add_numbers(table, first, vectors->count);
	GEMP_THEN(gemp_som_unit_list_add(table, units, map, vectors->count, true));
	return gemp_comm_agree(input->job.comm, code);
}

/* Callback of the row writer. Fills the rows first .. first + count - 1 of this rank's columns. */
static gemp_code fill_rows(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const gemp_table *table = self;
	for (size_t c = 0; c < table->count; c++)
		GEMP_TRY(gemp_row_fill_slice(&columns[c], &table->columns[c], first, count));
	return GEMP_OK;
}

/* Collective. Writes the rows of all ranks in rank order, which is the order of the vectors. */
static gemp_code write_rows(gemp_som_input *input, const char *path, gemp_table *table)
{
	gemp_row_column columns[1 + GEMP_SOM_UNIT_COLUMNS];
	double since = gemp_now();
	for (size_t c = 0; c < table->count; c++)
		columns[c] = (gemp_row_column){ table->columns[c].name, table->columns[c].type };
	gemp_row_turns rows = { .comm = input->job.comm,
		                    .columns = columns,
		                    .count = table->count,
		                    .fill = fill_rows,
		                    .self = table,
		                    .path = path,
		                    .info = gemp_row_info("som", NULL) };
	gemp_code code = gemp_row_turns_write(&rows, table->rows);
	gemp_timers_add(&input->job.timers, GEMP_PHASE_WRITE, since);
	return code;
}

/* SEARCH */

/* Returns whether the map was trained on vectors without a header. A header with the names x1, x2, ... counts as no
 * header. */
static bool has_plain_names(const gemp_som_map *map)
{
	char name[16];
	for (uint32_t c = 0; c < map->dims; c++) {
		snprintf(name, sizeof name, "x%" PRIu32, c + 1);
		if (strcmp(map->names[c], name) != 0)
			return false;
	}
	return true;
}

/* Collective. Selects the columns with the names of the map's columns, in any order. Columns without names must have
 * the number and the order of the map's columns. */
static gemp_code match_columns(gemp_som_input *input, const gemp_som_model *model)
{
	gemp_vectors *vectors = &input->vectors;
	const gemp_som_map *map = &model->map;
	if (vectors->named && (!has_plain_names(map) || gemp_vectors_have(vectors, map->names, map->dims)))
		return gemp_vectors_select(vectors, input->job.comm, input->name, map->names, map->dims);
	if (vectors->dims != map->dims)
		return gemp_fail(GEMP_EDATA, "%s: vectors have %s, and those of %s %" PRIu32, input->name,
		                 gemp_counted(vectors->dims, "number").text, model->name, map->dims);
	return GEMP_OK;
}

/* Collective. Reports the errors of these vectors on the map. They may differ from the errors of its training. */
static gemp_code report_all(gemp_som_input *input, const gemp_som_map *map, const gemp_som_unit_list *units)
{
	const gemp_vectors *v = &input->vectors;
	const gemp_som_grid grid = gemp_som_grid_of(map);
	gemp_report *report = input->job.report;
	double quantisation, topographic, seconds = units->seconds;
	uint64_t without = 0;
	for (size_t i = 0; i < v->count; i++)
		without += units->unit[i] == GEMP_SOM_NO_UNIT;
	without = gemp_comm_sum1(input->job.comm, without);
	gemp_som_errors(input->job.comm, &grid, (gemp_som_metric)map->metric, map->codebook, v->x, v->count, v->dims,
	                units->unit, units->second, &quantisation, &topographic);
	gemp_report_print(report, "%s on a map of %" PRIu32 " x %" PRIu32 " units; %s without any value\n",
	                  gemp_counted(v->total, "vector").text, map->rows, map->columns, gemp_grouped(without).text);
	gemp_som_report_errors(report, quantisation, topographic);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, input->job.comm->world));
	gemp_report_set(report, "search_seconds", json_real(seconds));
	gemp_report_set_counts(report, { "vectors", v->total }, { "without_unit", without }, { "missing", v->missing });
	return gemp_som_input_report(input);
}

/* The first report includes the seconds of opening the map as reading. */
gemp_code gemp_som_model_apply(gemp_columns **out, gemp_som_model *model, const gemp_som_data *data,
                               const gemp_vertex_output *files, gemp_report *report)
{
	const gemp_som_map *map = &model->map;
	GEMP_OWNED_BY(gemp_som_input_free) gemp_som_input input = { 0 };
	GEMP_OWNED_BY(gemp_som_unit_list_free) gemp_som_unit_list units = { 0 };
	GEMP_OWNED_BY(gemp_columns_close_at) gemp_columns *columns = NULL;
	gemp_vertex_output to = files ? *files : (gemp_vertex_output){ 0 };
	if (out)
		*out = NULL;
	GEMP_TRY(gemp_som_input_begin(&input, model->context, data, report));
	input.job.timers.seconds[GEMP_PHASE_READ] += model->seconds;
	model->seconds = 0;
	GEMP_TRY(gemp_som_check_dims(model->name, map->dims));
	GEMP_TRY(gemp_som_input_check_files(&input, &to));
	GEMP_TRY(gemp_som_input_read(&input, model, out || to.output));
	if (!input.data.graph)
		GEMP_TRY(match_columns(&input, model));
	GEMP_TRY(gemp_som_scale_apply(map, input.job.comm, input.name, &input.vectors));
	double since = gemp_now();
	GEMP_TRY(gemp_som_unit_list_find(&units, input.job.runtime, map, &input.vectors));
	gemp_timers_add(&input.job.timers, GEMP_PHASE_KERNEL, since);
	if (out || to.output)
		GEMP_TRY(make_columns(&columns, &input, &units, map));
	if (to.output)
		GEMP_TRY(write_rows(&input, to.output, &columns->table));
	to.output =
		/* the rows are written already; gemp_som_input_write_units would write them without the second-best unit */
		NULL;
	GEMP_TRY(gemp_som_input_write_units(&input, &to, &units, map));
	GEMP_TRY(report_all(&input, map, &units));
	if (out) {
		*out = GEMP_MOVE(columns);
	}
	return GEMP_OK;
}
