/* types: the integer types of vertices, edges and counts, with their printf formats and limits.
 *
 * The corresponding MPI, HDF5 and OpenCL types have the same suffix. They are declared in headers that may include
 * those libraries: comm/comm.h, io/hdf5/hdf5_file.h, kernels/match/match_abi.h. */

#ifndef GEMP_CORE_TYPES_H
#define GEMP_CORE_TYPES_H

#include <inttypes.h>

typedef uint32_t gemp_vertex; /* an id in the file's order, or a slot; the comment of each use says which */
typedef uint64_t gemp_edge;   /* offset of the relation + position in CSR order */
typedef uint64_t gemp_count;  /* a number of matches */

/* The two ends of an edge, or of another connection from one vertex to another. */
typedef struct gemp_edge_pair {
	gemp_vertex source, target;
} gemp_edge_pair;

#define GEMP_PRIVERTEX PRIu32
#define GEMP_PRICOUNT PRIu64

#define GEMP_NO_VERTEX UINT32_MAX
#define GEMP_NO_EDGE UINT64_MAX
#define GEMP_MAX_VERTICES ((uint64_t)4294967294)

static inline uint64_t gemp_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t gemp_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
