/* owner_router: sends values from the devices of all ranks to the devices of the ranks that own a vertex of each value,
 * such as the target of an edge.
 *
 *   new -> the caller's kernels fill lists.keys[0] with owners and lists.values[0] with values -> send -> ...
 *
 * The values for a rank keep their order, so the received values have the order of the ranks and then of each rank's
 * list. lists has two buffers of `capacity` elements for owners (u32) and for values. */

#ifndef GEMP_TOPOLOGY_OWNER_ROUTER_H
#define GEMP_TOPOLOGY_OWNER_ROUTER_H

#include "primitive/device_exchange.h"
#include "primitive/sort.h"
#include "topology/csr.h"

typedef struct gemp_owner_router {
	const gemp_comm *comm; /* borrowed, like the device */
	gemp_device *device;
	gemp_toolbox *box;
	gemp_device_exchange *exchange;
	unsigned value_size; /* bytes of a value: 4 or 8 */
	size_t capacity;
	gemp_buffer bounds; /* u64 [ranks + 1] */
	gemp_sort_buffers lists;
	gemp_buffer begins;    /* u32 [ranks + 1] */
	gemp_buffer received;  /* values, after a send */
	uint32_t *list_begin;  /* [ranks + 1] begin of each rank's values in the sorted list */
	uint64_t *sent, *from; /* [ranks] numbers of values to and from each rank */
} gemp_owner_router;

/* Collective. Rank r owns the ids bounds[r] .. bounds[r + 1] - 1. capacity, at least 1, may differ between ranks. */
gemp_code gemp_owner_router_new(gemp_owner_router **out, const gemp_comm *comm, gemp_device *device,
                                const uint64_t *bounds, size_t capacity, unsigned value_size);
/* Collective. NULL is allowed, but then all ranks must pass NULL. */
void gemp_owner_router_free(gemp_owner_router *router);

/* Local. Adds to counts[ranks] how many of the vertices on the device each rank owns. Waits. */
gemp_code gemp_owner_router_count(gemp_owner_router *router, const gemp_buffer *vertices, uint64_t count,
                                  uint64_t *counts);
/* Local. Puts `count` vertices on the device, as 4-byte values, into the lists, from place `at` on. Does not wait. */
gemp_code gemp_owner_router_list(gemp_owner_router *router, const gemp_buffer *vertices, size_t count, size_t at);
/* Collective. Sends the first `count` values of the lists. from[r] of the values in router->received come from rank r.
 * If any rank has failed before, as its `code` says, all ranks return the code of gemp_comm_agree. */
gemp_code gemp_owner_router_send(gemp_owner_router *router, gemp_code code, size_t count);

#endif
