/* gemp/euler.h: Euler circuits and paths: walks that use each edge of a graph once (docs/euler.md). */

#ifndef GEMP_EULER_H
#define GEMP_EULER_H

#include <gemp/analytics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemp_euler_kind {
	GEMP_EULER_NONE,    /* there is neither, or there is only a path, and settings.path is not set */
	GEMP_EULER_CIRCUIT, /* ends where it begins; a graph without edges has the empty one */
	GEMP_EULER_PATH,    /* ends at another vertex */
} gemp_euler_kind;

/* What was found, or why nothing was found. Counts are of all ranks. */
typedef struct gemp_euler_outcome {
	gemp_euler_kind kind;
	uint64_t edges;      /* of the circuit or path; 0: there is none */
	uint64_t components; /* connected components that have edges; with more than 1 there is no circuit and no path */
	uint64_t
		unbalanced; /* vertices with unequal in- and out-degree, or with odd degree if edges are undirected; a circuit needs 0 */
	bool undirected; /* the edges have no direction */
	bool has_path;   /* a path exists; with kind GEMP_EULER_NONE settings.path finds it */
} gemp_euler_outcome;

typedef struct gemp_euler_settings {
	size_t size;          /* set by gemp_euler_settings_init */
	bool path;            /* accept a path if there is no circuit */
	gemp_placement place; /* GEMP_PLACE_DEVICE needs one rank */
	bool verify;          /* check the order on all ranks */
	const char *output;   /* file of rows: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout; NULL: none */
	const char *drawing;  /* DOT file that shows how the circuit was found, for at most 1000 edges; NULL: none */

	/* For graphs whose vertices are words, where each word of a walk begins with all but the first letter of the word
	 * before it: `output` gets the text that the walk spells, instead of rows. */
	bool sequence;
	bool circular; /* sequence of a circuit: the first word is not repeated at the end */
	const char *
		alphabet; /* sequence: keys are numbers, whose digits stand for these letters in order; NULL: keys are the words */
} gemp_euler_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_euler_settings_init(gemp_euler_settings *settings);

/* Collective. Finds a walk over the selected edges, which must be all directed or all undirected. edges NULL: all; direction and weight of
 * the selection are not used. settings NULL: defaults; report NULL: none is wanted; outcome must not be NULL.
 * *out (out NULL: not wanted) has a row for each edge. The walk is divided among the ranks in rank order, in equal parts:
 *   place   integer, from 0
 *   source  key of the vertex where the walk enters the edge; the target of the row before
 *   type    string
 *   edge    integer, the edge's number among those of its type, which tells parallel edges apart
 *   target  key
 * A graph without a walk is no failure: the code is GEMP_OK, *out is NULL, and *outcome says why. gemp_columns_close frees *out.
 * GEMP_EUSAGE: the graph has no such type, or the selection has both directed and undirected edges. */
GEMP_API gemp_code gemp_graph_euler(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                    const gemp_euler_settings *settings, gemp_euler_outcome *outcome,
                                    gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
