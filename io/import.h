/* import: text files become a distributed graph.
 *
 * TSV and CSV files begin with a header. Vertices: `id`, `type` (or `label`), attributes. Edges: `src` (or `source`),
 * `dst` (or `target`), `type`, attributes. Columns are found by name, in any order; the type column may be missing. A
 * column's type is stated (`year:int`; int, integer, float, string, bool, boolean) or inferred over all files and
 * ranks: integer only if every value is canonical (007 is a string), then float, then boolean, else string. An empty
 * field is NULL; in CSV `""` is an empty string. Several labels are `A;B`. A literal NaN is refused in a float column.
 * SNAP edge lists: two ids a line, separated by blanks, `#` begins a comment. Ids are integers if all of them in all
 * files are canonical integers (or are stated so), else strings; then those that are canonical integers
 * order before the others, by value, unless ids are stated as strings.
 */
#ifndef GEMP_IO_IMPORT_H
#define GEMP_IO_IMPORT_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_format gemp_format; /* io/format.h */
typedef struct gemp_paths gemp_paths;

/* The format of that name; NULL for "auto"; GEMP_EUSAGE for other names. */
gemp_code gemp_format_parse(const gemp_format **out, const char *name);

/* All pointers are borrowed. {0} with the files is a good default but for the seed, which is 1 by default. */
typedef struct gemp_import_options {
	size_t vertex_file_count, edge_file_count;
	const char *const *vertex_files; /* [vertex_file_count]; none: vertices come from the edges */
	const char *const *edge_files;   /* [edge_file_count] */
	const gemp_format *format; /* NULL: by endings; snap with vertex files: these are TSV or CSV */
	const char *metamodel;           /* xmi: the .ecore file; NULL: none */
	bool undirected;
	bool merge_parallel;
	uint64_t seed;                   /* of the relabelling */
	const char *default_label;       /* of vertices that come without; NULL: none */
	const char *default_type;        /* of edges that come without; NULL: "E" */
	struct gemp_steps *steps;        /* core/steps.h: takes the time of each stage; NULL: nobody asks */
} gemp_import_options;

/* Collective; the options are alike on all ranks. Errors name file, line and remedy, and all ranks return them. */
gemp_code gemp_import(gemp_graph **out, const gemp_comm *comm, const gemp_import_options *options);

/* Local. The files that such an import reads, for its provenance. */
gemp_code gemp_import_files(gemp_paths *out, const gemp_import_options *options);

/* Collective. XXH3 of each file's bytes, for gemp_provenance; hashes[count] is filled on all ranks. */
gemp_code gemp_import_hashes(const gemp_comm *comm, const char *const *paths, size_t count, uint64_t *hashes);

#endif
