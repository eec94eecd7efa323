/* renumber: gives a graph new ids such that the vertices of each part of a partition have consecutive ids. The module
 * also moves a relation to the owners of new ids of any kind, which canonical.c uses. */

#ifndef GEMP_PARTITION_DERIVED_RENUMBER_H
#define GEMP_PARTITION_DERIVED_RENUMBER_H

#include "comm/comm.h"
#include "core/types.h"
#include "graph/graph.h"

/* Collective. part[graph->rows], below `parts`, is the part of each of this rank's vertices. Within a part vertices
 * keep their order. Rows, columns and keys of *out are loaded, and *out records the partition and the method.
 * gemp_partition_assign decides which rank owns which ids. Missing parts of the old graph are loaded. *out does not
 * depend on the number of ranks. */
gemp_code gemp_shard_renumber(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *part,
                              uint64_t parts, const char *method);

/* A shard whose vertices get new ids, and thereby new owners. canonical.c chooses the ids that the builder would give,
 * and renumber.c the ids of a partition. Columns, rows by source and edge attributes move to the ranks that own the new
 * ids. The loader makes the rows by target. Parallel edges keep their order, since all of them come from one rank. */

typedef struct gemp_relabel {
	const gemp_comm *comm;
	gemp_shard *from, *to; /* `to` has the schema of `from`; it has bounds as soon as the ids are known */
	gemp_vertex *id;       /* [from->rows] the new id of each own vertex */
	bool consumes;         /* each column and relation of `from` is freed as soon as it has moved */
} gemp_relabel;

/* Takes {0}. Frees `to` and `id`; a caller that keeps `to` sets it to NULL before. */
void gemp_relabel_free(gemp_relabel *r);
/* Collective. Moves the rows by source and the attributes of one relation. */
gemp_code gemp_relabel_relation(const gemp_relabel *r, size_t index);

#endif
