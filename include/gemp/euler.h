/* gemp/euler.h: Euler circuits and paths: walks that use each edge of a graph once (docs/euler.md). */

#ifndef GEMP_EULER_H
#define GEMP_EULER_H

#include <gemp/analytics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemp_euler_kind {
	GEMP_EULER_NONE,    /* there is neither, or only a path where a circuit was asked for */
	GEMP_EULER_CIRCUIT, /* ends where it begins; a graph without edges has the empty one */
	GEMP_EULER_PATH,    /* ends at another vertex */
} gemp_euler_kind;

/* What was found, or why nothing was. Counts of all ranks. */
typedef struct gemp_euler_outcome {
	gemp_euler_kind kind;
	uint64_t edges;      /* of the circuit or path; 0: there is none */
	uint64_t components; /* into which the edges fall; more than 1: no circuit, no path */
	uint64_t
		unbalanced; /* vertices with unequal in- and out-degree, or, of undirected edges, of odd degree: 0 for a circuit */
	bool undirected; /* the edges are */
	bool has_path;   /* a path exists (kind NONE: ask for it by settings.path) */
} gemp_euler_outcome;

typedef struct gemp_euler_settings {
	size_t size;          /* set by gemp_euler_settings_init */
	bool path;            /* a path will do where there is no circuit */
	gemp_placement place; /* GEMP_PLACE_DEVICE needs one rank */
	bool verify;          /* check the order on all ranks */
	const char *output;   /* file of rows: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout; NULL: none */
	const char *drawing;  /* DOT file of how the circuit came about, of 1000 edges at most; NULL: none */

	/* Of a graph whose vertices are words, each of which begins with all but the first letter of the one before it: `output` gets the
	 * text that the walk spells, instead of rows. */
	bool sequence;
	bool circular; /* of a circuit: without repeating the first word at the end */
	const char
		*alphabet; /* letters of words that are numbers, the digits in their order; NULL: keys are words themselves */
} gemp_euler_settings;

/* Local. */
GEMP_API void gemp_euler_settings_init(gemp_euler_settings *settings);

/* Collective. Walks the selected edges, which are all directed or all undirected; edges NULL: all; direction and weight of the
 * selection are not used. settings NULL: defaults; report NULL: none is wanted.
 * *out (out NULL: not wanted) has a row for each edge, in the order of the walk over the ranks, in equal parts:
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
