/* import: makes a distributed graph from files of many formats.
 *
 * TSV and CSV files begin with a header. Files of vertices have the columns `id` and `type` (or `label`), and files of
 * edges have `src` (or `source`), `dst` (or `target`) and `type`. All other columns are attributes. Columns are found
 * by name and may be in any order. The type column may be missing.
 *
 * The header may state the type of a column (`year:int`; int, integer, float, string, bool, boolean). Otherwise the
 * type is inferred over all files and ranks: integer if every value is a canonical integer (007 is not), then float,
 * then boolean, else string. An empty field is NULL, but `""` in CSV is an empty string. Several labels are written
 * `A;B`. A literal NaN is refused in a float column.
 *
 * A SNAP edge list has two ids on each line, separated by blanks; `#` begins a comment. Ids are integers if the ids in
 * all files are canonical integers or are stated as integers, and strings otherwise. If strings and canonical integers
 * are mixed, the integers come first in the order of keys, by value, unless ids are stated as strings. */

#ifndef GEMP_IO_IMPORT_IMPORT_H
#define GEMP_IO_IMPORT_IMPORT_H

#include "graph/graph.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"

typedef struct gemp_format gemp_format;
typedef struct gemp_paths gemp_paths;

/* The format with this name; NULL for "auto". GEMP_EUSAGE: the name is unknown. */
gemp_code gemp_format_parse(const gemp_format **out, const char *name);

/* All pointers are borrowed. {0} with the files is a usable default, but the usual seed is 1. */
typedef struct gemp_import_options {
	size_t vertex_file_count, edge_file_count;
	const char *const *vertex_files; /* [vertex_file_count]; if empty, the vertices come from the edges */
	const char *const *edge_files;   /* [edge_file_count] */
	const gemp_format *format;       /* NULL: the endings decide; for snap, vertex files are TSV or CSV */
	const char *metamodel;           /* for xmi: the .ecore file; otherwise NULL */
	bool undirected;
	bool merge_parallel;
	bool merged_rows;              /* as in gemp_builder_options */
	uint64_t seed;                 /* seed of the ids' random order */
	const char *default_label;     /* label of vertices that have none; NULL: they get none */
	const char *default_type;      /* type of edges that have none; NULL: "E" */
	struct gemp_step_times *steps; /* core/log.h: receives the time of each step; NULL: no times are measured */
} gemp_import_options;

/* Collective, with the same options on all ranks. Messages name file, line and remedy. All ranks return the same
 * code. */
gemp_code gemp_import(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options);

/* FOR THE FORMATS: the table of formats that import reads.
 *
 * A format is one file import_NAME.c with one gemp_format object, and one line in the table in import.c. Its function
 * `read` makes a graph from files through the distributed builder (partition/build/builder.h). The table gives the
 * names, the endings, the help, the refusals of options and the files in the provenance. */

/* A list of paths. {0} is empty. */
typedef struct gemp_paths {
	size_t count, capacity;
	char **path; /* [count], owned */
} gemp_paths;

/* Local. Lists the files that an import with these options reads, for its provenance. */
gemp_code gemp_import_files(gemp_paths *out, const gemp_import_options *options);

gemp_code gemp_paths_add(gemp_paths *paths, const char *path); /* copies the path */
void gemp_paths_free(gemp_paths *paths);

struct gemp_format {
	const char *name;
	const char *endings;  /* endings of files, without .gz, .bz2 or .zst, separated by blanks; "": none */
	const char *summary;  /* one line for the help, without a full stop */
	bool takes_vertices;  /* has separate files of vertices; otherwise each file is a whole graph */
	bool one_file;        /* only one file can be imported, since every file numbers its vertices anew */
	bool needs_metamodel; /* needs a metamodel; a format without this flag refuses one */
	/* Local. Lists the files that the user's name stands for (a folder, or a pair of files), for the provenance.
	 * GEMP_ENOINPUT: a file is missing. NULL: the name is the file. */
	gemp_code (*files)(gemp_paths *out, const char *path);
	/* Collective, as gemp_import. options->format is this format, or NULL if the endings have decided. There is at
	 * least one file. */
	gemp_code (*read)(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options);
};

/* The formats in the order of the help. */
const gemp_format *const *gemp_formats(size_t *count);

/* The format that the file's ending gives; NULL if the ending is unknown. */
const gemp_format *gemp_format_by_ending(const char *path);

/* The builder options that all formats share: seed, parallel edges, default label and type, direction. */
gemp_builder_options gemp_format_builder(const gemp_import_options *options);

/* Declares the edge files to the builder in their order, so they are numbered from 1. */
gemp_code gemp_import_declare_files(gemp_builder *builder, const gemp_import_options *options);
/* Adds an element to the builder: an edge between ends[0] and ends[1] with the type `names`, or a vertex with the key
 * ends[0] and the labels `names`. */
gemp_code gemp_import_element(gemp_builder *builder, bool edge, const gemp_value ends[2], const char *names,
                              size_t size, gemp_place place);
/* Sets an attribute of the vertex or edge that was added last. */
gemp_code gemp_import_value(gemp_builder *builder, bool edge, size_t column, const gemp_value *value);

/* Collective. Collects the names in the dictionaries of all ranks and calls `add` once for each distinct name, on one
 * rank. Formats use it for vertices that lines on many ranks may name. */
typedef gemp_code gemp_import_name(void *self, const char *name, size_t size);
gemp_code gemp_import_names(const gemp_comm *comm, const gemp_dictionary *local, gemp_import_name *add, void *self);

extern const gemp_format gemp_format_tsv, gemp_format_csv, gemp_format_snap, gemp_format_neo4j, gemp_format_mtx,
	gemp_format_metis, gemp_format_adjacency, gemp_format_jsonl, gemp_format_packages, gemp_format_dict,
	gemp_format_pairs, gemp_format_wiktionary, gemp_format_graphml, gemp_format_gxl, gemp_format_xmi, gemp_format_npz,
	gemp_format_h5ad, gemp_format_binsparse, gemp_format_imdb;

#endif
