/* stream: a text file, plain, gzip or Zstandard, as records with line numbers.
 *
 * A plain file is shared by byte range: a stream over [begin, end) gives the lines that begin there, so that ranges
 * that cover the file give each line once, whoever reads them. Compressed files are read whole, by one rank; so are RFC
 * 4180 CSV files, plain ones too, since a newline inside quotes cannot be told from a record's end in the middle of a
 * file. Records are slices of the stream's buffer: no memory is taken per record. "\r\n", a missing last newline and a
 * UTF-8 byte order mark are accepted; neither is part of a record.
 */

#ifndef GEMP_IO_FILE_STREAM_H
#define GEMP_IO_FILE_STREAM_H

#include "comm/comm.h"
#include "core/memory.h"

#include <stdio.h>

/* Collective. The whole text of `path`, read by rank 0; the caller frees (gemp_free). A file that is not there is
 * GEMP_ENOINPUT; `what` names it in messages ("--config"). */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path);

typedef struct gemp_stream gemp_stream;

#define GEMP_STREAM_END UINT64_MAX

/* What a file is, by its first bytes; a name in .gz or .zst whose content is something else is GEMP_EDATA, as is an
 * empty file; one that is missing or cannot be read is GEMP_ENOINPUT. */
typedef struct gemp_stream_info {
	uint64_t size; /* bytes of the file as stored */
	bool compressed;
} gemp_stream_info;
gemp_code gemp_stream_inspect(const char *path, gemp_stream_info *info);

/* `path` is borrowed. A compressed file: begin 0, end GEMP_STREAM_END. */
gemp_code gemp_stream_open(gemp_stream **out, const char *path, uint64_t begin, uint64_t end);
/* All of it, for who reads it once only: it may be a pipe, of plain text. */
gemp_code gemp_stream_open_once(gemp_stream **out, const char *path);
void gemp_stream_close(gemp_stream *stream); /* takes NULL */
GEMP_RELEASE(gemp_stream_close, gemp_stream *)

/* The next line, or with `quoted` the next RFC 4180 record, which may hold newlines inside quotes; *record is NULL at
 * the end. It may be written to and is valid until the next call; the byte after it is the stream's. A file cut in the
 * middle is GEMP_EDATA. */
gemp_code gemp_stream_next(gemp_stream *stream, bool quoted, char **record, size_t *size);

/* Of the last record: the number of its first line, counted from 1 at the stream's beginning. At the end: lines + 1. */
uint64_t gemp_stream_line(const gemp_stream *stream);

/* Where the next record begins in the text. */
uint64_t gemp_stream_offset(const gemp_stream *stream);

/* SOURCES: the bytes of a file's text, plain, gzip or Zstandard, decompressed on the way.
 *
 * The first bytes of a file say what it is, whatever its name. A plain file may be read from any byte on, a compressed
 * one from its beginning only; a pipe must be plain text and is read once. All functions are local.
 */

typedef enum gemp_compression { GEMP_PLAIN, GEMP_GZIP, GEMP_ZSTD } gemp_compression;

typedef struct gemp_source gemp_source;

/* `path` is borrowed; `begin` is the first byte wanted, 0 unless the file is plain. */
gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin);

void gemp_source_close(gemp_source *source); /* takes NULL */
GEMP_RELEASE(gemp_source_close, gemp_source *)

/* Up to `room` bytes; *size is 0 only at the end. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t room, size_t *size);
/* Where in the stored file reading has come to. */
uint64_t gemp_source_position(const gemp_source *source);

/* XXH3 of the file's bytes as stored, as `xxhsum -H3` gives it. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash);

#endif
