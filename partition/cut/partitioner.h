/* partitioner: divides the vertices into parts, and measures the size of each part and the number of its inner
 * edges. */

#ifndef GEMP_PARTITION_CUT_PARTITIONER_H
#define GEMP_PARTITION_CUT_PARTITIONER_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

enum { GEMP_MAX_PARTITIONS = 1 << 20 };

enum { GEMP_PARTITIONERS = GEMP_PARTITION_PTSCOTCH + 1 };

extern const char *const gemp_partitioner_name[GEMP_PARTITIONERS];

/* Collective. part[graph->rows] becomes the part of each of this rank's vertices. GEMP_PARTITION_RANDOM loads the keys
 * if a partitioner has ordered the graph, and otherwise nothing. GEMP_PARTITION_BLOCK loads the ends of edges and the
 * keys, and GEMP_PARTITION_PTSCOTCH the ends. The latter returns GEMP_EUSAGE if the program was built without
 * PT-Scotch. Random and block parts do not depend on the number of ranks. */
gemp_code gemp_partition_choose(const gemp_comm *comm, gemp_shard *graph, gemp_partitioner method, uint64_t parts,
                                uint32_t *part);

/* The size of a part, summed over all ranks. An edge is inside the part if both of its ends are in the part. */
typedef struct gemp_part_size {
	uint64_t vertices, edges_out, edges_in, inside;
} gemp_part_size;

/* Returns the bytes of a part's rows in both directions. */
uint64_t gemp_part_bytes(const gemp_part_size *size);

/* Collective. sizes[parts] becomes the sizes of all parts. */
gemp_code gemp_partition_measure(const gemp_comm *comm, gemp_shard *graph, const uint32_t *part, uint64_t parts,
                                 gemp_part_size *sizes);

#endif
