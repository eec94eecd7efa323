/* graph_file_strings: columns of strings, and what other columns share with them. All but the codes are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_STRINGS_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_STRINGS_H

#include "graph/column.h"
#include "io/hdf5/hdf5_dataset.h"

/* Collective. A small list of strings, written by rank 0 and read by all. */
gemp_code gemp_file_put_texts(const gemp_h5 *h5, const char *path, const char *const *texts, size_t count);
gemp_code gemp_file_get_texts(const gemp_h5 *h5, const char *path, gemp_h5_texts *texts);

/* Local. GEMP_EDATA: the file, the path in it, what is wrong with it, and the remedy. */
gemp_code gemp_file_damaged(const gemp_h5 *h5, const char *path, const char *what);

gemp_code gemp_file_put_strings(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                                gemp_h5_slab rows, gemp_text *path);
gemp_code gemp_file_get_strings(const gemp_h5 *h5, const char *path, const char *encoding, gemp_column *column,
                                gemp_h5_slab rows);

/* The dataset `mask` below path: true where the row is NULL. */
gemp_code gemp_file_put_mask(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows);
gemp_code gemp_file_get_mask(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows);

/* Codes of categories, of the narrowest type; -1: NULL. put: the group of the column with its codes. */
gemp_h5_type gemp_file_code_type(uint64_t categories);
void gemp_file_set_code(void *codes, gemp_h5_type type, size_t index, int32_t code);
int64_t gemp_file_get_code(const void *codes, gemp_h5_type type, size_t index);
gemp_code gemp_file_put_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type type,
                              const void *codes);
gemp_code gemp_file_get_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type *type, void **codes);

#endif
