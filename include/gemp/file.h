/* gemp/file.h: small files. Rank 0 reads for all ranks, and a written file gets its name only when it is complete. */

#ifndef GEMP_FILE_H
#define GEMP_FILE_H

#include <gemp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Local. GEMP_EIO if `path` cannot be written; to be called before long work. what: names the path in the message, as
 * "--output". */
GEMP_API gemp_code gemp_file_may_write(const char *what, const char *path);

/* Collective. The same for a file of rows, whose name must end in .tsv, .csv, .jsonl or .h5 (otherwise GEMP_EUSAGE); -
 * is stdout. */
GEMP_API gemp_code gemp_file_may_write_rows(const gemp_context *context, const char *what, const char *path);

/* Local. Writes bytes[size] to a temporary file in the folder of `path`, which then gets that name. GEMP_EIO. */
GEMP_API gemp_code gemp_file_replace(const char *path, const void *bytes, size_t size);

/* Collective. *out becomes the whole text of the file, which rank 0 reads for all; gemp_text_release frees it.
 * GEMP_ENOINPUT: there is no such file. what: names the path in messages. */
GEMP_API gemp_code gemp_file_read_text(char **out, const gemp_context *context, const char *what, const char *path);

#ifdef __cplusplus
}
#endif

#endif
