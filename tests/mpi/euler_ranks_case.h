/* A directed multigraph with equal in- and out-degrees. Every rank has the whole graph and its own part of it. An
 * independent check verifies orders of edges. */
#ifndef GEMP_TESTS_EULER_RANKS_CASE_H
#define GEMP_TESTS_EULER_RANKS_CASE_H

#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "euler/euler.h"
#include "euler/ranks/ranks_engine.h"
#include "harness/limits.h"

#include <stdlib.h>
#include <string.h>

typedef struct euler_case {
	uint64_t vertices, edges;
	gemp_vertex *from, *to; /* [edges] sorted by `from`, so that slot i is edge i */
	uint64_t *begin;        /* [vertices + 1] */
	uint64_t *bounds;       /* [ranks + 1] */
	uint64_t *rank_begin;   /* first edge of each of this rank's rows */
	gemp_euler_edges own;
} euler_case;

static inline void euler_case_edge(euler_case *c, uint64_t from, uint64_t to)
{
	c->from = gemp_realloc(c->from, c->edges + 1, sizeof *c->from);
	c->to = gemp_realloc(c->to, c->edges + 1, sizeof *c->to);
	c->from[c->edges] = (gemp_vertex)from;
	c->to[c->edges++] = (gemp_vertex)to;
}

/* Adds closed walks of random lengths. Each walk starts at a vertex of an earlier walk. near: the walk stays among the
 * five vertices from its start on. */
static inline void euler_case_walks(euler_case *c, uint64_t *seed, uint64_t vertices, size_t walks, uint64_t longest,
                                    bool near)
{
	uint64_t *seen = gemp_calloc(walks * (longest + 1) + 1, sizeof *seen), count = 1;
	c->vertices = vertices;
	seen[0] = gemp_random_below(seed, vertices);
	for (size_t w = 0; w < walks; w++) {
		uint64_t start = seen[gemp_random_below(seed, count)], at = start, length = gemp_random_below(seed, longest);
		for (uint64_t i = 0; i <= length; i++) {
			uint64_t next = near ? (start + gemp_random_below(seed, 5)) % vertices : gemp_random_below(seed, vertices);
			next = i == length ? start : next;
			euler_case_edge(c, at, next);
			seen[count++] = at = next;
		}
	}
	gemp_free(seen);
}

/* Sorts the edges and cuts the vertices at random places into one part for each rank; a part may be empty. The edge
 * `closing`, if it exists, is the virtual edge that closes a path. */
static inline void euler_case_share(euler_case *c, uint64_t *seed, uint64_t closing)
{
	size_t ranks = (size_t)test_comm.size, rank = (size_t)test_comm.rank;
	gemp_vertex path_end = closing < c->edges ? c->from[closing] : GEMP_NO_VERTEX;
	gemp_vertex path_start = closing < c->edges ? c->to[closing] : GEMP_NO_VERTEX;
	c->begin = gemp_calloc(c->vertices + 2, sizeof *c->begin);
	for (uint64_t e = 0; e < c->edges; e++)
		if (e != closing)
			c->begin[c->from[e] + 1]++;
	if (closing < c->edges)
		c->begin[path_end + 1]++;
	for (uint64_t v = 0; v < c->vertices; v++)
		c->begin[v + 1] += c->begin[v];
	uint64_t *at = gemp_calloc(c->vertices + 1, sizeof *at);
	gemp_vertex *from = gemp_calloc(c->edges, sizeof *from), *to = gemp_calloc(c->edges, sizeof *to);
	memcpy(at, c->begin, c->vertices * sizeof *at);
	for (uint64_t e = 0; e < c->edges; e++) {
		if (e == closing)
			continue;
		from[at[c->from[e]]] = c->from[e];
		to[at[c->from[e]]++] = c->to[e];
	}
	if (closing < c->edges) {
		from[at[path_end]] = path_end;
		to[at[path_end]] = path_start;
	}
	gemp_free(c->from);
	gemp_free(c->to);
	c->from = from;
	c->to = to;
	c->bounds = gemp_calloc(ranks + 1, sizeof *c->bounds);
	for (size_t r = 1; r < ranks; r++) {
		uint64_t cut = gemp_random_below(seed, c->vertices + 1), i = r;
		for (; i > 1 && c->bounds[i - 1] > cut; i--)
			c->bounds[i] = c->bounds[i - 1];
		c->bounds[i] = cut;
	}
	c->bounds[ranks] = c->vertices;
	uint64_t first = c->bounds[rank], rows = c->bounds[rank + 1] - first;
	c->rank_begin = gemp_calloc(rows + 1, sizeof *c->rank_begin);
	for (uint64_t row = 0; row <= rows; row++)
		c->rank_begin[row] = c->begin[first + row] - c->begin[first];
	c->own = (gemp_euler_edges){ .rank = (int)rank,
		                         .ranks = (int)ranks,
		                         .vertices = c->vertices,
		                         .bounds = c->bounds,
		                         .rows = rows,
		                         .begin = c->rank_begin,
		                         .target = c->to + c->begin[first],
		                         .first = c->begin[first],
		                         .edges = c->edges,
		                         .closing = GEMP_NO_EDGE,
		                         .path_start = path_start,
		                         .path_end = path_end };
	if (closing < c->edges && path_end >= first && path_end < first + rows)
		c->own.closing = c->begin[path_end + 1] - 1;
	gemp_free(at);
}

static inline void euler_case_free(euler_case *c)
{
	gemp_free(c->from);
	gemp_free(c->to);
	gemp_free(c->begin);
	gemp_free(c->bounds);
	gemp_free(c->rank_begin);
	*c = (euler_case){ 0 };
}

/* Counts the weakly connected components that have edges, by merging sets. */
static inline uint64_t euler_case_components(const euler_case *c)
{
	uint64_t *set = gemp_calloc(c->vertices + 1, sizeof *set), components = 0;
	for (uint64_t v = 0; v < c->vertices; v++)
		set[v] = v;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint64_t e = 0; e < c->edges; e++) {
			uint64_t a = set[c->from[e]], b = set[c->to[e]];
			set[c->from[e]] = set[c->to[e]] = a < b ? a : b;
			changed |= a != b;
		}
	}
	for (uint64_t v = 0; v < c->vertices; v++)
		components += set[v] == v && (c->begin[v + 1] > c->begin[v]);
	gemp_free(set);
	return components;
}

/* Collective. Checks the order of all ranks together. Each slot except the closing edge's must occur once, each edge
 * must begin where the edge before ends, and sources must be right. Returns the first error, or NULL. */
static inline const char *euler_case_wrong(const euler_case *c, const gemp_euler_result *result, bool sources)
{
	const gemp_euler_order *order = &result->order;
	bool path = c->own.path_start != GEMP_NO_VERTEX;
	uint64_t places = path ? c->edges - 1 : c->edges, count = 0;
	void *edges = NULL, *starts = NULL;
	size_t *begin = NULL, *starts_begin = NULL;
	const char *wrong = NULL;
	if (order->edges != places)
		return "number of places";
	uint64_t before = gemp_comm_exscan(&test_comm, order->count);
	if (gemp_comm_sum1(&test_comm, before != order->first) != 0)
		return "first place of a rank";
	if (gemp_comm_allgather(&test_comm, GEMP_OK, order->edge, order->count * sizeof *order->edge, &edges, &begin) !=
	        GEMP_OK ||
	    gemp_comm_allgather(&test_comm, GEMP_OK, order->source, sources ? order->count * sizeof *order->source : 0,
	                        &starts, &starts_begin) != GEMP_OK)
		return "memory";
	const gemp_edge *edge = edges;
	const gemp_vertex *source = starts;
	bool *seen = gemp_calloc(c->edges, 1);
	count = begin[test_comm.size] / sizeof *edge;
	if (count != places)
		wrong = "sum of places";
	for (uint64_t i = 0; i < count && !wrong; i++) {
		uint64_t next = i + 1 < count ? i + 1 : 0;
		if (edge[i] >= c->edges || edge[next] >= c->edges)
			wrong = "no such edge";
		else if (seen[edge[i]])
			wrong = "an edge twice";
		else if (c->to[edge[i]] != c->from[edge[next]] && !(path && next == 0))
			wrong = "an edge that does not continue the walk";
		else if (sources && source[i] != c->from[edge[i]])
			wrong = "source";
		else
			seen[edge[i]] = true;
	}
	if (!wrong && path && count && (c->from[edge[0]] != c->own.path_start || c->to[edge[count - 1]] != c->own.path_end))
		wrong = "ends of the path";
	if (!wrong && path && seen[c->begin[c->own.path_end + 1] - 1])
		wrong = "closing edge";
	gemp_free(seen);
	gemp_free(edges);
	gemp_free(starts);
	gemp_free(begin);
	gemp_free(starts_begin);
	return wrong;
}

/* Collective. An engine under test. */
typedef gemp_code euler_case_engine(gemp_euler_result *out, const gemp_euler_edges *edges,
                                    const gemp_euler_options *options);

static inline gemp_code euler_case_on_ranks(gemp_euler_result *out, const gemp_euler_edges *edges,
                                            const gemp_euler_options *options)
{
	return gemp_euler_on_ranks(out, &test_comm, edges, options);
}

/* Collective. Finds and checks a circuit or path. Returns the first error, or NULL. */
static inline const char *euler_case_outcome(euler_case *c, euler_case_engine *engine,
                                             const gemp_euler_options *options)
{
	gemp_euler_result result;
	const char *wrong = NULL;
	assert_all_ok(engine(&result, &c->own, options));
	uint64_t components = euler_case_components(c);
	if (result.unbalanced)
		wrong = "balance";
	else if (result.components != components)
		wrong = "components";
	else if (components <= 1)
		wrong = euler_case_wrong(c, &result, options->sources);
	else if (result.order.count)
		wrong = "order without a circuit";
	gemp_euler_result_free(&result);
	return wrong;
}

/* Makes a random graph of up to 200 vertices with short or long walks, in one component or in several. */
static inline void euler_case_random(euler_case *c, uint64_t *seed, bool path)
{
	uint64_t kind = gemp_random_below(seed, 6);
	uint64_t vertices = 1 + gemp_random_below(seed, 1 + gemp_random_below(seed, 200));
	size_t walks = gemp_random_below(seed, 1 + gemp_random_below(seed, 60));
	euler_case_walks(c, seed, vertices, walks, 1 + gemp_random_below(seed, kind < 3 ? 4 : 60), kind % 2 == 0);
	if (kind == 5) /* adds loops, which may be components of their own */
		for (int i = 0; i < 3; i++) {
			uint64_t v = gemp_random_below(seed, vertices);
			euler_case_edge(c, v, v);
		}
	euler_case_share(c, seed, path && c->edges ? gemp_random_below(seed, c->edges) : UINT64_MAX);
}

/* Draws settings with tiny rounds, messages and lists, so that every recursion happens. */
static inline void euler_case_settings(uint64_t *seed, gemp_euler_options *options)
{
	TEST_LIMIT(euler_in_flight, gemp_random_below(seed, 3) ? 0 : 1 + gemp_random_below(seed, 20));
	TEST_LIMIT(euler_separate, gemp_random_below(seed, 2));
	TEST_LIMIT(euler_wide, gemp_random_below(seed, 3) == 0);
	TEST_LIMIT(exchange_chunk,
	           gemp_random_below(seed, 3) ? gemp_limits_default.exchange_chunk : 16 + gemp_random_below(seed, 100));
	*options = (gemp_euler_options){ .sources = gemp_random_below(seed, 2),
		                             .keep_circuits = gemp_random_below(seed, 4) == 0,
		                             .seed = gemp_random(seed),
		                             .spacing = 1 + (uint32_t)gemp_random_below(seed, 12),
		                             .gather = gemp_random_below(seed, 3) ? 1 + gemp_random_below(seed, 8) : 0 };
}

/* Collective. Checks random graphs with random settings. */
static inline void euler_case_try(euler_case_engine *engine, uint64_t seed, int graphs)
{
	for (int i = 0; i < graphs; i++) {
		uint64_t begun = seed;
		euler_case c = { 0 };
		gemp_euler_options options;
		euler_case_random(&c, &seed, i % 3 == 0);
		euler_case_settings(&seed, &options);
		const char *wrong = euler_case_outcome(&c, engine, &options);
		if (wrong)
			print_error("graph %d of seed state %" PRIu64 ": %" PRIu64 " vertices, %" PRIu64 " edges: %s\n", i, begun,
			            c.vertices, c.edges, wrong);
		assert_all(!wrong);
		euler_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(euler_in_flight);
	TEST_LIMIT_DEFAULT(euler_separate);
	TEST_LIMIT_DEFAULT(euler_wide);
	TEST_LIMIT_DEFAULT(exchange_chunk);
}

#endif
