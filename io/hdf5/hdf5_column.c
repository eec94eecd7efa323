/* Each rank calls these functions for itself, on files of other programs: HDF5 converts number types, and
 * the encodings of AnnData (categorical, nullable) are resolved into values and NULL. */

#include "io/hdf5/hdf5_column.h"

#include "core/status.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/text/cells.h"

#include <math.h>
#include <string.h>

typedef struct open_column {
	const gemp_h5 *h5;
	char *path;
	hid_t dataset;
	uint64_t length, at;
	H5T_class_t kind;
} open_column;

static void close_dataset(open_column *o)
{
	gemp_h5_release(o->dataset);
	gemp_free(o->path);
	*o = (open_column){ .dataset = H5I_INVALID_HID };
}

/* The dataset stays open, as arrays are read in many pieces. */
static gemp_code open_dataset(open_column *o, const gemp_h5 *h5, const char *path)
{
	gemp_code code = GEMP_OK;
	hid_t space = H5I_INVALID_HID, type = H5I_INVALID_HID;
	hsize_t size = 0;
	*o = (open_column){ .h5 = h5, .path = gemp_strdup(path), .dataset = H5I_INVALID_HID };
	if (!o->path)
		return GEMP_ENOMEM;
	GEMP_TRY(GEMP_HDF5(h5, o->dataset = H5Dopen2(h5->file, path, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Dget_space(o->dataset)));
	GEMP_TRY(GEMP_HDF5(h5, type = H5Dget_type(o->dataset)));
	if (H5Sget_simple_extent_ndims(space) != 1)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: dataset '%s' must have one dimension", h5->path, path));
	GEMP_TRY(GEMP_HDF5(h5, H5Sget_simple_extent_dims(space, &size, NULL)));
	o->length = size;
	o->kind = H5Tget_class(type);
done:
	gemp_h5_release(space);
	gemp_h5_release(type);
	if (code != GEMP_OK)
		close_dataset(o);
	return code;
}

/* HDF5 converts to the type of memory. */
static gemp_code read_rows(open_column *o, uint64_t first, size_t count, hid_t type, void *data)
{
	hsize_t start = first, size = count;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t place = H5I_INVALID_HID, memory = H5I_INVALID_HID;
	if (count == 0)
		return GEMP_OK;
	if (first > o->length || count > o->length - first)
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' is shorter than others that belong to it; the file is damaged",
		                 o->h5->path, o->path);
	GEMP_PROPAGATE(GEMP_HDF5(o->h5, place = H5Dget_space(o->dataset)));
	GEMP_PROPAGATE(GEMP_HDF5(o->h5, H5Sselect_hyperslab(place, H5S_SELECT_SET, &start, NULL, &size, NULL)));
	GEMP_PROPAGATE(GEMP_HDF5(o->h5, memory = H5Screate_simple(1, &size, NULL)));
	return GEMP_HDF5(o->h5, H5Dread(o->dataset, type, memory, place, H5P_DEFAULT, data));
}

/* ARRAYS */

static gemp_code next_elements(void *self, size_t count, int64_t *integers, double *reals)
{
	open_column *o = self;
	gemp_code code = reals ? read_rows(o, o->at, count, H5T_NATIVE_DOUBLE, reals)
	                       : read_rows(o, o->at, count, H5T_NATIVE_INT64, integers);
	o->at += count;
	return code;
}

static void close_array(void *self)
{
	close_dataset(self);
	gemp_free(self);
}

/* Enums are booleans as h5py writes them. */
static bool type_of(H5T_class_t kind, gemp_type *type)
{
	*type = kind == H5T_INTEGER ? GEMP_INTEGER
	        : kind == H5T_FLOAT ? GEMP_FLOAT
	        : kind == H5T_ENUM  ? GEMP_BOOLEAN
	                            : GEMP_STRING;
	return kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM || kind == H5T_STRING;
}

/* The array owns the dataset from here on. */
gemp_code gemp_h5_open_array(gemp_array *out, const gemp_h5 *h5, const char *path)
{
	gemp_type type;
	open_column *o;
	gemp_code code = GEMP_NEW(o, 1);
	if (code != GEMP_OK)
		return code;
	o->dataset = H5I_INVALID_HID;
	GEMP_TRY(open_dataset(o, h5, path));
	if (!type_of(o->kind, &type) || type == GEMP_STRING)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: dataset '%s' holds no numbers", h5->path, path));
	*out = (gemp_array){ .self = o, .length = o->length, .type = type, .next = next_elements, .close = close_array };
	o = NULL;
done:
	if (o)
		close_array(o);
	return code;
}

/* The length is that of the only dimension. */
gemp_code gemp_h5_length(const gemp_h5 *h5, const char *path, uint64_t *length)
{
	open_column o;
	gemp_code code = open_dataset(&o, h5, path);
	*length = o.length;
	close_dataset(&o);
	return code;
}

/* COLUMNS */

static gemp_code add_numbers(gemp_column *out, open_column *o, uint64_t first, size_t count)
{
	bool real = out->type == GEMP_FLOAT;
	GEMP_OWNED int64_t *integers = NULL;
	GEMP_OWNED double *reals = NULL;
	GEMP_PROPAGATE(GEMP_NEW(integers, count));
	GEMP_PROPAGATE(GEMP_NEW(reals, count));
	GEMP_PROPAGATE(real ? read_rows(o, first, count, H5T_NATIVE_DOUBLE, reals)
	                    : read_rows(o, first, count, H5T_NATIVE_INT64, integers));
	for (size_t i = 0; i < count; i++) {
		gemp_value value = { .type = out->type };
		if (real) {
			value.real = reals[i];
			value.null = isnan(reals[i]);
		} else if (out->type == GEMP_BOOLEAN) {
			value.truth = integers[i] != 0;
		} else {
			value.integer = integers[i];
		}
		GEMP_PROPAGATE(gemp_column_add(out, &value));
	}
	return GEMP_OK;
}

/* Other programs may store any bytes; graphs hold UTF-8 only. */
static gemp_code add_string(gemp_column *out, const char *bytes, size_t size)
{
	gemp_value value = { .type = GEMP_STRING };
	if (gemp_utf8_check(bytes, size) < size)
		return gemp_fail(GEMP_EDATA, "column '%s' has a string that is not UTF-8; convert it", out->name);
	value.string.bytes = bytes;
	value.string.size = size;
	return gemp_column_add(out, &value);
}

/* HDF5 allocates strings of variable length, and H5Dvlen_reclaim frees them. */
static gemp_code add_variable(gemp_column *out, open_column *o, hid_t type, uint64_t first, size_t count)
{
	gemp_code code = GEMP_OK;
	char **texts = NULL;
	hsize_t size = count;
	hid_t space = H5I_INVALID_HID;
	GEMP_TRY(GEMP_NEW(texts, count));
	GEMP_TRY(read_rows(o, first, count, type, texts));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = add_string(out, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) : 0);
	if (count && (space = H5Screate_simple(1, &size, NULL)) >= 0) {
		H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
		H5Sclose(space);
	}
done:
	gemp_free(texts);
	return code;
}

/* Padding with zeros or blanks: a zero ends the string. */
static gemp_code add_fixed(gemp_column *out, open_column *o, hid_t type, uint64_t first, size_t count)
{
	size_t width = H5Tget_size(type);
	GEMP_OWNED char *bytes = NULL;
	GEMP_PROPAGATE(GEMP_NEW(bytes, count * width));
	GEMP_PROPAGATE(read_rows(o, first, count, type, bytes));
	for (size_t i = 0; i < count; i++)
		GEMP_PROPAGATE(add_string(out, bytes + i * width, strnlen(bytes + i * width, width)));
	return GEMP_OK;
}

/* The two kinds of strings of HDF5 are read differently. */
static gemp_code add_strings(gemp_column *out, open_column *o, uint64_t first, size_t count)
{
	hid_t type = H5Dget_type(o->dataset);
	gemp_code code = H5Tis_variable_str(type) > 0 ? add_variable(out, o, type, first, count)
	                                              : add_fixed(out, o, type, first, count);
	H5Tclose(type);
	return code;
}

/* Types that a column cannot have are reported by *known, so that the caller can leave the column out. */
static gemp_code read_dataset(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                              size_t count, bool *known)
{
	gemp_code code = GEMP_OK;
	gemp_type type;
	open_column o;
	GEMP_PROPAGATE(open_dataset(&o, h5, path));
	*known = type_of(o.kind, &type);
	if (*known) {
		code = gemp_column_init(out, name, type);
		GEMP_THEN(gemp_column_reserve(out, count, 0));
		GEMP_THEN(type == GEMP_STRING ? add_strings(out, &o, first, count) : add_numbers(out, &o, first, count));
	}
	close_dataset(&o);
	return code;
}

/* Local, unlike gemp_h5_join, as this file's functions are. */
static gemp_code join_path(char **out, const char *path, const char *part)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", path, part);
	*out = text.data;
	return gemp_text_status(&text);
}

/* Two columns of a group: codes of rows and what they stand for, or values and where they are NULL. */
static gemp_code read_pair(const gemp_h5 *h5, const char *path, const char *const parts[2], const uint64_t first[2],
                           size_t count, gemp_column out[2], bool *known)
{
	gemp_code code = GEMP_OK;
	for (int i = 0; i < 2 && code == GEMP_OK; i++) {
		char *place;
		uint64_t length = count;
		bool good = false;
		GEMP_PROPAGATE(join_path(&place, path, parts[i]));
		if (first[i] == UINT64_MAX) /* all of it */
			code = gemp_h5_length(h5, place, &length);
		GEMP_THEN(
			read_dataset(&out[i], h5, place, parts[i], first[i] == UINT64_MAX ? 0 : first[i], (size_t)length, &good));
		*known &= good;
		gemp_free(place);
	}
	return code;
}

/* A code of -1 is a missing value; others index the categories. */
static gemp_code join_categories(gemp_column *out, const gemp_h5 *h5, const char *path, const gemp_column *codes,
                                 const gemp_column *categories)
{
	for (size_t i = 0; i < codes->rows; i++) {
		int64_t at = codes->integers[i];
		gemp_value value = { .type = categories->type, .null = true };
		if (at >= (int64_t)categories->rows)
			return gemp_fail(GEMP_EDATA, "%s: '%s' has a code beyond its categories; the file is damaged", h5->path,
			                 path);
		if (at >= 0)
			value = gemp_column_get(categories, (size_t)at);
		GEMP_PROPAGATE(gemp_column_add(out, &value));
	}
	return GEMP_OK;
}

/* AnnData stores values and a mask of the same length. */
static gemp_code join_mask(gemp_column *out, const gemp_column *values, const gemp_column *mask)
{
	for (size_t i = 0; i < values->rows; i++) {
		gemp_value value = gemp_column_get(values, i);
		value.null |= mask->booleans[i] != 0;
		GEMP_PROPAGATE(gemp_column_add(out, &value));
	}
	return GEMP_OK;
}

/* The encoding says how the datasets of the group belong together. */
static gemp_code read_group(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                            size_t count, bool *known)
{
	static const char *const categorical[] = { "codes", "categories" }, *const nullable[] = { "values", "mask" };
	gemp_code code = GEMP_OK;
	gemp_column pair[2] = { { 0 }, { 0 } };
	char *encoding = NULL;
	GEMP_TRY(gemp_h5_get_text(h5, path, "encoding-type", &encoding));
	bool codes = strcmp(encoding, "categorical") == 0;
	*known = codes || strcmp(encoding, "nullable-integer") == 0 || strcmp(encoding, "nullable-boolean") == 0;
	if (!*known)
		goto done;
	const uint64_t from[] = { first, codes ? UINT64_MAX : first };
	GEMP_TRY(read_pair(h5, path, codes ? categorical : nullable, from, count, pair, known));
	*known = *known && (codes ? pair[0].type == GEMP_INTEGER : pair[1].type == GEMP_BOOLEAN);
	if (!*known)
		goto done;
	GEMP_TRY(gemp_column_init(out, name, pair[codes ? 1 : 0].type));
	GEMP_TRY(gemp_column_reserve(out, count, 0));
	code = codes ? join_categories(out, h5, path, &pair[0], &pair[1]) : join_mask(out, &pair[0], &pair[1]);
done:
	gemp_column_free(&pair[0]);
	gemp_column_free(&pair[1]);
	gemp_free(encoding);
	return code;
}

/* Groups and datasets are told apart by the object's kind. */
gemp_code gemp_h5_column(gemp_column *out, const gemp_h5 *h5, const char *path, const char *name, uint64_t first,
                         size_t count, bool *known)
{
	gemp_code code = GEMP_OK;
	hid_t object = H5I_INVALID_HID;
	*out = (gemp_column){ 0 };
	*known = true;
	GEMP_TRY(GEMP_HDF5(h5, object = H5Oopen(h5->file, path, H5P_DEFAULT)));
	code = (H5Iget_type(object) == H5I_GROUP ? read_group : read_dataset)(out, h5, path, name, first, count, known);
done:
	gemp_h5_release(object);
	if (code != GEMP_OK || !*known)
		gemp_column_free(out);
	return code;
}

/* ATTRIBUTES */

gemp_code gemp_h5_shape(const gemp_h5 *h5, const char *path, const char *name, uint64_t *rows, uint64_t *columns)
{
	int64_t *numbers = NULL;
	size_t count = 0;
	gemp_code code = gemp_h5_get_numbers(h5, path, name, &numbers, &count);
	if (code == GEMP_OK && (count != 2 || numbers[0] < 0 || numbers[1] < 0))
		code = gemp_fail(GEMP_EDATA, "%s: attribute '%s' of '%s' is no shape of a matrix", h5->path, name, path);
	if (code == GEMP_OK) {
		*rows = (uint64_t)numbers[0];
		*columns = (uint64_t)numbers[1];
	}
	gemp_free(numbers);
	return code;
}
