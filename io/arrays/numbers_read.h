/* numbers_read: the one way from a file to an array of numbers over all ranks. */

#ifndef GEMP_IO_ARRAYS_NUMBERS_READ_H
#define GEMP_IO_ARRAYS_NUMBERS_READ_H

#include "io/arrays/numbers.h"

/* Collective. kind: what the numbers are to be; GEMP_NUMBERS_AUTO: as the file has them, and of text the first of u32,
 * i32, u64, i64 and f64 that holds all. A cell that is no number, or one that the kind does not hold, is GEMP_EDATA
 * with its line and column, or its index. Blank lines are passed over. Every NaN becomes the one of C's NAN. */
gemp_code gemp_number_array_read(gemp_number_array *out, const gemp_comm *comm, const char *place, gemp_key_kind kind);

#endif
