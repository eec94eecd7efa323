/* output: one text file, or stdout, written by all ranks together.
 *
 * Blocks of all ranks follow one another in rank order. A file is written under a temporary name beside its own, by each
 * rank at its own place, and gets its name when it is whole; stdout is written by rank 0, which receives the blocks of the
 * others in pieces. All functions are collective.
 */

#ifndef GEMP_IO_FILE_OUTPUT_H
#define GEMP_IO_FILE_OUTPUT_H

#include "comm/comm.h"
#include "core/text.h"
#include "gemp/file.h"

#include <stdio.h>

/* Collective. The temporary name (io/file/output.h), the same on all ranks, since each may open the file. */
gemp_code gemp_output_temporary(const gemp_comm *comm, const char *path, gemp_text *temporary);
/* Collective. Rank 0 gives the file its name, or removes it if `code` (of all ranks) is an error. */
gemp_code gemp_output_commit(const gemp_comm *comm, const char *temporary, const char *path, gemp_code code);

typedef struct gemp_output gemp_output;

/* path "-": stdout. A place that cannot be written to is GEMP_EIO here, before anything is computed. */
gemp_code gemp_output_open(gemp_output **out, const gemp_comm *comm, const char *path);
/* This rank's block of the next part; any size, also none. comm must live until the output is closed. */
gemp_code gemp_output_write(gemp_output *output, const void *bytes, size_t size);
/* A block that comes in pieces, of a file (not stdout): its size, on all ranks, then the pieces, in any number. */
void gemp_output_reserve(gemp_output *output, uint64_t size);
gemp_code gemp_output_fill(gemp_output *output, const void *bytes, size_t size); /* local */
/* Gives the file its name; an error leaves none. Frees; takes NULL. */
gemp_code gemp_output_close(gemp_output *output);
/* Removes what was written. Frees; takes NULL. */
void gemp_output_abandon(gemp_output *output);

/* local_file: small text files that rank 0 reads for all, and files that get their name only when they are whole. */

bool gemp_file_ends_in(const char *path, const char *ending);

/* Local. "rows.2.tsv" for "rows.tsv" and 2; the same for 0; NULL for NULL. The caller frees (gemp_free). */
gemp_code gemp_file_numbered(char **out, const char *path, size_t number);

/* Removes the file, and what MPI keeps beside it under longer names (where its shared file pointer is): MPI takes these away
 * when it closes the file, which HDF5 does not do after it has failed to write. */
void gemp_file_discard(const char *temporary);

/* Local. A file of the C library under a temporary name. Closing syncs it before it gets its name. */
typedef struct gemp_file_writer {
	FILE *file;
	const char *path; /* borrowed */
	gemp_text temporary;
} gemp_file_writer;
gemp_code gemp_file_writer_open(gemp_file_writer *out, const char *path);
gemp_code gemp_file_writer_close(gemp_file_writer *file, bool whole);

#endif
