/* hdf5_attributes: groups, links and attributes of HDF5 files. Unless their comment says otherwise, functions are
 * collective and return the same code on all ranks. All ranks must call them, even if rank 0 alone accesses the
 * file. */

#ifndef GEMP_IO_HDF5_HDF5_ATTRIBUTES_H
#define GEMP_IO_HDF5_HDF5_ATTRIBUTES_H

#include "io/hdf5/hdf5_file.h"

#include <hdf5.h>

/* Makes a group and gives it the attributes encoding-type and encoding-version. The root group "/" exists already and
 * only gets the attributes. */
gemp_code gemp_h5_group(const gemp_h5 *h5, const char *path, const char *encoding, const char *version);

/* ATTRIBUTES. Texts have variable length and are UTF-8. The put functions need an existing object, so their path is not
 * NULL. The get functions return GEMP_EDATA if the attribute is missing or has another type or length. */
gemp_code gemp_h5_has_attribute(const gemp_h5 *h5, const char *path, const char *name, bool *has); /* local */
gemp_code gemp_h5_put_text(const gemp_h5 *h5, const char *path, const char *name, const char *text);
/* Local: gemp_h5_put_encoding writes the attributes encoding-type and encoding-version, and gemp_h5_put_number_local
 * writes a number. All ranks must call them and then agree on the results. */
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

/* Makes the group at `path` and all missing groups above it, with AnnData's encoding of dictionaries. */
gemp_code gemp_h5_make_groups(const gemp_h5 *h5, const char *path);

/* Makes a hard link: `path` becomes a second name of the object `target`. */
gemp_code gemp_h5_link(const gemp_h5 *h5, const char *target, const char *path);
/* *exists: the path exists. A rank that writes through rank 0 (serial HDF5) always gets false. */
gemp_code gemp_h5_exists(const gemp_h5 *h5, const char *path, bool *exists);
/* The names in a group in bytewise order, encoded as by gemp_h5_encode. */
gemp_code gemp_h5_list(const gemp_h5 *h5, const char *group, gemp_h5_texts *names);
/* The paths of all datasets in the file; a dataset with several names is listed once. */
gemp_code gemp_h5_list_datasets(const gemp_h5 *h5, gemp_h5_texts *paths);

#endif
