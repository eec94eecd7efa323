/* Attributes of groups and datasets. */

#include "io/hdf5/hdf5_attributes.h"

#include "core/memory.h"

#include <string.h>
#include <unistd.h>

static gemp_code make_group(const gemp_h5 *h5, const char *path)
{
	gemp_code code = GEMP_OK;
	hid_t group = H5I_INVALID_HID, creation = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_GROUP_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, group = H5Gcreate2(h5->file, path, H5P_DEFAULT, creation, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, H5Gclose(group)));
done:
	gemp_h5_release(creation);
	return code;
}

gemp_code gemp_h5_group(const gemp_h5 *h5, const char *path, const char *encoding, const char *version)
{
	gemp_code code = GEMP_OK;
	if (h5->active && strcmp(path, "/") != 0)
		code = make_group(h5, path);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_TRY(gemp_h5_put_text(h5, path, "encoding-type", encoding));
	GEMP_TRY(gemp_h5_put_text(h5, path, "encoding-version", version));
done:
	return code;
}

/* count: SIZE_MAX for a scalar. Closes nothing of its arguments. */
static gemp_code put(const gemp_h5 *h5, const char *path, const char *name, hid_t type, const void *data, size_t count)
{
	gemp_code code = GEMP_OK;
	hid_t space = H5I_INVALID_HID, attribute = H5I_INVALID_HID;
	hsize_t size = count;
	GEMP_TRY(GEMP_HDF5(h5, space = count == SIZE_MAX ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL)));
	GEMP_TRY(GEMP_HDF5(
		h5, attribute = H5Acreate_by_name(h5->file, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
	if (count)
		GEMP_TRY(GEMP_HDF5(h5, H5Awrite(attribute, type, data)));
done:
	gemp_h5_release(attribute);
	gemp_h5_release(space);
	return code;
}

static gemp_code put_texts(const gemp_h5 *h5, const char *path, const char *name, const char *const *texts,
                           size_t count)
{
	gemp_code code = GEMP_OK;
	if (h5->active) {
		hid_t type = gemp_h5_make_string_type();
		code = put(h5, path, name, type, texts, count);
		H5Tclose(type);
	}
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_put_text(const gemp_h5 *h5, const char *path, const char *name, const char *text)
{
	return put_texts(h5, path, name, &text, SIZE_MAX);
}

gemp_code gemp_h5_put_texts(const gemp_h5 *h5, const char *path, const char *name, const char *const *texts,
                            size_t count)
{
	return put_texts(h5, path, name, texts, count);
}

gemp_code gemp_h5_put_number(const gemp_h5 *h5, const char *path, const char *name, uint64_t number)
{
	gemp_code code = h5->active ? put(h5, path, name, H5T_STD_U64LE, &number, SIZE_MAX) : GEMP_OK;
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_put_numbers(const gemp_h5 *h5, const char *path, const char *name, const int64_t *numbers,
                              size_t count)
{
	gemp_code code = h5->active ? put(h5, path, name, H5T_STD_I64LE, numbers, count) : GEMP_OK;
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_put_flag(const gemp_h5 *h5, const char *path, const char *name, bool flag)
{
	gemp_code code = GEMP_OK;
	int8_t value = flag;
	if (h5->active) {
		hid_t type = gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL));
		code = put(h5, path, name, type, &value, SIZE_MAX);
		H5Tclose(type);
	}
	return gemp_comm_agree(h5->comm, code);
}

/* The attribute, and how many elements it has. */
static gemp_code open_attribute(const gemp_h5 *h5, const char *path, const char *name, hid_t *attribute, size_t *count)
{
	gemp_code code = GEMP_OK;
	hid_t space = H5I_INVALID_HID;
	hssize_t elements = 0;
	GEMP_TRY(GEMP_HDF5(h5, *attribute = H5Aopen_by_name(h5->file, path, name, H5P_DEFAULT, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Aget_space(*attribute)));
	GEMP_TRY(GEMP_HDF5(h5, elements = H5Sget_simple_extent_npoints(space)));
	*count = (size_t)elements;
done:
	gemp_h5_release(space);
	if (code != GEMP_OK)
		gemp_fail_in(code, "attribute '%s' of '%s': ", name, path);
	return code;
}

static gemp_code copy_texts(char **from, size_t count, char **texts)
{
	for (size_t i = 0; i < count; i++) {
		texts[i] = gemp_strdup(from[i] ? from[i] : "");
		if (!texts[i])
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

static gemp_code get_texts(const gemp_h5 *h5, const char *path, const char *name, char ***out, size_t *count)
{
	gemp_code code = GEMP_OK;
	hid_t attribute = H5I_INVALID_HID, type = H5I_INVALID_HID, memory = gemp_h5_make_string_type();
	char **read = NULL, **texts = NULL;
	*count = 0;
	GEMP_TRY(open_attribute(h5, path, name, &attribute, count));
	GEMP_TRY(GEMP_NEW(read, *count + 1));
	GEMP_TRY(GEMP_NEW(texts, *count + 1));
	GEMP_TRY(GEMP_HDF5(h5, type = H5Aget_type(attribute)));
	if (H5Tis_variable_str(type) <= 0)
		code = gemp_fail(GEMP_EDATA, "%s: attribute '%s' of '%s' is not a text", h5->path, name, path);
	if (code == GEMP_OK && *count)
		code = GEMP_HDF5(h5, H5Aread(attribute, memory, read));
	GEMP_THEN(copy_texts(read, *count, texts));
done:
	for (size_t i = 0; read && i < *count; i++)
		H5free_memory(read[i]);
	gemp_free(read);
	gemp_h5_release(type);
	gemp_h5_release(attribute);
	H5Tclose(memory);
	if (code != GEMP_OK) {
		gemp_h5_free_texts(texts, *count);
		texts = NULL;
	}
	*out = texts;
	return code;
}

gemp_code gemp_h5_get_texts(const gemp_h5 *h5, const char *path, const char *name, char ***texts, size_t *count)
{
	gemp_code mine = get_texts(h5, path, name, texts, count), code = gemp_comm_agree(h5->comm, mine);
	if (code != GEMP_OK && mine == GEMP_OK) {
		gemp_h5_free_texts(*texts, *count);
		*texts = NULL;
	}
	return code;
}

gemp_code gemp_h5_get_text(const gemp_h5 *h5, const char *path, const char *name, char **text)
{
	char **texts = NULL;
	size_t count = 0;
	*text = NULL;
	gemp_code code = gemp_h5_get_texts(h5, path, name, &texts, &count);
	if (code == GEMP_OK && count != 1) {
		gemp_h5_free_texts(texts, count);
		return gemp_fail(GEMP_EDATA, "%s: attribute '%s' of '%s' is not one text", h5->path, name, path);
	}
	if (code == GEMP_OK)
		*text = texts[0];
	gemp_free(texts);
	return code;
}

gemp_code gemp_h5_get_number(const gemp_h5 *h5, const char *path, const char *name, uint64_t *number)
{
	size_t count = 0;
	hid_t attribute = H5I_INVALID_HID;
	gemp_code code = open_attribute(h5, path, name, &attribute, &count);
	if (code == GEMP_OK && count != 1)
		code = gemp_fail(GEMP_EDATA, "%s: attribute '%s' of '%s' is not one number", h5->path, name, path);
	GEMP_THEN(GEMP_HDF5(h5, H5Aread(attribute, H5T_NATIVE_UINT64, number)));
	gemp_h5_release(attribute);
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_get_flag(const gemp_h5 *h5, const char *path, const char *name, bool *flag)
{
	size_t count = 0;
	int8_t value = 0;
	hid_t attribute = H5I_INVALID_HID, type = gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL));
	gemp_code code = open_attribute(h5, path, name, &attribute, &count);
	if (code == GEMP_OK && count != 1)
		code = gemp_fail(GEMP_EDATA, "%s: attribute '%s' of '%s' is not one truth value", h5->path, name, path);
	GEMP_THEN(GEMP_HDF5(h5, H5Aread(attribute, type, &value)));
	gemp_h5_release(attribute);
	H5Tclose(type);
	*flag = value;
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_get_numbers(const gemp_h5 *h5, const char *path, const char *name, int64_t **numbers, size_t *count)
{
	hid_t attribute = H5I_INVALID_HID;
	*numbers = NULL;
	*count = 0;
	gemp_code code = open_attribute(h5, path, name, &attribute, count);
	GEMP_THEN(GEMP_NEW(*numbers, *count));
	if (code == GEMP_OK && *count)
		code = GEMP_HDF5(h5, H5Aread(attribute, H5T_NATIVE_INT64, *numbers));
	gemp_h5_release(attribute);
	code = gemp_comm_agree(h5->comm, code);
	if (code != GEMP_OK) {
		gemp_free(*numbers);
		*numbers = NULL;
	}
	return code;
}

static gemp_code make_missing_group(const gemp_h5 *h5, const char *path)
{
	bool exists = false;
	gemp_code code = gemp_h5_exists(h5, path, &exists);
	uint64_t there = exists; /* only the ranks that call HDF5 know */
	gemp_comm_max(h5->comm, &there, 1);
	return code == GEMP_OK && !there ? gemp_h5_group(h5, path, "dict", "0.1.0") : code;
}

gemp_code gemp_h5_make_groups(const gemp_h5 *h5, const char *path)
{
	gemp_code code = GEMP_OK;
	char *part = gemp_strdup(path);
	GEMP_TRY(gemp_comm_agree(h5->comm, part ? GEMP_OK : GEMP_ENOMEM));
	for (char *slash = strchr(part + 1, '/'); slash && code == GEMP_OK; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		code = make_missing_group(h5, part);
		*slash = '/';
	}
	GEMP_THEN(make_missing_group(h5, part));
done:
	gemp_free(part);
	return code;
}
