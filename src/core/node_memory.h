/* node_memory: the memory that this node, and the control group of this process, have left. Linux; elsewhere there is
 * no limit. */

#ifndef GEMP_CORE_NODE_MEMORY_H
#define GEMP_CORE_NODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that processes of this node can get without others being swapped out, or fewer if the control groups of
 * this process allow fewer (a job of SLURM, a container). UINT64_MAX: unknown. */
uint64_t gemp_memory_available(void);
/* The bytes of this process that are in memory. 0: unknown. */
size_t gemp_memory_resident(void);

/* The bytes that the control groups of a process allow beyond what they use; UINT64_MAX if they have no limit. groups:
 * the file that lists them (/proc/self/cgroup). mount: the folder of all groups (/sys/fs/cgroup). */
uint64_t gemp_cgroup_left(const char *groups, const char *mount);

/* The number of processes on this node that allocate alike: the ranks of the job. 1 by default. */
void gemp_memory_share_node(unsigned processes);
/* Whether the node has room for a new block of `bytes`, where this process holds `live` bytes that need not have been
 * touched yet. Small blocks always have. */
bool gemp_node_has_room(size_t live, size_t bytes);

#endif
