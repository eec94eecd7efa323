/* export: a graph as files of other programs, the inverse of import.
 *
 * All ranks write together, each its own vertices and edges at their places: the files are the same for every number of
 * ranks, in the order of ids (of edges: by type, then as numbered). Beside the graph's own part a rank holds a bounded
 * piece of text and of the keys of edges' ends. Every line is made twice, to know its place and to write it. Files get
 * their names when they are whole.
 *
 *   tsv, csv   two files, F.vertices.tsv and F.edges.tsv for F.tsv, as import reads them, types stated
 *   jsonl      JSON lines, a vertex or an edge a line, as Neo4j (APOC) writes them
 *   graphml    labels and types as data `labels` and `label`, as Neo4j writes them
 *   dot        Graphviz, of a graph that can be drawn
 *   mtx        Matrix Market: vertices are numbered from 1 in the order of keys; what number has which key is in
 *              F.keys.tsv, unless the keys are these numbers
 *   xmi        a model of EMF, and F.metamodel.ecore, without which it is not read; a rank holds the keys of all
 *              targets of its edges
 */

#ifndef GEMP_IO_EXPORT_EXPORT_H
#define GEMP_IO_EXPORT_EXPORT_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

enum { GEMP_EXPORT_DOT_MAX = 100000 }; /* vertices and edges that dot takes at most */

/* By the ending of the path if *format is AUTO; GEMP_EUSAGE if that does not tell. Local. */
gemp_code gemp_export_choose(gemp_export_format *format, const char *path);

typedef struct gemp_export_options {
	gemp_export_format format; /* not AUTO */
	const char *path;
	const char *type;   /* only edges of this type; NULL: all */
	const char *weight; /* mtx: the edges' column that gives the values; NULL: none */
} gemp_export_options;

/* The files that are written: one, or two of which the second has the edges. {0} is empty. */
typedef struct gemp_export_files {
	char *vertices, *edges; /* owned; NULL: not there. One file for both is `edges` */
} gemp_export_files;
void gemp_export_files_free(gemp_export_files *files);

/* Collective; what is not loaded is loaded. What a format cannot hold is GEMP_EDATA that names vertex or edge, and
 * leaves no file; a type or column that there is not is GEMP_EUSAGE. files: their names, for reports; NULL: not
 * wanted. */
gemp_code gemp_export(const gemp_comm *comm, gemp_shard *graph, const gemp_export_options *options,
                      gemp_export_files *files);

/* FOR THE FORMATS */

/* An export at work. */
typedef struct gemp_export_context {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_export_options *options;
	const struct gemp_export_writer *form;
	bool string_keys;                    /* keys that look like integers are strings */
	bool directed;                       /* some relation is */
	gemp_edge_columns columns;           /* of the relations that are written */
	gemp_column number;                  /* [graph->rows] mtx: numbers of vertices, from 1, instead of keys */
	bool numbered;                       /* the keys are these numbers */
	uint64_t edges;                      /* of the relations that are written */
	struct gemp_export_targets *targets; /* [relation_count] for formats that write edges with their sources */
} gemp_export_context;

/* Targets of this rank's edges of a relation. */
typedef struct gemp_export_targets {
	gemp_column keys;
	size_t *index; /* [edges] in keys */
} gemp_export_targets;

typedef struct gemp_export_edge {
	size_t relation;
	size_t row;                /* in this rank's part of the relation */
	gemp_value source, target; /* keys, or numbers */
} gemp_export_edge;

/* A format: what is written in front of vertices, for one, and so on. NULL: nothing. Errors
 * need not name the vertex or edge. */
typedef struct gemp_export_writer {
	const char *name, *ending;
	bool two_files;
	const char *beside_ending;                        /* of the file that `beside` is written to; NULL: there is none */
	bool labels, attributes, props;                   /* what it needs */
	gemp_code (*check)(const gemp_export_context *e); /* local: can it hold such a graph? */
	gemp_code (*prepare)(gemp_export_context *e);     /* collective: all is loaded now */
	gemp_code (*beside)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*before_vertices)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*vertex)(const gemp_export_context *e, size_t row, gemp_text *out);
	gemp_code (*before_edges)(const gemp_export_context *e, gemp_text *out);
	gemp_code (*edge)(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out);
	gemp_code (*after_edges)(const gemp_export_context *e, gemp_text *out);
} gemp_export_writer;

extern const gemp_export_writer gemp_export_tsv, gemp_export_csv, gemp_export_jsonl, gemp_export_graphml,
	gemp_export_dot, gemp_export_mtx, gemp_export_xmi;

bool gemp_export_includes(const gemp_export_context *e, size_t relation); /* is it written? */
/* Value of one of e->columns. */
gemp_value gemp_export_edge_value(const gemp_export_context *e, const gemp_export_edge *edge, size_t column);

/* An attribute of vertices or of the edges that are written. */
typedef struct gemp_export_column {
	bool edge;
	size_t number;
	const char *name;
	gemp_type type;
} gemp_export_column;

/* What a format does with each column, before there are values. */
typedef gemp_code gemp_export_visit(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out);
gemp_code gemp_export_columns(const gemp_export_context *e, bool edges, gemp_export_visit *visit, gemp_text *out);
/* What a format does with each value of a vertex or an edge, also with NULL. Failures are given the column's name. */
typedef gemp_code gemp_export_add(const gemp_export_context *e, const gemp_export_column *column,
                                  const gemp_value *value, gemp_text *out);
gemp_code gemp_export_vertex_values(const gemp_export_context *e, size_t row, gemp_export_add *add, gemp_text *out);
gemp_code gemp_export_edge_values(const gemp_export_context *e, const gemp_export_edge *edge, gemp_export_add *add,
                                  gemp_text *out);
/* The code, with the column in front of the message if it is GEMP_EDATA. */
gemp_code gemp_export_in_column(gemp_code code, const char *column);

#endif
