#include "io/numbers_parts.h"

#include "core/memory.h"
#include "io/share.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static gemp_code bad(const char *path, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: the array %s", path, why);
}

gemp_code gemp_numbers_npy_header(FILE *file, const char *path, gemp_npy_header *header, size_t *data)
{
	gemp_code code = GEMP_OK;
	unsigned char start[GEMP_NPY_START], length[4] = { 0 };
	char *text = NULL;
	size_t bytes = fread(start, 1, sizeof start, file) == sizeof start ? gemp_npy_length_bytes(start) : 0;
	if (ferror(file))
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	if (!bytes || fread(length, 1, bytes, file) != bytes)
		return gemp_fail(GEMP_EDATA, "%s: is no .npy of version 1 to 3; a text of numbers has another ending", path);
	size_t size = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
	if (size > GEMP_NPY_LONGEST)
		return bad(path, "has a header that is too long");
	GEMP_TRY(GEMP_NEW(text, size + 1));
	*data = sizeof start + bytes + size;
	if (fread(text, 1, size, file) != size)
		GEMP_TRY(bad(path, "is cut off in its header"));
	code = gemp_npy_parse_header(header, text);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: the array ", path);
	else if (header->kind == 'S' || header->kind == 'U')
		code = bad(path, "holds texts; save numbers");
done:
	gemp_free(text);
	return code;
}

gemp_code gemp_numbers_npy_check(FILE *file, const char *path, const gemp_npy_header *header, size_t data, uint64_t *bytes)
{
	struct stat there;
	uint64_t size;
	if (fstat(fileno(file), &there) != 0)
		return gemp_fail(GEMP_EIO, "%s: %s", path, strerror(errno));
	*bytes = (uint64_t)there.st_size;
	if (__builtin_mul_overflow(header->length, header->width, &size) || *bytes - data != size)
		return bad(path, "is not as long as its header says; the file is cut off or damaged");
	return GEMP_OK;
}

static gemp_code read_part(gemp_numbers *out, const gemp_comm *comm, FILE *file, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_npy_header header;
	size_t data = 0;
	void *raw = NULL;
	GEMP_TRY(gemp_numbers_npy_header(file, path, &header, &data));
	GEMP_TRY(gemp_numbers_npy_check(file, path, &header, data, &out->bytes));
	gemp_span span = gemp_share(comm, header.length);
	size_t count = span.end - span.begin;
	raw = gemp_calloc(count, header.width);
	if (!raw)
		return GEMP_ENOMEM;
	if (fseeko(file, (off_t)(data + span.begin * header.width), SEEK_SET) != 0 ||
	    fread(raw, header.width, count, file) != count)
		GEMP_TRY(gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)));
	gemp_npy_settle(&header, raw, count);
	code = gemp_numbers_take(out, header.kind, header.width, raw, count);
done:
	gemp_free(raw);
	return code;
}

gemp_code gemp_numbers_read_npy(gemp_numbers *out, const gemp_comm *comm, const char *path)
{
	FILE *file = fopen(path, "rb");
	gemp_code code = file ? read_part(out, comm, file, path) : gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return gemp_comm_agree(comm, code);
}
