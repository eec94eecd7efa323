/* follow: rows of matches, told of a graph that has changed: their vertices and edges get the ids and numbers that they
 * have now. */
#ifndef GEMP_REMATCH_FOLLOW_H
#define GEMP_REMATCH_FOLLOW_H

#include "partition/edge_places.h"
#include "partition/patch.h"
#include "query/frame.h"

typedef struct gemp_following {
	const gemp_comm *comm;
	const gemp_edge_places *owners; /* of the graph before */
	const gemp_patched *patched;
	const gemp_graph *graph;        /* as it is now */
	gemp_edge **numbers;            /* [owners->relations][own edges before] numbers through all relations, or
	                                   GEMP_NO_ELEMENT: it has gone. Made and freed here */
} gemp_following;

/* Local. numbers[] */
gemp_code gemp_following_new(gemp_following *out, const gemp_comm *comm, const gemp_edge_places *owners,
                             const gemp_patched *patched, const gemp_graph *graph);
void gemp_following_free(gemp_following *following);
/* Collective. Rows that have lost a vertex or an edge are dropped. The columns are alike on all ranks. */
gemp_code gemp_follow(const gemp_following *following, gemp_frame *frame);

#endif
