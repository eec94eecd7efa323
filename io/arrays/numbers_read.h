/* numbers_read: reads a file into an array of numbers that is distributed over all ranks. */

#ifndef GEMP_IO_ARRAYS_NUMBERS_READ_H
#define GEMP_IO_ARRAYS_NUMBERS_READ_H

#include "io/arrays/numbers.h"

/* Collective. kind: the wanted kind of the numbers. With GEMP_NUMBERS_AUTO an array keeps its kind (widened to 32
 * bits), and a text gets the narrowest of u32, i32, u64, i64 and f64 that holds all its numbers. GEMP_EDATA: a cell is
 * no number, or the kind does not hold the number; the message gives line and column, or the index. Blank lines are
 * skipped. Every NaN gets the bits of C's NAN. */
gemp_code gemp_number_array_read(gemp_number_array *out, const gemp_comm *comm, const char *place, gemp_key_kind kind);

#endif
