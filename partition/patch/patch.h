/* patch: changes of a graph in memory, applied all at once.
 *
 * Each rank gives the changes of its own vertices and edges, and the vertices and edges that it adds. Only changed
 * parts are sorted, hashed or sent. Within a rank the surviving vertices keep their order and new vertices follow them,
 * so ids change little, and every rank can compute the new id of any old vertex (gemp_id_map_get). The new graph has
 * the order that the builder makes: rows ascend by target, parallel edges by attributes, relations by name; unused
 * labels, relations and edge columns are dropped; key ranks are dense. gemp_shard_canonical gives a graph the ids of
 * the builder.
 */

#ifndef GEMP_PARTITION_PATCH_PATCH_H
#define GEMP_PARTITION_PATCH_PATCH_H

#include "core/bitset.h"
#include "core/search.h"
#include "graph/graph.h"
#include "partition/build/dictionary.h"

/* An end of an added edge is an id of the old graph, or the number of a new vertex among those of a rank. */
#define GEMP_PATCH_NEW_VERTEX ((uint64_t)1 << 63)
static inline uint64_t gemp_patch_new_vertex(int rank, uint64_t index)
{
	return GEMP_PATCH_NEW_VERTEX | (uint64_t)rank << 32 | index;
}

/* Edges of one type that are added. */
typedef struct gemp_patch_edges {
	const char *type; /* borrowed; the same on all ranks */
	size_t count;
	uint64_t *source, *target; /* [count] */
	gemp_table values; /* [count] rows; the columns are the same on all ranks; attributes without a column are NULL */
} gemp_patch_edges;

/* New values of one column. Later entries of the patch overwrite earlier ones. */
typedef struct gemp_patch_values {
	size_t relation; /* of edges */
	size_t column;   /* of the columns of the patch */
	size_t count;
	uint64_t *rows;     /* [count] distinct: own vertices or edges from 0 on; new vertices follow from graph->rows on */
	gemp_column values; /* [count], or one for all; NULL removes the attribute */
} gemp_patch_values;

/* The edges of `vertex`, which is deleted, become edges of `into`, which is not. */
typedef struct gemp_vertex_merge {
	uint64_t vertex; /* id */
	uint64_t into;   /* as an end of an added edge */
} gemp_vertex_merge;

typedef struct gemp_patch_column {
	char *name;     /* owned */
	gemp_type type; /* an old column of integers may become one of floats */
} gemp_patch_column;

typedef struct gemp_patch_columns {
	size_t count, capacity;
	gemp_patch_column *columns; /* those of the graph come first; the same on all ranks */
	size_t value_count, value_capacity;
	gemp_patch_values *values; /* the same entries on all ranks, with the rows of each rank */
} gemp_patch_columns;

/* Arrays are NULL where nothing changes. All arrays are owned. */
typedef struct gemp_patch {
	uint8_t *deleted; /* [rows] nonzero: the vertex is deleted with all its edges */
	size_t merge_count;
	gemp_vertex_merge *merges; /* [merged_count] own vertices among these, ascending */
	size_t new_vertices;       /* new vertices of this rank */
	uint64_t *
		numbers; /* [new_vertices] numbered over all ranks from 0: the key is first_key + number, or the string "#12" */
	int64_t first_key;                  /* above all integer keys; no old key is a string "#N" with N from here on */
	bool string_keys;                   /* as gemp_builder_options has it */
	gemp_dictionary sets;               /* texts "A;B"; their numbers follow those of the graph's label sets */
	uint32_t *label_set;                /* [rows] of the old vertices; NULL: unchanged */
	uint32_t *added_sets;               /* [added] */
	gemp_patch_columns vertices, edges; /* attributes; the columns of edges are those of all relations */
	size_t relation_count;              /* of the graph, if there are edge_actions */
	uint8_t **
		edge_actions; /* [relation_count] each NULL or [own edges]: 0: kept, 1: deleted, n + 2: gets the type types[n] */
	size_t type_count;
	const char **types; /* borrowed; the same on all ranks */
	size_t added_edge_count, added_edge_capacity;
	gemp_patch_edges *added_edges;   /* the same entries on all ranks, with the rows of each rank */
	bool want_origins, want_changed; /* of gemp_patch_result */
} gemp_patch;

/* The new ids of old vertices. */
typedef struct gemp_id_map {
	size_t ranks;
	uint64_t *old_bounds, *new_bounds; /* [ranks + 1] */
	bool some_deleted;                 /* of all ranks */
	gemp_rank_bitmap deleted;          /* by old id, if some_deleted */
	uint64_t *shift;                   /* [ranks] modulo 2^64 */
	bool identity;                     /* every old id is the new one */
} gemp_id_map;

/* The new id of an old vertex; GEMP_NO_VERTEX: it was deleted. */
static inline gemp_vertex gemp_id_map_get(const gemp_id_map *moved, gemp_vertex id)
{
	if (moved->identity)
		return id;
	if (moved->some_deleted && gemp_bits64_test(moved->deleted.words, id))
		return GEMP_NO_VERTEX;
	uint64_t before = moved->some_deleted ? gemp_rank_bitmap_rank(&moved->deleted, id) : 0;
	size_t rank = moved->ranks > 1 ? gemp_range_find(moved->old_bounds, moved->ranks, id) : 0;
	return (gemp_vertex)(id - before + moved->shift[rank]);
}

/* How the new graph follows from the old one. */
typedef struct gemp_patch_result {
	gemp_id_map id_map;
	size_t relation_count;
	size_t *relations; /* [relation_count] the new index of each old relation; SIZE_MAX: it has no edges left */
	size_t origin_count;
	uint64_t **
		origins; /* [origin_count] of the new relations: for each own edge the place of the old edge among those of its rank; GEMP_NO_EDGE: the edge is new. NULL: not wanted */
	uint64_t *
		changed; /* [vertices / 64 + 1] bits by new id, the same on all ranks: new vertices, vertices with a new label or attribute, and ends of edges that are new, deleted or have a new attribute. NULL: not wanted */
} gemp_patch_result;

void gemp_patch_free(gemp_patch *patch);

/* Collective. *graph becomes the new graph; after an error it may only be freed. Missing parts are loaded first; rows
 * by target are made when they are needed. done may be NULL; the caller frees it with gemp_patch_result_free. */
gemp_code gemp_shard_patch(gemp_shard **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patch_result *done);
void gemp_patch_result_free(gemp_patch_result *done);

#endif
