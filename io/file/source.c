/* Decompression in a stream: compressed bytes wait in `packed`, and each read unpacks as much as the
 * caller has room for. gzip and Zstandard files may consist of several members, one after another. */

#include "io/file/source.h"

#include "core/memory.h"
#include "io/file/local_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

enum { PACKED_CAPACITY = 1 << 18 };

struct gemp_source {
	const char *path;
	gemp_compression compression;
	FILE *file;
	unsigned char *packed; /* [PACKED_CAPACITY] compressed bytes, of which [at, end) are to be taken */
	size_t at, end;
	bool whole;     /* between two compressed members: the file may end here */
	bool inflating; /* zlib is initialised */
	z_stream zlib;
	ZSTD_DStream *zstd;
};

static gemp_code cannot_read(const char *path)
{
	return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
	                 strerror(errno));
}

/* A name in .gz with other content is mostly a download that failed. */
static gemp_code check_ending(const char *path, gemp_compression compression)
{
	bool gzip = gemp_file_ends_in(path, ".gz"), zstd = gemp_file_ends_in(path, ".zst");
	if ((gzip && compression != GEMP_GZIP) || (zstd && compression != GEMP_ZSTD))
		return gemp_fail(GEMP_EDATA,
		                 "%s: does not begin like a %s file; it is cut, or not compressed and wrongly named", path,
		                 gzip ? "gzip" : "Zstandard");
	return GEMP_OK;
}

/* The first bytes decide, not the ending: both formats begin with a signature. */
gemp_code gemp_source_inspect(const char *path, gemp_compression *compression, uint64_t *size)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char first[4] = { 0 };
	struct stat status;
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &status) != 0) {
		gemp_code code = cannot_read(path);
		if (file)
			fclose(file);
		return code;
	}
	size_t got = S_ISREG(status.st_mode) ? fread(first, 1, sizeof first, file) : 0;
	fclose(file);
	if (!S_ISREG(status.st_mode))
		return gemp_fail(GEMP_ENOINPUT,
		                 "%s: not a regular file, and it is read more than once; write it to a file first", path);
	if (got == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", path);
	*size = (uint64_t)status.st_size;
	*compression = memcmp(first, gzip, sizeof gzip) == 0   ? GEMP_GZIP
	               : memcmp(first, zstd, sizeof zstd) == 0 ? GEMP_ZSTD
	                                                       : GEMP_PLAIN;
	return check_ending(path, *compression);
}

/* gzip's frame is asked of zlib by 16 more window bits. */
static gemp_code start(gemp_source *source, uint64_t begin)
{
	gemp_code code = GEMP_OK;
	source->file = fopen(source->path, "rb");
	if (!source->file || (begin > 0 && fseeko(source->file, (off_t)begin, SEEK_SET) != 0))
		return cannot_read(source->path);
	if (source->compression == GEMP_PLAIN)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(source->packed, PACKED_CAPACITY));
	if (source->compression == GEMP_ZSTD) {
		source->zstd = ZSTD_createDStream();
		if (!source->zstd)
			code = gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", source->path);
	} else {
		source->inflating = inflateInit2(&source->zlib, 15 + 16) == Z_OK; /* 16: gzip's frame */
		if (!source->inflating)
			code = gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", source->path);
	}
	return code;
}

/* Or a terminal, or /dev/null. */
static bool is_pipe(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

/* A pipe cannot be inspected, since the bytes looked at would be gone. */
static gemp_code open_source(gemp_source **out, const char *path, uint64_t begin, bool once)
{
	gemp_code code = GEMP_OK;
	gemp_source *source;
	uint64_t size;
	GEMP_PROPAGATE(GEMP_NEW(source, 1));
	source->path = path;
	if (!once || !is_pipe(path)) /* whose first bytes would be gone */
		code = gemp_source_inspect(path, &source->compression, &size);
	GEMP_THEN(start(source, begin));
	if (code == GEMP_OK)
		*out = source;
	else
		gemp_source_close(source);
	return code;
}

gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin)
{
	return open_source(out, path, begin, false);
}

gemp_code gemp_source_open_once(gemp_source **out, const char *path)
{
	return open_source(out, path, 0, true);
}

void gemp_source_close(gemp_source *source)
{
	if (!source)
		return;
	if (source->inflating)
		inflateEnd(&source->zlib);
	ZSTD_freeDStream(source->zstd);
	gemp_free(source->packed);
	if (source->file)
		fclose(source->file);
	gemp_free(source);
}

/* A short read is no failure: files end. */
static gemp_code read_file(gemp_source *source, void *bytes, size_t capacity, size_t *size)
{
	*size = fread(bytes, 1, capacity, source->file);
	if (*size == 0 && ferror(source->file))
		return gemp_fail(GEMP_EIO, "%s: reading failed: %s", source->path, strerror(errno));
	return GEMP_OK;
}

/* A checksum or a header inside the compressed data was wrong. */
static gemp_code damaged(const gemp_source *source, const char *detail)
{
	return gemp_fail(GEMP_EDATA, "%s: the compressed data are damaged (%s); make or copy the file again", source->path,
	                 detail);
}

/* One step of zlib; *size bytes came out. */
static gemp_code inflate_some(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	z_stream *zlib = &source->zlib;
	unsigned portion = capacity < INT32_MAX ? (unsigned)capacity : (unsigned)INT32_MAX;
	if (source->whole && inflateReset(zlib) != Z_OK)
		return damaged(source, "gzip member");
	zlib->next_in = source->packed + source->at;
	zlib->avail_in = (unsigned)(source->end - source->at);
	zlib->next_out = (unsigned char *)bytes;
	zlib->avail_out = portion;
	int result = inflate(zlib, Z_NO_FLUSH);
	if (result == Z_MEM_ERROR)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", source->path);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return damaged(source, zlib->msg ? zlib->msg : "gzip");
	source->whole = result == Z_STREAM_END;
	source->at = source->end - zlib->avail_in;
	*size = portion - zlib->avail_out;
	return GEMP_OK;
}

/* A frame that is complete leaves nothing; another frame may follow it. */
static gemp_code unpack_some(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	ZSTD_inBuffer in = { source->packed + source->at, source->end - source->at, 0 };
	ZSTD_outBuffer out = { bytes, capacity, 0 };
	size_t left = ZSTD_decompressStream(source->zstd, &out, &in);
	if (ZSTD_isError(left))
		return damaged(source, ZSTD_getErrorName(left));
	source->whole = left == 0;
	source->at += in.pos;
	*size = out.pos;
	return GEMP_OK;
}

/* Compressed files may have several members one after another, as `cat a.gz b.gz` makes them. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	gemp_code code = GEMP_OK;
	*size = 0;
	if (source->compression == GEMP_PLAIN)
		return read_file(source, bytes, capacity, size);
	while (*size == 0 && capacity > 0) {
		bool starved = source->at == source->end;
		if (starved) {
			source->at = 0;
			GEMP_PROPAGATE(read_file(source, source->packed, PACKED_CAPACITY, &source->end));
		}
		if (source->end == 0 && source->whole)
			break;
		GEMP_PROPAGATE(source->compression == GEMP_GZIP ? inflate_some(source, bytes, capacity, size)
		                                                : unpack_some(source, bytes, capacity, size));
		if (*size == 0 && source->end == 0 && !source->whole)
			code = gemp_fail(GEMP_EDATA, "%s: is cut in the middle; make or copy the file again", source->path);
		if (code != GEMP_OK)
			break;
	}
	return code;
}

/* For progress: compressed files tell no size of their text. */
uint64_t gemp_source_position(const gemp_source *source)
{
	off_t at = ftello(source->file);
	return at < 0 ? 0 : (uint64_t)at;
}

enum { CAPACITY = 1 << 20 };

static gemp_code hash_all(FILE *file, const char *path, XXH3_state_t *state, char *buffer)
{
	size_t got;
	while ((got = fread(buffer, 1, CAPACITY, file)) > 0)
		XXH3_64bits_update(state, buffer, got);
	return ferror(file) ? gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)) : GEMP_OK;
}

/* The hash is over the bytes as stored, so that a user can check it with xxhsum. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash)
{
	gemp_code code = GEMP_OK;
	char *buffer = NULL;
	XXH3_state_t *state = NULL;
	FILE *file = fopen(path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
		                 strerror(errno));
	GEMP_TRY(GEMP_NEW(buffer, CAPACITY));
	state = XXH3_createState();
	if (!state || XXH3_64bits_reset(state) != XXH_OK) {
		code = gemp_fail(GEMP_ENOMEM, "%s: no memory to hash the file", path);
		goto done;
	}
	GEMP_TRY(hash_all(file, path, state, buffer));
	*hash = XXH3_64bits_digest(state);
done:
	XXH3_freeState(state);
	gemp_free(buffer);
	fclose(file);
	return code;
}
