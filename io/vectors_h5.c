#include "io/vectors_parts.h"

#include "io/hdf5.h"
#include "io/share.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		const H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, sizeof called - 1, called, NULL);
		if (H5Zfilter_avail(filter) <= 0)
			code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' is compressed by '%s' (filter %d), which this HDF5 library has not; "
			                 "write it with gzip", h5->path, name, called, (int)filter);
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
		[H5T_TIME] = "times", [H5T_STRING] = "texts", [H5T_BITFIELD] = "fields of bits", [H5T_OPAQUE] = "opaque bytes",
		[H5T_COMPOUND] = "records, such as complex numbers", [H5T_REFERENCE] = "references", [H5T_ENUM] = "words (an enum)",
		[H5T_VLEN] = "lists of any length", [H5T_ARRAY] = "arrays",
	};
	const H5T_class_t class = H5Tget_class(type);
	hid_t boolean = class == H5T_ENUM ? gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL)) : H5I_INVALID_HID;
	bool numbers = class == H5T_INTEGER || class == H5T_FLOAT || (boolean >= 0 && H5Tequal(boolean, type) > 0);
	bool known = class >= 0 && (size_t)class < sizeof classes / sizeof *classes && classes[class];
	if (boolean >= 0)
		H5Tclose(boolean);
	return numbers ? GEMP_OK
	               : gemp_fail(GEMP_EDATA, "%s: dataset '%s' holds %s; vectors are of integers, floats or booleans: save it "
	                           "as one of them, such as 'f4'", h5->path, name, known ? classes[class] : "no numbers");
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
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: dataset '%s' has %d dimension%s; vectors are a table of two: rows, and numbers "
		                   "in each", h5->path, name, dimensions, dimensions == 1 ? "" : "s"));
	GEMP_TRY(GEMP_HDF5(h5, H5Sget_simple_extent_dims(space, size, NULL)));
	GEMP_TRY(gemp_vectors_shape(out, h5->comm, h5->path, size[0], size[1]));
	start[0] = gemp_share(h5->comm, size[0]).begin;
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
static gemp_code read_part(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *dataset)
{
	gemp_code code = GEMP_OK;
	gemp_h5 h5 = { .comm = comm, .path = (char *)path, .file = H5I_INVALID_HID, .transfer = H5P_DEFAULT,
	               .active = true };
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
		return gemp_fail(GEMP_EDATA, "%s: is no HDF5 file, or damaged where it begins; a table of text has another ending", path);
	GEMP_TRY(GEMP_HDF5(&h5, h5.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)));
	code = read_dataset(out, &h5, dataset);
	H5Fclose(h5.file);
done:
	return code;
}

gemp_code gemp_vectors_read_h5(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *dataset)
{
	return gemp_comm_agree(comm, read_part(out, comm, path, dataset));
}
