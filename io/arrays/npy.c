/* The header is a Python dictionary of three known keys, so that a search for the keys replaces a parser
 * of Python. Members of an archive are streams, since they are compressed; a file of its own can be read
 * at any place. */

#include "io/arrays/npy.h"

#include "core/memory.h"
#include "core/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_TEXT = 4096 };

/* The bytes behind the first GEMP_NPY_START ones that hold the length of the dictionary: 2 or 4; 0: it is no .npy. */
static size_t length_bytes(const unsigned char start[GEMP_NPY_START])
{
	if (memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
		return 0;
	return start[6] == 1 ? 2 : 4;
}

/* The text behind a key of the dictionary, or NULL. */
static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);
	at = at ? strchr(at + strlen(key), ':') : NULL;
	return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* The remedy depends on the type: complex numbers and Python objects have other ways out than odd widths. */
static gemp_code refuse(const char *type)
{
	const char *remedy = strchr(type, 'c') ? "complex; save its real part"
	                     : strchr(type, 'O')
	                         ? "Python objects; convert it to numbers, as by a.astype('f4')"
	                         : "not one that is read; save it as integers, floats (a.astype('f4')) or booleans";
	return gemp_fail(GEMP_EDATA, "is of type '%s': %s", type, remedy);
}

/* The description is like '<f4': byte order, kind, width. Structured arrays have a list here instead. */
static gemp_code read_type(gemp_npy_header *n, const char *header)
{
	static const char good[] = " i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1 ";
	const char *at = value_of(header, "'descr'");
	char type[24], order, name[16], end;
	if (at && *at == '[')
		return gemp_fail(GEMP_EDATA, "is of records; save one of their fields, as a['x']");
	if (!at || sscanf(at, "'%23[^']%c", type, &end) != 2 || end != '\'')
		return gemp_fail(GEMP_EDATA, "has a damaged type");
	if (sscanf(type, "%c%c%u%c", &order, &n->kind, &n->width, &end) != 3 || !strchr("<>|=", order))
		return refuse(type);
	n->swapped = order == '>' && n->width > 1;
	snprintf(name, sizeof name, " %c%u ", n->kind, n->width);
	bool text = n->kind == 'S' || (n->kind == 'U' && !n->swapped);
	return strstr(good, name) || (text && n->width > 0 && n->width < LONGEST_TEXT) ? GEMP_OK : refuse(type);
}

/* Python 2 wrote long integers as 3L, so that an L behind a number is passed over. */
static gemp_code read_shape(gemp_npy_header *n, const char *header)
{
	const char *at = value_of(header, "'shape'");
	if (!at || *at++ != '(')
		return gemp_fail(GEMP_EDATA, "has no shape");
	n->length = 1;
	n->dimensions = 0;
	while (*at != ')') {
		char *end;
		uint64_t size = strtoull(at, &end, 10);
		if (end == at || __builtin_mul_overflow(n->length, size, &n->length))
			return gemp_fail(GEMP_EDATA, "has a damaged shape");
		if (n->dimensions < 2)
			n->shape[n->dimensions] = size;
		n->dimensions++;
		at = end + strspn(end, "L, "); /* Python 2 wrote 3L */
	}
	return GEMP_OK;
}

/* Order and shape may come in any order in the dictionary. */
gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary)
{
	const char *fortran = value_of(dictionary, "'fortran_order'");
	out->fortran = fortran && strncmp(fortran, "True", 4) == 0;
	gemp_code code = read_type(out, dictionary);
	return code == GEMP_OK ? read_shape(out, dictionary) : code;
}

/* ELEMENTS */

void gemp_npy_to_native(const gemp_npy_header *header, void *elements, size_t count)
{
	unsigned char *at = elements;
	const unsigned width = header->width;
	for (size_t i = 0; header->swapped && i < count; i++, at += width)
		for (unsigned low = 0; low < width / 2; low++) {
			unsigned char byte = at[low];
			at[low] = at[width - 1 - low];
			at[width - 1 - low] = byte;
		}
}

/* Half precision has no type in C17: 1 bit of sign, 5 of exponent, 10 of fraction, subnormal numbers too. */
float gemp_npy_half(const void *at)
{
	uint16_t bits;
	memcpy(&bits, at, sizeof bits);
	const int exponent = bits >> 10 & 31, fraction = bits & 1023;
	const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
	                   : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
	                                  : ldexpf((float)fraction, -24);
	return bits >> 15 ? -size : size;
}

enum { PIECE = 4096 };

typedef struct npy {
	gemp_zip_stream *stream;
	gemp_npy_header header;
	gemp_text where; /* "F.npz: array 'data'": begins messages */
	unsigned char bytes[PIECE * 8];
} npy;

static gemp_code bad(const char *where, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s %s", where, why);
}

/* HEADERS: a Python dictionary of descr, fortran_order and shape, behind a signature and its own length */

/* Reads exactly `size` bytes of the file that `self` is, or fails with a message of its own. */
typedef gemp_code read_bytes(void *self, const char *where, void *bytes, size_t size);

static gemp_code read_header(gemp_npy_header *out, const char *where, read_bytes *read, void *self, size_t *data)
{
	gemp_code code = GEMP_OK;
	unsigned char start[GEMP_NPY_START], length[4] = { 0 };
	GEMP_OWNED char *dictionary = NULL;
	GEMP_PROPAGATE(read(self, where, start, sizeof start));
	size_t bytes = length_bytes(start);
	if (!bytes)
		return bad(where, "is not a .npy of version 1 to 3; save it again with numpy");
	GEMP_PROPAGATE(read(self, where, length, bytes));
	size_t size = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
	if (size > GEMP_NPY_MAX_HEADER)
		return bad(where, "has a header that is too long");
	GEMP_PROPAGATE(GEMP_NEW(dictionary, size + 1));
	GEMP_PROPAGATE(read(self, where, dictionary, size));
	*data = sizeof start + bytes + size;
	code = gemp_npy_parse_header(out, dictionary);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s ", where);
	return code;
}

/* Members report their own failures, with the archive's name. */
static gemp_code read_from_zip(void *self, const char *where, void *bytes, size_t size)
{
	(void)where;
	return gemp_zip_stream_read(self, bytes, size);
}

/* A folder opens like a file and fails only when it is read, with the reason in errno. */
static gemp_code read_from_file(void *self, const char *where, void *bytes, size_t size)
{
	if (fread(bytes, 1, size, self) == size)
		return GEMP_OK;
	if (ferror((FILE *)self))
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", where, strerror(errno));
	return bad(where, "is cut off in its header");
}

gemp_code gemp_npy_read_file_header(gemp_npy_header *out, FILE *file, const char *where, size_t *data, uint64_t *bytes)
{
	struct stat status;
	uint64_t size;
	GEMP_PROPAGATE(read_header(out, where, read_from_file, file, data));
	if (out->kind == 'S' || out->kind == 'U')
		return bad(where, "holds texts; save numbers");
	if (fstat(fileno(file), &status) != 0)
		return gemp_fail(GEMP_EIO, "%s: %s", where, strerror(errno));
	*bytes = (uint64_t)status.st_size;
	if (__builtin_mul_overflow(out->length, out->width, &size) || *bytes - *data != size)
		return bad(where, "is not as long as its header says; the file is cut off or damaged");
	return GEMP_OK;
}

/* ARRAYS IN A ZIP ARCHIVE */

static int64_t integer_at(const npy *n, size_t i, bool *beyond)
{
	const unsigned char *at = n->bytes + i * n->header.width;
	uint64_t value = 0;
	memcpy(&value, at, n->header.width); /* little-endian, as this program's machines are */
	unsigned bits = 8 * n->header.width;
	*beyond |= n->header.kind == 'u' && n->header.width == 8 && value > INT64_MAX;
	if (n->header.kind == 'i' && bits < 64 && value >> (bits - 1))
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

/* Elements are copied, since their place in the buffer need not be aligned. */
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

/* Reads through a buffer of PIECE elements, as the member may be far larger than memory. */
static gemp_code next(void *self, size_t count, int64_t *integers, double *reals)
{
	npy *n = self;
	bool beyond = false;
	while (count) {
		size_t some = count < PIECE ? count : PIECE;
		GEMP_PROPAGATE(gemp_zip_stream_read(n->stream, n->bytes, some * n->header.width));
		gemp_npy_to_native(&n->header, n->bytes, some);
		for (size_t i = 0; i < some; i++)
			if (reals)
				*reals++ = real_at(n, i);
			else
				*integers++ = integer_at(n, i, &beyond);
		count -= some;
	}
	if (beyond)
		return bad(n->where.data, "has a number beyond 64-bit signed integers");
	return GEMP_OK;
}

static void close_npy(void *self)
{
	npy *n = self;
	gemp_zip_stream_close(n->stream);
	gemp_text_free(&n->where);
	gemp_free(n);
}

/* The name of the member is that of the array with the ending .npy, as numpy.savez writes it. */
static gemp_code open_npy(npy **out, const gemp_zip *zip, const char *name)
{
	gemp_code code = GEMP_OK;
	gemp_text file = { 0 };
	npy *n = NULL;
	size_t data;
	gemp_text_print(&file, "%s.npy", name);
	GEMP_TRY(gemp_text_status(&file));
	GEMP_TRY(GEMP_NEW(n, 1));
	gemp_text_print(&n->where, "%s: array '%s'", zip->path, name);
	GEMP_TRY(gemp_text_status(&n->where));
	const gemp_zip_member *member = gemp_zip_find(zip, file.data);
	if (!member)
		GEMP_TRY(bad(n->where.data, "is missing; save the matrix with scipy.sparse.save_npz"));
	GEMP_TRY(gemp_zip_stream_open(&n->stream, zip, member));
	GEMP_TRY(read_header(&n->header, n->where.data, read_from_zip, n->stream, &data));
	*out = n;
	n = NULL;
done:
	gemp_text_free(&file);
	if (n)
		close_npy(n);
	return code;
}

/* Texts have no place among numbers; gemp_npy_text reads them. */
gemp_code gemp_npy_open(gemp_array *out, const gemp_zip *zip, const char *name)
{
	npy *n;
	gemp_code code = open_npy(&n, zip, name);
	if (code != GEMP_OK)
		return code;
	if (n->header.kind == 'S' || n->header.kind == 'U') {
		code = bad(n->where.data, "holds text where numbers belong");
		close_npy(n);
		return code;
	}
	gemp_type type = n->header.kind == 'f' ? GEMP_FLOAT : n->header.kind == 'b' ? GEMP_BOOLEAN : GEMP_INTEGER;
	*out = (gemp_array){ .self = n, .length = n->header.length, .type = type, .next = next, .close = close_npy };
	return GEMP_OK;
}

/* Strings of U have four bytes a character; scipy's are ASCII, so that the first byte is the character. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name)
{
	gemp_code code = GEMP_OK;
	npy *n = NULL;
	size_t step = 1, size = 0;
	GEMP_TRY(open_npy(&n, zip, name));
	if ((n->header.kind != 'S' && n->header.kind != 'U') || n->header.length != 1)
		GEMP_TRY(bad(n->where.data, "is no text"));
	step = n->header.kind == 'U' ? 4 : 1;
	GEMP_TRY(gemp_zip_stream_read(n->stream, n->bytes, step * n->header.width));
	GEMP_TRY(GEMP_NEW(*out, (size_t)n->header.width + 1));
	for (size_t i = 0; i < n->header.width && n->bytes[i * step]; i++)
		(*out)[size++] = (char)n->bytes[i * step];
done:
	if (n)
		close_npy(n);
	return code;
}
