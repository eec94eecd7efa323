/* canonical_parts: what vertices and edges of a graph on its way to canonical ids share. */

#ifndef GEMP_PARTITION_DERIVED_CANONICAL_IDS_H
#define GEMP_PARTITION_DERIVED_CANONICAL_IDS_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_canonical_state {
	const gemp_comm *comm;
	gemp_shard *from, *to;
	bool string_keys;
	gemp_vertex *id; /* [from->rows] new ids */
} gemp_canonical_state;

/* Collective, each. */
gemp_code gemp_canonical_vertices(gemp_canonical_state *c);

/* Collective. Records, which are freed, to the ranks owner[]; *records are then those that came. owner NULL: there is
 * one rank, and they stay. */
gemp_code gemp_canonical_send(const gemp_comm *comm, void **records, size_t count, size_t size, const int *owner,
                              size_t *came);
/* Collective. *column becomes the rows `order` of what comes; owner as above. */
gemp_code gemp_canonical_column(const gemp_comm *comm, gemp_column *column, const int *owner, const uint64_t *order,
                                size_t count);

/* Collective. out[i] becomes the new id of ids[i]. */
gemp_code gemp_canonical_request(const gemp_canonical_state *c, const gemp_vertex *ids, size_t count, gemp_vertex *out);

#endif
