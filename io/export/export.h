/* export: a graph as files of other programs, the inverse of import.
 *
 * All ranks write together, each its own vertices and edges at their places, so the files are the same for every number of
 * ranks: vertices in the order of ids, edges by type and then by number. Beside its part of the graph a rank holds bounded
 * amounts of text and of keys of edges' ends. Every line is made twice: to know the sizes, and to write it. Files get their
 * names when they are complete.
 *
 *   tsv, csv   two files, F.vertices.tsv and F.edges.tsv for F.tsv, as import reads them, types stated
 *   jsonl      JSON lines, each a vertex or an edge, as Neo4j (APOC) writes them
 *   graphml    labels and types as data `labels` and `label`, as Neo4j writes them
 *   dot        Graphviz, of a graph that can be drawn
 *   mtx        Matrix Market: vertices are numbered from 1 in the order of keys; F.keys.tsv has keys and numbers, unless
 *              the keys are these numbers
 *   xmi        a model of EMF, and F.metamodel.ecore, which its readers need; a rank holds the keys of all targets of its
 *              edges
 */

#ifndef GEMP_IO_EXPORT_EXPORT_H
#define GEMP_IO_EXPORT_EXPORT_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

enum { GEMP_EXPORT_DOT_MAX = 100000 }; /* vertices and edges of the largest graph that dot accepts */

/* Local. Replaces AUTO by the format of the path's ending; GEMP_EUSAGE if the ending is unknown. */
gemp_code gemp_export_choose(gemp_export_format *format, const char *path);

typedef struct gemp_export_options {
	gemp_export_format format; /* not AUTO */
	const char *path;
	const char *type;   /* only edges of this type; NULL: all */
	const char *weight; /* mtx: the edges' column that gives the values; NULL: none */
} gemp_export_options;

/* The names of the files. {0} is empty. */
typedef struct gemp_export_files {
	char *vertices, *edges; /* owned. A single file is `edges`, and vertices is NULL */
} gemp_export_files;
void gemp_export_files_free(gemp_export_files *files);

/* Collective. Loads the parts of the graph that the format needs. A value that the format cannot hold is GEMP_EDATA
 * with the vertex or edge, and leaves no file; an unknown type or column is GEMP_EUSAGE. *files becomes the names for
 * reports; may be NULL. */
gemp_code gemp_export(const gemp_comm *comm, gemp_shard *graph, const gemp_export_options *options,
                      gemp_export_files *files);

/* FOR THE FORMATS */

/* The state of an export. */
typedef struct gemp_export_context {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_export_options *options;
	const struct gemp_export_writer *form;
	bool string_keys;                    /* all keys are strings, also those that look like integers */
	bool directed;                       /* some relation is directed */
	gemp_edge_columns columns;           /* of the relations that are written */
	gemp_column number;                  /* [graph->rows] mtx: numbers of vertices, from 1, instead of keys */
	bool numbered;                       /* the keys are these numbers */
	uint64_t edges;                      /* of the relations that are written, over all ranks */
	struct gemp_export_targets *targets; /* [relation_count] for formats that write edges with their sources */
} gemp_export_context;

/* The targets of this rank's edges of a relation. */
typedef struct gemp_export_targets {
	gemp_column keys;
	size_t *index; /* [edges] in keys */
} gemp_export_targets;

typedef struct gemp_export_edge {
	size_t relation;
	size_t row;                /* in this rank's part of the relation */
	gemp_value source, target; /* keys, or numbers */
} gemp_export_edge;

/* An attribute of vertices or of the edges that are written. */
typedef struct gemp_export_column {
	bool edge;
	size_t number; /* of the column among those of vertices or edges */
	const char *name;
	gemp_type type;
} gemp_export_column;

/* Handles a column before there are values. */
typedef gemp_code gemp_export_visit(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out);

/* A format: callbacks that append text. NULL: the format has no such text. The caller puts vertex or edge in front of
 * the messages of failures. */
typedef struct gemp_export_writer {
	const char *name, *ending;
	bool two_files;
	const char *beside_ending;                        /* ending of the file that `beside` fills; NULL: there is none */
	bool labels, attributes, props;                   /* the parts of the graph that the format needs */
	gemp_export_visit *check_column;                  /* local, before files are opened; `out` is NULL */
	gemp_code (*check)(const gemp_export_context *e); /* local: refuses a graph that the format cannot hold */
	gemp_code (*prepare)(gemp_export_context *e);     /* collective, after the graph was loaded */
	gemp_code (*beside)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*before_vertices)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*vertex)(const gemp_export_context *e, size_t row, gemp_text *out);
	gemp_code (*before_edges)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*edge)(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out);
	gemp_code (*after_edges)(const gemp_export_context *e, gemp_text *out);
} gemp_export_writer;

extern const gemp_export_writer gemp_export_tsv, gemp_export_csv, gemp_export_jsonl, gemp_export_graphml,
	gemp_export_dot, gemp_export_mtx, gemp_export_xmi;

bool gemp_export_includes(const gemp_export_context *e, size_t relation); /* is the relation written? */
/* The edge's value of one of e->columns. */
gemp_value gemp_export_edge_value(const gemp_export_context *e, const gemp_export_edge *edge, size_t column);

/* Calls `visit` for each column of vertices or of edges. */
gemp_code gemp_export_columns(const gemp_export_context *e, bool edges, gemp_export_visit *visit, gemp_text *out);
/* Handles a value of a vertex or an edge, also NULL. The caller puts the column in front of the messages of
 * failures. */
typedef gemp_code gemp_export_add(const gemp_export_context *e, const gemp_export_column *column,
                                  const gemp_value *value, gemp_text *out);
gemp_code gemp_export_vertex_values(const gemp_export_context *e, size_t row, gemp_export_add *add, gemp_text *out);
gemp_code gemp_export_edge_values(const gemp_export_context *e, const gemp_export_edge *edge, gemp_export_add *add,
                                  gemp_text *out);
/* The code, with the column in front of the message if it is GEMP_EDATA. */
gemp_code gemp_export_in_column(gemp_code code, const char *column);

#endif
