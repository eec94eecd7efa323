/* source: the bytes of a file's text, plain, gzip or Zstandard, decompressed on the way.
 *
 * The first bytes of a file say what it is, whatever its name. A plain file may be read from any byte on, a compressed one
 * from its beginning only; a pipe must be plain text and is read once. All functions are local.
 */

#ifndef GEMP_IO_FILE_SOURCE_H
#define GEMP_IO_FILE_SOURCE_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum gemp_compression { GEMP_PLAIN, GEMP_GZIP, GEMP_ZSTD } gemp_compression;

/* By the file's first bytes; see gemp_stream_inspect for the errors. */
gemp_code gemp_source_inspect(const char *path, gemp_compression *compression, uint64_t *size);

typedef struct gemp_source gemp_source;

/* `path` is borrowed; `begin` is the first byte wanted, 0 unless the file is plain. */
gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin);
/* From the beginning, and never again: it may be a pipe, of plain text. */
gemp_code gemp_source_open_once(gemp_source **out, const char *path);
void gemp_source_close(gemp_source *source); /* takes NULL */

/* Up to `room` bytes; *size is 0 only at the end. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t room, size_t *size);
/* Where in the stored file reading has come to. */
uint64_t gemp_source_position(const gemp_source *source);

/* XXH3 of the file's bytes as stored, as `xxhsum -H3` gives it. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash);

#endif
