/* Small random property graphs, the same on every rank, which the ranks add to a builder in any order. */
#ifndef GEMP_TESTS_GRAPH_FIXTURE_H
#define GEMP_TESTS_GRAPH_FIXTURE_H

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/collective.h"
#include "partition/build/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXTURE_TEXT = 64, FIXTURE_COLUMNS = 4, FIXTURE_PROPS = 2 };

typedef struct fixture_vertex {
	gemp_value key;
	char key_text[FIXTURE_TEXT];
	const char *labels;
	gemp_value values[FIXTURE_COLUMNS]; /* number, ratio, flag, name */
	char name[FIXTURE_TEXT];
} fixture_vertex;

typedef struct fixture_edge {
	size_t source, target; /* indices of vertices */
	const char *type;
	gemp_value values[FIXTURE_PROPS]; /* weight, note */
	char note[FIXTURE_TEXT];
} fixture_edge;

typedef enum fixture_keys { KEYS_INTEGER, KEYS_STRING, KEYS_MIXED } fixture_keys;

/* A random property graph. */
typedef struct fixture {
	size_t vertex_count, edge_count;
	fixture_vertex *vertices;
	fixture_edge *edges;
} fixture;

static const char *const fixture_column[FIXTURE_COLUMNS] = { "number", "ratio", "flag", "name" };
static const gemp_type fixture_type[FIXTURE_COLUMNS] = { GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_STRING };
static const char *const fixture_prop[FIXTURE_PROPS] = { "weight", "note" };
static const gemp_type fixture_prop_type[FIXTURE_PROPS] = { GEMP_INTEGER, GEMP_STRING };

static inline gemp_value fixture_string(const char *text)
{
	return (gemp_value){ .type = GEMP_STRING, .string = { text, strlen(text) } };
}

/* Labels are random, but a graph that is not small has every label, so that queries with labels can be bound. */
static inline const char *fixture_labels(size_t index, size_t vertices, uint64_t *random)
{
	static const char *const labels[] = { "Person",       "Film", "Actor;\xc3\x84rzte", "\xc3\x84rzte;Actor", "",
		                                  "\xc3\x84rzte", "Film" };
	size_t drawn = gemp_random_below(random, 7);
	return labels[vertices >= 20 && index < 7 ? index : drawn];
}

static inline void fixture_make_vertex(fixture_vertex *vertex, size_t index, size_t vertices, fixture_keys keys,
                                       uint64_t *random)
{
	vertex->labels = fixture_labels(index, vertices, random);
	bool integer = keys == KEYS_INTEGER || (keys == KEYS_MIXED && gemp_random_below(random, 2));
	int64_t number = (int64_t)index * 1000003 - 5000;
	if (index == 1)
		number = INT64_MIN;
	snprintf(vertex->key_text, sizeof vertex->key_text, "%s%zu", index % 3 ? "a rather long common prefix of " : "k",
	         index);
	vertex->key = integer ? (gemp_value){ .type = GEMP_INTEGER, .integer = number } : fixture_string(vertex->key_text);
	static const char *const words[] = { "", "Jack", "J\xc3\xbcrgen", "a much longer name with spaces", "Z" };
	snprintf(vertex->name, sizeof vertex->name, "%s", words[gemp_random_below(random, 5)]);
	vertex->values[0] = (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)gemp_random(random) };
	vertex->values[1] = (gemp_value){ .type = GEMP_FLOAT, .real = gemp_random_unit(random) };
	vertex->values[2] = (gemp_value){ .type = GEMP_BOOLEAN, .truth = gemp_random_below(random, 2) };
	vertex->values[3] = fixture_string(vertex->name);
	for (int c = 0; c < FIXTURE_COLUMNS; c++)
		vertex->values[c].null = gemp_random_below(random, 4) == 0;
	if (strcmp(vertex->labels, "Film") != 0)
		vertex->values[1].null = true; /* ratio and flag each belong to one label */
	if (strcmp(vertex->labels, "Person") != 0)
		vertex->values[2].null = true;
}

static inline void fixture_make_edge(fixture_edge *edge, size_t vertices, uint64_t *random)
{
	static const char *const types[] = { "KNOWS", "ACTS_IN", "likes it/much" };
	edge->source = gemp_random_below(random, vertices);
	edge->target = gemp_random_below(random, vertices);
	if (gemp_random_below(random, 3) == 0) /* makes parallel and reciprocal edges frequent */
		edge->source %= 3, edge->target %= 3;
	edge->source %= vertices, edge->target %= vertices;
	edge->type = types[gemp_random_below(random, 3)];
	snprintf(edge->note, sizeof edge->note, "%s", gemp_random_below(random, 2) ? "n" : "note");
	edge->values[0] = (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)gemp_random_below(random, 3) - 1 };
	edge->values[1] = fixture_string(edge->note);
	edge->values[0].null = gemp_random_below(random, 3) == 0;
	edge->values[1].null = strcmp(edge->type, "KNOWS") != 0 || gemp_random_below(random, 3) == 0;
}

static inline fixture fixture_new(size_t vertices, size_t edges, fixture_keys keys, uint64_t seed)
{
	fixture made = { vertices, vertices ? edges : 0, NULL, NULL };
	made.vertices = calloc(vertices + 1, sizeof *made.vertices);
	made.edges = calloc(edges + 1, sizeof *made.edges);
	for (size_t v = 0; v < vertices; v++)
		fixture_make_vertex(&made.vertices[v], v, vertices, keys, &seed);
	for (size_t e = 0; e < made.edge_count; e++)
		fixture_make_edge(&made.edges[e], vertices, &seed);
	return made;
}

static inline void fixture_free(fixture *made)
{
	free(made->vertices);
	free(made->edges);
}

/* Returns a random order of 0 .. count - 1, the same on all ranks. */
static inline size_t *fixture_order(size_t count, uint64_t *random)
{
	size_t *order = calloc(count + 1, sizeof *order);
	for (size_t i = 0; i < count; i++) {
		size_t j = gemp_random_below(random, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	return order;
}

static inline gemp_code fixture_add_vertex(gemp_builder *builder, const fixture_vertex *vertex, uint64_t line)
{
	gemp_code code = gemp_builder_vertex(builder, &vertex->key, vertex->labels, strlen(vertex->labels),
	                                     (gemp_place){ 1, line });
	for (size_t c = 0; c < FIXTURE_COLUMNS && code == GEMP_OK; c++)
		if (!vertex->values[c].null)
			code = gemp_builder_vertex_value(builder, c, &vertex->values[c]);
	return code;
}

static inline gemp_code fixture_add_edge(gemp_builder *builder, const fixture *made, const fixture_edge *edge,
                                         uint64_t line)
{
	gemp_code code = gemp_builder_edge(builder, &made->vertices[edge->source].key, &made->vertices[edge->target].key,
	                                   edge->type, strlen(edge->type), (gemp_place){ 2, line });
	for (size_t c = 0; c < FIXTURE_PROPS && code == GEMP_OK; c++)
		if (!edge->values[c].null)
			code = gemp_builder_edge_value(builder, c, &edge->values[c]);
	return code;
}

/* Collective. Adds all elements. `order` is a seed that decides which rank adds which element, and when. Rank 1 adds
 * nothing, so that an empty rank is tested. */
static inline gemp_code fixture_add(gemp_builder *builder, const fixture *made, const gemp_comm *comm, uint64_t order)
{
	gemp_code code = GEMP_OK;
	uint32_t file;
	size_t column;
	code = gemp_builder_file(builder, "vertices.tsv", &file);
	if (code == GEMP_OK)
		code = gemp_builder_file(builder, "edges.tsv", &file);
	for (size_t c = 0; c < FIXTURE_COLUMNS && code == GEMP_OK; c++)
		code = gemp_builder_vertex_column(builder, fixture_column[c], fixture_type[c], &column);
	for (size_t c = 0; c < FIXTURE_PROPS && code == GEMP_OK; c++)
		code = gemp_builder_edge_column(builder, fixture_prop[c], fixture_prop_type[c], &column);
	size_t *vertices = fixture_order(made->vertex_count, &order), *edges = fixture_order(made->edge_count, &order);
	for (size_t i = 0; i < made->vertex_count && code == GEMP_OK; i++) {
		int rank = (int)gemp_random_below(&order, (uint64_t)comm->size);
		if (comm->rank == (rank == 1 ? 0 : rank))
			code = fixture_add_vertex(builder, &made->vertices[vertices[i]], vertices[i] + 2);
	}
	for (size_t i = 0; i < made->edge_count && code == GEMP_OK; i++) {
		int rank = (int)gemp_random_below(&order, (uint64_t)comm->size);
		if (comm->rank == (rank == 1 ? 0 : rank))
			code = fixture_add_edge(builder, made, &made->edges[edges[i]], edges[i] + 2);
	}
	free(vertices);
	free(edges);
	return gemp_comm_agree(comm, code);
}

static inline gemp_code fixture_build(gemp_shard **graph, const fixture *made, const gemp_comm *comm,
                                      const gemp_builder_options *options, uint64_t order)
{
	gemp_builder *builder = NULL;
	*graph = NULL;
	gemp_code code = gemp_builder_new(&builder, comm, options);
	if (code == GEMP_OK)
		code = fixture_add(builder, made, comm, order);
	if (code == GEMP_OK)
		code = gemp_builder_finish(builder, graph);
	gemp_builder_free(builder);
	return code;
}

static inline bool same_value(gemp_value a, gemp_value b)
{
	bool comparable;
	if (a.null || b.null)
		return a.null == b.null;
	return a.type == b.type && gemp_value_compare(&a, &b, &comparable) == 0;
}

/* Are the rows [0, count) of `part` equal to the rows [from, from + count) of `whole`? */
static inline bool same_rows(const gemp_column *part, const gemp_column *whole, size_t from, size_t count)
{
	bool same = strcmp(part->name, whole->name) == 0 && part->type == whole->type && part->rows == count;
	for (size_t i = 0; same && i < count; i++)
		same = same_value(gemp_column_get(part, i), gemp_column_get(whole, from + i));
	return same;
}

static inline bool same_table(const gemp_table *part, const gemp_table *whole, size_t from, size_t count)
{
	bool same = part->count == whole->count && part->rows == count;
	for (size_t c = 0; same && c < part->count; c++)
		same = same_rows(&part->columns[c], &whole->columns[c], from, count);
	return same;
}

static inline bool same_relation(const gemp_shard *part, const gemp_relation *a, const gemp_relation *b)
{
	bool same = strcmp(a->name, b->name) == 0 && a->directed == b->directed && a->multigraph == b->multigraph &&
	            a->edge_count == b->edge_count && a->first_edge == b->out_offsets[part->first_vertex];
	uint64_t in_first = b->in_offsets[part->first_vertex];
	for (size_t v = 0; same && v <= part->rows; v++)
		same = a->out_offsets[v] == b->out_offsets[part->first_vertex + v] - a->first_edge &&
		       a->in_offsets[v] == b->in_offsets[part->first_vertex + v] - in_first;
	uint64_t outs = same ? a->out_offsets[part->rows] : 0, ins = same ? a->in_offsets[part->rows] : 0;
	return same && memcmp(a->out_targets, b->out_targets + a->first_edge, outs * sizeof *a->out_targets) == 0 &&
	       memcmp(a->in_sources, b->in_sources + in_first, ins * sizeof *a->in_sources) == 0 &&
	       memcmp(a->in_edges, b->in_edges + in_first, ins * sizeof *a->in_edges) == 0 &&
	       same_table(&a->props, &b->props, a->first_edge, outs);
}

/* Is `part` this rank's part of `whole`, a graph of one rank? All parts must be loaded. */
static inline bool same_graph(const gemp_shard *part, const gemp_shard *whole)
{
	bool same = part->vertex_count == whole->vertex_count && part->seed == whole->seed && part->hash == whole->hash &&
	            part->label_count == whole->label_count && part->label_set_count == whole->label_set_count &&
	            part->relation_count == whole->relation_count && part->bounds[part->rank] == part->first_vertex &&
	            part->bounds[part->rank + 1] == part->first_vertex + part->rows &&
	            part->bounds[part->ranks] == part->vertex_count;
	for (size_t i = 0; same && i < part->label_count; i++)
		same = strcmp(part->labels[i], whole->labels[i]) == 0;
	for (size_t i = 0; same && i < part->label_set_count; i++) {
		const gemp_label_set *a = &part->label_sets[i], *b = &whole->label_sets[i];
		same = a->count == b->count && a->vertex_count == b->vertex_count &&
		       memcmp(a->labels, b->labels, a->count * sizeof *a->labels) == 0;
	}
	same = same && same_rows(&part->keys, &whole->keys, part->first_vertex, part->rows) &&
	       memcmp(part->key_ranks, whole->key_ranks + part->first_vertex, part->rows * sizeof *part->key_ranks) == 0 &&
	       memcmp(part->label_set_of, whole->label_set_of + part->first_vertex,
	              part->rows * sizeof *part->label_set_of) == 0 &&
	       same_table(&part->attributes, &whole->attributes, part->first_vertex, part->rows);
	for (size_t r = 0; same && r < part->relation_count; r++)
		same = same_relation(part, &part->relations[r], &whole->relations[r]);
	return same;
}

#endif
