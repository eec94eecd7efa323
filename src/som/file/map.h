/* map: what the engine does with the map of a file (io/som/som_file.h) and with vectors: scaling, best units, these units as columns,
 * and the steps of a training: first units, the engine's settings, quality, saving.
 *
 * Training and search work with scaled values, (x - offset) * factor for each column. The map keeps both numbers, by which vectors that
 * come later are scaled alike. Distances are floats: values that are too large for them are refused, too small ones are reported.
 */

#ifndef GEMP_SOM_FILE_MAP_H
#define GEMP_SOM_FILE_MAP_H

#include "io/arrays/vectors.h"
#include "io/som/som_file.h"
#include "partition/runtime.h"
#include "som/train/trainer.h"

/* GEMP_EDATA if vectors of `place` have more numbers than a map may have. */
gemp_code gemp_som_check_dims(const char *place, uint32_t dims);
gemp_som_grid gemp_som_grid_of(const gemp_som_map *map);

/* Collective. Sets offset and factor of the map from all ranks' vectors, by map->scaling. */
gemp_code gemp_som_scale_find(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors);
/* Collective. In place; missing values stay missing. GEMP_EDATA if a value is then too large for distances in floats. */
gemp_code gemp_som_scale_apply(const gemp_som_map *map, const gemp_comm *comm, const char *place,
                               gemp_vectors *vectors);
/* A value of a unit, scaled back to the measure of the data. */
double gemp_som_value(const gemp_som_map *map, uint32_t unit, uint32_t column);

/* [vectors' count] each; {0} is empty. */
typedef struct gemp_som_unit_list {
	uint32_t *unit, *second; /* GEMP_SOM_NO_UNIT: a vector without a value */
	float *distance;
} gemp_som_unit_list;

/* Collective. Arrays for as many vectors. */
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

/* TRAINING takes these steps in this order, with vectors that are scaled. */

/* Local. A side of the square map that suits so many vectors: about 5 sqrt(vectors) units (Vesanto and Alhoniemi 2000), and even,
 * as hexagonal toroids need it. */
uint32_t gemp_som_default_side(uint64_t vectors);
/* Local. The first radius for which 0 was given: half of the longer side, but not below the last one. */
double gemp_som_default_radius(const gemp_som_map *map);
/* Local. What the engine is to do: the epochs from map->epoch on. */
gemp_som_training gemp_som_training_of(const gemp_som_map *map);
/* Collective. The first units, by map->start. */
gemp_code gemp_som_map_start(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors);
/* Collective. Errors and hits by the map as it is, of vectors that have these units. */
gemp_code gemp_som_map_measure(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors,
                               const gemp_som_unit_list *units);
/* Collective. The map, with distances of neighbours for pictures, under its name. */
gemp_code gemp_som_map_save(gemp_som_map *map, const gemp_comm *comm, const char *path);

#endif
