/* Finds matches by their definition on small graphs: it tries every assignment, walks orbits by the generators of the
 * pattern's group, and compares classes as sets. It shares only the parsed pattern, the group and the evaluation of
 * conditions with the engine. The ranks divide the work. */
#ifndef GEMP_TESTS_MATCH_REFERENCE_H
#define GEMP_TESTS_MATCH_REFERENCE_H

#include "comm/comm.h"
#include "comm/shared.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "graph_fixture.h"
#include "harness/pattern_oracle.h"
#include "pattern/condition/evaluate.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

enum { REFERENCE_POINTS = 24 }; /* maximum number of vertices and edges of a pattern */

typedef struct reference_edge {
	size_t relation;
	gemp_vertex source, target;
} reference_edge;

/* The images of the pattern's vertices (ids), then of its edges (numbers through all relations). In a simple graph the
 * first edge between two vertices stands for all of them. */
typedef struct embedding {
	uint64_t at[REFERENCE_POINTS];
} embedding;

/* The state and the result of the reference: a graph, a pattern, and all embeddings. */
typedef struct reference {
	const gemp_shard *whole;
	const gemp_pattern *pattern; /* bound */
	gemp_semantics semantics;
	size_t points, edge_count, count, capacity;
	reference_edge *edges;
	embedding *list; /* sorted */
	embedding now;
} reference;

static size_t reference_points; /* number of images that the comparison looks at */

static inline int reference_compare(const void *a, const void *b)
{
	const embedding *x = a, *y = b;
	for (size_t i = 0; i < reference_points; i++)
		if (x->at[i] != y->at[i])
			return x->at[i] < y->at[i] ? -1 : 1;
	return 0;
}

static inline void reference_sort(embedding *list, size_t count, size_t points)
{
	reference_points = points;
	if (count)
		qsort(list, count, sizeof *list, reference_compare);
}

static inline size_t reference_unique(embedding *list, size_t count, size_t points)
{
	size_t kept = 0;
	reference_sort(list, count, points);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || reference_compare(&list[kept - 1], &list[i]))
			list[kept++] = list[i];
	return kept;
}

static inline void reference_edges(reference *r)
{
	const gemp_shard *g = r->whole;
	r->edges = calloc(gemp_shard_edges(g) + 1, sizeof *r->edges);
	for (size_t k = 0; k < g->relation_count; k++)
		for (gemp_vertex v = 0; v < g->vertex_count; v++)
			for (uint64_t i = g->relations[k].out_offsets[v]; i < g->relations[k].out_offsets[v + 1]; i++)
				r->edges[r->edge_count++] = (reference_edge){ k, v, g->relations[k].out_targets[i] };
}

/* Returns the number of the edge that stands for all edges between a and b in the simple graph, or UINT64_MAX. */
static inline uint64_t reference_simple(const reference *r, uint64_t a, uint64_t b)
{
	for (size_t i = 0; a != b && i < r->edge_count; i++)
		if ((r->edges[i].source == a && r->edges[i].target == b) ||
		    (r->edges[i].source == b && r->edges[i].target == a))
			return i;
	return UINT64_MAX;
}

static inline bool reference_fits(const reference *r, size_t e, size_t i)
{
	const gemp_pattern_edge *edge = &r->pattern->edges[e];
	const reference_edge *h = &r->edges[i];
	uint64_t from = r->now.at[edge->from], to = r->now.at[edge->to];
	if (r->pattern->simple)
		return i == reference_simple(r, from, to);
	bool along = h->source == from && h->target == to, against = h->source == to && h->target == from;
	return edge->relations[h->relation] && (along || (against && edge->direction == GEMP_EITHER));
}

/* For induced semantics: may host edge i lead from the image of u to the image of v? It may if the pattern has such an
 * edge, or if no pattern edge has the relation of edge i. In a simple graph it may also be a loop. */
static inline bool reference_allows(const reference *r, size_t i, int u, int v)
{
	const gemp_pattern *p = r->pattern;
	bool named = p->simple;
	for (size_t e = 0; e < p->edge_count; e++) {
		const gemp_pattern_edge *edge = &p->edges[e];
		bool along = edge->from == u && edge->to == v, against = edge->from == v && edge->to == u;
		if (p->simple && (along || against))
			return true;
		if (p->simple || !edge->relations[r->edges[i].relation])
			continue;
		named = true;
		if (along || (against && edge->direction == GEMP_EITHER))
			return true;
	}
	return !named || (p->simple && u == v);
}

static inline bool reference_is_induced(const reference *r)
{
	for (size_t i = 0; i < r->edge_count; i++)
		for (int u = 0; u < (int)r->pattern->vertex_count; u++)
			for (int v = 0; v < (int)r->pattern->vertex_count; v++)
				if (r->edges[i].source == r->now.at[u] && r->edges[i].target == r->now.at[v] &&
				    !reference_allows(r, i, u, v))
					return false;
	return true;
}

/* CONDITIONS. Evaluates an EXISTS of one edge between two vertices. */
static inline bool reference_edge_exists(const reference *r, const gemp_expr *exists)
{
	const gemp_pattern *inner = r->pattern->subs[exists->sub];
	const gemp_pattern_edge *edge = &inner->edges[0];
	uint64_t from = r->now.at[exists->children[edge->from]->variable];
	uint64_t to = r->now.at[exists->children[edge->to]->variable];
	for (size_t i = 0; i < r->edge_count; i++) {
		const reference_edge *h = &r->edges[i];
		bool along = h->source == from && h->target == to, against = h->source == to && h->target == from;
		if (edge->relations[h->relation] && (along || (against && edge->direction == GEMP_EITHER)))
			return true;
	}
	return false;
}

static inline gemp_value reference_value(void *context, const gemp_expr *expr)
{
	const reference *r = context;
	if (expr->kind == GEMP_LITERAL)
		return expr->value;
	size_t row = (size_t)r->now.at[expr->variable];
	if (expr->kind == GEMP_KEY)
		return gemp_column_get(&r->whole->keys, row);
	if (expr->attribute < 0)
		return (gemp_value){ .null = true };
	return gemp_column_get(&r->whole->attributes.columns[expr->attribute], row);
}

static inline uint64_t reference_element(void *context, int variable, bool edge)
{
	const reference *r = context;
	return r->now.at[edge ? r->pattern->vertex_count + (size_t)variable : (size_t)variable];
}

static inline uint32_t reference_label_set(void *context, int variable)
{
	const reference *r = context;
	return r->whole->label_set_of[r->now.at[variable]];
}

static inline bool reference_conditions(reference *r)
{
	gemp_scope scope = { r, reference_value, reference_element, reference_label_set };
	for (size_t i = 0; i < r->pattern->condition_count; i++) {
		const gemp_expr *expr = r->pattern->conditions[i].expr;
		bool negated = expr->kind == GEMP_NOT && expr->children[0]->kind == GEMP_EXISTS;
		if (negated || expr->kind == GEMP_EXISTS) {
			if (reference_edge_exists(r, negated ? expr->children[0] : expr) == negated)
				return false;
		} else if (!expr_is_true(expr, &scope)) {
			return false;
		}
	}
	return true;
}

static inline void reference_keep(reference *r)
{
	if (r->count == r->capacity) {
		r->capacity = 2 * r->capacity + 64;
		r->list = realloc(r->list, r->capacity * sizeof *r->list);
		assert_non_null(r->list);
	}
	r->list[r->count++] = r->now;
}

static inline void reference_bind_edges(reference *r, size_t e)
{
	uint64_t *image = r->now.at + r->pattern->vertex_count;
	if (e == r->pattern->edge_count) {
		if ((r->semantics != GEMP_INDUCED || reference_is_induced(r)) && reference_conditions(r))
			reference_keep(r);
		return;
	}
	for (size_t i = 0; i < r->edge_count; i++) {
		bool taken = false;
		for (size_t f = 0; f < e && r->semantics != GEMP_HOM; f++)
			taken |= image[f] == i;
		if (taken || !reference_fits(r, e, i))
			continue;
		image[e] = i;
		reference_bind_edges(r, e + 1);
	}
}

/* Can the vertices bound so far be part of a match? */
static inline bool reference_can_match(const reference *r, size_t v)
{
	for (size_t u = 0; u < v; u++)
		if ((r->semantics == GEMP_ISO || r->semantics == GEMP_INDUCED) && r->now.at[u] == r->now.at[v] &&
		    !r->pattern->vertices[u].repeatable && !r->pattern->vertices[v].repeatable)
			return false;
	for (size_t e = 0; e < r->pattern->edge_count; e++) {
		size_t from = (size_t)r->pattern->edges[e].from, to = (size_t)r->pattern->edges[e].to;
		bool some = (from != v && to != v) || from > v || to > v;
		for (size_t i = 0; !some && i < r->edge_count; i++)
			some = reference_fits(r, e, i);
		if (!some)
			return false;
	}
	return true;
}

/* Tries all images of vertex v. The ranks divide the images of the first vertex. */
static inline void reference_bind(reference *r, size_t v)
{
	if (v == r->pattern->vertex_count) {
		reference_bind_edges(r, 0);
		return;
	}
	const uint64_t begin = v ? 0 : (uint64_t)test_comm.rank, step = v ? 1 : (uint64_t)test_comm.size;
	for (uint64_t id = begin; id < r->whole->vertex_count; id += step) {
		r->now.at[v] = id;
		if (reference_can_match(r, v))
			reference_bind(r, v + 1);
	}
}

static inline void reference_gather(reference *r)
{
	void *all = NULL;
	size_t *begin = NULL;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, r->list, r->count * sizeof *r->list, &all, &begin));
	r->count = r->capacity = begin[test_comm.size] / sizeof *r->list;
	r->list = realloc(r->list, (r->count + 1) * sizeof *r->list);
	if (r->count)
		memcpy(r->list, all, r->count * sizeof *r->list);
	gemp_free(all);
	gemp_free(begin);
}

/* Collective. All ranks pass the same graph and get the same matches. */
static inline void reference_new(reference *r, const gemp_shard *whole, const gemp_pattern *pattern,
                                 gemp_semantics semantics)
{
	*r = (reference){ .whole = whole, .pattern = pattern, .semantics = semantics };
	r->points = pattern->vertex_count + pattern->edge_count;
	assert_true(r->points <= REFERENCE_POINTS);
	reference_edges(r);
	reference_bind(r, 0);
	reference_gather(r);
	reference_sort(r->list, r->count, r->points);
}

static inline void reference_free(reference *r)
{
	free(r->edges);
	free(r->list);
}

/* CLASSES. */
static int reference_compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Sorts the numbers, removes duplicates, and fills the end of the array with the largest number. */
static inline void reference_set(uint64_t *numbers, size_t count)
{
	size_t kept = 0;
	qsort(numbers, count, sizeof *numbers, reference_compare_numbers);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	for (size_t i = kept; i < count; i++)
		numbers[i] = numbers[kept - 1];
}

static inline uint64_t reference_orbits(const reference *r)
{
	uint64_t orbits = 0;
	gemp_symmetry *symmetry = NULL;
	bool *seen = calloc(r->count + 1, 1);
	size_t *todo = calloc(r->count + 1, sizeof *todo);
	assert_ok(gemp_automorphism_find(&symmetry, r->pattern, true));
	reference_points = r->points;
	for (size_t i = 0; i < r->count; i++) {
		size_t size = 0;
		if (seen[i])
			continue;
		orbits++;
		seen[todo[size++] = i] = true;
		for (size_t done = 0; done < size; done++)
			for (size_t g = 0; g < symmetry->count; g++) {
				const int *image = symmetry->images + g * symmetry->points;
				embedding moved = { { 0 } };
				for (size_t k = 0; k < r->points; k++)
					moved.at[k] = r->list[todo[done]].at[image[k]];
				const embedding *at = bsearch(&moved, r->list, r->count, sizeof moved, reference_compare);
				assert_non_null(at);
				if (!seen[at - r->list])
					seen[todo[size++] = (size_t)(at - r->list)] = true;
			}
	}
	gemp_symmetry_free(symmetry);
	free(seen);
	free(todo);
	return orbits;
}

static inline uint64_t reference_matches(const reference *r, gemp_distinct distinct)
{
	size_t vertices = r->pattern->vertex_count, edges = r->pattern->edge_count;
	if (distinct == GEMP_BY_NOTHING)
		return r->count;
	if (distinct == GEMP_BY_ORBIT)
		return reference_orbits(r);
	embedding *sets = calloc(r->count + 1, sizeof *sets);
	for (size_t i = 0; i < r->count; i++) {
		sets[i] = r->list[i];
		reference_set(sets[i].at, vertices);
		if (distinct == GEMP_BY_SUBGRAPH && edges)
			reference_set(sets[i].at + vertices, edges);
	}
	size_t classes = reference_unique(sets, r->count, distinct == GEMP_BY_SUBGRAPH ? r->points : vertices);
	free(sets);
	return classes;
}

/* A SINK that keeps all rows, or says "enough" after some rows. */
typedef struct collecting {
	int vertex_count, edge_count;
	size_t count, capacity, wanted; /* wanted: rows of all ranks together; SIZE_MAX for all rows */
	embedding *rows;
	size_t rounds, last_rounds;
	/* the rank that first increments this counter of all ranks fails; NULL if no rank fails */
	gemp_counter *failing;
} collecting;

static inline gemp_code collecting_take(void *self, const gemp_batch *batch)
{
	collecting *c = self;
	c->vertex_count = batch->vertex_count;
	c->edge_count = batch->edge_count;
	if (c->failing && gemp_counter_next(c->failing) == 0)
		return gemp_fail(GEMP_EIO, "a sink that fails");
	for (size_t i = 0; i < batch->rows; i++) {
		if (c->count == c->capacity) {
			c->capacity = 2 * c->capacity + 64;
			c->rows = realloc(c->rows, c->capacity * sizeof *c->rows);
		}
		embedding *row = &c->rows[c->count++];
		*row = (embedding){ { 0 } };
		for (int k = 0; k < batch->vertex_count; k++)
			row->at[k] = batch->vertices[i * (size_t)batch->vertex_count + (size_t)k];
		for (int k = 0; k < batch->edge_count; k++)
			row->at[batch->vertex_count + k] = batch->edges[i * (size_t)batch->edge_count + (size_t)k];
	}
	return GEMP_OK;
}

static inline gemp_code collecting_end_round(void *self, bool last, bool *enough, bool *again)
{
	collecting *c = self;
	(void)again;
	c->rounds++;
	c->last_rounds += last;
	if (c->wanted != SIZE_MAX && gemp_comm_sum1(&test_comm, c->count) >= c->wanted)
		*enough = true;
	return GEMP_OK;
}

static inline void collecting_free(void *self)
{
	(void)self;
}

static inline gemp_sink collecting_sink(collecting *c)
{
	return (gemp_sink){ c, collecting_take, collecting_end_round, collecting_free };
}

/* Collective. Gives every rank the sorted rows of all ranks. */
static inline void collecting_gather(collecting *c)
{
	void *all = NULL;
	size_t *begin = NULL;
	uint64_t width[2] = { (uint64_t)c->vertex_count, (uint64_t)c->edge_count };
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, c->rows, c->count * sizeof *c->rows, &all, &begin));
	gemp_comm_max(&test_comm, width, 2);
	c->vertex_count = (int)width[0];
	c->edge_count = (int)width[1];
	c->count = begin[test_comm.size] / sizeof *c->rows;
	c->rows = realloc(c->rows, (c->count + 1) * sizeof *c->rows);
	memcpy(c->rows, all, c->count * sizeof *c->rows);
	c->capacity = c->count + 1;
	gemp_free(all);
	gemp_free(begin);
	reference_sort(c->rows, c->count, (size_t)(c->vertex_count + c->edge_count));
}

#endif
