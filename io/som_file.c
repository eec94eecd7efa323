#include "io/som_file_parts.h"

#include "core/memory.h"
#include "io/hdf5.h"
#include "io/whole_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORD(name, words, field) { name, words, false, false, offsetof(gemp_som_map, field) }
#define COUNT(name, field) { name, NULL, false, false, offsetof(gemp_som_map, field) }
#define COUNT_OR_NONE(name, field) { name, NULL, false, true, offsetof(gemp_som_map, field) }
#define REAL(name, field) { name, NULL, true, false, offsetof(gemp_som_map, field) }
#define REAL_OR_NONE(name, field) { name, NULL, true, true, offsetof(gemp_som_map, field) }

const gemp_som_field gemp_som_fields[GEMP_SOM_FIELDS] = {
	WORD("grid", GEMP_SOM_GRIDS, grid),
	WORD("topology", GEMP_SOM_TOPOLOGIES, topology),
	WORD("metric", GEMP_SOM_METRICS, metric),
	WORD("neighbourhood", GEMP_SOM_NEIGHBOURHOODS, neighbourhood),
	WORD("cooling", GEMP_SOM_COOLINGS, cooling),
	WORD("training", GEMP_SOM_TRAININGS, training),
	WORD("start", GEMP_SOM_STARTS, start),
	WORD("scaling", GEMP_SOM_SCALINGS, scaling),
	COUNT("seed", seed),
	COUNT("epoch", epoch),
	COUNT("epochs", epochs),
	COUNT("samples", samples),
	COUNT_OR_NONE("data", data),
	REAL("radius", radius),
	REAL("radius-end", radius_end),
	REAL("rate", rate),
	REAL("rate-end", rate_end),
	REAL_OR_NONE("quantisation-error", quantisation),
	REAL_OR_NONE("topographic-error", topographic),
};

/* MEMORY */

gemp_code gemp_som_map_new(gemp_som_map *out, uint32_t rows, uint32_t columns, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	size_t units = (size_t)rows * columns;
	*out = (gemp_som_map){ .rows = rows, .columns = columns, .dims = dims, .quantisation = (double)NAN,
	                       .topographic = (double)NAN };
	GEMP_TRY(GEMP_NEW(out->codebook, units * dims));
	GEMP_TRY(GEMP_NEW(out->umatrix, units));
	GEMP_TRY(GEMP_NEW(out->offset, dims));
	GEMP_TRY(GEMP_NEW(out->factor, dims));
	code = GEMP_NEW(out->names, dims);
done:
	if (code != GEMP_OK)
		gemp_som_map_free(out);
	return code;
}

void gemp_som_map_free(gemp_som_map *map)
{
	for (uint32_t c = 0; map->names && c < map->dims; c++)
		gemp_free(map->names[c]);
	gemp_free(map->names);
	gemp_free(map->codebook);
	gemp_free(map->umatrix);
	gemp_free(map->hits);
	gemp_free(map->offset);
	gemp_free(map->factor);
	*map = (gemp_som_map){ 0 };
}

/* WRITING, BY RANK 0 ALONE */

static gemp_code put_scalar(const gemp_h5 *h5, const char *name, hid_t stored, hid_t memory, const void *value)
{
	gemp_code code = GEMP_OK;
	hid_t space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, attribute = H5Acreate2(h5->file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT)));
	code = GEMP_HDF5(h5, H5Awrite(attribute, memory, value));
done:
	if (attribute >= 0)
		H5Aclose(attribute);
	H5Sclose(space);
	return code;
}

static gemp_code put_word(const gemp_h5 *h5, const char *name, const char *words, int index)
{
	char text[64];
	const char *at = words, *texts = text;
	for (; index > 0; index--)
		at = strchr(at, '|') + 1;
	snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "|"), at);
	hid_t type = H5Tcopy(H5T_C_S1);
	H5Tset_size(type, H5T_VARIABLE);
	H5Tset_cset(type, H5T_CSET_UTF8);
	gemp_code code = put_scalar(h5, name, type, type, &texts);
	H5Tclose(type);
	return code;
}

static gemp_code put_fields(const gemp_h5 *h5, const gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(put_word(h5, "encoding-type", GEMP_SOM_ENCODING, 0));
	GEMP_TRY(put_word(h5, "encoding-version", GEMP_SOM_VERSION, 0));
	for (size_t i = 0; i < GEMP_SOM_FIELDS; i++) {
		const gemp_som_field *field = &gemp_som_fields[i];
		const void *value = (const char *)map + field->at;
		if (field->words)
			GEMP_TRY(put_word(h5, field->name, field->words, *(const int *)value));
		else if (!field->real && (!field->optional || *(const uint64_t *)value))
			GEMP_TRY(put_scalar(h5, field->name, H5T_STD_U64LE, H5T_NATIVE_UINT64, value));
		else if (field->real && (!field->optional || !isnan(*(const double *)value)))
			GEMP_TRY(put_scalar(h5, field->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value));
	}
done:
	return code;
}

static gemp_code put_array(const gemp_h5 *h5, const char *name, gemp_som_shape size, hid_t stored, hid_t memory,
                           const void *values)
{
	gemp_code code = GEMP_OK;
	hid_t space = H5I_INVALID_HID, creation = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(size.dimensions, size.size, NULL)));
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, dataset = H5Dcreate2(h5->file, name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
	code = GEMP_HDF5(h5, H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
done:
	if (dataset >= 0)
		H5Dclose(dataset);
	if (creation >= 0)
		H5Pclose(creation);
	if (space >= 0)
		H5Sclose(space);
	return code;
}

static gemp_code put_arrays(const gemp_h5 *h5, const gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	const hsize_t dims = map->dims;
	const gemp_som_shape book = { 3, { map->rows, map->columns, dims } }, grid = { 2, { map->rows, map->columns } };
	double *scale = NULL;
	hid_t text = H5Tcopy(H5T_C_S1);
	H5Tset_size(text, H5T_VARIABLE);
	H5Tset_cset(text, H5T_CSET_UTF8);
	GEMP_TRY(GEMP_NEW(scale, 2 * dims));
	memcpy(scale, map->offset, dims * sizeof *scale);
	memcpy(scale + dims, map->factor, dims * sizeof *scale);
	GEMP_TRY(put_array(h5, "codebook", book, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, map->codebook));
	GEMP_TRY(put_array(h5, "umatrix", grid, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, map->umatrix));
	if (map->hits)
		GEMP_TRY(put_array(h5, "hits", grid, H5T_STD_U64LE, H5T_NATIVE_UINT64, map->hits));
	GEMP_TRY(put_array(h5, "scale", (gemp_som_shape){ 2, { 2, dims } }, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scale));
	code = put_array(h5, "columns", (gemp_som_shape){ 1, { dims } }, text, text, map->names);
done:
	H5Tclose(text);
	gemp_free(scale);
	return code;
}

static gemp_code write_all(const gemp_som_map *map, const gemp_comm *comm, const char *temporary)
{
	gemp_code code = GEMP_OK;
	gemp_h5 h5 = { .comm = comm, .path = (char *)temporary, .file = H5I_INVALID_HID, .transfer = H5P_DEFAULT,
	               .active = true, .writing = true };
	FILE *may = fopen(temporary, "wb"); /* HDF5 would not say why not */
	if (!may || fclose(may) != 0)
		return gemp_fail(GEMP_EIO, "%s: cannot be written: %s", temporary, strerror(errno));
	H5dont_atexit();
	H5open();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	GEMP_TRY(GEMP_HDF5(&h5, h5.file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
	GEMP_TRY(put_fields(&h5, map));
	GEMP_TRY(put_arrays(&h5, map));
	hid_t file = h5.file;
	h5.file = H5I_INVALID_HID;
	code = GEMP_HDF5(&h5, H5Fclose(file));
done:
	if (h5.file >= 0)
		gemp_comm_no_finalize = true;
	return code;
}

gemp_code gemp_som_file_write(const gemp_som_map *map, const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_text temporary = { 0 };
	GEMP_TRY(gemp_whole_file_name(comm, path, &temporary));
	code = gemp_comm_agree(comm, comm->rank == 0 ? write_all(map, comm, temporary.data) : GEMP_OK);
	code = gemp_whole_file_settle(comm, temporary.data, path, code);
done:
	gemp_text_free(&temporary);
	return code;
}
