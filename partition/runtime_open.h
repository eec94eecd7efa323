/* runtime_open: which ranks of a node are on the same device, and on the same cores. What a rank calls its first device may
 * be another's second, or another card: cluster schedulers show each rank its own. So ranks compare places on the PCI
 * bus and UUIDs, not numbers. */

#ifndef GEMP_PARTITION_RUNTIME_OPEN_H
#define GEMP_PARTITION_RUNTIME_OPEN_H

#include "device/select.h"
#include "partition/runtime.h"

/* Collective over a node. Which of the ranks that choose among the same devices as this one it is, and how many they
 * are: not all ranks of the node, where the scheduler shows each only some. */
void gemp_device_sharing_rank(const gemp_comm *comm, uint64_t choice, int *position, int *count);

/* Collective. Sets shared_by, position and cores of this rank's picks[count], and how many threads this rank may have
 * (core/threads.h): its part of the cores that it is bound to. Warns of GPUs that several ranks share. */
void gemp_device_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count);

/* Collective. Opens this rank's devices (spec as gemp_device_assign). */
gemp_code gemp_runtime_new(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets);
/* The same of the first of this rank's devices; rank 0 warns if there are others. */
gemp_code gemp_runtime_new_one(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets);
void gemp_runtime_free(gemp_runtime *context);

#endif
