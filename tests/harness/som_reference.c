/* A simple implementation of self-organising maps in double precision, with which tests compare. */
#include "harness/som_reference.h"

#include <math.h>

typedef struct place {
	double x, y;
} place;

static place place_of(const som_reference_map *map, uint32_t unit)
{
	uint32_t row = unit / map->columns, column = unit % map->columns;
	if (!map->hexagonal)
		return (place){ column, row };
	return (place){ column + (row % 2 == 1 ? 0.5 : 0), row * sqrt(3) / 2 };
}

/* Returns the vector from a to b. On a toroid it is the shortest vector from a to an image of b. */
static place way_of(const som_reference_map *map, uint32_t a, uint32_t b)
{
	place from = place_of(map, a), to = place_of(map, b), best = { to.x - from.x, to.y - from.y };
	double height = map->rows * (map->hexagonal ? sqrt(3) / 2 : 1);
	for (int i = map->toroid ? -1 : 0; i <= (map->toroid ? 1 : 0); i++)
		for (int j = map->toroid ? -1 : 0; j <= (map->toroid ? 1 : 0); j++) {
			place way = { to.x + i * (double)map->columns - from.x, to.y + j * height - from.y };
			if (hypot(way.x, way.y) < hypot(best.x, best.y))
				best = way;
		}
	return best;
}

double som_reference_apart(const som_reference_map *map, uint32_t a, uint32_t b)
{
	place way = way_of(map, a, b);
	return hypot(way.x, way.y);
}

double som_reference_weight(const som_reference_map *map, som_reference_near near, uint32_t a, uint32_t b,
                            double radius)
{
	place way = way_of(map, a, b);
	double apart = hypot(way.x, way.y), bell = exp(-apart * apart / (2 * radius * radius));
	radius *= 1 + 1e-9; /* positions on a hexagonal grid are rounded */
	switch (near) {
	case SOM_NEAR_GAUSSIAN: return bell;
	case SOM_NEAR_GAUSSIAN_CUT: return apart <= radius ? bell : 0;
	case SOM_NEAR_BUBBLE: return apart <= radius;
	default: return fabs(way.x) <= radius && fabs(way.y) <= radius;
	}
}

double som_reference_distance(som_reference_metric metric, const float *x, const double *w, uint32_t dims)
{
	double squares = 0, amounts = 0, product = 0, of_x = 0, of_w = 0;
	uint32_t there = 0;
	for (uint32_t d = 0; d < dims; d++) {
		double value = x[d];
		if (isnan(value))
			continue;
		there++;
		squares += (value - w[d]) * (value - w[d]);
		amounts += fabs(value - w[d]);
		product += value * w[d];
		of_x += value * value;
		of_w += w[d] * w[d];
	}
	if (there == 0)
		return NAN;
	if (metric == SOM_BY_SQUARES)
		return sqrt(squares);
	if (metric == SOM_BY_AMOUNTS)
		return amounts;
	return of_x > 0 && of_w > 0 ? 1 - product / sqrt(of_x * of_w) : 1;
}

void som_reference_search(som_reference_metric metric, const float *x, size_t count, const double *w, uint32_t units,
                          uint32_t dims, uint32_t *unit, double *distance, uint32_t *second)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t found[2] = { SOM_REFERENCE_NONE, SOM_REFERENCE_NONE };
		double best[2] = { INFINITY, INFINITY };
		for (uint32_t u = 0; u < units; u++) {
			double here = som_reference_distance(metric, x + i * dims, w + (size_t)u * dims, dims);
			if (here < best[0]) {
				best[1] = best[0];
				found[1] = found[0];
				best[0] = here;
				found[0] = u;
			} else if (here < best[1]) {
				best[1] = here;
				found[1] = u;
			}
		}
		unit[i] = found[0];
		if (distance)
			distance[i] = found[0] == SOM_REFERENCE_NONE ? NAN : best[0];
		if (second)
			second[i] = found[1];
	}
}

void som_reference_batch(const som_reference_map *map, som_reference_near near, double radius, const float *x,
                         size_t count, uint32_t dims, const uint32_t *unit, double *w)
{
	for (uint32_t u = 0; u < map->rows * map->columns; u++)
		for (uint32_t d = 0; d < dims; d++) {
			double sum = 0, weights = 0;
			for (size_t i = 0; i < count; i++) {
				if (unit[i] == SOM_REFERENCE_NONE || isnan(x[i * dims + d]))
					continue;
				double weight = som_reference_weight(map, near, u, unit[i], radius);
				sum += weight * x[i * dims + d];
				weights += weight;
			}
			if (weights > 0)
				w[(size_t)u * dims + d] = sum / weights;
		}
}

void som_reference_online(const som_reference_map *map, som_reference_near near, double radius, double rate,
                          const float *x, size_t count, uint32_t dims, const uint32_t *unit, double *w)
{
	for (size_t i = 0; i < count; i++)
		for (uint32_t u = 0; u < map->rows * map->columns && unit[i] != SOM_REFERENCE_NONE; u++) {
			double weight = rate * som_reference_weight(map, near, u, unit[i], radius);
			for (uint32_t d = 0; d < dims; d++)
				if (!isnan(x[i * dims + d]))
					w[(size_t)u * dims + d] += weight * (x[i * dims + d] - w[(size_t)u * dims + d]);
		}
}
