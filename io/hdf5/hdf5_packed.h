/* hdf5_packed: compressed datasets (bit_planes.h). Local.
 *
 * Such a dataset is cut into chunks of about 1 MiB before compression. Rank 0 alone writes it, in order, and packs
 * chunks on all its threads. Each rank reads the chunks that it needs with all threads, without HDF5. HDF5 reads such
 * a dataset too, since the filter is registered. */

#ifndef GEMP_IO_HDF5_HDF5_PACKED_H
#define GEMP_IO_HDF5_HDF5_PACKED_H

#include "io/hdf5/hdf5_file.h"

/* Makes a compressed dataset of `total` elements, at least one. */
gemp_code gemp_h5_packed_make(const gemp_h5 *h5, const char *path, hid_t type, size_t size, uint64_t total,
                              hid_t *dataset);
bool gemp_h5_is_packed(hid_t dataset);

/* Writes a dataset from its first element to its last one. */
typedef struct gemp_h5_packer {
	const gemp_h5 *h5;
	hid_t dataset;
	size_t size;    /* bytes of an element */
	uint64_t chunk; /* elements of a chunk */
	uint64_t total, written, filled;
	size_t lanes;   /* chunks that are packed together */
	char *elements; /* [lanes * chunk * size], of which `filled` elements wait */
	char *packed;   /* [lanes * bound] */
	size_t *bytes;  /* [lanes] packed size of each chunk */
	char *planes;   /* [threads * chunk * size] */
} gemp_h5_packer;

gemp_code gemp_h5_packer_init(gemp_h5_packer *packer, const gemp_h5 *h5, hid_t dataset, size_t size, uint64_t total);
gemp_code gemp_h5_packer_add(gemp_h5_packer *packer, const char *data, uint64_t count);
void gemp_h5_packer_free(gemp_h5_packer *packer);

/* Reads elements [first, first + count) into `data`. *sum becomes the checksum of the first `own` of them. */
gemp_code gemp_h5_packed_read(const gemp_h5 *h5, const char *path, hid_t dataset, size_t size, uint64_t first,
                              uint64_t count, uint64_t own, void *data, uint64_t *sum);

#endif
