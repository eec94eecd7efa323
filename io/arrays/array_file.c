/* Two sources of the same thing. A .npy has a header of text and then its numbers, which are read at their
 * places; a table in Fortran order is read column by column. A dataset of HDF5 is read by hyperslabs of
 * rows, and the library decompresses and converts. */

#include "io/arrays/array_file.h"

#include "core/memory.h"
#include "core/threads.h"
#include "io/file/local_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BATCH_BYTES = 64 << 20 }; /* of elements that wait to become floats */

bool gemp_array_file_is(const char *place)
{
	return gemp_file_ends_in(place, ".npy") || gemp_file_ends_in(place, ".h5") || strstr(place, ".h5:");
}

/* numpy's reshape turns most other shapes into the wanted one. */
static gemp_code wrong_dimensions(const gemp_array_file *file, unsigned wanted, int found)
{
	return gemp_fail(GEMP_EDATA, "%s has %d dimension%s; %s", file->where.data, found, found == 1 ? "" : "s",
	                 wanted == 1 ? "numbers are an array of one"
	                             : "vectors are a table of two: rows, and numbers in each (a.reshape(len(a), -1))");
}

/* .npy */

static gemp_code open_npy(gemp_array_file *file, const char *path, unsigned dimensions)
{
	gemp_npy_header *header = &file->header;
	gemp_text_print(&file->where, "%s: the array", path);
	GEMP_PROPAGATE(gemp_text_status(&file->where));
	file->npy = fopen(path, "rb");
	if (!file->npy || (getc(file->npy) == EOF && ferror(file->npy))) /* a folder fails when it is read */
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	rewind(file->npy);
	GEMP_PROPAGATE(gemp_npy_read_file_header(header, file->npy, file->where.data, &file->data, &file->bytes));
	if (dimensions == 2 && header->dimensions != 2)
		return wrong_dimensions(file, 2, (int)header->dimensions);
	file->kind = header->kind;
	file->width = header->width;
	file->fortran = dimensions == 2 && header->fortran;
	file->rows = dimensions == 2 ? header->shape[0] : header->length;
	file->columns = dimensions == 2 ? header->shape[1] : 1;
	return GEMP_OK;
}

/* Elements lie in the file one behind the other, so that one seek and one read suffice. */
static gemp_code read_npy_elements(const gemp_array_file *file, uint64_t first, size_t count, void *elements)
{
	if (fseeko(file->npy, (off_t)(file->data + first * file->width), SEEK_SET) != 0 ||
	    fread(elements, file->width, count, file->npy) != count)
		return gemp_fail(GEMP_EIO, "%s cannot be read: %s", file->where.data, strerror(errno));
	return GEMP_OK;
}

/* Each column is read for itself, and its elements go to their places in the rows. */
static gemp_code read_npy_columns(const gemp_array_file *file, uint64_t first, size_t count, char *elements)
{
	const size_t width = file->width;
	GEMP_OWNED char *column = NULL;
	GEMP_PROPAGATE(GEMP_NEW(column, count * width));
	for (size_t c = 0; c < file->columns; c++) {
		GEMP_PROPAGATE(read_npy_elements(file, c * file->rows + first, count, column));
		for (size_t i = 0; i < count; i++)
			memcpy(elements + (i * file->columns + c) * width, column + i * width, width);
	}
	return GEMP_OK;
}

/* Numbers of the other byte order are turned after reading: numpy writes them only where it was told to. */
static gemp_code read_npy(const gemp_array_file *file, uint64_t first, size_t count, void *elements)
{
	GEMP_PROPAGATE(file->fortran
	                   ? read_npy_columns(file, first, count, elements)
	                   : read_npy_elements(file, first * file->columns, count * (size_t)file->columns, elements));
	gemp_npy_to_native(&file->header, elements, count * (size_t)file->columns);
	return GEMP_OK;
}

/* HDF5 */

/* Other programs compress in ways that this library may lack. */
static gemp_code check_filters(const gemp_array_file *file)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID;
	GEMP_PROPAGATE(GEMP_HDF5(&file->h5, creation = H5Dget_create_plist(file->dataset_id)));
	const int filters = H5Pget_nfilters(creation);
	for (int i = 0; i < filters && code == GEMP_OK; i++) {
		char name[32] = "";
		unsigned flags;
		size_t values = 0;
		const H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, sizeof name - 1, name,
		                                           NULL);
		if (H5Zfilter_avail(filter) <= 0)
			code = gemp_fail(
				GEMP_EDATA, "%s is compressed by '%s' (filter %d), which this HDF5 library has not; write it with gzip",
				file->where.data, name, (int)filter);
	}
	return code;
}

/* Sets kind and width. Booleans are as h5py writes them; HDF5 takes them for the integers that they are stored as. */
static gemp_code find_type(gemp_array_file *file, hid_t type)
{
	static const char *const classes[] = {
		[H5T_TIME] = "times",
		[H5T_STRING] = "texts",
		[H5T_BITFIELD] = "fields of bits",
		[H5T_OPAQUE] = "opaque bytes",
		[H5T_COMPOUND] = "records, such as complex numbers",
		[H5T_REFERENCE] = "references",
		[H5T_ENUM] = "words (an enum)",
		[H5T_VLEN] = "lists of any length",
		[H5T_ARRAY] = "arrays",
	};
	const H5T_class_t class = H5Tget_class(type);
	const size_t size = H5Tget_size(type);
	hid_t boolean = gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL));
	const bool is_boolean = class == H5T_ENUM && H5Tequal(boolean, type) > 0;
	bool known = class >= 0 && (size_t) class < sizeof classes / sizeof *classes && classes[class];
	gemp_h5_release(boolean);
	if (is_boolean)
		file->kind = 'b';
	else if (class == H5T_FLOAT)
		file->kind = 'f';
	else if (class == H5T_INTEGER)
		file->kind = H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
	else
		return gemp_fail(GEMP_EDATA,
		                 "%s holds %s; integers, floats and booleans are read: save it as one of them, such as 'f4'",
		                 file->where.data, known ? classes[class] : "no numbers");
	file->width = is_boolean ? 1 : size > 4 ? 8 : size > 2 || class == H5T_FLOAT ? 4 : (unsigned)size;
	return GEMP_OK;
}

/* A dataset without a shape (h5py.Empty, a scalar) has 0 dimensions and is refused like any other wrong
 * number. */
static gemp_code find_shape(gemp_array_file *file, unsigned dimensions)
{
	hsize_t size[2] = { 0, 1 };
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t space = H5I_INVALID_HID, type = H5I_INVALID_HID;
	GEMP_PROPAGATE(GEMP_HDF5(&file->h5, space = H5Dget_space(file->dataset_id)));
	GEMP_PROPAGATE(GEMP_HDF5(&file->h5, type = H5Dget_type(file->dataset_id)));
	GEMP_PROPAGATE(find_type(file, type));
	if (H5Sget_simple_extent_ndims(space) != (int)dimensions)
		GEMP_PROPAGATE(wrong_dimensions(file, dimensions, H5Sget_simple_extent_ndims(space)));
	GEMP_PROPAGATE(GEMP_HDF5(&file->h5, H5Sget_simple_extent_dims(space, size, NULL)));
	file->rows = size[0];
	file->columns = size[1];
	file->bytes = size[0] * size[1] * H5Tget_size(type);
	return check_filters(file);
}

/* The file is opened first, so that a missing file is reported even where the dataset is not named. */
static gemp_code open_h5(gemp_array_file *file, const char *path, const char *dataset, unsigned dimensions)
{
	GEMP_PROPAGATE(gemp_h5_open_local(&file->h5, path, "a text of numbers has another ending"));
	if (!dataset)
		return gemp_fail(GEMP_EUSAGE, "%s is an HDF5 file: name the dataset in it, as in %s:/values", path, path);
	gemp_text_print(&file->where, "%s: dataset '%s'", path, dataset);
	GEMP_PROPAGATE(gemp_text_status(&file->where));
	file->dataset = dataset;
	file->dataset_id = H5Dopen2(file->h5.file, dataset, H5P_DEFAULT);
	if (file->dataset_id < 0) {
		H5Eclear2(H5E_DEFAULT);
		return gemp_fail(GEMP_EDATA, "%s: there is no dataset '%s'; `h5ls -r %s` lists what is there", path, dataset,
		                 path);
	}
	return find_shape(file, dimensions);
}

/* The type that HDF5 is to convert to; booleans are read as the 8-bit integers that h5py stores. */
static hid_t memory_type(char kind, unsigned width)
{
	const bool is_signed = kind != 'u';
	if (kind == 'f')
		return width == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
	switch (width) {
	case 1: return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
	case 2: return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
	case 4: return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
	default: return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
	}
}

/* HDF5 converts to the type of memory. */
static gemp_code read_h5(const gemp_array_file *file, uint64_t first, size_t count, hid_t memory, void *elements)
{
	const gemp_h5 *h5 = &file->h5;
	hsize_t start[2] = { first, 0 }, size[2] = { count, file->columns }, all = count * file->columns;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t place = H5I_INVALID_HID, space = H5I_INVALID_HID;
	GEMP_PROPAGATE(GEMP_HDF5(h5, place = H5Dget_space(file->dataset_id)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Sselect_hyperslab(place, H5S_SELECT_SET, start, NULL, size, NULL)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, space = H5Screate_simple(1, &all, NULL)));
	return GEMP_HDF5(h5, H5Dread(file->dataset_id, memory, space, place, H5P_DEFAULT, elements));
}

/* BOTH */

gemp_code gemp_array_file_open(gemp_array_file *out, const char *place, unsigned dimensions)
{
	char *path = NULL;
	const char *dataset;
	*out = (gemp_array_file){ .dataset_id = H5I_INVALID_HID };
	if (!gemp_h5_split_place(place, &path, &dataset))
		return open_npy(out, place, dimensions);
	gemp_code code = path ? open_h5(out, path, dataset, dimensions) : GEMP_ENOMEM;
	gemp_free(path);
	return code;
}

/* Takes a file that failed to open at any step. */
void gemp_array_file_close(gemp_array_file *file)
{
	gemp_h5_release(file->dataset_id);
	gemp_h5_close(&file->h5);
	if (file->npy)
		fclose(file->npy);
	gemp_text_free(&file->where);
	*file = (gemp_array_file){ .dataset_id = H5I_INVALID_HID };
}

gemp_code gemp_array_file_read(const gemp_array_file *file, uint64_t first, size_t count, void *elements)
{
	if (count == 0 || file->columns == 0)
		return GEMP_OK;
	return file->npy ? read_npy(file, first, count, elements)
	                 : read_h5(file, first, count, memory_type(file->kind, file->width), elements);
}

/* FLOATS */

static float float_of(char kind, unsigned width, const unsigned char *at)
{
	union {
		int8_t i1;
		int16_t i2;
		int32_t i4;
		int64_t i8;
		uint16_t u2;
		uint32_t u4;
		uint64_t u8;
		float f4;
		double f8;
	} v;
	memcpy(&v, at, width);
	switch (kind) {
	case 'i': return width == 1 ? (float)v.i1 : width == 2 ? (float)v.i2 : width == 4 ? (float)v.i4 : (float)v.i8;
	case 'f': return width == 2 ? gemp_npy_half(at) : width == 4 ? v.f4 : (float)v.f8;
	case 'b': return (float)(*at != 0);
	default: return width == 1 ? (float)*at : width == 2 ? (float)v.u2 : width == 4 ? (float)v.u4 : (float)v.u8;
	}
}

typedef struct float_conversion {
	const gemp_array_file *file;
	const unsigned char *elements;
	float *x;
} float_conversion;

/* Ranges of elements are independent of one another: each thread writes its own part of x. */
static void convert_range(void *context, size_t range, size_t begin, size_t end)
{
	const float_conversion *c = context;
	(void)range;
	for (size_t i = begin; i < end; i++)
		c->x[i] = float_of(c->file->kind, c->file->width, c->elements + i * c->file->width);
}

gemp_code gemp_array_file_read_floats(const gemp_array_file *file, uint64_t first, size_t count, float *x)
{
	GEMP_OWNED unsigned char *elements = NULL;
	const size_t row_bytes = (size_t)file->columns * file->width;
	size_t batch = row_bytes && BATCH_BYTES > row_bytes ? BATCH_BYTES / row_bytes : 1;
	if (file->kind == 'f' && file->width == 4)
		return gemp_array_file_read(file, first, count, x);
	batch = batch < count ? batch : count;
	GEMP_PROPAGATE(GEMP_NEW(elements, batch * row_bytes));
	for (size_t at = 0; at < count; at += batch) {
		size_t rows = count - at < batch ? count - at : batch;
		float_conversion c = { file, elements, x + at * file->columns };
		GEMP_PROPAGATE(gemp_array_file_read(file, first + at, rows, elements));
		gemp_for_ranges(rows * (size_t)file->columns, convert_range, &c);
	}
	return GEMP_OK;
}
