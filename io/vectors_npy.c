#include "io/vectors_parts.h"

#include "core/memory.h"
#include "io/numbers_parts.h"
#include "io/share.h"

#include <errno.h>
#include <string.h>

/* One element of the file. */
static float value_at(const gemp_npy_header *header, const unsigned char *at)
{
	union {
		int8_t i1; int16_t i2; int32_t i4; int64_t i8; uint16_t u2; uint32_t u4; uint64_t u8; float f4; double f8;
	} v;
	memcpy(&v, at, header->width);
	switch (header->kind) {
	case 'i':
		return header->width == 1 ? (float)v.i1 : header->width == 2 ? (float)v.i2
		     : header->width == 4 ? (float)v.i4 : (float)v.i8;
	case 'f':
		return header->width == 2 ? gemp_npy_half(at) : header->width == 4 ? v.f4 : (float)v.f8;
	case 'b':
		return (float)(*at != 0);
	default:
		return header->width == 1 ? (float)*at : header->width == 2 ? (float)v.u2
		     : header->width == 4 ? (float)v.u4 : (float)v.u8;
	}
}

/* Elements first .. first + count - 1 of the file go to x, x + step, ... */
static gemp_code read_elements(FILE *file, const char *path, const gemp_npy_header *header, size_t data, uint64_t first,
                               size_t count, float *x, size_t step)
{
	enum { AT_ONCE = 1 << 16 };
	gemp_code code = GEMP_OK;
	unsigned char *raw = NULL;
	GEMP_TRY(GEMP_NEW(raw, (size_t)AT_ONCE * header->width));
	if (fseeko(file, (off_t)(data + first * header->width), SEEK_SET) != 0)
		GEMP_TRY(gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)));
	for (size_t at = 0; at < count; at += AT_ONCE) {
		size_t some = count - at < AT_ONCE ? count - at : AT_ONCE;
		if (fread(raw, header->width, some, file) != some)
			GEMP_TRY(gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)));
		gemp_npy_settle(header, raw, some);
		for (size_t i = 0; i < some; i++)
			x[(at + i) * step] = value_at(header, raw + i * header->width);
	}
done:
	gemp_free(raw);
	return code;
}

static gemp_code read_part(gemp_vectors *out, const gemp_comm *comm, FILE *file, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_npy_header header;
	size_t data = 0;
	uint64_t bytes;
	GEMP_TRY(gemp_numbers_npy_header(file, path, &header, &data));
	GEMP_TRY(gemp_numbers_npy_check(file, path, &header, data, &bytes));
	if (header.dimensions != 2)
		return gemp_fail(GEMP_EDATA, "%s: the array has %u dimension%s; vectors are a table of two: rows, and numbers "
		                 "in each (a.reshape(len(a), -1))", path, header.dimensions,
		                 header.dimensions == 1 ? "" : "s");
	GEMP_TRY(gemp_vectors_shape(out, comm, path, header.shape[0], header.shape[1]));
	uint64_t first = gemp_share(comm, out->all).begin;
	if (!header.fortran)
		return read_elements(file, path, &header, data, first * out->dims, out->count * out->dims, out->x, 1);
	for (uint32_t c = 0; c < out->dims; c++)
		GEMP_TRY(read_elements(file, path, &header, data, c * out->all + first, out->count, out->x + c, out->dims));
done:
	return code;
}

gemp_code gemp_vectors_read_npy(gemp_vectors *out, const gemp_comm *comm, const char *path)
{
	FILE *file = fopen(path, "rb");
	gemp_code code = file ? read_part(out, comm, file, path)
	                      : gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return gemp_comm_agree(comm, code);
}
