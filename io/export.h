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
#ifndef GEMP_IO_EXPORT_H
#define GEMP_IO_EXPORT_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef enum gemp_export_format {
	GEMP_EXPORT_AUTO, GEMP_EXPORT_TSV, GEMP_EXPORT_CSV, GEMP_EXPORT_JSONL, GEMP_EXPORT_GRAPHML, GEMP_EXPORT_DOT,
	GEMP_EXPORT_MTX, GEMP_EXPORT_XMI,
} gemp_export_format;

#define GEMP_EXPORT_CHOICES "auto|tsv|csv|jsonl|graphml|dot|mtx|xmi"

enum { GEMP_EXPORT_DRAWN = 100000 }; /* vertices and edges that dot takes at most */

/* By the ending of the path if *format is AUTO; GEMP_EUSAGE if that does not tell. Local. */
gemp_code gemp_export_choose(gemp_export_format *format, const char *path);

typedef struct gemp_export_options {
	gemp_export_format format; /* not AUTO */
	const char *path;
	const char *type;          /* only edges of this type; NULL: all */
	const char *weight;        /* mtx: the edges' column that gives the values; NULL: none */
} gemp_export_options;

/* The files that are written: one, or two of which the second has the edges. {0} is empty. */
typedef struct gemp_export_files {
	char *vertices, *edges; /* owned; NULL: not there. One file for both is `edges` */
} gemp_export_files;
void gemp_export_files_free(gemp_export_files *files);

/* Collective; what is not loaded is loaded. What a format cannot hold is GEMP_EDATA that names vertex or edge, and
 * leaves no file; a type or column that there is not is GEMP_EUSAGE. files: their names, for reports; NULL: not
 * wanted. */
gemp_code gemp_export(const gemp_comm *comm, gemp_graph *graph, const gemp_export_options *options,
                      gemp_export_files *files);

/* Edges whose ends are asked for in one go; tests make it small. */
extern size_t gemp_export_piece;

#endif
