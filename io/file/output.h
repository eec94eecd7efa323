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

/* Collective. The temporary name (io/file/local_file.h), the same on all ranks, since each may open the file. */
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

#endif
