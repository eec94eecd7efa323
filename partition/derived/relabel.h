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

typedef struct gemp_relabelling {
	const gemp_comm *comm;
	gemp_shard *from, *to; /* `to` has the schema of `from`, and bounds once the ids are known */
	gemp_vertex *id;       /* [from->rows] the new id of each own vertex */
	bool consumes;         /* rows and columns of `from` are freed as soon as they have moved */
} gemp_relabelling;

/* Collective. Records, which are freed, go to the ranks owner[]; *records become those that came, in the order of
 * gemp_exchange_records. owner NULL: there is one rank, and they stay. */
gemp_code gemp_relabel_send(const gemp_comm *comm, void **records, size_t count, size_t size, const int *owner,
                            size_t *received);

/* Collective. `to`, which is {0}, becomes the rows order[0..count) of what comes of `from`, whose row i goes to owner[i] (NULL:
 * one rank). */
gemp_code gemp_relabel_column(const gemp_relabelling *r, gemp_column *to, gemp_column *from, const int *owner,
                              const uint64_t *order, size_t count);
gemp_code gemp_relabel_table(const gemp_relabelling *r, gemp_table *to, gemp_table *from, const int *owner,
                             const uint64_t *order, size_t count);

/* Collective. Rows by source and attributes of one relation. */
gemp_code gemp_relabel_relation(const gemp_relabelling *r, size_t index);

#endif
