/* slot_order: slots, the numbering that devices use.
 *
 * Slot = rank of a vertex by (degree class, greatest first; id). All ranks compute the same permutation from one
 * gathered byte a vertex, so that on every rank and at every replica budget: hot rows are the first slots, rows sorted
 * by slot have their oriented part as a prefix, order restrictions compare slots, and of two rows the one with the
 * greater slot is (within a class, 9 %) the shorter. Price: 8 bytes a vertex, once a node where its ranks can share
 * them.
 */

#ifndef GEMP_PARTITION_VIEWS_SLOT_ORDER_H
#define GEMP_PARTITION_VIEWS_SLOT_ORDER_H

#include "comm/shared.h"
#include "device/device.h"
#include "graph/graph.h"

typedef struct gemp_slot_order {
	uint64_t vertices;
	gemp_vertex *slot_of; /* [vertices] by id */
	gemp_vertex *id_of;   /* [vertices] by slot */
	gemp_shared shared;   /* where both are, unless this rank has them for itself */
} gemp_slot_order;

/* Degree class: exact below 16, then 8 to an octave; below GEMP_SLOT_CLASSES. The largest degree of a class is at most an
 * eighth more than the smallest. */
enum { GEMP_SLOT_CLASSES = 256 };
unsigned gemp_degree_class(uint64_t degree);
uint64_t gemp_degree_class_max(unsigned class);

/* Collective. degree[graph->rows] of this rank's vertices. To be freed by all ranks of a node at once. */
gemp_code gemp_slot_order_new(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph,
                              const uint64_t *degree);
/* Local. id_of on the device; a CPU device reads what is shared where it is. */
gemp_code gemp_slot_order_upload(const gemp_slot_order *order, gemp_device *device, gemp_buffer *id_of);
void gemp_slot_order_free(gemp_slot_order *order);

#endif
