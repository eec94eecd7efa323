/* group_runs: groups on disk, for groups that do not fit into memory.
 *
 * When a rank's groups exceed its budget, it writes all of them as a run and begins anew. A run has the packets of the
 * groups (group_packets.h) in their order; at[] says where the packets of each slice begin, that is of groups whose
 * hashes have equal upper 16 bits. At the end all ranks read and merge their runs a range of blocks (group_order.h) at
 * a time (external hash aggregation), so that only the groups of these blocks are in memory. Each rank owns a range of
 * the slices of each block. Local. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_RUNS_H
#define GEMP_QUERY_CLAUSE_GROUP_RUNS_H

#include "core/scratch_file.h"
#include "query/clause/group_packets.h"

enum { GEMP_GROUP_SLICE_BITS = 16, GEMP_GROUP_SLICES = 1 << GEMP_GROUP_SLICE_BITS };

typedef struct gemp_group_runs {
	size_t count, capacity;
	gemp_scratch_file file;
	uint64_t **at; /* [count][GEMP_GROUP_SLICES + 1] offsets in the file */
} gemp_group_runs; /* {0} has no runs */

void gemp_group_runs_free(gemp_group_runs *runs);
/* Writes all groups of the set as a run, and clears the set. */
gemp_code gemp_group_runs_add(gemp_group_runs *runs, gemp_group_set *set);
/* bytes[GEMP_GROUP_SLICES]: adds the bytes of each slice of all runs. */
void gemp_group_runs_sizes(const gemp_group_runs *runs, uint64_t *bytes);
/* Appends the packets of slices [first, end) of all runs, by owner: rank r owns the r-th part of these slices.
 * sizes[ranks] becomes the bytes for each rank. */
gemp_code gemp_group_runs_read(const gemp_group_runs *runs, size_t first, size_t end, size_t ranks, gemp_text *out,
                               size_t *sizes);

#endif
