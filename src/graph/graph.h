/* graph: the shard, one rank's part of a distributed property multigraph. Host only: neither MPI nor OpenCL.
 *
 * Vertices have ids 0 .. vertex_count - 1 in the file's (random) order. Rank r owns the ids [bounds[r], bounds[r + 1]);
 * rows, columns and label sets here are those of its own vertices, indexed by id - first_vertex. A relation is in CSR
 * form: out_offsets[rows + 1] and out_targets, and optionally the transpose. Arrays that are not loaded are NULL; the
 * gemp_shard_load_* functions, which are collective, load them through the graph's loader (a file; a graph made in
 * memory has none).
 */

#ifndef GEMP_GRAPH_GRAPH_H
#define GEMP_GRAPH_GRAPH_H

#include "core/memory.h"
#include "core/text.h"
#include "core/types.h"
#include "graph/column.h"

#include <stdlib.h>

/* A partition cuts the ids of a graph into contiguous ranges; a partitioner made it and the graph file stores it.
 * Without a partition equal ranges are random parts, since the ids are random. */

typedef struct gemp_partition {
	size_t count;     /* 0: none */
	uint64_t *bounds; /* [count + 1]: part p has ids [bounds[p], bounds[p + 1]) */
	char *method;     /* the partitioner: "random", "block", "ptscotch" */
} gemp_partition;

gemp_code gemp_partition_init(gemp_partition *parts, const uint64_t *bounds, size_t count,
                              const char *method); /* copies */
void gemp_partition_free(gemp_partition *parts);

/* Sets bounds[ranks + 1], the ids that each rank owns: equally many whole parts if the number of ranks divides the
 * number of parts; an equal range of one part if the number of parts divides the number of ranks; else equal ranges of
 * all ids. Returns false if ranges cut parts arbitrarily. (Equal ranges of random parts are random parts, so the result
 * is true for them.) */
bool gemp_partition_assign(const gemp_partition *parts, uint64_t vertices, size_t ranks, uint64_t *bounds);

typedef enum gemp_relation_array {
	GEMP_LOAD_OUT = 1,      /* out_offsets, out_targets */
	GEMP_LOAD_IN = 2,       /* in_offsets, in_sources */
	GEMP_LOAD_PROPS = 4,    /* props */
	GEMP_LOAD_IN_EDGES = 8, /* in_edges, and with it in_offsets and in_sources */
	GEMP_LOAD_ALL = 15,
} gemp_relation_array;

/* An edge type. Edges are numbered by CSR order: by source id, then target id, then attribute bytes. */
typedef struct gemp_relation {
	char *name;
	bool directed;            /* false: imported with --undirected; each edge is stored once */
	bool multigraph;          /* some (source, target) has several edges */
	int reciprocal;           /* some pair is joined in both directions: 1 yes, -1 no, 0 not computed yet */
	gemp_count edge_count;    /* of all ranks */
	gemp_edge first_edge;     /* number of this rank's first edge */
	unsigned loaded;          /* bits of gemp_relation_array */
	uint64_t *out_offsets;    /* [rows + 1] from 0 */
	gemp_vertex *out_targets; /* [out_offsets[rows]] target ids, ascending in a row */
	uint64_t *in_offsets;     /* [rows + 1] from 0 */
	gemp_vertex *in_sources;  /* [in_offsets[rows]] source ids, ascending in a row */
	gemp_edge *in_edges;      /* [in_offsets[rows]] the edge's number in its relation, ascending among equal sources */
	gemp_table props;         /* one row per own edge, in CSR order; names and types are always known */
} gemp_relation;

/* Vertices have one of few distinct sets of labels. */
typedef struct gemp_label_set {
	size_t count;
	uint32_t *labels;        /* [count] indices of label names, ascending */
	gemp_count vertex_count; /* of all ranks with just this set */
} gemp_label_set;

struct gemp_shard;

/* Loads missing arrays; its functions are collective over the ranks of the graph. */
typedef struct gemp_shard_loader {
	void *self;
	gemp_code (*load_keys)(void *self, struct gemp_shard *graph);
	gemp_code (*load_labels)(void *self, struct gemp_shard *graph);
	gemp_code (*load_attribute)(void *self, struct gemp_shard *graph, size_t column);
	gemp_code (*load_relation)(void *self, struct gemp_shard *graph, size_t relation, unsigned parts);
	void (*free)(void *self);
} gemp_shard_loader;

typedef struct gemp_shard {
	int rank, ranks;
	uint64_t vertex_count;    /* of all ranks */
	uint64_t *bounds;         /* [ranks + 1]: rank r owns ids [bounds[r], bounds[r+1]) */
	uint64_t first_vertex;    /* = bounds[rank] */
	size_t rows;              /* = bounds[rank + 1] - first_vertex */
	gemp_partition partition; /* bounds follow it where the numbers of ranks and parts allow */
	uint64_t seed;            /* of the relabelling */
	uint64_t hash;            /* of the whole content, the same for every number of ranks */

	gemp_column keys;    /* [rows] integer, or string if any key of the graph is one */
	uint32_t *key_ranks; /* [rows] order of the key among all keys */

	size_t label_count;
	char **labels; /* [label_count] names */
	size_t label_set_count;
	gemp_label_set *label_sets;
	uint32_t *label_set_of; /* [rows] index of the vertex's set */

	gemp_table attributes; /* columns [rows], NULL where the vertex has no such attribute */
	size_t relation_count;
	gemp_relation *relations; /* [relation_count] by name */

	gemp_shard_loader loader; /* all NULL: everything is loaded */
} gemp_shard;

int gemp_shard_owner(const gemp_shard *graph, uint64_t id);
gemp_count gemp_shard_edges(const gemp_shard *graph);
gemp_relation *gemp_shard_relation(const gemp_shard *graph, const char *name); /* NULL if none */
/* Are these arrays loaded for each relation r with relations[r]? */
bool gemp_shard_has_loaded(const gemp_shard *graph, const bool *relations, unsigned parts);
/* The type that an edge attribute of this name has over all relations: if their types differ, a float for numbers and
 * else a string; a string if no relation has the attribute. */
gemp_type gemp_shard_edge_attribute_type(const gemp_shard *graph, const char *name);

void gemp_shard_free(gemp_shard *graph);
GEMP_RELEASE(gemp_shard_free, gemp_shard *)

void gemp_relation_drop_rows(gemp_relation *relation);
void gemp_relation_free(gemp_relation *relation);

/* Local. `to`, which has no labels, gets copies of the label names and label sets. */
gemp_code gemp_shard_copy_labels(gemp_shard *to, const gemp_shard *from);
/* Local. `to`, which is {0}, gets the labels and the relations without rows; bounds are allocated and 0. Columns are
 * not copied. */
gemp_code gemp_shard_copy_schema(gemp_shard *to, const gemp_shard *from);

/* Collective if the graph has a loader: all ranks call with the same arguments. */
gemp_code gemp_shard_load_keys(gemp_shard *graph);
gemp_code gemp_shard_load_labels(gemp_shard *graph);
gemp_code gemp_shard_load_attribute(gemp_shard *graph, size_t column);
gemp_code gemp_shard_load_relation(gemp_shard *graph, size_t relation, unsigned parts);
gemp_code gemp_shard_load_all(gemp_shard *graph);
/* Each edge once, at its source: this is enough to build another graph. */
gemp_code gemp_shard_load_outgoing(gemp_shard *graph);

/* Attributes of edges over all relations as one list of columns, and labels of vertices as text. The list merges the
 * columns of all relations into one order that agrees with each relation's own order where such an order exists (a
 * topological merge). column_of[relation_count] maps a merged column to the column of each relation. Writers of CSV
 * need the list, because a file has one set of columns. */

typedef struct gemp_edge_column {
	char *name; /* owned, since loading a relation replaces its columns */
	gemp_type type;
	size_t *column_of; /* [relation_count] the index in each relation's props; SIZE_MAX: none */
} gemp_edge_column;

typedef struct gemp_edge_columns {
	size_t count;
	gemp_edge_column *columns; /* [count] */
} gemp_edge_columns;

/* The columns of all relations, or of the one named `only`. GEMP_EDATA if two have a column of the same name and
 * different types. */
gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_shard *graph, const char *only);
void gemp_edge_columns_free(gemp_edge_columns *columns);

/* NULL where the relation has no such column. row: an own edge of this rank; the relation's props are loaded. */
gemp_value gemp_edge_value(const gemp_shard *graph, const gemp_edge_column *column, size_t relation, size_t row);

/* The labels of a vertex as "A;B". */
void gemp_vertex_labels_text(const gemp_shard *graph, size_t row, gemp_text *out);

#endif
