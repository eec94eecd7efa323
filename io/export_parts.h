/* export_parts: what the formats of export share. */
#ifndef GEMP_IO_EXPORT_PARTS_H
#define GEMP_IO_EXPORT_PARTS_H

#include "core/text.h"
#include "io/edge_columns.h"
#include "io/export.h"

/* An export at work. */
typedef struct gemp_exporting {
	const gemp_comm *comm;
	gemp_graph *graph;
	const gemp_export_options *options;
	const struct gemp_export_form *form;
	bool string_keys;            /* keys that look like integers are strings */
	bool directed;               /* some relation is */
	gemp_edge_columns columns;   /* of the relations that are written */
	gemp_column number;          /* [graph->rows] mtx: numbers of vertices, from 1, instead of keys */
	bool numbered;               /* the keys are these numbers */
	uint64_t edges;              /* of the relations that are written */
	struct gemp_export_targets *targets; /* [relation_count] for formats that write edges with their sources */
} gemp_exporting;

/* Targets of this rank's edges of a relation. */
typedef struct gemp_export_targets {
	gemp_column keys;
	size_t *place; /* [edges] in keys */
} gemp_export_targets;

typedef struct gemp_export_edge {
	size_t relation;
	size_t row;                /* in this rank's part of the relation */
	gemp_value source, target; /* keys, or numbers */
} gemp_export_edge;

/* A format: what is written in front of vertices, for one, and so on. NULL: nothing. Errors need not name the place. */
typedef struct gemp_export_form {
	const char *name, *ending;
	bool two_files;
	const char *beside_ending; /* of the file that `beside` is written to; NULL: there is none */
	bool labels, attributes, props; /* what it needs */
	gemp_code (*check)(const gemp_exporting *e); /* local: can it hold such a graph? */
	gemp_code (*prepare)(gemp_exporting *e);     /* collective: all is loaded now */
	gemp_code (*beside)(const gemp_exporting *e, gemp_text *out);
	gemp_code (*before_vertices)(const gemp_exporting *e, gemp_text *out);
	gemp_code (*vertex)(const gemp_exporting *e, size_t row, gemp_text *out);
	gemp_code (*before_edges)(const gemp_exporting *e, gemp_text *out);
	gemp_code (*edge)(const gemp_exporting *e, const gemp_export_edge *edge, gemp_text *out);
	gemp_code (*after_edges)(const gemp_exporting *e, gemp_text *out);
} gemp_export_form;

extern const gemp_export_form gemp_export_tsv, gemp_export_csv, gemp_export_jsonl, gemp_export_graphml, gemp_export_dot,
	gemp_export_mtx, gemp_export_xmi;

bool gemp_export_takes(const gemp_exporting *e, size_t relation); /* is it written? */
/* Value of one of e->columns. */
gemp_value gemp_export_edge_value(const gemp_exporting *e, const gemp_export_edge *edge, size_t column);
/* The labels of a vertex as "A;B". */
void gemp_export_labels(const gemp_graph *graph, size_t row, gemp_text *out);
/* In front of a failure: the vertex or edge, by its keys, and its column (NULL: none). */
gemp_code gemp_export_in_vertex(gemp_code code, const gemp_exporting *e, size_t row, const char *column);
gemp_code gemp_export_in_edge(gemp_code code, const gemp_exporting *e, const gemp_export_edge *edge,
                              const char *column);

#endif
