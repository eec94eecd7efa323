/* canonical_parts: what vertices and edges of a graph on its way to canonical ids share. */
#ifndef GEMP_PARTITION_CANONICAL_PARTS_H
#define GEMP_PARTITION_CANONICAL_PARTS_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_canonising {
	const gemp_comm *comm;
	gemp_graph *from, *to;
	bool string_keys;
	gemp_vertex *id;      /* [from->rows] new ids */
} gemp_canonising;

/* Collective, each. */
gemp_code gemp_canonical_vertices(gemp_canonising *c);
gemp_code gemp_canonical_relation(gemp_canonising *c, size_t relation);

/* Collective. Records, which are freed, to the ranks owner[]; *records are then those that came. owner NULL: there is
 * one rank, and they stay. */
gemp_code gemp_canonical_send(const gemp_comm *comm, void **records, size_t count, size_t size, const int *owner,
                              size_t *came);
/* Collective. *column becomes the rows `order` of what comes; owner as above. */
gemp_code gemp_canonical_column(const gemp_comm *comm, gemp_column *column, const int *owner, const uint64_t *order,
                                size_t count);
/* Local. Answers to records that went to ranks owner[] come by rank, then in order: out[i] becomes that to record i.
 * place[ranks + 1] is zero. */
void gemp_canonical_place(const int *owner, size_t count, const gemp_vertex *answers, size_t *place, size_t ranks,
                          gemp_vertex *out);
/* Collective. out[i] becomes the new id of ids[i]. */
gemp_code gemp_canonical_ask(const gemp_canonising *c, const gemp_vertex *ids, size_t count, gemp_vertex *out);

#endif
