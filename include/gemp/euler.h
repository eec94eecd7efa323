/* gemp/euler.h: Euler circuits and paths, which are walks that use each edge of a graph exactly once
 * (docs/euler.md). */

#ifndef GEMP_EULER_H
#define GEMP_EULER_H

#include <gemp/analytics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemp_euler_kind {
	GEMP_EULER_NONE,    /* there is neither a circuit nor a path, or there is only a path and settings.path is false */
	GEMP_EULER_CIRCUIT, /* the walk ends where it begins; a graph without edges has an empty circuit */
	GEMP_EULER_PATH,    /* the walk ends at another vertex than it begins */
} gemp_euler_kind;

/* The result, or the reason why there is none. Counts are over all ranks. */
typedef struct gemp_euler_outcome {
	gemp_euler_kind kind;
	uint64_t edges;      /* number of edges of the walk; 0 if there is no walk */
	uint64_t components; /* number of connected components with edges; if greater than 1, there is no walk */
	/* Number of vertices with unequal in- and out-degree, or with odd degree if the edges are undirected. A circuit
	 * needs 0. */
	uint64_t unbalanced;
	bool undirected; /* the edges are undirected */
	bool has_path;   /* a path exists; if the kind is GEMP_EULER_NONE, a call with settings.path finds it */
} gemp_euler_outcome;

typedef struct gemp_euler_settings {
	size_t size;          /* set by gemp_euler_settings_init */
	bool path;            /* accept a path if there is no circuit */
	gemp_placement place; /* the devices or the threads of all ranks */
	bool verify;          /* check the order of the edges on all ranks */
	const char *output;   /* file of rows: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout; NULL: none */
	const char *drawing;  /* DOT drawing of how the circuit was found, for at most 1000 edges; NULL: none */

	/* For graphs whose vertices are words, such as de Bruijn graphs: each word of a walk begins with the previous word
	 * without its first letter. `output` then gets the text that the walk spells, in place of rows. */
	bool sequence;
	bool circular; /* for sequence: the walk is a circuit, and the text does not repeat the first word at the end */
	/* For sequence: keys are numbers, and their digits select letters of this alphabet. NULL: the keys are the
	 * words. */
	const char *alphabet;
} gemp_euler_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_euler_settings_init(gemp_euler_settings *settings);

/* Collective. Finds a walk over the selected edges, which must be all directed or all undirected. If `edges` is NULL,
 * all edges are selected. Direction and weight of the selection have no effect. If `settings` is NULL, the defaults
 * apply. If `report` is NULL, no report is made. `outcome` must not be NULL.
 *
 * Unless `out` is NULL, *out gets a row for each edge of the walk. The ranks have equal parts of the walk in rank
 * order. gemp_columns_close frees *out. The columns are:
 *   place   integer, from 0
 *   source  key of the vertex where the walk enters the edge, which is the target of the previous row
 *   type    string
 *   edge    integer, the number of the edge among the edges of its type, which distinguishes parallel edges
 *   target  key of the vertex where the walk leaves the edge
 *
 * If there is no walk, the function does not fail: it returns GEMP_OK, *out is NULL, and *outcome has the reason.
 * GEMP_EUSAGE if the graph has no such type, or if the selection has both directed and undirected edges. */
GEMP_API gemp_code gemp_graph_euler(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                    const gemp_euler_settings *settings, gemp_euler_outcome *outcome,
                                    gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
