/* numbers_write: an array of numbers, spread over all ranks, as text, .npy or a dataset of HDF5. */

#ifndef GEMP_IO_ARRAYS_NUMBERS_WRITE_H
#define GEMP_IO_ARRAYS_NUMBERS_WRITE_H

#include "comm/comm.h"
#include "primitive/key.h"

/* Local. GEMP_EUSAGE or GEMP_EIO for a place that gemp_number_array_write could not write to. */
gemp_code gemp_number_array_check_output(const gemp_comm *comm, const char *place);

/* Collective. By the ending: .npy, FILE.h5 or FILE.h5:/DATASET (by default /values; f32 becomes f64 there), else text; "-":
 * text on stdout. Of text all bits of floats can be had back. */
gemp_code gemp_number_array_write(const gemp_comm *comm, const char *place, gemp_key_kind kind, const void *values,
                                  size_t count);

#endif
