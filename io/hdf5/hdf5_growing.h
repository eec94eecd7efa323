/* hdf5_growing: datasets that grow by rows of all ranks, in compressed chunks that all ranks write. Collective.
 *
 * Each addition appends rows of every rank, in rank order. The owners of its full chunks pack them on all threads
 * (hdf5_deflate), rank 0 asks HDF5 for their places (hdf5_places), and each rank writes its chunks there. The bytes of
 * the file depend on the rows alone, not on additions or ranks, since chunks are placed in the order in which rows
 * complete them.
 *
 * A chunk has result_chunk rows (core/limits.h), or eight times as many bytes of strings. The rows after the last full
 * chunk stay on rank 0 until the next addition. A dataset is made when its first chunk is placed. A dataset of fewer
 * elements has one chunk of its own length. */

#ifndef GEMP_IO_HDF5_HDF5_GROWING_H
#define GEMP_IO_HDF5_HDF5_GROWING_H

#include "io/hdf5/growing_addition.h"
#include "io/hdf5/hdf5_file.h"

typedef struct gemp_growing gemp_growing;

/* Each row has an element of each of streams[count], which have path, role and type; the paths are borrowed. h5 is
 * borrowed, a file of gemp_h5_create_placed. The groups of the datasets exist. */
gemp_code gemp_growing_new(gemp_growing **out, const gemp_h5 *h5, const gemp_growing_stream *streams, size_t count);
/* Appends this rank's rows. data[count] are arrays of `rows` elements; NULL: zeros. Offsets are those of this rank's
 * strings, [rows + 1] from 0; NULL: all strings are empty. code: the result of the caller's earlier steps on this rank.
 * After a failure the file can only be discarded. */
gemp_code gemp_growing_add(gemp_growing *growing, gemp_code code, const void *const *data, size_t rows);
/* Writes the last rows. *rows becomes the number of all rows. */
gemp_code gemp_growing_finish(gemp_growing *growing, uint64_t *rows);
/* Local. Also frees after a failure. growing may be NULL. */
void gemp_growing_free(gemp_growing *growing);
GEMP_RELEASE(gemp_growing_free, gemp_growing *)

#endif
