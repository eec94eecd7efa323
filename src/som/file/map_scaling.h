#ifndef GEMP_SOM_FILE_MAP_SCALING_H
#define GEMP_SOM_FILE_MAP_SCALING_H

#include "io/arrays/vectors.h"
#include "io/som/som_file.h"
#include "som/map/grid.h"

/* GEMP_EDATA if vectors of `place` have more numbers than a map may have. */
gemp_code gemp_som_check_dims(const char *place, uint32_t dims);
gemp_som_grid gemp_som_grid_of(const gemp_som_map *map);

/* Collective. Sets offset and factor of the map from all ranks' vectors, by map->scaling. */
gemp_code gemp_som_scale_find(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors);
/* Collective. In place; missing values stay missing. GEMP_EDATA if a value is then too large for distances in floats. */
gemp_code gemp_som_scale_apply(const gemp_som_map *map, const gemp_comm *comm, const char *place,
                               gemp_vectors *vectors);
/* In the units of the user's columns. */
double gemp_som_value(const gemp_som_map *map, uint32_t unit, uint32_t column);

#endif
