/* A column of strings has one of three forms: categorical (codes and the sorted distinct strings), strings of fixed
 * length, or offsets and bytes. The strings of all ranks together determine the form. AnnData reads the first two
 * forms. The third form holds any bytes, and a rank can read its rows alone. */

#include "io/graph_file/graph_file_strings.h"

#include "core/status.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "io/graph_file/string_numbers.h"
#include "io/hdf5/hdf5_attributes.h"

#include <stdatomic.h>
#include <string.h>

/* A categorical column has at most MAX_CATEGORIES distinct strings, each of at most MAX_CATEGORY bytes, and at most
 * half as many distinct strings as rows. A column of fixed length has no NULL. Its longest string has at most MAX_FIXED
 * bytes or at most twice the average length, so that padding at most doubles the size, and never more than 65,535
 * bytes. In both forms no string has a 0 byte. */
enum { MAX_CATEGORIES = 32767, MAX_CATEGORY = 1024, MAX_FIXED = 32 };

typedef struct string_stats {
	bool nulls;              /* at least one string is NULL */
	bool zeros;              /* at least one string has a 0 byte, which cannot be distinguished from padding */
	uint64_t longest, bytes; /* bytes of the longest string; bytes of all strings */
} string_stats;

/* Collective. Computes the numbers that determine the form of a column. They are the same on all ranks. */
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

/* Collective. *all becomes the sorted distinct strings of all ranks. If there are more than `limit`, *few becomes false
 * and *all may stay empty. A rank that finds more than `limit` strings stops early. */
static gemp_code find_categories(const gemp_h5 *h5, const gemp_column *column, uint64_t limit,
                                 gemp_string_numbers *numbers, gemp_bytes *all, bool *few)
{
	GEMP_OWNED_BY(gemp_dictionary_free) gemp_dictionary mine = { 0 };
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_string_numbers_new(numbers, column, limit, &mine)));
	uint64_t many = numbers->many;
	gemp_comm_max(h5->comm, &many, 1);
	if (!many)
		GEMP_TRY(gemp_bytes_union(h5->comm, GEMP_OK, &mine.list, all));
	*few = !many && all->count <= limit;
	return GEMP_OK;
}

/* Collective. Writes strings of `size` bytes; shorter strings are padded with zeros. */
static gemp_code put_fixed(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                           size_t size)
{
	GEMP_OWNED char *padded = gemp_calloc(column->rows, size);
	for (size_t i = 0; padded && i < column->rows; i++) {
		gemp_value value = gemp_column_get(column, i);
		if (value.string.size)
			memcpy(padded + i * size, value.string.bytes, value.string.size);
	}
	return gemp_h5_write(h5, padded ? GEMP_OK : GEMP_ENOMEM, path, (gemp_h5_type){ GEMP_H5_TEXT, size }, rows, padded);
}

gemp_h5_type gemp_file_code_type(uint64_t categories)
{
	return gemp_h5_type_of(categories <= INT8_MAX ? GEMP_H5_I8 : categories <= INT16_MAX ? GEMP_H5_I16 : GEMP_H5_I32);
}

void gemp_file_set_code(void *codes, gemp_h5_type type, size_t index, int32_t category)
{
	if (type.kind == GEMP_H5_I8)
		((int8_t *)codes)[index] = (int8_t)category;
	else if (type.kind == GEMP_H5_I16)
		((int16_t *)codes)[index] = (int16_t)category;
	else
		((int32_t *)codes)[index] = category;
}

/* All code types are signed, so -1 stays -1 when it is widened. */
int64_t gemp_file_get_code(const void *codes, gemp_h5_type type, size_t index)
{
	if (type.kind == GEMP_H5_I8)
		return ((const int8_t *)codes)[index];
	if (type.kind == GEMP_H5_I16)
		return ((const int16_t *)codes)[index];
	return ((const int32_t *)codes)[index];
}

/* Collective. Rank 0 writes its list. The other ranks take part without elements. */
static gemp_code put_list(const gemp_h5 *h5, gemp_code code, const char *path, const gemp_bytes *list)
{
	/* bytes of the longest text; number of texts */
	uint64_t longest_count[2] = { 1, h5->comm->rank == 0 ? list->count : 0 };
	GEMP_OWNED char *padded = NULL;
	for (size_t i = 0; i < list->count; i++)
		longest_count[0] = gemp_max(longest_count[0], gemp_bytes_at(list, i).size);
	gemp_comm_max(h5->comm, longest_count, 2);
	const uint64_t longest = longest_count[0], count = longest_count[1];
	padded = gemp_calloc(list->count, longest);
	for (size_t i = 0; padded && i < list->count; i++) {
		const gemp_string text = gemp_bytes_at(list, i);
		if (text.size)
			memcpy(padded + i * longest, text.bytes, text.size);
	}
	GEMP_THEN(padded ? GEMP_OK : GEMP_ENOMEM);
	return gemp_h5_write(h5, code, path, (gemp_h5_type){ GEMP_H5_TEXT, longest },
	                     (gemp_h5_slab){ count, 0, h5->comm->rank == 0 ? count : 0 }, padded);
}

/* Texts are stored as strings of fixed length, which AnnData reads and parallel HDF5 can write. */
gemp_code gemp_file_put_texts(const gemp_h5 *h5, const char *path, const char *const *texts, size_t count)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes list = { 0 };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count; i++)
		GEMP_THEN(gemp_bytes_add(&list, texts[i], strlen(texts[i])));
	return put_list(h5, code, path, &list);
}

/* Collective. Codes are not ordered. */
static gemp_code put_categorical_group(const gemp_h5 *h5, const char *path)
{
	GEMP_TRY(gemp_h5_group(h5, path, "categorical", "0.2.0"));
	return gemp_h5_put_flag(h5, path, "ordered", false);
}

/* The group follows AnnData's encoding of pandas' categorical columns. */
gemp_code gemp_file_put_codes(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_slab rows, gemp_h5_type type,
                              const void *codes)
{
	GEMP_TRY(put_categorical_group(h5, path));
	return gemp_h5_write_in(h5, code, path, "codes", type, rows, codes);
}

gemp_code gemp_file_put_zero_codes(const gemp_h5 *h5, const char *path, uint64_t total, gemp_h5_type type)
{
	GEMP_OWNED char *codes = gemp_h5_join(path, "codes");
	GEMP_TRY(put_categorical_group(h5, path));
	return gemp_h5_write_constant(h5, codes, type, total, 0);
}

/* Codes of a column, which all threads write. */
typedef struct category_codes {
	const uint32_t *categories;
	gemp_h5_type type;
	void *codes;
} category_codes;

static void set_codes(void *context, size_t begin, size_t end)
{
	const category_codes *t = context;
	for (size_t i = begin; i < end; i++)
		gemp_file_set_code(t->codes, t->type, i, (int32_t)t->categories[i]);
}

/* Collective. The code of a string is its index among the sorted categories of all ranks. */
static gemp_code put_categorical(const gemp_h5 *h5, const char *path, gemp_string_numbers *numbers, gemp_h5_slab rows,
                                 const gemp_bytes *categories)
{
	const gemp_h5_type type = gemp_file_code_type(categories->count);
	GEMP_OWNED char *below = gemp_h5_join(path, "categories"), *codes = gemp_calloc(numbers->rows, type.size);
	gemp_code code = codes ? gemp_string_numbers_categorize(numbers, categories) : GEMP_ENOMEM;
	if (code == GEMP_OK)
		gemp_for_elements(numbers->rows, set_codes, &(category_codes){ numbers->of, type, codes });
	GEMP_TRY(gemp_file_put_codes(h5, code, path, rows, type, codes));
	return put_list(h5, GEMP_OK, below, categories);
}

/* A rank whose rows have no NULL writes zeros, since other ranks have NULLs. */
gemp_code gemp_file_put_mask(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED uint8_t *mask = NULL;
	gemp_code code = GEMP_NEW(mask, column->rows);
	if (code == GEMP_OK && column->null && column->rows)
		memcpy(mask, column->null, column->rows);
	return gemp_h5_write_in(h5, code, path, "mask", gemp_h5_type_of(GEMP_H5_BOOL), rows, mask);
}

/* Collective. An offset counts the bytes of all ranks. base: the number of bytes on lower ranks. The last rank also
 * writes the final offset. */
static gemp_code put_offsets(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                             uint64_t base)
{
	uint64_t count = rows.count + (h5->comm->rank == h5->comm->size - 1);
	GEMP_OWNED uint64_t *offsets = NULL;
	gemp_code code = GEMP_NEW(offsets, count);
	for (uint64_t i = 0; i < count && code == GEMP_OK; i++)
		offsets[i] = base + (column->rows ? column->offsets[i] : 0);
	return gemp_h5_write_in(h5, code, path, "offsets", gemp_h5_type_of(GEMP_H5_U64),
	                        (gemp_h5_slab){ rows.total + 1, rows.first, count }, offsets);
}

/* Collective. Writes strings of any length as offsets and bytes, so that a rank can read its rows alone. */
static gemp_code put_long(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows,
                          const string_stats *stats)
{
	uint64_t mine = column->rows ? column->offsets[column->rows] : 0, base = gemp_comm_exscan(h5->comm, mine);
	GEMP_TRY(gemp_h5_group(h5, path, "gemp-strings", "0.1.0"));
	GEMP_TRY(put_offsets(h5, path, column, rows, base));
	GEMP_TRY(gemp_h5_write_in(h5, GEMP_OK, path, "bytes", gemp_h5_type_of(GEMP_H5_U8),
	                          (gemp_h5_slab){ stats->bytes, base, mine }, column->bytes));
	return stats->nulls ? gemp_file_put_mask(h5, path, column, rows) : GEMP_OK;
}

/* The categorical form stores each distinct string once, so it is tried first. Fixed length needs no offsets. Offsets
 * and bytes hold every column. */
gemp_code gemp_file_put_strings(const gemp_h5 *h5, const char *group, const char *strings, const char *name,
                                const gemp_column *column, gemp_h5_slab rows, char **path)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes categories = { 0 };
	GEMP_OWNED_BY(gemp_string_numbers_free) gemp_string_numbers numbers = { 0 };
	string_stats stats = collect_stats(h5, column);
	bool few = false;
	if (!stats.zeros && stats.longest <= MAX_CATEGORY)
		GEMP_TRY(find_categories(h5, column, gemp_min(rows.total / 2, MAX_CATEGORIES), &numbers, &categories, &few));
	bool fixed = !few && !stats.zeros && !stats.nulls && stats.longest <= UINT16_MAX &&
	             (stats.longest <= MAX_FIXED || stats.longest * rows.total <= 2 * stats.bytes);
	*path = name ? gemp_h5_join(few || fixed ? group : strings, name) : NULL;
	if (few)
		return put_categorical(h5, *path, &numbers, rows, &categories);
	if (fixed)
		return put_fixed(h5, *path, column, rows, gemp_max(stats.longest, 1));
	GEMP_TRY(gemp_h5_make_groups(h5, strings));
	return put_long(h5, *path, column, rows, &stats);
}

/* READING */

gemp_code gemp_file_damaged(const gemp_h5 *h5, const char *path, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", h5->path, path, what);
}

/* Collective. Reads this rank's rows of a dataset and the `more` elements after them into *data[rows.count + more],
 * which the caller frees. The elements after a rank's rows belong to the next rank, so only the last rank counts them
 * for the checksum. */
static gemp_code read_rows(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, uint64_t more, gemp_h5_type *type,
                           void **data)
{
	uint64_t total = 0, last = h5->comm->rank == h5->comm->size - 1, count = rows.count + more;
	GEMP_TRY(gemp_h5_info(h5, path, type, &total));
	if (total != rows.total + more)
		return gemp_file_damaged(h5, path, "has another number of rows than its table");
	*data = gemp_calloc(count, type->size);
	return gemp_h5_read(h5, *data ? GEMP_OK : GEMP_ENOMEM, path, *type, rows.first, count,
	                    rows.count + (last ? more : 0), *data);
}

/* Collective. Reads the dataset `name` of a group as read_rows does. */
static gemp_code read_below(const gemp_h5 *h5, const char *group, const char *name, gemp_h5_slab rows, uint64_t more,
                            gemp_h5_type *type, void **data)
{
	GEMP_OWNED char *path = gemp_h5_join(group, name);
	return read_rows(h5, path, rows, more, type, data);
}

/* The length of a text without the zeros that pad it. */
static size_t text_length(const char *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return size;
}

static gemp_code add_text(gemp_column *column, const char *bytes, size_t size)
{
	return gemp_column_add(column, &(gemp_value){ .type = column->type, .string = { bytes, size } });
}

/* Collective. Reads strings of fixed length and removes their padding. */
static gemp_code get_fixed(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	GEMP_OWNED void *data = NULL;
	GEMP_TRY(read_rows(h5, path, rows, 0, &type, &data));
	if (type.kind != GEMP_H5_TEXT)
		code = gemp_file_damaged(h5, path, "is not of strings");
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++) {
		const char *bytes = (char *)data + i * type.size;
		code = add_text(column, bytes, text_length(bytes, type.size));
	}
	return gemp_comm_agree(h5->comm, code);
}

/* A list is short, so every rank reads it completely. Only rank 0's elements count for the checksum. */
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
	gemp_code code = data ? GEMP_NEW(out.text, total) : GEMP_ENOMEM;
	GEMP_TRY(gemp_h5_read(h5, code, path, type, 0, total, h5->comm->rank == 0 ? total : 0, data));
	for (; out.count < total && code == GEMP_OK; out.count++) {
		const char *bytes = data + out.count * type.size;
		out.text[out.count] = gemp_strndup(bytes, text_length(bytes, type.size));
		code = out.text[out.count] ? GEMP_OK : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	*texts = out;
	out = (gemp_h5_texts){ 0 };
	return GEMP_OK;
}

/* The caller checks the codes against the categories, since -1 is allowed in columns but not in label sets. */
gemp_code gemp_file_get_codes(const gemp_h5 *h5, const char *path, gemp_h5_slab rows, gemp_h5_type *type, void **codes)
{
	GEMP_TRY(read_below(h5, path, "codes", rows, 0, type, codes));
	if (type->kind == GEMP_H5_I8 || type->kind == GEMP_H5_I16 || type->kind == GEMP_H5_I32)
		return GEMP_OK;
	return gemp_file_damaged(h5, path, "has codes that are no integers");
}

/* Codes of a column while they become rows of its categories, of which the last one is NULL. */
typedef struct code_task {
	const void *codes;
	gemp_h5_type type;
	uint64_t categories; /* without the NULL */
	uint64_t *picked;    /* [rows] */
	atomic_bool damaged;
} code_task;

static void read_codes(void *context, size_t begin, size_t end)
{
	code_task *t = context;
	for (size_t i = begin; i < end; i++) {
		int64_t category = gemp_file_get_code(t->codes, t->type, i);
		t->picked[i] = category == -1 ? t->categories : (uint64_t)category;
		if (category != -1 && t->picked[i] >= t->categories)
			atomic_store_explicit(&t->damaged, true, memory_order_relaxed);
	}
}

/* Local. Makes a column of the categories and a NULL. */
static gemp_code list_categories(gemp_column *out, const gemp_column *column, const gemp_h5_texts *categories)
{
	GEMP_TRY(gemp_column_init(out, column->name, column->type));
	for (size_t c = 0; c < categories->count; c++)
		GEMP_TRY(add_text(out, categories->text[c], strlen(categories->text[c])));
	return gemp_column_add(out, &(gemp_value){ .type = column->type, .null = true });
}

/* Local. Replaces the column by the categories of its rows, which all threads gather. */
static gemp_code gather_categories(const gemp_h5 *h5, const char *path, gemp_column *column, code_task *codes,
                                   const gemp_h5_texts *categories, uint64_t rows)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column list = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column made = { 0 };
	GEMP_OWNED uint64_t *picked = NULL;
	GEMP_TRY(list_categories(&list, column, categories));
	GEMP_TRY(GEMP_NEW(picked, rows));
	codes->picked = picked;
	codes->categories = categories->count;
	gemp_for_elements((size_t)rows, read_codes, codes);
	if (atomic_load(&codes->damaged))
		return gemp_file_damaged(h5, path, "has a code beyond its categories");
	GEMP_TRY(gemp_column_gather(&made, &list, NULL, picked, (size_t)rows));
	gemp_column_free(column);
	*column = made;
	made = (gemp_column){ 0 };
	return GEMP_OK;
}

/* Collective. Every rank reads all categories, and the codes of its own rows. */
static gemp_code get_categorical(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_h5_type type;
	GEMP_OWNED char *below = gemp_h5_join(path, "categories");
	GEMP_OWNED void *codes = NULL;
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts categories = { 0 };
	GEMP_TRY(gemp_file_get_texts(h5, below, &categories));
	GEMP_TRY(gemp_file_get_codes(h5, path, rows, &type, &codes));
	code_task task = { .codes = codes, .type = type };
	return gemp_comm_agree(h5->comm, gather_categories(h5, path, column, &task, &categories, rows.count));
}

/* A mask without any NULL is dropped, so that reading a value of the column needs no look at a mask. */
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

/* Local. Checks that offsets[rows + 1] ascend and do not exceed `bytes`, and subtracts the first offset from all. */
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

/* Collective. A rank's offsets give the range of its bytes. */
static gemp_code get_bytes(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED char *below = gemp_h5_join(path, "bytes");
	GEMP_OWNED void *offsets = NULL;
	gemp_h5_type bytes, type;
	uint64_t total = 0;
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
	column->rows = column->capacity = rows.count;
	column->bytes_capacity = count;
	return gemp_h5_read(h5, code, below, bytes, base, count, count, column->bytes);
}

/* Collective. The mask exists only if at least one string is NULL. */
static gemp_code get_long(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED char *below = gemp_h5_join(path, "mask");
	bool masked = false;
	GEMP_TRY(get_bytes(h5, path, column, rows));
	GEMP_TRY(gemp_h5_exists(h5, below, &masked));
	return masked ? gemp_file_get_mask(h5, path, column, rows) : GEMP_OK;
}

/* The attribute encoding-type gives the form of the column. */
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
