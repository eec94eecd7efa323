/* Samples and codebooks for tests of self-organising maps, and the nearest units by definition. Every rank has all of
 * them. */
#ifndef GEMP_TESTS_SOM_VECTORS_H
#define GEMP_TESTS_SOM_VECTORS_H

#include "harness/collective.h"
#include "harness/som_reference.h"

#include "core/random.h"
#include "som/map/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPLIT_EVENLY, SPLIT_SOME_EMPTY, SPLITS };

/* All samples, and the range of samples of this rank. */
typedef struct vectors {
	uint32_t dims, units;
	size_t count, begin, end;
	float *x, *w;
	double *book; /* w in double precision */
	uint32_t *unit, *second;
	double *distance;
} vectors;

static inline void draw(vectors *v, size_t i, bool missing, uint64_t *random)
{
	for (uint32_t d = 0; d < v->dims; d++)
		v->x[i * v->dims + d] = missing && gemp_random_below(random, 5) == 0
		                            ? NAN
		                            : (float)(gemp_random_unit(random) * 2 - 1);
}

/* True if rounding cannot change the nearest and the second nearest unit of sample i. */
static inline bool is_clear(vectors *v, size_t i, som_reference_metric metric)
{
	const float *x = v->x + i * v->dims;
	som_reference_search(metric, x, 1, v->book, v->units, v->dims, &v->unit[i], &v->distance[i], &v->second[i]);
	if (v->unit[i] == SOM_REFERENCE_NONE || v->second[i] == SOM_REFERENCE_NONE)
		return true;
	double other = som_reference_distance(metric, x, v->book + (size_t)v->second[i] * v->dims, v->dims);
	for (uint32_t u = 0; u < v->units; u++) { /* the third nearest unit must not be close to the second, either */
		double here = som_reference_distance(metric, x, v->book + (size_t)u * v->dims, v->dims);
		if (u != v->unit[i] && u != v->second[i] && here < other + 1e-5)
			return false;
	}
	return other > v->distance[i] + 1e-5;
}

static inline vectors vectors_new(size_t count, uint32_t dims, uint32_t units, gemp_som_metric metric, bool missing,
                                  int split, uint64_t *random)
{
	const size_t ranks = (size_t)test_comm.size, rank = (size_t)test_comm.rank;
	vectors v = { .dims = dims, .units = units, .count = count };
	v.x = calloc(count * dims + 1, sizeof *v.x);
	v.w = calloc((size_t)units * dims, sizeof *v.w);
	v.book = calloc((size_t)units * dims, sizeof *v.book);
	v.unit = calloc(count + 1, sizeof *v.unit);
	v.second = calloc(count + 1, sizeof *v.second);
	v.distance = calloc(count + 1, sizeof *v.distance);
	for (size_t k = 0; k < (size_t)units * dims; k++)
		v.book[k] = v.w[k] = (float)(gemp_random_unit(random) * 2 - 1);
	for (size_t i = 0; i < count; i++)
		do {
			draw(&v, i, missing, random);
		} while (!is_clear(&v, i, (som_reference_metric)metric));
	v.begin = split == SPLIT_EVENLY ? count * rank / ranks : rank == ranks / 2 ? 0 : rank < ranks / 2 ? 0 : count;
	v.end = split == SPLIT_EVENLY ? count * (rank + 1) / ranks : rank < ranks / 2 ? 0 : count;
	return v;
}

static inline void vectors_free(vectors *v)
{
	free(v->x);
	free(v->w);
	free(v->book);
	free(v->unit);
	free(v->second);
	free(v->distance);
}

static inline const float *own(const vectors *v)
{
	return v->x + v->begin * v->dims;
}

static inline bool is_near(const float *found, const double *expected, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!(fabs(found[k] - expected[k]) <= 1e-5 * (1 + fabs(expected[k])))) {
			fprintf(stderr, "value %zu: %.9g, not %.9g\n", k, found[k], expected[k]);
			return false;
		}
	return true;
}

static inline double mean(const double *values, const uint32_t *unit, size_t count)
{
	double sum = 0, there = 0;
	for (size_t i = 0; i < count; i++)
		if (unit[i] != SOM_REFERENCE_NONE) {
			sum += values[i];
			there++;
		}
	return there > 0 ? sum / there : NAN;
}

static inline bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-5 * (1 + fabs(b));
}

#endif
