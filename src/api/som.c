#include "gemp/som.h"

#include "api/context_state.h"
#include "core/memory.h"
#include "som/file/map_training.h"
#include "som/map/search.h"
#include "som/train/train.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert(GEMP_SOM_UNIT_NONE == GEMP_SOM_NO_UNIT, "the public unit of a vector without values is the engine's");

struct gemp_som_model {
	gemp_context *context; /* borrowed */
	gemp_som_map map;
};

void gemp_som_settings_init(gemp_som_settings *settings)
{
	*settings = (gemp_som_settings){ .size = sizeof *settings,
		                             .start = GEMP_SOM_START_PCA,
		                             .epochs = 20,
		                             .radius_end = 1,
		                             .rate = .1,
		                             .rate_end = .01,
		                             .seed = 1 };
}

/* Collective. A copy of the caller's vectors, which scaling may change. */
static gemp_code copy_vectors(gemp_vectors *out, const gemp_comm *comm, const float *vectors, size_t count,
                              uint32_t dims)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_vectors){ .count = count, .dims = dims, .total = gemp_comm_sum1(comm, count) };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->x, count * dims)));
	if (count)
		memcpy(out->x, vectors, count * dims * sizeof *vectors);
done:
	return code;
}

/* Local. Columns are called x1, x2, ..., as those of a table without header. */
static gemp_code name_columns(gemp_som_map *map)
{
	char name[16];
	for (uint32_t c = 0; c < map->dims; c++) {
		snprintf(name, sizeof name, "x%" PRIu32, c + 1);
		map->names[c] = gemp_strdup(name);
		if (!map->names[c])
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

static gemp_code check_settings(const gemp_som_settings *s)
{
	if ((unsigned)s->lattice > GEMP_SOM_HEXAGONAL || (unsigned)s->metric > GEMP_SOM_COSINE ||
	    (unsigned)s->neighbourhood > GEMP_SOM_SQUARE || (unsigned)s->start > GEMP_SOM_START_PCA ||
	    (unsigned)s->scaling > GEMP_SOM_SCALE_STANDARD)
		return gemp_fail(GEMP_EUSAGE, "lattice, metric, neighbourhood, start or scaling is none of its type");
	if (s->epochs == 0 || s->epochs > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "epochs must be 1 to 2147483647; got %" PRIu32, s->epochs);
	return GEMP_OK;
}

/* Local. A map of these settings, without values. */
static gemp_code new_map(gemp_som_map *map, const gemp_som_settings *s, const gemp_vectors *vectors)
{
	gemp_code code = GEMP_OK;
	const bool chosen = s->rows || s->columns;
	const uint32_t side = gemp_som_default_side(vectors->total);
	const gemp_som_grid grid = { chosen ? s->rows : side, chosen ? s->columns : side, s->lattice, s->toroid };
	GEMP_TRY(check_settings(s));
	if (vectors->total == 0 || vectors->dims == 0)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "there are no vectors to train a map on"));
	GEMP_TRY(gemp_som_check_dims("the array", vectors->dims));
	GEMP_TRY(gemp_som_grid_check(&grid));
	GEMP_TRY(gemp_som_map_new(map, grid.rows, grid.columns, vectors->dims));
	map->grid = s->lattice;
	map->topology = s->toroid;
	map->metric = s->metric;
	map->neighbourhood = s->neighbourhood;
	map->cooling = s->exponential;
	map->training = s->online;
	map->start = s->start;
	map->scaling = s->scaling;
	map->seed = s->seed;
	map->epochs = s->epochs;
	map->samples = vectors->total;
	map->radius_end = s->radius_end;
	map->radius = s->radius > 0 ? s->radius : gemp_som_default_radius(map);
	map->rate = s->rate;
	map->rate_end = s->rate_end;
	const gemp_som_training how = gemp_som_training_of(map);
	GEMP_TRY(gemp_som_training_check(&how));
	code = name_columns(map);
done:
	return code;
}

/* Collective. */
static gemp_code train(gemp_som_map *map, gemp_context *context, gemp_vectors *vectors)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &context->comm;
	gemp_runtime *runtime;
	gemp_som_unit_list units = { 0 };
	gemp_som_training how = gemp_som_training_of(map);
	GEMP_TRY(gemp_som_scale_find(map, comm, vectors));
	GEMP_TRY(gemp_som_scale_apply(map, comm, "the array", vectors));
	GEMP_TRY(gemp_som_map_start(map, comm, vectors));
	GEMP_TRY(gemp_context_runtime(&runtime, context, false, NULL));
	GEMP_TRY(gemp_som_unit_list_new(&units, comm, vectors->count));
	const gemp_som_places places = { units.unit, units.second, units.distance };
	how.places = &places;
	GEMP_TRY(gemp_som_train(comm, runtime->device, &how, vectors->x, vectors->count, vectors->dims, map->codebook, NULL,
	                        NULL, NULL));
	map->epoch = map->epochs;
	code = gemp_som_map_measure(map, comm, vectors, &units);
done:
	gemp_som_unit_list_free(&units);
	return code;
}

/* Collective. */
static gemp_code new_model(gemp_som_model **out, gemp_context *context)
{
	*out = NULL;
	gemp_code code = gemp_comm_agree(&context->comm, GEMP_NEW(*out, 1));
	if (code == GEMP_OK) {
		(*out)->context = context;
	} else {
		gemp_free(*out);
		*out = NULL;
	}
	return code;
}

gemp_code gemp_som_model_train(gemp_som_model **out, gemp_context *context, const float *vectors, size_t count,
                               uint32_t dims, const gemp_som_settings *settings)
{
	gemp_code code = GEMP_OK;
	gemp_som_model *model = NULL;
	gemp_vectors copy = { 0 };
	gemp_som_settings chosen;
	gemp_som_settings_init(&chosen);
	if (settings)
		gemp_options_copy(&chosen, sizeof chosen, settings);
	*out = NULL;
	GEMP_TRY(new_model(&model, context));
	GEMP_TRY(copy_vectors(&copy, &context->comm, vectors, count, dims));
	GEMP_TRY(gemp_comm_agree(&context->comm, new_map(&model->map, &chosen, &copy)));
	GEMP_TRY(train(&model->map, context, &copy));
	*out = model;
	model = NULL;
done:
	gemp_vectors_free(&copy);
	gemp_som_model_close(model);
	return code;
}

gemp_code gemp_som_model_open(gemp_som_model **out, gemp_context *context, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_som_model *model = NULL;
	*out = NULL;
	GEMP_TRY(new_model(&model, context));
	GEMP_TRY(gemp_som_file_read(&model->map, &context->comm, path));
	GEMP_TRY(gemp_som_check_dims(path, model->map.dims));
	*out = model;
	model = NULL;
done:
	gemp_som_model_close(model);
	return code;
}

gemp_code gemp_som_model_write(gemp_som_model *model, const char *path)
{
	return gemp_som_map_save(&model->map, &model->context->comm, path);
}

void gemp_som_model_close(gemp_som_model *model)
{
	if (!model)
		return;
	gemp_som_map_free(&model->map);
	gemp_free(model);
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

gemp_code gemp_som_model_apply(gemp_som_model *model, const float *vectors, size_t count, uint32_t dims, uint32_t *unit,
                               uint32_t *second, float *distance)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &model->context->comm;
	gemp_runtime *runtime;
	gemp_vectors copy = { 0 };
	gemp_som_unit_list units = { 0 };
	if (dims != model->map.dims)
		return gemp_fail(GEMP_EDATA, "vectors have %" PRIu32 " numbers, and those of the map %" PRIu32, dims,
		                 model->map.dims);
	GEMP_TRY(copy_vectors(&copy, comm, vectors, count, dims));
	GEMP_TRY(gemp_som_scale_apply(&model->map, comm, "the array", &copy));
	GEMP_TRY(gemp_context_runtime(&runtime, model->context, false, NULL));
	GEMP_TRY(gemp_som_unit_list_find(&units, runtime, &model->map, &copy));
	if (count) {
		memcpy(unit, units.unit, count * sizeof *unit);
		if (second)
			memcpy(second, units.second, count * sizeof *second);
		if (distance)
			memcpy(distance, units.distance, count * sizeof *distance);
	}
done:
	gemp_vectors_free(&copy);
	gemp_som_unit_list_free(&units);
	return code;
}
