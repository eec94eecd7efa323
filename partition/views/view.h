/* view: the rows of a set of relations in one direction, merged into one CSR of slots. Kernels know no other adjacency.
 *
 * Resident rows on a rank: the hot rows (slots below residency.hot, all of them, whoever owns them), then its own rows
 * of greater slots, ascending. If hot equals the number of vertices, all rows are resident; the ranks of a node then
 * share one copy if possible (comm/shared.h), which CPU devices read in place.
 */

#ifndef GEMP_PARTITION_VIEWS_VIEW_H
#define GEMP_PARTITION_VIEWS_VIEW_H

#include "comm/shared.h"
#include "device/device.h"
#include "graph/graph.h"

typedef enum gemp_view_direction { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER } gemp_view_direction;

typedef struct gemp_view_key {
	const bool *relations; /* [graph->relation_count]; borrowed */
	gemp_view_direction direction;
	bool simple; /* loops dropped, parallel edges merged */
	bool edges;  /* the view has edge numbers */
} gemp_view_key;

typedef struct gemp_residency {
	uint64_t vertices;
	gemp_vertex hot;        /* slots below it are resident */
	size_t own;             /* own slots from `hot` on: rows hot .. hot + own - 1 */
	uint32_t *words;        /* [2 * ceil(vertices / 32)]: own slots from hot on as bits, their number before it */
	gemp_vertex *own_slots; /* [graph->rows] all own slots, ascending */
	size_t own_count;
} gemp_residency;

/* A view on the host and, after gemp_view_upload, on a device. */
typedef struct gemp_view {
	size_t rows;             /* resident */
	uint64_t *begin;         /* [rows + 1] */
	gemp_vertex *neighbours; /* [begin[rows]] slots, ascending in a row */
	gemp_edge *edges;        /* [begin[rows]] numbered through all relations; NULL if not wanted */
	uint32_t *begin32;       /* begin in 32 bits; NULL: not made */
	gemp_shared shared;      /* the memory of the arrays if the ranks of the node share them */
	bool loops;              /* some row names itself (this rank's rows) */
	gemp_device *device;     /* NULL: not uploaded */
	bool wide_positions;     /* positions on the device have 64 bits, else 32 */
	gemp_buffer device_begin, device_neighbours, device_edges;
} gemp_view;

/* The parts of relations that views of this direction read. */
unsigned gemp_view_parts(gemp_view_direction direction);

/* Adds the degrees of own vertices in this view to degree[rows]. The parts are loaded. */
void gemp_view_degrees(const gemp_shard *graph, const gemp_view_key *key, uint64_t *degree);

/* Collective. Does the view join a pair of vertices more than once? The parts are loaded. The graph stores the
 * answer. */
gemp_code gemp_view_parallel(const gemp_comm *comm, gemp_shard *graph, const gemp_view_key *key, bool *parallel);

/* Slots are the numbering that devices use: the rank of a vertex by (degree class, greatest first; id). All ranks
 * compute the same permutation from one gathered byte for each vertex. On every rank and for every replica budget hot
 * rows are therefore the first slots, rows sorted by slot have their oriented part as a prefix, order restrictions
 * compare slots, and of two rows the one with the greater slot is (within a class, 9 %) the shorter. The price is 8
 * bytes for each vertex, once for each node whose ranks can share them. */

typedef struct gemp_slot_order {
	uint64_t vertices;
	gemp_vertex *slot_of; /* [vertices] by id */
	gemp_vertex *id_of;   /* [vertices] by slot */
	gemp_shared shared;   /* the memory of both if the ranks of the node share it */
} gemp_slot_order;

gemp_code gemp_residency_new(gemp_residency *out, const gemp_shard *graph, const gemp_slot_order *order,
                             gemp_vertex hot);
void gemp_residency_free(gemp_residency *residency);

/* Collective. Own rows from the loaded relations, hot rows from their owners. To be freed by all ranks of a node at
 * once. */
gemp_code gemp_view_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_slot_order *order,
                        const gemp_residency *residency, const gemp_view_key *key);

/* Local. Bytes of the view on a device. */
uint64_t gemp_view_bytes(const gemp_view *view, bool wide);
/* Local. *bytes: the part of the view that counts against this rank's memory on the device. False: an array is larger
 * than the device allows. */
bool gemp_view_device_bytes(const gemp_view *view, const gemp_device *device, bool wide, uint64_t *bytes);

/* Local. Copies the view to the device unless it is there; a CPU device uses the host's memory. */
gemp_code gemp_view_upload(gemp_view *view, gemp_device *device, bool wide);
void gemp_view_unload(gemp_view *view); /* on the device */
void gemp_view_free(gemp_view *view);

/* Degree class: exact below 16, then 8 to an octave; below GEMP_SLOT_CLASSES. The largest degree of a class is at most
 * an eighth more than the smallest. */
enum { GEMP_SLOT_CLASSES = 256 };
unsigned gemp_degree_class(uint64_t degree);
uint64_t gemp_degree_class_max(unsigned class);

/* Collective. degree[graph->rows] of this rank's vertices. To be freed by all ranks of a node at once. */
gemp_code gemp_slot_order_new(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph,
                              const uint64_t *degree);
/* Local. Copies id_of to the device; a CPU device reads shared memory in place. */
gemp_code gemp_slot_order_upload(const gemp_slot_order *order, gemp_device *device, gemp_buffer *id_of);
void gemp_slot_order_free(gemp_slot_order *order);

#endif
