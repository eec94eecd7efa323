/* gemp/graph.h: property graphs: read, imported, generated, built from arrays, written.
 *
 * A graph is directed and typed: vertices have a key (an integer or a text, unique), labels and attributes; edges have one type
 * and attributes. Each rank holds a shard: a random part of the vertices with their edges.
 */

#ifndef GEMP_GRAPH_H
#define GEMP_GRAPH_H

#include <gemp/report.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_graph gemp_graph;

/* Collective. Opens a graph file (docs/format.md); parts are read when they are needed. */
GEMP_API gemp_code gemp_graph_open(gemp_graph **out, gemp_context *context, const char *path);
/* Collective. Takes NULL. */
GEMP_API void gemp_graph_close(gemp_graph *graph);

/* Local. Of all ranks together. */
GEMP_API uint64_t gemp_graph_vertex_count(const gemp_graph *graph);
GEMP_API uint64_t gemp_graph_edge_count(const gemp_graph *graph);
/* Local. Vertices of this rank, which are rows 0 to count - 1 of its columns (gemp/columns.h). */
GEMP_API uint64_t gemp_graph_local_vertex_count(const gemp_graph *graph);
/* Local. A hash of the content, the same for every number of ranks. */
GEMP_API uint64_t gemp_graph_hash(const gemp_graph *graph);

/* IMPORT: text and binary formats to a graph, docs/formats.md. */

typedef struct gemp_import_settings {
	size_t size; /* set by gemp_import_settings_init */
	const char *const *vertex_files;
	size_t vertex_file_count; /* 0: vertices come from the edges */
	const char *const *edge_files;
	size_t edge_file_count;
	const char *format;        /* a name of gemp_import_formats; NULL: by the files' endings */
	const char *metamodel;     /* xmi: the .ecore file; NULL: none */
	const char *default_label; /* of vertices that come without; NULL: none */
	const char *default_type;  /* of edges that come without; NULL: EDGE */
	bool undirected;           /* edges have no direction */
	bool merge_parallel;       /* of parallel edges one is kept */
	uint64_t seed;             /* of the random partition; 1 by default */
} gemp_import_settings;

/* Local. */
GEMP_API void gemp_import_settings_init(gemp_import_settings *settings);
/* Local. Names of formats, ended by NULL. */
GEMP_API const char *const *gemp_import_formats(void);
/* Collective. */
GEMP_API gemp_code gemp_graph_import(gemp_graph **out, gemp_context *context, const gemp_import_settings *settings,
                                     gemp_report *report);

/* GENERATORS of random and regular graphs. */

typedef struct gemp_generator_parameter {
	const char *name, *value; /* as text: "scale", "20" */
} gemp_generator_parameter;

/* Local. Number `index` of the generators: its name, and what it makes; false past the last. */
GEMP_API bool gemp_generator_at(size_t index, const char **name, const char **summary);
/* Local. Number `index` of its parameters: what help says of it; false past the last. */
GEMP_API bool gemp_generator_parameter_at(const char *generator, size_t index, const char **name, const char **form,
                                          const char **default_value, const char **help);
/* Collective. seed: of the graph; relabel_seed: of the random partition. The same for every number of ranks. */
GEMP_API gemp_code gemp_graph_generate(gemp_graph **out, gemp_context *context, const char *generator,
                                       const gemp_generator_parameter *parameters, size_t parameter_count,
                                       uint64_t seed, uint64_t relabel_seed, gemp_report *report);

/* BUILDER: a graph from arrays in memory. Any rank may add any vertex and edge, each once; edges may come before their ends. */

typedef struct gemp_builder gemp_graph_builder;

/* Collective. seed: of the random partition. */
GEMP_API gemp_code gemp_graph_builder_open(gemp_graph_builder **out, gemp_context *context, uint64_t seed);
/* Local. Edges source[i] -> target[i] of one type, between vertices with integer keys; vertices that nobody adds come from
 * their edges. weights: values of the attribute `weight`, or NULL. */
GEMP_API gemp_code gemp_graph_builder_edges(gemp_graph_builder *builder, const char *type, size_t count,
                                            const int64_t *source, const int64_t *target, const double *weights);
/* Local. Vertices with integer keys and one label (NULL: none). */
GEMP_API gemp_code gemp_graph_builder_vertices(gemp_graph_builder *builder, const char *label, size_t count,
                                               const int64_t *keys);
/* Collective. The graph; frees the builder, also on failure. */
GEMP_API gemp_code gemp_graph_builder_finish(gemp_graph_builder *builder, gemp_graph **out);
/* Local. Abandons it; takes NULL. */
GEMP_API void gemp_graph_builder_close(gemp_graph_builder *builder);

/* OUTPUT */

/* Collective. Writes a graph file, under a temporary name until it is whole. command: for the file's provenance, NULL: none;
 * weight: the attribute of edges that other tools read as values of the matrix, NULL: none. */
GEMP_API gemp_code gemp_graph_write(gemp_graph *graph, const char *path, const char *command, const char *weight,
                                    gemp_report *report);

/* Local. Names of formats to export to, ended by NULL. */
GEMP_API const char *const *gemp_export_formats(void);
/* Collective. format NULL: by the path's ending; type, weight: of an edge list or matrix, NULL: all, none. */
GEMP_API gemp_code gemp_graph_export(gemp_graph *graph, const char *path, const char *format, const char *type,
                                     const char *weight, gemp_report *report);

/* LOOKS. Each sets fields of the report and its text. */

/* Collective. Labels, types, attributes; and with `degrees` or else `schema` alone, shares of NULL and degrees. */
GEMP_API gemp_code gemp_graph_describe(gemp_graph *graph, bool schema_only, gemp_report *report);
/* Collective. Reads all of a graph file and compares checksums, content and both directions of edges; GEMP_EDATA says what is
 * wrong. */
GEMP_API gemp_code gemp_graph_verify(gemp_context *context, const char *path, gemp_report *report);

/* PARTITIONS */

typedef struct gemp_cut_settings {
	size_t size; /* set by gemp_cut_settings_init */
	uint64_t parts;
	const char *method; /* random, ldg, ptscotch ...; NULL: the best there is */
	uint64_t seed;
	const char *output; /* the graph renumbered by part, as a file; NULL: none */
	const char *command;
} gemp_cut_settings;

#ifdef __cplusplus
}
#endif

#endif
