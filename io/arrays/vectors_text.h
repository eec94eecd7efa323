#ifndef GEMP_IO_ARRAYS_VECTORS_TEXT_H
#define GEMP_IO_ARRAYS_VECTORS_TEXT_H

#include "io/arrays/vectors.h"

/* Collective; each fills x, count, dims and all, and what a text knows beside. */
gemp_code gemp_vectors_read_text(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *key);

#endif
