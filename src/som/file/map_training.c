#include "som/file/map_training.h"

#include "core/memory.h"
#include "som/init/init_codebook.h"
#include "som/map/quality.h"

#include <math.h>

uint32_t gemp_som_default_side(uint64_t vectors)
{
	const double side = ceil(sqrt(5 * sqrt((double)vectors)));
	return (uint32_t)(side < 2 ? 2 : side) + ((uint32_t)side & 1);
}

double gemp_som_default_radius(const gemp_som_map *map)
{
	return fmax(map->radius_end, (map->rows > map->columns ? map->rows : map->columns) / 2.);
}

gemp_som_training gemp_som_training_of(const gemp_som_map *map)
{
	return (gemp_som_training){
		.grid = gemp_som_grid_of(map),
		.metric = (gemp_som_metric)map->metric,
		.neighbourhood = (gemp_som_neighbourhood)map->neighbourhood,
		.online = map->training == 1,
		.exponential = map->cooling == 1,
		.epochs = (uint32_t)map->epochs,
		.from = (uint32_t)map->epoch,
		.radius = map->radius,
		.radius_end = map->radius_end,
		.rate = map->rate,
		.rate_end = map->rate_end,
	};
}

gemp_code gemp_som_map_start(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *v)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	if (map->start == GEMP_SOM_START_RANDOM)
		return gemp_som_init_random(comm, &grid, v->x, v->count, v->dims, map->seed, map->codebook);
	if (map->start == GEMP_SOM_START_SAMPLES)
		return gemp_som_init_samples(comm, &grid, v->x, v->count, v->dims, map->seed, map->codebook);
	return gemp_som_init_pca(comm, &grid, v->x, v->count, v->dims, map->codebook);
}

gemp_code gemp_som_map_measure(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *v,
                               const gemp_som_unit_list *units)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	gemp_free(map->hits);
	map->hits = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(map->hits, gemp_som_units(&grid))));
	gemp_som_errors(comm, &grid, (gemp_som_metric)map->metric, map->codebook, v->x, v->count, v->dims, units->unit,
	                units->second, &map->quantisation, &map->topographic);
	gemp_som_hits(comm, &grid, units->unit, v->count, map->hits);
	return GEMP_OK;
}

gemp_code gemp_som_map_save(gemp_som_map *map, const gemp_comm *comm, const char *path)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	const size_t units = gemp_som_units(&grid);
	GEMP_OWNED double *distances = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(distances, units)));
	gemp_som_umatrix(&grid, map->codebook, map->dims, distances);
	for (size_t u = 0; u < units; u++)
		map->umatrix[u] = (float)distances[u];
	return gemp_som_file_write(map, comm, path);
}
