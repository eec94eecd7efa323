/* stream: reads a text file that is plain, gzip, bzip2 or Zstandard, as records with line numbers or as blocks of whole
 * lines.
 *
 * Ranks share a plain file by byte ranges. A stream over [begin, end) gives the lines that begin in this range, so
 * ranges that cover the file give each line once. One rank alone reads a compressed file. One rank alone also reads an
 * RFC 4180 CSV file, since in the middle of a file a newline inside quotes looks like the end of a record.
 *
 * Records and blocks are slices of the stream's buffer, so no memory is allocated per record. "\r\n", a missing last
 * newline and a UTF-8 byte order mark are accepted; none of these bytes is part of a record. */

#ifndef GEMP_IO_FILE_STREAM_H
#define GEMP_IO_FILE_STREAM_H

#include "comm/comm.h"
#include "core/memory.h"

/* Collective. Rank 0 reads the whole text of `path`, and every rank gets a copy, which the caller frees (gemp_free).
 * GEMP_ENOINPUT: the file cannot be read. GEMP_EDATA: the text has a zero byte. `what` names the file in messages
 * ("--config"). */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path);

typedef struct gemp_stream gemp_stream;

#define GEMP_STREAM_END UINT64_MAX

/* Local, as all functions below. What gemp_stream_inspect finds in the first bytes of a file. Errors as in
 * gemp_source_inspect (io/file/source.h). */
typedef struct gemp_stream_info {
	uint64_t size; /* bytes of the file as stored */
	bool compressed;
} gemp_stream_info;
gemp_code gemp_stream_inspect(const char *path, gemp_stream_info *info);

/* `path` is borrowed. For a compressed file begin is 0 and end is GEMP_STREAM_END. */
gemp_code gemp_stream_open(gemp_stream **out, const char *path, uint64_t begin, uint64_t end);
/* Opens the whole file for a caller that reads it only once. The file may be a pipe of plain text. */
gemp_code gemp_stream_open_once(gemp_stream **out, const char *path);
/* Opens a stream for gemp_stream_next_block. The buffer holds gemp_limits.lines_block bytes, and more if a line is
 * longer. */
gemp_code gemp_stream_open_blocks(gemp_stream **out, const char *path, uint64_t begin, uint64_t end);
void gemp_stream_close(gemp_stream *stream); /* stream may be NULL */
GEMP_RELEASE(gemp_stream_close, gemp_stream *)

/* Returns the next line or, if `quoted`, the next RFC 4180 record, which may hold newlines inside quotes. *record is
 * NULL at the end. The caller may write to the record but not to the byte after it. The record is valid until the next
 * call. GEMP_EDATA: a compressed file is truncated or damaged, a quoted field is never closed, or the record is longer
 * than 256 MiB. */
gemp_code gemp_stream_next(gemp_stream *stream, bool quoted, char **record, size_t *size);

/* Returns the next block of whole lines. Only the last line of the file may lack its newline. The caller may write to
 * the block, which is valid until the next call. *size is 0 at the end. The ends of blocks depend only on the file, on
 * `begin` and on the buffer's size, so a second reading gives the same blocks. */
gemp_code gemp_stream_next_block(gemp_stream *stream, char **text, size_t *size);
/* Gives the last block, of `size` bytes, back, so that gemp_stream_next reads its records. line: the number of its
 * first line */
void gemp_stream_return_block(gemp_stream *stream, size_t size, uint64_t line);
/* Whether a quoted field of a record that begins with this line, of `size` bytes, is open at the end of the line. */
bool gemp_record_is_open(const char *line, size_t size);

/* The line number of the last record's first line, counted from 1 at the stream's beginning. At the end: number of
 * lines + 1. */
uint64_t gemp_stream_line(const gemp_stream *stream);

/* The offset in the text at which the next record begins. */
uint64_t gemp_stream_offset(const gemp_stream *stream);
/* The number of stored bytes that were read since the stream was opened. */
uint64_t gemp_stream_position(const gemp_stream *stream);

#endif
