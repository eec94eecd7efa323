/* Columns of strings back from a file. */
#include "core/memory.h"
#include "io/graph_file_strings.h"

#include <string.h>

static gemp_code misfit(const gemp_h5 *h5, const char *path, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", h5->path, path, what);
}

/* Info and rows of a dataset below `path`; *data is [rows.count + more] elements, the caller frees. `more` elements are
 * read beyond the rows and count for the checksum on the last rank only. */
static gemp_code read_below(const gemp_h5 *h5, const char *path, const char *name, gemp_slab rows, uint64_t more,
                            gemp_h5_type *type, void **data)
{
	gemp_code code = GEMP_OK;
	gemp_text below = { 0 };
	uint64_t total = 0, last = h5->comm->rank == h5->comm->size - 1;
	*data = NULL;
	gemp_text_print(&below, "%s%s%s", path, *name ? "/" : "", name);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_TRY(gemp_h5_info(h5, below.data, type, &total));
	if (total != rows.total + more) {
		code = misfit(h5, below.data, "has another number of rows than its table");
		goto done;
	}
	*data = gemp_calloc(rows.count + more, type->size);
	GEMP_TRY(gemp_comm_agree(h5->comm, *data ? GEMP_OK : GEMP_ENOMEM));
	GEMP_TRY(gemp_h5_read(h5, below.data, *type, rows.first, rows.count + more, rows.count + (last ? more : 0), *data));
done:
	gemp_text_free(&below);
	return code;
}

static size_t text_length(const char *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return size;
}

static gemp_code add_text(gemp_column *column, const char *bytes, size_t size)
{
	return gemp_column_add(column, &(gemp_value){ .type = GEMP_STRING, .string = { bytes, size } });
}

static gemp_code get_fixed(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	void *data = NULL;
	GEMP_TRY(read_below(h5, path, "", rows, 0, &type, &data));
	if (type.kind != GEMP_H5_TEXT)
		code = misfit(h5, path, "is not of strings");
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		const char *bytes = (char *)data + i * type.size;
		code = add_text(column, bytes, text_length(bytes, type.size));
	}
	code = gemp_comm_agree(h5->comm, code);
done:
	gemp_free(data);
	return code;
}

gemp_code gemp_file_get_texts(const gemp_h5 *h5, const char *path, char ***texts, size_t *count)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	uint64_t total = 0;
	char *data = NULL, **out = NULL;
	*texts = NULL;
	*count = 0;
	GEMP_TRY(gemp_h5_info(h5, path, &type, &total));
	if (type.kind != GEMP_H5_TEXT) {
		code = misfit(h5, path, "is not of strings");
		goto done;
	}
	data = gemp_calloc(total, type.size);
	code = data ? GEMP_NEW(out, total) : GEMP_ENOMEM;
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_TRY(gemp_h5_read(h5, path, type, 0, total, h5->comm->rank == 0 ? total : 0, data));
	for (uint64_t i = 0; i < total && code == GEMP_OK; i++) {
		const char *bytes = data + i * type.size;
		out[i] = gemp_strndup(bytes, text_length(bytes, type.size));
		code = out[i] ? GEMP_OK : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	*texts = out;
	*count = total;
	out = NULL;
done:
	gemp_free(data);
	gemp_h5_free_texts(out, total);
	return code;
}

gemp_code gemp_file_get_codes(const gemp_h5 *h5, const char *path, gemp_slab rows, gemp_h5_type *type, void **codes)
{
	gemp_code code = read_below(h5, path, "codes", rows, 0, type, codes);
	if (code == GEMP_OK && type->kind != GEMP_H5_I8 && type->kind != GEMP_H5_I16 && type->kind != GEMP_H5_I32)
		code = misfit(h5, path, "has codes that are no integers");
	return code;
}

static gemp_code get_categorical(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	gemp_text below = { 0 };
	void *codes = NULL;
	char **categories = NULL;
	size_t count = 0;
	gemp_text_print(&below, "%s/categories", path);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_TRY(gemp_file_get_texts(h5, below.data, &categories, &count));
	GEMP_TRY(gemp_file_get_codes(h5, path, rows, &type, &codes));
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		int64_t category = gemp_file_get_code(codes, type, i);
		if (category == -1)
			code = gemp_column_add(column, &(gemp_value){ .type = GEMP_STRING, .null = true });
		else if (category < 0 || (uint64_t)category >= count)
			code = misfit(h5, path, "has a code beyond its categories");
		else
			code = add_text(column, categories[category], strlen(categories[category]));
	}
	code = gemp_comm_agree(h5->comm, code);
done:
	gemp_text_free(&below);
	gemp_free(codes);
	gemp_h5_free_texts(categories, count);
	return code;
}

gemp_code gemp_file_get_mask(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_slab rows)
{
	gemp_h5_type type;
	void *mask = NULL;
	gemp_code code = read_below(h5, path, "mask", rows, 0, &type, &mask);
	if (code == GEMP_OK && type.kind != GEMP_H5_BOOL)
		code = misfit(h5, path, "has a mask that is not of truth values");
	if (code != GEMP_OK || column->null) {
		gemp_free(mask);
		return code;
	}
	bool any = rows.count && memchr(mask, 1, rows.count);
	column->null = any ? mask : NULL;
	if (!any)
		gemp_free(mask);
	return GEMP_OK;
}

/* Offsets of this rank's rows, which must ascend within the bytes; they are made to begin at 0. */
static gemp_code check_offsets(const gemp_h5 *h5, const char *path, uint64_t *offsets, uint64_t rows, uint64_t bytes)
{
	uint64_t base = offsets[0];
	for (uint64_t i = 0; i <= rows; i++)
		if (offsets[i] < (i ? offsets[i - 1] + base : 0) || offsets[i] > bytes)
			return misfit(h5, path, "has offsets that do not ascend");
		else
			offsets[i] -= base;
	return GEMP_OK;
}

static gemp_code get_bytes(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_text below = { 0 };
	gemp_h5_type type;
	void *offsets = NULL;
	uint64_t total = 0;
	gemp_text_print(&below, "%s/bytes", path);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_TRY(gemp_h5_info(h5, below.data, &type, &total));
	bool right = type.kind == GEMP_H5_U8;
	GEMP_TRY(read_below(h5, path, "offsets", rows, 1, &type, &offsets));
	if (!right || type.kind != GEMP_H5_U64) {
		code = misfit(h5, path, "is not of strings");
		goto done;
	}
	gemp_free(column->offsets);
	column->offsets = offsets;
	offsets = NULL;
	uint64_t base = column->offsets[0];
	code = check_offsets(h5, path, column->offsets, rows.count, total);
	uint64_t count = code == GEMP_OK ? column->offsets[rows.count] : 0;
	if (code == GEMP_OK) {
		gemp_free(column->bytes);
		column->bytes = gemp_calloc(count, 1);
		code = column->bytes ? GEMP_OK : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	column->rows = column->capacity = rows.count;
	column->bytes_capacity = count;
	GEMP_TRY(gemp_h5_read(h5, below.data, gemp_h5_type_of(GEMP_H5_U8), base, count, count, column->bytes));
done:
	gemp_text_free(&below);
	gemp_free(offsets);
	return code;
}

static gemp_code get_long(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_text below = { 0 };
	bool masked = false;
	GEMP_TRY(get_bytes(h5, path, column, rows));
	gemp_text_print(&below, "%s/mask", path);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_TRY(gemp_h5_exists(h5, below.data, &masked));
	if (masked)
		GEMP_TRY(gemp_file_get_mask(h5, path, column, rows));
done:
	gemp_text_free(&below);
	return code;
}

gemp_code gemp_file_get_strings(const gemp_h5 *h5, const char *path, const char *encoding, gemp_column *column,
                                gemp_slab rows)
{
	if (strcmp(encoding, "string-array") == 0)
		return get_fixed(h5, path, column, rows);
	if (strcmp(encoding, "categorical") == 0)
		return get_categorical(h5, path, column, rows);
	if (strcmp(encoding, "gemp-strings") == 0)
		return get_long(h5, path, column, rows);
	return misfit(h5, path, "is of an unknown encoding");
}
