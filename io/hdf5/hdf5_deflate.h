/* hdf5_deflate: chunks of datasets, packed as HDF5's own filters shuffle and deflate read them, which every HDF5
 * library has. HDF5 packs on one thread; here each thread has a deflater of its own. Local.
 *
 * A packed chunk is a zlib stream (RFC 1950) of the chunk's byte planes: first byte 0 of all elements, then byte 1, and
 * so on. Elements of one byte are not rearranged. */

#ifndef GEMP_IO_HDF5_HDF5_DEFLATE_H
#define GEMP_IO_HDF5_HDF5_DEFLATE_H

#include "core/memory.h"
#include "io/hdf5/hdf5_file.h"

/* Adds the filters to the creation properties of a dataset of elements of `size` bytes. */
gemp_code gemp_h5_deflate_filters(const gemp_h5 *h5, hid_t creation, size_t size);

typedef struct gemp_deflater gemp_deflater;

/* max_bytes: the bytes of the largest chunk that it packs. */
gemp_code gemp_deflater_new(gemp_deflater **out, size_t max_bytes);
void gemp_deflater_free(gemp_deflater *deflater);
GEMP_RELEASE(gemp_deflater_free, gemp_deflater *)

/* Packs in[count], elements of `size` bytes, count > 0. The result has *bytes bytes and lives until the next call. The
 * same elements give the same bytes. NULL: zlib failed. */
const char *gemp_deflater_pack(gemp_deflater *deflater, const void *in, size_t size, size_t count, size_t *bytes);

#endif
