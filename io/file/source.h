/* source: the bytes of a file's text, plain, gzip or Zstandard, decompressed while they are read.
 *
 * The first bytes of a file say what it is, whatever its name. A plain file may be read from any byte on, a compressed
 * one from its beginning only; a pipe must be plain text and is read once. All functions are local.
 */

#ifndef GEMP_IO_FILE_SOURCE_H
#define GEMP_IO_FILE_SOURCE_H

#include "core/memory.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum gemp_compression { GEMP_PLAIN, GEMP_GZIP, GEMP_ZSTD } gemp_compression;

typedef struct gemp_source gemp_source;

/* Finds the compression and the stored size of a file. GEMP_EDATA for an empty file, and for a name in .gz or .zst with
 * other content; GEMP_ENOINPUT for a file that is missing, unreadable or not regular. */
gemp_code gemp_source_inspect(const char *path, gemp_compression *compression, uint64_t *size);

/* `path` is borrowed. begin: the first byte to read, 0 unless the file is plain. once: the caller reads the file only
 * once, so it may be a pipe. */
gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin, bool once);
void gemp_source_close(gemp_source *source); /* takes NULL */
GEMP_RELEASE(gemp_source_close, gemp_source *)

/* Reads up to `capacity` bytes; *size is 0 only at the end. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t capacity, size_t *size);
/* The position in the stored file up to which bytes were read. */
uint64_t gemp_source_position(const gemp_source *source);

/* XXH3 of the file's bytes as stored, as `xxhsum -H3` prints it. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash);

#endif
