/* renumber: the same graph with ids such that the vertices of each part of a partition follow one another; and the move
 * of one relation to the ranks of any new ids, which canonical.c uses, too. */

#ifndef GEMP_PARTITION_DERIVED_RENUMBER_H
#define GEMP_PARTITION_DERIVED_RENUMBER_H

#include "comm/comm.h"
#include "core/types.h"
#include "graph/graph.h"

/* Collective. part[graph->rows], below `parts`, is where each of this rank's vertices goes; within a part vertices keep
 * their order. *out has all parts loaded and knows its partition and the method; gemp_partition_assign decides which
 * rank owns which ids. Missing parts of the old graph are loaded. *out does not depend on the number of ranks. */
gemp_code gemp_shard_renumber(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *part,
                              uint64_t parts, const char *method);

/* A shard whose vertices get new ids, and with these new owners. Two callers choose the ids: canonical (those that the
 * builder would give) and renumber (those of a partition). Columns, rows by source and edge attributes move to the
 * ranks that own the new ids. Rows by target are left to the loader. Parallel edges keep their order, since they all
 * come from one rank. */

typedef struct gemp_relabel {
	const gemp_comm *comm;
	gemp_shard *from, *to; /* `to` has the schema of `from`, and bounds once the ids are known */
	gemp_vertex *id;       /* [from->rows] the new id of each own vertex */
	bool consumes;         /* rows and columns of `from` are freed as soon as they have moved */
} gemp_relabel;

/* Takes {0}; frees `to`, unless it was taken, and id. */
void gemp_relabel_free(gemp_relabel *r);
/* Collective. Rows by source and attributes of one relation. */
gemp_code gemp_relabel_relation(const gemp_relabel *r, size_t index);

#endif
