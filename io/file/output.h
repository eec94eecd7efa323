/* output: files that appear under their name only when they are complete, and standard output.
 *
 * All ranks write a gemp_output together, which is a file or stdout: each call writes a part, in which the blocks of
 * the ranks follow one another in rank order. gemp_file_writer is a file of one process. Functions are local unless
 * they say otherwise.
 */

#ifndef GEMP_IO_FILE_OUTPUT_H
#define GEMP_IO_FILE_OUTPUT_H

#include "comm/comm.h"
#include "core/memory.h"
#include "core/text.h"
#include "gemp/file.h"

#include <stdio.h>

bool gemp_file_ends_in(const char *path, const char *ending);

/* "rows.2.tsv" for "rows.tsv" and 2; the same path for 0; NULL for NULL. The caller frees (gemp_free). */
gemp_code gemp_file_numbered(char **out, const char *path, size_t number);

/* Removes a temporary file, and the files that MPI keeps beside it under longer names (its shared file pointer). MPI
 * removes them only when the file is closed, and HDF5 does not close a file that it failed to write. */
void gemp_file_discard(const char *temporary);

/* Collective. The temporary name of a file, the same on all ranks, since each may open it. */
gemp_code gemp_output_temporary(const gemp_comm *comm, const char *path, gemp_text *temporary);
/* Collective. Rank 0 gives the file its name, or removes it if `code` (of all ranks) is an error. */
gemp_code gemp_output_commit(const gemp_comm *comm, const char *temporary, const char *path, gemp_code code);

typedef struct gemp_output gemp_output;

/* Collective, as all functions of gemp_output but gemp_output_fill. path "-": stdout. A place that cannot be written to
 * is GEMP_EIO here, before anything is computed. */
gemp_code gemp_output_open(gemp_output **out, const gemp_comm *comm, const char *path);
/* Writes this rank's block of the next part; its size may be 0. comm must live until the output is closed. */
gemp_code gemp_output_write(gemp_output *output, const void *bytes, size_t size);
/* A block of a file (not of stdout) that is made part by part: all ranks first reserve the sizes of their blocks, then
 * each fills its block by any number of calls. */
void gemp_output_reserve(gemp_output *output, uint64_t size);
gemp_code gemp_output_fill(gemp_output *output, const void *bytes, size_t size); /* local */
/* Gives the file its name; after an error there is no file. Frees; takes NULL. */
gemp_code gemp_output_close(gemp_output *output);
/* Local. Removes the temporary file. Frees; takes NULL. */
void gemp_output_abandon(gemp_output *output);
GEMP_RELEASE(gemp_output_abandon, gemp_output *)

/* A file of the C library under a temporary name. Closing syncs it before it gets its name. */
typedef struct gemp_file_writer {
	FILE *file;
	const char *path; /* borrowed */
	gemp_text temporary;
} gemp_file_writer;
gemp_code gemp_file_writer_open(gemp_file_writer *out, const char *path);
gemp_code gemp_file_writer_close(gemp_file_writer *file, bool whole);

#endif
