/* hdf5_numbers: integers that files store in as few bytes as they need and memory holds in 64 bits, or in 32 bits
 * without a sign. All threads convert. A kind is GEMP_H5_I8 to GEMP_H5_I64, GEMP_H5_U32 or GEMP_H5_U64. Local. */

#ifndef GEMP_IO_HDF5_HDF5_NUMBERS_H
#define GEMP_IO_HDF5_HDF5_NUMBERS_H

#include "io/hdf5/hdf5_file.h"

/* Element i of an array of a kind. */
int64_t gemp_h5_number_at(const void *array, gemp_h5_kind kind, size_t i);
/* to[count], of a kind, becomes numbers[count] + add. Every sum must fit. */
void gemp_h5_numbers_narrow(void *to, gemp_h5_kind kind, const int64_t *numbers, size_t count, int64_t add);
/* to[count] becomes the numbers of an array of a kind. The arrays do not overlap. */
void gemp_h5_numbers_widen(int64_t *to, const void *from, gemp_h5_kind kind, size_t count);
/* The narrowest signed kind that holds all numbers of all ranks. Collective. */
gemp_h5_kind gemp_h5_numbers_kind(const gemp_comm *comm, const int64_t *numbers, size_t count);

#endif
