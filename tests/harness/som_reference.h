/* som_reference: self-organising maps by their definition, in double precision, one pair of sample and unit after
 * another. Shares no code with src/som. */
#ifndef GEMP_TESTS_SOM_REFERENCE_H
#define GEMP_TESTS_SOM_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct som_reference_map {
	uint32_t rows, columns;
	bool hexagonal, toroid;
} som_reference_map;

/* In the order of gemp_som_metric and gemp_som_neighbourhood. */
typedef enum som_reference_metric { SOM_BY_SQUARES, SOM_BY_AMOUNTS, SOM_BY_ANGLE } som_reference_metric;
typedef enum som_reference_near {
	SOM_NEAR_GAUSSIAN,
	SOM_NEAR_GAUSSIAN_CUT,
	SOM_NEAR_BUBBLE,
	SOM_NEAR_SQUARE
} som_reference_near;

#define SOM_REFERENCE_NONE UINT32_MAX

/* Returns the distance between the positions of two units. On a toroid it is the shortest of all ways around. */
double som_reference_apart(const som_reference_map *map, uint32_t a, uint32_t b);
/* Returns the neighbourhood weight h(a, b; radius). */
double som_reference_weight(const som_reference_map *map, som_reference_near near, uint32_t a, uint32_t b,
                            double radius);

/* Returns the distance between a sample and the vector of a unit, over the values that are not NaN, or NaN if all
 * values are NaN. */
double som_reference_distance(som_reference_metric metric, const float *x, const double *w, uint32_t dims);
/* Writes unit[count], the nearest unit of each sample; of several nearest units the first, and SOM_REFERENCE_NONE for a
 * sample without values. second[count] is the nearest of the other units, and distance[count] the distance from unit[].
 * Both may be NULL. */
void som_reference_search(som_reference_metric metric, const float *x, size_t count, const double *w, uint32_t units,
                          uint32_t dims, uint32_t *unit, double *distance, uint32_t *second);

/* Writes w[units][dims] after one epoch of batch training, in which unit[i] is the best-matching unit of sample i. */
void som_reference_batch(const som_reference_map *map, som_reference_near near, double radius, const float *x,
                         size_t count, uint32_t dims, const uint32_t *unit, double *w);
void som_reference_online(const som_reference_map *map, som_reference_near near, double radius, double rate,
                          const float *x, size_t count, uint32_t dims, const uint32_t *unit, double *w);

#endif
