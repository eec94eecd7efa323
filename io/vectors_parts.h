/* vectors_parts: what the files vectors*.c have in common. */
#ifndef GEMP_IO_VECTORS_PARTS_H
#define GEMP_IO_VECTORS_PARTS_H

#include "io/vectors.h"

/* Collective; each fills x, count, dims and all, and what a text knows beside. */
gemp_code gemp_vectors_read_text(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *key);
gemp_code gemp_vectors_read_npy(gemp_vectors *out, const gemp_comm *comm, const char *path);
gemp_code gemp_vectors_read_h5(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *dataset);

/* Local. Room for this rank's share of `rows` rows of `columns`; GEMP_EDATA for a shape that has no vectors. */
gemp_code gemp_vectors_shape(gemp_vectors *out, const gemp_comm *comm, const char *place, uint64_t rows,
                             uint64_t columns);

#endif
