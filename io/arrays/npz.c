/* The directory at the end of a zip archive lists the members. The directory is read once, and each member is then
 * read independently of the others. The format is PKWARE's APPNOTE 6.3, without encryption and split archives. */

#include "io/arrays/npz.h"

#include "core/status.h"
#include "io/file/claim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <zlib.h>

enum {
	END_SIZE = 22,
	END64_SIZE = 56,
	LOCATOR_SIZE = 20,
	ENTRY_SIZE = 46,
	LOCAL_SIZE = 30,
	LONGEST_COMMENT = 65535,
	PACKED = 1 << 16,
	MOST_MEMBERS = 100000
};

static gemp_code bad_zip(const char *path, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: is no zip archive, or damaged or cut (%s); write it again", path, why);
}

/* Zip files are little-endian on every machine. */
static uint64_t read_number(const unsigned char *at, int bytes)
{
	uint64_t value = 0;
	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* An offset comes from the file and may be any number, so reading beyond the end is an error of the file. */
static gemp_code read_at(FILE *file, const char *path, uint64_t place, void *bytes, size_t size)
{
	if (place > INT64_MAX || fseeko(file, (off_t)place, SEEK_SET) != 0 || fread(bytes, 1, size, file) != size)
		return bad_zip(path, "a part lies beyond its end");
	return GEMP_OK;
}

/* Each member opens the file for itself, so that several members can be read at the same time. */
static gemp_code open_file(FILE **file, const char *path)
{
	*file = fopen(path, "rb");
	if (!*file)
		return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
		                 strerror(errno));
	return GEMP_OK;
}

static void close_file(FILE *file)
{
	if (file)
		fclose(file);
}
GEMP_RELEASE(close_file, FILE *)

/* THE DIRECTORY */

typedef struct directory {
	uint64_t place, size, count;
} directory;

static gemp_code measure_file(FILE *file, const char *path, uint64_t *size)
{
	if (fseeko(file, 0, SEEK_END) != 0)
		return bad_zip(path, "it cannot be searched");
	*size = (uint64_t)ftello(file);
	return GEMP_OK;
}

/* Finds the record at the end of the archive. Only a comment may follow the record. */
static gemp_code find_end(FILE *file, const char *path, unsigned char *end, uint64_t *place)
{
	GEMP_OWNED unsigned char *tail = NULL;
	uint64_t size = 0;
	GEMP_TRY(measure_file(file, path, &size));
	const uint64_t max = END_SIZE + LONGEST_COMMENT, take = gemp_min(size, max);
	if (size < END_SIZE)
		return bad_zip(path, "it is too short");
	GEMP_TRY(GEMP_NEW(tail, take));
	GEMP_TRY(read_at(file, path, size - take, tail, take));
	for (uint64_t at = take - END_SIZE + 1; at-- > 0;)
		if (memcmp(tail + at, "PK\5\6", 4) == 0) {
			memcpy(end, tail + at, END_SIZE);
			*place = size - take + at;
			return GEMP_OK;
		}
	return bad_zip(path, "there is no directory at its end");
}

/* An archive beyond 4 GiB, or with 65,535 members or more, has a second record (zip64). A locator directly before the
 * first record holds the offset of the second one. */
static gemp_code find_directory(FILE *file, const char *path, directory *out)
{
	unsigned char end[END_SIZE], locator[LOCATOR_SIZE], end64[END64_SIZE];
	uint64_t place = 0;
	GEMP_TRY(find_end(file, path, end, &place));
	*out = (directory){ read_number(end + 16, 4), read_number(end + 12, 4), read_number(end + 10, 2) };
	if (out->place != UINT32_MAX && out->size != UINT32_MAX && out->count != UINT16_MAX)
		return GEMP_OK;
	if (place < LOCATOR_SIZE)
		return bad_zip(path, "its zip64 directory is missing");
	GEMP_TRY(read_at(file, path, place - LOCATOR_SIZE, locator, sizeof locator));
	if (memcmp(locator, "PK\6\7", 4) != 0)
		return GEMP_OK; /* no zip64: one of the numbers just equals the maximum */
	GEMP_TRY(read_at(file, path, read_number(locator + 8, 8), end64, sizeof end64));
	if (memcmp(end64, "PK\6\6", 4) != 0)
		return bad_zip(path, "its zip64 directory is missing");
	*out = (directory){ read_number(end64 + 48, 8), read_number(end64 + 40, 8), read_number(end64 + 32, 8) };
	return GEMP_OK;
}

/* A number that does not fit in 4 bytes is stored in the extra field. Such numbers have the order of `wide`. */
static void read_extra(const unsigned char *extra, size_t size, gemp_zip_member *member)
{
	while (size >= 4) {
		size_t length = read_number(extra + 2, 2), at = 4;
		if (length > size - 4)
			return;
		uint64_t *const wide[] = { &member->size, &member->compressed_size, &member->offset };
		for (size_t i = 0; read_number(extra, 2) == 1 && i < 3; i++)
			if (*wide[i] == UINT32_MAX && at + 8 <= 4 + length) {
				*wide[i] = read_number(extra + at, 8);
				at += 8;
			}
		extra += 4 + length;
		size -= 4 + length;
	}
}

/* Reads the entry of the directory at `at`, where `left` bytes are left. *used becomes the entry's size. */
static gemp_code read_entry(const char *path, const unsigned char *at, size_t left, gemp_zip_member *member,
                            size_t *used)
{
	if (left < ENTRY_SIZE || memcmp(at, "PK\1\2", 4) != 0)
		return bad_zip(path, "its directory is damaged");
	size_t name = read_number(at + 28, 2), extra = read_number(at + 30, 2), comment = read_number(at + 32, 2);
	*used = ENTRY_SIZE + name + extra + comment;
	if (left < *used)
		return bad_zip(path, "its directory is damaged");
	*member = (gemp_zip_member){
		.method = (unsigned)read_number(at + 10, 2),
		.crc = (uint32_t)read_number(at + 16, 4),
		.compressed_size = read_number(at + 20, 4),
		.size = read_number(at + 24, 4),
		.offset = read_number(at + 42, 4),
	};
	read_extra(at + ENTRY_SIZE + name, extra, member);
	if (read_number(at + 8, 2) & 1)
		return bad_zip(path, "it is encrypted");
	if (member->method != 0 && member->method != 8)
		return bad_zip(path, "its compression is neither stored nor deflate");
	member->name = gemp_strndup((const char *)at + ENTRY_SIZE, name);
	return member->name ? GEMP_OK : GEMP_ENOMEM;
}

/* A damaged file may state any size of the directory, so the size is checked before memory is requested. */
gemp_code gemp_zip_open(gemp_zip *out, const char *path)
{
	GEMP_OWNED_BY(close_file_at) FILE *file = NULL;
	GEMP_OWNED_BY(gemp_zip_close) gemp_zip zip = { .path = path };
	GEMP_OWNED unsigned char *entries = NULL;
	directory where;
	GEMP_TRY(open_file(&file, path));
	GEMP_TRY(find_directory(file, path, &where));
	GEMP_TRY(measure_file(file, path, &zip.size));
	if (where.count > MOST_MEMBERS || where.size > zip.size)
		return bad_zip(path, "its directory is too long");
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(entries, where.size), GEMP_ARRAY(zip.members, where.count)));
	GEMP_TRY(read_at(file, path, where.place, entries, where.size));
	for (size_t at = 0, used = 0; zip.count < where.count; at += used) {
		GEMP_TRY(read_entry(path, entries + at, where.size - at, &zip.members[zip.count], &used));
		zip.count++;
	}
	*out = zip;
	zip = (gemp_zip){ 0 };
	return GEMP_OK;
}

void gemp_zip_close(gemp_zip *zip)
{
	for (size_t i = 0; i < zip->count; i++)
		gemp_free(zip->members[i].name);
	gemp_free(zip->members);
	*zip = (gemp_zip){ 0 };
}

/* MEMBERS */

typedef struct zip_stream {
	const char *path;
	FILE *file;
	gemp_zip_member member; /* borrows its name from the directory */
	uint64_t packed_left, left;
	uint32_t crc;
	bool inflating; /* zlib is initialised and must be released */
	z_stream zlib;
	unsigned char packed[PACKED];
} zip_stream;

/* The stream may be open only in part, after a failure. */
static void close_stream(zip_stream *stream)
{
	if (!stream)
		return;
	if (stream->inflating)
		inflateEnd(&stream->zlib);
	close_file(stream->file);
	gemp_free(stream);
}
GEMP_RELEASE(close_stream, zip_stream *)

/* A damaged directory may state any sizes. */
static bool is_possible(const gemp_zip *zip, const gemp_zip_member *member)
{
	const uint64_t packed = member->compressed_size, ratio = member->method == 8 ? GEMP_DEFLATE_RATIO : 1;
	return packed <= zip->size && member->size <= packed * ratio;
}

/* The member's local header repeats the name and the extra field. Their lengths may differ from the lengths in the
 * directory, so the local lengths give the beginning of the content. */
static gemp_code open_stream(zip_stream **out, const gemp_zip *zip, const gemp_zip_member *member)
{
	GEMP_OWNED_BY(close_stream_at) zip_stream *stream = NULL;
	unsigned char header[LOCAL_SIZE];
	GEMP_TRY(GEMP_NEW(stream, 1));
	stream->path = zip->path;
	stream->member = *member;
	stream->packed_left = member->compressed_size;
	stream->left = member->size;
	GEMP_TRY(open_file(&stream->file, zip->path));
	GEMP_TRY(read_at(stream->file, zip->path, member->offset, header, sizeof header));
	if (memcmp(header, "PK\3\4", 4) != 0)
		return bad_zip(zip->path, "a member has no header");
	if (!is_possible(zip, member))
		return bad_zip(zip->path, "a member has more bytes than it can");
	if (fseeko(stream->file, (off_t)(read_number(header + 26, 2) + read_number(header + 28, 2)), SEEK_CUR) != 0)
		return bad_zip(zip->path, "it cannot be searched");
	stream->inflating = member->method == 8 && inflateInit2(&stream->zlib, -MAX_WBITS) == Z_OK;
	if (member->method == 8 && !stream->inflating)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory for zlib", zip->path);
	*out = stream;
	stream = NULL;
	return GEMP_OK;
}

/* Reads up to `capacity` stored bytes, but never beyond the member's end. */
static gemp_code read_packed(zip_stream *s, void *bytes, size_t capacity, size_t *size)
{
	*size = s->packed_left < capacity ? (size_t)s->packed_left : capacity;
	s->packed_left -= *size;
	return fread(bytes, 1, *size, s->file) == *size ? GEMP_OK : bad_zip(s->path, "a member is cut");
}

/* zlib counts bytes in an unsigned int, so a large read consists of several calls. */
static gemp_code inflate_some(zip_stream *s, unsigned char *bytes, size_t size)
{
	while (size) {
		uInt capacity = size < PACKED ? (uInt)size : PACKED;
		if (s->zlib.avail_in == 0) {
			size_t got;
			GEMP_TRY(read_packed(s, s->packed, PACKED, &got));
			s->zlib.next_in = s->packed;
			s->zlib.avail_in = (uInt)got;
		}
		s->zlib.next_out = bytes;
		s->zlib.avail_out = capacity;
		int result = inflate(&s->zlib, Z_NO_FLUSH);
		size_t made = capacity - s->zlib.avail_out;
		if ((result != Z_OK && result != Z_STREAM_END) || (made == 0 && (result == Z_STREAM_END || !s->packed_left)))
			return bad_zip(s->path, "a member cannot be inflated");
		bytes += made;
		size -= made;
	}
	return GEMP_OK;
}

/* A stored member is not compressed, so its bytes go directly to the caller. */
static gemp_code copy_some(zip_stream *s, unsigned char *bytes, size_t size)
{
	size_t got;
	gemp_code code = read_packed(s, bytes, size, &got);
	return code == GEMP_OK && got < size ? bad_zip(s->path, "a member is cut") : code;
}

/* Reads exactly `size` bytes. GEMP_EDATA: the member ends earlier. After the member's last byte the checksum is
 * compared. */
static gemp_code read_stream(zip_stream *s, void *bytes, size_t size)
{
	if (size > s->left)
		return gemp_fail(GEMP_EDATA, "%s: %s is shorter than its header says; write it again", s->path, s->member.name);
	GEMP_TRY(s->inflating ? inflate_some(s, bytes, size) : copy_some(s, bytes, size));
	s->left -= size;
	s->crc = (uint32_t)crc32_z(s->crc, bytes, size);
	if (s->left == 0 && s->member.size && s->crc != s->member.crc)
		return bad_zip(s->path, "a member's checksum is wrong");
	return GEMP_OK;
}

/* ARRAYS */

enum { BATCH = 4096 }; /* elements in memory at a time */

typedef struct npy {
	zip_stream *stream;
	gemp_npy_header header;
	gemp_text where; /* beginning of messages: "F.npz: array 'data'" */
	unsigned char bytes[BATCH * 8];
} npy;

/* read_stream begins its messages with the archive's name, so `where` is not used. */
static gemp_code read_from_zip(void *self, const char *where, void *bytes, size_t size)
{
	(void)where;
	return read_stream(self, bytes, size);
}

static gemp_code bad_array(const char *where, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s %s", where, why);
}

/* Reads an integer of any width or a boolean as 64 bits. *beyond becomes true if the number does not fit in int64_t. */
static int64_t integer_at(const npy *n, size_t i, bool *beyond)
{
	const unsigned char *at = n->bytes + i * n->header.width;
	uint64_t value = 0;
	memcpy(&value, at, n->header.width); /* the elements and this machine are little-endian */
	unsigned bits = 8 * n->header.width;
	*beyond |= n->header.kind == 'u' && n->header.width == 8 && value > INT64_MAX;
	if (n->header.kind == 'i' && bits < 64 && value >> (bits - 1))
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

/* The element is copied by memcpy, since it need not be aligned in the buffer. */
static double real_at(const npy *n, size_t i)
{
	float narrow;
	double wide;
	if (n->header.width == 2)
		return (double)gemp_npy_half(n->bytes + i * 2);
	if (n->header.width == 4) {
		memcpy(&narrow, n->bytes + i * 4, 4);
		return (double)narrow;
	}
	memcpy(&wide, n->bytes + i * 8, 8);
	return wide;
}

/* Elements pass through a small buffer, since the member may be far larger than memory. */
static gemp_code next_of_member(void *self, size_t count, int64_t *integers, double *reals)
{
	npy *n = self;
	bool beyond = false;
	while (count) {
		size_t some = gemp_min(count, BATCH);
		GEMP_TRY(read_stream(n->stream, n->bytes, some * n->header.width));
		gemp_npy_to_native(&n->header, n->bytes, some);
		for (size_t i = 0; i < some; i++)
			if (reals)
				*reals++ = real_at(n, i);
			else
				*integers++ = integer_at(n, i, &beyond);
		count -= some;
	}
	if (beyond)
		return bad_array(n->where.data, "has a number beyond 64-bit signed integers");
	return GEMP_OK;
}

static void close_npy(void *self)
{
	npy *n = self;
	if (!n)
		return;
	close_stream(n->stream);
	gemp_text_free(&n->where);
	gemp_free(n);
}
GEMP_RELEASE(close_npy, npy *)

/* numpy.savez writes the array NAME as the member NAME.npy. */
static gemp_code open_npy(npy **out, const gemp_zip *zip, const char *name)
{
	GEMP_OWNED_BY(close_npy_at) npy *n = NULL;
	size_t data, length = strlen(name), i = 0;
	GEMP_TRY(GEMP_NEW(n, 1));
	gemp_text_print(&n->where, "%s: array '%s'", zip->path, name);
	GEMP_TRY(gemp_text_status(&n->where));
	while (i < zip->count &&
	       (strncmp(zip->members[i].name, name, length) != 0 || strcmp(zip->members[i].name + length, ".npy") != 0))
		i++;
	if (i == zip->count)
		return bad_array(n->where.data, "is missing; save the matrix with scipy.sparse.save_npz");
	GEMP_TRY(open_stream(&n->stream, zip, &zip->members[i]));
	GEMP_TRY(gemp_npy_read_header(&n->header, n->where.data, read_from_zip, n->stream, &data));
	*out = n;
	n = NULL;
	return GEMP_OK;
}

/* An array whose end nobody reads would otherwise have any length that its header states. */
static bool has_length(const npy *n)
{
	uint64_t bytes;
	return !__builtin_mul_overflow(n->header.length, n->header.width, &bytes) && bytes == n->stream->left;
}

/* The reader owns the array and closes it. An array of texts is refused; gemp_npy_text reads texts. */
gemp_code gemp_npy_open(gemp_array_reader *out, const gemp_zip *zip, const char *name)
{
	GEMP_OWNED_BY(close_npy_at) npy *n = NULL;
	GEMP_TRY(open_npy(&n, zip, name));
	if (n->header.kind == 'S' || n->header.kind == 'U')
		return bad_array(n->where.data, "holds text where numbers belong; save numbers");
	if (!has_length(n))
		return bad_array(n->where.data, "is not as long as its header says; write it again");
	gemp_type type = n->header.kind == 'f' ? GEMP_FLOAT : n->header.kind == 'b' ? GEMP_BOOLEAN : GEMP_INTEGER;
	*out = (gemp_array_reader){
		.self = n, .length = n->header.length, .type = type, .next = next_of_member, .close = close_npy
	};
	n = NULL;
	return GEMP_OK;
}

/* A character of kind 'U' takes four bytes. scipy's texts are ASCII, so the lowest of the four bytes is the
 * character. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name)
{
	GEMP_OWNED_BY(close_npy_at) npy *n = NULL;
	GEMP_TRY(open_npy(&n, zip, name));
	if ((n->header.kind != 'S' && n->header.kind != 'U') || n->header.length != 1)
		return bad_array(n->where.data, "is no text");
	const size_t step = n->header.kind == 'U' ? 4 : 1;
	GEMP_TRY(read_stream(n->stream, n->bytes, step * n->header.width));
	GEMP_TRY(GEMP_NEW(*out, (size_t)n->header.width + 1));
	for (size_t i = 0; i < n->header.width && n->bytes[i * step]; i++)
		(*out)[i] = (char)n->bytes[i * step];
	return GEMP_OK;
}
