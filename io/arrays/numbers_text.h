#ifndef GEMP_IO_ARRAYS_NUMBERS_TEXT_H
#define GEMP_IO_ARRAYS_NUMBERS_TEXT_H

#include "comm/comm.h"
#include "io/arrays/numbers.h"

#include <stdio.h>

/* Collective; each fills kind, values, count and bytes. */
gemp_code gemp_number_array_read_text(gemp_number_array *out, const gemp_comm *comm, const char *path,
                                      gemp_key_kind kind);

#endif
