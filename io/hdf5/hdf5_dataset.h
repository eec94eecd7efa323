/* hdf5_dataset: datasets of one dimension, written and read in parts by all ranks together, with checksums. */

#ifndef GEMP_IO_HDF5_HDF5_DATASET_H
#define GEMP_IO_HDF5_HDF5_DATASET_H

#include "io/hdf5/hdf5_file.h"

#include <hdf5.h>

/* This rank's rows of a table of the whole graph; the parts of the ranks follow one another. */
typedef struct gemp_h5_slab {
	uint64_t total, first, count;
} gemp_h5_slab;

/* Makes the dataset of `total` elements and writes this rank's `count` from `first` on; together the ranks write all,
 * each element once. */
gemp_code gemp_h5_write(const gemp_h5 *h5, const char *path, gemp_h5_type type, uint64_t total, uint64_t first,
                        uint64_t count, const void *data);
/* The same for this rank's rows of a table, as the dataset `name` of a group. */
gemp_code gemp_h5_write_rows(const gemp_h5 *h5, const char *group, const char *name, gemp_h5_type type,
                             gemp_h5_slab rows, const void *data);
gemp_code gemp_h5_info(const gemp_h5 *h5, const char *path, gemp_h5_type *type, uint64_t *total);
/* Reads `count` elements from `first` on, of the type that gemp_h5_info gave. `own` of them, from the first, count for
 * the checksum, which is compared if the `own` of all ranks make up the dataset. */
gemp_code gemp_h5_read(const gemp_h5 *h5, const char *path, gemp_h5_type type, uint64_t first, uint64_t count,
                       uint64_t own, void *data);

/* Local. The part of a dataset's checksum that elements data[count] of `size` bytes from number `first` on have; parts
 * add up. */
uint64_t gemp_h5_checksum(const void *data, size_t size, uint64_t first, uint64_t count);
/* GEMP_EDATA if the checksum of the dataset is another one. */
gemp_code gemp_h5_compare_checksum(const gemp_h5 *h5, const char *path, uint64_t sum);

/* Reads all datasets below the root and compares their checksums. */
gemp_code gemp_h5_verify(const gemp_h5 *h5);

#endif
