/* patch: changes of a graph in memory, applied all at once.
 *
 * Each rank gives the changes of its own vertices and edges, and the vertices and edges that it adds. Only changed
 * parts are sorted, hashed or sent. Within a rank the surviving vertices keep their order, and new vertices follow
 * them. Ids therefore change little, and every rank can compute the new id of any old vertex (gemp_id_map_get). The new
 * graph has the order that the builder makes: rows ascend by target, parallel edges by attributes, relations by name.
 * Unused labels, relations and edge columns are dropped. Key ranks are dense. gemp_shard_canonical gives a graph the
 * ids of the builder. */

#ifndef GEMP_PARTITION_PATCH_PATCH_H
#define GEMP_PARTITION_PATCH_PATCH_H

#include "core/bitset.h"
#include "core/search.h"
#include "graph/graph.h"
#include "partition/build/dictionary.h"

/* An end of an added edge is the id of an old vertex, or the number of a new vertex among the new vertices of its
 * rank. */
#define GEMP_PATCH_NEW_VERTEX ((uint64_t)1 << 63)
static inline uint64_t gemp_patch_new_vertex(int rank, uint64_t index)
{
	return GEMP_PATCH_NEW_VERTEX | (uint64_t)rank << 32 | index;
}

/* The number of an added edge counts the edges of its type that its rank gets: by the rank that gave them to the patch,
 * then in the order of added_edges and their rows. */
#define GEMP_PATCH_ADDED ((uint64_t)1 << 63)

/* The ends of added edges without a list of them: element rows[i] of `elements`, which are borrowed, or first + i *
 * step if `elements` is NULL. */
typedef struct gemp_patch_ends {
	const uint64_t *elements, *rows; /* rows[count] */
	uint64_t first, step;
} gemp_patch_ends;

/* Added edges of one type. */
typedef struct gemp_patch_edges {
	const char *type; /* borrowed; the same on all ranks */
	size_t count;
	uint64_t *source, *target; /* [count]; NULL: the ends follow from `sources` and `targets` */
	gemp_patch_ends sources, targets;
	gemp_table values; /* [count] rows; the columns are the same on all ranks; an attribute without a column is NULL */
} gemp_patch_edges;

/* New values of one column. If two entries of a patch set the same value, the later entry counts. */
typedef struct gemp_patch_values {
	size_t relation; /* for edges: index of the relation */
	size_t column;   /* index among the columns of the patch */
	size_t count;
	/* [count] distinct rows of this rank's vertices or edges, from 0; the rows of new vertices begin at graph->rows */
	uint64_t *rows;
	gemp_column values; /* [count], or one value for all rows; NULL removes the attribute */
} gemp_patch_values;

/* Merges two vertices: `vertex` is deleted, `into` stays, and the edges of `vertex` become edges of `into`. */
typedef struct gemp_vertex_merge {
	uint64_t vertex; /* id */
	uint64_t into;   /* an end, like an end of an added edge */
} gemp_vertex_merge;

typedef struct gemp_patch_column {
	char *name;     /* owned */
	gemp_type type; /* an old column of integers may become one of floats, and a column of any type one of JSON */
} gemp_patch_column;

typedef struct gemp_patch_columns {
	size_t count, capacity;
	gemp_patch_column *columns; /* the columns of the graph come first; the same on all ranks */
	size_t value_count, value_capacity;
	gemp_patch_values *values; /* all ranks have the same entries, each with its own rows */
} gemp_patch_columns;

/* An array is NULL if nothing of its kind changes. All arrays are owned. */
typedef struct gemp_patch {
	uint8_t *deleted; /* [rows] nonzero: the vertex is deleted with all its edges */
	size_t merge_count;
	gemp_vertex_merge *merges; /* [merge_count] merges of this rank's vertices, by ascending id */
	size_t new_vertices;       /* number of new vertices of this rank */
	/* [new_vertices] numbers of the new vertices, from 0 over all ranks; the key is first_key + number, or "#12" if
	 * keys are strings */
	uint64_t *numbers;
	int64_t first_key;                  /* above all integer keys; no old key is a string "#N" with N >= first_key */
	bool string_keys;                   /* as gemp_builder_options has it */
	gemp_dictionary sets;               /* texts "A;B"; their numbers follow the numbers of the graph's label sets */
	uint32_t *label_set;                /* [rows] label sets of the old vertices; NULL if no label changes */
	uint32_t *added_sets;               /* [new_vertices] label sets of the new vertices */
	gemp_patch_columns vertices, edges; /* attributes; `edges` has the columns of all relations */
	size_t relation_count;              /* relations of the graph; set if there are edge_actions */
	/* [relation_count] NULL or [own edges]: 0: the edge stays, 1: it is deleted, n + 2: it gets the type
	 * types[n] */
	uint8_t **edge_actions;
	size_t type_count;
	const char **types; /* borrowed; the same on all ranks */
	size_t added_edge_count, added_edge_capacity;
	gemp_patch_edges *added_edges; /* all ranks have the same entries, each with its own rows */
	/* whether gemp_patch_result gets `origins`, `changed` and `growth` */
	bool want_origins, want_changed, want_growth;
	bool number_added; /* the origin of an added edge is GEMP_PATCH_ADDED | its number */
} gemp_patch;

/* Gives the new ids of old vertices. */
typedef struct gemp_id_map {
	size_t ranks;
	uint64_t *old_bounds, *new_bounds; /* [ranks + 1] */
	bool some_deleted;                 /* whether some rank deletes a vertex */
	gemp_rank_bitmap deleted;          /* deleted vertices by old id; set if some_deleted */
	/* [ranks] new id = id - number of deleted ids before it + shift of its rank, modulo 2^64 */
	uint64_t *shift;
	bool identity; /* every new id equals the old id */
} gemp_id_map;

/* Returns the new id of an old vertex, or GEMP_NO_VERTEX if the vertex was deleted. */
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

/* How the edges of an old relation have changed. */
typedef struct gemp_relation_growth {
	bool same;  /* no rank has added, moved or deleted an edge of the relation */
	bool grown; /* edges of this rank were added to few rows, and none was deleted: `added` has all of them */
	size_t count;
	uint64_t *added; /* [count] row << 32 | new id of the target, ascending */
} gemp_relation_growth;

/* Relates the new graph to the old graph. */
typedef struct gemp_patch_result {
	gemp_id_map id_map;
	size_t relation_count;
	/* [relation_count] the new index of each old relation; SIZE_MAX if the relation has no edges left */
	size_t *relations;
	gemp_relation_growth *growth; /* [relation_count]; NULL if it is not wanted */
	size_t origin_count;
	/* [origin_count] for each new relation and own edge the index of the old edge among its rank's edges;
	 * GEMP_NO_EDGE if the edge is new, or its number (number_added). A relation's NULL: every edge has its old index.
	 * NULL: origins are not wanted */
	uint64_t **origins;
	/* [vertices / 64 + 1] bits by new id, the same on all ranks: new vertices, vertices with a new label or
	 * attribute, and ends of edges that are new, deleted or have a new attribute; NULL if they are not wanted */
	uint64_t *changed;
} gemp_patch_result;

void gemp_patch_free(gemp_patch *patch);

/* Collective. *graph becomes the new graph. After an error *graph may only be freed. Missing parts are loaded first.
 * Rows by target are made when they are needed. done may be NULL; the caller frees it with gemp_patch_result_free. */
gemp_code gemp_shard_patch(gemp_shard **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patch_result *done);
void gemp_patch_result_free(gemp_patch_result *done);

#endif
