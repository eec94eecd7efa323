/* output: files that appear under their name only when they are complete, and standard output.
 *
 * A gemp_output is a file or stdout that all ranks write together. Each call appends one part, in which the blocks of
 * the ranks follow one another in rank order. A gemp_file_writer is a file that one process writes. Functions are local
 * unless their comment says otherwise. */

#ifndef GEMP_IO_FILE_OUTPUT_H
#define GEMP_IO_FILE_OUTPUT_H

#include "comm/comm.h"
#include "core/memory.h"
#include "core/text.h"
#include "gemp/file.h"

#include <stdio.h>

bool gemp_file_ends_in(const char *path, const char *ending);

/* Inserts the number before the ending: "rows.2.tsv" for "rows.tsv" and 2. The number 0 copies the path. A path of NULL
 * gives NULL. The caller frees the result (gemp_free). */
gemp_code gemp_file_numbered(char **out, const char *path, size_t number);

/* Removes a temporary file, and the files that MPI keeps beside it under longer names (its shared file pointer). MPI
 * removes these only when the file is closed, and HDF5 does not close a file after a failed write. */
void gemp_file_discard(const char *temporary);

/* Writes bytes at an offset of a file. After a failure returns false, and errno has the reason. */
bool gemp_file_write_at(int descriptor, const void *bytes, size_t size, uint64_t place);

/* Collective. Makes the temporary name of a file. The name is the same on all ranks, since each rank may open the
 * file. */
gemp_code gemp_output_temporary(const gemp_comm *comm, const char *path, gemp_text *temporary);
/* Collective. Rank 0 renames the temporary file to `path`, or removes it if `code` is an error. The ranks have agreed
 * on `code`. */
gemp_code gemp_output_commit(const gemp_comm *comm, const char *temporary, const char *path, gemp_code code);

typedef struct gemp_output gemp_output;

/* Collective, as all functions of gemp_output except gemp_output_fill and gemp_output_abandon. path "-" is stdout. comm
 * must live until the output is closed. GEMP_EIO: the path cannot be written to; callers open the output before they
 * compute. */
gemp_code gemp_output_open(gemp_output **out, const gemp_comm *comm, const char *path);
/* Appends a part that consists of one block of each rank. `size`, the size of this rank's block, may be 0. */
gemp_code gemp_output_write(gemp_output *output, const void *bytes, size_t size);
/* Writes a block in several calls; stdout cannot do this. First all ranks reserve the sizes of their blocks. Then each
 * rank fills its block by any number of calls. */
void gemp_output_reserve(gemp_output *output, uint64_t size);
gemp_code gemp_output_fill(gemp_output *output, const void *bytes, size_t size); /* local */
/* Renames the file to its final name. After an error the temporary file is removed, and a file that had the name before
 * stays. Frees the output, which may be NULL. */
gemp_code gemp_output_close(gemp_output *output);
/* Local. Removes the temporary file and frees the output, which may be NULL. */
void gemp_output_abandon(gemp_output *output);
GEMP_RELEASE(gemp_output_abandon, gemp_output *)

/* A file of the C library (stdio) under a temporary name. Closing syncs the file and then renames it. */
typedef struct gemp_file_writer {
	FILE *file;
	const char *path; /* borrowed */
	gemp_text temporary;
} gemp_file_writer;
gemp_code gemp_file_writer_open(gemp_file_writer *out, const char *path);
gemp_code gemp_file_writer_close(gemp_file_writer *file, bool whole);

#endif
