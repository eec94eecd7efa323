/* A small random graph that every rank can compute as a whole. Tests compare the answers of owners with it. */
#ifndef GEMP_TESTS_MADE_GRAPH_H
#define GEMP_TESTS_MADE_GRAPH_H

#include "core/memory.h"
#include "harness/collective.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "partition/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_VERTICES = 60, MADE_EDGES = 200, MADE_RELATIONS = 2 };
enum { MADE_NAME, MADE_AGE, MADE_SIZE, MADE_GOOD, MADE_ATTRIBUTES };

typedef struct made_edge {
	gemp_vertex source, target;
	int64_t weight; /* odd weights stand for NULL */
} made_edge;

typedef struct made_graph {
	gemp_shard graph;
	gemp_runtime context;
	uint64_t seed;
	uint32_t key_rank[MADE_VERTICES];
	made_edge edges[MADE_RELATIONS][MADE_EDGES]; /* sorted; edge j of relation k has the number k * MADE_EDGES + j */
} made_graph;

static inline int64_t made_key(const made_graph *made, gemp_vertex id)
{
	return (int64_t)made->key_rank[id] * 3 - 50;
}

/* Returns the attribute of a vertex; the bytes of a string lie in `room`. About one value in four is NULL. */
static inline gemp_value made_value(const made_graph *made, int attribute, gemp_vertex id, char room[64])
{
	uint64_t r = gemp_mix(made->seed + id * 17u + (uint64_t)attribute);
	gemp_value value = { .type = GEMP_STRING, .null = r % 4 == 0 };
	switch (attribute) {
	case MADE_NAME:
		value.string.bytes = room;
		value.string.size = (size_t)snprintf(room, 64, "%.*s%u", (int)(r >> 8 & 31),
		                                     "a\tb\\c\nd\"e and much, much more of it", (unsigned)(r >> 16 & 7));
		break;
	case MADE_AGE:
		value.type = GEMP_INTEGER;
		value.integer = (int64_t)(r >> 8 & 15);
		break;
	case MADE_SIZE:
		value.type = GEMP_FLOAT;
		value.real = value.null ? NAN : (double)(r >> 8 & 255) / 8;
		break;
	default:
		value.type = GEMP_BOOLEAN;
		value.truth = r >> 8 & 1;
		break;
	}
	return value;
}

static inline uint32_t made_label_set(const made_graph *made, gemp_vertex id)
{
	return (uint32_t)(gemp_mix(made->seed ^ id) % 3);
}

static inline gemp_edge made_edge_number(int relation, int index)
{
	return (gemp_edge)(relation * MADE_EDGES + index);
}

static int made_compare_edges(const void *a, const void *b)
{
	const made_edge *x = a, *y = b;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}

static inline void made_bounds(made_graph *made)
{
	gemp_shard *graph = &made->graph;
	graph->rank = test_comm.rank;
	graph->ranks = test_comm.size;
	graph->vertex_count = MADE_VERTICES;
	assert_all_ok(GEMP_NEW(graph->bounds, (size_t)graph->ranks + 1));
	/* with more than three ranks, rank 0 owns 7 vertices and rank 1 none; otherwise the numbers are random */
	for (int r = 1; r < graph->ranks; r++)
		graph->bounds[r] = r < 3 && graph->ranks > 3
		                       ? graph->bounds[1] ? graph->bounds[1] : 7
		                       : graph->bounds[r - 1] +
		                             gemp_mix(made->seed + (uint64_t)r) % (2 * MADE_VERTICES / (uint64_t)graph->ranks);
	graph->bounds[graph->ranks] = MADE_VERTICES;
	for (int r = 1; r < graph->ranks; r++)
		if (graph->bounds[r] > MADE_VERTICES)
			graph->bounds[r] = MADE_VERTICES;
	graph->first_vertex = graph->bounds[graph->rank];
	graph->rows = graph->bounds[graph->rank + 1] - graph->first_vertex;
}

/* Makes a column without rows count as loaded, by allocating its arrays. */
static inline gemp_code made_loaded(gemp_column *column)
{
	gemp_value any = { .type = column->type, .null = true };
	if (column->rows)
		return GEMP_OK;
	gemp_code code = gemp_column_add(column, &any);
	column->rows = 0;
	return code;
}

static inline void made_relation(made_graph *made, int k, const char *name)
{
	gemp_relation *relation = &made->graph.relations[k];
	const gemp_shard *graph = &made->graph;
	made_edge *edges = made->edges[k];
	uint64_t state = made->seed + 99 + (uint64_t)k;
	for (int i = 0; i < MADE_EDGES; i++)
		edges[i] = (made_edge){ (gemp_vertex)gemp_random_below(&state, MADE_VERTICES),
			                    (gemp_vertex)gemp_random_below(&state, 6), (int64_t)gemp_random_below(&state, 9) };
	qsort(edges, MADE_EDGES, sizeof *edges, made_compare_edges);
	gemp_column *weight;
	assert_all_ok((relation->name = gemp_strdup(name)) ? GEMP_OK : GEMP_ENOMEM);
	assert_all_ok(GEMP_NEW(relation->out_offsets, graph->rows + 1));
	assert_all_ok(GEMP_NEW(relation->out_targets, MADE_EDGES));
	assert_all_ok(
		gemp_table_add(&relation->props, k == 0 ? "weight" : "cost", k == 0 ? GEMP_INTEGER : GEMP_STRING, &weight));
	relation->directed = relation->multigraph = true;
	relation->edge_count = MADE_EDGES;
	relation->loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
	size_t own = 0;
	gemp_code code = GEMP_OK;
	for (int i = 0; i < MADE_EDGES; i++) {
		relation->first_edge += edges[i].source < graph->first_vertex;
		if (edges[i].source < graph->first_vertex || edges[i].source >= graph->first_vertex + graph->rows)
			continue;
		relation->out_targets[own++] = edges[i].target;
		relation->out_offsets[edges[i].source - graph->first_vertex + 1] = own;
		gemp_value value = { .type = weight->type, .null = edges[i].weight % 2 };
		char text[32];
		if (k == 0)
			value.integer = edges[i].weight;
		else
			value.string.bytes = text,
			value.string.size = (size_t)snprintf(text, sizeof text, "c%d", (int)edges[i].weight);
		code |= gemp_column_add(weight, &value);
	}
	for (size_t row = 0; row < graph->rows; row++)
		if (relation->out_offsets[row + 1] < relation->out_offsets[row])
			relation->out_offsets[row + 1] = relation->out_offsets[row];
	code |= made_loaded(weight);
	relation->props.rows = own;
	assert_all_ok(code);
}

/* Collective. Makes the graph from the seed; made_graph_free frees it. */
static inline made_graph *made_graph_new(uint64_t seed)
{
	static const char *const names[MADE_ATTRIBUTES] = { "name", "age", "size", "good" };
	static const gemp_type types[MADE_ATTRIBUTES] = { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN };
	made_graph *made;
	assert_all_ok(GEMP_NEW(made, 1));
	gemp_shard *graph = &made->graph;
	made->seed = seed;
	made->context.comm = &test_comm;
	for (uint32_t i = 0; i < MADE_VERTICES; i++) {
		uint32_t j = (uint32_t)gemp_random_below(&seed, i + 1);
		made->key_rank[i] = made->key_rank[j];
		made->key_rank[j] = i;
	}
	made_bounds(made);
	gemp_code code = gemp_column_init(&graph->keys, "_id", GEMP_INTEGER);
	graph->label_set_count = 3;
	code |= GEMP_NEW(graph->key_ranks, graph->rows);
	code |= GEMP_NEW(graph->label_set_of, graph->rows);
	code |= GEMP_NEW(graph->label_sets, graph->label_set_count);
	for (int a = 0; a < MADE_ATTRIBUTES; a++) {
		gemp_column *column;
		code |= gemp_table_add(&graph->attributes, names[a], types[a], &column);
		for (size_t row = 0; row < graph->rows; row++) {
			char room[64];
			gemp_value value = made_value(made, a, (gemp_vertex)(graph->first_vertex + row), room);
			code |= gemp_column_add(column, &value);
		}
		code |= made_loaded(column);
	}
	graph->attributes.rows = graph->rows;
	for (size_t row = 0; row < graph->rows; row++) {
		gemp_vertex id = (gemp_vertex)(graph->first_vertex + row);
		code |= gemp_column_add(&graph->keys, &(gemp_value){ .type = GEMP_INTEGER, .integer = made_key(made, id) });
		graph->key_ranks[row] = made->key_rank[id];
		graph->label_set_of[row] = made_label_set(made, id);
	}
	code |= made_loaded(&graph->keys);
	graph->relation_count = MADE_RELATIONS;
	code |= GEMP_NEW(graph->relations, MADE_RELATIONS);
	assert_all_ok(code);
	made_relation(made, 0, "LIKES");
	made_relation(made, 1, "OWES");
	return made;
}

static inline void made_graph_free(made_graph *made)
{
	gemp_shard *graph = &made->graph;
	gemp_free(graph->bounds);
	gemp_column_free(&graph->keys);
	gemp_free(graph->key_ranks);
	gemp_free(graph->label_set_of);
	gemp_free(graph->label_sets);
	gemp_table_free(&graph->attributes);
	for (size_t k = 0; k < graph->relation_count; k++) {
		gemp_free(graph->relations[k].name);
		gemp_free(graph->relations[k].out_offsets);
		gemp_free(graph->relations[k].out_targets);
		gemp_table_free(&graph->relations[k].props);
	}
	gemp_free(graph->relations);
	gemp_free(made);
}

static inline bool made_same(gemp_value a, gemp_value b)
{
	if (a.null || b.null || a.type != b.type)
		return a.null && b.null && a.type == b.type;
	switch (a.type) {
	case GEMP_STRING:
		return a.string.size == b.string.size && memcmp(a.string.bytes, b.string.bytes, a.string.size) == 0;
	case GEMP_INTEGER: return a.integer == b.integer;
	case GEMP_FLOAT: return a.real == b.real;
	default: return a.truth == b.truth;
	}
}

#endif
