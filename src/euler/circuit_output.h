/* circuit_output: an Euler circuit or path for its readers: its edges in their order, in the user's keys, as rows; and for Graphviz how
 * the circuit of a small graph came about: the circuits before joining, each in a colour; the circuit graph with its spanning tree;
 * and the edges with their places.
 */

#ifndef GEMP_EULER_CIRCUIT_OUTPUT_H
#define GEMP_EULER_CIRCUIT_OUTPUT_H

#include "euler/euler.h"

#include <stdio.h>

typedef struct gemp_euler_rows_options {
	const char *path;  /* by its ending .tsv .csv .jsonl .h5; "-": TSV on stdout; NULL: the first places, for people */
	gemp_table *table; /* instead of a path: takes this rank's rows; {0} at first; NULL: none */
	FILE *preview;     /* where those are shown: on rank 0, NULL elsewhere */
	size_t shown;
} gemp_euler_rows_options;

/* Collective. Columns: place, source, type, edge (its number in its type's order), target. The order has its sources;
 * keys are loaded. */
gemp_code gemp_euler_rows_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                const gemp_euler_order *order, const gemp_euler_rows_options *options);

enum { GEMP_EULER_DRAWING_MAX = 1000 }; /* edges of a graph that is drawn */

/* GEMP_EDATA where there is too much to draw: before it is looked for. */
gemp_code gemp_euler_drawing_check(const gemp_shard *graph, const gemp_euler_edges *edges, const char *path);

/* Collective. The result was made with `keep` and has an order; keys are loaded. The file appears when it is whole. */
gemp_code gemp_euler_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                   const gemp_euler_result *result, const char *path);

#endif
