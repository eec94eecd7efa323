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
	const char *format;        /* as --format names them (docs/formats.md); NULL: by the files' endings */
	const char *metamodel;     /* xmi: the .ecore file; NULL: none */
	const char *default_label; /* of vertices that come without; NULL: none */
	const char *default_type;  /* of edges that come without; NULL: E */
	bool undirected;           /* edges have no direction */
	bool merge_parallel;       /* one of each set of parallel edges is kept */
	uint64_t seed;             /* of the random partition; 1 by default */
} gemp_import_settings;

/* Local. */
GEMP_API void gemp_import_settings_init(gemp_import_settings *settings);
/* Collective. */
GEMP_API gemp_code gemp_graph_import(gemp_graph **out, gemp_context *context, const gemp_import_settings *settings);

/* GENERATORS of random and regular graphs. */

typedef struct gemp_generator_parameter {
	const char *name, *value; /* as text: "scale", "20" */
} gemp_generator_parameter;

/* Local. Number `index` of the generators: its name, and what it makes; false past the last. `gemp-mpi help generate` lists their
 * parameters. */
GEMP_API bool gemp_generator_at(size_t index, const char **name, const char **summary);
/* Collective. seed: of the graph; relabel_seed: of the random partition. The same for every number of ranks. */
GEMP_API gemp_code gemp_graph_generate(gemp_graph **out, gemp_context *context, const char *generator,
                                       const gemp_generator_parameter *parameters, size_t parameter_count,
                                       uint64_t seed, uint64_t relabel_seed);

/* BUILDER: a graph from arrays in memory. Any rank may add any vertex and edge, each once; edges may be added before the vertices that they join. */

typedef struct gemp_graph_builder gemp_graph_builder;

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

typedef struct gemp_write_settings {
	size_t size;         /* set by gemp_write_settings_init */
	const char *command; /* for the file's provenance; NULL: "libgemp" */
	const char *weight;  /* attribute of edges that other tools read as values of the matrix; NULL: ones */
	/* Files whose names and hashes the provenance gets; none: those that the graph was imported from. */
	const char *const *inputs; /* [input_count] */
	size_t input_count;
} gemp_write_settings;

/* Local. */
GEMP_API void gemp_write_settings_init(gemp_write_settings *settings);
/* Collective. Writes a graph file, under a temporary name until it is whole. settings NULL: defaults. The report (NULL: none)
 * gets the file, the schema, seconds and memory, and of a graph that was made by this program how fast it was made. */
GEMP_API gemp_code gemp_graph_write(gemp_graph *graph, const char *path, const gemp_write_settings *settings,
                                    gemp_report *report);

/* Collective. Files of other programs, by the path's ending: .tsv, .csv (two files, F.vertices.tsv and F.edges.tsv for F.tsv),
 * .jsonl, .graphml, .dot, .mtx, .xmi. type: only edges of
 * this type, NULL: all; weight: the attribute that gives a matrix its values, NULL: none. */
GEMP_API gemp_code gemp_graph_export(gemp_graph *graph, const char *path, const char *type, const char *weight);

#ifdef __cplusplus
}
#endif

#endif
