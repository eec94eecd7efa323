/* hdf5_claim: the shape of a dataset, compared with the bytes that the file stores for it (io/file/claim.h). Local.
 *
 * HDF5 stores a shape without elements: a dataset that was never written has its fill value everywhere. */

#ifndef GEMP_IO_HDF5_HDF5_CLAIM_H
#define GEMP_IO_HDF5_HDF5_CLAIM_H

#include "io/hdf5/hdf5_file.h"

/* Readers call this before they allocate memory for a dataset. name: of the dataset, for messages. GEMP_EDATA: the file
 * stores too few bytes for the shape or for a chunk, or the elements lie in other files (a virtual dataset with
 * sources, external storage), which are not read. */
gemp_code gemp_h5_check_claim(const gemp_h5 *h5, hid_t dataset, const char *name);

#endif
