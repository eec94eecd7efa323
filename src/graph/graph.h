/* graph: the shard, one rank's part of a distributed property multigraph. Host only: neither MPI nor OpenCL.
 *
 * Vertices have ids 0 .. vertex_count - 1 in the file's (random) order. Rank r owns the ids [bounds[r], bounds[r + 1]).
 * Rows, columns and label sets of a shard are those of its own vertices, indexed by id - first_vertex. A relation is in
 * CSR form: out_offsets[rows + 1] and out_targets, and optionally the transpose or both merged (graph/either_rows.h).
 * Arrays that are not loaded are NULL.
 * The gemp_shard_load_* functions, which are collective, load them through the graph's loader. The loader of a
 * graph from a file reads the file, and is the only one with a function `free`. The loader of a graph made in memory,
 * if any, makes rows of other rows. */

#ifndef GEMP_GRAPH_GRAPH_H
#define GEMP_GRAPH_GRAPH_H

#include "core/memory.h"
#include "core/text.h"
#include "core/types.h"
#include "graph/column.h"

#include <stdlib.h>

/* A partition divides the ids of a graph into contiguous ranges, the parts. A partitioner made it, and the graph file
 * stores it. Without a partition, equal ranges are random parts, since the ids are random. */

typedef struct gemp_partition {
	size_t count;     /* number of parts; 0: no partition */
	uint64_t *bounds; /* [count + 1]: part p has ids [bounds[p], bounds[p + 1]) */
	char *method;     /* name of the partitioner: "random", "block", "ptscotch" */
} gemp_partition;

/* Copies bounds[count + 1] and method. */
gemp_code gemp_partition_init(gemp_partition *parts, const uint64_t *bounds, size_t count, const char *method);
void gemp_partition_free(gemp_partition *parts);

/* Sets bounds[ranks + 1], the ids that each rank owns. If the number of ranks divides the number of parts, each rank
 * owns equally many whole parts. If the number of parts divides the number of ranks, each rank owns an equal range of
 * one part. Otherwise the ranks own equal ranges of all ids. Returns false if ranges cut parts arbitrarily. (Equal
 * ranges of random parts are random parts, so the result is true for them.) */
bool gemp_partition_assign(const gemp_partition *parts, uint64_t vertices, size_t ranks, uint64_t *bounds);

typedef enum gemp_relation_array {
	GEMP_LOAD_OUT = 1,      /* out_offsets, out_targets */
	GEMP_LOAD_IN = 2,       /* in_offsets, in_sources */
	GEMP_LOAD_PROPS = 4,    /* props */
	GEMP_LOAD_IN_EDGES = 8, /* in_edges, in_offsets and in_sources */
	GEMP_LOAD_ALL = 15,
	GEMP_LOAD_EITHER = 16, /* either_offsets, either_neighbours; not in GEMP_LOAD_ALL, since the others imply them */
} gemp_relation_array;

/* Figures of a relation over all ranks (partition/views/relation_ends.h). Index 0 is the sources of its edges, index 1
 * the targets. */
typedef struct gemp_relation_ends {
	uint64_t vertices[2]; /* vertices that are a source, or a target, of some edge */
	bool *label_sets[2];  /* [label_set_count] true if some of these vertices have the label set; owned */
} gemp_relation_ends;

/* An edge type. Edges are numbered in CSR order: by source id, then target id, then attribute bytes. */
typedef struct gemp_relation {
	char *name;
	bool directed;   /* false: imported with --undirected, and each edge is stored once */
	bool multigraph; /* some (source, target) has several edges */
	bool fixed;      /* edges keep their direction, even if they are undirected and have no attributes */
	bool merged;     /* the loader has the rows of both directions merged, so GEMP_LOAD_EITHER needs no other part */
	int reciprocal;  /* edges join some pair in both directions: 1 yes, -1 no, 0 not computed yet */
	gemp_relation_ends *ends; /* owned; NULL: not computed yet */
	gemp_count edge_count;    /* number of edges of all ranks */
	gemp_edge first_edge;     /* number of this rank's first edge */
	unsigned loaded;          /* bits of gemp_relation_array */
	uint64_t *out_offsets;    /* [rows + 1], the first element is 0 */
	gemp_vertex *out_targets; /* [out_offsets[rows]] target ids, ascending in a row */
	uint64_t *in_offsets;     /* [rows + 1], the first element is 0 */
	gemp_vertex *in_sources;  /* [in_offsets[rows]] source ids, ascending in a row */
	gemp_edge *in_edges;      /* [in_offsets[rows]] number of the edge in its relation, ascending among equal sources */
	uint64_t *either_offsets; /* [rows + 1], the first element is 0 */
	/* [either_offsets[rows]] targets and sources, ascending in a row: parallel edges as often as they are, a loop
	 * once */
	gemp_vertex *either_neighbours;
	/* one row for each of this rank's edges, in CSR order; names and types are always known */
	gemp_table props;
} gemp_relation;

/* An index of rows: the rows of a set of relations in one direction, merged. `gemp-mpi index` puts it into a graph
 * file, for questions that ask for exactly these relations in this direction. It has no edge numbers. */
typedef struct gemp_row_index {
	char *path;        /* its group in the file; owned; NULL: the index is not in a file */
	bool *relations;   /* [relation_count] */
	unsigned part;     /* GEMP_LOAD_OUT, GEMP_LOAD_IN or GEMP_LOAD_EITHER */
	bool multigraph;   /* some row has a neighbour twice */
	uint64_t entries;  /* of all ranks */
	uint64_t *offsets; /* [rows + 1], the first element is 0; NULL: the rows are not loaded */
	/* [offsets[rows]] ids, ascending in a row: parallel edges as often as they are, in GEMP_LOAD_EITHER a loop once */
	gemp_vertex *neighbours;
} gemp_row_index;

/* An index of values: the vertices that have an attribute, in the order of (value, id). Only the file has its entries,
 * which the graph's point reader reads (graph/point_reader.h). */
typedef struct gemp_value_index {
	size_t attribute; /* index of the attribute, which has strings, integers or floats */
	uint64_t entries; /* vertices that have a value, of all ranks */
	char *values;     /* paths of the column of values and of the vertices in the file; owned */
	char *vertices;
} gemp_value_index;

/* Whether attributes of this type can have an index of values. */
bool gemp_value_index_takes(gemp_type type);

/* A distinct set of labels. A graph has few of them. */
typedef struct gemp_label_set {
	size_t count;
	uint32_t *labels;        /* [count] indices of label names, ascending */
	gemp_count vertex_count; /* number of vertices of all ranks with exactly this set */
} gemp_label_set;

struct gemp_shard;

/* Loads missing arrays. Its functions are collective over the ranks of the graph. */
typedef struct gemp_shard_loader {
	void *self;
	gemp_code (*load_keys)(void *self, struct gemp_shard *graph);
	gemp_code (*load_labels)(void *self, struct gemp_shard *graph);
	gemp_code (*load_attribute)(void *self, struct gemp_shard *graph, size_t column);
	gemp_code (*load_relation)(void *self, struct gemp_shard *graph, size_t relation, unsigned parts);
	gemp_code (*load_row_index)(void *self, struct gemp_shard *graph, gemp_row_index *index);
	void (*free)(void *self);
	struct gemp_point_reader *points; /* owned by self; NULL: single rows cannot be read */
} gemp_shard_loader;

typedef struct gemp_shard {
	int rank, ranks;
	uint64_t vertex_count;    /* number of vertices of all ranks */
	uint64_t *bounds;         /* [ranks + 1]: rank r owns ids [bounds[r], bounds[r + 1]) */
	uint64_t first_vertex;    /* = bounds[rank] */
	size_t rows;              /* = bounds[rank + 1] - first_vertex */
	gemp_partition partition; /* bounds follow it if the numbers of ranks and parts allow */
	uint64_t seed;            /* seed of the relabelling */
	uint64_t hash;            /* hash of the whole content, the same for every number of ranks */

	gemp_column keys;    /* [rows] integers, or strings if any key of the graph is a string */
	uint32_t *key_ranks; /* [rows] position of the key in the order of all keys */

	size_t label_count;
	char **labels; /* [label_count] names of labels */
	size_t label_set_count;
	gemp_label_set *label_sets;
	uint32_t *label_set_of; /* [rows] index of the vertex's label set */

	gemp_table attributes; /* columns [rows], NULL if the vertex has no such attribute */
	size_t relation_count;
	gemp_relation *relations; /* [relation_count], sorted by name */
	size_t row_index_count;
	gemp_row_index *row_indexes; /* [row_index_count]; only a graph from a file has indexes */
	size_t value_index_count;
	gemp_value_index *value_indexes; /* [value_index_count] */

	gemp_shard_loader loader; /* functions may be NULL in a graph made in memory */
	/* results of queries for later queries; owned; NULL: nothing is kept, since no handle has the graph open */
	struct gemp_kept *kept;
} gemp_shard;

int gemp_shard_owner(const gemp_shard *graph, uint64_t id);
gemp_count gemp_shard_edges(const gemp_shard *graph);
gemp_relation *gemp_shard_relation(const gemp_shard *graph, const char *name); /* returns NULL if there is none */
/* True if these arrays are loaded for each relation r with relations[r]. */
bool gemp_shard_has_loaded(const gemp_shard *graph, const bool *relations, unsigned parts);
/* Returns the type of the edge attributes with this name over all relations. If the types differ, it is float for
 * numbers and string for all other combinations; if no relation has the attribute, it is string. */
gemp_type gemp_shard_edge_attribute_type(const gemp_shard *graph, const char *name);

void gemp_shard_free(gemp_shard *graph);
GEMP_RELEASE(gemp_shard_free, gemp_shard *)

/* Local. Adds an index of values of an attribute to the list, unless the list has it. Writing the graph with its
 * indexes makes it. */
gemp_code gemp_shard_add_value_index(gemp_shard *graph, size_t attribute);
/* Local. Frees all indexes, as a graph whose edges change must do. */
void gemp_shard_drop_indexes(gemp_shard *graph);
void gemp_row_index_free(gemp_row_index *index);
/* Appends the name of an index: "A|B:out". */
void gemp_row_index_print(const gemp_row_index *index, const gemp_shard *graph, gemp_text *out);
/* The words of an index's part: "out", "in" and "either". */
const char *gemp_row_index_direction(unsigned part);
/* The part of such a word, or 0. */
unsigned gemp_row_index_part(const char *direction);

/* Frees the rows and edge numbers that are not in `parts` (GEMP_LOAD_*). The attributes of edges stay. */
void gemp_relation_keep_rows(gemp_relation *relation, unsigned parts);
void gemp_relation_free(gemp_relation *relation);

/* Local. Copies label names and label sets to `to`, which has no labels. */
gemp_code gemp_shard_copy_labels(gemp_shard *to, const gemp_shard *from);
/* Local. Copies labels, and relations without rows, to `to`, which is {0}. Bounds are allocated and 0. Columns are not
 * copied. */
gemp_code gemp_shard_copy_schema(gemp_shard *to, const gemp_shard *from);

/* Collective if the graph has a loader. All ranks pass the same arguments. */
gemp_code gemp_shard_load_keys(gemp_shard *graph);
gemp_code gemp_shard_load_labels(gemp_shard *graph);
gemp_code gemp_shard_load_attribute(gemp_shard *graph, size_t column);
gemp_code gemp_shard_load_relation(gemp_shard *graph, size_t relation, unsigned parts);
/* index: one of the graph's. */
gemp_code gemp_shard_load_row_index(gemp_shard *graph, gemp_row_index *index);
gemp_code gemp_shard_load_all(gemp_shard *graph); /* without indexes, which follow from the rest */
/* Loads each edge once, at its source, which suffices to build another graph. */
gemp_code gemp_shard_load_outgoing(gemp_shard *graph);

/* The attributes of edges of all relations as one list of columns, and labels of vertices as text. The list has the
 * columns of all relations in one order that agrees with each relation's own order, if there is such an order (a
 * topological merge). column_of[relation_count] maps a merged column to the column of each relation. Writers of CSV
 * need the list, because a file has one set of columns. */

typedef struct gemp_edge_column {
	char *name; /* owned, since loading a relation replaces its columns */
	gemp_type type;
	size_t *column_of; /* [relation_count] index of the column in each relation's props; SIZE_MAX: no such column */
} gemp_edge_column;

typedef struct gemp_edge_columns {
	size_t count;
	gemp_edge_column *columns; /* [count] */
} gemp_edge_columns;

/* Merges the columns of all relations, or of the relation named `only`. GEMP_EDATA if two columns have the same name
 * and different types. */
gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_shard *graph, const char *only);
void gemp_edge_columns_free(gemp_edge_columns *columns);

/* Returns NULL if the relation has no such column. row is an edge of this rank; the relation's props are loaded. */
gemp_value gemp_edge_value(const gemp_shard *graph, const gemp_edge_column *column, size_t relation, size_t row);

/* Appends the labels of a vertex as "A;B". */
void gemp_vertex_labels_text(const gemp_shard *graph, size_t row, gemp_text *out);

#endif
