/* import: files of many formats become a distributed graph.
 *
 * TSV and CSV files begin with a header. Vertices have `id`, `type` (or `label`) and attributes; edges have `src` (or
 * `source`), `dst` (or `target`), `type` and attributes. Columns are found by name, in any order; the type column may
 * be missing. A column's type is stated (`year:int`; int, integer, float, string, bool, boolean) or inferred over all
 * files and ranks: integer only if every value is canonical (007 is a string), then float, then boolean, else string.
 * An empty field is NULL; in CSV `""` is an empty string. Several labels are `A;B`. A literal NaN is refused in a float
 * column. SNAP edge lists have two ids on each line, separated by blanks; `#` begins a comment. Ids are integers if all
 * ids in all files are canonical integers (or are stated so), else strings. Among strings, canonical integers then
 * order before the others, by value, unless ids are stated as strings.
 */

#ifndef GEMP_IO_IMPORT_IMPORT_H
#define GEMP_IO_IMPORT_IMPORT_H

#include "graph/graph.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"

typedef struct gemp_format gemp_format;
typedef struct gemp_paths gemp_paths;

/* The format of that name; NULL for "auto"; GEMP_EUSAGE for other names. */
gemp_code gemp_format_parse(const gemp_format **out, const char *name);

/* All pointers are borrowed. {0} with the files is a good default but for the seed, which is 1 by default. */
typedef struct gemp_import_options {
	size_t vertex_file_count, edge_file_count;
	const char *const *vertex_files; /* [vertex_file_count]; none: vertices come from the edges */
	const char *const *edge_files;   /* [edge_file_count] */
	const gemp_format *format;       /* NULL: by endings; snap with vertex files: these are TSV or CSV */
	const char *metamodel;           /* xmi: the .ecore file; NULL: none */
	bool undirected;
	bool merge_parallel;
	uint64_t seed;                 /* of the relabelling */
	const char *default_label;     /* of vertices without a label; NULL: none */
	const char *default_type;      /* of edges without a type; NULL: "E" */
	struct gemp_step_times *steps; /* core/log.h: gets the time of each stage; NULL: times are not measured */
} gemp_import_options;

/* Collective; the options are the same on all ranks. Messages name file, line and remedy; all ranks return the same
 * code. */
gemp_code gemp_import(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options);

/* FOR THE FORMATS: the table of formats that import reads.
 *
 * A format is one file import_NAME.c with one gemp_format object, and one line in the table in import.c. Its `read`
 * makes a graph of files by the distributed builder (partition/build/builder.h). Names, endings, help, refusals and the
 * files of the provenance follow from the table.
 */

/* Names of files. {0} is empty. */
typedef struct gemp_paths {
	size_t count, capacity;
	char **path; /* [count] owned */
} gemp_paths;

/* Local. The files that such an import reads, for its provenance. */
gemp_code gemp_import_files(gemp_paths *out, const gemp_import_options *options);

/* Collective. XXH3 of each file's bytes, for gemp_provenance; hashes[count] is filled on all ranks. */
gemp_code gemp_import_hashes(const gemp_comm *comm, const char *const *paths, size_t count, uint64_t *hashes);

gemp_code gemp_paths_add(gemp_paths *paths, const char *path); /* copies */
void gemp_paths_free(gemp_paths *paths);

struct gemp_format {
	const char *name;
	const char *endings;  /* of files, before .gz or .zst, separated by blanks; "" for none */
	const char *summary;  /* one line for help, no full stop */
	bool takes_vertices;  /* has files of vertices beside those of edges; else a file is a whole graph */
	bool one_file;        /* two files cannot be one graph, since their vertices have the same numbers */
	bool needs_metamodel; /* needs a metamodel; other formats refuse one */
	/* Local. The files that a name given by the user stands for (a folder, a pair of files), for the provenance; a
	 * missing file is GEMP_ENOINPUT. NULL: the name itself. */
	gemp_code (*files)(gemp_paths *out, const char *path);
	/* Collective, as gemp_import. options->format is this format, or NULL if endings decided; there is at least one
	 * file. */
	gemp_code (*read)(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options);
};

/* The formats in the order of help. */
const gemp_format *const *gemp_formats(size_t *count);

/* The format of a file by its ending; NULL if the ending is unknown. */
const gemp_format *gemp_format_by_ending(const char *path);

/* The options that all formats pass to the builder: seed, parallel edges, defaults of labels and types, direction. */
gemp_builder_options gemp_format_builder(const gemp_import_options *options);

/* Declares the files of the options in their order, so they are numbered from 1. */
gemp_code gemp_import_declare_files(gemp_builder *builder, const gemp_import_options *options);
/* Adds a vertex with the key ends[0] and its labels, or an edge between both ends with its type. */
gemp_code gemp_import_element(gemp_builder *builder, bool edge, const gemp_value ends[2], const char *names,
                              size_t size, gemp_place place);
/* A value of the vertex or edge that was added last. */
gemp_code gemp_import_value(gemp_builder *builder, bool edge, size_t column, const gemp_value *value);

/* Collective. Calls `add` on one rank for each name in the dictionary of any rank, for vertices that lines of many
 * ranks name. */
typedef gemp_code gemp_import_name(void *self, const char *name, size_t size);
gemp_code gemp_import_names(const gemp_comm *comm, const gemp_dictionary *local, gemp_import_name *add, void *self);

extern const gemp_format gemp_format_tsv, gemp_format_csv, gemp_format_snap, gemp_format_neo4j, gemp_format_mtx,
	gemp_format_metis, gemp_format_adjacency, gemp_format_jsonl, gemp_format_packages, gemp_format_dict,
	gemp_format_graphml, gemp_format_gxl, gemp_format_xmi, gemp_format_npz, gemp_format_h5ad, gemp_format_binsparse,
	gemp_format_imdb;

#endif
