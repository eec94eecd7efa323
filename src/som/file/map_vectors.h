/* map_vectors: the vectors of a file and the map in a file: how columns are scaled, which units vectors have, and these units as
 * columns of vertices.
 *
 * Training works with scaled values, (x - offset) * factor for each column; the map's file has both, so that others can be
 * scaled alike. Distances are floats, so that values that are too large or too small for them are refused or reported.
 */

#ifndef GEMP_SOM_FILE_MAP_VECTORS_H
#define GEMP_SOM_FILE_MAP_VECTORS_H

#include "io/arrays/vectors.h"
#include "io/som/som_file.h"
#include "partition/runtime.h"
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

/* [vectors' count] each; {0} is empty. */
typedef struct gemp_som_unit_list {
	uint32_t *unit, *second; /* GEMP_SOM_NO_UNIT: a vector without a value */
	float *distance;
} gemp_som_unit_list;

/* Collective. Room for as many vectors. */
gemp_code gemp_som_unit_list_new(gemp_som_unit_list *out, const gemp_comm *comm, size_t count);
/* Collective. Of scaled vectors, which have as many columns as the map. */
gemp_code gemp_som_unit_list_find(gemp_som_unit_list *out, const gemp_runtime *context, const gemp_som_map *map,
                                  const gemp_vectors *vectors);
void gemp_som_unit_list_free(gemp_som_unit_list *units);

/* Columns that gemp_som_unit_list_add makes: the first ones are attributes of vertices, all of them are rows. */
enum { GEMP_SOM_MAP_COLUMNS = 4, GEMP_SOM_UNIT_COLUMNS };
extern const char *const gemp_som_unit_columns[GEMP_SOM_UNIT_COLUMNS]; /* unit, x, y, distance; second */
/* Local. `found` has `rows` rows; NULL where there is no unit. with_second: the second-best unit, too. */
gemp_code gemp_som_unit_list_add(gemp_table *found, const gemp_som_unit_list *units, const gemp_som_map *map,
                                 size_t rows, bool with_second);

#endif
