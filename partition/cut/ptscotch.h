/* ptscotch: a partition by PT-Scotch (Chevalier and Pellegrini 2008), where the program was built with it. */

#ifndef GEMP_PARTITION_CUT_PTSCOTCH_H
#define GEMP_PARTITION_CUT_PTSCOTCH_H

#include "comm/comm.h"
#include "graph/graph.h"

/* What a vertex weighs in a balanced cut is the size of its rows: its entries out and in, and what the row itself
 * costs. */
enum { GEMP_ROW_COST = 4, GEMP_ENTRY_BYTES = 4 }; /* entries; bytes */

/* The same by PT-Scotch alone; the ends of edges are loaded. */
gemp_code gemp_partition_ptscotch(const gemp_comm *comm, const gemp_shard *graph, uint64_t parts, uint32_t *part);

#endif
