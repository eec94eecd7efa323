/* `packed` holds compressed bytes. Each read decompresses as many of them as the caller's buffer can take. A file
 * may consist of several members, one after another, as `cat a.gz b.gz` makes them. */

#include "io/file/source.h"

#include "core/status.h"
#include "core/threads.h"
#include "io/file/output.h"

#include <bzlib.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

enum {
	PACKED_CAPACITY = 1 << 18,
	HASHED = 8 << 20, /* bytes that are read and hashed at a time */
};

struct gemp_source {
	const char *path;
	gemp_compression compression;
	FILE *file;
	unsigned char *packed; /* [PACKED_CAPACITY] compressed bytes; [at, end) are not decompressed yet */
	size_t at, end;
	bool whole;     /* the last member is complete, so the file may end here */
	bool inflating; /* zlib is initialised and must be released */
	z_stream zlib;
	bool unzipping; /* bzip2 is initialised and must be released */
	bz_stream bzip2;
	ZSTD_DStream *zstd;
};

static gemp_code cannot_read(const char *path)
{
	return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
	                 strerror(errno));
}

static gemp_code no_memory(const char *path)
{
	return gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", path);
}

/* A file named .gz that does not begin like gzip is usually a download that failed. */
static gemp_code check_ending(const char *path, gemp_compression compression)
{
	static const struct {
		const char *ending, *name;
	} kinds[] = {
		[GEMP_GZIP] = { ".gz", "gzip" }, [GEMP_BZIP2] = { ".bz2", "bzip2" }, [GEMP_ZSTD] = { ".zst", "Zstandard" }
	};
	for (gemp_compression kind = GEMP_GZIP; kind <= GEMP_ZSTD; kind++)
		if (gemp_file_ends_in(path, kinds[kind].ending) && compression != kind)
			return gemp_fail(GEMP_EDATA,
			                 "%s: does not begin like a %s file; it is cut, or not compressed and wrongly named", path,
			                 kinds[kind].name);
	return GEMP_OK;
}

/* All formats begin with a signature, so the first bytes decide and not the ending. A text may begin with "BZh9", but
 * not with the digits of pi, or of its root in an empty file, that follow in a bzip2 file. */
static gemp_compression compression_of(const unsigned char first[10])
{
	static const unsigned char block[] = { 0x31, 0x41, 0x59, 0x26, 0x53, 0x59 };
	static const unsigned char end[] = { 0x17, 0x72, 0x45, 0x38, 0x50, 0x90 };
	if (memcmp(first, "\x1f\x8b", 2) == 0)
		return GEMP_GZIP;
	if (memcmp(first, "\x28\xb5\x2f\xfd", 4) == 0)
		return GEMP_ZSTD;
	if (memcmp(first, "BZh", 3) == 0 && (memcmp(first + 4, block, 6) == 0 || memcmp(first + 4, end, 6) == 0))
		return GEMP_BZIP2;
	return GEMP_PLAIN;
}

gemp_code gemp_source_inspect(const char *path, gemp_compression *compression, uint64_t *size)
{
	unsigned char first[10] = { 0 };
	struct stat status;
	FILE *file = fopen(path, "rb");
	if (!file)
		return cannot_read(path);
	const bool regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
	size_t got = regular ? fread(first, 1, sizeof first, file) : 0;
	fclose(file);
	if (!regular)
		return gemp_fail(GEMP_ENOINPUT,
		                 "%s: not a regular file, and it is read more than once; write it to a file first", path);
	if (got == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", path);
	*size = (uint64_t)status.st_size;
	*compression = compression_of(first);
	return check_ending(path, *compression);
}

/* Opens the file at `begin` and initialises the library that decompresses it. After a failure the caller closes the
 * source. */
static gemp_code start_source(gemp_source *source, uint64_t begin)
{
	source->file = fopen(source->path, "rb");
	if (!source->file || (begin > 0 && fseeko(source->file, (off_t)begin, SEEK_SET) != 0))
		return cannot_read(source->path);
	if (source->compression == GEMP_PLAIN)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(source->packed, PACKED_CAPACITY));
	if (source->compression == GEMP_ZSTD)
		source->zstd = ZSTD_createDStream();
	else if (source->compression == GEMP_BZIP2)
		source->unzipping = BZ2_bzDecompressInit(&source->bzip2, 0, 0) == BZ_OK;
	else
		source->inflating = inflateInit2(&source->zlib, 15 + 16) == Z_OK; /* 16 makes zlib read gzip's frame */
	return source->zstd || source->unzipping || source->inflating ? GEMP_OK : no_memory(source->path);
}

/* Tests for a pipe, a terminal or another character device. Inspecting it would consume its first bytes. */
static bool is_pipe(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin, bool once)
{
	GEMP_OWNED_BY(gemp_source_close_at) gemp_source *source = NULL;
	uint64_t size;
	GEMP_TRY(GEMP_NEW(source, 1));
	source->path = path;
	if (!once || !is_pipe(path))
		GEMP_TRY(gemp_source_inspect(path, &source->compression, &size));
	GEMP_TRY(start_source(source, begin));
	*out = source;
	source = NULL;
	return GEMP_OK;
}

/* The source may be open only in part, after a failure of gemp_source_open. */
void gemp_source_close(gemp_source *source)
{
	if (!source)
		return;
	if (source->inflating)
		inflateEnd(&source->zlib);
	if (source->unzipping)
		BZ2_bzDecompressEnd(&source->bzip2);
	ZSTD_freeDStream(source->zstd);
	gemp_free(source->packed);
	if (source->file)
		fclose(source->file);
	gemp_free(source);
}

/* A short read is no failure, since it also occurs at the end of the file. */
static gemp_code read_file(FILE *file, const char *path, void *bytes, size_t capacity, size_t *size)
{
	*size = fread(bytes, 1, capacity, file);
	if (*size == 0 && ferror(file))
		return gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno));
	return GEMP_OK;
}

/* PLAIN FILES: threads read parts of a large block, since one thread copies the bytes of the page cache more slowly
 * than the others can parse them */

enum { PART = 1 << 20 }; /* bytes that a thread reads at a time */

typedef struct part_reading {
	int file;
	off_t offset; /* of bytes[0] in the file */
	char *bytes;
	atomic_int error;    /* 0 or an errno */
	_Atomic size_t stop; /* the lowest place at which the file ends or an error occurs */
} part_reading;

/* Sets *stop to `place` if that is lower. */
static void stop_at(part_reading *r, size_t place)
{
	size_t known = atomic_load(&r->stop);
	while (place < known && !atomic_compare_exchange_weak(&r->stop, &known, place))
		;
}

/* pread may be interrupted or return fewer bytes than requested, so it is called in a loop. */
static void read_part(void *context, size_t part, size_t begin, size_t end)
{
	(void)part;
	part_reading *r = context;
	while (begin < end) {
		ssize_t got = pread(r->file, r->bytes + begin, end - begin, r->offset + (off_t)begin);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			atomic_store(&r->error, errno);
		if (got <= 0) {
			stop_at(r, begin);
			return;
		}
		begin += (size_t)got;
	}
}

/* Reads a block by all threads, and moves the position of the file behind it. Pipes have no positions, and are read by
 * read_file. */
static gemp_code read_plain(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	const off_t at = capacity >= 2 * PART ? ftello(source->file) : -1;
	if (at < 0)
		return read_file(source->file, source->path, bytes, capacity, size);
	part_reading r = { .file = fileno(source->file), .offset = at, .bytes = bytes, .stop = capacity };
	gemp_for_chunks(capacity, PART, read_part, &r);
	*size = r.stop;
	errno = r.error;
	if (r.error && *size == 0)
		return gemp_fail(GEMP_EIO, "%s: reading failed: %s", source->path, strerror(errno));
	return fseeko(source->file, at + (off_t)*size, SEEK_SET) == 0 ? GEMP_OK : cannot_read(source->path);
}

static gemp_code damaged(const gemp_source *source, const char *detail)
{
	return gemp_fail(GEMP_EDATA, "%s: the compressed data are damaged (%s); make or copy the file again", source->path,
	                 detail);
}

/* Calls zlib once, which decompresses *size bytes. zlib counts bytes in an unsigned int, so a call is limited to
 * INT32_MAX. After a complete member, zlib is reset for the next one. */
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
		return no_memory(source->path);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return damaged(source, zlib->msg ? zlib->msg : "gzip");
	source->whole = result == Z_STREAM_END;
	source->at = source->end - zlib->avail_in;
	*size = portion - zlib->avail_out;
	return GEMP_OK;
}

/* Begins the next member of a bzip2 file; the dumps of Wikimedia have a member for each 100 pages. */
static gemp_code restart_bzip2(gemp_source *source)
{
	source->unzipping = false;
	BZ2_bzDecompressEnd(&source->bzip2);
	source->bzip2 = (bz_stream){ 0 };
	source->unzipping = BZ2_bzDecompressInit(&source->bzip2, 0, 0) == BZ_OK;
	source->whole = false;
	return source->unzipping ? GEMP_OK : no_memory(source->path);
}

/* Calls bzip2 once, which decompresses *size bytes. A member that is complete is left as it is until more bytes follow,
 * as the file may end there. */
static gemp_code unzip_some(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	bz_stream *bzip2 = &source->bzip2;
	unsigned portion = capacity < INT32_MAX ? (unsigned)capacity : (unsigned)INT32_MAX;
	if (source->whole)
		GEMP_TRY(restart_bzip2(source));
	bzip2->next_in = (char *)source->packed + source->at;
	bzip2->avail_in = (unsigned)(source->end - source->at);
	bzip2->next_out = bytes;
	bzip2->avail_out = portion;
	int result = BZ2_bzDecompress(bzip2);
	if (result == BZ_MEM_ERROR)
		return no_memory(source->path);
	if (result != BZ_OK && result != BZ_STREAM_END)
		return damaged(source, "bzip2");
	source->whole = result == BZ_STREAM_END;
	source->at = source->end - bzip2->avail_in;
	*size = portion - bzip2->avail_out;
	return GEMP_OK;
}

/* Calls Zstandard once. It returns 0 when a frame is complete; another frame may follow. */
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

/* A call of the library may consume input without making output. So calls are repeated until some bytes come out or the
 * file ends. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	static gemp_code (*const unpack[])(gemp_source *, char *, size_t, size_t *) = {
		[GEMP_GZIP] = inflate_some, [GEMP_BZIP2] = unzip_some, [GEMP_ZSTD] = unpack_some
	};
	*size = 0;
	if (source->compression == GEMP_PLAIN)
		return read_plain(source, bytes, capacity, size);
	while (*size == 0 && capacity > 0) {
		if (source->at == source->end) {
			source->at = 0;
			GEMP_TRY(read_file(source->file, source->path, source->packed, PACKED_CAPACITY, &source->end));
		}
		if (source->end == 0 && source->whole)
			break;
		GEMP_TRY(unpack[source->compression](source, bytes, capacity, size));
		if (*size == 0 && source->end == 0 && !source->whole)
			return gemp_fail(GEMP_EDATA, "%s: is cut in the middle; make or copy the file again", source->path);
	}
	return GEMP_OK;
}

/* Progress is measured in stored bytes, since the length of the text in a compressed file is unknown. */
uint64_t gemp_source_position(const gemp_source *source)
{
	off_t at = ftello(source->file);
	return at < 0 ? 0 : (uint64_t)at;
}

/* Two blocks of a file: one is hashed while other threads read the next one. */
typedef struct block_hashing {
	XXH3_state_t *state;
	const char *hashed;
	size_t hashed_size;
	part_reading reading;
} block_hashing;

static void hash_or_read(void *context, unsigned thread, size_t index)
{
	block_hashing *h = context;
	(void)thread;
	if (index == 0)
		XXH3_64bits_update(h->state, h->hashed, h->hashed_size);
	else
		read_part(&h->reading, index - 1, (index - 1) * PART, index * PART);
}

/* The file is hashed block by block, so memory does not depend on its size. The first block that is hashed is empty. */
static gemp_code hash_file(FILE *file, const char *path, XXH3_state_t *state, uint64_t *hash)
{
	GEMP_OWNED char *buffer = NULL;
	if (!state || XXH3_64bits_reset(state) != XXH_OK)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory to hash the file", path);
	GEMP_TRY(GEMP_NEW(buffer, 2 * HASHED));
	block_hashing h = { .state = state, .hashed = buffer + HASHED, .reading = { .file = fileno(file) } };
	for (size_t turn = 0, got = HASHED; got == HASHED || h.hashed_size; turn++) {
		h.reading.bytes = buffer + turn % 2 * HASHED;
		h.reading.stop = HASHED;
		gemp_parallel_for(1 + HASHED / PART, hash_or_read, &h);
		if (h.reading.error)
			return gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(h.reading.error));
		got = h.reading.stop;
		h.reading.offset += (off_t)got;
		h.hashed = h.reading.bytes;
		h.hashed_size = got;
	}
	*hash = XXH3_64bits_digest(state);
	return GEMP_OK;
}

/* The stored bytes are hashed, so a user can compare the hash with the one that xxhsum prints. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return cannot_read(path);
	XXH3_state_t *state = XXH3_createState();
	gemp_code code = hash_file(file, path, state, hash);
	XXH3_freeState(state);
	fclose(file);
	return code;
}

/* Reads with large calls, since the next block is in the page cache or the kernel reads it ahead. */
static bool hash_beside(FILE *file, char *buffer, const atomic_bool *stop, XXH3_state_t *state)
{
	size_t got = GEMP_SOURCE_HASHED;
	if (!state || XXH3_64bits_reset(state) != XXH_OK)
		return false;
	while (got && !atomic_load_explicit(stop, memory_order_relaxed)) {
		if (read_file(file, "", buffer, GEMP_SOURCE_HASHED, &got) != GEMP_OK)
			return false;
		XXH3_64bits_update(state, buffer, got);
	}
	return got == 0;
}

uint64_t gemp_source_hash_beside(const char *path, char *buffer, const atomic_bool *stop)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return 0;
	XXH3_state_t *state = XXH3_createState();
	const uint64_t hash = hash_beside(file, buffer, stop, state) ? XXH3_64bits_digest(state) : 0;
	XXH3_freeState(state);
	fclose(file);
	return hash;
}
