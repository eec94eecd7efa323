/* builder: makes a distributed graph in memory from the vertices and edges that all ranks add.
 *
 * Every rank adds the vertices and edges that it has read or generated. The graph does not depend on the order of the
 * additions, nor on which rank adds a vertex or an edge. The id of a vertex is its position among all vertices in the
 * order of (XXH3(seed, key), key), or its key (ordered_keys). The place (file, line) of each vertex and edge is kept
 * until the ids are known, so a message about an unknown end names the line of the edge, and a message about a
 * duplicate vertex names both lines.
 *
 * This header is the interface for readers and generators. builder_state.h has the builder's members, for the
 * stages. */

#ifndef GEMP_PARTITION_BUILD_BUILDER_H
#define GEMP_PARTITION_BUILD_BUILDER_H

#include "comm/comm.h"
#include "core/log.h"
#include "core/memory.h"
#include "graph/column.h"
#include "graph/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_builder_options {
	uint64_t seed;            /* seed of the hash that orders the vertices; 1 by default */
	bool undirected;          /* relations are undirected: each edge is stored once, in the given direction */
	bool vertices_from_edges; /* an unknown end of an edge becomes a vertex and is no error */
	/* --parallel merge: of the edges that join the same two vertices in one relation only the first stays, in the order
	 * of source id, target id and attributes; undirected relations count both directions */
	bool merge_parallel;
	const char *default_label; /* label of vertices that are added without a label; may be NULL */
	const char *default_type;  /* relation of edges that are added without a type; "E" if NULL */
	/* every key is a string, even "7"; otherwise strings in the canonical form of an integer become integers; integers
	 * order before strings */
	bool string_keys;
	/* n > 0: the keys are the integers 0 to n - 1, each once, in an order that is random already, and no vertex has
	 * attributes. The id of a vertex is its key, so nothing is hashed, sorted or looked up. 0: keys are hashed */
	uint64_t ordered_keys;
	/* Relations that are one symmetric matrix in graph files get merged rows only; the loader makes other rows */
	bool merged_rows;
	uint64_t vertex_limit;         /* largest number of vertices; 0: GEMP_MAX_VERTICES */
	struct gemp_step_times *steps; /* core/log.h: gets the time of each stage; may be NULL */
	size_t batch;                  /* bytes that a rank sends in one round of an exchange; 0: 64 MiB */
} gemp_builder_options;

typedef struct gemp_builder gemp_builder;

/* Collective. */
gemp_code gemp_builder_new(gemp_builder **out, const gemp_comm *comm, const gemp_builder_options *options);

void gemp_builder_free(gemp_builder *builder);
GEMP_RELEASE(gemp_builder_free, gemp_builder *)

/* Before the first vertex or edge all ranks declare the same files, numbered from 1, and the same columns, with indices
 * from 0, in the same order. A name that is declared again gets the same index; a different type is GEMP_EDATA. A
 * relation has an edge column if some edge of the relation has a value in the column. */
gemp_code gemp_builder_file(gemp_builder *builder, const char *path, uint32_t *file);
gemp_code gemp_builder_vertex_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column);
gemp_code gemp_builder_edge_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column);

typedef struct gemp_place {
	uint32_t file; /* index given by gemp_builder_file, below 2^24; 0: no file */
	uint64_t line; /* from 1, below 2^40; the number of the record if there is no file */
} gemp_place;

/* Local. Values that are not set are NULL. A key is an integer or a string. Labels are "A;B" or "". If the graph has
 * integer keys and string keys, a string in the canonical form of an integer is the same key as the integer. A value
 * has the type of its column, or is an integer for a column of floats. */
gemp_code gemp_builder_vertex(gemp_builder *builder, const gemp_value *key, const char *labels, size_t labels_size,
                              gemp_place place);
/* sets a value of the last added vertex */
gemp_code gemp_builder_vertex_value(gemp_builder *builder, size_t column, const gemp_value *value);
gemp_code gemp_builder_edge(gemp_builder *builder, const gemp_value *source, const gemp_value *target, const char *type,
                            size_t type_size, gemp_place place);
/* sets a value of the last added edge */
gemp_code gemp_builder_edge_value(gemp_builder *builder, size_t column, const gemp_value *value);

/* Local. Adds `count` edges without values, all of one type. ends: source, target, source, ..., all integer keys. The
 * first edge has the given place, and the others the same place or, with `lines`, the next lines. */
gemp_code gemp_builder_integer_edges(gemp_builder *builder, const int64_t *ends, size_t count, const char *type,
                                     size_t type_size, gemp_place place, bool lines);
/* Local. Adds `lines` to the lines of all edges of a file, whose edges were added before the number of lines in front
 * of them was known. */
void gemp_builder_shift_lines(gemp_builder *builder, uint32_t file, uint64_t lines);

/* Local. Reserves memory for `count` more edges, if the caller knows their number. */
gemp_code gemp_builder_reserve_edges(gemp_builder *builder, size_t count);

/* Local. A branch takes vertices and edges like its builder, but from another thread. The branch has the columns that
 * the builder has at the call. gemp_builder_join moves the content of the branch to the builder and frees the branch,
 * also after a failure. One thread joins all branches. If a branch is not joined, the caller frees it with
 * gemp_builder_free before the builder. */
gemp_code gemp_builder_branch(gemp_builder **out, gemp_builder *builder);
gemp_code gemp_builder_join(gemp_builder *branch);

/* Collective. Makes the graph in the stages that builder_state.h lists. All parts of the graph are loaded: rows by
 * source and by target (see merged_rows), attributes, keys, key ranks, and the hash. The builder is empty afterwards.
 * Without merge_parallel the function warns about pairs of vertices that an undirected relation joins in both
 * directions. */
gemp_code gemp_builder_finish(gemp_builder *builder, gemp_shard **out);

#endif
