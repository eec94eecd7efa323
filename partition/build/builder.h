/* builder: streams of vertices and edges on all ranks become a distributed graph in memory.
 *
 * Every rank adds the vertices and edges that it has read or generated. The graph does not depend on their order, nor
 * on which rank adds them. The id of a vertex is the rank of (XXH3(seed, key), key) among all vertices. The place
 * (file, line) of each vertex and edge is kept until the ids are known, so that a duplicate vertex or an edge to an
 * unknown one is reported with its line (of both, for a duplicate).
 */

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
	uint64_t seed;             /* of the relabelling; 1 by default */
	bool undirected;           /* relations are undirected: each edge is stored once, as given */
	bool vertices_from_edges;  /* unknown ends become vertices instead of errors */
	bool merge_parallel;       /* --parallel merge: edges that join the same two vertices in one relation become one
	                              (for undirected relations in either direction): the first in the order of edges,
	                              that is by source id, target id and attributes */
	const char *default_label; /* of vertices that are added without a label; NULL: none */
	const char *default_type;  /* relation of edges that are added without a type; "E" if NULL */
	bool string_keys;          /* every key is a string, even "7"; else strings that are canonical integers are taken
	                              as integers, which order before strings */
	uint64_t vertex_limit;     /* 0: GEMP_MAX_VERTICES */
	struct gemp_step_times *steps; /* core/log.h: takes the time of each stage; may be NULL */
	size_t batch;                  /* bytes a rank sends in one round of an exchange; 0: 64 MiB */
} gemp_builder_options;

typedef struct gemp_builder gemp_builder;

/* Collective. */
gemp_code gemp_builder_new(gemp_builder **out, const gemp_comm *comm, const gemp_builder_options *options);

void gemp_builder_free(gemp_builder *builder);
GEMP_RELEASE(gemp_builder_free, gemp_builder *)

/* All ranks declare the same files (numbered from 1) and columns (indices 0, 1, ...) in the same order, before the
 * first vertex or edge. A name that is declared again gets the same index, or GEMP_EDATA if its type differs. Edge
 * columns belong to the relations in which some edge has a value for them. */
gemp_code gemp_builder_file(gemp_builder *builder, const char *path, uint32_t *file);
gemp_code gemp_builder_vertex_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column);
gemp_code gemp_builder_edge_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column);

typedef struct gemp_place {
	uint32_t file; /* index given by gemp_builder_file, below 2^24; 0: none */
	uint64_t line; /* from 1, below 2^40; or the record's number */
} gemp_place;

/* Local. Values that are not set are NULL. A key is an integer or a string; labels are "A;B" or "". Where the graph has
 * keys of both kinds, a string that is an integer in canonical form is the same key as that integer. A value is of its
 * column's type, or an integer for a column of floats. */
gemp_code gemp_builder_vertex(gemp_builder *builder, const gemp_value *key, const char *labels, size_t labels_size,
                              gemp_place place);
gemp_code gemp_builder_vertex_value(gemp_builder *builder, size_t column, const gemp_value *value); /* last vertex */
gemp_code gemp_builder_edge(gemp_builder *builder, const gemp_value *source, const gemp_value *target, const char *type,
                            size_t type_size, gemp_place place);
gemp_code gemp_builder_edge_value(gemp_builder *builder, size_t column, const gemp_value *value); /* last edge */

/* Local. Reserves memory for `count` more edges, for callers that know their number. */
gemp_code gemp_builder_reserve_edges(gemp_builder *builder, size_t count);

/* Local. A branch takes vertices and edges as its builder does, from another thread; its columns are those that the
 * builder has now. gemp_builder_join moves its content to the builder and frees the branch, also after a failure; one
 * thread joins all branches. A branch that is not joined is freed by gemp_builder_free, before its builder. */
gemp_code gemp_builder_branch(gemp_builder **out, gemp_builder *builder);
gemp_code gemp_builder_join(gemp_builder *branch);

/* Collective. Makes the graph in the stages of builder_state.h. All of its parts are loaded: rows by source and by
 * target, attributes, keys, key ranks, hash. The builder is empty afterwards. Without merge_parallel it warns of pairs
 * of vertices that an undirected relation joins in both directions. */
gemp_code gemp_builder_finish(gemp_builder *builder, gemp_shard **out);

#endif
