/* gemp/primitives.h: arrays of numbers over all ranks, sorted or reduced to their distinct numbers; lists of a graph's
 * edges, and a graph with its edges reversed.
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
	GEMP_NUMBER_AUTO, /* for files: the type of a binary file; for text the first of u32, i32, u64, i64 and f64 that holds all numbers */
} gemp_number_type;

/* The concatenation of the parts of all ranks, in the order of ranks. A part may be empty. */
typedef struct gemp_array gemp_array;

/* Collective. Copies this rank's values[count]. The type must be the same on all ranks. gemp_array_close frees *out.
 * GEMP_EUSAGE: no such type. */
GEMP_API gemp_code gemp_array_open(gemp_array **out, gemp_context *context, gemp_number_type type, const void *values,
                                   size_t count);
/* Collective. Reads a file: text with one number a line (plain, .gz or .zst), an array of numpy (.npy), or a dataset of
 * HDF5 ("G.h5:/values"). GEMP_EDATA: a number that the type does not hold; the message names its line or index. */
GEMP_API gemp_code gemp_array_read(gemp_array **out, gemp_context *context, const char *path, gemp_number_type type);
/* Local. Frees the array; does nothing for NULL. */
GEMP_API void gemp_array_close(gemp_array *array);

/* Local. This rank's part, [*count], which is valid until the array changes or is closed; and the type of its
 * numbers. */
GEMP_API const void *gemp_array_values(const gemp_array *array, size_t *count);
GEMP_API gemp_number_type gemp_array_type(const gemp_array *array);

typedef struct gemp_array_settings {
	size_t size;          /* set by gemp_array_settings_init */
	gemp_placement place; /* on the device of each rank or the threads of the hosts */
	bool descending;      /* sort: the greatest number comes first */
	bool count_only;      /* distinct: keep the array, except that -0.0 becomes 0.0 */
	const char *output; /* file to write: .npy, .h5 or .h5:/DATASET, any other name is text; - is stdout; NULL: none */
} gemp_array_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_array_settings_init(gemp_array_settings *settings);

/* For both functions: settings NULL: defaults. report NULL: none is wanted. A failure may leave other values in the
 * array. */

/* Collective. Sorts the array by radix sort. Of N numbers on R ranks, rank r then has the numbers at places r N / R to
 * (r + 1) N / R - 1. -0.0 comes before 0.0, and NaN after infinity. */
GEMP_API gemp_code gemp_array_sort(gemp_array *array, const gemp_array_settings *settings, gemp_report *report);

/* Collective. Keeps each number once, on one rank, in ascending order over the ranks. 0.0 and -0.0 count as the same
 * number (0.0), and so do all NaN. *distinct: the number of distinct numbers on all ranks; NULL: not wanted. */
GEMP_API gemp_code gemp_array_distinct(gemp_array *array, const gemp_array_settings *settings, uint64_t *distinct,
                                       gemp_report *report);

/* Collective. Writes the selected edges to the file settings->output as rows of source, type, edge (its number among
 * the edges of its type, which distinguishes parallel edges) and target. Without a file, the pairs of source and target
 * are only made for the figures of the report. edges NULL: all; direction and weight of the selection are not used.
 * *edge_count: on all ranks; NULL: not wanted. */
GEMP_API gemp_code gemp_graph_list_edges(gemp_graph *graph, const gemp_edge_selection *edges,
                                         const gemp_topology_settings *settings, uint64_t *edge_count,
                                         gemp_report *report);

/* Collective. Reverses the selected edges of the graph in place, with their attributes; edges without direction stay as
 * they are. edges NULL: all; direction and weight of the selection are not used. *edge_count: the number of reversed
 * edges on all ranks; NULL: not wanted. GEMP_EUSAGE: the graph has no such type, and stays as it was; after any other
 * failure it can only be closed. */
GEMP_API gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_edge_selection *edges,
                                      const gemp_topology_settings *settings, uint64_t *edge_count,
                                      gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
