/* numbers_parts: what the files numbers*.c have in common. */
#ifndef GEMP_IO_NUMBERS_PARTS_H
#define GEMP_IO_NUMBERS_PARTS_H

#include "io/npy_header.h"
#include "io/numbers.h"

#include <stdbool.h>
#include <stdio.h>

/* Collective; each fills kind, values, count and bytes. */
gemp_code gemp_numbers_read_text(gemp_numbers *out, const gemp_comm *comm, const char *path, gemp_key_kind kind);
gemp_code gemp_numbers_read_npy(gemp_numbers *out, const gemp_comm *comm, const char *path);
gemp_code gemp_numbers_read_h5(gemp_numbers *out, const gemp_comm *comm, const char *path, const char *dataset);

/* "G.h5:/a/b" -> path, which the caller frees, and "/a/b"; dataset NULL: none is named. False: it is no such place. */
bool gemp_numbers_h5_place(const char *place, char **path, const char **dataset);

/* Local. Small numbers become 32 bits wide: kind 'i', 'u', 'f' or 'b', of 1, 2, 4 or 8 bytes. */
gemp_code gemp_numbers_take(gemp_numbers *out, char kind, unsigned width, const void *raw, size_t count);

/* Local. The head of a .npy, and where the elements begin in *data; and whether the file is as long as it says, in *bytes. */
gemp_code gemp_numbers_npy_header(FILE *file, const char *path, gemp_npy_header *header, size_t *data);
gemp_code gemp_numbers_npy_check(FILE *file, const char *path, const gemp_npy_header *header, size_t data, uint64_t *bytes);

/* Local. From the kind that they have to another one. *at: the first that does not fit; count if all do. */
gemp_code gemp_numbers_convert(gemp_numbers *numbers, gemp_key_kind kind, size_t *at);

#endif
