/* The table som_fields gives the name, the kind and the offset of each field of a map. Attributes are written and read
 * by this table. The functions of io/hdf5 write datasets of one dimension. The datasets of a map have up to three, so
 * this file has its own functions for them. */

#include "io/som/som_file.h"

#include "core/status.h"
#include "io/file/output.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_claim.h"
#include "io/hdf5/hdf5_column.h"
#include "io/text/cells.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEMP_SOM_ENCODING "gemp-som"
#define GEMP_SOM_VERSION "0.1.0"

typedef struct som_field {
	const char *name;
	const char *words; /* for an int field, its words, separated by '|'; NULL: a number */
	bool real;         /* true: the number is f64; false: u64 */
	bool optional;     /* a file may lack the attribute; the field is then NaN or 0 */
	size_t offset;     /* offset of the field in gemp_som_map */
} som_field;

/* The shape of a dataset. size[0..dimensions) are in use. */
typedef struct som_shape {
	int dimensions;
	hsize_t size[3];
} som_shape;

enum { SOM_FIELDS = 19 };

#define FIELD(name, words, real, optional, field)                  \
	{                                                              \
		name, words, real, optional, offsetof(gemp_som_map, field) \
	}
#define WORD(name, words, field) FIELD(name, words, false, false, field)
#define COUNT(name, field) FIELD(name, NULL, false, false, field)
#define REAL(name, field) FIELD(name, NULL, true, false, field)

static const som_field som_fields[SOM_FIELDS] = {
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
	FIELD("data", NULL, false, true, data),
	REAL("radius", radius),
	REAL("radius-end", radius_end),
	REAL("rate", rate),
	REAL("rate-end", rate_end),
	FIELD("quantisation-error", NULL, true, true, quantisation),
	FIELD("topographic-error", NULL, true, true, topographic),
};

/* MEMORY */

/* The two errors become NaN, since they are not known yet. */
gemp_code gemp_som_map_new(gemp_som_map *out, uint32_t rows, uint32_t columns, uint32_t dims)
{
	size_t units = (size_t)rows * columns;
	*out = (gemp_som_map){
		.rows = rows, .columns = columns, .dims = dims, .quantisation = (double)NAN, .topographic = (double)NAN
	};
	gemp_code code = gemp_new_all(GEMP_ARRAY(out->codebook, units * dims), GEMP_ARRAY(out->umatrix, units),
	                              GEMP_ARRAY(out->offset, dims), GEMP_ARRAY(out->factor, dims),
	                              GEMP_ARRAY(out->names, dims));
	if (code != GEMP_OK)
		gemp_som_map_free(out);
	return code;
}

/* The map may be allocated only in part, after a failure. */
void gemp_som_map_free(gemp_som_map *map)
{
	for (uint32_t c = 0; map->names && c < map->dims; c++)
		gemp_free(map->names[c]);
	gemp_free_all(map->names, map->codebook, map->umatrix, map->hits, map->offset, map->factor);
	*map = (gemp_som_map){ 0 };
}

/* Local. Tests that the map has units and dimensions, and all arrays but hits. */
static inline bool gemp_som_map_is_valid(const gemp_som_map *map)
{
	return map->rows && map->columns && map->dims && map->codebook && map->umatrix && map->offset && map->factor &&
	       map->names;
}

/* WRITING, BY RANK 0 ALONE */

/* The file stores the word and not its index, so files stay readable if a later version reorders the words. */
static gemp_code put_word(const gemp_h5 *h5, const char *name, const char *words, int index)
{
	char text[64];
	const char *at = words;
	for (; index > 0; index--)
		at = strchr(at, '|') + 1;
	snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "|"), at);
	return gemp_h5_put_text(h5, "/", name, text);
}

/* An optional field gets no attribute if its value is not known. */
static gemp_code put_fields(const gemp_h5 *h5, const gemp_som_map *map)
{
	GEMP_TRY(gemp_h5_put_text(h5, "/", "encoding-type", GEMP_SOM_ENCODING));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "encoding-version", GEMP_SOM_VERSION));
	for (size_t i = 0; i < SOM_FIELDS; i++) {
		const som_field *field = &som_fields[i];
		const void *value = (const char *)map + field->offset;
		if (field->words)
			GEMP_TRY(put_word(h5, field->name, field->words, *(const int *)value));
		else if (!field->real && (!field->optional || *(const uint64_t *)value))
			GEMP_TRY(gemp_h5_put_number(h5, "/", field->name, *(const uint64_t *)value));
		else if (field->real && (!field->optional || !isnan(*(const double *)value)))
			GEMP_TRY(gemp_h5_put_real(h5, "/", field->name, *(const double *)value));
	}
	return GEMP_OK;
}

/* Writes a whole dataset. It stores no times, so equal maps give equal files. */
static gemp_code put_array(const gemp_h5 *h5, const char *name, som_shape size, hid_t stored, hid_t memory,
                           const void *values)
{
	GEMP_OWNED_BY(gemp_h5_release_at)
	hid_t space = H5I_INVALID_HID, creation = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(size.dimensions, size.size, NULL)));
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, dataset = H5Dcreate2(h5->file, name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
	return GEMP_HDF5(h5, H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

/* The first row of the dataset `scale` holds the offsets, and the second row holds the factors. */
static gemp_code put_arrays(const gemp_h5 *h5, const gemp_som_map *map)
{
	const hsize_t dims = map->dims;
	const som_shape book = { 3, { map->rows, map->columns, dims } }, grid = { 2, { map->rows, map->columns } };
	GEMP_OWNED double *scale = NULL;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t text = gemp_h5_make_string_type();
	GEMP_TRY(GEMP_NEW(scale, 2 * dims));
	memcpy(scale, map->offset, dims * sizeof *scale);
	memcpy(scale + dims, map->factor, dims * sizeof *scale);
	GEMP_TRY(put_array(h5, "codebook", book, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, map->codebook));
	GEMP_TRY(put_array(h5, "umatrix", grid, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, map->umatrix));
	if (map->hits)
		GEMP_TRY(put_array(h5, "hits", grid, H5T_STD_U64LE, H5T_NATIVE_UINT64, map->hits));
	GEMP_TRY(put_array(h5, "scale", (som_shape){ 2, { 2, dims } }, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scale));
	return put_array(h5, "columns", (som_shape){ 1, { dims } }, text, text, map->names);
}

/* After a failure the file is abandoned instead of closed, since closing would try to write again. */
static gemp_code write_all(const gemp_som_map *map, const char *temporary)
{
	gemp_h5 h5 = { 0 };
	gemp_code code = gemp_h5_create_local(&h5, temporary);
	GEMP_THEN(put_fields(&h5, map));
	GEMP_THEN(put_arrays(&h5, map));
	if (code == GEMP_OK)
		return gemp_h5_close(&h5);
	gemp_h5_abandon(&h5);
	return code;
}

/* An interrupted training resumes from this file, so an incomplete file would lose the training. The file is written
 * under a temporary name and renamed when it is complete. */
gemp_code gemp_som_file_write(const gemp_som_map *map, const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_text_free) gemp_text temporary = { 0 };
	assert(comm->rank != 0 || gemp_som_map_is_valid(map));
	GEMP_TRY(gemp_output_temporary(comm, path, &temporary));
	code = gemp_comm_agree(comm, comm->rank == 0 ? write_all(map, temporary.data) : GEMP_OK);
	return gemp_output_commit(comm, temporary.data, path, code);
}

enum { LARGEST_SIDE = 1 << 24 }; /* the longest side that gemp_som_grid_check allows */
#define AGAIN "; the file is damaged: train the map again"

/* Tests whether stored values of this type can be read as `memory`: texts as texts, and numbers as numbers. */
static bool has_class_of(hid_t type, hid_t memory)
{
	const H5T_class_t class = H5Tget_class(type);
	if (H5Tget_class(memory) == H5T_STRING)
		return class == H5T_STRING && H5Tis_variable_str(type) > 0;
	return class == H5T_INTEGER || class == H5T_FLOAT;
}

static const char *kind_word(hid_t memory)
{
	return H5Tget_class(memory) == H5T_STRING ? "text" : "number";
}

/* ATTRIBUTES */

/* The file stores a word. *out becomes the index of this word in `words`, where '|' separates the words. */
static gemp_code get_word(const gemp_h5 *h5, const char *name, const char *words, int *out)
{
	GEMP_OWNED char *text = NULL;
	GEMP_TRY(gemp_h5_get_text(h5, "/", name, &text));
	*out = 0;
	for (const char *at = words; at; at = strchr(at, '|'), at = at ? at + 1 : NULL, (*out)++)
		if (strlen(text) == strcspn(at, "|") && strncmp(text, at, strlen(text)) == 0)
			return GEMP_OK;
	return gemp_fail(GEMP_EDATA, "%s: attribute '%s' is '%s', and not %s" AGAIN, h5->path, name, text, words);
}

/* An older version may not have stored an optional field. The field then becomes NaN or 0. */
static gemp_code get_field(const gemp_h5 *h5, const som_field *field, void *value)
{
	bool has = true;
	if (field->words)
		return get_word(h5, field->name, field->words, value);
	if (field->optional)
		GEMP_TRY(gemp_h5_has_attribute(h5, "/", field->name, &has));
	if (field->real && !has)
		*(double *)value = (double)NAN;
	else if (field->real)
		return gemp_h5_get_real(h5, "/", field->name, value);
	else if (!has)
		*(uint64_t *)value = 0;
	else
		return gemp_h5_get_number(h5, "/", field->name, value);
	return GEMP_OK;
}

/* ARRAYS */

/* Opens a dataset and returns its sizes. The dataset must have `dimensions` dimensions and a type that can be read as
 * `memory`. The caller closes *out. */
static gemp_code open_array(const gemp_h5 *h5, const char *name, int dimensions, hid_t memory, hid_t *out,
                            hsize_t size[GEMP_H5_DIMENSIONS])
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID, type = H5I_INVALID_HID;
	int found = 0;
	if (H5Lexists(h5->file, name, H5P_DEFAULT) <= 0)
		return gemp_fail(GEMP_EDATA, "%s: has no dataset '%s'" AGAIN, h5->path, name);
	GEMP_TRY(GEMP_HDF5(h5, dataset = H5Dopen2(h5->file, name, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, type = H5Dget_type(dataset)));
	GEMP_TRY(gemp_h5_extent(h5, dataset, &found, size));
	if (found != dimensions)
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' is not of %d dimensions, but of %d" AGAIN, h5->path, name,
		                 dimensions, found);
	if (!has_class_of(type, memory))
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' is not of %ss" AGAIN, h5->path, name, kind_word(memory));
	GEMP_TRY(gemp_h5_check_claim(h5, dataset, name));
	*out = dataset;
	dataset = H5I_INVALID_HID;
	return GEMP_OK;
}

/* Reads a whole dataset, which must have the given shape. */
static gemp_code get_array(const gemp_h5 *h5, const char *name, som_shape shape, hid_t memory, void *out)
{
	hid_t dataset;
	hsize_t size[3];
	gemp_code code = open_array(h5, name, shape.dimensions, memory, &dataset, size);
	if (code != GEMP_OK)
		return code;
	for (int i = 0; i < shape.dimensions && code == GEMP_OK; i++)
		if (size[i] != shape.size[i])
			code = gemp_fail(GEMP_EDATA,
			                 "%s: dataset '%s' has %llu in dimension %d, where the codebook makes it %llu" AGAIN,
			                 h5->path, name, (unsigned long long)size[i], i + 1, (unsigned long long)shape.size[i]);
	GEMP_THEN(GEMP_HDF5(h5, H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out)));
	H5Dclose(dataset);
	return code;
}

/* HDF5 allocates the texts by malloc. Each text is copied into the program's counted memory, and the original is
 * released by free. */
static gemp_code get_names(const gemp_h5 *h5, gemp_som_map *map)
{
	GEMP_OWNED char **texts = NULL;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = gemp_h5_make_string_type();
	GEMP_TRY(GEMP_NEW(texts, map->dims));
	gemp_code code = get_array(h5, "columns", (som_shape){ 1, { map->dims } }, type, texts);
	for (uint32_t c = 0; c < map->dims && code == GEMP_OK; c++) {
		const char *text = texts[c] ? texts[c] : "";
		if (gemp_utf8_check(text, strlen(text)) < strlen(text))
			code = gemp_fail(GEMP_EDATA, "%s: columns[%" PRIu32 "] is not UTF-8" AGAIN, h5->path, c);
		else
			code = (map->names[c] = gemp_strdup(text)) ? GEMP_OK : GEMP_ENOMEM;
	}
	for (uint32_t c = 0; c < map->dims; c++)
		free(texts[c]); /* allocated by HDF5 */
	return code;
}

/* The search for units and the pictures assume finite values. With a NaN from a damaged file, a sample would get an
 * arbitrary unit. */
static gemp_code check_values(const gemp_h5 *h5, const gemp_som_map *map)
{
	const uint32_t units = gemp_som_map_units(map), dims = map->dims;
	for (size_t k = 0; k < (size_t)units * dims; k++)
		if (!isfinite(map->codebook[k]))
			return gemp_fail(GEMP_EDATA, "%s: codebook: '%s' of the unit in row %zu, column %zu is %g" AGAIN, h5->path,
			                 map->names[k % dims], k / dims / map->columns, k / dims % map->columns,
			                 (double)map->codebook[k]);
	for (uint32_t u = 0; u < units; u++)
		if (!isfinite(map->umatrix[u]))
			return gemp_fail(GEMP_EDATA, "%s: umatrix: row %" PRIu32 ", column %" PRIu32 " is %g" AGAIN, h5->path,
			                 u / map->columns, u % map->columns, (double)map->umatrix[u]);
	for (uint32_t c = 0; c < dims; c++)
		if (!isfinite(map->offset[c]) || !isfinite(map->factor[c]) || map->factor[c] == 0)
			return gemp_fail(GEMP_EDATA, "%s: scale: '%s' has %g and %g" AGAIN, h5->path, map->names[c], map->offset[c],
			                 map->factor[c]);
	return GEMP_OK;
}

/* The sizes of the codebook determine the shapes of all arrays. */
static gemp_code get_arrays(const gemp_h5 *h5, gemp_som_map *map)
{
	const som_shape book = { 3, { map->rows, map->columns, map->dims } };
	const som_shape grid = { 2, { map->rows, map->columns } };
	GEMP_OWNED double *scale = NULL;
	GEMP_TRY(GEMP_NEW(scale, 2 * (size_t)map->dims));
	GEMP_TRY(get_array(h5, "codebook", book, H5T_NATIVE_FLOAT, map->codebook));
	GEMP_TRY(get_array(h5, "umatrix", grid, H5T_NATIVE_FLOAT, map->umatrix));
	GEMP_TRY(get_array(h5, "scale", (som_shape){ 2, { 2, map->dims } }, H5T_NATIVE_DOUBLE, scale));
	memcpy(map->offset, scale, map->dims * sizeof *scale);
	memcpy(map->factor, scale + map->dims, map->dims * sizeof *scale);
	if (H5Lexists(h5->file, "hits", H5P_DEFAULT) > 0) {
		GEMP_TRY(GEMP_NEW(map->hits, gemp_som_map_units(map)));
		GEMP_TRY(get_array(h5, "hits", grid, H5T_NATIVE_UINT64, map->hits));
	}
	GEMP_TRY(get_names(h5, map));
	return check_values(h5, map);
}

/* The checks go from general to specific: another kind of file, then another version, then damage. So the message names
 * the most general cause. */
static gemp_code read_map(gemp_som_map *out, const gemp_h5 *h5)
{
	GEMP_OWNED char *encoding = NULL, *version = NULL;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t codebook = H5I_INVALID_HID;
	hsize_t size[GEMP_H5_DIMENSIONS] = { 0 };
	bool has;
	GEMP_TRY(gemp_h5_has_attribute(h5, "/", "encoding-type", &has));
	if (!has)
		return gemp_fail(GEMP_EDATA, "%s: is no map; `gemp-mpi som train` writes one", h5->path);
	GEMP_TRY(gemp_h5_get_text(h5, "/", "encoding-type", &encoding));
	if (strcmp(encoding, GEMP_SOM_ENCODING) != 0)
		return gemp_fail(GEMP_EDATA, "%s: is no map, but '%s'; `gemp-mpi som train` writes one", h5->path, encoding);
	GEMP_TRY(gemp_h5_get_text(h5, "/", "encoding-version", &version));
	if (strcmp(version, GEMP_SOM_VERSION) != 0)
		return gemp_fail(GEMP_EDATA,
		                 "%s: is a map of version '%s', and this program reads " GEMP_SOM_VERSION "; train it again",
		                 h5->path, version);
	GEMP_TRY(open_array(h5, "codebook", 3, H5T_NATIVE_FLOAT, &codebook, size));
	for (int i = 0; i < 3; i++)
		if (size[i] == 0 || size[i] > LARGEST_SIDE || size[0] * size[1] >= UINT32_MAX)
			return gemp_fail(GEMP_EDATA, "%s: the codebook is of %llu x %llu x %llu" AGAIN, h5->path,
			                 (unsigned long long)size[0], (unsigned long long)size[1], (unsigned long long)size[2]);
	GEMP_TRY(gemp_som_map_new(out, (uint32_t)size[0], (uint32_t)size[1], (uint32_t)size[2]));
	for (size_t i = 0; i < SOM_FIELDS; i++)
		GEMP_TRY(get_field(h5, &som_fields[i], (char *)out + som_fields[i].offset));
	return get_arrays(h5, out);
}

/* Local. Opens the file without MPI and reads the whole map. */
static gemp_code read_file(gemp_som_map *out, const char *path)
{
	gemp_h5 h5 = { 0 };
	gemp_code code = gemp_h5_open_local(&h5, path, false, "`gemp-mpi som train` writes maps");
	GEMP_THEN(read_map(out, &h5));
	gemp_h5_close(&h5);
	return code;
}

/* A map is small, so each rank reads the whole file. */
gemp_code gemp_som_file_read(gemp_som_map *out, const gemp_comm *comm, const char *path)
{
	*out = (gemp_som_map){ 0 };
	gemp_code code = gemp_comm_agree(comm, read_file(out, path));
	if (code != GEMP_OK)
		gemp_som_map_free(out);
	return code;
}

/* Reads the dataset GROUP/NAME, if the file has it. *known becomes true if the file has it and its type can be read. */
static gemp_code read_column(gemp_column *out, const gemp_h5 *h5, const char *group, const char *name, bool *known)
{
	uint64_t rows;
	char place[16];
	*known = false;
	snprintf(place, sizeof place, "%s/%s", group, name);
	GEMP_TRY(gemp_h5_exists(h5, group, known));
	if (*known)
		GEMP_TRY(gemp_h5_exists(h5, place, known));
	if (!*known)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_length(h5, place, &rows));
	return gemp_h5_column(out, h5, place, name, 0, (size_t)rows, known);
}

/* Row i of the keys belongs to row i of the units, so both columns must have the same length. /null/unit, if present,
 * marks the units that are NULL. */
static gemp_code read_columns(gemp_column *keys, gemp_column *units, gemp_column *null, const gemp_h5 *h5)
{
	bool known[3];
	GEMP_TRY(read_column(keys, h5, "/rows", "key", &known[0]));
	GEMP_TRY(read_column(units, h5, "/rows", "unit", &known[1]));
	GEMP_TRY(read_column(null, h5, "/null", "unit", &known[2]));
	if (!known[0] || !known[1] || (keys->type != GEMP_STRING && keys->type != GEMP_INTEGER) ||
	    units->type != GEMP_INTEGER || keys->rows != units->rows)
		GEMP_TRY(gemp_fail(
			GEMP_EDATA, "%s: has no /rows/key and /rows/unit of keys and units; give what som apply wrote", h5->path));
	if (known[2] && null->type == GEMP_BOOLEAN && null->rows == units->rows && !units->null) {
		units->null = null->booleans;
		null->booleans = NULL;
	}
	return GEMP_OK;
}

/* Local. The file is opened without MPI, since only rank 0 draws pictures. */
gemp_code gemp_som_names_read(gemp_column *keys, gemp_column *units, const char *path)
{
	gemp_h5 h5 = { 0 };
	gemp_column null = { 0 };
	gemp_code code = gemp_h5_open_local(&h5, path, false, "give what som apply wrote");
	GEMP_THEN(read_columns(keys, units, &null, &h5));
	gemp_h5_close(&h5);
	gemp_column_free(&null);
	return code;
}
