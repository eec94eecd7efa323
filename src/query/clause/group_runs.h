/* group_runs: groups on disk, for groups that do not fit into memory.
 *
 * When a rank's groups exceed its budget, it writes all of them as a run and begins anew. A run has the packets of the
 * groups (group_packets.h) in the order of their hashes, and then its index: for each slice that has groups, the slice
 * and the bytes of its packets. A slice is the groups whose hashes have equal upper 16 bits. At the end all ranks read
 * and merge their runs a range of slices (group_order.h) at a time (external hash aggregation), so that only the groups
 * of these slices are in memory. Each rank owns a part of each range. The index is in the file, too, since a small
 * budget makes thousands of runs; memory has three numbers a run, and one for each slice. Local. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_RUNS_H
#define GEMP_QUERY_CLAUSE_GROUP_RUNS_H

#include "core/scratch_file.h"
#include "query/clause/group_packets.h"

enum { GEMP_GROUP_SLICE_BITS = 16, GEMP_GROUP_SLICES = 1 << GEMP_GROUP_SLICE_BITS };

/* The part of a run that has not been read. */
typedef struct gemp_group_run {
	uint64_t packets;          /* offset of the first packet */
	uint64_t index, index_end; /* offsets of the entries */
} gemp_group_run;

typedef struct gemp_group_runs {
	size_t count, capacity;
	gemp_scratch_file file;
	gemp_group_run *runs;  /* [count] */
	uint64_t *slice_bytes; /* [GEMP_GROUP_SLICES] bytes of the packets of all runs; NULL without runs */
} gemp_group_runs;         /* {0} has no runs */

void gemp_group_runs_free(gemp_group_runs *runs);
/* Writes all groups of the set as a run, and clears the set. */
gemp_code gemp_group_runs_add(gemp_group_runs *runs, gemp_group_set *set);
/* Appends the packets of slices [first, end) of all runs, by owner: rank r owns the r-th part of these slices.
 * sizes[ranks] becomes the bytes for each rank. Calls read ascending ranges without gaps, each once. */
gemp_code gemp_group_runs_read(gemp_group_runs *runs, size_t first, size_t end, size_t ranks, gemp_text *out,
                               size_t *sizes);

#endif
