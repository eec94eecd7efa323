/* source: reads the text of a file that is plain, gzip, bzip2 or Zstandard, and decompresses it.
 *
 * The first bytes of a file decide its compression, whatever its name is. A plain file can be read from any byte, and a
 * compressed file only from its beginning. A pipe must be plain text and is read once. All functions are local. */

#ifndef GEMP_IO_FILE_SOURCE_H
#define GEMP_IO_FILE_SOURCE_H

#include "core/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum gemp_compression { GEMP_PLAIN, GEMP_GZIP, GEMP_BZIP2, GEMP_ZSTD } gemp_compression;

typedef struct gemp_source gemp_source;

/* Finds the compression and the stored size of a file. GEMP_EDATA: the file is empty, or is named .gz, .bz2 or .zst
 * with other content. GEMP_ENOINPUT: the file is missing, unreadable or not regular. */
gemp_code gemp_source_inspect(const char *path, gemp_compression *compression, uint64_t *size);

/* `path` is borrowed. begin: the first byte to read; it must be 0 for a compressed file or a pipe. once: the caller
 * reads the file only once, so the file may be a pipe. */
gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin, bool once);
void gemp_source_close(gemp_source *source); /* source may be NULL */
GEMP_RELEASE(gemp_source_close, gemp_source *)

/* Reads up to `capacity` bytes. *size is 0 only at the end of the text. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t capacity, size_t *size);
/* The number of bytes of the stored file that were read from disk, counted from the file's beginning. */
uint64_t gemp_source_position(const gemp_source *source);

/* XXH3 of the stored bytes, as `xxhsum -H3` prints it. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash);
/* The same on this thread alone, with a buffer of GEMP_SOURCE_HASHED bytes. Returns 0 after a failure, and soon after
 * *stop has become true. */
enum { GEMP_SOURCE_HASHED = 1 << 20 };
uint64_t gemp_source_hash_beside(const char *path, char *buffer, const atomic_bool *stop);

#endif
