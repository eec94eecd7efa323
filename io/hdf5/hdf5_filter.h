/* hdf5_filter: the filter of compressed datasets (bit_planes.h), for HDF5's own functions. Local. */

#ifndef GEMP_IO_HDF5_HDF5_FILTER_H
#define GEMP_IO_HDF5_HDF5_FILTER_H

enum {
	GEMP_H5_FILTER = 32008, /* the number of bitshuffle at the HDF Group */
	/* Bytes of a chunk: less than HDF5's cache of chunks, and such that 32 planes of 4-byte elements begin at different
	 * lines of a 4-KiB page, or they would share the same lines of a cache. */
	GEMP_H5_CHUNK_BYTES = 511 * 2048,
};

/* Registers the filter, if HDF5 has no filter of this number yet. Without it, HDF5 refuses the datasets. */
void gemp_h5_filter_register(void);

#endif
