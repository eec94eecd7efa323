/* reverse_device: the reversal of rows on the device of one rank, or on the devices of all ranks together. The edges
 * are sorted by target, stably, and offsets follow from the sorted targets. Between ranks, edges are routed to the
 * owners of their targets in rounds, and each rank then sorts the edges that lead to it. It also declares the
 * result of all reversals. */

#ifndef GEMP_TOPOLOGY_REVERSE_DEVICE_H
#define GEMP_TOPOLOGY_REVERSE_DEVICE_H

#include "comm/exchange.h"
#include "graph/graph.h"
#include "topology/owner_router.h"

/* The result of a reversal on devices or hosts: rows by target. */
typedef struct gemp_reversed_rows {
	size_t rows;
	uint64_t *begin;     /* [rows + 1] */
	gemp_vertex *source; /* [begin[rows]] source of each edge */
	/* [begin[rows]] number of each edge in the rows by source. With several ranks: among the edges that lead to this
	 * rank, in the order of ranks and rows. NULL: not wanted */
	gemp_edge *edge;
	/* [edges of the rows by source] new number of each edge, through all ranks. Only devices make it; NULL: not
	 * wanted */
	gemp_edge *number;
	bool on_device;
	double seconds;       /* seconds in which the device, or the host, worked */
	double transfers;     /* seconds of copies to and from the device */
	double exchange;      /* seconds of exchanges between devices; the seconds of hosts include theirs */
	gemp_traffic traffic; /* traffic of this rank */
} gemp_reversed_rows;

/* Allocates the arrays for so many rows and edges, without number[]; edge[] only if `numbers`. The caller frees
 * *out, even after a failure. */
gemp_code gemp_reversed_rows_new(gemp_reversed_rows *out, size_t rows, size_t edges, bool numbers);
void gemp_reversed_rows_free(gemp_reversed_rows *reversed);

/* Local. Fills the arrays of `out`, which are allocated, and sets on_device, seconds and transfers. There is an edge.
 * numbers: out->number is wanted; it stays NULL if the device has no memory for it. GEMP_ENOMEM also if there are more
 * than gemp_device_max() edges. */
gemp_code gemp_reverse_on_device(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, bool numbers);

/* Collective. Reverses the rows of all ranks, and makes out->number. The router has values of 8 bytes. edges: out->edge
 * is wanted. The caller frees *out, even after a failure. GEMP_ENOMEM also if more than gemp_device_max() edges lead to
 * a rank. */
gemp_code gemp_reverse_on_devices(gemp_reversed_rows *out, gemp_owner_router *router, const gemp_csr *csr, bool edges);

#endif
