/* gemp/primitives.h: arrays of numbers that are distributed over all ranks and can be sorted or reduced to their
 * distinct numbers. Lists of a graph's edges, and the reversal of edges.
 *
 * If a `settings` argument is NULL, the defaults apply. If a `report` argument is NULL, no report is made. */

#ifndef GEMP_PRIMITIVES_H
#define GEMP_PRIMITIVES_H

#include <gemp/analytics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the numbers of an array: unsigned integers, signed integers and IEEE 754 floats of 32 or 64 bits. */
typedef enum gemp_number_type {
	GEMP_NUMBER_UINT32,
	GEMP_NUMBER_UINT64,
	GEMP_NUMBER_INT32,
	GEMP_NUMBER_INT64,
	GEMP_NUMBER_FLOAT,
	GEMP_NUMBER_DOUBLE,
	/* For files. A binary file has a type. For a text file the library takes the first of u32, i32, u64, i64 and f64
	 * that holds all numbers. */
	GEMP_NUMBER_AUTO,
} gemp_number_type;

/* A distributed array. It is the concatenation of the parts of all ranks in rank order. A part may be empty. */
typedef struct gemp_array gemp_array;

/* Collective. Makes an array of a copy of this rank's values[count]. The type must be the same on all ranks.
 * gemp_array_close frees *out. GEMP_EUSAGE if there is no such type. */
GEMP_API gemp_code gemp_array_open(gemp_array **out, gemp_context *context, gemp_number_type type, const void *values,
                                   size_t count);
/* Collective. Reads an array from a file: text with one number a line (plain, .gz or .zst), a numpy array (.npy), or an
 * HDF5 dataset ("G.h5:/values"). GEMP_EDATA if the type does not hold a number; the message names its line or index. */
GEMP_API gemp_code gemp_array_read(gemp_array **out, gemp_context *context, const char *path, gemp_number_type type);
/* Local. Frees the array; does nothing for NULL. */
GEMP_API void gemp_array_close(gemp_array *array);

/* Local. gemp_array_values returns this rank's part of the array, [*count], which is valid until the array changes or
 * is closed. gemp_array_type returns the type of the numbers. */
GEMP_API const void *gemp_array_values(const gemp_array *array, size_t *count);
GEMP_API gemp_number_type gemp_array_type(const gemp_array *array);

typedef struct gemp_array_settings {
	size_t size;          /* set by gemp_array_settings_init */
	gemp_placement place; /* the device of each rank, or the threads of the host */
	bool descending;      /* for sort: the greatest number comes first */
	bool count_only;      /* for distinct: the array stays as it is, except that -0.0 becomes 0.0 */
	/* File to write: .npy, .h5, .h5:/DATASET, or text for any other name. - is text on stdout. NULL: no file. */
	const char *output;
} gemp_array_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_array_settings_init(gemp_array_settings *settings);

/* If gemp_array_sort or gemp_array_distinct fails, the contents of the array are undefined. */

/* Collective. Sorts the array by radix sort. If N numbers are on R ranks, rank r then has the numbers r N / R to (r +
 * 1) N / R - 1 of the sorted array. -0.0 comes before 0.0, and NaN after infinity. */
GEMP_API gemp_code gemp_array_sort(gemp_array *array, const gemp_array_settings *settings, gemp_report *report);

/* Collective. Keeps each distinct number once, on one rank, in ascending order over the ranks. 0.0 and -0.0 are the
 * same number (0.0), and all NaN are the same number. *distinct becomes the number of distinct numbers on all ranks,
 * unless `distinct` is NULL. */
GEMP_API gemp_code gemp_array_distinct(gemp_array *array, const gemp_array_settings *settings, uint64_t *distinct,
                                       gemp_report *report);

/* Collective. Writes the selected edges to the file settings->output. The columns of a row are source, type, edge and
 * target. The column `edge` is the number of the edge among the edges of its type, which distinguishes parallel edges.
 * Without a file, the pairs of source and target are made only for the figures of the report.
 *
 * If `edges` is NULL, all edges are selected. Direction and weight of the selection have no effect. *edge_count becomes
 * the number of listed edges on all ranks, unless `edge_count` is NULL. */
GEMP_API gemp_code gemp_graph_list_edges(gemp_graph *graph, const gemp_edge_selection *edges,
                                         const gemp_topology_settings *settings, uint64_t *edge_count,
                                         gemp_report *report);

/* Collective. Reverses the selected edges of the graph in place, with their attributes. Undirected edges stay as they
 * are. If `edges` is NULL, all edges are selected. Direction and weight of the selection have no effect. *edge_count
 * becomes the number of reversed edges on all ranks, unless `edge_count` is NULL. GEMP_EUSAGE if the graph has no such
 * type; the graph is then unchanged. After any other failure the graph can only be closed. */
GEMP_API gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_edge_selection *edges,
                                      const gemp_topology_settings *settings, uint64_t *edge_count,
                                      gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
