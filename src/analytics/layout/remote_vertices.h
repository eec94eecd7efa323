/* remote_vertices: vertices that this rank needs and other ranks own, in the order in which their owners store them.
 *
 * Ids ascend by owner, so a rank requests each owner's vertices as one part of its ascending list. The owner sorts the
 * requested vertices by their local numbers and answers in this order. It keeps the requests, since the requested
 * vertices are the vertices whose values it will send. */

#ifndef GEMP_ANALYTICS_LAYOUT_REMOTE_VERTICES_H
#define GEMP_ANALYTICS_LAYOUT_REMOTE_VERTICES_H

#include "analytics/layout/layout.h"

typedef struct gemp_remote_vertices {
	size_t count;
	uint32_t *id;            /* [count] by owner and then in the owner's order; on entry ascending */
	uint32_t *key_rank;      /* [count] */
	uint32_t *begin;         /* [ranks + 1] first vertex of each owner in id[] */
	uint64_t *request_begin; /* [ranks + 1] first vertex of each requesting rank in requested[] */
	uint32_t *requested;     /* own vertices that other ranks have requested, ascending for each rank */
} gemp_remote_vertices;

/* Collective. On entry `id` and `count` are set, and own vertices have local numbers. Sets the other members. */
gemp_code gemp_remote_vertices_locate(gemp_remote_vertices *remote, const gemp_layout *layout);
void gemp_remote_vertices_free(gemp_remote_vertices *remote);

#endif
