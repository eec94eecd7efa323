/* Checks of components and spanning forests against a plain union-find over the edges of all ranks. */
#ifndef GEMP_TESTS_COMPONENTS_CASE_H
#define GEMP_TESTS_COMPONENTS_CASE_H

#include "comm/comm.h"
#include "harness/collective.h"
#include "topology/components.h"
#include "topology_case.h"

#include <string.h>

static inline size_t *union_find(const test_world *w)
{
	size_t *parent = gemp_calloc(w->vertices, sizeof *parent);
	for (size_t v = 0; v < w->vertices; v++)
		parent[v] = v;
	for (size_t type = 0; type < w->types; type++)
		for (size_t e = 0; e < w->edges[type].count; e++)
			test_join(parent, w->edges[type].source[e], w->edges[type].target[e]);
	return parent;
}

static inline void check_component_names(const test_world *w, const gemp_components *found)
{
	size_t *parent = union_find(w), first = (size_t)w->bounds[test_comm.rank];
	bool good = found->rows == w->bounds[test_comm.rank + 1] - first;
	for (size_t row = 0; good && row < found->rows; row++)
		good = found->component[row] == test_root(parent, first + row);
	assert_all(good);
	gemp_free(parent);
}

/* size[v]: number of vertices of the component whose root is v. */
static inline void check_own_sizes(const test_world *w, const gemp_components *found, size_t *parent,
                                   const size_t *size)
{
	uint64_t *own = gemp_calloc(found->rows, sizeof *own);
	assert_all_ok(gemp_component_sizes_by_vertex(own, found, &test_comm, w->bounds));
	bool good = true;
	for (size_t row = 0; row < found->rows; row++)
		good = good && own[row] == size[test_root(parent, (size_t)w->bounds[test_comm.rank] + row)];
	assert_all(good);
	gemp_free(own);
}

static inline void check_sizes(const test_world *w, const gemp_components *found)
{
	size_t *parent = union_find(w), *size = gemp_calloc(w->vertices, sizeof *size), count = 0, isolated = 0,
		   largest = 0;
	bool *edged = gemp_calloc(w->vertices, sizeof *edged);
	gemp_count classes[GEMP_COMPONENT_CLASSES] = { 0 }, with_edges = 0;
	for (size_t v = 0; v < w->vertices; v++)
		size[test_root(parent, v)]++;
	for (size_t type = 0; type < w->types; type++)
		for (size_t e = 0; e < w->edges[type].count; e++)
			edged[test_root(parent, w->edges[type].source[e])] = true;
	for (size_t v = 0; v < w->vertices; v++) {
		count += size[v] > 0;
		isolated += size[v] == 1;
		with_edges += edged[v];
		largest = size[v] > largest ? size[v] : largest;
		for (unsigned k = 1; size[v] && k < GEMP_COMPONENT_CLASSES; k++)
			classes[k] += size[v] >= (size_t)1 << (k - 1) && size[v] < (size_t)1 << k;
	}
	assert_all(found->count == count && found->isolated == isolated && found->with_edges == with_edges);
	assert_all(found->largest == largest && (!largest || size[found->largest_name] == largest));
	assert_all(memcmp(found->classes, classes, sizeof classes) == 0);
	check_own_sizes(w, found, parent, size);
	gemp_free(edged);
	gemp_free(size);
	gemp_free(parent);
}

/* The tree must have as many edges as a spanning forest, and no edge may close a cycle. */
static inline void check_tree(const test_world *w, const gemp_components *found)
{
	uint64_t *own = gemp_calloc(2 * found->tree_count, sizeof *own);
	size_t *parent = gemp_calloc(w->vertices, sizeof *parent), *begin = NULL;
	void *all = NULL;
	for (size_t i = 0; i < found->tree_count; i++) {
		uint64_t edge = found->tree[i];
		size_t type = gemp_csr_find(w->own, w->types, &edge);
		own[2 * i] = type;
		own[2 * i + 1] = w->before[type] + edge;
	}
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, own, 2 * found->tree_count * sizeof *own, &all, &begin));
	size_t count = begin[test_comm.size] / sizeof *own / 2;
	for (size_t v = 0; v < w->vertices; v++)
		parent[v] = v;
	bool good = count == w->vertices - found->count;
	for (size_t i = 0; i < count; i++) {
		const uint64_t *edge = (uint64_t *)all + 2 * i;
		const test_edges *edges = &w->edges[edge[0]];
		good = good && edge[1] < edges->count && test_join(parent, edges->source[edge[1]], edges->target[edge[1]]);
	}
	assert_all(good);
	for (size_t i = 1; i < found->tree_count; i++)
		good = good && found->tree[i - 1] < found->tree[i];
	assert_all(good);
	gemp_free(all);
	gemp_free(begin);
	gemp_free(parent);
	gemp_free(own);
}

/* A search for counts alone must give the counts of a search for all results. */
static inline void check_counts_only(const test_world *w, gemp_device *device, const gemp_components_options *options,
                                     const gemp_components *all)
{
	gemp_components found;
	gemp_components_options counts = *options;
	counts.counts_only = true;
	assert_all_ok(gemp_components_find(&found, &test_comm, device, w->bounds, w->own, w->types, &counts));
	assert_all(!found.on_device || (!found.component && !found.size));
	assert_all(found.count == all->count && found.isolated == all->isolated && found.with_edges == all->with_edges);
	assert_all(found.largest == all->largest && found.largest_name == all->largest_name);
	assert_all(memcmp(found.classes, all->classes, sizeof found.classes) == 0);
	gemp_components_free(&found);
}

/* Without and with a forest. */
static inline void check_components(const test_world *w, gemp_device *device, gemp_placement place, gemp_form form)
{
	for (int tree = 0; tree < 2; tree++) {
		gemp_components found;
		const gemp_components_options options = { place, tree, form, false };
		assert_all_ok(gemp_components_find(&found, &test_comm, device, w->bounds, w->own, w->types, &options));
		assert_all(found.on_device == (place == GEMP_PLACE_DEVICE && w->types && w->vertices));
		check_component_names(w, &found);
		check_sizes(w, &found);
		if (tree)
			check_tree(w, &found);
		assert_all(tree || found.tree_count == 0);
		if (!tree)
			check_counts_only(w, device, &options, &found);
		gemp_components_free(&found);
	}
}

#endif
