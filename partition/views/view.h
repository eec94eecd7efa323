/* view: the rows of a set of relations in one direction, merged into one CSR of slots. Kernels use no other form of
 * adjacency.
 *
 * The resident rows of a rank are the hot rows and the rank's other own rows. Hot rows are the rows of all slots below
 * residency.hot, whichever rank owns them. They come first, and the other own rows follow by ascending slot. If `hot`
 * is the number of vertices, all rows are resident. The ranks of a node then share one copy if possible
 * (comm/shared.h), and CPU devices read this copy in place. */

#ifndef GEMP_PARTITION_VIEWS_VIEW_H
#define GEMP_PARTITION_VIEWS_VIEW_H

#include "comm/shared.h"
#include "device/device.h"
#include "graph/graph.h"
#include "partition/views/view_lists.h"

typedef struct gemp_residency {
	uint64_t vertices;
	gemp_vertex hot; /* the rows of all slots below `hot` are resident */
	size_t own;      /* number of own slots from `hot` on; their rows are hot .. hot + own - 1 */
	/* [ceil(vertices / 32)][2] the own slots from `hot` on as bits, and their number in the words before */
	uint32_t *words;
	gemp_vertex *own_slots; /* [graph->rows] all own slots, ascending */
	size_t own_count;
	bool node; /* the same on all ranks: all rows are resident only if the ranks of a node share them */
} gemp_residency;

/* A view on the host and, after gemp_view_upload, on a device. */
typedef struct gemp_view {
	size_t rows;     /* number of resident rows */
	uint64_t *begin; /* [rows + 1] */
	/* [begin[rows]] slots, ascending in a row; NULL if only the device has the rows (renumbered_view.h,
	 * gathered_view.h) */
	gemp_vertex *neighbours;
	gemp_edge *edges;    /* [begin[rows]] numbers through all relations; NULL if the key does not ask for edges */
	uint32_t *begin32;   /* `begin` in 32 bits; may be NULL */
	gemp_shared shared;  /* memory of the arrays, or of the offsets alone, if the ranks of the node share it */
	bool loops;          /* some row of this rank has its own vertex as a neighbour */
	gemp_device *device; /* NULL while the view is not uploaded */
	bool wide_positions; /* positions on the device have 64 bits, not 32 */
	gemp_buffer device_begin, device_neighbours, device_edges;
	uint64_t longest_row; /* of a view that renumbered_view.h or gathered_view.h makes */
	/* without `neighbours`: the maximum numbers of neighbours of a row that are less and greater than its own slot */
	uint32_t longest[2];
} gemp_view;

/* Slots number the vertices on devices: by descending degree class, then by id. All ranks compute the same permutation
 * from one gathered byte for each vertex. This numbering has four uses. The hot rows are the first slots, for every
 * replica budget. In a row sorted by slot the neighbours with a smaller slot than the row are a prefix. Order
 * restrictions compare slots. Of two rows the row with the greater slot is the shorter one, except within a class,
 * whose degrees differ by at most an eighth. The price is 8 bytes for each vertex, once for each node whose ranks can
 * share them. */

typedef struct gemp_slot_order {
	uint64_t vertices;
	gemp_vertex *slot_of; /* [vertices] by id */
	gemp_vertex *id_of;   /* [vertices] by slot */
	gemp_shared shared;   /* the memory of both arrays, if the ranks of the node share it */
} gemp_slot_order;

gemp_code gemp_residency_new(gemp_residency *out, const gemp_shard *graph, const gemp_slot_order *order,
                             gemp_vertex hot);
void gemp_residency_free(gemp_residency *residency);

/* Collective. The own rows are made from the loaded relations, and the hot rows come from their owners. All ranks of a
 * node free their views at the same time. If residency->node is true and a node has no window for the rows, *out is {0}
 * on all ranks. */
gemp_code gemp_view_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_slot_order *order,
                        const gemp_residency *residency, const gemp_view_key *key);

/* Collective. Puts the arrays of a view into one block of each node, each aligned for devices that read it in place.
 * The arrays are not initialized. Returns false if the ranks cannot share the block. */
bool gemp_view_share(gemp_view *out, const gemp_comm *comm, size_t rows, size_t entries, bool edges);

/* Collective. Gives a view of all rows its offsets, in memory of the node if the ranks can share it: size[v] entries
 * for own vertex v. The view has no neighbours. The codes are agreed. */
gemp_code gemp_view_offsets_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph,
                                const gemp_slot_order *order, const uint64_t *size);

/* Lengths of a view's rows: the longest one, and the sum of their squares. */
typedef struct gemp_row_lengths {
	uint64_t longest;
	double squares;
} gemp_row_lengths;

/* Local. The sum is the same for every number of threads. */
gemp_row_lengths gemp_view_row_lengths(const gemp_view *view);

/* Local. Returns the bytes of the view on a device. */
uint64_t gemp_view_bytes(const gemp_view *view, bool wide);
/* Local. *bytes becomes the part of the view that counts against this rank's memory on the device. Returns false if an
 * array is larger than the device allows. */
bool gemp_view_device_bytes(const gemp_view *view, const gemp_device *device, bool wide, uint64_t *bytes);

/* Local. Copies the view to the device, unless the view is there already. A CPU device uses the memory of the host. */
gemp_code gemp_view_upload(gemp_view *view, gemp_device *device, bool wide);
void gemp_view_unload(gemp_view *view); /* frees the view's buffers on the device */
void gemp_view_free(gemp_view *view);

/* A degree below 16 is its own class. From 16 on each octave of degrees has 8 classes. Classes are below
 * GEMP_SLOT_CLASSES. The largest degree of a class exceeds the smallest by at most an eighth. */
enum { GEMP_SLOT_CLASSES = 256 };
unsigned gemp_degree_class(uint64_t degree);
uint64_t gemp_degree_class_max(unsigned class);

/* Collective. degree[graph->rows]: degrees of this rank's vertices. All ranks of a node free the order at the same
 * time. */
gemp_code gemp_slot_order_new(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph,
                              const uint64_t *degree);
/* Local. Copies id_of to the device. A CPU device reads shared memory in place. */
gemp_code gemp_slot_order_upload(const gemp_slot_order *order, gemp_device *device, gemp_buffer *id_of);
void gemp_slot_order_free(gemp_slot_order *order);

#endif
