/* gemp/graph.h: property graphs. A graph is opened, imported, generated, or built from arrays. It can be described,
 * verified, partitioned, written and exported.
 *
 * A vertex has a unique key (an integer or a text), labels and attributes. An edge has one type and attributes. It is
 * directed unless it was imported as undirected. Each rank holds a shard, which is a random part of the vertices with
 * their edges.
 *
 * If a `settings` argument is NULL, the defaults apply. If a `report` argument is NULL, no report is made, except where
 * the comment of the function requires one. */

#ifndef GEMP_GRAPH_H
#define GEMP_GRAPH_H

#include <gemp/report.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_graph gemp_graph;

/* Collective. Opens a graph file (docs/format.md). Later functions read the parts of the file that they need. The
 * context must outlive the graph. gemp_graph_close frees *out, and also the graphs that other functions make.
 * GEMP_ENOINPUT, GEMP_EDATA. */
GEMP_API gemp_code gemp_graph_open(gemp_graph **out, gemp_context *context, const char *path);
/* Collective. Frees the graph; does nothing for NULL. */
GEMP_API void gemp_graph_close(gemp_graph *graph);

/* Local. These functions return the number of vertices and the number of edges on all ranks together. */
GEMP_API uint64_t gemp_graph_vertex_count(const gemp_graph *graph);
GEMP_API uint64_t gemp_graph_edge_count(const gemp_graph *graph);
/* Local. Returns the number of this rank's vertices. Row i of columns (gemp/columns.h) belongs to vertex i of this
 * rank. */
GEMP_API uint64_t gemp_graph_local_vertex_count(const gemp_graph *graph);
/* Local. Returns a hash of the content, which does not depend on the number of ranks. */
GEMP_API uint64_t gemp_graph_hash(const gemp_graph *graph);

/* Collective. Reports the schema, the size and the seed of the graph and the parts that its file stores, as `gemp-mpi
 * info` does. If `whole` is true, the function also reads attributes and edges, and reports the share of NULLs in each
 * attribute and the degrees. `report` must not be NULL. */
GEMP_API gemp_code gemp_graph_describe(gemp_graph *graph, bool whole, gemp_report *report);

/* Collective. Reads a whole graph file and compares its seal, checksums and the hash of its content. Checks that rows
 * are sorted, that ids exist, and that the rows by source and the rows by target hold the same edges. GEMP_EDATA if the
 * file is damaged. */
GEMP_API gemp_code gemp_graph_verify(gemp_context *context, const char *path, gemp_report *report);

/* IMPORT of text and binary formats (docs/formats.md). */

typedef struct gemp_import_settings {
	size_t size;                     /* set by gemp_import_settings_init */
	const char *const *vertex_files; /* [vertex_file_count] paths */
	size_t vertex_file_count;        /* 0: the edges define the vertices */
	const char *const *edge_files;   /* [edge_file_count] paths */
	size_t edge_file_count;
	const char *format;        /* a name of gemp_import_format_at; NULL: the ending of each file selects the format */
	const char *metamodel;     /* the .ecore file for XMI; NULL: none */
	const char *default_label; /* the label of vertices without a label; NULL: none */
	const char *default_type;  /* the type of edges without a type; NULL: E */
	bool undirected;           /* all edges become undirected */
	bool merge_parallel;       /* keep only one edge of each set of parallel edges */
	uint64_t seed;             /* the seed of the random partition; 1 by default */
} gemp_import_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_import_settings_init(gemp_import_settings *settings);
/* Collective. Imports a graph. `settings` names at least one file and must not be NULL. GEMP_EDATA if a file has an
 * error; the message names file, line and remedy. */
GEMP_API gemp_code gemp_graph_import(gemp_graph **out, gemp_context *context, const gemp_import_settings *settings);

/* Local. Describes import format number `index` by its name, its file endings (joined by blanks; "" if it has none),
 * and one line of text. Returns false if there is no such format. The strings belong to the library. */
GEMP_API bool gemp_import_format_at(size_t index, const char **name, const char **endings, const char **summary);

/* GENERATORS of random and regular graphs. */

typedef struct gemp_parameter {
	const char *name;       /* such as "edge-factor" */
	double value, min, max; /* the default, and the allowed range */
	bool whole;             /* only integers are allowed */
	const char *meaning;
	const char *const *words; /* words for the values 0, 1, ..., ended by NULL; NULL: the values are numbers */
} gemp_parameter;

typedef struct gemp_generator {
	const char *name, *meaning;
	size_t parameter_count;
	const gemp_parameter *parameters; /* [parameter_count] */
} gemp_generator;

/* Local. Returns an array of all generators, [*count], which belongs to the library. */
GEMP_API const gemp_generator *gemp_generators(size_t *count);
/* Local. gemp_parameter_form writes into out[size] the form of a parameter's values: "N" for whole numbers, "X" for
 * other numbers, or the words, such as "deep|shallow|random". gemp_parameter_default writes the default as text. */
GEMP_API void gemp_parameter_form(char *out, size_t size, const gemp_parameter *parameter);
GEMP_API void gemp_parameter_default(char *out, size_t size, const gemp_parameter *parameter);

typedef struct gemp_generator_parameter {
	const char *name, *value; /* both as text, such as "scale" and "20" */
	/* where the user wrote the parameter, such as "run.conf:3", for messages; NULL: unknown */
	const char *place;
} gemp_generator_parameter;

/* Collective. Generates a graph. A parameter that is not given has its default. `seed` is the seed of the graph,
 * `relabel_seed` the seed of the random partition (0: the generator's own, see --relabel-seed). The graph does not
 * depend on the number of ranks. GEMP_EUSAGE if there is no such generator or parameter, or if a value is out of
 * range. */
GEMP_API gemp_code gemp_graph_generate(gemp_graph **out, gemp_context *context, const char *generator,
                                       const gemp_generator_parameter *parameters, size_t parameter_count,
                                       uint64_t seed, uint64_t relabel_seed);

/* BUILDER: makes a graph of arrays in memory. Any rank may add any vertex or edge, but each vertex and each edge is
 * added only once, by one rank. Edges may be added before their vertices. */

typedef struct gemp_graph_builder gemp_graph_builder;

/* Collective. Opens a builder. `seed` is the seed of the random partition. gemp_graph_builder_finish or
 * gemp_graph_builder_close frees *out. */
GEMP_API gemp_code gemp_graph_builder_open(gemp_graph_builder **out, gemp_context *context, uint64_t seed);
/* Local. Adds the edges source[i] -> target[i], i < count, all of one type, between vertices with integer keys. If no
 * rank adds the source or the target as a vertex, it becomes a vertex without a label. weights[count] are the values of
 * the edge attribute `weight`; if `weights` is NULL, these edges have none. */
GEMP_API gemp_code gemp_graph_builder_edges(gemp_graph_builder *builder, const char *type, size_t count,
                                            const int64_t *source, const int64_t *target, const double *weights);
/* Local. Adds vertices with integer keys[count] and one label. If `label` is NULL, the vertices have no label. */
GEMP_API gemp_code gemp_graph_builder_vertices(gemp_graph_builder *builder, const char *label, size_t count,
                                               const int64_t *keys);
/* Collective. Makes the graph and frees the builder, also on failure. */
GEMP_API gemp_code gemp_graph_builder_finish(gemp_graph_builder *builder, gemp_graph **out);
/* Local. Frees a builder without making the graph; does nothing for NULL. */
GEMP_API void gemp_graph_builder_close(gemp_graph_builder *builder);

/* PARTS */

typedef struct gemp_partition_settings {
	size_t size; /* set by gemp_partition_settings_init */
	/* at most 2^20; 0: the number of parts that the file stores, or the number of ranks if it stores none */
	uint64_t parts;
	gemp_partitioner method;
	/* use the parts that the file stores if `parts` is 0 or their number; true by default */
	bool stored;
} gemp_partition_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_partition_settings_init(gemp_partition_settings *settings);
/* Collective. Cuts a graph into parts. Reports their sizes, their balance and the edges between them. *out becomes the
 * same graph with its vertices in the order of the parts; the caller closes *out. If `out` is NULL, no graph is
 * made. */
GEMP_API gemp_code gemp_graph_partition(gemp_graph **out, gemp_graph *graph, const gemp_partition_settings *settings,
                                        gemp_report *report);

/* OUTPUT */

typedef struct gemp_write_settings {
	size_t size;         /* set by gemp_write_settings_init */
	const char *command; /* the command that the provenance of the file names; NULL: "libgemp" */
	/* numeric attribute of edges whose values become the values of the file's matrices; NULL: all values are 1 */
	const char *weight;
	/* The provenance lists the names and hashes of these files. If input_count is 0, it lists the files that the graph
	 * was imported from. */
	const char *const *inputs; /* [input_count] */
	size_t input_count;
	bool compressed; /* compress the arrays of the file; false by default */
	/* [indexed_count] attributes of vertices of which the file gets an index of values (gemp/index.h); a name that the
	 * graph lacks, or that has no index, gives a warning */
	const char *const *indexed;
	size_t indexed_count;
} gemp_write_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_write_settings_init(gemp_write_settings *settings);
/* Collective. Writes a graph file, under a temporary name until it is complete. Reports the file, the schema, seconds
 * and memory. If the graph was imported or generated, it also reports the throughput. GEMP_EIO. */
GEMP_API gemp_code gemp_graph_write(gemp_graph *graph, const char *path, const gemp_write_settings *settings,
                                    gemp_report *report);

typedef struct gemp_export_settings {
	size_t size;               /* set by gemp_export_settings_init */
	gemp_export_format format; /* AUTO: the ending of the path selects the format */
	const char *type;          /* export only edges of this type; NULL: all edges */
	/* for mtx: the attribute of edges that gives the values; NULL: the matrix has no values */
	const char *weight;
} gemp_export_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_export_settings_init(gemp_export_settings *settings);
/* Collective. Writes a graph for other programs as tsv, csv, jsonl, graphml, dot, mtx, xmi or adjacency
 * (docs/formats.md). For tsv and csv there are two files, F.vertices.tsv and F.edges.tsv if the path is F.tsv. Reports
 * names and sizes of the files. */
GEMP_API gemp_code gemp_graph_export(gemp_graph *graph, const char *path, const gemp_export_settings *settings,
                                     gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
