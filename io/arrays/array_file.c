/* A .npy file has a text header and then its elements. Rows are read at their offsets; a table in Fortran order is read
 * column by column. A dataset of HDF5 is read by hyperslabs of rows, and the HDF5 library decompresses and converts. */

#include "io/arrays/array_file.h"

#include "core/status.h"
#include "core/threads.h"
#include "io/file/output.h"
#include "io/hdf5/hdf5_claim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_TEXT = 4096 };

/* The width of the field that gives the length of the dictionary; the field follows the first GEMP_NPY_START bytes. 0:
 * the file is no .npy. */
static size_t length_bytes(const unsigned char start[GEMP_NPY_START])
{
	if (memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
		return 0;
	return start[6] == 1 ? 2 : 4;
}

/* The text after a key of the dictionary; NULL if the key is missing. */
static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);
	at = at ? strchr(at + strlen(key), ':') : NULL;
	return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* The message gives a remedy that depends on the type. */
static gemp_code refuse_type(const char *type)
{
	const char *remedy = strchr(type, 'c') ? "complex; save its real part"
	                     : strchr(type, 'O')
	                         ? "Python objects; convert it to numbers, as by a.astype('f4')"
	                         : "not one that is read; save it as integers, floats (a.astype('f4')) or booleans";
	return gemp_fail(GEMP_EDATA, "is of type '%s': %s", type, remedy);
}

/* The type is a text such as '<f4': byte order, kind and width. A structured array has a list instead. */
static gemp_code read_type(gemp_npy_header *n, const char *header)
{
	static const char good[] = " i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1 ";
	const char *at = value_of(header, "'descr'");
	char type[24], order, name[16], end;
	if (at && *at == '[')
		return gemp_fail(GEMP_EDATA, "is of records; save one of their fields, as a['x']");
	if (!at || sscanf(at, "'%23[^']%c", type, &end) != 2 || end != '\'')
		return gemp_fail(GEMP_EDATA, "has a damaged type");
	if (sscanf(type, "%c%c%u%c", &order, &n->kind, &n->width, &end) != 3 || !strchr("<>|=", order))
		return refuse_type(type);
	n->swapped = order == '>' && n->width > 1;
	snprintf(name, sizeof name, " %c%u ", n->kind, n->width);
	bool text = n->kind == 'S' || (n->kind == 'U' && !n->swapped);
	return strstr(good, name) || (text && n->width > 0 && n->width < LONGEST_TEXT) ? GEMP_OK : refuse_type(type);
}

/* Python 2 wrote long integers as 3L, so an L after a number is skipped. */
static gemp_code read_shape(gemp_npy_header *n, const char *header)
{
	const char *at = value_of(header, "'shape'");
	if (!at || *at++ != '(')
		return gemp_fail(GEMP_EDATA, "has no shape");
	n->length = 1;
	n->dimensions = 0;
	while (*at != ')') {
		char *end;
		uint64_t size = strtoull(at, &end, 10);
		if (end == at || __builtin_mul_overflow(n->length, size, &n->length))
			return gemp_fail(GEMP_EDATA, "has a damaged shape");
		if (n->dimensions < 2)
			n->shape[n->dimensions] = size;
		n->dimensions++;
		at = end + strspn(end, "L, ");
	}
	return GEMP_OK;
}

/* The keys of the dictionary may come in any order. */
gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary)
{
	const char *fortran = value_of(dictionary, "'fortran_order'");
	out->fortran = fortran && strncmp(fortran, "True", 4) == 0;
	gemp_code code = read_type(out, dictionary);
	return code == GEMP_OK ? read_shape(out, dictionary) : code;
}

/* Numbers in this machine's byte order stay unchanged. */
void gemp_npy_to_native(const gemp_npy_header *header, void *elements, size_t count)
{
	unsigned char *at = elements;
	const unsigned width = header->width;
	for (size_t i = 0; header->swapped && i < count; i++, at += width)
		for (unsigned low = 0; low < width / 2; low++) {
			unsigned char byte = at[low];
			at[low] = at[width - 1 - low];
			at[width - 1 - low] = byte;
		}
}

/* C17 has no half-precision type. A half float has 1 bit of sign, 5 bits of exponent and 10 bits of fraction; an
 * exponent of 0 means a subnormal number. */
float gemp_npy_half(const void *at)
{
	uint16_t bits;
	memcpy(&bits, at, sizeof bits);
	const int exponent = bits >> 10 & 31, fraction = bits & 1023;
	const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
	                   : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
	                                  : ldexpf((float)fraction, -24);
	return bits >> 15 ? -size : size;
}

static gemp_code bad_array(const char *where, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s %s", where, why);
}

/* The version in the signature determines the width of the dictionary's length. */
gemp_code gemp_npy_read_header(gemp_npy_header *out, const char *where, gemp_npy_read_bytes *read, void *self,
                               size_t *data)
{
	unsigned char start[GEMP_NPY_START], length[4] = { 0 };
	GEMP_OWNED char *dictionary = NULL;
	GEMP_TRY(read(self, where, start, sizeof start));
	size_t bytes = length_bytes(start);
	if (!bytes)
		return bad_array(where, "is not a .npy of version 1 to 3; save it again with numpy");
	GEMP_TRY(read(self, where, length, bytes));
	size_t size = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
	if (size > GEMP_NPY_MAX_HEADER)
		return bad_array(where, "has a header that is too long");
	GEMP_TRY(GEMP_NEW(dictionary, size + 1));
	GEMP_TRY(read(self, where, dictionary, size));
	*data = sizeof start + bytes + size;
	gemp_code code = gemp_npy_parse_header(out, dictionary);
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s ", where) : code;
}

/* Opening a folder succeeds, and only reading it fails. errno then gives the reason. */
static gemp_code read_from_file(void *self, const char *where, void *bytes, size_t size)
{
	if (fread(bytes, 1, size, self) == size)
		return GEMP_OK;
	if (ferror((FILE *)self))
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", where, strerror(errno));
	return bad_array(where, "is cut off in its header");
}

/* Reads the header of a .npy file of numbers. *data becomes the offset of the elements, and *bytes the size of the
 * file. Messages begin with `where` ("F.npy: the array"). GEMP_EDATA: the header is damaged, the array holds texts, or
 * the file is not as long as its header says. */
static gemp_code gemp_npy_read_file_header(gemp_npy_header *out, FILE *file, const char *where, size_t *data,
                                           uint64_t *bytes)
{
	struct stat status;
	uint64_t size;
	GEMP_TRY(gemp_npy_read_header(out, where, read_from_file, file, data));
	if (out->kind == 'S' || out->kind == 'U')
		return bad_array(where, "holds texts; save numbers");
	if (fstat(fileno(file), &status) != 0)
		return gemp_fail(GEMP_EIO, "%s: %s", where, strerror(errno));
	*bytes = (uint64_t)status.st_size;
	if (__builtin_mul_overflow(out->length, out->width, &size) || *bytes - *data != size)
		return bad_array(where, "is not as long as its header says; the file is cut off or damaged");
	return GEMP_OK;
}

enum { BATCH_BYTES = 64 << 20 }; /* maximal number of bytes of elements that are converted to floats at a time */

bool gemp_array_file_is(const char *place)
{
	return gemp_file_ends_in(place, ".npy") || gemp_file_ends_in(place, ".h5") || strstr(place, ".h5:");
}

/* The message names reshape, which turns most other shapes into the wanted one. */
static gemp_code wrong_dimensions(const gemp_array_file *file, unsigned wanted, int found)
{
	return gemp_fail(GEMP_EDATA, "%s has %d dimension%s; %s", file->where.data, found, found == 1 ? "" : "s",
	                 wanted == 1 ? "numbers are an array of one"
	                             : "vectors are a table of two: rows, and numbers in each (a.reshape(len(a), -1))");
}

/* .npy */

/* The file stays open. Its elements begin at offset file->data. */
static gemp_code open_npy(gemp_array_file *file, const char *path, unsigned dimensions)
{
	gemp_npy_header *header = &file->header;
	gemp_text_print(&file->where, "%s: the array", path);
	GEMP_TRY(gemp_text_status(&file->where));
	file->npy = fopen(path, "rb");
	if (!file->npy || (getc(file->npy) == EOF && ferror(file->npy))) /* opening a folder succeeds, reading it fails */
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	rewind(file->npy);
	GEMP_TRY(gemp_npy_read_file_header(header, file->npy, file->where.data, &file->data, &file->bytes));
	if (dimensions == 2 && header->dimensions != 2)
		return wrong_dimensions(file, 2, (int)header->dimensions);
	file->kind = header->kind;
	file->width = header->width;
	file->fortran = dimensions == 2 && header->fortran;
	file->rows = dimensions == 2 ? header->shape[0] : header->length;
	file->columns = dimensions == 2 ? header->shape[1] : 1;
	return GEMP_OK;
}

/* The elements are contiguous in the file, so one seek and one read suffice. */
static gemp_code read_npy_elements(const gemp_array_file *file, uint64_t first, size_t count, void *elements)
{
	if (fseeko(file->npy, (off_t)(file->data + first * file->width), SEEK_SET) != 0 ||
	    fread(elements, file->width, count, file->npy) != count)
		return gemp_fail(GEMP_EIO, "%s cannot be read: %s", file->where.data, strerror(errno));
	return GEMP_OK;
}

/* Reads the rows of a table in Fortran order: each column is read alone, and its elements are copied to their places in
 * the rows. */
static gemp_code read_npy_columns(const gemp_array_file *file, uint64_t first, size_t count, char *elements)
{
	const size_t width = file->width;
	GEMP_OWNED char *column = NULL;
	GEMP_TRY(GEMP_NEW(column, count * width));
	for (size_t c = 0; c < file->columns; c++) {
		GEMP_TRY(read_npy_elements(file, c * file->rows + first, count, column));
		for (size_t i = 0; i < count; i++)
			memcpy(elements + (i * file->columns + c) * width, column + i * width, width);
	}
	return GEMP_OK;
}

/* Numbers in the other byte order are converted after reading. */
static gemp_code read_npy(const gemp_array_file *file, uint64_t first, size_t count, void *elements)
{
	GEMP_TRY(file->fortran ? read_npy_columns(file, first, count, elements)
	                       : read_npy_elements(file, first * file->columns, count * (size_t)file->columns, elements));
	gemp_npy_to_native(&file->header, elements, count * (size_t)file->columns);
	return GEMP_OK;
}

/* HDF5 */

/* Another program may have used a compression that this HDF5 library lacks. */
static gemp_code check_filters(const gemp_array_file *file)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(&file->h5, creation = H5Dget_create_plist(file->dataset_id)));
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

/* h5py stores booleans as an enum, which HDF5 reads as integers. So this enum is accepted, and no other one. */
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
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t boolean = gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL));
	const bool is_boolean = class == H5T_ENUM && H5Tequal(boolean, type) > 0;
	const bool known = class >= 0 && (size_t) class < sizeof classes / sizeof *classes && classes[class];
	if (!is_boolean && class != H5T_FLOAT && class != H5T_INTEGER)
		return gemp_fail(GEMP_EDATA,
		                 "%s holds %s; integers, floats and booleans are read: save it as one of them, such as 'f4'",
		                 file->where.data, known ? classes[class] : "no numbers");
	file->kind = is_boolean ? 'b' : class == H5T_FLOAT ? 'f' : H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
	file->width = is_boolean ? 1 : size > 4 ? 8 : size > 2 || class == H5T_FLOAT ? 4 : (unsigned)size;
	return GEMP_OK;
}

/* A dataset without a shape (h5py.Empty, or a scalar) has 0 dimensions and is refused like any other wrong number of
 * dimensions. */
static gemp_code find_shape(gemp_array_file *file, unsigned dimensions)
{
	hsize_t size[GEMP_H5_DIMENSIONS];
	int found;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(&file->h5, type = H5Dget_type(file->dataset_id)));
	GEMP_TRY(find_type(file, type));
	GEMP_TRY(gemp_h5_extent(&file->h5, file->dataset_id, &found, size));
	if (found != (int)dimensions)
		return wrong_dimensions(file, dimensions, found);
	file->rows = size[0];
	file->columns = size[1];
	file->bytes = size[0] * size[1] * H5Tget_size(type);
	GEMP_TRY(gemp_h5_check_claim(&file->h5, file->dataset_id, file->dataset));
	return check_filters(file);
}

/* The file is opened before the dataset's name is checked, so a missing file is reported first. */
static gemp_code open_h5(gemp_array_file *file, const char *path, const char *dataset, unsigned dimensions)
{
	GEMP_TRY(gemp_h5_open_local(&file->h5, path, false, "a text of numbers has another ending"));
	if (!dataset)
		return gemp_fail(GEMP_EUSAGE, "%s is an HDF5 file: name the dataset in it, as in %s:/values", path, path);
	gemp_text_print(&file->where, "%s: dataset '%s'", path, dataset);
	GEMP_TRY(gemp_text_status(&file->where));
	file->dataset = dataset;
	file->dataset_id = H5Dopen2(file->h5.file, dataset, H5P_DEFAULT);
	if (file->dataset_id < 0) {
		H5Eclear2(H5E_DEFAULT);
		return gemp_fail(GEMP_EDATA, "%s: there is no dataset '%s'; `h5ls -r %s` lists what is there", path, dataset,
		                 path);
	}
	return find_shape(file, dimensions);
}

/* The type to which HDF5 converts. Booleans are read as the 8-bit integers that h5py stores. */
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

/* BOTH FORMS OF FILES */

/* A place that does not name an HDF5 file is a .npy. */
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

/* The file may be open only in part, after a failure. */
void gemp_array_file_close(gemp_array_file *file)
{
	gemp_h5_release(file->dataset_id);
	gemp_h5_close(&file->h5);
	if (file->npy)
		fclose(file->npy);
	gemp_text_free(&file->where);
	*file = (gemp_array_file){ .dataset_id = H5I_INVALID_HID };
}

/* HDF5 converts to the type in memory. The elements of a .npy have that type already. */
gemp_code gemp_array_file_read(const gemp_array_file *file, uint64_t first, size_t count, void *elements)
{
	if (count == 0 || file->columns == 0)
		return GEMP_OK;
	return file->npy ? read_npy(file, first, count, elements)
	                 : gemp_h5_move(&file->h5, file->dataset_id, memory_type(file->kind, file->width), first, count,
	                                elements);
}

/* FLOATS */

/* Converts an element of numpy's kind and width. The bytes need not be aligned. */
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

/* Each thread writes its own part of x, so no lock is needed. */
static void convert_range(void *context, size_t range, size_t begin, size_t end)
{
	const float_conversion *c = context;
	(void)range;
	for (size_t i = begin; i < end; i++)
		c->x[i] = float_of(c->file->kind, c->file->width, c->elements + i * c->file->width);
}

/* Floats of 32 bits are read directly into x. Other elements pass through a buffer of bounded size. */
gemp_code gemp_array_file_read_floats(const gemp_array_file *file, uint64_t first, size_t count, float *x)
{
	GEMP_OWNED unsigned char *elements = NULL;
	const size_t row_bytes = (size_t)file->columns * file->width;
	size_t batch = row_bytes && BATCH_BYTES > row_bytes ? BATCH_BYTES / row_bytes : 1;
	if (file->kind == 'f' && file->width == 4)
		return gemp_array_file_read(file, first, count, x);
	batch = gemp_min(batch, count);
	GEMP_TRY(GEMP_NEW(elements, batch * row_bytes));
	for (size_t at = 0; at < count; at += batch) {
		size_t rows = gemp_min(count - at, batch);
		float_conversion c = { file, elements, x + at * file->columns };
		GEMP_TRY(gemp_array_file_read(file, first + at, rows, elements));
		gemp_for_ranges(rows * (size_t)file->columns, convert_range, &c);
	}
	return GEMP_OK;
}
