/* The file has 4 bytes for the rank of each key. If the keys are consecutive integers in any order, it has only the
 * first key, and the rank of a key is its distance from the first one. If they are an arithmetic progression in the
 * order of ids, as in generated graphs, it has neither keys nor ranks, but the first key and the step. */

#include "io/graph_file/graph_file_key_order.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"

static const char progression_name[] = "gemp-key-progression";

/* Keys first + v * step of the vertices v. */
typedef struct key_progression {
	int64_t first, step;
	int64_t *keys; /* of this rank */
	uint32_t *ranks;
	const gemp_shard *graph;
} key_progression;

/* Whether no two of `count` keys are equal, and all of them are 64-bit integers. */
static bool is_valid(const key_progression *p, uint64_t count)
{
	const __int128 last = p->first + (__int128)p->step * (__int128)(count - 1);
	return count > 0 && p->step != 0 && last >= INT64_MIN && last <= INT64_MAX;
}

static int64_t key_at(const key_progression *p, size_t row)
{
	return (int64_t)((uint64_t)p->first + (p->graph->first_vertex + row) * (uint64_t)p->step);
}

static bool is_elsewhere(const void *self, size_t row)
{
	const key_progression *p = self;
	return p->graph->keys.integers[row] != key_at(p, row);
}

static void set_keys(void *context, size_t begin, size_t end)
{
	const key_progression *p = context;
	for (size_t row = begin; row < end; row++) {
		const uint64_t v = p->graph->first_vertex + row;
		p->keys[row] = key_at(p, row);
		p->ranks[row] = (uint32_t)(p->step > 0 ? v : p->graph->vertex_count - 1 - v);
	}
}

/* Collective. The first two keys give the progression, if there is one. They may lie on different ranks. */
static bool find_progression(const gemp_comm *comm, const gemp_shard *graph, key_progression *p)
{
	const gemp_limits *limits = gemp_limits_now();
	uint64_t known[2] = { 0, 1 };
	*p = (key_progression){ .graph = graph };
	if (graph->keys.type != GEMP_INTEGER || graph->vertex_count < gemp_max(limits->file_implied_min, 1) ||
	    limits->file_version == 1)
		return false;
	for (uint64_t v = 0; v < 2 && v < graph->vertex_count; v++) {
		bool own = v >= graph->first_vertex && v - graph->first_vertex < graph->rows;
		known[v] = own ? (uint64_t)graph->keys.integers[v - graph->first_vertex] : 0;
	}
	gemp_comm_sum(comm, known, graph->vertex_count > 1 ? 2 : 1);
	p->first = (int64_t)known[0];
	if (graph->vertex_count == 1)
		p->step = 1;
	else if (__builtin_sub_overflow((int64_t)known[1], p->first, &p->step))
		return false;
	return is_valid(p, graph->vertex_count) && gemp_comm_sum1(comm, gemp_any(graph->rows, is_elsewhere, p)) == 0;
}

gemp_code gemp_file_put_key_progression(const gemp_h5 *h5, const gemp_shard *graph, bool *stored)
{
	key_progression p;
	*stored = find_progression(h5->comm, graph, &p);
	return *stored ? gemp_h5_put_numbers(h5, "/nodes", progression_name, (int64_t[]){ p.first, p.step }, 2) : GEMP_OK;
}

gemp_code gemp_file_get_key_progression(const gemp_h5 *h5, gemp_shard *graph, bool *stored)
{
	GEMP_OWNED int64_t *numbers = NULL;
	GEMP_OWNED uint32_t *ranks = NULL;
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	size_t count = 0;
	GEMP_TRY(gemp_h5_has_attribute(h5, "/nodes", progression_name, stored));
	if (!*stored)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_get_numbers(h5, "/nodes", progression_name, &numbers, &count));
	key_progression p = { .graph = graph };
	if (count == 2)
		p.first = numbers[0], p.step = numbers[1];
	if (graph->keys.type != GEMP_INTEGER || !is_valid(&p, graph->vertex_count))
		return gemp_file_damaged(h5, "/nodes",
		                         "has an attribute gemp-key-progression that does not give each vertex another key");
	gemp_code code = gemp_column_init(&keys, graph->keys.name, GEMP_INTEGER);
	GEMP_THEN(gemp_column_reserve(&keys, graph->rows, 0));
	GEMP_THEN(GEMP_NEW(ranks, graph->rows));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	p.keys = keys.integers;
	p.ranks = ranks;
	gemp_for_elements(graph->rows, set_keys, &p);
	keys.rows = graph->rows;
	gemp_column_free(&graph->keys);
	gemp_free(graph->key_ranks);
	graph->keys = keys;
	graph->key_ranks = ranks;
	keys = (gemp_column){ 0 };
	ranks = NULL;
	return GEMP_OK;
}

static const char no_ranks[] = "has neither ranks of its keys nor keys that are consecutive integers";

/* Collective. The smallest of consecutive integer keys is an attribute. */
static gemp_code first_key(const gemp_h5 *h5, int64_t *first)
{
	GEMP_OWNED int64_t *numbers = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_h5_get_numbers(h5, "/nodes", "gemp-first-key", &numbers, &count));
	if (count != 1)
		return gemp_file_damaged(h5, "/nodes", no_ranks);
	*first = numbers[0];
	return GEMP_OK;
}

/* Keys that are compared with their ranks, or become ranks. */
typedef struct key_distance {
	const int64_t *keys;
	uint32_t *ranks;
	uint64_t first; /* the smallest key */
	uint64_t limit; /* ranks are less */
} key_distance;

static bool is_far(const void *self, size_t v)
{
	const key_distance *d = self;
	return (uint64_t)d->keys[v] - d->first >= d->limit;
}

static bool is_another(const void *self, size_t v)
{
	const key_distance *d = self;
	return (uint64_t)d->keys[v] - d->first != d->ranks[v];
}

static void set_ranks(void *context, size_t begin, size_t end)
{
	const key_distance *d = context;
	for (size_t v = begin; v < end; v++)
		d->ranks[v] = (uint32_t)((uint64_t)d->keys[v] - d->first);
}

/* Collective. The keys are the integers from `first` on, each once, so they are in the order of their ranks. */
static gemp_code derive_ranks(const gemp_h5 *h5, gemp_shard *graph, int64_t first)
{
	GEMP_OWNED uint32_t *ranks = NULL;
	gemp_code code = graph->keys.type == GEMP_INTEGER && !graph->keys.null ? GEMP_NEW(ranks, graph->rows)
	                                                                       : gemp_file_damaged(h5, "/nodes", no_ranks);
	key_distance d = { graph->keys.integers, ranks, (uint64_t)first, graph->vertex_count };
	if (code == GEMP_OK && gemp_any(graph->rows, is_far, &d))
		code = gemp_file_damaged(h5, "/nodes", no_ranks);
	if (code == GEMP_OK)
		gemp_for_elements(graph->rows, set_ranks, &d);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	gemp_free(graph->key_ranks);
	graph->key_ranks = ranks;
	ranks = NULL;
	return GEMP_OK;
}

/* Collective. Reads the key rank of each vertex: its position in the order of the keys, which gives the canonical order
 * of ids. */
gemp_code gemp_file_get_key_ranks(const gemp_h5 *h5, gemp_shard *graph)
{
	GEMP_OWNED uint32_t *ranks = NULL;
	bool there = false;
	GEMP_TRY(gemp_h5_exists(h5, "/nodes/_rank", &there));
	if (!there) {
		int64_t first = 0;
		GEMP_TRY(first_key(h5, &first));
		return derive_ranks(h5, graph, first);
	}
	gemp_code code = GEMP_NEW(ranks, graph->rows);
	GEMP_TRY(gemp_h5_read(h5, code, "/nodes/_rank", gemp_h5_type_of(GEMP_H5_U32), graph->first_vertex, graph->rows,
	                      graph->rows, ranks));
	gemp_free(graph->key_ranks);
	graph->key_ranks = ranks;
	ranks = NULL;
	return GEMP_OK;
}

/* Collective. Whether the keys are consecutive integers, so that their ranks need no space: the rank of a key is its
 * distance from *first. */
static bool keys_are_consecutive(const gemp_comm *comm, const gemp_shard *graph, int64_t *first)
{
	uint64_t base[2] = { 0, 0 }; /* the greatest key without rank of all ranks, and the complement of the least one */
	if (graph->keys.type != GEMP_INTEGER || graph->vertex_count == 0 || gemp_limits_now()->file_version == 1)
		return false;
	if (graph->rows) {
		base[0] = (uint64_t)graph->keys.integers[0] - graph->key_ranks[0];
		base[1] = ~base[0];
	}
	gemp_comm_max(comm, base, 2);
	const key_distance d = { graph->keys.integers, graph->key_ranks, base[0], graph->vertex_count };
	*first = (int64_t)base[0];
	return gemp_comm_sum1(comm, base[0] != ~base[1] || gemp_any(graph->rows, is_another, &d)) == 0;
}

gemp_code gemp_file_put_key_ranks(const gemp_h5 *h5, const gemp_shard *graph, gemp_h5_slab rows, bool *stored)
{
	int64_t first = 0;
	*stored = !keys_are_consecutive(h5->comm, graph, &first);
	if (!*stored)
		return gemp_h5_put_numbers(h5, "/nodes", "gemp-first-key", &first, 1);
	return gemp_h5_write_in(h5, GEMP_OK, "/nodes", "_rank", gemp_h5_type_of(GEMP_H5_U32), rows, graph->key_ranks);
}
