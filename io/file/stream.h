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

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The next line, or with `quoted` the next RFC 4180 record, which may hold newlines inside quotes; *record is NULL at
 * the end. It may be written to and is valid until the next call; the byte after it is the stream's. A file cut in the
 * middle is GEMP_EDATA. */
gemp_code gemp_stream_next(gemp_stream *stream, bool quoted, char **record, size_t *size);

/* Of the last record: the number of its first line, counted from 1 at the stream's beginning. At the end: lines + 1. */
uint64_t gemp_stream_line(const gemp_stream *stream);

/* Where the next record begins in the text. */
uint64_t gemp_stream_offset(const gemp_stream *stream);

#endif
