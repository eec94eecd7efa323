/* patch: changes of a graph in memory, applied all at once.
 *
 * Each rank says what becomes of its own vertices and edges, and what it adds. Only what changes is sorted, hashed or sent. Within
 * a rank the vertices that stay keep their order, and new ones come behind them: ids change as little as they can, and every rank
 * can tell the new id of any old vertex (gemp_id_map_get). All that does not depend on ids is as the builder makes it: rows
 * ascend by target, parallel edges by attributes, relations by name; labels, relations and edge columns that nothing has are
 * dropped; key ranks are dense. gemp_shard_canonical gives a graph the ids of the builder.
 */

#ifndef GEMP_PARTITION_PATCH_PATCH_H
#define GEMP_PARTITION_PATCH_PATCH_H

#include "core/bitset.h"
#include "core/search.h"
#include "graph/graph.h"
#include "partition/build/dictionary.h"

/* An end of an added edge is an id of the old graph, or a new vertex: which of a rank's. */
#define GEMP_PATCH_NEW_VERTEX ((uint64_t)1 << 63)
static inline uint64_t gemp_patch_new_vertex(int rank, uint64_t index)
{
	return GEMP_PATCH_NEW_VERTEX | (uint64_t)rank << 32 | index;
}

/* Edges of one type that are added. */
typedef struct gemp_patch_edges {
	const char *type; /* borrowed; alike on all ranks */
	size_t count;
	uint64_t *source, *target; /* [count] */
	gemp_table values; /* [count] rows; its columns are alike on all ranks, attributes that are not here are NULL */
} gemp_patch_edges;

/* New values of one column; of those for the same row the last one counts. */
typedef struct gemp_patch_values {
	size_t relation; /* of edges */
	size_t column;   /* of the columns of the patch */
	size_t count;
	uint64_t *rows;     /* [count] distinct; own vertices or edges from 0 on; new vertices count on from graph->rows */
	gemp_column values; /* [count], or one for all; NULL removes the attribute */
} gemp_patch_values;

/* Edges of `vertex`, which goes, become edges of `into`, which does not. */
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
	gemp_patch_column *columns; /* those of the graph first; alike on all ranks */
	size_t value_count, value_capacity;
	gemp_patch_values *values; /* alike on all ranks, but for what each rank has in them */
} gemp_patch_columns;

/* Where nothing is to be done arrays are NULL. All arrays are owned. */
typedef struct gemp_patch {
	uint8_t *deleted; /* [rows] nonzero: the vertex goes with all its edges */
	size_t merge_count;
	gemp_vertex_merge *merges; /* [merged_count] own vertices among these, ascending */
	size_t new_vertices;       /* new vertices of this rank */
	uint64_t *numbers;         /* [added] 0, 1, ... over all ranks: the key is first_key + this, or a string, "#12" */
	int64_t first_key;         /* above all integer keys; no other key is such a string from here on */
	bool string_keys;          /* as gemp_builder_options has it */
	gemp_dictionary sets;      /* texts "A;B"; sets of labels are numbered on from the graph's */
	uint32_t *label_set;       /* [rows] of the old vertices; NULL: as they were */
	uint32_t *added_sets;      /* [added] */
	gemp_patch_columns vertices, edges; /* attributes; those of edges for all relations, in this order */
	size_t relation_count;              /* of the graph, if there are fates */
	uint8_t **edge_actions; /* [relation_count] each NULL or [own edges]: 0 stays, 1 goes, n + 2: becomes a types[n] */
	size_t type_count;
	const char **types; /* borrowed; alike on all ranks */
	size_t added_edge_count, added_edge_capacity;
	gemp_patch_edges *added_edges;   /* alike on all ranks, but for what each rank has in them */
	bool want_origins, want_changed; /* of gemp_patch_result */
} gemp_patch;

/* Where vertices have gone. */
typedef struct gemp_id_map {
	size_t ranks;
	uint64_t *old_bounds, *new_bounds; /* [ranks + 1] */
	bool some_deleted;                 /* of all ranks */
	gemp_rank_bitmap deleted;          /* old ids, if some have gone */
	uint64_t *shift;                   /* [ranks] modulo 2^64 */
	bool identity;                     /* every old id is the new one */
} gemp_id_map;

/* The new id of an old one; GEMP_NO_VERTEX: it has gone. */
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

/* What has become of a graph. */
typedef struct gemp_patch_result {
	gemp_id_map id_map;
	size_t relation_count;
	size_t *relations; /* [relation_count] the new place of each old relation; SIZE_MAX: it has no edges left */
	size_t origin_count;
	uint64_t **origins; /* [origin_count] of the new relations: for each own edge the place of the old one among
	                       those of its rank, or GEMP_NO_EDGE: it is new. NULL: nobody wants them */
	uint64_t *changed;  /* [vertices / 64 + 1] bits of new ids, alike on all ranks: new vertices, those with a new
	                       label or attribute, and ends of edges that are new, gone or have a new attribute; or NULL */
} gemp_patch_result;

void gemp_patch_free(gemp_patch *patch);

/* Collective. *graph becomes the new graph; after an error it is good for gemp_shard_free only. What is not loaded is
 * loaded first; rows by target are made when they are needed. done: NULL, or filled; gemp_patch_result_free. */
gemp_code gemp_shard_patch(gemp_shard **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patch_result *done);
void gemp_patch_result_free(gemp_patch_result *done);

#endif
