/* map_training: the steps of a training that read or fill the map of a file: first units, the engine's settings, quality, saving.
 * The command som train and gemp/som.h go through them in this order. Vectors are scaled (map_vectors.h).
 */

#ifndef GEMP_SOM_FILE_MAP_TRAINING_H
#define GEMP_SOM_FILE_MAP_TRAINING_H

#include "som/file/map_vectors.h"
#include "som/train/training.h"

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
