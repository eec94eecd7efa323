/* hdf5_points: single elements of datasets of one dimension, by position. Local: no other rank takes part.
 *
 * The first read of a dataset finds its place in the file by HDF5. Later reads need no HDF5: the element is in a block
 * of the file, which stays in memory (io/file/block_cache.h). Only compressed datasets are read a chunk at a time, by
 * the thread that asks. The file stays open as long as the gemp_h5_points lives, so that a file that is
 * renamed over it does not change what is read; HDF5 has the file open only from begin to end of a series of reads.
 * Blocks are compared with the file's seal. The checksums of datasets are not, since no dataset is read as a whole. */

#ifndef GEMP_IO_HDF5_HDF5_POINTS_H
#define GEMP_IO_HDF5_HDF5_POINTS_H

#include "io/file/block_cache.h"
#include "io/hdf5/hdf5_file.h"

/* A dataset whose place is known. */
typedef struct gemp_h5_array {
	char *path; /* owned */
	gemp_h5_type type;
	uint64_t total;
	enum { GEMP_H5_STORED, GEMP_H5_CONSTANT, GEMP_H5_PACKED } form;
	uint64_t offset; /* of the first element in the file; GEMP_H5_STORED */
	char value[8];   /* of every element; GEMP_H5_CONSTANT */
} gemp_h5_array;

typedef struct gemp_h5_points {
	char *path;              /* owned */
	gemp_sealed_file file;   /* closed if the file cannot be opened */
	gemp_block_cache blocks; /* of `file` */
	bool trust;              /* the seal is ignored */
	unsigned series;         /* that have begun and not ended */
	bool open;               /* h5 is open */
	gemp_h5 h5;
	size_t count, capacity;
	gemp_h5_array **arrays; /* [count] owned; blocks of their own, since callers keep pointers to them */
} gemp_h5_points;

/* Opens the file, and copies the path. trust: its seal is ignored. It is no failure if the file cannot be opened. */
gemp_code gemp_h5_points_init(gemp_h5_points *points, const char *path, bool trust);
void gemp_h5_points_free(gemp_h5_points *points);

/* Begins a series of reads, maybe within another one. Returns whether the path still leads to the file that
 * gemp_h5_points_init has opened, and nobody has written into it; within another series it is true. If it is false,
 * nothing may be read. */
bool gemp_h5_points_begin(gemp_h5_points *points);
/* Ends a series of reads that has begun. After the outermost one HDF5 closes the file. */
void gemp_h5_points_end(gemp_h5_points *points);
/* The file as HDF5 has it, opened if need be, for attributes and for compressed datasets. */
gemp_code gemp_h5_points_hdf5(gemp_h5_points *points, const gemp_h5 **out);

/* Finds a dataset. *out stays valid until gemp_h5_points_free. path: NULL if out of memory. */
gemp_code gemp_h5_points_array(gemp_h5_points *points, const char *path, const gemp_h5_array **out);
/* The bytes of elements [first, first + count), not aligned, if they are in memory already; valid until the next read.
 * NULL: read them. */
static inline const char *gemp_h5_points_peek(const gemp_h5_points *points, const gemp_h5_array *array, uint64_t first,
                                              uint64_t count)
{
	return array->form == GEMP_H5_STORED && first <= array->total && count <= array->total - first
	           ? gemp_block_cache_peek(&points->blocks, array->offset + first * array->type.size,
	                                   (size_t)(count * array->type.size))
	           : NULL;
}
/* *bytes becomes those of the elements [*first, *end) that lie with element `at` in one block of the file, not aligned;
 * valid until the next read. NULL: the array is not stored in this way, or the element lies in two blocks. */
gemp_code gemp_h5_points_block(gemp_h5_points *points, const gemp_h5_array *array, uint64_t at, uint64_t *first,
                               uint64_t *end, const char **bytes);
/* Reads elements [first, first + count). */
gemp_code gemp_h5_points_read(gemp_h5_points *points, const gemp_h5_array *array, uint64_t first, uint64_t count,
                              void *data);
/* Reads elements [first, first + count) of an array of integers (GEMP_H5_I8 to GEMP_H5_U64 without GEMP_H5_U8). */
gemp_code gemp_h5_points_integers(gemp_h5_points *points, const gemp_h5_array *array, uint64_t first, size_t count,
                                  int64_t *numbers);

#endif
