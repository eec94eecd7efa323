/* Columns of strings in a file: categorical, of fixed length, or offsets and bytes. */

#include "io/graph_file/graph_file_strings.h"

#include "core/status.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/dictionary.h"

#include <string.h>

/* A categorical column has at most so many distinct strings, at most half as many as rows, and none longer. A column of
 * fixed length has no NULL and no string longer, unless most are nearly as long as the longest. */
enum { MAX_CATEGORIES = 32767, MAX_CATEGORY = 1024, MAX_FIXED = 32 };

typedef struct string_stats {
	bool nulls, zeros; /* some string is NULL, has a 0 byte */
	uint64_t longest, bytes;
} string_stats;

/* The form of a column is chosen from these, the same on all ranks. */
static string_stats collect_stats(const gemp_h5 *h5, const gemp_column *column)
{
	uint64_t seen[3] = { 0 }, bytes = column->rows ? column->offsets[column->rows] : 0;
	for (size_t i = 0; i < column->rows; i++) {
		uint64_t size = column->offsets[i + 1] - column->offsets[i];
		seen[0] |= column->null && column->null[i];
		seen[2] = size > seen[2] ? size : seen[2];
	}
	seen[1] = bytes && memchr(column->bytes, '\0', bytes) != NULL;
	gemp_comm_max(h5->comm, seen, 3);
	return (string_stats){ seen[0], seen[1], seen[2], gemp_comm_sum1(h5->comm, bytes) };
}

/* The distinct strings of all ranks; *few is false, and `all` empty, where there are too many. */
static gemp_code find_categories(const gemp_h5 *h5, const gemp_column *column, uint64_t limit, gemp_bytes *all,
                                 bool *few)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_dictionary_free) gemp_dictionary mine = { 0 };
	uint64_t many = 0;
	for (size_t i = 0; i < column->rows && !many && code == GEMP_OK; i++) {
		uint32_t index;
		gemp_value value = gemp_column_get(column, i);
		if (!value.null)
			code = gemp_dictionary_add(&mine, value.string.bytes, value.string.size, &index);
		many = mine.list.count > limit;
	}
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	gemp_comm_max(h5->comm, &many, 1);
	if (!many)
		GEMP_PROPAGATE(gemp_bytes_union(h5->comm, &mine.list, all));
	*few = !many && all->count <= limit;
	return GEMP_OK;
}

/* Fixed-length elements; the strings fit. */
static char *pad_strings(const gemp_column *column, size_t size)
{
	char *padded = gemp_calloc(column->rows, size);
	for (size_t i = 0; padded && i < column->rows; i++) {
		gemp_value value = gemp_column_get(column, i);
		if (value.string.size)
			memcpy(padded + i * size, value.string.bytes, value.string.size);
	}
	return padded;
}

/* Fixed length wastes little where most strings are nearly as long as the longest. */
static gemp_code put_fixed(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                           size_t size)
{
	GEMP_OWNED char *padded = pad_strings(column, size);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, padded ? GEMP_OK : GEMP_ENOMEM));
	return gemp_h5_write(h5, path, (gemp_h5_type){ GEMP_H5_TEXT, size }, rows.total, rows.first, rows.count, padded);
}

gemp_h5_type gemp_file_code_type(uint64_t categories)
{
	return gemp_h5_type_of(categories <= INT8_MAX ? GEMP_H5_I8 : categories <= INT16_MAX ? GEMP_H5_I16 : GEMP_H5_I32);
}

/* Codes take the smallest width that the categories allow. */
void gemp_file_set_code(void *codes, gemp_h5_type type, size_t index, int32_t code)
{
	if (type.kind == GEMP_H5_I8)
		((int8_t *)codes)[index] = (int8_t)code;
	else if (type.kind == GEMP_H5_I16)
		((int16_t *)codes)[index] = (int16_t)code;
	else
		((int32_t *)codes)[index] = code;
}

/* Widened, so that -1 stays -1. */
int64_t gemp_file_get_code(const void *codes, gemp_h5_type type, size_t index)
{
	if (type.kind == GEMP_H5_I8)
		return ((const int8_t *)codes)[index];
	if (type.kind == GEMP_H5_I16)
		return ((const int16_t *)codes)[index];
	return ((const int32_t *)codes)[index];
}

/* Categories have no zero bytes and are short, as find_categories made sure. */
static gemp_code put_category_names(const gemp_h5 *h5, const char *path, const gemp_bytes *categories)
{
	char **texts = NULL;
	gemp_code code = GEMP_NEW(texts, categories->count);
	for (size_t i = 0; i < categories->count && code == GEMP_OK; i++) {
		size_t size;
		const char *bytes = gemp_bytes_at(categories, i, &size);
		texts[i] = gemp_strndup(bytes, size);
		code = texts[i] ? GEMP_OK : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_TRY(gemp_file_put_texts(h5, path, (const char *const *)texts, categories->count));
done:
	gemp_h5_free_texts(texts, categories->count);
	return code;
}

/* The groups and names are pandas' categorical as AnnData stores it. */
gemp_code gemp_file_put_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type type,
                              const void *codes)
{
	GEMP_OWNED char *below = NULL;
	GEMP_PROPAGATE(gemp_h5_group(h5, path, "categorical", "0.2.0"));
	GEMP_PROPAGATE(gemp_h5_put_flag(h5, path, "ordered", false));
	GEMP_PROPAGATE(gemp_h5_join(h5, path, "codes", &below));
	return gemp_h5_write(h5, below, type, rows.total, rows.first, rows.count, codes);
}

/* Codes are the places of strings among the sorted categories of all ranks. */
static gemp_code put_categorical(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                                 const gemp_bytes *categories)
{
	gemp_h5_type type = gemp_file_code_type(categories->count);
	GEMP_OWNED_BY(gemp_text_free) gemp_text below = { 0 };
	GEMP_OWNED char *codes = gemp_calloc(column->rows, type.size);
	gemp_text_print(&below, "%s/categories", path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, codes ? gemp_text_status(&below) : GEMP_ENOMEM));
	for (size_t i = 0; i < column->rows; i++) {
		gemp_value value = gemp_column_get(column, i);
		int32_t category = -1;
		if (!value.null)
			category = (int32_t)gemp_bytes_find(categories, value.string.bytes, value.string.size);
		gemp_file_set_code(codes, type, i, category);
	}
	GEMP_PROPAGATE(gemp_file_put_codes(h5, path, rows, type, codes));
	return put_category_names(h5, below.data, categories);
}

/* A column without NULL on this rank writes zeros, as other ranks have some. */
gemp_code gemp_file_put_mask(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text below = { 0 };
	GEMP_OWNED uint8_t *mask = gemp_calloc(column->rows, 1);
	gemp_text_print(&below, "%s/mask", path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, mask ? gemp_text_status(&below) : GEMP_ENOMEM));
	if (column->null && column->rows)
		memcpy(mask, column->null, column->rows);
	return gemp_h5_write(h5, below.data, gemp_h5_type_of(GEMP_H5_BOOL), rows.total, rows.first, rows.count, mask);
}

/* Offsets count through the bytes of all ranks; the last rank adds the end. */
static gemp_code put_offsets(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                             uint64_t base)
{
	uint64_t count = rows.count + (h5->comm->rank == h5->comm->size - 1);
	GEMP_OWNED uint64_t *offsets = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, GEMP_NEW(offsets, count)));
	for (uint64_t i = 0; i < count; i++)
		offsets[i] = base + (column->rows ? column->offsets[i] : 0);
	return gemp_h5_write(h5, path, gemp_h5_type_of(GEMP_H5_U64), rows.total + 1, rows.first, count, offsets);
}

/* For strings of any length: offsets and bytes, so that a rank can read its rows alone. */
static gemp_code put_long(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                          const string_stats *are)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text below = { 0 };
	uint64_t mine = column->rows ? column->offsets[column->rows] : 0, base = gemp_comm_exscan(h5->comm, mine);
	GEMP_PROPAGATE(gemp_h5_group(h5, path, "gemp-strings", "0.1.0"));
	gemp_text_print(&below, "%s/offsets", path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_PROPAGATE(put_offsets(h5, below.data, column, rows, base));
	gemp_text_clear(&below);
	gemp_text_print(&below, "%s/bytes", path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_PROPAGATE(gemp_h5_write(h5, below.data, gemp_h5_type_of(GEMP_H5_U8), are->bytes, base, mine, column->bytes));
	if (are->nulls)
		GEMP_PROPAGATE(gemp_file_put_mask(h5, path, column, rows));
	return GEMP_OK;
}

/* Categorical is smallest, fixed length is read fastest, offsets and bytes hold everything. */
gemp_code gemp_file_put_strings(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                                gemp_h5_slab rows, gemp_text *path)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes categories = { 0 };
	string_stats are = collect_stats(h5, column);
	bool few = false;
	uint64_t limit = rows.total / 2 < MAX_CATEGORIES ? rows.total / 2 : MAX_CATEGORIES;
	if (!are.zeros && are.longest <= MAX_CATEGORY)
		GEMP_PROPAGATE(find_categories(h5, column, limit, &categories, &few));
	bool fixed = !few && !are.zeros && !are.nulls && are.longest <= UINT16_MAX &&
	             (are.longest <= MAX_FIXED || are.longest * rows.total <= 2 * are.bytes);
	gemp_text_clear(path);
	gemp_text_print(path, "%s/", few || fixed ? group : strings);
	gemp_h5_encode(column->name, path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, gemp_text_status(path)));
	if (few)
		GEMP_PROPAGATE(put_categorical(h5, path->data, column, rows, &categories));
	else if (fixed)
		GEMP_PROPAGATE(put_fixed(h5, path->data, column, rows, are.longest ? are.longest : 1));
	else {
		GEMP_PROPAGATE(gemp_h5_make_groups(h5, strings));
		GEMP_PROPAGATE(put_long(h5, path->data, column, rows, &are));
	}
	return GEMP_OK;
}

/* Only rank 0 has elements to write, but all ranks take part in the collective calls. */
gemp_code gemp_file_put_texts(const gemp_h5 *h5, const char *path, const char *const *texts, size_t count)
{
	uint64_t size = 1, total = h5->comm->rank == 0 ? count : 0;
	GEMP_OWNED char *padded = NULL;
	for (size_t i = 0; i < count; i++)
		size = strlen(texts[i]) > size ? strlen(texts[i]) : size;
	uint64_t facts[2] = { size, total };
	gemp_comm_max(h5->comm, facts, 2);
	padded = gemp_calloc(count, facts[0]);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, padded ? GEMP_OK : GEMP_ENOMEM));
	for (size_t i = 0; i < count; i++)
		memcpy(padded + i * facts[0], texts[i], strlen(texts[i]));
	return gemp_h5_write(h5, path, (gemp_h5_type){ GEMP_H5_TEXT, facts[0] }, facts[1], 0, total, padded);
}

/* Columns of strings back from a file. */

static gemp_code damaged_strings(const gemp_h5 *h5, const char *path, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", h5->path, path, what);
}

/* Info and rows of a dataset below `path`; *data is [rows.count + more] elements, the caller frees. `more` elements are
 * read beyond the rows and count for the checksum on the last rank only. */
static gemp_code read_below(const gemp_h5 *h5, const char *path, const char *name, gemp_h5_slab rows, uint64_t more,
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
		code = damaged_strings(h5, below.data, "has another number of rows than its table");
		goto done;
	}
	*data = gemp_calloc(rows.count + more, type->size);
	GEMP_TRY(gemp_comm_agree(h5->comm, *data ? GEMP_OK : GEMP_ENOMEM));
	GEMP_TRY(gemp_h5_read(h5, below.data, *type, rows.first, rows.count + more, rows.count + (last ? more : 0), *data));
done:
	gemp_text_free(&below);
	return code;
}

/* Padding is not part of the string. */
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

/* Trailing zeros are padding. */
static gemp_code get_fixed(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	GEMP_OWNED void *data = NULL;
	GEMP_PROPAGATE(read_below(h5, path, "", rows, 0, &type, &data));
	if (type.kind != GEMP_H5_TEXT)
		code = damaged_strings(h5, path, "is not of strings");
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		const char *bytes = (char *)data + i * type.size;
		code = add_text(column, bytes, text_length(bytes, type.size));
	}
	return gemp_comm_agree(h5->comm, code);
}

/* Short lists that every rank needs as a whole. */
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
		code = damaged_strings(h5, path, "is not of strings");
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

/* The dataset's type says how wide codes are. */
gemp_code gemp_file_get_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type *type, void **codes)
{
	gemp_code code = read_below(h5, path, "codes", rows, 0, type, codes);
	if (code == GEMP_OK && type->kind != GEMP_H5_I8 && type->kind != GEMP_H5_I16 && type->kind != GEMP_H5_I32)
		code = damaged_strings(h5, path, "has codes that are no integers");
	return code;
}

/* Categories are read by all ranks, codes only for their own rows. */
static gemp_code get_categorical(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	char *below = NULL;
	void *codes = NULL;
	char **categories = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_h5_join(h5, path, "categories", &below));
	GEMP_TRY(gemp_file_get_texts(h5, below, &categories, &count));
	GEMP_TRY(gemp_file_get_codes(h5, path, rows, &type, &codes));
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		int64_t category = gemp_file_get_code(codes, type, i);
		if (category == -1)
			code = gemp_column_add(column, &(gemp_value){ .type = GEMP_STRING, .null = true });
		else if (category < 0 || (uint64_t)category >= count)
			code = damaged_strings(h5, path, "has a code beyond its categories");
		else
			code = add_text(column, categories[category], strlen(categories[category]));
	}
	code = gemp_comm_agree(h5->comm, code);
done:
	gemp_free_all(below, codes);
	gemp_h5_free_texts(categories, count);
	return code;
}

/* A mask without any NULL is dropped, so that later code takes the short way. */
gemp_code gemp_file_get_mask(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_h5_type type;
	void *mask = NULL;
	gemp_code code = read_below(h5, path, "mask", rows, 0, &type, &mask);
	if (code == GEMP_OK && type.kind != GEMP_H5_BOOL)
		code = damaged_strings(h5, path, "has a mask that is not of truth values");
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
			return damaged_strings(h5, path, "has offsets that do not ascend");
		else
			offsets[i] -= base;
	return GEMP_OK;
}

/* The byte range of a rank follows from its offsets. */
static gemp_code get_bytes(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *below = NULL;
	gemp_h5_type type;
	GEMP_OWNED void *offsets = NULL;
	uint64_t total = 0;
	GEMP_PROPAGATE(gemp_h5_join(h5, path, "bytes", &below));
	GEMP_PROPAGATE(gemp_h5_info(h5, below, &type, &total));
	bool right = type.kind == GEMP_H5_U8;
	GEMP_PROPAGATE(read_below(h5, path, "offsets", rows, 1, &type, &offsets));
	if (!right || type.kind != GEMP_H5_U64) {
		code = damaged_strings(h5, path, "is not of strings");
		return code;
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
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	column->rows = column->capacity = rows.count;
	column->bytes_capacity = count;
	return gemp_h5_read(h5, below, gemp_h5_type_of(GEMP_H5_U8), base, count, count, column->bytes);
}

/* The mask is there only if some string is NULL. */
static gemp_code get_long(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED char *below = NULL;
	bool masked = false;
	GEMP_PROPAGATE(get_bytes(h5, path, column, rows));
	GEMP_PROPAGATE(gemp_h5_join(h5, path, "mask", &below));
	GEMP_PROPAGATE(gemp_h5_exists(h5, below, &masked));
	if (masked)
		GEMP_PROPAGATE(gemp_file_get_mask(h5, path, column, rows));
	return GEMP_OK;
}

/* The encoding decides between the three forms. */
gemp_code gemp_file_get_strings(const gemp_h5 *h5, const char *path, const char *encoding, gemp_column *column,
                                gemp_h5_slab rows)
{
	if (strcmp(encoding, "string-array") == 0)
		return get_fixed(h5, path, column, rows);
	if (strcmp(encoding, "categorical") == 0)
		return get_categorical(h5, path, column, rows);
	if (strcmp(encoding, "gemp-strings") == 0)
		return get_long(h5, path, column, rows);
	return damaged_strings(h5, path, "is of an unknown encoding");
}
