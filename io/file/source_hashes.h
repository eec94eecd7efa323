/* source_hashes: the XXH3 hashes of input files, for the provenance of a graph. A thread computes them while the caller
 * imports the files, since a hash of a file is a chain of steps that one core does.
 *
 * Rank i % ranks hashes file i. Only plain files are hashed by the thread, as reading a pipe would take its bytes from
 * the import. A file that the thread could not hash is hashed by gemp_source_hashes_get, so that messages belong to the
 * caller. */

#ifndef GEMP_IO_FILE_SOURCE_HASHES_H
#define GEMP_IO_FILE_SOURCE_HASHES_H

#include "comm/comm.h"
#include "core/memory.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_source_hashes gemp_source_hashes;

/* Local. Starts the thread. paths[count] is borrowed. */
gemp_code gemp_source_hashes_begin(gemp_source_hashes **out, const gemp_comm *comm, const char *const *paths,
                                   size_t count);
/* Collective. Waits for the thread. out[count] becomes the hash of each file's bytes on all ranks. */
gemp_code gemp_source_hashes_get(gemp_source_hashes *hashes, const gemp_comm *comm, uint64_t *out);
/* Collective. The same without a thread beside the caller, on all threads of the rank that hashes a file. */
gemp_code gemp_source_hashes_make(const gemp_comm *comm, const char *const *paths, size_t count, uint64_t *out);
/* Ends the thread, also in the middle of a file. hashes may be NULL. */
void gemp_source_hashes_free(gemp_source_hashes *hashes);
GEMP_RELEASE(gemp_source_hashes_free, gemp_source_hashes *)

#endif
