/* circuit_output: writes an Euler circuit or path in two forms. Rows list its edges in their order, with the user's
 * keys. For a small graph a Graphviz drawing shows the circuits before joining, each in its own colour, the circuit
 * graph with its spanning tree, and the edges with their places. */

#ifndef GEMP_EULER_CIRCUIT_OUTPUT_H
#define GEMP_EULER_CIRCUIT_OUTPUT_H

#include "euler/euler.h"

#include <stdio.h>

typedef struct gemp_euler_rows_options {
	/* the ending gives the format: .tsv .csv .jsonl .h5; "-": TSV on stdout; NULL: a preview for people */
	const char *path;
	gemp_table *table; /* receives this rank's rows instead of a file; {0} on entry; NULL: rows go to `path` */
	FILE *preview;     /* rank 0 writes the preview here; NULL on other ranks */
	size_t shown;      /* number of places in the preview */
} gemp_euler_rows_options;

/* Collective. The columns are place, source, type, edge (its number in the order of its type), and target. The order
 * must have its sources, and keys must be loaded. */
gemp_code gemp_euler_rows_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                const gemp_euler_order *order, const gemp_euler_rows_options *options);

/* Collective. The result must have an order and must have been made with keep_circuits, and keys must be loaded. The
 * file gets its name after it is complete. The caller has checked the size (gemp_drawing_check). */
gemp_code gemp_euler_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                   const gemp_euler_result *result, const char *path);

#endif
