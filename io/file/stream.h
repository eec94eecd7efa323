/* stream: a text file, plain, gzip or Zstandard, as records with line numbers or as blocks of whole lines.
 *
 * A plain file is shared by byte range: a stream over [begin, end) gives the lines that begin there, so ranges that
 * cover the file give each line once, whoever reads them. Compressed files are read whole by one rank, and so are RFC
 * 4180 CSV files, since a newline inside quotes cannot be distinguished from a record's end in the middle of a file.
 * Records and blocks are slices of the stream's buffer: no memory is allocated per record. "\r\n", a missing last
 * newline and a UTF-8 byte order mark are accepted; neither is part of a record.
 */

#ifndef GEMP_IO_FILE_STREAM_H
#define GEMP_IO_FILE_STREAM_H

#include "comm/comm.h"
#include "core/memory.h"

/* Collective. Rank 0 reads the whole text of `path`, and all ranks get it; the caller frees (gemp_free). A missing file
 * is GEMP_ENOINPUT; `what` names the file in messages ("--config"). */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path);

typedef struct gemp_stream gemp_stream;

#define GEMP_STREAM_END UINT64_MAX

/* Local, as all functions below. What the first bytes of a file say; errors as of gemp_source_inspect
 * (io/file/source.h). */
typedef struct gemp_stream_info {
	uint64_t size; /* bytes of the file as stored */
	bool compressed;
} gemp_stream_info;
gemp_code gemp_stream_inspect(const char *path, gemp_stream_info *info);

/* `path` is borrowed. A compressed file is opened with begin 0, end GEMP_STREAM_END. */
gemp_code gemp_stream_open(gemp_stream **out, const char *path, uint64_t begin, uint64_t end);
/* The whole file for a caller that reads it only once: it may be a pipe of plain text. */
gemp_code gemp_stream_open_once(gemp_stream **out, const char *path);
/* As gemp_stream_open, for gemp_stream_next_block: the buffer holds gemp_limits.lines_block bytes. */
gemp_code gemp_stream_open_blocks(gemp_stream **out, const char *path, uint64_t begin, uint64_t end);
void gemp_stream_close(gemp_stream *stream); /* takes NULL */
GEMP_RELEASE(gemp_stream_close, gemp_stream *)

/* The next line, or with `quoted` the next RFC 4180 record, which may hold newlines inside quotes; *record is NULL at
 * the end. The record may be written to and is valid until the next call; the byte behind it is the stream's. A
 * truncated file is GEMP_EDATA. */
gemp_code gemp_stream_next(gemp_stream *stream, bool quoted, char **record, size_t *size);

/* The next block of whole lines; only the last line of a file may lack its newline. The block may be written to and is
 * valid until the next call; *size is 0 at the end. Where blocks end depends only on the file, on `begin` and on the
 * buffer's size, so a second reading gives the same blocks. */
gemp_code gemp_stream_next_block(gemp_stream *stream, char **text, size_t *size);

/* The number of the last record's first line, counted from 1 at the stream's beginning; at the end: lines + 1. */
uint64_t gemp_stream_line(const gemp_stream *stream);

/* The offset in the text at which the next record begins. */
uint64_t gemp_stream_offset(const gemp_stream *stream);
/* Bytes of the stored file, compressed or not, that were read since the stream was opened. */
uint64_t gemp_stream_position(const gemp_stream *stream);

#endif
