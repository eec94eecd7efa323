/* export: writes a graph as files of other programs, the inverse of import.
 *
 * All ranks write together. Each rank writes its own vertices and edges at their offsets in the file, so the files do
 * not depend on the number of ranks. Vertices are in the order of the graph file. Edges are ordered by type, then by
 * their place in the graph file; only xmi writes the edges of a vertex inside the vertex. Beside its part of the graph,
 * a rank holds bounded amounts of text and of keys of targets. Every line is made twice: first to know the sizes, then
 * to write it. A file gets its name when it is complete.
 *
 *   tsv, csv   two files, F.vertices.tsv and F.edges.tsv for F.tsv, with typed columns, as import reads them
 *   jsonl      JSON lines, each a vertex or an edge, as Neo4j (APOC) writes them
 *   graphml    labels and types are the data `labels` and `label`, as in Neo4j's GraphML
 *   dot        Graphviz; only for a graph small enough to draw
 *   mtx        Matrix Market: vertices are numbered from 1 in the order of keys. F.keys.tsv lists keys and numbers; it
 * is
 *              left out if every key equals its number
 *   xmi        a model of EMF, and F.metamodel.ecore, which readers of the model need. A rank holds the keys of the
 *              targets of all its edges
 *   adjacency  lists of neighbours: `a -> b, c` a line, and `a` alone for a vertex without edges */

#ifndef GEMP_IO_EXPORT_EXPORT_H
#define GEMP_IO_EXPORT_EXPORT_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

enum { GEMP_EXPORT_DOT_MAX = 100000 }; /* maximal number of vertices and edges together that dot accepts */

/* Local. Replaces AUTO by the format of the path's ending. GEMP_EUSAGE: the ending is unknown. */
gemp_code gemp_export_choose(gemp_export_format *format, const char *path);

typedef struct gemp_export_options {
	gemp_export_format format; /* not AUTO */
	const char *path;
	const char *type;   /* write only edges of this type; NULL: all types */
	const char *weight; /* mtx: the column of edges that gives the entries; NULL: entries without values */
} gemp_export_options;

/* The names of the written files. {0} is empty. */
typedef struct gemp_export_files {
	char *vertices, *edges; /* owned; `vertices` is NULL if there is one file only, and the metamodel for xmi */
} gemp_export_files;
void gemp_export_files_free(gemp_export_files *files);

/* Collective. Loads the parts of the graph that the format needs. GEMP_EDATA: the format cannot hold the graph or a
 * value; the message names the column, vertex or edge, and no file is left. GEMP_EUSAGE: an unknown type or column.
 * *files receives the names of the files; files may be NULL. */
gemp_code gemp_export(const gemp_comm *comm, gemp_shard *graph, const gemp_export_options *options,
                      gemp_export_files *files);

/* FOR THE FORMATS */

/* The state of an export. */
typedef struct gemp_export_context {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_export_options *options;
	const struct gemp_export_writer *form;
	bool string_keys;          /* some string keys look like integers, so their type must be stated */
	bool directed;             /* at least one relation that is written is directed */
	gemp_edge_columns columns; /* columns of the edges that are written */
	/* [graph->rows] mtx: the number of each vertex, from 1, which replaces its key */
	gemp_column number;
	bool numbered;  /* mtx: every key equals its number */
	uint64_t edges; /* number of edges that are written, over all ranks */
	/* [relation_count] for xmi, which writes the edges of a vertex inside the vertex; else NULL */
	struct gemp_export_targets *targets;
} gemp_export_context;

/* The targets of this rank's edges of one relation. */
typedef struct gemp_export_targets {
	gemp_column keys;
	size_t *index; /* [edges] the target's place in `keys` */
} gemp_export_targets;

typedef struct gemp_export_edge {
	size_t relation;
	size_t row;                /* index among this rank's edges of the relation */
	size_t source_row;         /* the source's index among this rank's vertices */
	gemp_value source, target; /* keys of the ends; for mtx their numbers */
} gemp_export_edge;

/* A column of vertex attributes or of attributes of edges that are written. */
typedef struct gemp_export_column {
	bool edge;
	size_t number; /* index among the columns of vertices or of edges */
	const char *name;
	gemp_type type;
} gemp_export_column;

/* Visits one column of vertices or of edges. */
typedef gemp_code gemp_export_visit(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out);

/* A format, as callbacks that append text. A callback is NULL if the format has no such text. gemp_export calls them
 * for each vertex and edge, twice, and puts the vertex or edge in front of a failure's message. */
typedef struct gemp_export_writer {
	const char *name, *ending;
	bool two_files;
	/* ending of the extra file that `beside` fills; NULL: no such file */
	const char *beside_ending;
	bool labels, attributes, props;                   /* parts of the graph that the format needs */
	gemp_export_visit *check_column;                  /* local, before any file is opened; `out` is NULL */
	gemp_code (*check)(const gemp_export_context *e); /* local; refuses a graph that the format cannot hold */
	gemp_code (*prepare)(gemp_export_context *e);     /* collective, after the graph was loaded */
	gemp_code (*beside)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*before_vertices)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*vertex)(const gemp_export_context *e, size_t row, gemp_text *out);
	gemp_code (*before_edges)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*edge)(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out);
	gemp_code (*after_edges)(const gemp_export_context *e, gemp_text *out);
} gemp_export_writer;

extern const gemp_export_writer gemp_export_tsv, gemp_export_csv, gemp_export_jsonl, gemp_export_graphml,
	gemp_export_dot, gemp_export_mtx, gemp_export_xmi, gemp_export_adjacency;

bool gemp_export_includes(const gemp_export_context *e, size_t relation); /* tests whether the relation is written */
/* The edge's value in e->columns.columns[column]. */
gemp_value gemp_export_edge_value(const gemp_export_context *e, const gemp_export_edge *edge, size_t column);

/* Calls `visit` for each column of edges (edges) or of vertices. */
gemp_code gemp_export_columns(const gemp_export_context *e, bool edges, gemp_export_visit *visit, gemp_text *out);
/* Handles one value of a vertex or edge. `value` is never a NULL pointer, but value->null may be true. The caller adds
 * the column's name to the message of a failure. */
typedef gemp_code gemp_export_add(const gemp_export_context *e, const gemp_export_column *column,
                                  const gemp_value *value, gemp_text *out);
gemp_code gemp_export_vertex_values(const gemp_export_context *e, size_t row, gemp_export_add *add, gemp_text *out);
gemp_code gemp_export_edge_values(const gemp_export_context *e, const gemp_export_edge *edge, gemp_export_add *add,
                                  gemp_text *out);
/* Returns the code. If it is GEMP_EDATA, puts the column's name in front of the message. */
gemp_code gemp_export_in_column(gemp_code code, const char *column);

#endif
