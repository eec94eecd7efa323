/* local_file: small text files that rank 0 reads for all, and files that get their name only when they are whole. */

#ifndef GEMP_IO_FILE_LOCAL_FILE_H
#define GEMP_IO_FILE_LOCAL_FILE_H

#include "comm/comm.h"
#include "core/text.h"
#include "gemp/file.h"

#include <stdio.h>

/* Collective. The whole text of `path`, read by rank 0; the caller frees (gemp_free). A file that is not there is
 * GEMP_ENOINPUT; `what` names it in messages ("--config"). */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path);

bool gemp_file_ends_in(const char *path, const char *ending);

/* Local. "rows.2.tsv" for "rows.tsv" and 2; the same for 0; NULL for NULL. The caller frees (gemp_free). */
gemp_code gemp_file_numbered(char **out, const char *path, size_t number);

/* A file is written as "PATH.tmp-PROCESS" and renamed once it is whole, so that nobody finds half of one under its name. Who
 * creates it tells gemp_signals_add_temp, so that a signal that ends the process removes it. All are local. */
gemp_code gemp_file_temporary(gemp_text *name, const char *path, uint64_t process);
/* Gives the file its name, or removes it if `code` is an error; then a signal removes nothing. */
gemp_code gemp_file_commit(const char *temporary, const char *path, gemp_code code);
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
