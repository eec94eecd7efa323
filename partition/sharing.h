/* sharing: which ranks of a node are on the same device, and on the same cores. What a rank calls its first device may
 * be another's second, or another card: cluster schedulers show each rank its own. So ranks compare places on the PCI
 * bus and UUIDs, not numbers. */
#ifndef GEMP_PARTITION_SHARING_H
#define GEMP_PARTITION_SHARING_H

#include "comm/comm.h"
#include "device/device.h"

/* Collective over a node. Which of the ranks that choose among the same devices as this one it is, and how many they
 * are: not all ranks of the node, where the scheduler shows each only some. */
void gemp_sharing_place(const gemp_comm *comm, uint64_t choice, int *position, int *count);

/* Collective. Sets shared_by, position and cores of this rank's picks[count], and how many threads this rank may have
 * (core/threads.h): its part of the cores that it is bound to. Warns of GPUs that several ranks share. */
void gemp_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count);

#endif
