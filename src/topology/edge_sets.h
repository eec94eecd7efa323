/* edge_sets: the sets into which a device unites the ends of the edges of one rank, by union-find with atomic hooking
 * (kernels/topology/components.cl). Local. */

#ifndef GEMP_TOPOLOGY_EDGE_SETS_H
#define GEMP_TOPOLOGY_EDGE_SETS_H

#include "core/types.h"
#include "device/launch.h"
#include "topology/csr.h"

typedef enum gemp_set_edges {
	GEMP_NO_SET_EDGES,
	GEMP_SET_EDGES,          /* the edges that have united two sets are wanted */
	GEMP_SET_EDGES_AND_ENDS, /* COMPONENTS_ENDS of components.cl */
} gemp_set_edges;

typedef enum gemp_sets_kernel {
	GEMP_SETS_BEGIN,
	GEMP_SETS_SAMPLE,
	GEMP_SETS_FLATTEN,
	GEMP_SETS_UNITE_ALL,
	GEMP_SETS_MARK,
	GEMP_SETS_HOOK,
	GEMP_SETS_OUTSIDE,
	GEMP_SETS_MARK_SAMPLED,
	GEMP_SETS_KERNELS
} gemp_sets_kernel;

/* Elements are all vertices of the graph: own rows first, then the vertices of higher ranks, then those of lower ranks.
 * This needs 4 bytes for each vertex of all ranks, which is less than a hash table of the remote ends of edges as soon
 * as these are a third of the vertices. */
typedef struct gemp_edge_sets {
	gemp_device *device; /* borrowed */
	cl_uint rows, first, vertices, edges;
	gemp_buffer above;      /* u32 [vertices] the root of each element, which is the lowest element of its set */
	gemp_buffer tree;       /* u64 [vertices] the edge that hooked a former root, or GEMP_NO_EDGE */
	gemp_buffer ends;       /* u32 [vertices][2] the row and the target's element of this edge */
	gemp_buffer with_edges; /* u32 [rows / 32 + 1] a bit for each row that has an edge */
	/* an element of the set whose rows were not copied as a whole (components_sampled.h), or UINT32_MAX */
	cl_uint skipped;
	uint64_t entries; /* number of targets that were copied */
	double transfers; /* seconds of copies */
	double build;     /* seconds of building or loading kernels */
	gemp_timings timings;
	gemp_program program;
	cl_kernel kernels[GEMP_SETS_KERNELS];
} gemp_edge_sets;

/* Makes the arrays of sets for vertices like those of the rows. The caller frees after a failure. */
gemp_code gemp_edge_sets_begin(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, gemp_set_edges edges);
void gemp_edge_sets_free(gemp_edge_sets *sets);
/* Unites the ends of all edges of `count` types. The seconds of the kernels are in timings. */
gemp_code gemp_edge_sets_unite(gemp_edge_sets *sets, const gemp_csr *csr, size_t count);

/* STEPS */

/* Builds the kernels for rows of this form, and begins the sets if they are new. */
gemp_code gemp_edge_sets_build(gemp_edge_sets *sets, const gemp_device_csr *rows);
/* The passes over a sample of two edges of each row, after each of which every element is linked to its root: the first
 * edges, the second edges of every 64th block of rows, and all second edges. Without the pass between, work-items that
 * join large sets contend for their roots: the second edges took 12.8 of 20 ms for R-MAT 24 (H200, 2026-11-30). */
typedef struct gemp_sets_pass {
	cl_uint place, step;
} gemp_sets_pass;
enum { GEMP_SETS_PASSES = 3 };
extern const gemp_sets_pass gemp_sets_passes[GEMP_SETS_PASSES];

/* Sets the bits of the rows that have edges. The kernel is GEMP_SETS_MARK and takes offsets, or GEMP_SETS_MARK_SAMPLED
 * and takes two targets of each row. */
gemp_code gemp_edge_sets_mark(gemp_edge_sets *sets, gemp_sets_kernel kernel, const gemp_buffer *rows);

/* Links every element to its root. */
gemp_code gemp_edge_sets_flatten(gemp_edge_sets *sets);
/* Unites the ends of all edges of some rows, whose numbers are list[rows->rows] (u32), then links every element to its
 * root. */
gemp_code gemp_edge_sets_unite_listed(gemp_edge_sets *sets, const gemp_device_csr *rows, const gemp_buffer *list);

#endif
