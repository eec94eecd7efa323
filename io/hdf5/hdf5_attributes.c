/* Groups, their links and lists, and attributes of groups and datasets. A rank above 0 that writes with serial HDF5
 * does not call HDF5; it only takes part in the agreements. Objects store no times, since the bytes of a file must
 * depend on the graph alone. */

#include "io/hdf5/hdf5_attributes.h"

#include "core/status.h"

#include <string.h>
#include <unistd.h>

/* Local, but with parallel HDF5 all ranks must call this function. */
static gemp_code make_group(const gemp_h5 *h5, const char *path)
{
	hid_t group = H5I_INVALID_HID;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_GROUP_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, group = H5Gcreate2(h5->file, path, H5P_DEFAULT, creation, H5P_DEFAULT)));
	return GEMP_HDF5(h5, H5Gclose(group));
}

/* Local. Writes data[count] as an attribute; a count of SIZE_MAX means a scalar. Releases own_type, also on a rank that
 * does not call HDF5. */
static gemp_code put_attribute(const gemp_h5 *h5, const char *path, const char *name, hid_t own_type, const void *data,
                               size_t count)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = own_type, space = H5I_INVALID_HID, attribute = H5I_INVALID_HID;
	hsize_t size = count;
	if (!h5->active)
		return GEMP_OK;
	GEMP_TRY(GEMP_HDF5(h5, space = count == SIZE_MAX ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL)));
	GEMP_TRY(GEMP_HDF5(
		h5, attribute = H5Acreate_by_name(h5->file, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
	if (count)
		GEMP_TRY(GEMP_HDF5(h5, H5Awrite(attribute, type, data)));
	return GEMP_OK;
}

gemp_code gemp_h5_put_encoding(const gemp_h5 *h5, const char *path, const char *encoding, const char *version)
{
	GEMP_TRY(put_attribute(h5, path, "encoding-type", gemp_h5_make_string_type(), &encoding, SIZE_MAX));
	return put_attribute(h5, path, "encoding-version", gemp_h5_make_string_type(), &version, SIZE_MAX);
}

gemp_code gemp_h5_put_number_local(const gemp_h5 *h5, const char *path, const char *name, uint64_t number)
{
	return put_attribute(h5, path, name, H5Tcopy(H5T_STD_U64LE), &number, SIZE_MAX);
}

/* AnnData's readers choose by the encoding how to read a group. */
gemp_code gemp_h5_group(const gemp_h5 *h5, const char *path, const char *encoding, const char *version)
{
	gemp_code code = gemp_h5_before_change(h5, GEMP_OK, path);
	if (h5->active && code == GEMP_OK && strcmp(path, "/") != 0)
		code = make_group(h5, path);
	GEMP_THEN(gemp_h5_put_encoding(h5, path, encoding, version));
	return gemp_comm_agree(h5->comm, code);
}

/* Collective. Writes the attribute and agrees on the code. */
static gemp_code put_and_agree(const gemp_h5 *h5, const char *path, const char *name, hid_t type, const void *data,
                               size_t count)
{
	return gemp_comm_agree(h5->comm, put_attribute(h5, path, name, type, data, count));
}

gemp_code gemp_h5_put_text(const gemp_h5 *h5, const char *path, const char *name, const char *text)
{
	return put_and_agree(h5, path, name, gemp_h5_make_string_type(), &text, SIZE_MAX);
}

gemp_code gemp_h5_put_texts(const gemp_h5 *h5, const char *path, const char *name, const char *const *texts,
                            size_t count)
{
	return put_and_agree(h5, path, name, gemp_h5_make_string_type(), texts, count);
}

gemp_code gemp_h5_put_number(const gemp_h5 *h5, const char *path, const char *name, uint64_t number)
{
	return gemp_comm_agree(h5->comm, gemp_h5_put_number_local(h5, path, name, number));
}

gemp_code gemp_h5_put_real(const gemp_h5 *h5, const char *path, const char *name, double real)
{
	return put_and_agree(h5, path, name, H5Tcopy(H5T_IEEE_F64LE), &real, SIZE_MAX);
}

gemp_code gemp_h5_put_numbers(const gemp_h5 *h5, const char *path, const char *name, const int64_t *numbers,
                              size_t count)
{
	return put_and_agree(h5, path, name, H5Tcopy(H5T_STD_I64LE), numbers, count);
}

gemp_code gemp_h5_put_flag(const gemp_h5 *h5, const char *path, const char *name, bool flag)
{
	return put_and_agree(h5, path, name, gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL)), &(int8_t){ flag }, SIZE_MAX);
}

/* The message names the object's path, unless the object is the root. */
static gemp_code wrong_attribute(const gemp_h5 *h5, const char *path, const char *name, const char *why)
{
	const bool root = strcmp(path, "/") == 0;
	return gemp_fail(GEMP_EDATA, "%s: %s%s%sattribute '%s'%s", h5->path, root ? "" : "'", root ? "" : path,
	                 root ? "" : "': ", name, why);
}

/* HDF5 answers this from metadata that it has already read, so the ranks need not communicate. */
gemp_code gemp_h5_has_attribute(const gemp_h5 *h5, const char *path, const char *name, bool *has)
{
	if (!path)
		return GEMP_ENOMEM;
	htri_t found = H5Aexists_by_name(h5->file, path, name, H5P_DEFAULT);
	*has = found > 0;
	return GEMP_HDF5(h5, found);
}

/* Opens the attribute. *count becomes its number of elements. GEMP_EDATA: the elements are not texts (if `texts`) or
 * not numbers (otherwise). */
static gemp_code open_attribute(const gemp_h5 *h5, const char *path, const char *name, bool texts, hid_t *attribute,
                                size_t *count)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t space = H5I_INVALID_HID, type = H5I_INVALID_HID;
	hssize_t elements = 0;
	bool has;
	GEMP_TRY(gemp_h5_has_attribute(h5, path, name, &has));
	if (!has)
		return gemp_fail(GEMP_EDATA, "%s: '%s' has no attribute '%s'; the file is damaged, make it again", h5->path,
		                 path, name);
	GEMP_TRY(GEMP_HDF5(h5, *attribute = H5Aopen_by_name(h5->file, path, name, H5P_DEFAULT, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Aget_space(*attribute)));
	GEMP_TRY(GEMP_HDF5(h5, elements = H5Sget_simple_extent_npoints(space)));
	GEMP_TRY(GEMP_HDF5(h5, type = H5Aget_type(*attribute)));
	*count = (size_t)elements;
	const H5T_class_t class = H5Tget_class(type);
	if (texts ? H5Tis_variable_str(type) <= 0 : class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_ENUM)
		return wrong_attribute(h5, path, name, texts ? " is not a text" : " is not one number");
	return GEMP_OK;
}

/* HDF5 allocates strings by malloc, so they are copied into the program's counted memory. */
static gemp_code copy_texts(char **from, size_t count, gemp_h5_texts *texts)
{
	for (; texts->count < count; texts->count++) {
		const char *text = from[texts->count];
		texts->text[texts->count] = gemp_strdup(text ? text : "");
		if (!texts->text[texts->count])
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

/* Local. The strings that HDF5 allocated are freed, even if copying them fails. */
static gemp_code get_texts(const gemp_h5 *h5, const char *path, const char *name, gemp_h5_texts *texts)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t attribute = H5I_INVALID_HID, memory = gemp_h5_make_string_type();
	GEMP_OWNED char **read = NULL;
	size_t count = 0;
	GEMP_TRY(open_attribute(h5, path, name, true, &attribute, &count));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(read, count), GEMP_ARRAY(texts->text, count)));
	if (count)
		GEMP_TRY(GEMP_HDF5(h5, H5Aread(attribute, memory, read)));
	gemp_code code = copy_texts(read, count, texts);
	for (size_t i = 0; i < count; i++)
		H5free_memory(read[i]);
	return code;
}

/* If any rank fails, the ranks that have read the texts free them. */
gemp_code gemp_h5_get_texts(const gemp_h5 *h5, const char *path, const char *name, gemp_h5_texts *texts)
{
	*texts = (gemp_h5_texts){ 0 };
	gemp_code code = gemp_comm_agree(h5->comm, get_texts(h5, path, name, texts));
	if (code != GEMP_OK)
		gemp_h5_texts_free(texts);
	return code;
}

/* Reads a list of texts that must have one element. */
gemp_code gemp_h5_get_text(const gemp_h5 *h5, const char *path, const char *name, char **text)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts texts = { 0 };
	*text = NULL;
	GEMP_TRY(gemp_h5_get_texts(h5, path, name, &texts));
	if (texts.count != 1)
		return wrong_attribute(h5, path, name, " is not one text");
	*text = texts.text[0];
	texts.text[0] = NULL;
	return GEMP_OK;
}

/* Collective. HDF5 converts the stored number to the type `memory`. */
static gemp_code get_scalar(const gemp_h5 *h5, const char *path, const char *name, hid_t memory, void *out)
{
	size_t count = 0;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t attribute = H5I_INVALID_HID;
	gemp_code code = open_attribute(h5, path, name, false, &attribute, &count);
	GEMP_THEN(count == 1 ? GEMP_OK : wrong_attribute(h5, path, name, " is not one number"));
	GEMP_THEN(GEMP_HDF5(h5, H5Aread(attribute, memory, out)));
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_get_number(const gemp_h5 *h5, const char *path, const char *name, uint64_t *number)
{
	return get_scalar(h5, path, name, H5T_NATIVE_UINT64, number);
}

gemp_code gemp_h5_get_real(const gemp_h5 *h5, const char *path, const char *name, double *real)
{
	return get_scalar(h5, path, name, H5T_NATIVE_DOUBLE, real);
}

/* A flag is stored as h5py's enum. HDF5 refuses to convert other integers to this enum. */
gemp_code gemp_h5_get_flag(const gemp_h5 *h5, const char *path, const char *name, bool *flag)
{
	int8_t value = 0;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL));
	gemp_code code = get_scalar(h5, path, name, type, &value);
	*flag = value;
	return code;
}

/* HDF5 converts integers of any width. */
gemp_code gemp_h5_get_numbers(const gemp_h5 *h5, const char *path, const char *name, int64_t **numbers, size_t *count)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t attribute = H5I_INVALID_HID;
	GEMP_OWNED int64_t *read = NULL;
	gemp_code code = open_attribute(h5, path, name, false, &attribute, count);
	GEMP_THEN(GEMP_NEW(read, *count));
	if (code == GEMP_OK && *count)
		code = GEMP_HDF5(h5, H5Aread(attribute, H5T_NATIVE_INT64, read));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	*numbers = read;
	read = NULL;
	return GEMP_OK;
}

/* When rank 0 writes with serial HDF5, only rank 0 knows whether the group exists. A maximum over the ranks informs all
 * ranks. */
static gemp_code make_missing_group(const gemp_h5 *h5, const char *path)
{
	bool exists = false;
	GEMP_TRY(gemp_h5_exists(h5, path, &exists));
	uint64_t there = exists;
	gemp_comm_max(h5->comm, &there, 1);
	return there ? GEMP_OK : gemp_h5_group(h5, path, "dict", "0.1.0");
}

/* HDF5 could make missing groups itself, but without the encoding that AnnData requires. */
gemp_code gemp_h5_make_groups(const gemp_h5 *h5, const char *path)
{
	GEMP_OWNED char *part = path ? gemp_strdup(path) : NULL;
	GEMP_TRY(gemp_comm_agree(h5->comm, part ? GEMP_OK : GEMP_ENOMEM));
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		GEMP_TRY(make_missing_group(h5, part));
		*slash = '/';
	}
	return make_missing_group(h5, part);
}

/* LINKS AND LISTS */

/* A hard link gives the object a second name without copying its data. */
gemp_code gemp_h5_link(const gemp_h5 *h5, const char *target, const char *path)
{
	gemp_code code = gemp_h5_before_change(h5, target ? GEMP_OK : GEMP_ENOMEM, path);
	if (h5->active)
		GEMP_THEN(GEMP_HDF5(h5, H5Lcreate_hard(h5->file, target, h5->file, path, H5P_DEFAULT, H5P_DEFAULT)));
	return gemp_comm_agree(h5->comm, code);
}

/* A rank that does not call HDF5 gets false. */
gemp_code gemp_h5_exists(const gemp_h5 *h5, const char *path, bool *exists)
{
	htri_t found = 0;
	gemp_code code = path ? GEMP_OK : GEMP_ENOMEM;
	if (h5->active)
		GEMP_THEN(GEMP_HDF5(h5, found = H5Lexists(h5->file, path, H5P_DEFAULT)));
	*exists = found > 0;
	return gemp_comm_agree(h5->comm, code);
}

typedef struct name_list {
	gemp_h5_texts names;
	size_t capacity;
	gemp_code code;
} name_list;

/* Appends a copy of the name. A failure is stored in the list, and the result ends HDF5's iteration. */
static herr_t add_name(name_list *list, const char *name)
{
	gemp_h5_texts *names = &list->names;
	list->code = GEMP_RESERVE(names->text, list->capacity, names->count + 1);
	if (list->code == GEMP_OK && !(names->text[names->count] = gemp_strdup(name)))
		list->code = GEMP_ENOMEM;
	names->count += list->code == GEMP_OK;
	return list->code != GEMP_OK;
}

/* Collective. Moves the list to *names if every rank has the complete list, and frees it otherwise. */
static gemp_code finish_list(const gemp_h5 *h5, gemp_code code, name_list *list, gemp_h5_texts *names)
{
	GEMP_THEN(list->code);
	code = gemp_comm_agree(h5->comm, code);
	if (code == GEMP_OK)
		*names = list->names;
	else
		gemp_h5_texts_free(&list->names);
	return code;
}

/* H5Literate calls this function for each link, in the bytewise order of the names. */
static herr_t note_link(hid_t group, const char *name, const H5L_info_t *info, void *list)
{
	(void)group, (void)info;
	return add_name(list, name);
}

/* H5Ovisit calls this function once for each object, even if the object has several hard links. */
static herr_t note_dataset(hid_t file, const char *name, const H5O_info_t *info, void *list)
{
	(void)file;
	return info->type == H5O_TYPE_DATASET ? add_name(list, name) : 0;
}

/* Every rank reads the list from the file, so nothing is broadcast. */
gemp_code gemp_h5_list(const gemp_h5 *h5, const char *path, gemp_h5_texts *names)
{
	name_list list = { 0 };
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t group = H5I_INVALID_HID;
	gemp_code code = GEMP_HDF5(h5, group = H5Gopen2(h5->file, path, H5P_DEFAULT));
	GEMP_THEN(GEMP_HDF5(h5, H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, note_link, &list)));
	return finish_list(h5, code, &list, names);
}

/* An object with several hard links is listed once, so each dataset is verified once. */
gemp_code gemp_h5_list_datasets(const gemp_h5 *h5, gemp_h5_texts *names)
{
	name_list list = { 0 };
	gemp_code code = GEMP_HDF5(h5,
	                           H5Ovisit2(h5->file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, &list, H5O_INFO_BASIC));
	return finish_list(h5, code, &list, names);
}
