/* reversed_rows: the result of a reversal, rows by target. */

#ifndef GEMP_TOPOLOGY_REVERSED_ROWS_H
#define GEMP_TOPOLOGY_REVERSED_ROWS_H

#include "comm/exchange.h"
#include "graph/graph.h"

typedef struct gemp_reversed_rows {
	size_t rows;
	uint64_t *begin;     /* [rows + 1] */
	gemp_vertex *source; /* [begin[rows]] source of each edge */
	/* [begin[rows]] number of each edge in the rows by source. With several ranks: among the edges that lead to this
	 * rank, in the order of ranks and rows. NULL: not wanted */
	gemp_edge *edge;
	bool on_device;
	double seconds;       /* seconds in which the device, or the host, worked */
	double transfers;     /* seconds of copies to and from the device */
	double exchange;      /* seconds of exchanges between devices; the seconds of hosts include theirs */
	gemp_traffic traffic; /* traffic of this rank */
} gemp_reversed_rows;

/* Allocates the arrays for so many rows and edges; edge[] only if `numbers`. The caller frees *out, even after a
 * failure. */
gemp_code gemp_reversed_rows_new(gemp_reversed_rows *out, size_t rows, size_t edges, bool numbers);
void gemp_reversed_rows_free(gemp_reversed_rows *reversed);

#endif
