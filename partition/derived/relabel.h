/* relabel: a shard whose vertices get new ids, and with these new owners.
 *
 * Two callers choose the ids: canonical (those that the builder would give) and renumber (those of a partition). Here columns,
 * rows by source and edge attributes move to the ranks that own the new ids. Rows by target are left to the loader. Parallel
 * edges keep their order, since they all come from one rank.
 */

#ifndef GEMP_PARTITION_RELABEL_H
#define GEMP_PARTITION_RELABEL_H

#include "comm/comm.h"
#include "core/types.h"
#include "graph/graph.h"

typedef struct gemp_relabel {
	const gemp_comm *comm;
	gemp_shard *from, *to; /* `to` has the schema of `from`, and bounds once the ids are known */
	gemp_vertex *id;       /* [from->rows] the new id of each own vertex */
	bool consumes;         /* rows and columns of `from` are freed as soon as they have moved */
} gemp_relabel;

/* Collective. Rows by source and attributes of one relation. */
gemp_code gemp_relabel_relation(const gemp_relabel *r, size_t index);

#endif
