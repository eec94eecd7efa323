/* vectors_read: tables of text and arrays as vectors over all ranks, each rank its block of rows. */

#ifndef GEMP_IO_ARRAYS_VECTORS_READ_H
#define GEMP_IO_ARRAYS_VECTORS_READ_H

#include "io/arrays/vectors.h"

/* Collective. key: the column of a text, by its name in the header, that holds keys; NULL: as told above. */
gemp_code gemp_vectors_read(gemp_vectors *out, const gemp_comm *comm, const char *place, const char *key);

#endif
