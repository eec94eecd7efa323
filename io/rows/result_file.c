/* Only rank 0 has the file open, through serial HDF5, since parallel HDF5 cannot write strings of variable length. Rank
 * 0 appends its own rows first. It then receives the packed rows of each other rank and appends them, in rank order.
 * The datasets of the columns are chunked and grow with each append. A column gets its NULL mask at its first NULL. */

#include "io/rows/result_file.h"

#include "core/status.h"
#include "io/file/output.h"
#include "io/hdf5/hdf5_attributes.h"

#include <string.h>

/* SMALL_CHUNK, LARGE_CHUNK: rows of an HDF5 chunk. Chunks are large if the first rows fill at least a quarter of a
 * large chunk. A large chunk exceeds HDF5's chunk cache, so HDF5 writes rows to the file without caching them.
 * MAX_MESSAGE: bytes of an MPI message. */
enum { SMALL_CHUNK = 8192, LARGE_CHUNK = 1 << 20, MAX_MESSAGE = 1 << 30 };

/* Ranks above 0 use only the name and the type of a column. */
typedef struct result_column {
	gemp_column kind;    /* name and type, no rows */
	char *place, *nulls; /* paths of the datasets of values and of the NULL mask */
	hid_t values;        /* dataset of the values */
	hid_t null;          /* dataset of the NULL mask; invalid before the first NULL */
} result_column;

struct gemp_result_file {
	const gemp_comm *comm;
	gemp_h5 h5; /* open under the temporary name */
	char *path;
	uint64_t rows; /* rows written so far, on rank 0 */
	hsize_t chunk; /* rows of an HDF5 chunk; 0 before the datasets are made */
	size_t count;
	result_column *columns; /* [count] */
};

/* A list is written as its text. */
static hid_t file_type(gemp_type type)
{
	switch (type) {
	case GEMP_INTEGER: return gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_I64));
	case GEMP_FLOAT: return gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_F64));
	case GEMP_BOOLEAN: return gemp_h5_make_type(gemp_h5_type_of(GEMP_H5_BOOL));
	default: return gemp_h5_make_string_type();
	}
}

/* OPENING */

/* HDF5 lets a dataset grow only if it is chunked and has an unlimited maximal size. The dataset stores no times, so
 * equal rows make equal files. */
static gemp_code make_dataset(const gemp_result_file *file, const char *path, gemp_type kind, uint64_t rows,
                              hid_t *dataset)
{
	const gemp_h5 *h5 = &file->h5;
	hsize_t size = rows, max = H5S_UNLIMITED;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = file_type(kind), space = H5I_INVALID_HID, creation = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(1, &size, &max)));
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_chunk(creation, 1, &file->chunk)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	return GEMP_HDF5(h5, *dataset = H5Dcreate2(h5->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* A column name may hold a slash, which HDF5 would read as a separator of groups, so the name is percent-encoded. */
static gemp_code name_datasets(result_column *column)
{
	column->place = gemp_h5_join_encoded("/rows", column->kind.name, "");
	column->nulls = gemp_h5_join_encoded("/null", column->kind.name, "");
	return column->place && column->nulls ? GEMP_OK : GEMP_ENOMEM;
}

/* Ranks above 0 need the columns, too, since they pack values by their types. */
static gemp_code name_columns(gemp_result_file *file, const gemp_column *const *columns, size_t count)
{
	GEMP_TRY(GEMP_NEW(file->columns, count));
	for (size_t c = 0; c < count; c++) {
		result_column *column = &file->columns[file->count++];
		column->values = column->null = H5I_INVALID_HID;
		GEMP_TRY(gemp_column_init(&column->kind, columns[c]->name, columns[c]->type));
		GEMP_TRY(name_datasets(column));
	}
	return GEMP_OK;
}

/* Collective. Makes the groups of the file and writes their attributes. */
static gemp_code make_groups(gemp_result_file *file)
{
	const gemp_h5 *h5 = &file->h5;
	GEMP_OWNED const char **names = NULL;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(names, file->count)));
	for (size_t c = 0; c < file->count; c++)
		names[c] = file->columns[c].kind.name;
	GEMP_TRY(gemp_h5_group(h5, "/", "gemp-result", "0.1.0"));
	GEMP_TRY(gemp_h5_group(h5, "/rows", "gemp-result-columns", "0.1.0"));
	GEMP_TRY(gemp_h5_group(h5, "/null", "gemp-result-nulls", "0.1.0"));
	return gemp_h5_put_texts(h5, "/rows", "column-order", names, file->count);
}

/* The datasets are made later, with the first rows: the number of these rows decides the size of chunks. */
gemp_code gemp_result_file_open(gemp_result_file **out, const gemp_comm *comm, const char *path,
                                const gemp_column *const *columns, size_t count)
{
	gemp_result_file *file;
	gemp_code code = GEMP_NEW(file, 1);
	if (code == GEMP_OK) {
		file->comm = comm;
		file->path = gemp_strdup(path);
		code = file->path ? name_columns(file, columns, count) : GEMP_ENOMEM;
	}
	code = gemp_comm_agree(comm, code);
	GEMP_THEN(gemp_h5_create_temporary(&file->h5, comm, path, true));
	GEMP_THEN(make_groups(file));
	if (code == GEMP_OK)
		*out = file;
	else
		gemp_result_file_abandon(file);
	return code;
}

/* WRITING, ON RANK 0 */

/* The dataset is extended first, since HDF5 refuses to write beyond the end of a dataset. */
static gemp_code append_values(const gemp_h5 *h5, hid_t dataset, gemp_type kind, uint64_t first, size_t rows,
                               const void *data)
{
	hsize_t all = first + rows;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = file_type(kind);
	GEMP_TRY(GEMP_HDF5(h5, H5Dset_extent(dataset, &all)));
	return gemp_h5_move(h5, dataset, type, first, rows, (void *)(uintptr_t)data);
}

static const void *numbers_in(const gemp_column *column)
{
	return column->type == GEMP_INTEGER ? (const void *)column->integers
	       : column->type == GEMP_FLOAT ? (const void *)column->floats
	                                    : column->booleans;
}

/* HDF5 needs strings that end in 0. The strings of a column do not, so they are copied. */
static gemp_code append_strings(const gemp_h5 *h5, hid_t dataset, uint64_t first, const gemp_column *column)
{
	GEMP_OWNED char *bytes = NULL;
	GEMP_OWNED const char **strings = NULL;
	size_t at = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(bytes, column->offsets[column->rows] + column->rows),
	                      GEMP_ARRAY(strings, column->rows)));
	for (size_t row = 0; row < column->rows; row++) {
		gemp_value value = gemp_column_get(column, row);
		strings[row] = bytes + at;
		if (!value.null)
			memcpy(bytes + at, value.string.bytes, value.string.size);
		at += (value.null ? 0 : value.string.size) + 1;
	}
	return append_values(h5, dataset, GEMP_STRING, first, column->rows, strings);
}

/* The mask is made at the first NULL. HDF5 fills the mask of the earlier rows with false. */
static gemp_code append_nulls(gemp_result_file *file, result_column *to, const gemp_column *column)
{
	GEMP_OWNED uint8_t *none = NULL;
	if (to->null < 0 && !column->null)
		return GEMP_OK;
	if (to->null < 0)
		GEMP_TRY(make_dataset(file, to->nulls, GEMP_BOOLEAN, file->rows, &to->null));
	if (!column->null)
		GEMP_TRY(GEMP_NEW(none, column->rows));
	return append_values(&file->h5, to->null, GEMP_BOOLEAN, file->rows, column->rows, none ? none : column->null);
}

/* Values and mask are written from row file->rows on. file->rows grows only after all columns are written. */
static gemp_code append_column(gemp_result_file *file, result_column *to, const gemp_column *column)
{
	GEMP_TRY(append_nulls(file, to, column));
	if (column->type == GEMP_STRING)
		return append_strings(&file->h5, to->values, file->rows, column);
	return append_values(&file->h5, to->values, column->type, file->rows, column->rows, numbers_in(column));
}

/* The first rows decide the size of chunks. If the file stays without rows, closing makes the datasets. */
static gemp_code make_datasets(gemp_result_file *file, size_t rows)
{
	if (file->chunk)
		return GEMP_OK;
	file->chunk = rows < LARGE_CHUNK / 4 ? SMALL_CHUNK : LARGE_CHUNK;
	for (size_t c = 0; c < file->count; c++)
		GEMP_TRY(make_dataset(file, file->columns[c].place, file->columns[c].kind.type, 0, &file->columns[c].values));
	return GEMP_OK;
}

/* file->rows grows only after every column was appended, so all columns begin at the same row. */
static gemp_code append_rows(gemp_result_file *file, const gemp_column *const *columns, size_t rows)
{
	if (rows == 0)
		return GEMP_OK;
	GEMP_TRY(make_datasets(file, rows));
	for (size_t c = 0; c < file->count; c++)
		GEMP_TRY(append_column(file, &file->columns[c], columns[c]));
	file->rows += rows;
	return GEMP_OK;
}

/* ROWS OF OTHER RANKS */

/* A packed block is the number of its rows, then its columns. A column of numbers without NULL is packed as the letter
 * 'n' and its array, and any other column as the letter 'v' and its values one by one. This function returns the array,
 * or NULL if the column must be packed as 'v'. *size: bytes of a number. */
static const void *numbers_of(const gemp_column *column, size_t *size)
{
	*size = column->type == GEMP_BOOLEAN ? 1 : sizeof(int64_t);
	return column->null || column->type == GEMP_STRING || column->type == GEMP_LIST ? NULL : numbers_in(column);
}

/* A rank without rows sends no bytes at all, not even the number of rows. */
static gemp_code pack_rows(const gemp_result_file *file, const gemp_column *const *columns, size_t rows,
                           gemp_text *packed)
{
	uint64_t count = rows;
	gemp_text_add(packed, &count, rows ? sizeof count : 0);
	for (size_t c = 0; c < file->count && rows; c++) {
		size_t size;
		const void *numbers = numbers_of(columns[c], &size);
		gemp_text_add(packed, numbers ? "n" : "v", 1);
		if (numbers)
			gemp_text_add(packed, numbers, rows * size);
		for (size_t row = 0; row < rows && !numbers; row++)
			GEMP_TRY(gemp_column_pack(columns[c], row, packed));
	}
	return gemp_text_status(packed);
}

/* Memory for all rows is reserved first, so the array of numbers is copied into it at once. */
static gemp_code unpack_column(gemp_column *column, size_t rows, const char **at, const char *end)
{
	bool numbers = *(*at)++ == 'n';
	size_t size;
	GEMP_TRY(gemp_column_reserve(column, rows, 1));
	if (numbers) {
		void *to = (void *)(uintptr_t)numbers_of(column, &size);
		memcpy(to, *at, rows * size);
		*at += rows * size;
		column->rows = rows;
	}
	for (size_t row = 0; row < rows && !numbers; row++)
		GEMP_TRY(gemp_column_unpack(column, at, end));
	return GEMP_OK;
}

/* Unpacks the block of another rank into columns of its own and appends their rows. */
static gemp_code append_packed(gemp_result_file *file, const char *at, size_t size)
{
	const char *end = at + size;
	gemp_column *columns = NULL;
	GEMP_OWNED const gemp_column **list = NULL;
	uint64_t rows;
	memcpy(&rows, at, sizeof rows);
	at += sizeof rows;
	gemp_code code = gemp_new_all(GEMP_ARRAY(columns, file->count), GEMP_ARRAY(list, file->count));
	for (size_t c = 0; c < file->count && code == GEMP_OK; c++) {
		list[c] = &columns[c];
		code = gemp_column_init(&columns[c], file->columns[c].kind.name, file->columns[c].kind.type);
		GEMP_THEN(unpack_column(&columns[c], rows, &at, end));
	}
	GEMP_THEN(append_rows(file, list, rows));
	for (size_t c = 0; columns && c < file->count; c++)
		gemp_column_free(&columns[c]);
	gemp_free(columns);
	return code;
}

/* A synchronous send completes only after rank 0 has begun to receive, so at most one message of each rank waits. */
static void transfer(const gemp_comm *comm, char *bytes, size_t size, int from)
{
	for (size_t at = 0; at < size; at += MAX_MESSAGE) {
		int part = (int)gemp_min(size - at, MAX_MESSAGE);
		if (comm->rank == 0)
			GEMP_MPI(MPI_Recv(bytes + at, part, MPI_BYTE, from, GEMP_TAG_OUTPUT, comm->world, MPI_STATUS_IGNORE));
		else
			GEMP_MPI(MPI_Ssend(bytes + at, part, MPI_BYTE, 0, GEMP_TAG_OUTPUT, comm->world));
	}
}

/* Collective. Rank 0 receives the packed rows of one rank after the other. Rank 0 continues to receive after a failed
 * write, since the senders would wait for ever. code: the result of packing this rank's rows; on rank 0 the result of
 * writing its own rows. */
static gemp_code collect_rows(gemp_result_file *file, gemp_text *packed, gemp_code code)
{
	const gemp_comm *comm = file->comm;
	uint64_t own = packed->size, largest = own;
	GEMP_OWNED uint64_t *sizes = NULL;
	GEMP_OWNED char *bytes = NULL;
	gemp_comm_max(comm, &largest, 1);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sizes, (size_t)comm->size), GEMP_ARRAY(bytes, comm->rank ? 0 : largest)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Gather(&own, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, 0, comm->world));
	if (comm->rank != 0)
		transfer(comm, packed->data, packed->size, 0);
	for (int r = 1; r < comm->size && comm->rank == 0; r++) {
		transfer(comm, bytes, sizes[r], r);
		if (sizes[r])
			GEMP_THEN(append_packed(file, bytes, sizes[r]));
	}
	return gemp_comm_agree(comm, code);
}

/* Rank 0 writes its own rows first, then the rows of the other ranks in rank order. */
gemp_code gemp_result_file_write(gemp_result_file *file, const gemp_column *const *columns, size_t rows)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	gemp_code code = file->h5.active ? append_rows(file, columns, rows) : pack_rows(file, columns, rows, &packed);
	return collect_rows(file, &packed, code);
}

/* CLOSING */

/* After a failure HDF5 is not called again for this file. */
static gemp_code close_datasets(gemp_result_file *file)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < file->count; c++) {
		result_column *column = &file->columns[c];
		hid_t values = column->values, null = column->null;
		column->values = column->null = H5I_INVALID_HID;
		if (null >= 0 && code == GEMP_OK)
			code = GEMP_HDF5(&file->h5, H5Dclose(null));
		if (values >= 0 && code == GEMP_OK)
			code = GEMP_HDF5(&file->h5, H5Dclose(values));
	}
	return code;
}

/* The file may be open only in part, after a failure of gemp_result_file_open. */
static void free_file(gemp_result_file *file)
{
	for (size_t c = 0; c < file->count; c++) {
		gemp_column_free(&file->columns[c].kind);
		gemp_free_all(file->columns[c].place, file->columns[c].nulls);
	}
	gemp_free_all(file->columns, file->path, file);
}

/* The attributes are written last, since the number of rows is known only now. */
static gemp_code finish_file(gemp_result_file *file, const gemp_result_info *info)
{
	gemp_code code = GEMP_OK;
	const gemp_h5 *h5 = &file->h5;
	GEMP_TRY(gemp_h5_put_text(h5, "/", "pattern", info->pattern));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "semantics", info->semantics));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "distinct", info->distinct));
	GEMP_TRY(gemp_h5_put_flag(h5, "/", "complete", info->complete));
	GEMP_TRY(gemp_h5_put_number(h5, "/", "graph-hash", info->graph_hash));
	GEMP_TRY(gemp_h5_put_number(h5, "/", "rows", file->rows));
	if (h5->active)
		code = make_datasets(file, 0);
	GEMP_THEN(close_datasets(file));
	return gemp_comm_agree(file->comm, code);
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
