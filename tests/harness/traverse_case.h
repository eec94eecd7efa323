/* traverse_case: compares searches of a graph of gas_case.h with answers computed from its list of arcs. */
#ifndef GEMP_TESTS_TRAVERSE_CASE_H
#define GEMP_TESTS_TRAVERSE_CASE_H

#include "analytics/layout/layout.h"
#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "core/status.h"
#include "core/types.h"
#include "harness/gas_case.h"

#define NOBODY UINT32_MAX

/* Writes for each vertex, by number, the smallest source of an arc from the level before. */
static inline void reference_parents(const gas_case *c, const gas_arc *arcs, size_t count, const uint32_t *level,
                                     uint32_t *parent)
{
	for (uint32_t v = 0; v < c->n; v++)
		parent[v] = NOBODY;
	for (size_t i = 0; i < count; i++) {
		uint32_t u = arcs[i].from, v = arcs[i].to;
		if (level[u] != UINT32_MAX && level[v] == level[u] + 1 && u < parent[v])
			parent[v] = u;
	}
}

/* The predecessor of a vertex is the smallest source of a last arc of a shortest path, if the source is nearer. A
 * vertex that is reached only by arcs without length gets its predecessor afterwards, step by step. */
static inline void reference_predecessors(const gas_case *c, const gas_arc *arcs, size_t count, bool costs,
                                          uint32_t source, const double *distance, uint32_t *parent)
{
	uint32_t *found = malloc((c->n + 1) * sizeof *found);
	for (uint32_t v = 0; v < c->n; v++)
		parent[v] = NOBODY;
	for (int equal = 0; equal < 2; equal++)
		for (bool more = true; more;) {
			more = false;
			for (uint32_t v = 0; v < c->n; v++)
				found[v] = NOBODY;
			for (size_t i = 0; i < count; i++) {
				uint32_t u = arcs[i].from, v = arcs[i].to;
				double through = distance[u] + (costs ? arcs[i].cost : (double)arcs[i].weight);
				bool open = v != source && distance[v] < INFINITY && parent[v] == NOBODY && through == distance[v];
				bool from = equal ? distance[u] == distance[v] && (u == source || parent[u] != NOBODY)
				                  : distance[u] < distance[v];
				if (open && from && u < found[v])
					found[v] = u;
			}
			for (uint32_t v = 0; v < c->n; v++)
				if (found[v] != NOBODY) {
					parent[v] = found[v];
					more = equal;
				}
		}
	free(found);
}

/* Collective. Gathers the parents of all vertices as numbers. `parent` has the ids of a rank's own vertices by local
 * vertex. */
static inline uint32_t *all_parents(const gas_case *c, const gemp_layout *layout, const gemp_vertex *parent)
{
	uint32_t *own = calloc(layout->own + 1, sizeof *own);
	for (uint32_t v = 0; v < layout->own; v++)
		own[v] = parent[v] == GEMP_NO_VERTEX ? NOBODY : parent[v] < c->n ? c->number[parent[v]] : NOBODY - 1;
	uint32_t *all = gas_case_all(c, layout, own, sizeof *own);
	free(own);
	return all;
}

static inline gemp_vertex id_of(const gas_case *c, uint32_t number)
{
	gemp_vertex id = 0;
	while (c->number[id] != number)
		id++;
	return id;
}

/* Collective. Returns NULL if the answers are right, otherwise a text that is the same on all ranks. */
static inline const char *check_bfs(const gas_case *c, gemp_bfs *bfs, const gemp_layout *layout, const gas_arc *arcs,
                                    size_t count, uint32_t source)
{
	gemp_bfs_result r;
	const char *wrong = NULL;
	if (gemp_bfs_run(bfs, id_of(c, source), &r) != GEMP_OK)
		return gemp_message();
	uint32_t *level = malloc((c->n + 1) * sizeof *level), *parent = malloc((c->n + 1) * sizeof *parent);
	uint32_t *levels = gas_case_all(c, layout, r.level, sizeof *levels);
	uint32_t *parents = r.parent ? all_parents(c, layout, r.parent) : NULL;
	uint64_t reached = 0, edges = 0;
	uint32_t depth = 0;
	gas_reference_levels(c, arcs, count, source, level);
	reference_parents(c, arcs, count, level, parent);
	for (uint32_t v = 0; v < c->n; v++)
		if (level[v] != UINT32_MAX) {
			reached++;
			depth = level[v] > depth ? level[v] : depth;
		}
	for (size_t i = 0; i < count; i++)
		edges += level[arcs[i].from] != UINT32_MAX;
	if (memcmp(level, levels, c->n * sizeof *level) != 0)
		wrong = "levels";
	else if (parents && memcmp(parent, parents, c->n * sizeof *parent) != 0)
		wrong = "parents";
	else if (r.reached != reached || r.depth != depth || r.cost.edges != edges)
		wrong = "sums";
	free(level);
	free(parent);
	free(levels);
	free(parents);
	return wrong;
}

static inline const char *check_sssp(const gas_case *c, gemp_sssp *sssp, const gemp_layout *layout, const gas_arc *arcs,
                                     size_t count, bool costs, uint32_t source)
{
	gemp_sssp_result r;
	const char *wrong = NULL;
	if (gemp_sssp_run(sssp, id_of(c, source), &r) != GEMP_OK)
		return gemp_message();
	double *distance = malloc((c->n + 1) * sizeof *distance), *own = calloc(layout->own + 1, sizeof *own);
	uint32_t *parent = malloc((c->n + 1) * sizeof *parent), *parents = NULL;
	for (uint32_t v = 0; v < layout->own; v++)
		own[v] = r.real ? r.real[v] : r.distance[v] == GEMP_NO_DISTANCE ? INFINITY : (double)r.distance[v];
	double *distances = gas_case_all(c, layout, own, sizeof *own);
	if (r.predecessor)
		parents = all_parents(c, layout, r.predecessor);
	gas_reference_distances(c, arcs, count, costs, source, distance);
	reference_predecessors(c, arcs, count, costs, source, distance, parent);
	for (uint32_t v = 0; v < c->n; v++)
		if (distance[v] != distances[v])
			wrong = "distances";
	if (!wrong && parents && memcmp(parent, parents, c->n * sizeof *parent) != 0)
		wrong = "predecessors";
	free(distance);
	free(distances);
	free(own);
	free(parent);
	free(parents);
	return wrong;
}

#endif
