/* cores: the part of a node's cores that is this rank's. */
#ifndef GEMP_COMM_CORES_H
#define GEMP_COMM_CORES_H

#include "comm/comm.h"

/* Collective over each node. From now on loops (core/threads.h) use as many threads as the cores that this rank is bound to
 * give each of the ranks that are bound to the same ones; at least one. */
void gemp_comm_share_cores(const gemp_comm *comm);

#endif
