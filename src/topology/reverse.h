/* reverse: rows by source as rows by target (the transposed matrix), vertices without edges in kept. The edges of a row are in
 * the order that they had, so that their sources ascend and parallel edges stay as they were.
 *
 * On the host the edges are split into 2,048 ranges of targets, and each range is put into rows in a cache, on all threads. On a
 * device they are sorted by target.
 */
#ifndef GEMP_TOPOLOGY_REVERSE_H
#define GEMP_TOPOLOGY_REVERSE_H

#include "topology/device_csr.h"

typedef struct gemp_reversed {
	size_t rows;
	uint64_t *begin;       /* [rows + 1] */
	gemp_vertex *source;   /* [begin[rows]] of each edge of a row */
	gemp_edge *edge;       /* [begin[rows]] its place in the rows by source; NULL: not asked for */
	bool on_device;
	double seconds;        /* that the device worked, or the host */
	double transfers;      /* of copies to the device and from it */
} gemp_reversed;

/* One rank's whole graph: csr->rows are all vertices. device may be NULL. edges: are their places wanted? */
gemp_code gemp_reverse(gemp_reversed *out, const gemp_csr *csr, gemp_device *device, gemp_where place, bool edges);
void gemp_reversed_free(gemp_reversed *reversed);

#endif
