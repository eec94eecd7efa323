/* csr: the rows of one edge type that this rank owns, on the host and on a device, and the same edges as a list of
 * pairs. The rows are borrowed from a graph or from other arrays. */

#ifndef GEMP_TOPOLOGY_CSR_H
#define GEMP_TOPOLOGY_CSR_H

#include "device/program.h"
#include "device/transfer.h"
#include "graph/graph.h"
#include "primitive/device_choice.h"

typedef struct gemp_csr {
	uint64_t vertices; /* number of vertices on all ranks */
	gemp_vertex first; /* id of row 0 */
	size_t rows;
	const uint64_t *begin;     /* [rows + 1] offsets in target[]; begin[0] is 0 */
	const gemp_vertex *target; /* [begin[rows]] ids */
	bool symmetric;            /* each edge is in the rows of both ends, on all ranks */
} gemp_csr;

/* The rows by source of a relation. They must be loaded. */
gemp_csr gemp_csr_out(const gemp_shard *graph, size_t relation);

/* The rows in both directions, merged. They must be loaded. */
gemp_csr gemp_csr_either(const gemp_shard *graph, size_t relation);

static inline uint64_t gemp_csr_edges(const gemp_csr *csr)
{
	return csr->begin[csr->rows];
}

/* Inexpensive checks: offsets begin at 0, and the rows belong to vertices of the graph. */
static inline bool gemp_csr_is_valid(const gemp_csr *csr)
{
	return csr->rows <= csr->vertices && csr->first <= csr->vertices - csr->rows && csr->begin && csr->begin[0] == 0;
}

/* The row of the edge target[edge]. */
size_t gemp_csr_row(const gemp_csr *csr, uint64_t edge);

/* With several types the edges are numbered one type behind the other, from 0 on each rank. Returns the number of edges
 * of all types. */
uint64_t gemp_csr_all_edges(const gemp_csr *csr, size_t count);
/* Returns the type of edge number *edge. *edge becomes the edge's index in the target[] of this type. */
size_t gemp_csr_find(const gemp_csr *csr, size_t count, uint64_t *edge);

/* Rows on a device, and the kernels that work on them. */

/* The number of items (rows and edges) of a worker's share: TOPOLOGY_SHARE of kernels/topology/topology.clh. */
enum { GEMP_ITEMS_PER_WORKER = 512 };

typedef struct gemp_device_csr {
	gemp_device *device; /* borrowed */
	uint32_t rows, first;
	cl_ulong edges;
	bool wide; /* true: begin[] has 64 bits; false: 32 */
	gemp_buffer begin, target;
	uint32_t *begin32; /* begin[] in 32 bits on the host, which a CPU device reads; otherwise NULL */
	double seconds;    /* seconds of copying */
} gemp_device_csr;

/* A CPU device reads csr->target in place. */
gemp_code gemp_device_csr_new(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr);
/* The same in two steps: the offsets, and the targets, whose arrival is watched. */
gemp_code gemp_device_csr_begin(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr);
gemp_code gemp_device_csr_load(gemp_device_csr *on, const gemp_csr *csr, gemp_transfer_arrived *arrived, void *self);
void gemp_device_csr_free(gemp_device_csr *csr);

/* Makes a buffer of targets only. A CPU device reads them in place. The caller frees the buffer, even after a
 * failure. */
gemp_code gemp_device_targets_new(gemp_buffer *out, gemp_device *device, const gemp_vertex *target, size_t count);

/* Builds the program of a kernel file that includes topology.clh. The kernels follow as in gemp_program_build. defines:
 * more options, or NULL. */
#define gemp_device_csr_program(out, csr, file, defines, ...)                                                 \
	gemp_device_csr_program_list((out), (csr), (file), (defines), (const gemp_kernel_entry[]){ __VA_ARGS__ }, \
	                             sizeof((const gemp_kernel_entry[]){ __VA_ARGS__ }) / sizeof(gemp_kernel_entry))
gemp_code gemp_device_csr_program_list(gemp_program *out, const gemp_device_csr *csr, const char *file,
                                       const char *defines, const gemp_kernel_entry *kernels, size_t count);

/* Launch geometry. gemp_device_csr_grid is for a kernel over rows and edges, with the local memory of its last
 * argument, and gemp_device_items_grid for a kernel over so many of these items. gemp_device_grid_over is for a kernel
 * over `count` elements, without local memory. */
typedef struct gemp_device_grid {
	size_t items, group, local;
} gemp_device_grid;
gemp_device_grid gemp_device_csr_grid(const gemp_device_csr *csr);
gemp_device_grid gemp_device_items_grid(const gemp_device *device, uint64_t items);
gemp_device_grid gemp_device_grid_over(const gemp_device *device, size_t count);

/* Rows as a list of edges. Each edge is a pair of source and target. */

typedef struct gemp_edge_pairs_stats {
	bool on_device;
	double seconds;   /* seconds in which the device, or the host, worked */
	double transfers; /* seconds of copies to and from the device */
} gemp_edge_pairs_stats;

/* Collective. Returns GEMP_PLACE_DEVICE if all ranks should list their edges on their devices, or GEMP_PLACE_HOST, for
 * gemp_edge_pairs. */
gemp_placement gemp_edge_pairs_place(const gemp_csr *csr, const gemp_comm *comm, const gemp_device *device,
                                     gemp_placement place);
/* Local. Both arrays are in the host's memory. The device, which may be NULL, is used if `place` demands it, or allows
 * it and there are enough edges to repay the transfer. */
gemp_code gemp_edge_pairs(const gemp_csr *csr, gemp_device *device, gemp_placement place, gemp_edge_pair *pairs,
                          gemp_edge_pairs_stats *figures);

#endif
