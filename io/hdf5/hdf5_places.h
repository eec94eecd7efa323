/* hdf5_places: files for which HDF5 only finds the places of chunks. Local.
 *
 * HDF5 calls a driver to read and write a file (its virtual file layer). The driver of this module writes as HDF5's own
 * driver does, except for a chunk of gemp_h5_place_chunk: it notes where HDF5 puts the chunk, and the caller writes the
 * chunk's bytes there. So rank 0 alone calls HDF5, which may be serial, and all ranks write chunks at the same time. */

#ifndef GEMP_IO_HDF5_HDF5_PLACES_H
#define GEMP_IO_HDF5_HDF5_PLACES_H

#include <hdf5.h>
#include <stdint.h>

/* Like functions of HDF5, these return a negative number after a failure, and the error stack has the reason. */

/* A file that is opened with these access properties has the driver. */
herr_t gemp_h5_places_access(hid_t access);

/* Gives a chunk of `bytes` packed bytes a place in a file of the driver. first: the chunk's first element, which lies
 * within the dataset's extent. *place becomes the offset at which the file must get the bytes before it is closed. */
herr_t gemp_h5_place_chunk(hid_t file, hid_t dataset, uint64_t first, size_t bytes, uint64_t *place);

#endif
