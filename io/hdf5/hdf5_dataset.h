/* hdf5_dataset: datasets of one dimension with checksums, which all ranks write and read together, each rank its part.
 * Unless their comment says otherwise, functions are collective and return the same code on all ranks. */

#ifndef GEMP_IO_HDF5_HDF5_DATASET_H
#define GEMP_IO_HDF5_HDF5_DATASET_H

#include "io/hdf5/hdf5_file.h"

#include <hdf5.h>

/* A rank's rows [first, first + count) of `total` rows. */
typedef struct gemp_h5_slab {
	uint64_t total, first, count;
} gemp_h5_slab;

/* gemp_h5_write and gemp_h5_read take a code: the result of the caller's preceding local steps. If it is a failure on
 * any rank, nothing is moved and all ranks return the failure. A rank with a failure may pass NULL as data. */

/* Makes a dataset of rows.total elements and writes this rank's part data[rows.count]. The parts of all ranks must
 * cover each element once. If h5->constants, and all of many elements are equal numbers, the dataset is made as by
 * gemp_h5_write_constant, but with a checksum. */
gemp_code gemp_h5_write(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_type type, gemp_h5_slab rows,
                        const void *data);
/* Makes the dataset `name` in a group, as gemp_h5_write does. */
gemp_code gemp_h5_write_in(const gemp_h5 *h5, gemp_code code, const char *group, const char *name, gemp_h5_type type,
                           gemp_h5_slab rows, const void *data);
/* Makes a dataset of `total` elements that all equal `value`, an integer. It takes no space: it is a virtual dataset
 * without sources, whose fill value readers get. It has no checksum. */
gemp_code gemp_h5_write_constant(const gemp_h5 *h5, const char *path, gemp_h5_type type, uint64_t total, int64_t value);
gemp_code gemp_h5_info(const gemp_h5 *h5, const char *path, gemp_h5_type *type, uint64_t *total);
/* Reads elements [first, first + count). type: as found by gemp_h5_info. In a file without a seal, the first `own`
 * elements of each rank count for the checksum, which is compared if these elements of all ranks are the whole
 * dataset. */
gemp_code gemp_h5_read(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_type type, uint64_t first,
                       uint64_t count, uint64_t own, void *data);

/* Local. The checksum of data[count], elements of `size` bytes. first: the index of the first element in the dataset.
 * The checksum of a dataset is the sum of the checksums of its parts. */
uint64_t gemp_h5_checksum(const void *data, size_t size, uint64_t first, uint64_t count);
/* GEMP_EDATA: the dataset's attribute `checksum` differs from `sum`. */
gemp_code gemp_h5_compare_checksum(const gemp_h5 *h5, const char *path, uint64_t sum);

/* Local. Opens a dataset of a graph file. Refuses one whose storage does not have the size of its elements: it was
 * never written completely. The caller releases *dataset. */
gemp_code gemp_h5_open_dataset(const gemp_h5 *h5, const char *path, hid_t *dataset, gemp_h5_type *type,
                               uint64_t *total);
/* Local. Whether the elements of a dataset are all equal to its fill value, so that nothing of it is stored. */
bool gemp_h5_is_constant(hid_t dataset);
/* Local. Sets data[count], of an HDF5 type with `size` bytes, to the fill value. */
gemp_code gemp_h5_fill_constant(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, uint64_t count, char *data);

/* Reads all datasets of the file and compares their checksums. */
gemp_code gemp_h5_verify(const gemp_h5 *h5);

#endif
