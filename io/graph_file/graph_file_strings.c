/* Columns of strings take one of three forms, chosen by what all ranks together hold: categorical (codes and the sorted
 * distinct strings), of fixed length, or offsets and bytes. AnnData reads the first two; the third holds any bytes and
 * lets a rank read its rows alone. */

#include "io/graph_file/graph_file_strings.h"

#include "core/status.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/dictionary.h"

#include <string.h>

/* A categorical column has at most MAX_CATEGORIES distinct strings of at most MAX_CATEGORY bytes, and at most half as
 * many strings as rows. A column of fixed length has no NULL and no string longer than MAX_FIXED, unless most strings
 * are nearly as long as the longest: padding then wastes little. */
enum { MAX_CATEGORIES = 32767, MAX_CATEGORY = 1024, MAX_FIXED = 32 };

typedef struct string_stats {
	bool nulls, zeros; /* some string is NULL, has a 0 byte */
	uint64_t longest, bytes;
} string_stats;

/* The form of a column is chosen from these numbers, which are the same on all ranks. */
static string_stats collect_stats(const gemp_h5 *h5, const gemp_column *column)
{
	uint64_t seen[3] = { 0 }, bytes = column->rows ? column->offsets[column->rows] : 0;
	for (size_t i = 0; i < column->rows; i++) {
		uint64_t size = column->offsets[i + 1] - column->offsets[i];
		seen[0] |= column->null && column->null[i];
		seen[2] = gemp_max(size, seen[2]);
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
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	gemp_comm_max(h5->comm, &many, 1);
	if (!many)
		GEMP_TRY(gemp_bytes_union(h5->comm, GEMP_OK, &mine.list, all));
	*few = !many && all->count <= limit;
	return GEMP_OK;
}

/* Fixed length wastes little where most strings are nearly as long as the longest. */
static gemp_code put_fixed(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                           size_t size)
{
	GEMP_OWNED char *padded = gemp_calloc(column->rows, size);
	GEMP_TRY(gemp_comm_agree(h5->comm, padded ? GEMP_OK : GEMP_ENOMEM));
	for (size_t i = 0; i < column->rows; i++) {
		gemp_value value = gemp_column_get(column, i);
		if (value.string.size)
			memcpy(padded + i * size, value.string.bytes, value.string.size);
	}
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

/* Rank 0 has all elements; the other ranks take part in the collective calls without any. */
static gemp_code put_list(const gemp_h5 *h5, const char *path, const gemp_bytes *list)
{
	uint64_t facts[2] = { 1, h5->comm->rank == 0 ? list->count : 0 }; /* bytes of the longest text, texts */
	GEMP_OWNED char *padded = NULL;
	size_t size;
	for (size_t i = 0; i < list->count; i++) {
		gemp_bytes_at(list, i, &size);
		facts[0] = gemp_max(facts[0], size);
	}
	const uint64_t own = facts[1];
	gemp_comm_max(h5->comm, facts, 2);
	padded = gemp_calloc(list->count, facts[0]);
	GEMP_TRY(gemp_comm_agree(h5->comm, padded ? GEMP_OK : GEMP_ENOMEM));
	for (size_t i = 0; i < list->count; i++) {
		const char *bytes = gemp_bytes_at(list, i, &size);
		if (size)
			memcpy(padded + i * facts[0], bytes, size);
	}
	return gemp_h5_write(h5, path, (gemp_h5_type){ GEMP_H5_TEXT, facts[0] }, facts[1], 0, own, padded);
}

gemp_code gemp_file_put_texts(const gemp_h5 *h5, const char *path, const char *const *texts, size_t count)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes list = { 0 };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count; i++)
		GEMP_THEN(gemp_bytes_add(&list, texts[i], strlen(texts[i])));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	return put_list(h5, path, &list);
}

/* The group and its names are pandas' categorical as AnnData stores it. */
gemp_code gemp_file_put_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type type,
                              const void *codes)
{
	GEMP_TRY(gemp_h5_group(h5, path, "categorical", "0.2.0"));
	GEMP_TRY(gemp_h5_put_flag(h5, path, "ordered", false));
	return gemp_h5_write_rows(h5, path, "codes", type, rows, codes);
}

/* A code is the place of a string among the sorted categories of all ranks. */
static gemp_code put_categorical(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                                 const gemp_bytes *categories)
{
	gemp_h5_type type = gemp_file_code_type(categories->count);
	GEMP_OWNED char *below = NULL, *codes = gemp_calloc(column->rows, type.size);
	GEMP_TRY(gemp_comm_agree(h5->comm, codes ? GEMP_OK : GEMP_ENOMEM));
	for (size_t i = 0; i < column->rows; i++) {
		gemp_value value = gemp_column_get(column, i);
		int32_t category = -1;
		if (!value.null)
			category = (int32_t)gemp_bytes_find(categories, value.string.bytes, value.string.size);
		gemp_file_set_code(codes, type, i, category);
	}
	GEMP_TRY(gemp_file_put_codes(h5, path, rows, type, codes));
	GEMP_TRY(gemp_h5_join(h5, path, "categories", &below));
	return put_list(h5, below, categories);
}

/* A column without NULL on this rank writes zeros, since other ranks have some. */
gemp_code gemp_file_put_mask(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED uint8_t *mask = NULL;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(mask, column->rows)));
	if (column->null && column->rows)
		memcpy(mask, column->null, column->rows);
	return gemp_h5_write_rows(h5, path, "mask", gemp_h5_type_of(GEMP_H5_BOOL), rows, mask);
}

/* Offsets count through the bytes of all ranks; the last rank adds the end. */
static gemp_code put_offsets(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                             uint64_t base)
{
	uint64_t count = rows.count + (h5->comm->rank == h5->comm->size - 1);
	GEMP_OWNED uint64_t *offsets = NULL;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(offsets, count)));
	for (uint64_t i = 0; i < count; i++)
		offsets[i] = base + (column->rows ? column->offsets[i] : 0);
	return gemp_h5_write_rows(h5, path, "offsets", gemp_h5_type_of(GEMP_H5_U64),
	                          (gemp_h5_slab){ rows.total + 1, rows.first, count }, offsets);
}

/* For strings of any length: offsets and bytes, so that a rank can read its rows alone. */
static gemp_code put_long(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                          const string_stats *are)
{
	uint64_t mine = column->rows ? column->offsets[column->rows] : 0, base = gemp_comm_exscan(h5->comm, mine);
	GEMP_TRY(gemp_h5_group(h5, path, "gemp-strings", "0.1.0"));
	GEMP_TRY(put_offsets(h5, path, column, rows, base));
	GEMP_TRY(gemp_h5_write_rows(h5, path, "bytes", gemp_h5_type_of(GEMP_H5_U8),
	                            (gemp_h5_slab){ are->bytes, base, mine }, column->bytes));
	return are->nulls ? gemp_file_put_mask(h5, path, column, rows) : GEMP_OK;
}

/* Categorical is smallest, fixed length is read fastest, offsets and bytes hold everything. */
gemp_code gemp_file_put_strings(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                                gemp_h5_slab rows, gemp_text *path)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes categories = { 0 };
	string_stats are = collect_stats(h5, column);
	bool few = false;
	if (!are.zeros && are.longest <= MAX_CATEGORY)
		GEMP_TRY(find_categories(h5, column, gemp_min(rows.total / 2, MAX_CATEGORIES), &categories, &few));
	bool fixed = !few && !are.zeros && !are.nulls && are.longest <= UINT16_MAX &&
	             (are.longest <= MAX_FIXED || are.longest * rows.total <= 2 * are.bytes);
	gemp_text_clear(path);
	gemp_text_print(path, "%s/", few || fixed ? group : strings);
	gemp_h5_encode(column->name, path);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(path)));
	if (few)
		return put_categorical(h5, path->data, column, rows, &categories);
	if (fixed)
		return put_fixed(h5, path->data, column, rows, gemp_max(are.longest, 1));
	GEMP_TRY(gemp_h5_make_groups(h5, strings));
	return put_long(h5, path->data, column, rows, &are);
}

/* READING */

gemp_code gemp_file_damaged(const gemp_h5 *h5, const char *path, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", h5->path, path, what);
}

/* Reads the rows of the dataset `name` below `path` ("": path itself) into a new block of [rows.count + more] elements.
 * `more` elements are read beyond the rows, and only the last rank counts them for the checksum. */
static gemp_code read_below(const gemp_h5 *h5, const char *path, const char *name, gemp_h5_slab rows, uint64_t more,
                            gemp_h5_type *type, void **data)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text below = { 0 };
	uint64_t total = 0, last = h5->comm->rank == h5->comm->size - 1, count = rows.count + more;
	gemp_text_print(&below, "%s%s%s", path, *name ? "/" : "", name);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&below)));
	GEMP_TRY(gemp_h5_info(h5, below.data, type, &total));
	if (total != rows.total + more)
		return gemp_file_damaged(h5, below.data, "has another number of rows than its table");
	*data = gemp_calloc(count, type->size);
	GEMP_TRY(gemp_comm_agree(h5->comm, *data ? GEMP_OK : GEMP_ENOMEM));
	return gemp_h5_read(h5, below.data, *type, rows.first, count, rows.count + (last ? more : 0), *data);
}

/* Trailing zeros are padding. */
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

/* Strings that are shorter than the longest are padded with zeros. */
static gemp_code get_fixed(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	GEMP_OWNED void *data = NULL;
	GEMP_TRY(read_below(h5, path, "", rows, 0, &type, &data));
	if (type.kind != GEMP_H5_TEXT)
		code = gemp_file_damaged(h5, path, "is not of strings");
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		const char *bytes = (char *)data + i * type.size;
		code = add_text(column, bytes, text_length(bytes, type.size));
	}
	return gemp_comm_agree(h5->comm, code);
}

/* Short lists that every rank needs as a whole. */
gemp_code gemp_file_get_texts(const gemp_h5 *h5, const char *path, gemp_h5_texts *texts)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts out = { 0 };
	GEMP_OWNED char *data = NULL;
	gemp_h5_type type;
	uint64_t total = 0;
	GEMP_TRY(gemp_h5_info(h5, path, &type, &total));
	if (type.kind != GEMP_H5_TEXT)
		return gemp_file_damaged(h5, path, "is not of strings");
	data = gemp_calloc(total, type.size);
	GEMP_TRY(gemp_comm_agree(h5->comm, data ? GEMP_NEW(out.text, total) : GEMP_ENOMEM));
	GEMP_TRY(gemp_h5_read(h5, path, type, 0, total, h5->comm->rank == 0 ? total : 0, data));
	gemp_code code = GEMP_OK;
	for (out.count = 0; out.count < total && code == GEMP_OK; out.count++) {
		const char *bytes = data + out.count * type.size;
		out.text[out.count] = gemp_strndup(bytes, text_length(bytes, type.size));
		code = out.text[out.count] ? GEMP_OK : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	*texts = out;
	out = (gemp_h5_texts){ 0 };
	return GEMP_OK;
}

/* The dataset's type says how wide codes are. */
gemp_code gemp_file_get_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type *type, void **codes)
{
	gemp_code code = read_below(h5, path, "codes", rows, 0, type, codes);
	if (code == GEMP_OK && type->kind != GEMP_H5_I8 && type->kind != GEMP_H5_I16 && type->kind != GEMP_H5_I32)
		code = gemp_file_damaged(h5, path, "has codes that are no integers");
	return code;
}

/* Categories are read by all ranks, codes only for their own rows. */
static gemp_code get_categorical(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	GEMP_OWNED char *below = NULL;
	GEMP_OWNED void *codes = NULL;
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts categories = { 0 };
	GEMP_TRY(gemp_h5_join(h5, path, "categories", &below));
	GEMP_TRY(gemp_file_get_texts(h5, below, &categories));
	GEMP_TRY(gemp_file_get_codes(h5, path, rows, &type, &codes));
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		int64_t category = gemp_file_get_code(codes, type, i);
		if (category == -1)
			code = gemp_column_add(column, &(gemp_value){ .type = GEMP_STRING, .null = true });
		else if (category < 0 || (uint64_t)category >= categories.count)
			code = gemp_file_damaged(h5, path, "has a code beyond its categories");
		else
			code = add_text(column, categories.text[category], strlen(categories.text[category]));
	}
	return gemp_comm_agree(h5->comm, code);
}

/* A mask without any NULL is dropped, since columns without one are read faster. */
gemp_code gemp_file_get_mask(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_h5_type type;
	GEMP_OWNED void *mask = NULL;
	GEMP_TRY(read_below(h5, path, "mask", rows, 0, &type, &mask));
	if (type.kind != GEMP_H5_BOOL)
		return gemp_file_damaged(h5, path, "has a mask that is not of truth values");
	if (!column->null && rows.count && memchr(mask, 1, rows.count)) {
		column->null = mask;
		mask = NULL;
	}
	return GEMP_OK;
}

/* Offsets of this rank's rows, which must ascend within the bytes; they are made to begin at 0. */
static gemp_code check_offsets(const gemp_h5 *h5, const char *path, uint64_t *offsets, uint64_t rows, uint64_t bytes)
{
	uint64_t base = offsets[0];
	for (uint64_t i = 0; i <= rows; i++)
		if (offsets[i] < (i ? offsets[i - 1] + base : 0) || offsets[i] > bytes)
			return gemp_file_damaged(h5, path, "has offsets that do not ascend");
		else
			offsets[i] -= base;
	return GEMP_OK;
}

/* The byte range of a rank follows from its offsets. */
static gemp_code get_bytes(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED char *below = NULL;
	GEMP_OWNED void *offsets = NULL;
	gemp_h5_type bytes, type;
	uint64_t total = 0;
	GEMP_TRY(gemp_h5_join(h5, path, "bytes", &below));
	GEMP_TRY(gemp_h5_info(h5, below, &bytes, &total));
	GEMP_TRY(read_below(h5, path, "offsets", rows, 1, &type, &offsets));
	if (bytes.kind != GEMP_H5_U8 || type.kind != GEMP_H5_U64)
		return gemp_file_damaged(h5, path, "is not of strings");
	gemp_free(column->offsets);
	column->offsets = offsets;
	offsets = NULL;
	uint64_t base = column->offsets[0];
	gemp_code code = check_offsets(h5, path, column->offsets, rows.count, total);
	uint64_t count = code == GEMP_OK ? column->offsets[rows.count] : 0;
	if (code == GEMP_OK) {
		gemp_free(column->bytes);
		code = GEMP_NEW(column->bytes, count);
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	column->rows = column->capacity = rows.count;
	column->bytes_capacity = count;
	return gemp_h5_read(h5, below, bytes, base, count, count, column->bytes);
}

/* The mask is there only if some string is NULL. */
static gemp_code get_long(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED char *below = NULL;
	bool masked = false;
	GEMP_TRY(get_bytes(h5, path, column, rows));
	GEMP_TRY(gemp_h5_join(h5, path, "mask", &below));
	GEMP_TRY(gemp_h5_exists(h5, below, &masked));
	return masked ? gemp_file_get_mask(h5, path, column, rows) : GEMP_OK;
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
	return gemp_file_damaged(h5, path, "is of an unknown encoding");
}
