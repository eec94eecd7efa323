/* reverse: turns rows by source into rows by target (the transposed matrix). Vertices without incoming edges have empty
 * rows. The edges of a row keep their order, so sources ascend, and parallel edges keep their order.
 *
 * On the host the edges are split into at most 2,048 ranges of targets, and each range is put into rows in a cache, on
 * all threads. On a device the edges are sorted by target (topology/reverse_device.h). With several ranks each edge is
 * sent to the owner of its target first, from device to device or from host to host. */

#ifndef GEMP_TOPOLOGY_REVERSE_H
#define GEMP_TOPOLOGY_REVERSE_H

#include "device/tuning.h"
#include "topology/csr.h"
#include "topology/reverse_device.h"

/* Reverses the rows of a single rank, which has all vertices. device may be NULL. edges: out->edge is wanted. */
gemp_code gemp_reverse(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, gemp_placement place,
                       bool edges);

/* Reversal of a whole graph: afterwards each directed edge leads from its target to its source. */

/* Statistics of a reversal, for the report. */
typedef struct gemp_reverse_stats {
	gemp_count edges; /* number of reversed edges on all ranks */
	uint64_t bytes;   /* bytes of rows that this rank has read and written, each once */
	bool on_device;
	double seconds, transfers, exchange; /* as in gemp_reversed_rows */
	gemp_traffic traffic;                /* traffic of this rank, without attributes */
} gemp_reverse_stats;

/* Collective. Reverses the edges of the relations that are set (NULL: of all relations), with their attributes.
 * Vertices and undirected relations stay unchanged. Loads everything that gemp_shard_load_outgoing loads. Afterwards
 * rows by source and by target are loaded, and the graph has a new hash. comm is borrowed until the graph is freed.
 * device may be NULL. All ranks work on their devices, or all of them on their hosts. */
gemp_code gemp_shard_reverse(gemp_shard *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_placement place, gemp_reverse_stats *figures);

#endif
