/* A world is a small graph as lists of vertices and edges, the same on every rank. The builder makes graphs of the
 * world before and after a random change; a gemp_patch describes the change. */
#ifndef GEMP_TESTS_PATCH_WORLD_H
#define GEMP_TESTS_PATCH_WORLD_H

#include "comm/comm.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "mpi/graph_fixture.h"
#include "partition/build/dictionary.h"

enum { WORLD_COLUMNS = 5, WORLD_PROPS = 3, WORLD_MAX = 200, WORLD_NOBODY = -1 };

typedef struct world_vertex {
	gemp_value key;
	char key_text[FIXTURE_TEXT], labels[FIXTURE_TEXT];
	gemp_value values[WORLD_COLUMNS];
	char texts[WORLD_COLUMNS][FIXTURE_TEXT];
	bool gone, new, touched;
	int into;               /* the vertex into which this vertex is merged, or WORLD_NOBODY */
	int rank;               /* of a new vertex: the rank that creates it */
	uint64_t number, index; /* of a new vertex: number of its key, and index among the new vertices of its rank */
	uint64_t id;            /* of an old vertex */
} world_vertex;

typedef struct world_edge {
	size_t source, target;
	char type[FIXTURE_TEXT];
	gemp_value values[WORLD_PROPS];
	char texts[WORLD_PROPS][FIXTURE_TEXT];
	bool gone, taken;
} world_edge;

typedef struct world {
	uint64_t seed;
	size_t vertex_count, edge_count, old_vertices;
	world_vertex vertices[WORLD_MAX];
	world_edge edges[WORLD_MAX];
	gemp_builder_options options;
	gemp_type vertex_types[WORLD_COLUMNS], edge_types[WORLD_PROPS]; /* types after the change */
	size_t columns, props;                                          /* numbers of columns after the change */
} world;

static const char *const world_column[WORLD_COLUMNS] = { "number", "ratio", "flag", "name", "extra" };
static const char *const world_prop[WORLD_PROPS] = { "weight", "note", "mark" };
static const gemp_type world_types[WORLD_COLUMNS] = { GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_STRING,
	                                                  GEMP_STRING };
static const gemp_type world_prop_types[WORLD_PROPS] = { GEMP_INTEGER, GEMP_STRING, GEMP_BOOLEAN };

/* Draws a value. A string is stored in `text`, which belongs to the world. */
static inline void world_set(gemp_value *value, char text[FIXTURE_TEXT], gemp_type type, uint64_t *random)
{
	*value = (gemp_value){ .type = type, .null = gemp_random_below(random, 3) == 0 };
	if (type == GEMP_INTEGER)
		value->integer = (int64_t)gemp_random_below(random, 3) - 1;
	else if (type == GEMP_FLOAT)
		value->real = (double)gemp_random_below(random, 3) / 2;
	else if (type == GEMP_BOOLEAN)
		value->truth = gemp_random_below(random, 2);
	else {
		snprintf(text, FIXTURE_TEXT, "%.*s", (int)gemp_random_below(random, 12), "some longer text");
		value->string.bytes = text;
		value->string.size = strlen(text);
	}
}

/* Makes some string keys equal or similar to keys that rules make (#N). */
static inline void world_key(world_vertex *v, size_t index, uint64_t *random)
{
	static const char *const forms[] = { "#%zu", "#%zu0", "#9%zu", "#0%zu", "#%zua",
		                                 "!%zu", "##%zu", "%zu",   "-%zu",  "~%zu" };
	if (v->key.type == GEMP_INTEGER || gemp_random_below(random, 2))
		return;
	snprintf(v->key_text, sizeof v->key_text, forms[gemp_random_below(random, 10)], index + 3);
	v->key = fixture_string(v->key_text);
}

static inline bool world_has_key(const world *w, size_t count, const world_vertex *v)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(w->vertices[i].key_text, v->key_text) == 0)
			return true;
	return false;
}

static inline void world_new(world *w, size_t vertices, size_t edges, fixture_keys keys, uint64_t seed)
{
	memset(w, 0, sizeof *w);
	fixture made = fixture_new(vertices, edges, keys, seed);
	w->seed = seed;
	w->vertex_count = w->old_vertices = made.vertex_count;
	w->edge_count = made.edge_count;
	w->options = (gemp_builder_options){ .seed = 1 + gemp_random_below(&seed, 3),
		                                 .undirected = gemp_random_below(&seed, 3) == 0,
		                                 .string_keys = keys == KEYS_STRING && gemp_random_below(&seed, 2) };
	w->columns = 4;
	w->props = 2;
	memcpy(w->vertex_types, world_types, sizeof world_types);
	memcpy(w->edge_types, world_prop_types, sizeof world_prop_types);
	for (size_t i = 0; i < w->vertex_count; i++) {
		world_vertex *v = &w->vertices[i];
		snprintf(v->labels, sizeof v->labels, "%s", made.vertices[i].labels);
		v->key = made.vertices[i].key;
		if (v->key.type == GEMP_INTEGER)
			snprintf(v->key_text, sizeof v->key_text, "%lld", (long long)v->key.integer);
		else
			snprintf(v->key_text, sizeof v->key_text, "%s", made.vertices[i].key_text);
		world_vertex before = *v;
		world_key(v, i, &seed);
		if (world_has_key(w, i, v))
			*v = before;
		if (v->key.type == GEMP_STRING)
			v->key = fixture_string(v->key_text);
		int64_t integer;
		if (v->key.type == GEMP_STRING && !w->options.string_keys &&
		    gemp_canonical_integer(v->key_text, strlen(v->key_text), &integer))
			v->key = (gemp_value){ .type = GEMP_INTEGER, .integer = integer };
		for (size_t c = 0; c < 4; c++)
			world_set(&v->values[c], v->texts[c], world_types[c], &seed);
		v->values[4].null = true;
		v->into = WORLD_NOBODY;
	}
	for (size_t i = 0; i < w->edge_count; i++) {
		world_edge *e = &w->edges[i];
		e->source = made.edges[i].source;
		e->target = made.edges[i].target;
		snprintf(e->type, sizeof e->type, "%s", made.edges[i].type);
		bool bare = strcmp(e->type, "ACTS_IN") == 0;
		for (size_t c = 0; c < 2; c++) {
			world_set(&e->values[c], e->texts[c], world_prop_types[c], &seed);
			e->values[c].null |= bare;
		}
		e->values[2].null = true;
	}
	fixture_free(&made);
}

/* Builds the graph of all vertices and edges that are not deleted; the ranks add them in turn. */
static inline gemp_code world_build(gemp_shard **out, const world *w, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	gemp_builder *builder = NULL;
	size_t column, turn = 0;
	GEMP_TRY_DONE(gemp_builder_new(&builder, comm, &w->options));
	for (size_t c = 0; c < w->columns && code == GEMP_OK; c++)
		code = gemp_builder_vertex_column(builder, world_column[c], w->vertex_types[c], &column);
	for (size_t c = 0; c < w->props && code == GEMP_OK; c++)
		code = gemp_builder_edge_column(builder, world_prop[c], w->edge_types[c], &column);
	for (size_t i = 0; i < w->vertex_count && code == GEMP_OK; i++) {
		const world_vertex *v = &w->vertices[i];
		if (v->gone || turn++ % (size_t)comm->size != (size_t)comm->rank)
			continue;
		code = gemp_builder_vertex(builder, &v->key, v->labels, strlen(v->labels), (gemp_place){ 0 });
		for (size_t c = 0; c < w->columns && code == GEMP_OK; c++)
			if (!v->values[c].null)
				code = gemp_builder_vertex_value(builder, c, &v->values[c]);
	}
	for (size_t i = 0; i < w->edge_count && code == GEMP_OK; i++) {
		const world_edge *e = &w->edges[i];
		if (e->gone || turn++ % (size_t)comm->size != (size_t)comm->rank)
			continue;
		code = gemp_builder_edge(builder, &w->vertices[e->source].key, &w->vertices[e->target].key, e->type,
		                         strlen(e->type), (gemp_place){ 0 });
		for (size_t c = 0; c < w->props && code == GEMP_OK; c++)
			if (!e->values[c].null)
				code = gemp_builder_edge_value(builder, c, &e->values[c]);
	}
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	code = gemp_builder_finish(builder, out);
done:
	gemp_builder_free(builder);
	return code;
}

/* Returns the row of the vertex on this rank, or SIZE_MAX if another rank owns it. */
static inline size_t world_row(const world_vertex *v, const gemp_shard *graph)
{
	gemp_text text = { 0 };
	size_t found = SIZE_MAX;
	for (size_t row = 0; row < graph->rows; row++) {
		gemp_value key = gemp_column_get(&graph->keys, row);
		gemp_text_clear(&text);
		gemp_value_print(&key, &text);
		if (text.size == strlen(v->key_text) && memcmp(text.data, v->key_text, text.size) == 0)
			found = row;
	}
	gemp_text_free(&text);
	return found;
}

/* Collective. ids[vertex_count] gets the id of each vertex, or UINT64_MAX if the graph does not have it. */
static inline void world_ids(const world *w, const gemp_shard *graph, const gemp_comm *comm, uint64_t *ids)
{
	for (size_t i = 0; i < w->vertex_count; i++) {
		size_t row = world_row(&w->vertices[i], graph);
		ids[i] = row == SIZE_MAX ? 0 : graph->first_vertex + row + 1;
	}
	gemp_comm_max(comm, ids, (int)w->vertex_count);
	for (size_t i = 0; i < w->vertex_count; i++)
		ids[i]--;
}

#endif
