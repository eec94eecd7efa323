/* hdf5_column: reads arrays and columns from HDF5 files of other programs, with any type of number and any kind of
 * string. All functions are local: a rank reads the file for itself, after opening it by gemp_h5_open_local. */

#ifndef GEMP_IO_HDF5_HDF5_COLUMN_H
#define GEMP_IO_HDF5_HDF5_COLUMN_H

#include "graph/column.h"
#include "io/arrays/array_file.h"

/* Opens the dataset `name` of a group as an array of integers, floats or booleans. h5 is borrowed. */
gemp_code gemp_h5_open_array(gemp_array_reader *out, const gemp_h5 *h5, const char *group, const char *name);
/* Reads rows [first, first + count) of an AnnData column. The column is a dataset of numbers, booleans or strings, or a
 * group with the encoding categorical, nullable-integer, nullable-boolean or gemp-strings, whose mask is not read.
 * NaN becomes NULL. For any other column *known is false and *out stays empty. */
gemp_code gemp_h5_column(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                         size_t count, bool *known);
/* The number of elements of a dataset with one dimension, or of the strings of a group with the encoding
 * gemp-strings. */
gemp_code gemp_h5_length(const gemp_h5 *h5, const char *path, uint64_t *length);
/* The shape of a matrix, which is stored as an attribute of two integers. */
gemp_code gemp_h5_shape(const gemp_h5 *h5, const char *path, const char *name, uint64_t *rows, uint64_t *columns);

#endif
