/* Finds automorphisms of a query: every permutation of its vertices with every permutation of its edges that agrees
 * with it, if conditions and RETURN keep their meaning. */
#include "match.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	const ref_query *query;
	ref_group group;
	size_t room;
	/* the dense index of each point's image; a point is a vertex or an edge */
	int map[REF_MAX_VERTICES + REF_MAX_EDGES];
	bool used[REF_MAX_VERTICES + REF_MAX_EDGES];
	char *conditions[REF_MAX_CONDITIONS], *returns[REF_MAX_RETURNS]; /* sorted texts before any permutation */
	size_t condition_count;
} finder;

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t texts(const finder *f, ref_expr *const *exprs, size_t count, bool as_set, char **out)
{
	for (size_t i = 0; i < count; i++)
		out[i] = ref_expr_text(f->query, exprs[i], f->map);
	qsort(out, count, sizeof *out, by_text);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (as_set && kept > 0 && strcmp(out[kept - 1], out[i]) == 0)
			free(out[i]);
		else
			out[kept++] = out[i];
	}
	return kept;
}

static bool same_texts(char **a, size_t a_count, char **b, size_t b_count)
{
	bool same = a_count == b_count;
	for (size_t i = 0; i < b_count; i++) {
		same = same && strcmp(a[i], b[i]) == 0;
		free(b[i]);
	}
	return same;
}

static bool keeps_meaning(const finder *f)
{
	const ref_query *query = f->query;
	char *conditions[REF_MAX_CONDITIONS], *returns[REF_MAX_RETURNS];
	size_t count = texts(f, query->conditions, query->condition_count, true, conditions);
	size_t return_count = texts(f, query->returns, query->return_count, false, returns);
	bool same = same_texts((char **)f->conditions, f->condition_count, conditions, count);
	return same_texts((char **)f->returns, query->return_count, returns, return_count) && same;
}

static void keep(finder *f)
{
	ref_group *group = &f->group;
	const ref_query *query = f->query;
	if (!keeps_meaning(f))
		return;
	if (group->order == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		group->images = realloc(group->images, f->room * group->points * sizeof *group->images);
		if (!group->images)
			ref_die("out of memory");
	}
	int *images = group->images + group->order++ * group->points;
	for (int v = 0; v < query->vertex_count; v++)
		images[v] = f->map[v];
	for (int e = 0; e < query->edge_count; e++)
		images[query->vertex_count + e] = f->map[REF_MAX_VERTICES + e];
}

static bool same_edge(const finder *f, const ref_query_edge *a, const ref_query_edge *b)
{
	int from = f->map[a->from], to = f->map[a->to];
	if (a->either != b->either || a->type_count != b->type_count)
		return false;
	for (size_t i = 0; i < a->type_count; i++)
		if (strcmp(a->types[i], b->types[i]) != 0)
			return false;
	return (from == b->from && to == b->to) || (a->either && from == b->to && to == b->from);
}

static void map_edges(finder *f, int e)
{
	const ref_query *query = f->query;
	if (e == query->edge_count) {
		keep(f);
		return;
	}
	for (int other = 0; other < query->edge_count; other++) {
		if (f->used[REF_MAX_VERTICES + other] || !same_edge(f, &query->edges[e], &query->edges[other]))
			continue;
		f->used[REF_MAX_VERTICES + other] = true;
		f->map[REF_MAX_VERTICES + e] = query->vertex_count + other;
		map_edges(f, e + 1);
		f->used[REF_MAX_VERTICES + other] = false;
	}
}

/* False if an edge between mapped vertices has no counterpart. The branch is left then. */
static bool may_go_on(const finder *f, int mapped)
{
	for (int e = 0; e < f->query->edge_count; e++) {
		const ref_query_edge *edge = &f->query->edges[e];
		if (edge->from >= mapped || edge->to >= mapped)
			continue;
		bool found = false;
		for (int other = 0; other < f->query->edge_count && !found; other++)
			found = same_edge(f, edge, &f->query->edges[other]);
		if (!found)
			return false;
	}
	return true;
}

static void map_vertices(finder *f, int v)
{
	if (!may_go_on(f, v))
		return;
	if (v == f->query->vertex_count) {
		map_edges(f, 0);
		return;
	}
	for (int image = 0; image < f->query->vertex_count; image++) {
		if (f->used[image])
			continue;
		f->used[image] = true;
		f->map[v] = image;
		map_vertices(f, v + 1);
		f->used[image] = false;
	}
}

ref_group ref_automorphisms(const ref_query *query)
{
	finder *f = ref_alloc(1, sizeof *f);
	f->query = query;
	f->group.points = (size_t)query->vertex_count + (size_t)query->edge_count;
	for (int v = 0; v < query->vertex_count; v++)
		f->map[v] = v;
	for (int e = 0; e < query->edge_count; e++)
		f->map[REF_MAX_VERTICES + e] = query->vertex_count + e;
	f->condition_count = texts(f, query->conditions, query->condition_count, true, f->conditions);
	texts(f, query->returns, query->return_count, false, f->returns);
	map_vertices(f, 0);
	ref_group group = f->group;
	free(f);
	return group;
}
