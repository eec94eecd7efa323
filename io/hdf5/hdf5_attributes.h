/* hdf5_attributes: groups, links and attributes. Functions are collective and return the same code on all ranks unless
 * they say otherwise: all ranks call them, also if rank 0 alone accesses the file. */

#ifndef GEMP_IO_HDF5_HDF5_ATTRIBUTES_H
#define GEMP_IO_HDF5_HDF5_ATTRIBUTES_H

#include "io/hdf5/hdf5_file.h"

#include <hdf5.h>

/* Makes a group ("/" is there already) with the attributes encoding-type and encoding-version. */
gemp_code gemp_h5_group(const gemp_h5 *h5, const char *path, const char *encoding, const char *version);

/* Attributes. Texts are of variable length, UTF-8. put: the object at `path` exists, so the path is not NULL. get:
 * GEMP_EDATA if the attribute is missing, or if its type or length differs. */
gemp_code gemp_h5_has_attribute(const gemp_h5 *h5, const char *path, const char *name, bool *has); /* local */
gemp_code gemp_h5_put_text(const gemp_h5 *h5, const char *path, const char *name, const char *text);
/* The attributes encoding-type and encoding-version, and a number. Local: all ranks call, and agree on the results. */
gemp_code gemp_h5_put_encoding(const gemp_h5 *h5, const char *path, const char *encoding, const char *version);
gemp_code gemp_h5_put_number_local(const gemp_h5 *h5, const char *path, const char *name, uint64_t number);
gemp_code gemp_h5_put_texts(const gemp_h5 *h5, const char *path, const char *name, const char *const *texts,
                            size_t count);
gemp_code gemp_h5_put_number(const gemp_h5 *h5, const char *path, const char *name, uint64_t number);
gemp_code gemp_h5_put_real(const gemp_h5 *h5, const char *path, const char *name, double real);
gemp_code gemp_h5_put_flag(const gemp_h5 *h5, const char *path, const char *name, bool flag);
gemp_code gemp_h5_put_numbers(const gemp_h5 *h5, const char *path, const char *name, const int64_t *numbers,
                              size_t count);
gemp_code gemp_h5_get_text(const gemp_h5 *h5, const char *path, const char *name, char **text);
gemp_code gemp_h5_get_texts(const gemp_h5 *h5, const char *path, const char *name, gemp_h5_texts *texts);
gemp_code gemp_h5_get_number(const gemp_h5 *h5, const char *path, const char *name, uint64_t *number);
gemp_code gemp_h5_get_real(const gemp_h5 *h5, const char *path, const char *name, double *real);
gemp_code gemp_h5_get_flag(const gemp_h5 *h5, const char *path, const char *name, bool *flag);
gemp_code gemp_h5_get_numbers(const gemp_h5 *h5, const char *path, const char *name, int64_t **numbers, size_t *count);

/* Makes the group, and the groups above it that are missing, as dictionaries. */
gemp_code gemp_h5_make_groups(const gemp_h5 *h5, const char *path);

/* A hard link: `path` becomes a second name of the object `target`. */
gemp_code gemp_h5_link(const gemp_h5 *h5, const char *target, const char *path);
/* Does the path exist? With serial HDF5 a rank that writes through rank 0 gets false. */
gemp_code gemp_h5_exists(const gemp_h5 *h5, const char *path, bool *exists);
/* The names in a group in bytewise order, still encoded. */
gemp_code gemp_h5_list(const gemp_h5 *h5, const char *group, gemp_h5_texts *names);
/* Paths of all datasets below the root, each once. */
gemp_code gemp_h5_list_datasets(const gemp_h5 *h5, gemp_h5_texts *paths);

#endif
