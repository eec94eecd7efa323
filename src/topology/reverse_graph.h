/* reverse_graph: a graph with its edges turned round. */

#ifndef GEMP_TOPOLOGY_REVERSE_GRAPH_H
#define GEMP_TOPOLOGY_REVERSE_GRAPH_H

#include "comm/exchange.h"
#include "device/tuning.h"
#include "graph/graph.h"

/* What was done for it. */
typedef struct gemp_reverse_stats {
	gemp_count edges; /* that were turned round, of all ranks */
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
