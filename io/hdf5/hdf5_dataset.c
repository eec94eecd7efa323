/* Datasets: made, written and read in parts, with checksums. */

#include "io/hdf5/hdf5_dataset.h"

#include "core/log.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/hdf5/hdf5_attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum {
	PIECE = 64 << 20,         /* bytes moved by a rank in one call at most */
	CHECKSUM_CHUNK = 1 << 18, /* elements whose checksum a thread takes at a time */
};

/* Types are compared as a whole, so that byte order and padding are checked, too. */
static bool type_from_hdf5(hid_t id, gemp_h5_type *type)
{
	if (H5Tget_class(id) == H5T_STRING && H5Tis_variable_str(id) == 0) {
		*type = (gemp_h5_type){ GEMP_H5_TEXT, H5Tget_size(id) };
		return true;
	}
	for (gemp_h5_kind kind = GEMP_H5_I8; kind < GEMP_H5_TEXT; kind++) {
		hid_t ours = gemp_h5_make_type(gemp_h5_type_of(kind));
		bool same = H5Tequal(ours, id) > 0;
		H5Tclose(ours);
		if (same) {
			*type = gemp_h5_type_of(kind);
			return true;
		}
	}
	return false;
}

typedef struct checksum_task {
	const char *data;
	size_t size; /* of an element */
	uint64_t first;
	_Atomic uint64_t sum;
} checksum_task;

/* The checksum is a sum over elements, so that chunks can be added in any order. */
static void sum_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	checksum_task *task = context;
	atomic_fetch_add(&task->sum,
	                 gemp_hash_sum(task->data + begin * task->size, task->size, end - begin, task->first + begin));
}

/* Threads add their chunks' sums with an atomic, in any order. */
uint64_t gemp_h5_checksum(const void *data, size_t size, uint64_t first, uint64_t count)
{
	checksum_task task = { data, size, first, 0 };
	gemp_for_chunks(count, CHECKSUM_CHUNK, sum_chunk, &task);
	return task.sum;
}

/* Space is allocated at once and not filled, since all of it is written. */
static gemp_code make_dataset(const gemp_h5 *h5, const char *path, hid_t type, uint64_t total, hid_t *dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID, space = H5I_INVALID_HID;
	hsize_t size = total;
	GEMP_PROPAGATE(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_layout(creation, H5D_CONTIGUOUS)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, space = H5Screate_simple(1, &size, NULL)));
	return GEMP_HDF5(h5, *dataset = H5Dcreate2(h5->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* One piece, perhaps of no elements, by H5Dwrite or H5Dread. */
static gemp_code gemp_h5_move(const gemp_h5 *h5, hid_t dataset, hid_t type, uint64_t first, uint64_t count, void *data)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t memory = H5I_INVALID_HID, file = H5I_INVALID_HID;
	hsize_t start = first, size = count, room = count ? count : 1;
	char nothing[1];
	GEMP_PROPAGATE(GEMP_HDF5(h5, memory = H5Screate_simple(1, &room, NULL)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, file = H5Dget_space(dataset)));
	if (count) {
		GEMP_PROPAGATE(GEMP_HDF5(h5, H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &size, NULL)));
	} else {
		GEMP_PROPAGATE(GEMP_HDF5(h5, H5Sselect_none(file)));
		GEMP_PROPAGATE(GEMP_HDF5(h5, H5Sselect_none(memory)));
		data = nothing;
	}
	if (h5->writing)
		code = GEMP_HDF5(h5, H5Dwrite(dataset, type, memory, file, h5->transfer, data));
	else
		code = GEMP_HDF5(h5, H5Dread(dataset, type, memory, file, h5->transfer, data));
	return code;
}

/* The same number of calls on all ranks, since in parallel each is collective. The ranks agree before each. */
static gemp_code move_together(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, uint64_t first,
                               uint64_t count, char *data)
{
	gemp_code code = GEMP_OK;
	uint64_t step = PIECE / size ? PIECE / size : 1, max = count;
	gemp_comm_max(h5->comm, &max, 1);
	for (uint64_t at = 0; at < max && code == GEMP_OK; at += step) {
		uint64_t here = at < count ? at : count, piece = count - here < step ? count - here : step;
		gemp_progress(h5->writing ? "writing" : "reading", at, max, 0);
		code = gemp_comm_agree(h5->comm,
		                       gemp_h5_move(h5, dataset, type, first + here, piece, data ? data + here * size : NULL));
	}
	return code;
}

typedef struct rank_part {
	uint64_t first, count;
} rank_part;

/* Rank 0 writes its part, then those of the others as they send them. After a failure it only takes what is sent. */
static gemp_code write_parts(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, const rank_part *parts,
                             const char *data, char *buffer, uint64_t step)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < h5->comm->size; r++)
		for (uint64_t at = 0; at < parts[r].count; at += step) {
			uint64_t piece = parts[r].count - at < step ? parts[r].count - at : step;
			char *from = (char *)data + at * size;
			if (r != 0) {
				from = buffer;
				GEMP_MPI(MPI_Recv(buffer, (int)(piece * size), MPI_BYTE, r, GEMP_TAG_OUTPUT, h5->comm->world,
				                  MPI_STATUS_IGNORE));
			}
			GEMP_THEN(gemp_h5_move(h5, dataset, type, parts[r].first + at, piece, from));
		}
	return code;
}

/* Every rank but 0 sends its part in bounded pieces. */
static gemp_code write_through_rank_0(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, rank_part mine,
                                      const char *data)
{
	GEMP_OWNED rank_part *parts = NULL;
	GEMP_OWNED char *buffer = NULL;
	uint64_t step = PIECE / size ? PIECE / size : 1, max = mine.count;
	gemp_comm_max(h5->comm, &max, 1);
	gemp_code code = GEMP_NEW(parts, (size_t)h5->comm->size);
	if (code == GEMP_OK && h5->comm->rank == 0)
		code = GEMP_NEW(buffer, (max < step ? max : step) * size);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	GEMP_MPI(MPI_Gather(&mine, 2, MPI_UINT64_T, parts, 2, MPI_UINT64_T, 0, h5->comm->world));
	if (h5->comm->rank == 0) {
		code = write_parts(h5, dataset, type, size, parts, data, buffer, step);
	} else {
		for (uint64_t at = 0; at < mine.count; at += step) {
			uint64_t piece = mine.count - at < step ? mine.count - at : step;
			GEMP_MPI(MPI_Send(data + at * size, (int)(piece * size), MPI_BYTE, 0, GEMP_TAG_OUTPUT, h5->comm->world));
		}
	}
	return gemp_comm_agree(h5->comm, code);
}

/* The checksum is taken from memory: what the disk then holds is compared when it is read. */
gemp_code gemp_h5_write(const gemp_h5 *h5, const char *path, gemp_h5_type type, uint64_t total, uint64_t first,
                        uint64_t count, const void *data)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t id = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
	if (h5->active) {
		code = GEMP_HDF5(h5, id = gemp_h5_make_type(type));
		GEMP_THEN(make_dataset(h5, path, id, total, &dataset));
	}
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	if (total && h5->parallel)
		GEMP_PROPAGATE(move_together(h5, dataset, id, type.size, first, count, (char *)data));
	else if (total)
		GEMP_PROPAGATE(write_through_rank_0(h5, dataset, id, type.size, (rank_part){ first, count }, data));
	if (dataset >= 0)
		code = GEMP_HDF5(h5, H5Dclose(dataset));
	dataset = H5I_INVALID_HID;
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	uint64_t sum = gemp_comm_sum1(h5->comm, gemp_h5_checksum(data, type.size, first, count));
	GEMP_PROPAGATE(gemp_h5_put_number(h5, path, "checksum", sum));
	GEMP_PROPAGATE(gemp_h5_put_text(h5, path, "encoding-type", type.kind == GEMP_H5_TEXT ? "string-array" : "array"));
	return gemp_h5_put_text(h5, path, "encoding-version", "0.2.0");
}

/* A dataset that was never written in full has no storage of its size. */
static gemp_code gemp_h5_open_dataset(const gemp_h5 *h5, const char *path, hid_t *dataset, gemp_h5_type *type,
                                      uint64_t *total)
{
	gemp_code code = GEMP_OK;
	hid_t id = H5I_INVALID_HID, space = H5I_INVALID_HID;
	hsize_t size = 0;
	GEMP_TRY(GEMP_HDF5(h5, *dataset = H5Dopen2(h5->file, path, H5P_DEFAULT)));
	GEMP_TRY(GEMP_HDF5(h5, id = H5Dget_type(*dataset)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Dget_space(*dataset)));
	if (H5Sget_simple_extent_ndims(space) != 1 || !type_from_hdf5(id, type)) {
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' is of a type or shape that graph files do not have", h5->path,
		                 path);
		goto done;
	}
	H5Sget_simple_extent_dims(space, &size, NULL);
	*total = size;
	if (H5Dget_storage_size(*dataset) != size * type->size)
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' was never written in full; make the file again", h5->path, path);
done:
	gemp_h5_release(space);
	gemp_h5_release(id);
	if (code != GEMP_OK)
		gemp_fail_in(code, "dataset '%s': ", path);
	return code;
}

/* The caller needs type and length before it can provide memory. */
gemp_code gemp_h5_info(const gemp_h5 *h5, const char *path, gemp_h5_type *type, uint64_t *total)
{
	hid_t dataset = H5I_INVALID_HID;
	gemp_code code = gemp_h5_open_dataset(h5, path, &dataset, type, total);
	gemp_h5_release(dataset);
	return gemp_comm_agree(h5->comm, code);
}

/* A checksum that differs means damaged bytes, as the elements were read without an error. */
gemp_code gemp_h5_compare_checksum(const gemp_h5 *h5, const char *path, uint64_t sum)
{
	uint64_t expected = 0;
	gemp_code code = gemp_h5_get_number(h5, path, "checksum", &expected);
	if (code == GEMP_OK && sum != expected)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: dataset '%s' is damaged: its checksum is %016" PRIx64 ", not %016" PRIx64
		                 "; make the file again",
		                 h5->path, path, sum, expected);
	return code;
}

/* Reading without HDF5's help: our datasets are one piece of the file, so that all threads of a rank that reads for itself can
 * fetch parts of it, and take the checksum of each while it is in the cache. */

/* Local. Can this dataset be read from its place in the file, without HDF5? And reads it so, by all threads. */
static bool gemp_h5_is_direct(const gemp_h5 *h5, hid_t dataset)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !h5->parallel && !h5->writing &&
	       H5Dget_offset(dataset) != HADDR_UNDEF;
}

enum { FETCH_BYTES = 1 << 20 }; /* that a thread fetches at a time */

typedef struct fetch_task {
	int file;
	uint64_t offset; /* of the first element in the file */
	size_t size;     /* bytes of an element */
	uint64_t first, own;
	char *data;
	_Atomic uint64_t sum; /* of the first `own` elements */
	atomic_int error;     /* errno, or -1 where the file ends too soon */
} fetch_task;

/* pread may be interrupted or return less than was asked for. */
static int fetch_bytes(const fetch_task *f, uint64_t at, uint64_t bytes)
{
	while (bytes) {
		ssize_t got = pread(f->file, f->data + at, bytes, (off_t)(f->offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : -1;
		at += (uint64_t)got;
		bytes -= (uint64_t)got;
	}
	return 0;
}

/* The checksum is taken right after reading, while the bytes are in the cache. */
static void fetch_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	fetch_task *f = context;
	int error = fetch_bytes(f, begin * f->size, (end - begin) * f->size);
	if (error) {
		atomic_store(&f->error, error);
		return;
	}
	const size_t own_end = end < f->own ? end : (size_t)f->own;
	if (begin < own_end)
		atomic_fetch_add(&f->sum, gemp_hash_sum(f->data + begin * f->size, f->size, own_end - begin, f->first + begin));
}

/* The file may have been cut after it was opened. */
static gemp_code fetch_failed(const gemp_h5 *h5, const char *path, int error)
{
	if (error < 0)
		return gemp_fail(GEMP_EDATA, "%s: ends within dataset '%s'; make or copy the file again", h5->path, path);
	return gemp_fail(GEMP_EIO, "%s: reading dataset '%s' failed: %s", h5->path, path, strerror(error));
}

/* Each thread reads parts of its own through one file descriptor, by pread. */
static gemp_code gemp_h5_read_direct(const gemp_h5 *h5, const char *path, hid_t dataset, size_t size, uint64_t first,
                                     uint64_t count, uint64_t own, void *data, uint64_t *sum)
{
	fetch_task f = {
		.offset = H5Dget_offset(dataset) + first * size, .size = size, .first = first, .own = own, .data = data
	};
	f.file = open(h5->path, O_RDONLY);
	if (f.file < 0)
		return fetch_failed(h5, path, errno);
	gemp_for_chunks(count, size < FETCH_BYTES ? FETCH_BYTES / size : 1, fetch_chunk, &f);
	close(f.file);
	*sum = f.sum;
	return f.error ? fetch_failed(h5, path, f.error) : GEMP_OK;
}

/* Parts may overlap between ranks (offsets do, by one), so that only `own` elements count for the
 * checksum. */
gemp_code gemp_h5_read(const gemp_h5 *h5, const char *path, gemp_h5_type type, uint64_t first, uint64_t count,
                       uint64_t own, void *data)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID, id = H5I_INVALID_HID;
	gemp_h5_type there;
	uint64_t total = 0;
	gemp_code code = gemp_h5_open_dataset(h5, path, &dataset, &there, &total);
	if (code == GEMP_OK &&
	    (there.kind != type.kind || there.size != type.size || first > total || count > total - first))
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' is of a type or length that does not fit the rest", h5->path,
		                 path);
	GEMP_THEN(GEMP_HDF5(h5, id = gemp_h5_make_type(type)));
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	uint64_t sums[2] = { 0, own };
	if (total && gemp_h5_is_direct(h5, dataset)) {
		GEMP_PROPAGATE(gemp_comm_agree(
			h5->comm, gemp_h5_read_direct(h5, path, dataset, type.size, first, count, own, data, &sums[0])));
	} else if (total) {
		GEMP_PROPAGATE(move_together(h5, dataset, id, type.size, first, count, data));
		sums[0] = gemp_h5_checksum(data, type.size, first, own);
	}
	gemp_comm_sum(h5->comm, sums, 2);
	if (sums[1] == total)
		GEMP_PROPAGATE(gemp_h5_compare_checksum(h5, path, sums[0]));
	return GEMP_OK;
}

/* Every dataset of a file read by all ranks together, so that its checksum is compared. */

enum { VERIFY_CHUNK = 16 << 20 }; /* bytes a rank holds at a time */

typedef struct path_list {
	char **paths;
	size_t count, capacity;
	gemp_code code;
} path_list;

/* Called by H5Ovisit for each object once, whatever hard links it has. */
static herr_t note_dataset(hid_t file, const char *name, const H5O_info_t *info, void *list_)
{
	(void)file;
	path_list *list = list_;
	if (info->type != H5O_TYPE_DATASET)
		return 0;
	list->code = GEMP_RESERVE(list->paths, list->capacity, list->count + 1);
	char *copy = list->code == GEMP_OK ? gemp_strdup(name) : NULL;
	if (!copy) {
		list->code = GEMP_ENOMEM;
		return 1;
	}
	list->paths[list->count++] = copy;
	return 0;
}

/* Each dataset once, whatever hard links it has. */
static gemp_code list_datasets(const gemp_h5 *h5, path_list *list)
{
	gemp_code code = GEMP_HDF5(h5, H5Ovisit2(h5->file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, list, H5O_INFO_BASIC));
	return gemp_comm_agree(h5->comm, code == GEMP_OK ? list->code : code);
}

/* This rank's share of the dataset, piece by piece; the ranks agree on each, since in parallel they read together. */
static gemp_code checksum_part(const gemp_h5 *h5, hid_t dataset, hid_t id, size_t size, uint64_t total, char *buffer,
                               uint64_t *sum)
{
	gemp_code code = GEMP_OK;
	uint64_t ranks = (uint64_t)h5->comm->size, share = total / ranks + 1,
			 step = VERIFY_CHUNK / size ? VERIFY_CHUNK / size : 1;
	uint64_t begin = share * (uint64_t)h5->comm->rank, end = begin + share;
	begin = begin < total ? begin : total;
	end = end < total ? end : total;
	for (uint64_t at = 0; at < share && code == GEMP_OK; at += step) {
		uint64_t first = begin + at < end ? begin + at : end, count = end - first < step ? end - first : step;
		code = gemp_comm_agree(h5->comm, gemp_h5_move(h5, dataset, id, first, count, buffer));
		*sum += code == GEMP_OK ? gemp_h5_checksum(buffer, size, first, count) : 0;
	}
	return code;
}

/* Elements larger than the buffer cannot be ours. */
static gemp_code verify_dataset(const gemp_h5 *h5, const char *path, char *buffer)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID, id = H5I_INVALID_HID;
	gemp_h5_type type = { 0 };
	uint64_t total = 0, sum = 0;
	gemp_code code = gemp_h5_open_dataset(h5, path, &dataset, &type, &total);
	if (code == GEMP_OK && type.size > VERIFY_CHUNK)
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' has elements of %zu bytes", h5->path, path, type.size);
	GEMP_THEN(GEMP_HDF5(h5, id = gemp_h5_make_type(type)));
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	if (total)
		GEMP_PROPAGATE(checksum_part(h5, dataset, id, type.size, total, buffer, &sum));
	return gemp_h5_compare_checksum(h5, path, gemp_comm_sum1(h5->comm, sum));
}

/* The buffer is shared by all datasets. */
gemp_code gemp_h5_verify(const gemp_h5 *h5)
{
	gemp_code code = GEMP_OK;
	path_list list = { 0 };
	char *buffer = NULL;
	GEMP_TRY(list_datasets(h5, &list));
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(buffer, VERIFY_CHUNK)));
	for (size_t i = 0; i < list.count && code == GEMP_OK; i++)
		code = verify_dataset(h5, list.paths[i], buffer);
done:
	gemp_h5_free_texts(list.paths, list.count);
	gemp_free(buffer);
	return code;
}
