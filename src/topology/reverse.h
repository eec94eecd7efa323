/* reverse: rows by source as rows by target (the transposed matrix), vertices without edges in kept. The edges of a row
 * are in the order that they had, so that their sources ascend and parallel edges stay as they were.
 *
 * On the host the edges are split into 2,048 ranges of targets, and each range is put into rows in a cache, on all
 * threads. On a device they are sorted by target. Across ranks each edge goes to the owner of its target first.
 */

#ifndef GEMP_TOPOLOGY_REVERSE_H
#define GEMP_TOPOLOGY_REVERSE_H

#include "comm/exchange.h"
#include "device/tuning.h"
#include "topology/csr.h"

typedef struct gemp_reversed_rows {
	size_t rows;
	uint64_t *begin;     /* [rows + 1] */
	gemp_vertex *source; /* [begin[rows]] of each edge of a row */
	gemp_edge *edge;     /* [begin[rows]] its place in the rows by source; of several ranks, among the edges that
	                          lead to this rank, in the order of ranks and rows. NULL: not asked for */
	bool on_device;
	double seconds;       /* that the device worked, or the host */
	double transfers;     /* of copies to the device and from it */
	gemp_traffic traffic; /* of this rank */
} gemp_reversed_rows;

/* One rank's whole graph: csr->rows are all vertices. device may be NULL. edges: are their places wanted? */
gemp_code gemp_reverse(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, gemp_placement place,
                       bool edges);
/* Collective, on the hosts of all ranks; 8 bytes for each edge that leads to another rank. bounds[ranks + 1]: who owns
 * what. */
gemp_code gemp_reverse_ranks(gemp_reversed_rows *out, const gemp_comm *comm, const uint64_t *bounds,
                             const gemp_csr *csr, bool edges);
void gemp_reversed_rows_free(gemp_reversed_rows *reversed);

#endif
