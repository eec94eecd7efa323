/* npy: arrays of numpy (.npy) inside a zip archive (.npz). */
#ifndef GEMP_IO_NPY_H
#define GEMP_IO_NPY_H

#include "io/array.h"
#include "io/zip.h"

/* Local. The array NAME.npy of integers, floats or booleans, of any shape (in the order it is stored); the zip
 * outlives it. One that is missing, or of another kind, is GEMP_EDATA. */
gemp_code gemp_npy_open(gemp_array *out, const gemp_zip *zip, const char *name);
/* The text of a scalar or of one string; the caller frees. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name);

#endif
