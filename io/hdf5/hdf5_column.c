/* HDF5 converts numbers of any type to 64-bit integers or doubles. AnnData encodes some columns as groups: a
 * categorical column has codes and categories, where code -1 is NULL; a nullable column has values and a mask. NaN is
 * NULL, too. Strings of our own files may be offsets and bytes. */

#include "io/hdf5/hdf5_column.h"

#include "core/memory.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_claim.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <string.h>

typedef struct open_column {
	const gemp_h5 *h5;
	char *path;
	hid_t dataset;
	uint64_t length, at; /* number of rows; for an array reader the next row */
	bool known;          /* a column can have this type */
	gemp_type type;
} open_column;

/* The column may be open only in part, after a failure of open_dataset. */
static void close_dataset(open_column *o)
{
	gemp_h5_release(o->dataset);
	gemp_free(o->path);
	*o = (open_column){ .dataset = H5I_INVALID_HID };
}

/* An enum is read as a boolean, since h5py stores booleans as an enum. */
static gemp_code open_dataset(open_column *o, const gemp_h5 *h5, const char *path)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = H5I_INVALID_HID;
	hsize_t size[GEMP_H5_DIMENSIONS];
	int dimensions;
	*o = (open_column){ .h5 = h5, .path = path ? gemp_strdup(path) : NULL, .dataset = H5I_INVALID_HID };
	if (!o->path)
		return GEMP_ENOMEM;
	GEMP_TRY(GEMP_HDF5(h5, o->dataset = H5Dopen2(h5->file, path, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, type = H5Dget_type(o->dataset)));
	GEMP_TRY(gemp_h5_extent(h5, o->dataset, &dimensions, size));
	if (dimensions != 1)
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' has %d dimensions and must have one; flatten it", h5->path, path,
		                 dimensions);
	GEMP_TRY(gemp_h5_check_claim(h5, o->dataset, path));
	const H5T_class_t class = H5Tget_class(type);
	o->length = size[0];
	o->known = class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM || class == H5T_STRING;
	o->type = class == H5T_INTEGER ? GEMP_INTEGER
	          : class == H5T_FLOAT ? GEMP_FLOAT
	          : class == H5T_ENUM  ? GEMP_BOOLEAN
	                               : GEMP_STRING;
	return GEMP_OK;
}

/* HDF5 converts the elements to `type`. The message assumes that datasets which belong together have the same
 * length. */
static gemp_code read_rows(const open_column *o, uint64_t first, size_t count, hid_t type, void *data)
{
	if (first > o->length || count > o->length - first)
		return gemp_fail(GEMP_EDATA,
		                 "%s: dataset '%s' has %" PRIu64
		                 " rows, fewer than the datasets that belong to it; the file is damaged, write it again",
		                 o->h5->path, o->path, o->length);
	return gemp_h5_move(o->h5, o->dataset, type, first, count, data);
}

static gemp_code read_numbers(const open_column *o, uint64_t first, size_t count, int64_t *integers, double *reals)
{
	return reals ? read_rows(o, first, count, H5T_NATIVE_DOUBLE, reals)
	             : read_rows(o, first, count, H5T_NATIVE_INT64, integers);
}

/* ARRAYS */

/* Each call continues where the previous call ended. */
static gemp_code next_elements(void *self, size_t count, int64_t *integers, double *reals)
{
	open_column *o = self;
	const uint64_t first = o->at;
	o->at += count;
	return read_numbers(o, first, count, integers, reals);
}

static void close_array(void *self)
{
	close_dataset(self);
	gemp_free(self);
}

/* The reader owns the dataset and keeps it open, since an array is read in many small parts. */
gemp_code gemp_h5_open_array(gemp_array_reader *out, const gemp_h5 *h5, const char *group, const char *name)
{
	GEMP_OWNED char *path = gemp_h5_join(group, name);
	open_column *o;
	GEMP_TRY(GEMP_NEW(o, 1));
	gemp_code code = open_dataset(o, h5, path);
	if (code == GEMP_OK && (!o->known || o->type == GEMP_STRING))
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' holds no numbers; store integers, floats or booleans", h5->path,
		                 path);
	if (code == GEMP_OK)
		*out = (gemp_array_reader){
			.self = o, .length = o->length, .type = o->type, .next = next_elements, .close = close_array
		};
	else
		close_array(o);
	return code;
}

static gemp_code open_object(const gemp_h5 *h5, const char *path, hid_t *object, bool *group)
{
	if (!path)
		return GEMP_ENOMEM;
	GEMP_TRY(GEMP_HDF5(h5, *object = H5Oopen(h5->file, path, H5P_DEFAULT)));
	*group = H5Iget_type(*object) == H5I_GROUP;
	return GEMP_OK;
}

/* Reads only metadata and no elements. Strings have an offset more than they are. */
gemp_code gemp_h5_length(const gemp_h5 *h5, const char *path, uint64_t *length)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t object = H5I_INVALID_HID;
	GEMP_OWNED_BY(close_dataset) open_column o = { .dataset = H5I_INVALID_HID };
	bool group;
	GEMP_TRY(open_object(h5, path, &object, &group));
	GEMP_OWNED char *offsets = group ? gemp_h5_join(path, "offsets") : NULL;
	if (group && !offsets)
		return GEMP_ENOMEM;
	GEMP_TRY(open_dataset(&o, h5, group ? offsets : path));
	*length = group && o.length ? o.length - 1 : o.length;
	return GEMP_OK;
}

/* COLUMNS */

/* Numbers of any width are read as 64-bit integers or doubles. */
static gemp_code add_numbers(gemp_column *out, const open_column *o, uint64_t first, size_t count)
{
	const bool real = out->type == GEMP_FLOAT;
	GEMP_OWNED int64_t *integers = NULL;
	GEMP_OWNED double *reals = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(integers, count), GEMP_ARRAY(reals, count)));
	GEMP_TRY(read_numbers(o, first, count, integers, real ? reals : NULL));
	for (size_t i = 0; i < count; i++) {
		const gemp_value value = gemp_array_value(out->type, integers[i], reals[i]);
		GEMP_TRY(gemp_column_add(out, &value));
	}
	return GEMP_OK;
}

/* Other programs may store any bytes in a string, but a graph holds only UTF-8. */
static gemp_code add_string(gemp_column *out, const char *bytes, size_t size)
{
	const gemp_value value = { .type = GEMP_STRING, .string = { bytes, size } };
	if (gemp_utf8_check(bytes, size) < size)
		return gemp_fail(GEMP_EDATA, "column '%s': row %zu (from 0) is not UTF-8; convert the column to UTF-8",
		                 out->name, out->rows);
	return gemp_column_add(out, &value);
}

/* HDF5 allocates strings of variable length, and H5Dvlen_reclaim frees them. */
static gemp_code add_variable(gemp_column *out, const open_column *o, hid_t type, uint64_t first, size_t count)
{
	GEMP_OWNED char **texts = NULL;
	hsize_t size = count;
	GEMP_TRY(GEMP_NEW(texts, count));
	gemp_code code = read_rows(o, first, count, type, texts);
	if (code != GEMP_OK || count == 0)
		return code;
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = add_string(out, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) : 0);
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t space = H5Screate_simple(1, &size, NULL);
	if (space >= 0)
		H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
	return code;
}

/* A string of fixed length is padded with zeros, so the first zero ends it. */
static gemp_code add_fixed(gemp_column *out, const open_column *o, hid_t type, uint64_t first, size_t count)
{
	size_t width = H5Tget_size(type);
	GEMP_OWNED char *bytes = NULL;
	GEMP_TRY(GEMP_NEW(bytes, count * width));
	GEMP_TRY(read_rows(o, first, count, type, bytes));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(add_string(out, bytes + i * width, strnlen(bytes + i * width, width)));
	return GEMP_OK;
}

/* HDF5 has strings of variable and of fixed length, which are read differently. */
static gemp_code add_strings(gemp_column *out, const open_column *o, uint64_t first, size_t count)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = H5Dget_type(o->dataset);
	return (H5Tis_variable_str(type) > 0 ? add_variable : add_fixed)(out, o, type, first, count);
}

/* *known becomes false if a column cannot have the dataset's type. The caller then omits the column. */
static gemp_code read_dataset(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                              size_t count, bool *known)
{
	GEMP_OWNED_BY(close_dataset) open_column o = { 0 };
	GEMP_TRY(open_dataset(&o, h5, path));
	*known = o.known;
	if (!o.known)
		return GEMP_OK;
	GEMP_TRY(gemp_column_init(out, name, o.type));
	GEMP_TRY(gemp_column_reserve(out, count, 0));
	return (o.type == GEMP_STRING ? add_strings : add_numbers)(out, &o, first, count);
}

/* Reads two datasets of a group as columns: codes and categories, or values and mask. counts[i]: the number of rows
 * from `first` on, or SIZE_MAX for all rows of the dataset. */
static gemp_code read_pair(const gemp_h5 *h5, const char *path, const char *const parts[2], uint64_t first,
                           const size_t counts[2], gemp_column *const out[2], bool *known)
{
	for (int i = 0; i < 2; i++) {
		GEMP_OWNED char *place = gemp_h5_join(path, parts[i]);
		uint64_t length = counts[i];
		bool good = false;
		if (counts[i] == SIZE_MAX)
			GEMP_TRY(gemp_h5_length(h5, place, &length));
		GEMP_TRY(read_dataset(out[i], h5, place, parts[i], counts[i] == SIZE_MAX ? 0 : first, (size_t)length, &good));
		*known &= good;
	}
	return GEMP_OK;
}

/* A negative code is a missing value. Any other code is the index of a category. */
static gemp_code join_categories(gemp_column *out, const gemp_h5 *h5, const char *path, const gemp_column *codes,
                                 const gemp_column *categories)
{
	for (size_t i = 0; i < codes->rows; i++) {
		int64_t at = codes->integers[i];
		gemp_value value = { .type = categories->type, .null = true };
		if (at >= (int64_t)categories->rows)
			return gemp_fail(
				GEMP_EDATA, "%s: '%s' has the code %" PRId64 " and %zu categories; the file is damaged, write it again",
				h5->path, path, at, categories->rows);
		if (at >= 0)
			value = gemp_column_get(categories, (size_t)at);
		GEMP_TRY(gemp_column_add(out, &value));
	}
	return GEMP_OK;
}

/* read_pair has read as many mask rows as values. */
static gemp_code join_mask(gemp_column *out, const gemp_column *values, const gemp_column *mask)
{
	for (size_t i = 0; i < values->rows; i++) {
		gemp_value value = gemp_column_get(values, i);
		value.null |= mask->booleans[i] != 0;
		GEMP_TRY(gemp_column_add(out, &value));
	}
	return GEMP_OK;
}

/* Reads strings of the encoding gemp-strings. String i is the bytes from offset i up to offset i + 1. */
static gemp_code read_strings(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                              size_t count)
{
	GEMP_OWNED_BY(close_dataset) open_column offsets = { .dataset = H5I_INVALID_HID };
	GEMP_OWNED_BY(close_dataset) open_column bytes = { .dataset = H5I_INVALID_HID };
	GEMP_OWNED char *offsets_path = gemp_h5_join(path, "offsets"), *bytes_path = gemp_h5_join(path, "bytes");
	GEMP_OWNED int64_t *at = NULL;
	GEMP_OWNED char *text = NULL;
	GEMP_TRY(open_dataset(&offsets, h5, offsets_path));
	GEMP_TRY(open_dataset(&bytes, h5, bytes_path));
	GEMP_TRY(GEMP_NEW(at, count + 1));
	GEMP_TRY(read_numbers(&offsets, first, count + 1, at, NULL));
	for (size_t i = 0; i < count; i++)
		if (at[i] < 0 || at[i + 1] < at[i])
			return gemp_fail(GEMP_EDATA, "%s: the offsets of '%s' do not ascend; the file is damaged, write it again",
			                 h5->path, path);
	GEMP_TRY(GEMP_NEW(text, (size_t)(at[count] - at[0])));
	GEMP_TRY(read_rows(&bytes, (uint64_t)at[0], (size_t)(at[count] - at[0]), H5T_NATIVE_UCHAR, text));
	GEMP_TRY(gemp_column_init(out, name, GEMP_STRING));
	GEMP_TRY(gemp_column_reserve(out, count, (size_t)(at[count] - at[0])));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(add_string(out, text + (at[i] - at[0]), (size_t)(at[i + 1] - at[i])));
	return GEMP_OK;
}

/* The attribute encoding-type determines which datasets the group has. */
static gemp_code read_group(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                            size_t count, bool *known)
{
	static const char *const categorical[] = { "codes", "categories" }, *const nullable[] = { "values", "mask" };
	GEMP_OWNED_BY(gemp_column_free) gemp_column rows = { 0 }, other = { 0 };
	GEMP_OWNED char *encoding = NULL;
	GEMP_TRY(gemp_h5_get_text(h5, path, "encoding-type", &encoding));
	const bool codes = strcmp(encoding, "categorical") == 0;
	if (strcmp(encoding, "gemp-strings") == 0)
		return read_strings(out, h5, path, name, first, count);
	*known = codes || strcmp(encoding, "nullable-integer") == 0 || strcmp(encoding, "nullable-boolean") == 0;
	if (!*known)
		return GEMP_OK;
	GEMP_TRY(read_pair(h5, path, codes ? categorical : nullable, first, (size_t[]){ count, codes ? SIZE_MAX : count },
	                   (gemp_column *const[]){ &rows, &other }, known));
	*known = *known && (codes ? rows.type == GEMP_INTEGER : other.type == GEMP_BOOLEAN);
	if (!*known)
		return GEMP_OK;
	GEMP_TRY(gemp_column_init(out, name, codes ? other.type : rows.type));
	GEMP_TRY(gemp_column_reserve(out, count, 0));
	return codes ? join_categories(out, h5, path, &rows, &other) : join_mask(out, &rows, &other);
}

/* A column is either a dataset or a group of datasets. */
gemp_code gemp_h5_column(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                         size_t count, bool *known)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t object = H5I_INVALID_HID;
	bool group;
	*out = (gemp_column){ 0 };
	*known = true;
	GEMP_TRY(open_object(h5, path, &object, &group));
	gemp_code code = (group ? read_group : read_dataset)(out, h5, path, name, first, count, known);
	if (code != GEMP_OK || !*known)
		gemp_column_free(out);
	return code;
}

/* ATTRIBUTES */

/* A shape is stored as signed integers, which may be negative in a damaged file. */
gemp_code gemp_h5_shape(const gemp_h5 *h5, const char *path, const char *name, uint64_t *rows, uint64_t *columns)
{
	GEMP_OWNED int64_t *numbers = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_h5_get_numbers(h5, path, name, &numbers, &count));
	if (count != 2 || numbers[0] < 0 || numbers[1] < 0)
		return gemp_fail(
			GEMP_EDATA,
			"%s: attribute '%s' of '%s' is not the shape of a matrix (its rows and its columns); write the "
			"file again",
			h5->path, name, path);
	*rows = (uint64_t)numbers[0];
	*columns = (uint64_t)numbers[1];
	return GEMP_OK;
}
