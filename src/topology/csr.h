/* csr: the rows of one edge type that this rank owns, on the host and on a device; and the same edges as a list of
 * pairs. The rows are borrowed from a graph or from other arrays. */

#ifndef GEMP_TOPOLOGY_CSR_H
#define GEMP_TOPOLOGY_CSR_H

#include "device/program.h"
#include "device/tuning.h"
#include "graph/graph.h"

typedef struct gemp_csr {
	uint64_t vertices; /* of all ranks */
	gemp_vertex first; /* id of row 0 */
	size_t rows;
	const uint64_t *begin;     /* [rows + 1] from 0 */
	const gemp_vertex *target; /* [begin[rows]] ids */
} gemp_csr;

/* The rows by source of a relation, which are loaded. */
gemp_csr gemp_csr_out(const gemp_shard *graph, size_t relation);

static inline uint64_t gemp_csr_edges(const gemp_csr *csr)
{
	return csr->begin[csr->rows];
}

/* Cheap: offsets begin at 0, and the rows are some of the vertices. */
static inline bool gemp_csr_is_valid(const gemp_csr *csr)
{
	return csr->rows <= csr->vertices && csr->first <= csr->vertices - csr->rows && csr->begin && csr->begin[0] == 0;
}

/* The row that holds an edge, by the edge's place in target[]. */
size_t gemp_csr_row(const gemp_csr *csr, uint64_t edge);

/* Several types: their edges are numbered one type after the other, from 0 on each rank. */
uint64_t gemp_csr_all_edges(const gemp_csr *csr, size_t count);
/* Which type the edge of this number is of; *edge becomes its place there. */
size_t gemp_csr_find(const gemp_csr *csr, size_t count, uint64_t *edge);

/* Rows on a device, and the kernels that go over them. */

/* Items (rows and edges) that a worker takes at a time: TOPOLOGY_SHARE of kernels/topology/topology.clh. */
enum { GEMP_ITEMS_PER_WORKER = 512 };

typedef struct gemp_device_csr {
	gemp_device *device; /* borrowed */
	uint32_t rows, first;
	cl_ulong edges;
	bool wide; /* begin[] in 64 bits, else 32 */
	gemp_buffer begin, target;
	uint32_t *begin32; /* begin[] on the host, for a CPU device; else NULL */
	double seconds;    /* of copying */
} gemp_device_csr;

/* A CPU device reads csr->target where it is. */
gemp_code gemp_device_csr_new(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr);
void gemp_device_csr_free(gemp_device_csr *csr);

/* Targets alone; a CPU device reads them where they are. To be freed also after a failure. */
gemp_code gemp_device_targets_new(gemp_buffer *out, gemp_device *device, const gemp_vertex *target, size_t count);

/* The program of a kernel file that includes topology.clh, and kernels of it as gemp_program_build takes them; defines:
 * more options, or NULL. */
#define gemp_device_csr_program(out, csr, file, defines, ...)                                                 \
	gemp_device_csr_program_list((out), (csr), (file), (defines), (const gemp_kernel_entry[]){ __VA_ARGS__ }, \
	                             sizeof((const gemp_kernel_entry[]){ __VA_ARGS__ }) / sizeof(gemp_kernel_entry))
gemp_code gemp_device_csr_program_list(gemp_program *out, const gemp_device_csr *csr, const char *file,
                                       const char *defines, const gemp_kernel_entry *kernels, size_t count);

/* The launch geometry of a kernel over rows and edges, with the local memory of its last argument; or of a kernel over
 * `count` elements, without local memory. */
typedef struct gemp_device_grid {
	size_t items, group, local;
} gemp_device_grid;
gemp_device_grid gemp_device_csr_grid(const gemp_device_csr *csr);
gemp_device_grid gemp_device_grid_over(const gemp_device *device, size_t count);

/* Rows as a list of edges, each a pair of source and target. */

typedef struct gemp_edge_pairs_stats {
	bool on_device;
	double seconds;   /* that the device worked, or the host */
	double transfers; /* of copies to the device and from it */
} gemp_edge_pairs_stats;

/* Both arrays are the host's. The device is used if `place` and the number of edges make it worth the transfer; it may
 * be NULL. */
gemp_code gemp_edge_pairs(const gemp_csr *csr, gemp_device *device, gemp_placement place, gemp_edge_pair *pairs,
                          gemp_edge_pairs_stats *figures);

#endif
