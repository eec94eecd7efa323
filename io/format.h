/* format: the table of formats that import reads.
 *
 * A format is one file format_NAME.c with one gemp_format object, and one line in the table in format.c. Its `read`
 * makes a graph of files by the distributed builder (partition/builder.h); everything else about import goes by the
 * table: --format, endings, help, what is refused, which files the provenance names.
 */
#ifndef GEMP_IO_FORMAT_H
#define GEMP_IO_FORMAT_H

#include "io/import.h"
#include "partition/builder.h"

/* Names of files. {0} is empty. */
typedef struct gemp_paths {
	size_t count, capacity;
	char **path; /* [count] owned */
} gemp_paths;

gemp_code gemp_paths_add(gemp_paths *paths, const char *path); /* copies */
void gemp_paths_free(gemp_paths *paths);

struct gemp_format {
	const char *name;
	const char *endings;    /* by which --format auto knows a file, before .gz or .zst; joined by blanks, "" for none */
	const char *summary;    /* one line for help, no full stop */
	bool takes_vertices;    /* has files of vertices (--vertices) beside those of edges; else a file is a whole graph */
	bool one_file;          /* two files cannot be one graph, since their vertices have the same numbers */
	bool needs_metamodel;   /* reads --metamodel, without which it makes nothing of a file; others refuse it */
	/* Local. The files that a name given by the user stands for (a folder, a pair of files), for the provenance; a
	 * file that is not there is GEMP_ENOINPUT. NULL: the name itself. */
	gemp_code (*files)(gemp_paths *out, const char *path);
	/* Collective; as gemp_import. options->format is this format, or NULL for one found by endings; there is a
	 * file. */
	gemp_code (*read)(gemp_graph **out, const gemp_comm *comm, const gemp_import_options *options);
};

/* The formats in the order of help. */
const gemp_format *const *gemp_formats(size_t *count);

/* The format of a file by its ending; NULL if that does not tell. */
const gemp_format *gemp_format_by_ending(const char *path);

/* "auto|tsv|csv|...": index i is gemp_formats()[i - 1]. */
const char *gemp_format_choices(void);

/* What all formats take from the options alike: seed, --parallel, --label, --type, --undirected. */
gemp_builder_options gemp_format_builder(const gemp_import_options *options);

extern const gemp_format gemp_format_tsv, gemp_format_csv, gemp_format_snap, gemp_format_neo4j, gemp_format_mtx,
	gemp_format_metis,
	gemp_format_adjacency, gemp_format_jsonl, gemp_format_packages, gemp_format_dict, gemp_format_graphml, gemp_format_gxl,
	gemp_format_xmi,
	gemp_format_npz, gemp_format_h5ad, gemp_format_binsparse,
	gemp_format_imdb;

#endif
