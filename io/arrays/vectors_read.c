#include "io/arrays/vectors_read.h"

#include "core/memory.h"
#include "io/arrays/npy.h"
#include "io/arrays/vectors_text.h"
#include "io/hdf5/hdf5_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Those that have none. */
static gemp_code name_columns(gemp_vectors *v)
{
	gemp_code code = GEMP_OK;
	char name[16];
	v->named = v->names != NULL;
	if (v->named)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(v->names, v->dims));
	for (uint32_t c = 0; c < v->dims && code == GEMP_OK; c++) {
		snprintf(name, sizeof name, "x%" PRIu32, c + 1);
		v->names[c] = gemp_strdup(name);
		code = v->names[c] ? GEMP_OK : GEMP_ENOMEM;
	}
done:
	return code;
}

/* Counts what is missing, and makes one NaN of all. */
static gemp_code check_values(gemp_vectors *v, uint64_t first, const char *place)
{
	for (size_t i = 0; i < v->count * v->dims; i++) {
		if (isnan(v->x[i])) {
			v->missing++;
			v->x[i] = NAN;
		}
		if (isinf(v->x[i]))
			return gemp_fail(GEMP_EDATA,
			                 "%s: row %" PRIu64 ", column %zu (from 0) is infinite, or more than a float "
			                 "holds; leave it out, or make it NaN",
			                 place, first + i / v->dims, i % v->dims);
	}
	return GEMP_OK;
}

/* One element of the file. */
static float value_at(const gemp_npy_header *header, const unsigned char *at)
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
	memcpy(&v, at, header->width);
	switch (header->kind) {
	case 'i':
		return header->width == 1   ? (float)v.i1
		       : header->width == 2 ? (float)v.i2
		       : header->width == 4 ? (float)v.i4
		                            : (float)v.i8;
	case 'f': return header->width == 2 ? gemp_npy_half(at) : header->width == 4 ? v.f4 : (float)v.f8;
	case 'b': return (float)(*at != 0);
	default:
		return header->width == 1   ? (float)*at
		       : header->width == 2 ? (float)v.u2
		       : header->width == 4 ? (float)v.u4
		                            : (float)v.u8;
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
		gemp_npy_to_native(header, raw, some);
		for (size_t i = 0; i < some; i++)
			x[(at + i) * step] = value_at(header, raw + i * header->width);
	}
done:
	gemp_free(raw);
	return code;
}

static gemp_code read_npy_rows(gemp_vectors *out, const gemp_comm *comm, FILE *file, const char *path)
{
	gemp_npy_header header;
	size_t data = 0;
	uint64_t bytes;
	GEMP_PROPAGATE(gemp_npy_read_header(file, path, &header, &data));
	GEMP_PROPAGATE(gemp_npy_check_size(file, path, &header, data, &bytes));
	if (header.dimensions != 2)
		return gemp_fail(GEMP_EDATA,
		                 "%s: the array has %u dimension%s; vectors are a table of two: rows, and numbers "
		                 "in each (a.reshape(len(a), -1))",
		                 path, header.dimensions, header.dimensions == 1 ? "" : "s");
	GEMP_PROPAGATE(gemp_vectors_alloc(out, comm, path, header.shape[0], header.shape[1]));
	uint64_t first = gemp_comm_block(comm, out->total).begin;
	if (!header.fortran)
		return read_elements(file, path, &header, data, first * out->dims, out->count * out->dims, out->x, 1);
	for (uint32_t c = 0; c < out->dims; c++)
		GEMP_PROPAGATE(
			read_elements(file, path, &header, data, c * out->total + first, out->count, out->x + c, out->dims));
	return GEMP_OK;
}

static gemp_code gemp_vectors_read_npy(gemp_vectors *out, const gemp_comm *comm, const char *path)
{
	FILE *file = fopen(path, "rb");
	gemp_code code = file ? read_npy_rows(out, comm, file, path)
	                      : gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return gemp_comm_agree(comm, code);
}

/* Other programs have ways to compress that this library has not. */
static gemp_code check_filters(const gemp_h5 *h5, hid_t dataset, const char *name)
{
	gemp_code code = GEMP_OK;
	hid_t creation = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Dget_create_plist(dataset)));
	const int filters = H5Pget_nfilters(creation);
	for (int i = 0; i < filters && code == GEMP_OK; i++) {
		char called[32] = "";
		unsigned flags;
		size_t values = 0;
		const H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, sizeof called - 1,
		                                           called, NULL);
		if (H5Zfilter_avail(filter) <= 0)
			code = gemp_fail(GEMP_EDATA,
			                 "%s: dataset '%s' is compressed by '%s' (filter %d), which this HDF5 library has not; "
			                 "write it with gzip",
			                 h5->path, name, called, (int)filter);
	}
done:
	if (creation >= 0)
		H5Pclose(creation);
	return code;
}

/* Numbers, and booleans as h5py writes them, which HDF5 takes for the integers that they are stored as. */
static gemp_code check_type(const gemp_h5 *h5, hid_t type, const char *name)
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
	hid_t boolean = class == H5T_ENUM ? gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL)) : H5I_INVALID_HID;
	bool numbers = class == H5T_INTEGER || class == H5T_FLOAT || (boolean >= 0 && H5Tequal(boolean, type) > 0);
	bool known = class >= 0 && (size_t) class < sizeof classes / sizeof *classes && classes[class];
	if (boolean >= 0)
		H5Tclose(boolean);
	return numbers ? GEMP_OK
	               : gemp_fail(GEMP_EDATA,
	                           "%s: dataset '%s' holds %s; vectors are of integers, floats or booleans: save it "
	                           "as one of them, such as 'f4'",
	                           h5->path, name, known ? classes[class] : "no numbers");
}

/* Any program's dataset: chunked, compressed, of any numbers. HDF5 converts to floats. */
static gemp_code read_rows(gemp_vectors *out, const gemp_h5 *h5, hid_t dataset, hid_t space, const char *name)
{
	gemp_code code = GEMP_OK;
	hsize_t size[2] = { 0 }, start[2] = { 0 }, count[2];
	hid_t type = H5I_INVALID_HID, memory = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, type = H5Dget_type(dataset)));
	GEMP_TRY(check_type(h5, type, name));
	const int dimensions = H5Sget_simple_extent_ndims(space);
	if (dimensions != 2)
		GEMP_TRY(gemp_fail(GEMP_EDATA,
		                   "%s: dataset '%s' has %d dimension%s; vectors are a table of two: rows, and numbers "
		                   "in each",
		                   h5->path, name, dimensions, dimensions == 1 ? "" : "s"));
	GEMP_TRY(GEMP_HDF5(h5, H5Sget_simple_extent_dims(space, size, NULL)));
	GEMP_TRY(gemp_vectors_alloc(out, h5->comm, h5->path, size[0], size[1]));
	start[0] = gemp_comm_block(h5->comm, size[0]).begin;
	count[0] = out->count;
	count[1] = size[1];
	if (out->count == 0)
		goto done;
	GEMP_TRY(check_filters(h5, dataset, name));
	GEMP_TRY(GEMP_HDF5(h5, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL)));
	GEMP_TRY(GEMP_HDF5(h5, memory = H5Screate_simple(2, count, NULL)));
	code = GEMP_HDF5(h5, H5Dread(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, out->x));
done:
	if (memory >= 0)
		H5Sclose(memory);
	if (type >= 0)
		H5Tclose(type);
	return code;
}

static gemp_code read_dataset(gemp_vectors *out, const gemp_h5 *h5, const char *name)
{
	gemp_code code = GEMP_OK;
	hid_t dataset = H5Dopen2(h5->file, name, H5P_DEFAULT), space = H5I_INVALID_HID;
	if (dataset < 0) {
		H5Eclear2(H5E_DEFAULT);
		return gemp_fail(GEMP_EDATA, "%s: there is no dataset '%s'; `h5ls -r %s` lists what is there", h5->path, name,
		                 h5->path);
	}
	GEMP_TRY(GEMP_HDF5(h5, space = H5Dget_space(dataset)));
	code = read_rows(out, h5, dataset, space, name);
done:
	if (space >= 0)
		H5Sclose(space);
	H5Dclose(dataset);
	return code;
}

/* Each rank reads for itself, without MPI, whatever library made the file. */
static gemp_code read_h5_rows(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *dataset)
{
	gemp_code code = GEMP_OK;
	gemp_h5 h5 = {
		.comm = comm, .path = (char *)path, .file = H5I_INVALID_HID, .transfer = H5P_DEFAULT, .active = true
	};
	struct stat status;
	if (access(path, R_OK) != 0 || stat(path, &status) != 0)
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(EISDIR));
	if (!dataset)
		return gemp_fail(GEMP_EUSAGE, "%s is an HDF5 file: name the dataset in it, as in %s:/vectors", path, path);
	H5dont_atexit();
	H5open();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	if (H5Fis_hdf5(path) <= 0)
		return gemp_fail(GEMP_EDATA,
		                 "%s: is no HDF5 file, or damaged where it begins; a table of text has another ending", path);
	GEMP_TRY(GEMP_HDF5(&h5, h5.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)));
	code = read_dataset(out, &h5, dataset);
	H5Fclose(h5.file);
done:
	return code;
}

static gemp_code gemp_vectors_read_h5(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *dataset)
{
	return gemp_comm_agree(comm, read_h5_rows(out, comm, path, dataset));
}

gemp_code gemp_vectors_read(gemp_vectors *out, const gemp_comm *comm, const char *place, const char *key)
{
	gemp_code code = GEMP_OK;
	size_t length = strlen(place);
	char *path = NULL;
	const char *dataset;
	*out = (gemp_vectors){ 0 };
	bool h5 = gemp_h5_split_place(place, &path, &dataset);
	bool npy = length > 4 && strcmp(place + length - 4, ".npy") == 0;
	if (h5 && !path)
		code = GEMP_ENOMEM;
	else if (key && (h5 || npy))
		code = gemp_fail(GEMP_EUSAGE, "--key %s: %s is an array of numbers, without a column of keys", key, place);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (h5)
		GEMP_TRY(gemp_vectors_read_h5(out, comm, path, dataset));
	else if (npy)
		GEMP_TRY(gemp_vectors_read_npy(out, comm, place));
	else
		GEMP_TRY(gemp_vectors_read_text(out, comm, place, key));
	code = name_columns(out);
	GEMP_THEN(check_values(out, gemp_comm_block(comm, out->total).begin, place));
	GEMP_TRY(gemp_comm_agree(comm, code));
	out->missing = gemp_comm_sum1(comm, out->missing);
done:
	gemp_free(path);
	if (code != GEMP_OK)
		gemp_vectors_free(out);
	return code;
}
