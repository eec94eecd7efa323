/* hdf5_column: arrays of other programs' HDF5 files, of any number type and kind of string, read by one rank for
 * itself: the file is opened with a communicator of that rank alone. */

#ifndef GEMP_IO_HDF5_HDF5_COLUMN_H
#define GEMP_IO_HDF5_HDF5_COLUMN_H

#include "graph/column.h"
#include "io/arrays/array_file.h"

/* The dataset `name` of a group, of integers, floats or booleans, as an array; h5 is borrowed. */
gemp_code gemp_h5_open_array(gemp_array_reader *out, const gemp_h5 *h5, const char *group, const char *name);
/* Rows [first, first + count) of an AnnData column: a dataset of numbers, booleans or strings, or a group that is
 * categorical, nullable-integer, nullable-boolean. NaN is NULL. *known is false, and nothing made, for other kinds. */
gemp_code gemp_h5_column(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                         size_t count, bool *known);
/* Elements of a dataset of one dimension. */
gemp_code gemp_h5_length(const gemp_h5 *h5, const char *path, uint64_t *length);
/* The attribute's integers, which must be two: the shape of a matrix. */
gemp_code gemp_h5_shape(const gemp_h5 *h5, const char *path, const char *name, uint64_t *rows, uint64_t *columns);

#endif
