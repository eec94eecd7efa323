/* circuit_drawing: how the Euler circuit of a small graph came about, for Graphviz: the circuits before joining,
 * each in a colour; the circuit graph with its spanning tree; the edges with their places. */

#ifndef GEMP_EULER_CIRCUIT_DRAWING_H
#define GEMP_EULER_CIRCUIT_DRAWING_H

#include "euler/euler.h"

enum { GEMP_EULER_DRAWING_MAX = 1000 }; /* edges of a graph that is drawn */

/* GEMP_EDATA where there is too much to draw: before it is looked for. */
gemp_code gemp_euler_drawing_check(const gemp_shard *graph, const gemp_euler_edges *edges, const char *path);

/* Collective. The result was made with `keep` and has an order; keys are loaded. The file appears when it is whole. */
gemp_code gemp_euler_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                   const gemp_euler_result *result, const char *path);

#endif
