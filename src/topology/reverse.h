/* reverse: turns rows by source into rows by target (the transposed matrix). Vertices without incoming edges have empty
 * rows. The edges of a row keep their order, so sources ascend, and parallel edges keep their order.
 *
 * On the host the edges are split into at most 2,048 ranges of targets, and each range is put into rows in a cache, on
 * all threads. On a device the edges are sorted by target. With several ranks each edge is sent to the owner of its
 * target first. */

#ifndef GEMP_TOPOLOGY_REVERSE_H
#define GEMP_TOPOLOGY_REVERSE_H

#include "comm/exchange.h"
#include "device/tuning.h"
#include "graph/graph.h"
#include "topology/csr.h"

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
	gemp_traffic traffic; /* traffic of this rank */
} gemp_reversed_rows;

/* Reverses the rows of a single rank, which has all vertices. device may be NULL. edges: out->edge is wanted. */
gemp_code gemp_reverse(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, gemp_placement place,
                       bool edges);

void gemp_reversed_rows_free(gemp_reversed_rows *reversed);

/* Reversal of a whole graph: afterwards each directed edge leads from its target to its source. */

/* Statistics of a reversal, for the report. */
typedef struct gemp_reverse_stats {
	gemp_count edges; /* number of reversed edges on all ranks */
	uint64_t bytes;   /* bytes of rows that this rank has read and written, each once */
	bool on_device;
	double seconds, transfers; /* as in gemp_reversed_rows */
	gemp_traffic traffic;      /* traffic of this rank, without attributes */
} gemp_reverse_stats;

/* Collective. Reverses the edges of the relations that are set (NULL: of all relations), with their attributes.
 * Vertices and undirected relations stay unchanged. Loads everything that gemp_shard_load_outgoing loads. Afterwards
 * rows by source and by target are loaded, and the graph has a new hash. comm is borrowed until the graph is freed.
 * Several ranks work on their hosts. device may be NULL. */
gemp_code gemp_shard_reverse(gemp_shard *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_placement place, gemp_reverse_stats *figures);

#endif
