/* hdf5_dataset: datasets of one dimension, written and read in parts by all ranks together, with checksums. Functions
 * are collective and return the same code on all ranks unless they say otherwise. */

#ifndef GEMP_IO_HDF5_HDF5_DATASET_H
#define GEMP_IO_HDF5_HDF5_DATASET_H

#include "io/hdf5/hdf5_file.h"

#include <hdf5.h>

/* This rank's rows [first, first + count) of a table of `total` rows. */
typedef struct gemp_h5_slab {
	uint64_t total, first, count;
} gemp_h5_slab;

/* Reading and writing take a code: what the caller's steps before have returned on this rank. After a failure of any
 * rank nothing is moved, and all ranks return it; data may be NULL on the ranks that have failed. */

/* Makes the dataset of rows.total elements and writes this rank's part data[rows.count]; together the ranks write each
 * element once. */
gemp_code gemp_h5_write(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_type type, gemp_h5_slab rows,
                        const void *data);
/* The same as the dataset `name` of a group. */
gemp_code gemp_h5_write_in(const gemp_h5 *h5, gemp_code code, const char *group, const char *name, gemp_h5_type type,
                           gemp_h5_slab rows, const void *data);
gemp_code gemp_h5_info(const gemp_h5 *h5, const char *path, gemp_h5_type *type, uint64_t *total);
/* Reads elements [first, first + count), which have the type that gemp_h5_info gave. The first `own` of them count for
 * the checksum, which is compared if the `own` of all ranks make up the dataset. */
gemp_code gemp_h5_read(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_type type, uint64_t first,
                       uint64_t count, uint64_t own, void *data);

/* Local. The checksum of elements data[count] of `size` bytes, of which `first` is the number of the first. The
 * checksum of a dataset is the sum of those of its parts. */
uint64_t gemp_h5_checksum(const void *data, size_t size, uint64_t first, uint64_t count);
/* GEMP_EDATA if the dataset's attribute `checksum` differs from `sum`. */
gemp_code gemp_h5_compare_checksum(const gemp_h5 *h5, const char *path, uint64_t sum);

/* Reads all datasets below the root and compares their checksums. */
gemp_code gemp_h5_verify(const gemp_h5 *h5);

#endif
