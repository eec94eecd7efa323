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
	bool has_path; /* a path exists (kind NONE: ask for it by may_be_path) */
} gemp_euler_outcome;

/* Collective. Walks the selected edges, which are all directed or all undirected; edges NULL: all; direction and weight of the
 * selection are not used. may_be_path: a path will do where there is no circuit.
 * *out has a row for each edge, in the order of the walk over the ranks, in equal parts:
 *   place   integer, from 0
 *   source  key of the vertex where the walk enters the edge; the target of the row before
 *   type    string
 *   edge    integer, the edge's number among those of its type, which tells parallel edges apart
 *   target  key
 * A graph without a walk is no failure: the code is GEMP_OK, *out is NULL, and *outcome says why. gemp_columns_close frees *out.
 * GEMP_EUSAGE: the graph has no such type, or the selection has both directed and undirected edges. */
GEMP_API gemp_code gemp_graph_euler(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                    bool may_be_path, gemp_euler_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
