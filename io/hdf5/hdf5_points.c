#include "io/hdf5/hdf5_points.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_numbers.h"
#include "io/hdf5/hdf5_packed.h"

#include <string.h>

/* A file that cannot be opened is not the same at any time. */
gemp_code gemp_h5_points_init(gemp_h5_points *points, const char *path, bool trust)
{
	*points = (gemp_h5_points){ .path = gemp_strdup(path), .trust = trust };
	points->blocks = (gemp_block_cache){ .file = &points->file };
	return gemp_sealed_open(&points->file, path, trust) == GEMP_ENOMEM || !points->path ? GEMP_ENOMEM : GEMP_OK;
}

/* A file is replaced by renaming, so another inode shows that the path leads to another file. A program that copies a
 * file over it, or writes into it, keeps the inode, and then datasets may be at other places. */
static bool is_same_file(const gemp_h5_points *points)
{
	const struct stat *before = &points->file.opened;
	struct stat now;
	return points->file.file >= 0 && stat(points->path, &now) == 0 && now.st_ino == before->st_ino &&
	       now.st_dev == before->st_dev && now.st_size == before->st_size &&
	       now.st_mtim.tv_sec == before->st_mtim.tv_sec && now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

bool gemp_h5_points_begin(gemp_h5_points *points)
{
	return points->series++ > 0 || is_same_file(points);
}

static void close_hdf5(gemp_h5_points *points)
{
	if (points->open)
		gemp_h5_close(&points->h5);
	points->open = false;
}

void gemp_h5_points_free(gemp_h5_points *points)
{
	close_hdf5(points);
	gemp_block_cache_free(&points->blocks);
	gemp_sealed_close(&points->file);
	for (size_t i = 0; i < points->count; i++)
		gemp_free_all(points->arrays[i]->path, points->arrays[i]);
	gemp_free_all(points->arrays, points->path);
	*points = (gemp_h5_points){ .file = { .file = -1 } };
}

void gemp_h5_points_end(gemp_h5_points *points)
{
	if (--points->series == 0)
		close_hdf5(points);
}

/* HDF5 opens the file by its path, so the path must lead to the file whose blocks are read. */
gemp_code gemp_h5_points_hdf5(gemp_h5_points *points, const gemp_h5 **out)
{
	if (!points->open) {
		const gemp_code code = gemp_h5_open_local(&points->h5, points->path, points->trust,
		                                          "make a graph file with 'gemp-mpi import'");
		if (code != GEMP_OK) {
			gemp_h5_abandon(&points->h5);
			return code;
		}
		points->open = true;
		if (!is_same_file(points)) {
			close_hdf5(points);
			return gemp_fail(GEMP_EIO, "%s: the file was replaced while it was in use; run this command again",
			                 points->path);
		}
	}
	*out = &points->h5;
	return GEMP_OK;
}

/* Finds where the elements of an open dataset are. */
static gemp_code locate(gemp_h5_array *array, const gemp_h5 *h5, hid_t dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t type = H5I_INVALID_HID;
	if (gemp_h5_is_constant(dataset)) {
		array->form = GEMP_H5_CONSTANT;
		GEMP_TRY(GEMP_HDF5(h5, type = gemp_h5_make_type(array->type)));
		return gemp_h5_fill_constant(h5, dataset, type, array->type.size, 1, array->value);
	}
	array->form = gemp_h5_is_packed(dataset) ? GEMP_H5_PACKED : GEMP_H5_STORED;
	if (array->form == GEMP_H5_STORED && array->total)
		array->offset = H5Dget_offset(dataset);
	return array->offset == HADDR_UNDEF
	           ? gemp_fail(GEMP_EDATA, "%s: dataset '%s' is not contiguous; make the file again", h5->path, array->path)
	           : GEMP_OK;
}

static void free_array(gemp_h5_array **array)
{
	if (*array)
		gemp_free_all((*array)->path, *array);
}

/* A graph has some tens of datasets, so a list is searched fast enough. */
gemp_code gemp_h5_points_array(gemp_h5_points *points, const char *path, const gemp_h5_array **out)
{
	GEMP_OWNED_BY(free_array) gemp_h5_array *array = NULL;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID;
	const gemp_h5 *h5;
	if (!path)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < points->count; i++)
		if (strcmp(points->arrays[i]->path, path) == 0) {
			*out = points->arrays[i];
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(points->arrays, points->capacity, points->count + 1));
	GEMP_TRY(GEMP_NEW(array, 1));
	array->path = gemp_strdup(path);
	GEMP_TRY(gemp_h5_points_hdf5(points, &h5));
	GEMP_TRY(gemp_h5_open_dataset(h5, array->path, &dataset, &array->type, &array->total));
	GEMP_TRY(locate(array, h5, dataset));
	*out = points->arrays[points->count++] = array;
	array = NULL;
	return GEMP_OK;
}

/* An element whose size the compiler does not know is copied by `rep movs`, which takes 30 ns: a sixth of the time of a
 * query from one vertex (Intel Xeon, 2026-12-01). */
static void copy_elements(void *to, const char *from, size_t size, size_t count)
{
	if (count == 1 && size == sizeof(uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else if (count == 1 && size == sizeof(uint64_t))
		memcpy(to, from, sizeof(uint64_t));
	else if (count == 1 && size == 1)
		memcpy(to, from, 1);
	else
		memcpy(to, from, count * size);
}

gemp_code gemp_h5_points_block(gemp_h5_points *points, const gemp_h5_array *array, uint64_t at, uint64_t *first,
                               uint64_t *end, const char **bytes)
{
	const size_t size = array->type.size;
	uint64_t element;
	*bytes = NULL;
	if (array->form != GEMP_H5_STORED || at >= array->total || size > sizeof element)
		return GEMP_OK;
	const uint64_t block = (array->offset + at * size) / GEMP_BLOCK_BYTES * GEMP_BLOCK_BYTES;
	*first = block > array->offset ? (block - array->offset + size - 1) / size : 0;
	*end = gemp_min((block + GEMP_BLOCK_BYTES - array->offset) / size, array->total);
	if (at < *first || at >= *end)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_points_read(points, array, at, 1, &element));
	*bytes = gemp_h5_points_peek(points, array, *first, *end - *first);
	return GEMP_OK;
}

static gemp_code read_stored(gemp_h5_points *points, const gemp_h5_array *array, uint64_t first, uint64_t count,
                             void *data)
{
	const int error = gemp_block_cache_read(&points->blocks, array->offset + first * array->type.size,
	                                        (size_t)(count * array->type.size), data);
	return error ? gemp_h5_dataset_failed(&points->file, array->path, error) : GEMP_OK;
}

gemp_code gemp_h5_points_read(gemp_h5_points *points, const gemp_h5_array *array, uint64_t first, uint64_t count,
                              void *data)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID;
	const gemp_h5 *h5;
	gemp_h5_type type;
	uint64_t total, sum;
	const char *known = gemp_h5_points_peek(points, array, first, count);
	if (known) {
		copy_elements(data, known, array->type.size, (size_t)count);
		return GEMP_OK;
	}
	if (first > array->total || count > array->total - first)
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' is of a length that does not fit the rest; make the file again",
		                 points->path, array->path);
	if (!count)
		return GEMP_OK;
	if (array->form == GEMP_H5_STORED)
		return read_stored(points, array, first, count, data);
	if (array->form == GEMP_H5_CONSTANT) {
		for (uint64_t i = 0; i < count; i++)
			memcpy((char *)data + i * array->type.size, array->value, array->type.size);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_h5_points_hdf5(points, &h5));
	GEMP_TRY(gemp_h5_open_dataset(h5, array->path, &dataset, &type, &total));
	return gemp_h5_packed_read(h5, array->path, dataset, type.size, first, count, 0, data, &sum);
}

/* The number at `from`, which need not be aligned. */
static int64_t number_of(const char *from, gemp_h5_kind kind, size_t size)
{
	uint64_t aligned = 0;
	copy_elements(&aligned, from, size, 1);
	return gemp_h5_number_at(&aligned, kind, 0);
}

gemp_code gemp_h5_points_integers(gemp_h5_points *points, const gemp_h5_array *array, uint64_t first, size_t count,
                                  int64_t *numbers)
{
	uint64_t bytes[64];
	const size_t block = sizeof bytes / sizeof *bytes;
	const gemp_h5_kind kind = array->type.kind;
	if (kind > GEMP_H5_U64 || kind == GEMP_H5_U8)
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' is not of integers; make the file again", points->path,
		                 array->path);
	const char *known = gemp_h5_points_peek(points, array, first, count);
	for (size_t i = 0; known && i < count; i++)
		numbers[i] = number_of(known + i * array->type.size, kind, array->type.size);
	for (size_t at = 0; !known && at < count; at += block) {
		const size_t some = gemp_min(count - at, block);
		GEMP_TRY(gemp_h5_points_read(points, array, first + at, some, bytes));
		for (size_t i = 0; i < some; i++)
			numbers[at + i] = gemp_h5_number_at(bytes, kind, i);
	}
	return GEMP_OK;
}
