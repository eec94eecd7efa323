/* graph_file_strings: columns of strings in a graph file. Other columns also use its masks of NULL and its codes of
 * categories. Unless their comment says otherwise, functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_STRINGS_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_STRINGS_H

#include "graph/column.h"
#include "io/hdf5/hdf5_dataset.h"

/* A short list of strings. Every rank has the list and rank 0 writes it. Every rank reads it. */
gemp_code gemp_file_put_texts(const gemp_h5 *h5, const char *path, const char *const *texts, size_t count);
gemp_code gemp_file_get_texts(const gemp_h5 *h5, const char *path, gemp_h5_texts *texts);

/* Local. Returns GEMP_EDATA with a message that names the file, the path in it, the damage `what`, and the remedy. */
gemp_code gemp_file_damaged(const gemp_h5 *h5, const char *path, const char *what);

/* Write and read a column of strings, as gemp_file_put_column and gemp_file_get_column (graph_file_tables.h) do. name:
 * that of the dataset; NULL: out of memory. */
gemp_code gemp_file_put_strings(const gemp_h5 *h5, const char *group, const char *strings, const char *name,
                                const gemp_column *column, gemp_h5_slab rows, char **path);
gemp_code gemp_file_get_strings(const gemp_h5 *h5, const char *path, const char *encoding, gemp_column *column,
                                gemp_h5_slab rows);

/* The dataset `mask` in the group `path`, which is true for a row that is NULL. */
gemp_code gemp_file_put_mask(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows);
gemp_code gemp_file_get_mask(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows);

/* Local. Codes have the narrowest type that holds all of them. -1 is NULL. */
gemp_h5_type gemp_file_code_type(uint64_t categories);
void gemp_file_set_code(void *codes, gemp_h5_type type, size_t index, int32_t category);
int64_t gemp_file_get_code(const void *codes, gemp_h5_type type, size_t index);
/* Makes the group of a categorical column and writes its codes[rows.count]. code: as in gemp_h5_write. */
gemp_code gemp_file_put_codes(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_slab rows, gemp_h5_type type,
                              const void *codes);
/* Does the same for `total` codes that are all 0; they take no space. */
gemp_code gemp_file_put_zero_codes(const gemp_h5 *h5, const char *path, uint64_t total, gemp_h5_type type);
/* Reads codes[rows.count], which the caller frees, and their type. */
gemp_code gemp_file_get_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type *type, void **codes);

#endif
