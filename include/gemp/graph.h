/* gemp/graph.h: property graphs: open, import, generate, build from arrays, describe, verify, partition, write, export.
 *
 * A vertex has a unique key (an integer or a text), labels and attributes; an edge has one type and attributes, and is
 * directed unless it was imported as undirected. Each rank holds a shard: a random part of the vertices with their
 * edges.
 */

#ifndef GEMP_GRAPH_H
#define GEMP_GRAPH_H

#include <gemp/report.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_graph gemp_graph;

/* Collective. Opens a graph file (docs/format.md). Later functions read the parts of the file that they need.
 * gemp_graph_close frees *out, also for the other functions that make a graph; the context must outlive it.
 * GEMP_ENOINPUT, GEMP_EDATA. */
GEMP_API gemp_code gemp_graph_open(gemp_graph **out, gemp_context *context, const char *path);
/* Collective. Frees the graph; does nothing for NULL. */
GEMP_API void gemp_graph_close(gemp_graph *graph);

/* Local. Vertices and edges of all ranks together. */
GEMP_API uint64_t gemp_graph_vertex_count(const gemp_graph *graph);
GEMP_API uint64_t gemp_graph_edge_count(const gemp_graph *graph);
/* Local. The number of vertices of this rank. Row i of columns (gemp/columns.h) belongs to vertex i of this rank. */
GEMP_API uint64_t gemp_graph_local_vertex_count(const gemp_graph *graph);
/* Local. A hash of the content, the same for every number of ranks. */
GEMP_API uint64_t gemp_graph_hash(const gemp_graph *graph);

/* Collective. Reports what `gemp-mpi info` shows: schema, size, seed, and the parts that the file stores. whole: also
 * reads attributes and edges, and reports the share of NULLs in each attribute and the degrees. report: not NULL. */
GEMP_API gemp_code gemp_graph_describe(gemp_graph *graph, bool whole, gemp_report *report);

/* Collective. Reads a whole graph file, compares checksums and the hash of its content, and checks that rows are
 * sorted, that ids exist and that the rows by source and by target hold the same edges. GEMP_EDATA: the file is
 * damaged. report NULL: none is wanted. */
GEMP_API gemp_code gemp_graph_verify(gemp_context *context, const char *path, gemp_report *report);

/* IMPORT of text and binary formats (docs/formats.md). */

typedef struct gemp_import_settings {
	size_t size;                     /* set by gemp_import_settings_init */
	const char *const *vertex_files; /* [vertex_file_count] paths */
	size_t vertex_file_count;        /* 0: vertices come from the edges */
	const char *const *edge_files;   /* [edge_file_count] paths */
	size_t edge_file_count;
	const char *format;        /* a name of gemp_import_format_at; NULL: by the files' endings */
	const char *metamodel;     /* xmi: the .ecore file; NULL: none */
	const char *default_label; /* for vertices without label; NULL: none */
	const char *default_type;  /* for edges without type; NULL: E */
	bool undirected;           /* edges have no direction */
	bool merge_parallel;       /* keep one of each set of parallel edges */
	uint64_t seed;             /* of the random partition; 1 by default */
} gemp_import_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_import_settings_init(gemp_import_settings *settings);
/* Collective. Imports a graph. settings: with at least one file. GEMP_EDATA: the message names file, line and
 * remedy. */
GEMP_API gemp_code gemp_graph_import(gemp_graph **out, gemp_context *context, const gemp_import_settings *settings);

/* Local. Describes import format number `index`: its name, its file endings (joined by blanks, "" for none), and one
 * line of text. False if there are fewer formats. The strings belong to the library. */
GEMP_API bool gemp_import_format_at(size_t index, const char **name, const char **endings, const char **summary);

/* GENERATORS of random and regular graphs. */

typedef struct gemp_parameter {
	const char *name;       /* "edge-factor" */
	double value, min, max; /* default and range */
	bool whole;             /* integers only */
	const char *meaning;
	const char *const *words; /* for the values 0, 1, ..., ended by NULL; NULL: values are numbers */
} gemp_parameter;

typedef struct gemp_generator {
	const char *name, *meaning;
	size_t parameter_count;
	const gemp_parameter *parameters; /* [parameter_count] */
} gemp_generator;

/* Local. Returns the list of all generators, [*count], which belongs to the library. */
GEMP_API const gemp_generator *gemp_generators(size_t *count);
/* Local. out[size] becomes the form of a parameter's values ("N" for whole numbers, "X" for numbers,
 * "deep|shallow|random"), or its default, as text. */
GEMP_API void gemp_parameter_form(char *out, size_t size, const gemp_parameter *parameter);
GEMP_API void gemp_parameter_default(char *out, size_t size, const gemp_parameter *parameter);

typedef struct gemp_generator_parameter {
	const char *name, *value; /* as text: "scale", "20" */
	const char *place;        /* where a user wrote it, for messages: "run.conf:3"; NULL: nowhere */
} gemp_generator_parameter;

/* Collective. Generates a graph. Parameters that are not given have their defaults. seed: of the graph; relabel_seed:
 * of the random partition. The graph does not depend on the number of ranks. GEMP_EUSAGE: no such generator or
 * parameter, or a value out of range. */
GEMP_API gemp_code gemp_graph_generate(gemp_graph **out, gemp_context *context, const char *generator,
                                       const gemp_generator_parameter *parameters, size_t parameter_count,
                                       uint64_t seed, uint64_t relabel_seed);

/* BUILDER: a graph from arrays in memory. Any rank may add any vertex and edge, each once; edges may be added before
 * the vertices that they join. */

typedef struct gemp_graph_builder gemp_graph_builder;

/* Collective. seed: of the random partition. gemp_graph_builder_finish or _close frees *out. */
GEMP_API gemp_code gemp_graph_builder_open(gemp_graph_builder **out, gemp_context *context, uint64_t seed);
/* Local. Adds the edges source[i] -> target[i], i < count, of one type between vertices with integer keys. An end that
 * no rank adds as a vertex becomes a vertex without label. weights: [count] values of the attribute `weight`; NULL:
 * edges have none. */
GEMP_API gemp_code gemp_graph_builder_edges(gemp_graph_builder *builder, const char *type, size_t count,
                                            const int64_t *source, const int64_t *target, const double *weights);
/* Local. Adds vertices with integer keys[count] and one label (NULL: none). */
GEMP_API gemp_code gemp_graph_builder_vertices(gemp_graph_builder *builder, const char *label, size_t count,
                                               const int64_t *keys);
/* Collective. Makes the graph and frees the builder, also on failure. */
GEMP_API gemp_code gemp_graph_builder_finish(gemp_graph_builder *builder, gemp_graph **out);
/* Local. Frees a builder without making the graph; does nothing for NULL. */
GEMP_API void gemp_graph_builder_close(gemp_graph_builder *builder);

/* PARTS */

typedef struct gemp_partition_settings {
	size_t size;    /* set by gemp_partition_settings_init */
	uint64_t parts; /* at most 2^20; 0: the number that the graph's file stores, or else the number of ranks */
	gemp_partitioner method;
	bool
		stored; /* use the parts that the file stores, if they are as many as `parts`, or `parts` is 0; true by default */
} gemp_partition_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_partition_settings_init(gemp_partition_settings *settings);
/* Collective. Cuts a graph into parts, and reports their sizes, their balance and the edges between them. out: gets the
 * same graph with its vertices in the order of the parts, which the caller closes; NULL: not wanted. settings NULL:
 * defaults; report NULL: none is wanted. */
GEMP_API gemp_code gemp_graph_partition(gemp_graph **out, gemp_graph *graph, const gemp_partition_settings *settings,
                                        gemp_report *report);

/* OUTPUT */

typedef struct gemp_write_settings {
	size_t size;         /* set by gemp_write_settings_init */
	const char *command; /* for the file's provenance; NULL: "libgemp" */
	const char *weight;  /* numeric attribute of edges that the file stores as values of its matrices; NULL: ones */
	/* Files whose names and hashes go into the provenance; input_count 0: the files that the graph was imported
	 * from. */
	const char *const *inputs; /* [input_count] */
	size_t input_count;
} gemp_write_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_write_settings_init(gemp_write_settings *settings);
/* Collective. Writes a graph file, under a temporary name until it is complete. settings NULL: defaults. Reports the
 * file, the schema, seconds and memory, and, if this program made the graph, the throughput. report NULL: none is
 * wanted. GEMP_EIO. */
GEMP_API gemp_code gemp_graph_write(gemp_graph *graph, const char *path, const gemp_write_settings *settings,
                                    gemp_report *report);

typedef struct gemp_export_settings {
	size_t size;               /* set by gemp_export_settings_init */
	gemp_export_format format; /* AUTO: by the path's ending */
	const char *type;          /* only edges of this type; NULL: all */
	const char *weight;        /* mtx: attribute of edges that gives the values; NULL: none */
} gemp_export_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_export_settings_init(gemp_export_settings *settings);
/* Collective. Writes files for other programs: tsv and csv (two files, F.vertices.tsv and F.edges.tsv for F.tsv),
 * jsonl, graphml, dot, mtx, xmi (docs/formats.md). settings NULL: defaults. Reports names and sizes of the files.
 * report NULL: none is wanted. */
GEMP_API gemp_code gemp_graph_export(gemp_graph *graph, const char *path, const gemp_export_settings *settings,
                                     gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
