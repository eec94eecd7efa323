/* hdf5_source: a file that HDF5 reads through our sums (io/file/sealed_file.h). Local.
 *
 * HDF5 gets its bytes from a file driver of ours, so it never sees a byte of a sealed file that has changed: neither
 * structure, which its parser would trust, nor elements of a dataset. Small reads, which structure consists of, are
 * answered from blocks that stay in memory. */

#ifndef GEMP_IO_HDF5_HDF5_SOURCE_H
#define GEMP_IO_HDF5_HDF5_SOURCE_H

#include "io/file/block_cache.h"
#include "io/file/sealed_file.h"

#include <hdf5.h>

typedef struct gemp_h5_source {
	gemp_sealed_file file;
	gemp_block_cache blocks;
	int error; /* of the last read by HDF5 that failed, for gemp_sealed_failed; or 0 */
} gemp_h5_source;

/* The caller frees *out, after HDF5 has closed the file. */
gemp_code gemp_h5_source_open(gemp_h5_source **out, const char *path, bool trust);
void gemp_h5_source_free(gemp_h5_source *source); /* NULL is allowed */

/* Makes H5Fopen with these access properties read from the source, which must live as long as the file is open. Returns
 * a negative number after a failure, as HDF5 does. */
herr_t gemp_h5_source_use(hid_t access, gemp_h5_source *source);

#endif
