/* graph: what one rank knows of a distributed property multigraph. Host only: neither MPI nor OpenCL.
 *
 * Vertices have ids 0..vertices-1 in the file's (random) order; this rank owns ids [first, first + rows). Rows, columns
 * and label sets here are those of its own vertices, indexed by id - first. What is not loaded has NULL arrays; the
 * gemp_graph_need_* functions load it through the graph's source (a file, or nothing for a graph made in memory).
 */
#ifndef GEMP_GRAPH_GRAPH_H
#define GEMP_GRAPH_GRAPH_H

#include "core/types.h"
#include "graph/column.h"
#include "graph/parts.h"

typedef enum gemp_relation_part {
	GEMP_PART_OUT = 1,   /* out_begin, out */
	GEMP_PART_IN = 2,    /* in_begin, in */
	GEMP_PART_PROPS = 4, /* props */
	GEMP_PART_IN_EDGES = 8, /* in_edge, and with it in_begin and in */
	GEMP_PARTS = 15,
} gemp_relation_part;

/* An edge type. Edges are numbered by CSR order: by source id, then target id, then attribute bytes. */
typedef struct gemp_relation {
	char *name;
	bool directed;        /* false: imported with --undirected; each edge is stored once */
	bool multigraph;      /* some (source, target) has several edges */
	int reciprocal;       /* some pair is joined in both directions: 1 yes, -1 no, 0 nobody has asked yet */
	gemp_count edges;     /* of all ranks */
	gemp_edge first;      /* number of this rank's first edge */
	unsigned loaded;      /* gemp_relation_part, together */
	uint64_t *out_begin;  /* [rows + 1] from 0 */
	gemp_vertex *out;     /* [out_begin[rows]] target ids, ascending in a row */
	uint64_t *in_begin;   /* [rows + 1] from 0 */
	gemp_vertex *in;      /* [in_begin[rows]] source ids, ascending in a row */
	gemp_edge *in_edge;   /* [in_begin[rows]] the edge's number in its relation, ascending among equal sources */
	gemp_table props;     /* one row per own edge, in CSR order; names and types are always known */
} gemp_relation;

/* Vertices have one of few distinct sets of labels. */
typedef struct gemp_label_set {
	size_t count;
	uint32_t *labels;    /* [count] indices of label names, ascending */
	gemp_count vertices; /* of all ranks with just this set */
} gemp_label_set;

struct gemp_graph;

/* Where missing parts come from; its functions are collective over the ranks of the graph. */
typedef struct gemp_graph_source {
	void *self;
	gemp_code (*load_keys)(void *self, struct gemp_graph *graph);
	gemp_code (*load_labels)(void *self, struct gemp_graph *graph);
	gemp_code (*load_attribute)(void *self, struct gemp_graph *graph, size_t column);
	gemp_code (*load_relation)(void *self, struct gemp_graph *graph, size_t relation, unsigned parts);
	void (*free)(void *self);
} gemp_graph_source;

typedef struct gemp_graph {
	int rank, ranks;
	uint64_t vertices;         /* of all ranks */
	uint64_t *bounds;          /* [ranks + 1]: rank r owns ids [bounds[r], bounds[r+1]) */
	uint64_t first;            /* = bounds[rank] */
	size_t rows;               /* = bounds[rank + 1] - first */
	gemp_parts parts;          /* that a partitioner made; bounds follow them where ranks and parts allow */
	uint64_t seed;             /* of the relabelling */
	uint64_t hash;             /* of the whole content, the same for every number of ranks */

	gemp_column key;           /* [rows] integer, or string if any key of the graph is one */
	uint32_t *key_rank;        /* [rows] order of the key among all keys */

	size_t label_count;
	char **labels;             /* [label_count] names */
	size_t label_set_count;
	gemp_label_set *label_sets;
	uint32_t *label_set;       /* [rows] index of the vertex's set */

	gemp_table attributes;     /* columns [rows], NULL where the vertex has no such attribute */
	size_t relation_count;
	gemp_relation *relations;  /* [relation_count] by name */

	gemp_graph_source source;  /* all NULL: everything is loaded */
} gemp_graph;

int gemp_graph_owner(const gemp_graph *graph, uint64_t id);
gemp_count gemp_graph_edges(const gemp_graph *graph);
gemp_relation *gemp_graph_relation(const gemp_graph *graph, const char *name); /* NULL if none */
/* Are these parts loaded, of all relations that are set? */
bool gemp_graph_has(const gemp_graph *graph, const bool *relations, unsigned parts);
/* The type that an edge attribute of this name has over all relations: if they differ, a float for numbers and else a
 * string; a string if no relation has it. */
gemp_type gemp_edge_attribute_type(const gemp_graph *graph, const char *name);
void gemp_graph_free(gemp_graph *graph);

/* Collective where a source does the work: all ranks call with the same arguments. */
gemp_code gemp_graph_need_keys(gemp_graph *graph);
gemp_code gemp_graph_need_labels(gemp_graph *graph);
gemp_code gemp_graph_need_attribute(gemp_graph *graph, size_t column);
gemp_code gemp_graph_need_relation(gemp_graph *graph, size_t relation, unsigned parts);
gemp_code gemp_graph_load(gemp_graph *graph); /* all of it */
gemp_code gemp_graph_need_all_once(gemp_graph *graph); /* each edge once, at its source: what a graph is made of anew */

#endif
