/* BFS, SSSP, PageRank and products with OpenMP, without any code of the program's engines. */
#include "gas_parts/openmp.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

enum { WORD = 64, ROWS = 1024 };

gemp_code openmp_space_new(openmp_space *out, const graph *g, const uint8_t *weight)
{
	gemp_code code = GEMP_OK;
	size_t n = g->vertices, words = n / WORD + 1;
	uint64_t m = g->begin[n];
	*out = (openmp_space){ 0 };
	uint64_t **const bits[] = { &out->isolated, &out->visited, &out->front, &out->next };
	uint32_t **const numbers[] = { &out->queue, &out->queue_next, &out->parent, &out->distance };
	const size_t most = m > n ? m : n; /* a bucket may contain a vertex more than once */
	float **const reals[] = { &out->share, &out->rank, &out->x, &out->y };
	for (size_t i = 0; i < 4; i++) {
		GEMP_TRY_DONE(GEMP_NEW(*bits[i], words));
		GEMP_TRY_DONE(GEMP_NEW(*numbers[i], i < 2 ? most : n));
		GEMP_TRY_DONE(GEMP_NEW(*reals[i], n));
	}
	GEMP_TRY_DONE(GEMP_NEW(out->value, m));
	GEMP_TRY_DONE(GEMP_NEW(out->edge, m));
#pragma omp parallel for schedule(static, ROWS)
	for (uint32_t v = 0; v < g->vertices; v++) {
		if (g->begin[v] == g->begin[v + 1]) {
#pragma omp atomic
			out->isolated[v / WORD] |= (uint64_t)1 << v % WORD;
		}
		out->x[v] = 1.0f / (float)(v % 1000 + 1);
		for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++) {
			out->value[e] = (float)weight[e];
			out->edge[e] = (struct openmp_edge){ g->end[e], weight[e] };
		}
	}
	for (size_t v = n; v < words * WORD; v++)
		out->isolated[v / WORD] |= (uint64_t)1 << v % WORD;
done:
	if (code != GEMP_OK)
		openmp_space_free(out);
	return code;
}

void openmp_space_free(openmp_space *s)
{
	void *const blocks[] = { s->isolated, s->visited, s->front, s->next, s->queue, s->queue_next, s->parent,
		                     s->distance, s->share,   s->rank,  s->x,    s->y,     s->value,      s->edge };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		gemp_free(blocks[i]);
	*s = (openmp_space){ 0 };
}

/* BREADTH-FIRST SEARCH */

enum { LOCAL = 2048, ALPHA = 15, BETA = 18 };

static size_t push(const openmp_space *s, const uint32_t *mine, size_t count, size_t *tail)
{
	size_t at;
#pragma omp atomic capture
	{
		at = *tail;
		*tail += count;
	}
	memcpy(s->queue_next + at, mine, count * sizeof *mine);
	return 0;
}

/* Writes the next frontier to queue_next, and returns the number of edges that leave it. */
static uint64_t top_down(const graph *g, const openmp_space *s, size_t count, size_t *found)
{
	uint64_t edges = 0;
	size_t tail = 0;
#pragma omp parallel reduction(+ : edges)
	{
		uint32_t mine[LOCAL];
		size_t held = 0;
#pragma omp for schedule(dynamic, 64) nowait
		for (size_t i = 0; i < count; i++) {
			uint32_t u = s->queue[i];
			for (uint64_t e = g->begin[u]; e < g->begin[u + 1]; e++) {
				uint32_t v = g->end[e];
				uint64_t bit = (uint64_t)1 << v % WORD;
				if (s->visited[v / WORD] & bit || __atomic_fetch_or(&s->visited[v / WORD], bit, __ATOMIC_RELAXED) & bit)
					continue;
				s->parent[v] = u;
				edges += g->begin[v + 1] - g->begin[v];
				mine[held++] = v;
				if (held == LOCAL)
					held = push(s, mine, held, &tail);
			}
		}
		push(s, mine, held, &tail);
	}
	*found = tail;
	return edges;
}

/* Writes the next frontier to the bitmap `next`, and returns its number of vertices. Each word of the bitmap is written
 * by one thread. */
static size_t bottom_up(const graph *g, const openmp_space *s)
{
	size_t found = 0, words = g->vertices / WORD + 1;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : found)
	for (size_t w = 0; w < words; w++) {
		uint64_t reached = 0;
		for (uint64_t left = ~s->visited[w]; left; left &= left - 1) {
			uint32_t v = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
			for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++) {
				uint32_t u = g->end[e];
				if (s->front[u / WORD] >> u % WORD & 1) {
					s->parent[v] = u;
					reached |= left & -left;
					break;
				}
			}
		}
		s->next[w] = reached;
		s->visited[w] |= reached;
		found += (size_t)__builtin_popcountll(reached);
	}
	return found;
}

static void bits_of_queue(const graph *g, openmp_space *s, size_t count)
{
	memset(s->front, 0, (g->vertices / WORD + 1) * sizeof *s->front);
	for (size_t i = 0; i < count; i++)
		s->front[s->queue[i] / WORD] |= (uint64_t)1 << s->queue[i] % WORD;
}

static size_t queue_of_bits(const graph *g, openmp_space *s)
{
	size_t count = 0;
	for (size_t w = 0; w <= g->vertices / WORD; w++)
		for (uint64_t left = s->front[w]; left; left &= left - 1)
			s->queue[count++] = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
	return count;
}

#define SWAP(a, b)            \
	do {                      \
		__typeof__(a) a_ = a; \
		a = b;                \
		b = a_;               \
	} while (0)

void openmp_bfs(const graph *g, openmp_space *s, uint32_t source)
{
	uint64_t unseen = g->begin[g->vertices], edges = g->begin[source + 1] - g->begin[source];
	size_t count = 1, before;
#pragma omp parallel for schedule(static)
	for (uint32_t v = 0; v < g->vertices; v++)
		s->parent[v] = UINT32_MAX;
	memcpy(s->visited, s->isolated, (g->vertices / WORD + 1) * sizeof *s->visited);
	s->visited[source / WORD] |= (uint64_t)1 << source % WORD;
	s->parent[source] = source;
	s->queue[0] = source;
	while (count > 0) {
		if (edges <= unseen / ALPHA) {
			unseen -= edges;
			edges = top_down(g, s, count, &count);
			SWAP(s->queue, s->queue_next);
			continue;
		}
		bits_of_queue(g, s, count);
		do {
			before = count;
			count = bottom_up(g, s);
			SWAP(s->front, s->next);
		} while (count > before || count > g->vertices / BETA);
		count = queue_of_bits(g, s);
		edges = 1;
	}
}

/* SHORTEST PATHS */

enum { BUCKETS = 4096, FUSED = 1000 };

typedef struct bucket {
	uint32_t *vertex;
	size_t count, capacity;
} bucket;

static void bucket_add(bucket *b, uint32_t v)
{
	if (b->count == b->capacity && GEMP_RESERVE(b->vertex, b->capacity, b->count + 1) != GEMP_OK)
		__builtin_trap();
	b->vertex[b->count++] = v;
}

static void relax(const graph *g, const openmp_space *s, uint32_t u, uint32_t delta, bucket *mine)
{
	uint32_t from = __atomic_load_n(&s->distance[u], __ATOMIC_RELAXED);
	for (uint64_t e = g->begin[u]; e < g->begin[u + 1]; e++) {
		uint32_t v = s->edge[e].end, far = from + s->edge[e].weight;
		uint32_t old = __atomic_load_n(&s->distance[v], __ATOMIC_RELAXED);
		while (far < old)
			if (__atomic_compare_exchange_n(&s->distance[v], &old, far, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
				bucket_add(&mine[far / delta % BUCKETS], v);
				break;
			}
	}
}

/* Buckets form a ring, because no distance is further ahead than the largest weight. */
void openmp_sssp(const graph *g, openmp_space *s, uint32_t source, uint32_t delta)
{
	size_t shared_count[2] = { 1, 0 };
	uint32_t shared_at[2] = { 0, UINT32_MAX };
	s->queue[0] = source;
#pragma omp parallel
	{
		bucket *mine = gemp_calloc(BUCKETS, sizeof *mine);
		uint32_t ahead = 255 / delta + 2, at = 0;
#pragma omp for schedule(static)
		for (uint32_t v = 0; v < g->vertices; v++)
			s->distance[v] = v == source ? 0 : UINT32_MAX;
		for (unsigned turn = 0; at != UINT32_MAX; turn ^= 1) {
			size_t count = shared_count[turn];
#pragma omp for schedule(dynamic, 64) nowait
			for (size_t i = 0; i < count; i++)
				if (s->distance[s->queue[i]] >= delta * at)
					relax(g, s, s->queue[i], delta, mine);
			bucket *b = &mine[at % BUCKETS];
			while (b->count > 0 && b->count < FUSED) {
				uint32_t few[FUSED];
				size_t held = b->count;
				memcpy(few, b->vertex, held * sizeof *few);
				b->count = 0;
				for (size_t i = 0; i < held; i++)
					relax(g, s, few[i], delta, mine);
			}
			for (uint32_t next = at; next < at + ahead; next++)
				if (mine[next % BUCKETS].count > 0) {
#pragma omp critical
					shared_at[turn ^ 1] = next < shared_at[turn ^ 1] ? next : shared_at[turn ^ 1];
					break;
				}
#pragma omp barrier
			at = shared_at[turn ^ 1];
#pragma omp single
			{
				shared_at[turn] = UINT32_MAX;
				shared_count[turn] = 0;
			}
			b = &mine[at % BUCKETS];
			if (at != UINT32_MAX && b->count > 0) {
				size_t to = __atomic_fetch_add(&shared_count[turn ^ 1], b->count, __ATOMIC_RELAXED);
				memcpy(s->queue_next + to, b->vertex, b->count * sizeof *b->vertex);
				b->count = 0;
			}
#pragma omp barrier
#pragma omp single
			SWAP(s->queue, s->queue_next);
		}
		for (size_t i = 0; i < BUCKETS; i++)
			gemp_free(mine[i].vertex);
		gemp_free(mine);
	}
}

/* PAGERANK AND PRODUCTS */

static const float damping = 0.85f;

unsigned openmp_pagerank(const graph *g, openmp_space *s, unsigned iterations, double tolerance)
{
	const uint32_t n = g->vertices;
	double error = INFINITY;
	unsigned i = 0;
#pragma omp parallel for schedule(static)
	for (uint32_t v = 0; v < n; v++)
		s->rank[v] = 1.0f / (float)n;
	for (; i < iterations && error >= tolerance; i++) {
		double dangling = 0;
		error = 0;
#pragma omp parallel for schedule(static) reduction(+ : dangling)
		for (uint32_t v = 0; v < n; v++) {
			uint64_t degree = g->begin[v + 1] - g->begin[v];
			s->share[v] = degree ? s->rank[v] / (float)degree : 0;
			dangling += degree ? 0 : (double)s->rank[v];
		}
		const float base = (float)((1 - (double)damping + (double)damping * dangling) / n);
#pragma omp parallel for schedule(dynamic, ROWS) reduction(+ : error)
		for (uint32_t v = 0; v < n; v++) {
			float sum = 0;
			for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++)
				sum += s->share[g->end[e]];
			const float rank = base + damping * sum;
			error += fabs((double)rank - (double)s->rank[v]);
			s->rank[v] = rank;
		}
	}
	return i;
}

void openmp_spmv(const graph *g, openmp_space *s)
{
#pragma omp parallel for schedule(dynamic, ROWS)
	for (uint32_t v = 0; v < g->vertices; v++) {
		float sum = 0;
		for (uint64_t e = g->begin[v]; e < g->begin[v + 1]; e++)
			sum += s->value[e] * s->x[g->end[e]];
		s->y[v] = sum;
	}
}
