/* reverse: rows by source become rows by target (the transposed matrix); vertices without incoming edges have empty
 * rows. The edges of a row keep their order, so their sources ascend and parallel edges stay as they were.
 *
 * On the host the edges are split into 2,048 ranges of targets, and each range is put into rows in a cache, on all
 * threads. On a device they are sorted by target. Across ranks each edge goes to the owner of its target first.
 */

#ifndef GEMP_TOPOLOGY_REVERSE_H
#define GEMP_TOPOLOGY_REVERSE_H

#include "comm/exchange.h"
#include "device/tuning.h"
#include "graph/graph.h"
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

/* One rank's whole graph: csr has the rows of all vertices. device may be NULL. edges: fill out->edge. */
gemp_code gemp_reverse(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, gemp_placement place,
                       bool edges);

void gemp_reversed_rows_free(gemp_reversed_rows *reversed);

/* The same for a whole graph: each directed edge leads from its target to its source afterwards. */

/* Figures of a reversal, for the report. */
typedef struct gemp_reverse_stats {
	gemp_count edges; /* reversed, of all ranks */
	uint64_t bytes;   /* read and written by this rank for their rows, each once */
	bool on_device;
	double seconds, transfers; /* as gemp_reversed_rows has them */
	gemp_traffic traffic;      /* of this rank, without attributes */
} gemp_reverse_stats;

/* Collective. Edges of the relations that are set (NULL: all) lead from their targets to their sources, with their
 * attributes; vertices stay as they are, and so do undirected relations, of which an edge has no direction. Of the
 * graph all is loaded that gemp_shard_load_outgoing loads; afterwards it has everything, and a new hash. comm is
 * borrowed until the graph is freed. Several ranks work on their hosts. device may be NULL. */
gemp_code gemp_shard_reverse(gemp_shard *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_placement place, gemp_reverse_stats *figures);

#endif
