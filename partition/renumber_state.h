/* renumber_state: what the files of renumber share. */
#ifndef GEMP_PARTITION_RENUMBER_STATE_H
#define GEMP_PARTITION_RENUMBER_STATE_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_renumbering {
	const gemp_comm *comm;
	const gemp_graph *from;
	gemp_graph *to;
	gemp_vertex *id; /* [from->rows] in `to` */
} gemp_renumbering;

/* Local. What all ranks know of a graph but for its vertices and edges: labels, columns and relations by name. */
gemp_code gemp_renumber_schema(gemp_renumbering *all);
/* Collective. Keys, labels and attributes; and the edges of the index-th relation. */
gemp_code gemp_renumber_vertices(gemp_renumbering *all);
gemp_code gemp_renumber_relation(gemp_renumbering *all, size_t index);

/* Local. column becomes its rows order[0..count). */
gemp_code gemp_renumber_pick(gemp_column *column, const uint64_t *order, size_t count);

#endif
