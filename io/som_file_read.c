#include "io/som_file_parts.h"

#include "core/memory.h"
#include "io/hdf5.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_SIDE = 1 << 20 };

/* The caller frees (free, as HDF5 allocates). */
static gemp_code get_text(const gemp_h5 *h5, const char *name, char **out)
{
	gemp_code code = GEMP_OK;
	hid_t attribute = H5I_INVALID_HID, type = H5Tcopy(H5T_C_S1);
	H5Tset_size(type, H5T_VARIABLE);
	H5Tset_cset(type, H5T_CSET_UTF8);
	*out = NULL;
	GEMP_TRY(GEMP_HDF5(h5, attribute = H5Aopen(h5->file, name, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, H5Aread(attribute, type, out)));
	if (!*out)
		code = gemp_fail(GEMP_EDATA, "%s: attribute '%s' is empty", h5->path, name);
done:
	if (attribute >= 0)
		H5Aclose(attribute);
	H5Tclose(type);
	return code;
}

static gemp_code get_scalar(const gemp_h5 *h5, const char *name, hid_t memory, void *out)
{
	gemp_code code = GEMP_OK;
	hid_t attribute = H5I_INVALID_HID, space = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, attribute = H5Aopen(h5->file, name, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Aget_space(attribute)));
	if (H5Sget_simple_extent_npoints(space) != 1)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: attribute '%s' is not one number", h5->path, name));
	code = GEMP_HDF5(h5, H5Aread(attribute, memory, out));
done:
	if (space >= 0)
		H5Sclose(space);
	if (attribute >= 0)
		H5Aclose(attribute);
	return code;
}

static gemp_code get_word(const gemp_h5 *h5, const char *name, const char *words, int *out)
{
	gemp_code code = GEMP_OK;
	char *text = NULL;
	GEMP_TRY(get_text(h5, name, &text));
	*out = 0;
	for (const char *at = words; at; at = strchr(at, '|'), at = at ? at + 1 : NULL, (*out)++)
		if (strlen(text) == strcspn(at, "|") && strncmp(text, at, strlen(text)) == 0)
			goto done;
	code = gemp_fail(GEMP_EDATA, "%s: attribute '%s' is '%s', and not %s", h5->path, name, text, words);
done:
	free(text);
	return code;
}

static gemp_code get_fields(const gemp_h5 *h5, gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < GEMP_SOM_FIELDS; i++) {
		const gemp_som_field *field = &gemp_som_fields[i];
		void *value = (char *)map + field->at;
		if (field->words)
			GEMP_TRY(get_word(h5, field->name, field->words, value));
		else if (field->optional && H5Aexists(h5->file, field->name) <= 0)
			*(double *)value = (double)NAN;
		else
			GEMP_TRY(get_scalar(h5, field->name, field->real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64, value));
	}
done:
	return code;
}

/* ARRAYS */

static gemp_code open_array(const gemp_h5 *h5, const char *name, int dimensions, hid_t *dataset, hsize_t size[3])
{
	gemp_code code = GEMP_OK;
	hid_t space = H5I_INVALID_HID;
	*dataset = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, *dataset = H5Dopen2(h5->file, name, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Dget_space(*dataset)));
	if (H5Sget_simple_extent_ndims(space) != dimensions)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: dataset '%s' is not of %d dimension(s)", h5->path, name, dimensions));
	code = GEMP_HDF5(h5, H5Sget_simple_extent_dims(space, size, NULL));
done:
	if (space >= 0)
		H5Sclose(space);
	if (code != GEMP_OK && *dataset >= 0)
		H5Dclose(*dataset);
	return code;
}

/* All of a dataset, of this many elements. */
static gemp_code get_array(const gemp_h5 *h5, const char *name, int dimensions, uint64_t elements, hid_t memory, void *out)
{
	hid_t dataset;
	hsize_t size[3] = { 1, 1, 1 };
	gemp_code code = open_array(h5, name, dimensions, &dataset, size);
	if (code != GEMP_OK)
		return code;
	if (size[0] * size[1] * size[2] != elements)
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' is not of the codebook's size", h5->path, name);
	if (code == GEMP_OK)
		code = GEMP_HDF5(h5, H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
	H5Dclose(dataset);
	return code;
}

static gemp_code get_names(const gemp_h5 *h5, gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	char **texts = NULL;
	hid_t type = H5Tcopy(H5T_C_S1);
	H5Tset_size(type, H5T_VARIABLE);
	H5Tset_cset(type, H5T_CSET_UTF8);
	GEMP_TRY(GEMP_NEW(texts, map->dims));
	GEMP_TRY(get_array(h5, "columns", 1, map->dims, type, texts));
	for (uint32_t c = 0; c < map->dims && code == GEMP_OK; c++) {
		map->names[c] = gemp_strdup(texts[c] ? texts[c] : "");
		code = map->names[c] ? GEMP_OK : GEMP_ENOMEM;
	}
done:
	for (uint32_t c = 0; texts && c < map->dims; c++)
		free(texts[c]); /* HDF5's */
	gemp_free(texts);
	H5Tclose(type);
	return code;
}

static gemp_code get_arrays(const gemp_h5 *h5, gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	const uint64_t units = (uint64_t)map->rows * map->columns, dims = map->dims;
	double *scale = NULL;
	GEMP_TRY(GEMP_NEW(scale, 2 * dims));
	GEMP_TRY(get_array(h5, "codebook", 3, units * dims, H5T_NATIVE_FLOAT, map->codebook));
	GEMP_TRY(get_array(h5, "umatrix", 2, units, H5T_NATIVE_FLOAT, map->umatrix));
	GEMP_TRY(get_array(h5, "scale", 2, 2 * dims, H5T_NATIVE_DOUBLE, scale));
	memcpy(map->offset, scale, dims * sizeof *scale);
	memcpy(map->factor, scale + dims, dims * sizeof *scale);
	if (H5Lexists(h5->file, "hits", H5P_DEFAULT) > 0) {
		GEMP_TRY(GEMP_NEW(map->hits, units));
		GEMP_TRY(get_array(h5, "hits", 2, units, H5T_NATIVE_UINT64, map->hits));
	}
	code = get_names(h5, map);
done:
	gemp_free(scale);
	return code;
}

static gemp_code read_map(gemp_som_map *out, const gemp_h5 *h5)
{
	gemp_code code = GEMP_OK;
	char *encoding = NULL;
	hid_t codebook;
	hsize_t size[3] = { 0 };
	if (H5Aexists(h5->file, "encoding-type") <= 0)
		return gemp_fail(GEMP_EDATA, "%s: is no map; `gemp-mpi som train` writes one", h5->path);
	GEMP_TRY(get_text(h5, "encoding-type", &encoding));
	if (strcmp(encoding, GEMP_SOM_ENCODING) != 0)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: is no map, but '%s'; `gemp-mpi som train` writes one", h5->path, encoding));
	GEMP_TRY(open_array(h5, "codebook", 3, &codebook, size));
	H5Dclose(codebook);
	for (int i = 0; i < 3; i++)
		if (size[i] == 0 || size[i] > LARGEST_SIDE)
			GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: the codebook has a side of %llu", h5->path, (unsigned long long)size[i]));
	GEMP_TRY(gemp_som_map_new(out, (uint32_t)size[0], (uint32_t)size[1], (uint32_t)size[2]));
	GEMP_TRY(get_fields(h5, out));
	code = get_arrays(h5, out);
done:
	free(encoding);
	return code;
}

/* Local. */
static gemp_code read_file(gemp_som_map *out, const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_h5 h5 = { .comm = comm, .path = (char *)path, .file = H5I_INVALID_HID, .transfer = H5P_DEFAULT, .active = true };
	if (access(path, R_OK) != 0)
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	H5dont_atexit();
	H5open();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	GEMP_TRY(GEMP_HDF5(&h5, h5.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)));
	code = read_map(out, &h5);
	H5Fclose(h5.file);
done:
	return code;
}

gemp_code gemp_som_file_read(gemp_som_map *out, const gemp_comm *comm, const char *path)
{
	*out = (gemp_som_map){ 0 };
	gemp_code code = gemp_comm_agree(comm, read_file(out, comm, path));
	if (code != GEMP_OK)
		gemp_som_map_free(out);
	return code;
}
