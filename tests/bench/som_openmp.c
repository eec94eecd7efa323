/* som_openmp: finds best-matching units by a plain OpenMP loop on all cores.
 *
 *     bench_som_openmp VECTORS DIMENSIONS UNITS [METRIC]
 *
 * METRIC is 0 (Euclidean, the default), 1 (Manhattan) or 2 (cosine). bench_som_search is compared with this program;
 * both have the same vectors and units and print the same fields. The loop processes units in blocks that stay in the
 * cache, one dimension after another, so the compiler vectorises over units. */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/timer.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 11, BLOCK = 256 };
enum { EUCLIDEAN, MANHATTAN, COSINE };
static const double ENOUGH = 2; /* seconds of measurement */

typedef struct problem {
	uint32_t count, dims, units, metric;
	float *x;    /* [count][dims] */
	float *w;    /* [blocks][dims][BLOCK] */
	float *norm; /* [blocks][BLOCK]: |w|^2, or 1 / |w| for cosine */
	uint32_t *best;
} problem;

static gemp_code fill(problem *p)
{
	gemp_code code = GEMP_OK;
	uint64_t random = 9;
	const size_t padded = (p->units + BLOCK - 1) / BLOCK * BLOCK;
	GEMP_TRY_DONE(GEMP_NEW(p->x, (size_t)p->count * p->dims));
	GEMP_TRY_DONE(GEMP_NEW(p->w, padded * p->dims));
	GEMP_TRY_DONE(GEMP_NEW(p->norm, padded));
	GEMP_TRY_DONE(GEMP_NEW(p->best, p->count));
	for (size_t k = 0; k < (size_t)p->count * p->dims; k++)
		p->x[k] = (float)gemp_random_unit(&random);
	for (size_t u = 0; u < p->units; u++) {
		for (size_t c = 0; c < p->dims; c++) {
			float value = (float)gemp_random_unit(&random);
			p->w[(u / BLOCK * p->dims + c) * BLOCK + u % BLOCK] = value;
			p->norm[u] += value * value;
		}
		if (p->metric == COSINE)
			p->norm[u] = 1 / sqrtf(p->norm[u]);
	}
done:
	return code;
}

/* Computes the scores of one block of units: |w|^2 - 2 x.w, the sum of |x - w|, or -x.w / |w|. The unit with the least
 * score matches best. */
static void score(float *scores, const problem *p, const float *x, const float *w, const float *norm)
{
	for (uint32_t u = 0; u < BLOCK; u++)
		scores[u] = p->metric == EUCLIDEAN ? norm[u] : 0;
	for (uint32_t c = 0; c < p->dims; c++) {
		const float value = p->metric == EUCLIDEAN ? 2 * x[c] : x[c], *of = w + (size_t)c * BLOCK;
		if (p->metric == MANHATTAN) {
#pragma omp simd
			for (uint32_t u = 0; u < BLOCK; u++)
				scores[u] += fabsf(value - of[u]);
		} else {
#pragma omp simd
			for (uint32_t u = 0; u < BLOCK; u++)
				scores[u] -= value * of[u];
		}
	}
	for (uint32_t u = 0; p->metric == COSINE && u < BLOCK; u++)
		scores[u] *= norm[u];
}

static uint32_t search(const problem *p, const float *x)
{
	float least = INFINITY, scores[BLOCK];
	uint32_t best = 0;
	for (uint32_t from = 0; from < p->units; from += BLOCK) {
		const uint32_t here = p->units - from < BLOCK ? p->units - from : BLOCK;
		float least_here = INFINITY;
		score(scores, p, x, p->w + (size_t)from * p->dims, p->norm + from);
#pragma omp simd reduction(min : least_here)
		for (uint32_t u = 0; u < here; u++)
			least_here = scores[u] < least_here ? scores[u] : least_here;
		if (least_here >= least)
			continue;
		least = least_here;
		for (best = from; scores[best - from] > least;)
			best++;
	}
	return best;
}

static double run(const problem *p)
{
	double from = gemp_now();
#pragma omp parallel for schedule(dynamic, 64)
	for (uint32_t i = 0; i < p->count; i++)
		p->best[i] = search(p, p->x + (size_t)i * p->dims);
	return gemp_now() - from;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	problem p = { 0 };
	uint32_t *arguments[] = { &p.count, &p.dims, &p.units, &p.metric };
	for (int i = 1; i < argc && i <= 4; i++)
		*arguments[i - 1] = (uint32_t)strtoul(argv[i], NULL, 10);
	double seconds[TURNS], sum = 0, mean = 0;
	size_t turns = 0;
	gemp_code code = fill(&p);
	if (code == GEMP_OK) {
		for (bool first = true; turns < TURNS && sum < ENOUGH; first = false) {
			seconds[turns] = run(&p);
			if (!first || seconds[turns] >= ENOUGH)
				sum += seconds[turns++];
		}
		for (size_t i = 0; i < p.count; i++)
			mean += (double)p.best[i] / p.count;
		qsort(seconds, turns, sizeof *seconds, compare);
		printf("OpenMP: %u vectors of %u, %u units: %.6f s, median %.6f s, %.1f GFLOP/s, mean unit %.2f\n", p.count,
		       p.dims, p.units, seconds[0], seconds[turns / 2], 2e-9 * p.count * p.dims * p.units / seconds[0], mean);
	}
	gemp_free(p.x);
	gemp_free(p.w);
	gemp_free(p.norm);
	gemp_free(p.best);
	return (int)code;
}
