/* Computes the right answers with one thread, and compares answers with them. */
#include "gas_parts/check.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { PIECES = 256, WEIGHTS = 256 };

typedef struct weighing {
	const graph *g;
	uint8_t *weight;
} weighing;

static void weigh_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const weighing *w = context;
	const graph *g = w->g;
	size_t n = g->vertices;
	for (size_t v = n * piece / PIECES; v < n * (piece + 1) / PIECES; v++)
		for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++)
			w->weight[e] = graph_weight(g, (uint32_t)v, g->end[e]);
}

gemp_code graph_weights(uint8_t **out, const graph *g)
{
	weighing w = { g, NULL };
	gemp_code code = GEMP_NEW(w.weight, g->begin[g->vertices]);
	if (code == GEMP_OK)
		gemp_parallel_for(PIECES, weigh_piece, &w);
	*out = w.weight;
	return code;
}

gemp_code true_levels(const graph *g, uint32_t source, uint32_t *level)
{
	uint32_t *queue;
	size_t tail = 1;
	gemp_code code = GEMP_NEW(queue, g->vertices);
	if (code != GEMP_OK)
		return code;
	memset(level, 0xff, g->vertices * sizeof *level);
	level[source] = 0;
	queue[0] = source;
	for (size_t head = 0; head < tail; head++)
		for (uint64_t v = queue[head], e = g->begin[v]; e < g->begin[v + 1]; e++)
			if (level[g->end[e]] == BENCH_FAR) {
				level[g->end[e]] = level[v] + 1;
				queue[tail++] = g->end[e];
			}
	gemp_free(queue);
	return GEMP_OK;
}

/* Dial's algorithm with a ring of buckets, one for each possible distance ahead. A vertex whose distance has decreased
 * also remains in its old bucket, where it is skipped. */
gemp_code true_distances(const graph *g, const uint8_t *weight, uint32_t source, uint32_t *distance)
{
	gemp_code code = GEMP_OK;
	struct {
		uint32_t *vertex;
		size_t count, capacity;
	} bucket[WEIGHTS] = { 0 };
	size_t waiting = 1;
	memset(distance, 0xff, g->vertices * sizeof *distance);
	distance[source] = 0;
	GEMP_TRY_DONE(GEMP_RESERVE(bucket[0].vertex, bucket[0].capacity, 1));
	bucket[0].vertex[bucket[0].count++] = source;
	for (uint32_t here = 0; waiting > 0; here++) {
		size_t b = here % WEIGHTS;
		for (size_t i = 0; i < bucket[b].count; i++) {
			uint32_t v = bucket[b].vertex[i];
			for (uint64_t e = g->begin[v]; distance[v] == here && e < g->begin[v + 1]; e++) {
				uint32_t to = g->end[e], far = here + weight[e];
				size_t next = far % WEIGHTS;
				if (far >= distance[to])
					continue;
				distance[to] = far;
				GEMP_TRY_DONE(GEMP_RESERVE(bucket[next].vertex, bucket[next].capacity, bucket[next].count + 1));
				bucket[next].vertex[bucket[next].count++] = to;
				waiting++;
			}
		}
		waiting -= bucket[b].count;
		bucket[b].count = 0;
	}
done:
	for (size_t b = 0; b < WEIGHTS; b++)
		gemp_free(bucket[b].vertex);
	return code;
}

gemp_code true_ranks(const graph *g, unsigned iterations, double damping, double *rank)
{
	uint32_t n = g->vertices;
	double *share;
	gemp_code code = GEMP_NEW(share, n);
	for (uint32_t v = 0; v < n && code == GEMP_OK; v++)
		rank[v] = 1.0 / n;
	for (unsigned i = 0; i < iterations && code == GEMP_OK; i++) {
		double dangling = 0;
		for (uint32_t v = 0; v < n; v++) {
			uint64_t degree = g->begin[v + 1] - g->begin[v];
			share[v] = degree ? rank[v] / (double)degree : 0;
			dangling += degree ? 0 : rank[v];
		}
		for (uint32_t v = 0; v < n; v++) {
			double sum = 0;
			for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++)
				sum += share[g->end[e]];
			rank[v] = (1 - damping + damping * dangling) / n + damping * sum;
		}
	}
	gemp_free(share);
	return code;
}

void true_product(const graph *g, const uint8_t *weight, const double *x, double *y)
{
	for (uint32_t v = 0; v < g->vertices; v++) {
		double sum = 0;
		for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++)
			sum += (double)weight[e] * x[g->end[e]];
		y[v] = sum;
	}
}

gemp_code check_parents(const graph *g, uint32_t source, const uint32_t *level, const uint32_t *parent)
{
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t p = parent[v];
		bool fine = level[v] == BENCH_FAR ? p == UINT32_MAX
		            : v == source         ? p == v
		                                  : p < g->vertices && level[p] + 1 == level[v];
		uint64_t e = fine && p != UINT32_MAX && v != source ? g->begin[v] : g->begin[v + 1];
		bool looked = e < g->begin[v + 1];
		while (e < g->begin[v + 1] && g->end[e] != p)
			e++;
		if (!fine || (looked && e == g->begin[v + 1]))
			return gemp_fail(GEMP_EINTERNAL, "bfs from %u: %u cannot be the parent of %u", source, p, v);
	}
	return GEMP_OK;
}

gemp_code check_same(const char *what, const uint32_t *right, const uint32_t *given, uint32_t count)
{
	for (uint32_t v = 0; v < count; v++)
		if (right[v] != given[v])
			return gemp_fail(GEMP_EINTERNAL, "%s: vertex %u has %u in place of %u", what, v, given[v], right[v]);
	return GEMP_OK;
}

gemp_code check_near(const char *what, const double *right, const double *given, uint32_t count, double most)
{
	double largest = 0, off = 0;
	for (uint32_t v = 0; v < count; v++) {
		double by = fabs(given[v] - right[v]);
		largest = fmax(largest, fabs(right[v]));
		off = by <= off ? off : by; /* written so that NaN counts as a difference */
	}
	return off <= most * largest ? GEMP_OK : gemp_fail(GEMP_EINTERNAL, "%s: off by %g of %g", what, off, largest);
}
