/* Levels and distances: no edge leads on to a better one, and each parent has an edge that accounts for its child's. */
#include "core/memory.h"
#include "core/ranges.h"
#include "gas/verify_parts.h"

#include <math.h>

typedef struct paths {
	const gemp_gas_edges *edges;
	uint64_t source;
	/* [vertices] by id */
	void *level, *distance, *real, *parent, *key_rank; /* those that are not asked about are NULL */
	_Atomic uint64_t *joined; /* bits of vertices whose parent has an edge to them that is right */
	verify_fault fault;
} paths;

static uint32_t parent_of(const paths *p, uint64_t v)
{
	return ((const gemp_vertex *)p->parent)[v];
}

static void set_joined(const paths *p, uint64_t v)
{
	atomic_fetch_or_explicit(&p->joined[v / 64], UINT64_C(1) << v % 64, memory_order_relaxed);
}

static void see_level(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	(void)weight, (void)row;
	paths *p = self;
	const uint32_t *level = p->level, *key_rank = p->key_rank;
	if (level[a] == UINT32_MAX)
		return;
	if (level[b] > level[a] + 1)
		gemp_verify_fault(&p->fault, "has an edge to one that is more than a level behind it:", a, b);
	if (level[b] != level[a] + 1)
		return;
	if (parent_of(p, b) == a)
		set_joined(p, b);
	else if (key_rank && parent_of(p, b) < p->edges->graph->vertices && key_rank[a] < key_rank[parent_of(p, b)])
		gemp_verify_fault(&p->fault, "has an edge to, and a smaller key than the parent of", a, b);
}

static bool reached(const paths *p, uint64_t v)
{
	if (p->level)
		return ((const uint32_t *)p->level)[v] != UINT32_MAX;
	return p->distance ? ((const uint64_t *)p->distance)[v] != UINT64_MAX : !isinf(((const double *)p->real)[v]);
}

static bool is_zero(const paths *p, uint64_t v)
{
	if (p->level)
		return ((const uint32_t *)p->level)[v] == 0;
	return p->distance ? ((const uint64_t *)p->distance)[v] == 0 : ((const double *)p->real)[v] == 0;
}

/* Sums of integers that pass 64 bits reach nobody. */
static void see_distance(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	paths *p = self;
	bool better, same;
	if (!reached(p, a))
		return;
	if (p->distance) {
		const uint64_t *distance = p->distance;
		uint64_t through, length = weight ? (uint64_t)weight->integers[row] : 1;
		bool passed = __builtin_add_overflow(distance[a], length, &through);
		better = !passed && through < distance[b];
		same = !passed && through == distance[b];
	} else {
		const double *distance = p->real;
		double through = distance[a] + verify_weight(weight, row);
		better = through < distance[b];
		same = through == distance[b];
	}
	if (better)
		gemp_verify_fault(&p->fault, "has an edge that is a shorter way to", a, b);
	if (same && p->parent && parent_of(p, b) == a)
		set_joined(p, b);
}

/* Own vertices: those that are reached, but for the source, have parents, which are reached. */
static void see_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	paths *p = context;
	for (uint64_t v = p->edges->graph->first + begin; v < p->edges->graph->first + end; v++) {
		if (v == p->source && !is_zero(p, v))
			gemp_verify_fault(&p->fault, "is the source, but not at 0:", v, v);
		if (p->level && v != p->source && is_zero(p, v))
			gemp_verify_fault(&p->fault, "is at level 0, but not the source, which is", v, p->source);
		if (p->real && !(((const double *)p->real)[v] >= 0))
			gemp_verify_fault(&p->fault, "has a distance that is none, from", v, p->source);
		if (!p->parent)
			continue;
		bool wanted = reached(p, v) && v != p->source, there = parent_of(p, v) != GEMP_NO_VERTEX;
		if (wanted != there)
			gemp_verify_fault(&p->fault, wanted ? "is reached without a parent from" :
			                  "has a parent, but is not reached from", v, p->source);
		else if (there && (parent_of(p, v) >= p->edges->graph->vertices || !reached(p, parent_of(p, v))))
			gemp_verify_fault(&p->fault, "has a parent that is not reached from", v, p->source);
		else if (there && !(p->joined[v / 64] >> v % 64 & 1))
			gemp_verify_fault(&p->fault, "has no edge that ends a path from its parent", v, parent_of(p, v));
	}
}

typedef struct halving {
	const gemp_vertex *up;
	gemp_vertex *next;
	atomic_bool moved;
} halving;

static void halve(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	halving *h = context;
	bool moved = false;
	for (size_t v = begin; v < end; v++) {
		h->next[v] = h->up[h->up[v]];
		moved |= h->next[v] != h->up[v];
	}
	if (moved)
		atomic_store(&h->moved, true);
}

/* Collective. Parents of all that are reached lead to the source: chains are halved until all have ended. A circle never does,
 * or ends at vertices of its own. */
static gemp_code see_tree(paths *p)
{
	gemp_code code = GEMP_OK;
	uint64_t vertices = p->edges->graph->vertices;
	gemp_vertex *up = p->parent, *next = NULL;
	halving h = { .moved = true };
	GEMP_TRY(gemp_comm_agree(p->edges->comm, GEMP_NEW(next, vertices)));
	for (uint64_t v = 0; v < vertices; v++)
		if (up[v] == GEMP_NO_VERTEX)
			up[v] = (gemp_vertex)v;
	for (uint64_t length = 1; h.moved && length <= 2 * vertices; length *= 2) {
		h.up = up;
		h.next = next;
		h.moved = false;
		gemp_for_ranges(vertices, halve, &h);
		gemp_vertex *swap = up;
		up = next;
		next = swap;
	}
	for (uint64_t v = 0; v < vertices; v++)
		if (reached(p, v) && up[v] != p->source)
			gemp_verify_fault(&p->fault, "is on or behind a circle of predecessors, which does not come from", v, p->source);
	p->parent = up;
done:
	gemp_free(next);
	return code;
}

static gemp_code see(paths *p, gemp_verify_visit *visit)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *graph = p->edges->graph;
	uint64_t words = graph->vertices / 64 + 1;
	GEMP_TRY(gemp_comm_agree(p->edges->comm, GEMP_NEW(p->joined, words)));
	GEMP_TRY(gemp_verify_sweep(p->edges, visit, p));
	gemp_verify_or(p->edges->comm, (uint64_t *)p->joined, words);
	gemp_for_ranges(graph->rows, see_rows, p);
	GEMP_TRY(gemp_verify_agree(p->edges, &p->fault));
	if (p->parent && !p->level) {
		GEMP_TRY(see_tree(p));
		code = gemp_verify_agree(p->edges, &p->fault);
	}
done:
	return code;
}

static void forget(paths *p)
{
	gemp_free(p->level);
	gemp_free(p->distance);
	gemp_free(p->real);
	gemp_free(p->parent);
	gemp_free(p->key_rank);
	gemp_free((void *)p->joined);
}

gemp_code gemp_gas_verify_bfs(const gemp_gas_edges *edges, gemp_vertex source, const uint32_t *level,
                              const gemp_vertex *parent, bool least)
{
	gemp_code code = GEMP_OK;
	paths p = { .edges = edges, .source = source };
	GEMP_TRY(gemp_verify_room(edges, 12));
	GEMP_TRY(gemp_graph_need_keys(edges->graph));
	GEMP_TRY(gemp_verify_gather(edges, level, sizeof *level, &p.level));
	GEMP_TRY(gemp_verify_gather(edges, parent, sizeof *parent, &p.parent));
	if (least)
		GEMP_TRY(gemp_verify_gather(edges, edges->graph->key_rank, sizeof *edges->graph->key_rank, &p.key_rank));
	code = see(&p, see_level);
done:
	forget(&p);
	return code;
}

gemp_code gemp_gas_verify_sssp(const gemp_gas_edges *edges, gemp_vertex source, const uint64_t *distance,
                               const double *real, const gemp_vertex *predecessor)
{
	gemp_code code = GEMP_OK;
	paths p = { .edges = edges, .source = source };
	GEMP_TRY(gemp_verify_room(edges, 16));
	if (distance)
		GEMP_TRY(gemp_verify_gather(edges, distance, sizeof *distance, &p.distance));
	else
		GEMP_TRY(gemp_verify_gather(edges, real, sizeof *real, &p.real));
	if (predecessor)
		GEMP_TRY(gemp_verify_gather(edges, predecessor, sizeof *predecessor, &p.parent));
	code = see(&p, see_distance);
done:
	forget(&p);
	return code;
}
