/* types: the integer roles, each with its printf form and limits.
 *
 * The corresponding MPI, HDF5 and OpenCL types have the same suffix and stand in the headers that may include those
 * libraries: comm/comm.h, io/hdf5/hdf5_file.h, kernels/match/match_abi.h.
 */

#ifndef GEMP_CORE_TYPES_H
#define GEMP_CORE_TYPES_H

#include <inttypes.h>

typedef uint32_t gemp_vertex; /* an id in the file's order, or a slot: the comment at its use says which */
typedef uint64_t gemp_edge;   /* relation offset + position in CSR order */
typedef uint64_t gemp_count;  /* of matches; overflow is detected, see gemp_count_add */

/* The ends of an edge, or of whatever else leads from one vertex to another. */
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
