/* gemp/file.h: small files. Rank 0 reads a file for all ranks. A written file gets its name only when it is
 * complete. */

#ifndef GEMP_FILE_H
#define GEMP_FILE_H

#include <gemp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Local. Checks before long work that `path` can be written later; GEMP_EIO if not. stdout (-) is GEMP_EUSAGE. The
 * message names the path by `what`, such as "--output". */
GEMP_API gemp_code gemp_file_may_write(const char *what, const char *path);

/* Collective. Checks the same for a file of rows. Its name must end in .tsv, .csv, .jsonl or .h5, or be -, which is
 * stdout; otherwise GEMP_EUSAGE. */
GEMP_API gemp_code gemp_file_may_write_rows(const gemp_context *context, const char *what, const char *path);

/* Local. Writes bytes[size] to a temporary file in the folder of `path`, and then renames this file to `path`. GEMP_EIO
 * if writing fails. */
GEMP_API gemp_code gemp_file_replace(const char *path, const void *bytes, size_t size);

/* Collective. Rank 0 reads the file, or its standard input if the path is -, and *out becomes the whole text on all
 * ranks. gemp_text_release frees *out. GEMP_ENOINPUT if there is no such file. Messages name the path by `what`. */
GEMP_API gemp_code gemp_file_read_text(char **out, const gemp_context *context, const char *what, const char *path);

#ifdef __cplusplus
}
#endif

#endif
