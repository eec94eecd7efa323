/* gemp/file.h: small files. Rank 0 reads for all ranks, and a written file gets its name only when it is whole.
 */

#ifndef GEMP_FILE_H
#define GEMP_FILE_H

#include <gemp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Local. GEMP_EIO if `path` cannot be written; to be called before long work. what: names the path in the message, as "--output". */
GEMP_API gemp_code gemp_file_may_write(const char *what, const char *path);

/* Collective. The same for a file of rows, whose ending must be .tsv, .csv, .jsonl or .h5 (else GEMP_EUSAGE); - is stdout. */
GEMP_API gemp_code gemp_file_may_write_rows(const gemp_context *context, const char *what, const char *path);

/* Local. `bytes` go to a temporary file beside `path`, which then takes its name. */
GEMP_API gemp_code gemp_file_replace(const char *path, const void *bytes, size_t size);

/* Collective. The whole text of `path`, which rank 0 reads for all; gemp_text_release frees it. A file that is not there is
 * GEMP_ENOINPUT. what: names the path in messages. */
GEMP_API gemp_code gemp_file_read_text(char **out, const gemp_context *context, const char *what, const char *path);

#ifdef __cplusplus
}
#endif

#endif
