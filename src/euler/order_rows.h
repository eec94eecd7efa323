/* order_rows: the order of an Euler circuit in terms of the user's keys, one row for each edge. */

#ifndef GEMP_EULER_ORDER_ROWS_H
#define GEMP_EULER_ORDER_ROWS_H

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

#endif
