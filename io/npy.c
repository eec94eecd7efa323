#include "io/npy.h"

#include "core/memory.h"
#include "core/text.h"
#include "io/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096 };

typedef struct npy {
	gemp_zip_stream *stream;
	gemp_npy_header header;
	const char *path, *name;
	unsigned char bytes[PIECE * 8];
} npy;

static gemp_code bad(const npy *n, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: array '%s' %s", n->path, n->name, why);
}

/* THE HEADER: a Python dictionary of descr, fortran_order and shape */

static gemp_code read_header(npy *n)
{
	gemp_code code = GEMP_OK;
	unsigned char start[GEMP_NPY_START], length[4] = { 0 };
	char *header = NULL;
	GEMP_TRY(gemp_zip_stream_read(n->stream, start, sizeof start));
	size_t bytes = gemp_npy_length_bytes(start);
	if (!bytes)
		return bad(n, "is no .npy of version 1 to 3");
	GEMP_TRY(gemp_zip_stream_read(n->stream, length, bytes));
	size_t size = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
	if (size > GEMP_NPY_LONGEST)
		return bad(n, "has a header that is too long");
	GEMP_TRY(GEMP_NEW(header, size + 1));
	GEMP_TRY(gemp_zip_stream_read(n->stream, header, size));
	code = gemp_npy_parse_header(&n->header, header);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: array '%s' ", n->path, n->name);
done:
	gemp_free(header);
	return code;
}

/* ELEMENTS */

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

static gemp_code next(void *self, size_t count, int64_t *integers, double *reals)
{
	gemp_code code = GEMP_OK;
	npy *n = self;
	bool beyond = false;
	while (count) {
		size_t some = count < PIECE ? count : PIECE;
		GEMP_TRY(gemp_zip_stream_read(n->stream, n->bytes, some * n->header.width));
		gemp_npy_settle(&n->header, n->bytes, some);
		for (size_t i = 0; i < some; i++)
			if (reals)
				*reals++ = real_at(n, i);
			else
				*integers++ = integer_at(n, i, &beyond);
		count -= some;
	}
	if (beyond)
		code = bad(n, "has a number beyond 64-bit signed integers");
done:
	return code;
}

static void close_npy(void *self)
{
	npy *n = self;
	gemp_zip_stream_close(n->stream);
	gemp_free(n);
}

static gemp_code open_npy(npy **out, const gemp_zip *zip, const char *name)
{
	gemp_code code = GEMP_OK;
	gemp_text file = { 0 };
	npy *n = NULL;
	gemp_text_print(&file, "%s.npy", name);
	GEMP_TRY(gemp_text_status(&file));
	GEMP_TRY(GEMP_NEW(n, 1));
	n->path = zip->path;
	n->name = name;
	const gemp_zip_member *member = gemp_zip_find(zip, file.data);
	if (!member)
		GEMP_TRY(bad(n, "is missing; save the matrix with scipy.sparse.save_npz"));
	GEMP_TRY(gemp_zip_stream_open(&n->stream, zip, member));
	GEMP_TRY(read_header(n));
	*out = n;
	n = NULL;
done:
	gemp_text_free(&file);
	if (n)
		close_npy(n);
	return code;
}

gemp_code gemp_npy_open(gemp_array *out, const gemp_zip *zip, const char *name)
{
	npy *n;
	gemp_code code = open_npy(&n, zip, name);
	if (code != GEMP_OK)
		return code;
	if (n->header.kind == 'S' || n->header.kind == 'U') {
		code = bad(n, "holds text where numbers belong");
		close_npy(n);
		return code;
	}
	gemp_type type = n->header.kind == 'f' ? GEMP_FLOAT : n->header.kind == 'b' ? GEMP_BOOLEAN : GEMP_INTEGER;
	*out = (gemp_array){ .self = n, .length = n->header.length, .type = type, .next = next, .close = close_npy };
	return GEMP_OK;
}

gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name)
{
	gemp_code code = GEMP_OK;
	npy *n = NULL;
	size_t step = 1, size = 0;
	GEMP_TRY(open_npy(&n, zip, name));
	if ((n->header.kind != 'S' && n->header.kind != 'U') || n->header.length != 1)
		GEMP_TRY(bad(n, "is no text"));
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
