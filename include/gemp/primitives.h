/* gemp/primitives.h: sorts arrays of numbers over all ranks, finds their distinct numbers, and reverses the edges of a graph.
 *
 * An array is the concatenation of the parts of all ranks, in the order of ranks. A part may be empty.
 */

#ifndef GEMP_PRIMITIVES_H
#define GEMP_PRIMITIVES_H

#include <gemp/analytics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of an array: unsigned and signed integers and IEEE 754 floats, of 32 or 64 bits. */
typedef enum gemp_number_type {
	GEMP_NUMBER_UINT32,
	GEMP_NUMBER_UINT64,
	GEMP_NUMBER_INT32,
	GEMP_NUMBER_INT64,
	GEMP_NUMBER_FLOAT,
	GEMP_NUMBER_DOUBLE,
} gemp_number_type;

/* Collective; context, type and descending are alike on all ranks. Sorts the array values[count] of this rank with those of the
 * others by radix sort, on the device or the threads of the host. *out is this rank's part [*out_count] of the sorted array: of N
 * numbers on R ranks, rank r gets those at r N / R to (r + 1) N / R - 1. -0.0 comes before 0.0, and NaN behind infinity.
 * values stay as they are; gemp_array_release frees *out. GEMP_EUSAGE: no such type. */
GEMP_API gemp_code gemp_array_sort(void **out, size_t *out_count, gemp_context *context, gemp_number_type type,
                                   const void *values, size_t count, bool descending);

/* Collective; context and type are alike on all ranks. *out is this rank's part [*out_count] of the distinct numbers, each on one
 * rank, in ascending order over the ranks. 0.0 and -0.0 count as one number (0.0), all NaN as another. values stay as they are;
 * gemp_array_release frees *out. GEMP_EUSAGE: no such type. */
GEMP_API gemp_code gemp_array_distinct(void **out, size_t *out_count, gemp_context *context, gemp_number_type type,
                                       const void *values, size_t count);

/* Local. Frees an array that the library returned; takes NULL. */
GEMP_API void gemp_array_release(void *array);

/* Collective. Reverses the selected edges of the graph in place, with their attributes; edges without direction stay as they are.
 * edges NULL: all; direction and weight of the selection are not used. *edge_count: how many were reversed, on all ranks; NULL:
 * not wanted. GEMP_EUSAGE: the graph has no such type, and stays as it was; after any other failure it can only be closed. */
GEMP_API gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_edge_selection *edges, uint64_t *edge_count);

#ifdef __cplusplus
}
#endif

#endif
