/* map: operations on a map of a file (io/som/som_file.h) and vectors: scaling, best units, and the columns of a table
 * that name these units. The module also has the steps of a training: first codebook, settings of the engine, quality,
 * saving.
 *
 * Training and search work with scaled values, (x - offset) * factor for each column. The map stores both numbers, so
 * later vectors are scaled in the same way. Distances are floats. Values that are too large for float distances are
 * refused. If all values are too small, a warning is printed. */

#ifndef GEMP_SOM_FILE_MAP_H
#define GEMP_SOM_FILE_MAP_H

#include "io/arrays/vectors.h"
#include "io/som/som_file.h"
#include "partition/runtime.h"
#include "som/train/trainer.h"

/* Local. Returns GEMP_EDATA if vectors have more numbers than a map may have. The message begins with `place`. */
gemp_code gemp_som_check_dims(const char *place, uint32_t dims);
gemp_som_grid gemp_som_grid_of(const gemp_som_map *map);

/* Collective. Computes offset and factor of the map from all ranks' vectors, by map->scaling. */
gemp_code gemp_som_scale_find(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors);
/* Collective. Scales the vectors in place. Missing values stay missing. Returns GEMP_EDATA if a scaled value is too
 * large for distances in floats. The message begins with `place`. */
gemp_code gemp_som_scale_apply(const gemp_som_map *map, const gemp_comm *comm, const char *place,
                               gemp_vectors *vectors);
/* Local. Returns a value of a unit, scaled back to the unit of measure of the data. */
double gemp_som_value(const gemp_som_map *map, uint32_t unit, uint32_t column);

/* The units of some vectors, by vector. {0} is an empty list. */
typedef struct gemp_som_unit_list {
	uint32_t *unit, *second; /* best and second-best unit; GEMP_SOM_NO_UNIT if there is none */
	float *distance;         /* distance to the best unit */
	double seconds;          /* time of this rank's search (gemp_som_apply) */
} gemp_som_unit_list;

/* Collective. Allocates the arrays for `count` vectors. */
gemp_code gemp_som_unit_list_new(gemp_som_unit_list *out, const gemp_comm *comm, size_t count);
/* Collective. Finds the units of scaled vectors. The vectors have as many columns as the map. */
gemp_code gemp_som_unit_list_find(gemp_som_unit_list *out, const gemp_runtime *context, const gemp_som_map *map,
                                  const gemp_vectors *vectors);
void gemp_som_unit_list_free(gemp_som_unit_list *units);

/* The columns that gemp_som_unit_list_add makes. A graph file stores the first GEMP_SOM_MAP_COLUMNS columns as
 * attributes. Tables have all columns. */
enum { GEMP_SOM_MAP_COLUMNS = 4, GEMP_SOM_UNIT_COLUMNS };
extern const char *const gemp_som_unit_columns[GEMP_SOM_UNIT_COLUMNS]; /* "unit", "x", "y", "distance", "second" */
/* Local. Adds the columns to a table of `rows` rows. Values are NULL if a vector has no unit. with_second: also adds
 * the second-best unit. */
gemp_code gemp_som_unit_list_add(gemp_table *table, const gemp_som_unit_list *units, const gemp_som_map *map,
                                 size_t rows, bool with_second);

/* TRAINING: a training calls these functions in this order, with scaled vectors. */

/* Local. Returns the default side of a square map for this number of vectors. The map has about 5 sqrt(vectors) units
 * (Vesanto and Alhoniemi 2000). The side is even, as hexagonal toroids need an even number of rows. */
uint32_t gemp_som_default_side(uint64_t vectors);
/* Local. Returns the default of the first radius: half of the longer side, or the last radius if this is larger. */
double gemp_som_default_radius(const gemp_som_map *map);
/* Local. Returns the engine's settings for the epochs from map->epoch on. */
gemp_som_training gemp_som_training_of(const gemp_som_map *map);
/* Collective. Makes the first codebook, by map->start. */
gemp_code gemp_som_map_start(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors);
/* Collective. Sets errors and hits of the map, from vectors and their units. */
gemp_code gemp_som_map_measure(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors,
                               const gemp_som_unit_list *units);
/* Collective. Computes the distances of neighbouring units, which pictures show, and writes the map. */
gemp_code gemp_som_map_save(gemp_som_map *map, const gemp_comm *comm, const char *path);

#endif
