/* hdf5_column: arrays and columns of other programs' HDF5 files, of any type of number and any kind of string.
 * Functions are local: a rank reads the file for itself, which gemp_h5_open_local opened. */

#ifndef GEMP_IO_HDF5_HDF5_COLUMN_H
#define GEMP_IO_HDF5_HDF5_COLUMN_H

#include "graph/column.h"
#include "io/arrays/array_file.h"

/* The dataset `name` of a group as an array of integers, floats or booleans; h5 is borrowed. */
gemp_code gemp_h5_open_array(gemp_array_reader *out, const gemp_h5 *h5, const char *group, const char *name);
/* Rows [first, first + count) of an AnnData column: a dataset of numbers, booleans or strings, or a group of the
 * encoding categorical, nullable-integer or nullable-boolean. NaN is NULL. For other kinds *known is false and *out
 * stays empty. */
gemp_code gemp_h5_column(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                         size_t count, bool *known);
/* The number of elements of a dataset of one dimension. */
gemp_code gemp_h5_length(const gemp_h5 *h5, const char *path, uint64_t *length);
/* The shape of a matrix, which is an attribute of two integers. */
gemp_code gemp_h5_shape(const gemp_h5 *h5, const char *path, const char *name, uint64_t *rows, uint64_t *columns);

#endif
