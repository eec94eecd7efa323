/* gemp/primitives.h: arrays of numbers over all ranks, sorted or reduced to their distinct numbers; lists of a graph's edges, and a graph
 * with its edges reversed.
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
	GEMP_NUMBER_AUTO, /* of a file: as it has them, and of text the first of u32, i32, u64, i64 and f64 that holds all */
} gemp_number_type;

/* The concatenation of the parts of all ranks, in the order of ranks. A part may be empty. */
typedef struct gemp_array gemp_array;

/* Collective; type is alike on all ranks. Copies this rank's values[count]. GEMP_EUSAGE: no such type. */
GEMP_API gemp_code gemp_array_open(gemp_array **out, gemp_context *context, gemp_number_type type, const void *values,
                                   size_t count);
/* Collective. Reads a file: text with one number a line (plain, .gz or .zst), an array of numpy (.npy), or a dataset of HDF5
 * ("G.h5:/values"). GEMP_EDATA: a number that the type does not hold; the message names its line or index. */
GEMP_API gemp_code gemp_array_read(gemp_array **out, gemp_context *context, const char *path, gemp_number_type type);
/* Local. Takes NULL. */
GEMP_API void gemp_array_close(gemp_array *array);

/* Local. This rank's part, which lives until the array changes or is closed. */
GEMP_API const void *gemp_array_values(const gemp_array *array, size_t *count);
GEMP_API gemp_number_type gemp_array_type(const gemp_array *array);

typedef struct gemp_array_settings {
	size_t size;          /* set by gemp_array_settings_init */
	gemp_placement place; /* on the device of each rank or the threads of the hosts */
	bool descending;      /* sort: the greatest first */
	bool count_only;      /* distinct: keep the array, but for -0.0, which becomes 0.0 */
	const char
		*output; /* file to write, by its ending: .npy, .h5 or .h5:/DATASET, else text; - is stdout; NULL: none */
} gemp_array_settings;

/* Local. */
GEMP_API void gemp_array_settings_init(gemp_array_settings *settings);

/* Collective, both. settings NULL: defaults. report NULL: none is wanted. A failure may leave other values in the array. */

/* Sorts the array by radix sort: of N numbers on R ranks, rank r then has those at r N / R to (r + 1) N / R - 1. -0.0 comes before
 * 0.0, and NaN behind infinity. */
GEMP_API gemp_code gemp_array_sort(gemp_array *array, const gemp_array_settings *settings, gemp_report *report);

/* Keeps each number once, on one rank, in ascending order over the ranks. 0.0 and -0.0 count as one number (0.0), all NaN as another.
 * *distinct: how many there are on all ranks; NULL: not wanted. */
GEMP_API gemp_code gemp_array_distinct(gemp_array *array, const gemp_array_settings *settings, uint64_t *distinct,
                                       gemp_report *report);

/* Collective. Lists the selected edges as rows of source, type, edge (the number among the edges of its type, which tells parallel ones
 * apart) and target in the file settings->output; without it the pairs of source and target are only made, for the figures of the report.
 * edges NULL: all; direction and weight of the selection are not used. *edge_count: on all ranks; NULL: not wanted. */
GEMP_API gemp_code gemp_graph_list_edges(gemp_graph *graph, const gemp_edge_selection *edges,
                                         const gemp_topology_settings *settings, uint64_t *edge_count,
                                         gemp_report *report);

/* Collective. Reverses the selected edges of the graph in place, with their attributes; edges without direction stay as they are.
 * edges NULL: all; direction and weight of the selection are not used. *edge_count: how many were reversed, on all ranks; NULL:
 * not wanted. GEMP_EUSAGE: the graph has no such type, and stays as it was; after any other failure it can only be closed. */
GEMP_API gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_edge_selection *edges,
                                      const gemp_topology_settings *settings, uint64_t *edge_count,
                                      gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
