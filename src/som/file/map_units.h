/* som_found: the units of vectors on a map: found, measured, and as columns of vertices. */

#ifndef GEMP_SOM_FILE_MAP_UNITS_H
#define GEMP_SOM_FILE_MAP_UNITS_H

#include "io/arrays/vectors.h"
#include "io/som/som_file.h"
#include "partition/runtime.h"

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

/* The columns that `add` makes of them. */
enum { GEMP_SOM_MAP_COLUMNS = 4 };
extern const char *const gemp_som_unit_columns[GEMP_SOM_MAP_COLUMNS]; /* unit, x, y, distance */
/* Local. `found` has `rows` rows; NULL where there is no unit. */
gemp_code gemp_som_unit_list_add(gemp_table *found, const gemp_som_unit_list *units, const gemp_som_map *map,
                                 size_t rows);

#endif
