#include "api/som/som_input.h"

#include "core/memory.h"
#include "som/file/map.h"

#include <assert.h>
#include <string.h>

GEMP_RELEASE(gemp_som_model_close, gemp_som_model *)

static_assert(GEMP_SOM_UNIT_NONE == GEMP_SOM_NO_UNIT, "the public unit of a vector without values is the engine's");

void gemp_som_data_init(gemp_som_data *data)
{
	*data = (gemp_som_data){ .size = sizeof *data };
}

void gemp_som_picture_init(gemp_som_picture *picture)
{
	*picture = (gemp_som_picture){ .size = sizeof *picture };
}

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
	*out = model;
	model = NULL;
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
