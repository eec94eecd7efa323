/* A column has two or three arrays that grow (hdf5_growing): its values, or the offsets and bytes of its strings, and
 * its NULL mask. A list is written as its text. */

#include "io/rows/result_file.h"

#include "core/status.h"
#include "io/file/output.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_growing.h"

#include <string.h>

enum { MAX_ARRAYS = 3 }; /* of a column */

struct gemp_result_file {
	const gemp_comm *comm;
	gemp_h5 h5; /* open under the temporary name */
	char *path;
	size_t count; /* columns */
	size_t array_count;
	gemp_growing_stream *arrays; /* [array_count], column after column; the file owns their paths */
	gemp_growing *growing;       /* the same arrays */
};

static bool is_text(const gemp_column *column)
{
	return gemp_is_text(column->type);
}

/* OPENING */

static gemp_h5_kind kind_of(gemp_type type)
{
	return type == GEMP_INTEGER ? GEMP_H5_I64 : type == GEMP_FLOAT ? GEMP_H5_F64 : GEMP_H5_BOOL;
}

/* A column name may hold a slash, which HDF5 would read as a separator of groups, so the name is percent-encoded. */
static void add_array(gemp_result_file *file, gemp_growing_role role, gemp_h5_kind kind, const char *group,
                      const char *name, const char *part)
{
	file->arrays[file->array_count++] = (gemp_growing_stream){ .path = gemp_h5_join_encoded(group, name, part),
		                                                       .role = role,
		                                                       .type = gemp_h5_type_of(kind) };
}

/* A path that is NULL for lack of memory is a failure of gemp_growing_new. */
static gemp_code name_arrays(gemp_result_file *file, const gemp_column *const *columns, size_t count)
{
	GEMP_TRY(GEMP_NEW(file->arrays, MAX_ARRAYS * count));
	for (file->count = 0; file->count < count; file->count++) {
		const gemp_column *column = columns[file->count];
		if (is_text(column)) {
			add_array(file, GEMP_GROWING_OFFSETS, GEMP_H5_U64, "/rows", column->name, "offsets");
			add_array(file, GEMP_GROWING_BYTES, GEMP_H5_U8, "/rows", column->name, "bytes");
		} else {
			add_array(file, GEMP_GROWING_VALUES, kind_of(column->type), "/rows", column->name, "");
		}
		add_array(file, GEMP_GROWING_MASK, GEMP_H5_BOOL, "/null", column->name, "");
	}
	return GEMP_OK;
}

/* Collective. Makes the groups of the file and writes their attributes. */
static gemp_code make_groups(const gemp_result_file *file, const gemp_column *const *columns)
{
	const gemp_h5 *h5 = &file->h5;
	GEMP_OWNED const char **names = NULL;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(names, file->count)));
	for (size_t c = 0; c < file->count; c++)
		names[c] = columns[c]->name;
	GEMP_TRY(gemp_h5_group(h5, "/", "gemp-result", "0.2.0"));
	GEMP_TRY(gemp_h5_group(h5, "/rows", "gemp-result-columns", "0.2.0"));
	GEMP_TRY(gemp_h5_group(h5, "/null", "gemp-result-nulls", "0.1.0"));
	for (size_t c = 0; c < file->count; c++) {
		GEMP_OWNED char *group = is_text(columns[c]) ? gemp_h5_join_encoded("/rows", names[c], "") : NULL;
		if (is_text(columns[c]))
			GEMP_TRY(gemp_h5_group(h5, group, "gemp-strings", "0.1.0"));
	}
	return gemp_h5_put_texts(h5, "/rows", "column-order", names, file->count);
}

gemp_code gemp_result_file_open(gemp_result_file **out, const gemp_comm *comm, const char *path,
                                const gemp_column *const *columns, size_t count)
{
	gemp_result_file *file;
	gemp_code code = GEMP_NEW(file, 1);
	if (code == GEMP_OK) {
		file->comm = comm;
		file->path = gemp_strdup(path);
		code = file->path ? name_arrays(file, columns, count) : GEMP_ENOMEM;
	}
	code = gemp_comm_agree(comm, code);
	GEMP_THEN(gemp_h5_create_placed(&file->h5, comm, path));
	GEMP_THEN(make_groups(file, columns));
	GEMP_THEN(gemp_growing_new(&file->growing, &file->h5, file->arrays, file->array_count));
	if (code == GEMP_OK)
		*out = file;
	else
		gemp_result_file_abandon(file);
	return code;
}

/* WRITING */

static const void *numbers_in(const gemp_column *column)
{
	return column->type == GEMP_INTEGER ? (const void *)column->integers
	       : column->type == GEMP_FLOAT ? (const void *)column->floats
	                                    : column->booleans;
}

/* The arrays of the columns themselves, in the order of name_arrays. */
static gemp_code list_data(const void **data, const gemp_column *const *columns, size_t count)
{
	for (size_t c = 0; c < count; c++) {
		if (is_text(columns[c])) {
			*data++ = columns[c]->offsets;
			*data++ = columns[c]->bytes;
		} else {
			*data++ = numbers_in(columns[c]);
		}
		*data++ = columns[c]->null;
	}
	return GEMP_OK;
}

gemp_code gemp_result_file_write(gemp_result_file *file, gemp_code code, const gemp_column *const *columns, size_t rows)
{
	GEMP_OWNED const void **data = NULL;
	GEMP_THEN(GEMP_NEW(data, file->array_count));
	GEMP_THEN(list_data(data, columns, file->count));
	return gemp_growing_add(file->growing, code, data, rows);
}

/* CLOSING */

/* The file may be open only in part, after a failure of gemp_result_file_open. */
static void free_file(gemp_result_file *file)
{
	gemp_growing_free(file->growing);
	for (size_t i = 0; i < file->array_count; i++)
		gemp_free((void *)(uintptr_t)file->arrays[i].path);
	gemp_free_all(file->arrays, file->path, file);
}

/* The attributes are written last, since the number of rows is known only now. */
static gemp_code finish_file(gemp_result_file *file, const gemp_result_info *info)
{
	const gemp_h5 *h5 = &file->h5;
	uint64_t rows;
	GEMP_TRY(gemp_growing_finish(file->growing, &rows));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "pattern", info->pattern));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "semantics", info->semantics));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "distinct", info->distinct));
	GEMP_TRY(gemp_h5_put_flag(h5, "/", "complete", info->complete));
	GEMP_TRY(gemp_h5_put_number(h5, "/", "graph-hash", info->graph_hash));
	return gemp_h5_put_number(h5, "/", "rows", rows);
}

/* gemp_h5_commit renames the file after HDF5 has closed it. */
gemp_code gemp_result_file_close(gemp_result_file *file, const gemp_result_info *info)
{
	if (!file)
		return GEMP_OK;
	gemp_code code = gemp_h5_commit(&file->h5, file->path, finish_file(file, info));
	free_file(file);
	return code;
}

/* gemp_h5_discard removes the temporary file. */
void gemp_result_file_abandon(gemp_result_file *file)
{
	if (!file)
		return;
	gemp_h5_discard(&file->h5);
	free_file(file);
}
