/* The datasets of graph files have one dimension, are contiguous and have no filters unless the file is compressed, and
 * carry a checksum as an attribute. Only datasets whose elements are all equal are virtual datasets without sources:
 * these have nothing but a fill value. (Parallel HDF5 allocates the space of every contiguous dataset, so a fill value
 * alone does not save it.)
 *
 * With parallel HDF5 the ranks write their parts together. With serial HDF5 rank 0 writes the parts of all ranks. For
 * reading, each rank finds the offset of its part in the file and reads the part with all its threads, without HDF5.
 * The checksum is a sum over elements, so the sums of chunks may be added in any order. Readers of a sealed file
 * compare the seal's sums instead, which cost less; gemp_h5_verify compares both. */

#include "io/hdf5/hdf5_dataset.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/file/claim.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_claim.h"
#include "io/hdf5/hdf5_packed.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

enum {
	MAX_MOVED = 64 << 20,     /* maximal number of bytes that a rank moves in one call */
	CHECKSUM_CHUNK = 1 << 18, /* elements that a thread hashes at a time */
	LITTLE_ENDIAN_MACHINE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
};

/* Finds the gemp_h5_type that equals an HDF5 type, including its byte order. False if this program never writes such a
 * type. */
static bool type_from_hdf5(hid_t id, gemp_h5_type *type)
{
	if (H5Tget_class(id) == H5T_STRING && H5Tis_variable_str(id) == 0) {
		*type = (gemp_h5_type){ GEMP_H5_TEXT, H5Tget_size(id) };
		return true;
	}
	for (gemp_h5_kind kind = GEMP_H5_I8; kind < GEMP_H5_TEXT; kind++) {
		GEMP_OWNED_BY(gemp_h5_release_at) hid_t ours = gemp_h5_make_type(gemp_h5_type_of(kind));
		*type = gemp_h5_type_of(kind);
		if (H5Tequal(ours, id) > 0)
			return true;
	}
	return false;
}

typedef struct checksum_task {
	const char *data;
	size_t size; /* bytes of an element */
	uint64_t first;
	_Atomic uint64_t sum;
} checksum_task;

static void sum_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	checksum_task *task = context;
	atomic_fetch_add(&task->sum,
	                 gemp_hash_sum(task->data + begin * task->size, task->size, end - begin, task->first + begin));
}

/* Threads add the sums of their chunks atomically, in any order. */
uint64_t gemp_h5_checksum(const void *data, size_t size, uint64_t first, uint64_t count)
{
	checksum_task task = { data, size, first, 0 };
	gemp_for_chunks(count, CHECKSUM_CHUNK, sum_chunk, &task);
	return task.sum;
}

/* Local, but with parallel HDF5 all ranks must call this function. Space is allocated at once and not filled with
 * zeros, since the ranks write all of it. */
static gemp_code make_dataset(const gemp_h5 *h5, const char *path, hid_t type, uint64_t total, hid_t *dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID, space = H5I_INVALID_HID;
	hsize_t size = total;
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_layout(creation, H5D_CONTIGUOUS)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(1, &size, NULL)));
	return GEMP_HDF5(h5, *dataset = H5Dcreate2(h5->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* Collective. Each call of parallel HDF5 is collective, so all ranks make the same number of calls. The ranks agree
 * after each call; otherwise one rank could wait in the next call for a rank that has failed. */
static gemp_code move_together(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, uint64_t first,
                               uint64_t count, char *data)
{
	gemp_code code = GEMP_OK;
	uint64_t step = gemp_max(MAX_MOVED / size, 1), max = count;
	gemp_comm_max(h5->comm, &max, 1);
	for (uint64_t at = 0; at < max && code == GEMP_OK; at += step) {
		uint64_t here = gemp_min(at, count), moved = gemp_min(count - here, step);
		gemp_progress(h5->writing ? "writing" : "reading", at, max, 0);
		code = gemp_comm_agree(h5->comm,
		                       gemp_h5_move(h5, dataset, type, first + here, moved, data ? data + here * size : NULL));
	}
	return code;
}

/* Rank 0 writes its own part first, and then the part of each other rank as it arrives. After a failure rank 0
 * continues to receive, since the senders would wait for ever. parts[ranks]: the rows of each rank. */
static gemp_code write_parts(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, const gemp_h5_slab *parts,
                             const char *data, char *buffer, uint64_t step, gemp_h5_packer *packer)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < h5->comm->size; r++)
		for (uint64_t at = 0; at < parts[r].count; at += step) {
			uint64_t moved = gemp_min(parts[r].count - at, step);
			char *from = (char *)data + at * size;
			if (r != 0) {
				from = buffer;
				GEMP_MPI(MPI_Recv(buffer, (int)(moved * size), MPI_BYTE, r, GEMP_TAG_OUTPUT, h5->comm->world,
				                  MPI_STATUS_IGNORE));
			}
			GEMP_THEN(packer ? gemp_h5_packer_add(packer, from, moved)
			                 : gemp_h5_move(h5, dataset, type, parts[r].first + at, moved, from));
		}
	return code;
}

/* Collective. Every rank above 0 sends its part to rank 0 in messages of at most MAX_MOVED bytes, and rank 0 writes all
 * parts. */
static gemp_code write_through_rank_0(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, gemp_h5_slab mine,
                                      const char *data)
{
	GEMP_OWNED gemp_h5_slab *parts = NULL;
	GEMP_OWNED char *buffer = NULL;
	GEMP_OWNED_BY(gemp_h5_packer_free) gemp_h5_packer packer = { 0 };
	const bool packed = h5->comm->rank == 0 && gemp_h5_is_packed(dataset);
	uint64_t step = gemp_max(MAX_MOVED / size, 1), max = mine.count;
	gemp_comm_max(h5->comm, &max, 1);
	gemp_code code = gemp_new_all(GEMP_ARRAY(parts, (size_t)h5->comm->size),
	                              GEMP_ARRAY(buffer, h5->comm->rank ? 0 : gemp_min(max, step) * size));
	if (packed)
		GEMP_THEN(gemp_h5_packer_init(&packer, h5, dataset, size, mine.total));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_MPI(MPI_Gather(&mine, 3, MPI_UINT64_T, parts, 3, MPI_UINT64_T, 0, h5->comm->world));
	if (h5->comm->rank == 0)
		code = write_parts(h5, dataset, type, size, parts, data, buffer, step, packed ? &packer : NULL);
	for (uint64_t at = 0; at < mine.count && h5->comm->rank != 0; at += step)
		GEMP_MPI(MPI_Send(data + at * size, (int)(gemp_min(mine.count - at, step) * size), MPI_BYTE, 0, GEMP_TAG_OUTPUT,
		                  h5->comm->world));
	return gemp_comm_agree(h5->comm, code);
}

/* The memory type of an element equals its type in the file, except for the order of bytes, which HDF5 converts. */
static gemp_code make_constant(const gemp_h5 *h5, const char *path, hid_t type, uint64_t total, hid_t value_type,
                               const void *value, hid_t *dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID, space = H5I_INVALID_HID;
	hsize_t size = total;
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_layout(creation, H5D_VIRTUAL)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_fill_value(creation, value_type, value)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY))); /* as parallel HDF5 would set it */
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(1, &size, NULL)));
	return GEMP_HDF5(h5, *dataset = H5Dcreate2(h5->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* Elements that are compared with the first element of the dataset. */
typedef struct equality {
	const char *data;
	size_t size;
	uint64_t value; /* whose first `size` bytes are the element */
} equality;

static bool is_other(const void *self, size_t i)
{
	const equality *e = self;
	return memcmp(e->data + i * e->size, &e->value, e->size) != 0;
}

/* Collective. Whether the dataset can be stored as one *value. A rank whose code is a failure has no data. */
static bool find_constant(const gemp_h5 *h5, gemp_code code, gemp_h5_type type, gemp_h5_slab rows, const void *data,
                          uint64_t *value)
{
	equality e = { data, type.size, 0 };
	if (!h5->constants || type.kind == GEMP_H5_TEXT || rows.total < gemp_max(gemp_limits_now()->file_implied_min, 1))
		return false;
	if (code == GEMP_OK && rows.first == 0 && rows.count)
		memcpy(&e.value, data, type.size);
	*value = e.value = gemp_comm_sum1(h5->comm, e.value);
	return gemp_comm_sum1(h5->comm, code != GEMP_OK || gemp_any(rows.count, is_other, &e)) == 0;
}

/* The checksum is computed from memory, and readers compare it with the bytes on disk. All ranks write the attributes
 * with the same values, so a single agreement at the end suffices. */
gemp_code gemp_h5_write(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_type type, gemp_h5_slab rows,
                        const void *data)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t id = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
	uint64_t value = 0;
	const bool constant = find_constant(h5, code, type, rows, data, &value);
	code = gemp_h5_before_change(h5, code, path);
	if (h5->active) {
		GEMP_THEN(GEMP_HDF5(h5, id = gemp_h5_make_type(type)));
		GEMP_THEN(constant ? make_constant(h5, path, id, rows.total, id, &value, &dataset)
		          : h5->compressed && rows.total >= gemp_limits_now()->file_compressed_min
		              ? gemp_h5_packed_make(h5, path, id, type.size, rows.total, &dataset)
		              : make_dataset(h5, path, id, rows.total, &dataset));
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	if (rows.total && h5->parallel && !constant)
		GEMP_TRY(move_together(h5, dataset, id, type.size, rows.first, rows.count, (char *)data));
	else if (rows.total && !constant)
		GEMP_TRY(write_through_rank_0(h5, dataset, id, type.size, rows, data));
	uint64_t sum = gemp_comm_sum1(h5->comm, gemp_h5_checksum(data, type.size, rows.first, rows.count));
	if (dataset >= 0)
		code = GEMP_HDF5(h5, H5Dclose(dataset));
	dataset = H5I_INVALID_HID;
	GEMP_THEN(gemp_h5_put_number_local(h5, path, "checksum", sum));
	GEMP_THEN(gemp_h5_put_encoding(h5, path, type.kind == GEMP_H5_TEXT ? "string-array" : "array", "0.2.0"));
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_h5_write_in(const gemp_h5 *h5, gemp_code code, const char *group, const char *name, gemp_h5_type type,
                           gemp_h5_slab rows, const void *data)
{
	GEMP_OWNED char *path = gemp_h5_join(group, name);
	return gemp_h5_write(h5, code, path, type, rows, data);
}

gemp_code gemp_h5_write_constant(const gemp_h5 *h5, const char *path, gemp_h5_type type, uint64_t total, int64_t value)
{
	if (total == 0)
		return gemp_h5_write(h5, GEMP_OK, path, type, (gemp_h5_slab){ 0 }, NULL);
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID, id = H5I_INVALID_HID;
	gemp_code code = gemp_h5_before_change(h5, GEMP_OK, path);
	if (h5->active) {
		GEMP_THEN(GEMP_HDF5(h5, id = gemp_h5_make_type(type)));
		GEMP_THEN(make_constant(h5, path, id, total, H5T_NATIVE_INT64, &value, &dataset));
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	return gemp_comm_agree(h5->comm, gemp_h5_put_encoding(h5, path, "array", "0.2.0"));
}

bool gemp_h5_is_constant(hid_t dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5Dget_create_plist(dataset);
	size_t sources = 0;
	return creation >= 0 && H5Pget_layout(creation) == H5D_VIRTUAL && H5Pget_virtual_count(creation, &sources) >= 0 &&
	       sources == 0;
}

gemp_code gemp_h5_fill_constant(const gemp_h5 *h5, hid_t dataset, hid_t type, size_t size, uint64_t count, char *data)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID;
	char value[sizeof(uint64_t)];
	GEMP_CHECK(size <= sizeof value);
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Dget_create_plist(dataset)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pget_fill_value(creation, type, value)));
	for (uint64_t i = 0; i < count; i++)
		memcpy(data + i * size, value, size);
	return GEMP_OK;
}

gemp_code gemp_h5_open_dataset(const gemp_h5 *h5, const char *path, hid_t *dataset, gemp_h5_type *type, uint64_t *total)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t id = H5I_INVALID_HID;
	hsize_t size[GEMP_H5_DIMENSIONS];
	int dimensions;
	if (!path)
		return GEMP_ENOMEM;
	gemp_code code = GEMP_HDF5(h5, *dataset = H5Dopen2(h5->file, path, H5P_DEFAULT));
	GEMP_THEN(GEMP_HDF5(h5, id = H5Dget_type(*dataset)));
	GEMP_THEN(gemp_h5_extent(h5, *dataset, &dimensions, size));
	if (code == GEMP_OK && (dimensions != 1 || !type_from_hdf5(id, type)))
		code = gemp_fail(GEMP_EDATA,
		                 "%s: dataset '%s' is of a type or shape that graph files do not have; make the file again",
		                 h5->path, path);
	else if (code == GEMP_OK && !gemp_h5_is_packed(*dataset) &&
	         (gemp_h5_is_constant(*dataset) ? type->kind == GEMP_H5_TEXT
	                                        : H5Dget_storage_size(*dataset) != size[0] * type->size))
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' was never written in full; make the file again", h5->path, path);
	if (code == GEMP_OK && !gemp_h5_is_constant(*dataset) &&
	    (size[0] > GEMP_CLAIM_BYTES / type->size || gemp_h5_is_packed(*dataset)))
		code = gemp_h5_check_claim(h5, *dataset, path);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "dataset '%s': ", path);
	*total = size[0];
	return GEMP_OK;
}

/* The caller needs type and length before it can allocate memory. */
gemp_code gemp_h5_info(const gemp_h5 *h5, const char *path, gemp_h5_type *type, uint64_t *total)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID;
	return gemp_comm_agree(h5->comm, gemp_h5_open_dataset(h5, path, &dataset, type, total));
}

/* The elements were read without an error, so a different checksum means that the bytes are damaged. */
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

/* READING WITHOUT HDF5: a dataset is one contiguous range of the file, and each thread fetches parts of this range */

/* Tests whether the dataset can be read without HDF5: nothing converts the elements, so this machine must be
 * little-endian as the file is. */
static bool is_direct(hid_t dataset)
{
	return LITTLE_ENDIAN_MACHINE && H5Dget_offset(dataset) != HADDR_UNDEF;
}

enum {
	FETCH_BYTES = 1 << 20
}; /* bytes that a thread fetches at a time; they stay in its cache until they are hashed */

typedef struct fetch_task {
	const gemp_sealed_file *file;
	uint64_t offset; /* offset in the file of the first element to fetch */
	size_t size;     /* bytes of an element */
	uint64_t first, own;
	char *data;
	_Atomic uint64_t sum; /* checksum of the first `own` elements */
	atomic_int error;     /* for gemp_sealed_failed */
} fetch_task;

/* The elements are hashed right after they were read, while their bytes are in the cache. */
static void fetch_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	fetch_task *f = context;
	int error = gemp_sealed_read(f->file, f->offset + begin * f->size, (end - begin) * f->size,
	                             f->data + begin * f->size);
	if (error) {
		atomic_store(&f->error, error);
		return;
	}
	const size_t own_end = f->file->sealed ? 0 : gemp_min(end, f->own);
	if (begin < own_end)
		atomic_fetch_add(&f->sum, gemp_hash_sum(f->data + begin * f->size, f->size, own_end - begin, f->first + begin));
}

/* Local. All threads share the open file. *sum is left out for a sealed file. */
static gemp_code read_direct(const gemp_h5 *h5, const char *path, hid_t dataset, size_t size, uint64_t first,
                             uint64_t count, uint64_t own, void *data, uint64_t *sum)
{
	fetch_task f = { .file = &h5->source->file,
		             .offset = H5Dget_offset(dataset) + first * size,
		             .size = size,
		             .first = first,
		             .own = own,
		             .data = data };
	gemp_for_chunks(count, size < FETCH_BYTES ? FETCH_BYTES / size : 1, fetch_chunk, &f);
	*sum = f.sum;
	return f.error ? gemp_h5_dataset_failed(f.file, path, f.error) : GEMP_OK;
}

/* The parts of the ranks may overlap (the parts of row offsets overlap by one element). So only the first `own`
 * elements of each rank count for the checksum. */
gemp_code gemp_h5_read(const gemp_h5 *h5, gemp_code code, const char *path, gemp_h5_type type, uint64_t first,
                       uint64_t count, uint64_t own, void *data)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID, id = H5I_INVALID_HID;
	gemp_h5_type stored = { 0 };
	uint64_t total = 0;
	GEMP_THEN(gemp_h5_open_dataset(h5, path, &dataset, &stored, &total));
	if (code == GEMP_OK &&
	    (stored.kind != type.kind || stored.size != type.size || first > total || count > total - first))
		code = gemp_fail(GEMP_EDATA,
		                 "%s: dataset '%s' is of a type or length that does not fit the rest; make the file again",
		                 h5->path, path);
	GEMP_THEN(GEMP_HDF5(h5, id = gemp_h5_make_type(type)));
	const bool constant = code == GEMP_OK && gemp_h5_is_constant(dataset);
	bool summed = !h5->source->file.sealed;
	if (constant)
		code = gemp_h5_fill_constant(h5, dataset, id, type.size, count, data);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	uint64_t sums[2] = { 0, own };
	if (constant) {
		if (summed)
			GEMP_TRY(gemp_h5_has_attribute(h5, path, "checksum", &summed));
		sums[0] = summed ? gemp_h5_checksum(data, type.size, first, own) : 0;
	} else if (total && gemp_h5_is_packed(dataset) && LITTLE_ENDIAN_MACHINE) {
		GEMP_TRY(gemp_comm_agree(h5->comm,
		                         gemp_h5_packed_read(h5, path, dataset, type.size, first, count, own, data, &sums[0])));
	} else if (total && is_direct(dataset)) {
		GEMP_TRY(
			gemp_comm_agree(h5->comm, read_direct(h5, path, dataset, type.size, first, count, own, data, &sums[0])));
	} else if (total) {
		GEMP_TRY(move_together(h5, dataset, id, type.size, first, count, data));
		sums[0] = summed ? gemp_h5_checksum(data, type.size, first, own) : 0;
	}
	if (!summed)
		return GEMP_OK;
	gemp_comm_sum(h5->comm, sums, 2);
	if (sums[1] == total)
		GEMP_TRY(gemp_h5_compare_checksum(h5, path, sums[0]));
	return GEMP_OK;
}

/* VERIFICATION */

enum { VERIFY_CHUNK = 16 << 20 }; /* size of a rank's buffer in bytes */

/* Collective. Adds the checksum of this rank's block to *sum and reads the block in chunks. The ranks agree after each
 * call, so all of them make as many calls as the longest block needs. */
static gemp_code checksum_block(const gemp_h5 *h5, hid_t dataset, hid_t id, size_t size, uint64_t total, char *buffer,
                                uint64_t *sum)
{
	gemp_code code = GEMP_OK;
	const gemp_block_range mine = gemp_comm_block(h5->comm, total);
	uint64_t longest = total / (uint64_t)h5->comm->size + 1, step = gemp_max(VERIFY_CHUNK / size, 1);
	for (uint64_t at = 0; at < longest && code == GEMP_OK; at += step) {
		uint64_t first = gemp_min(mine.begin + at, mine.end), count = gemp_min(mine.end - first, step);
		code = gemp_comm_agree(h5->comm, gemp_h5_is_constant(dataset)
		                                     ? gemp_h5_fill_constant(h5, dataset, id, size, count, buffer)
		                                     : gemp_h5_move(h5, dataset, id, first, count, buffer));
		*sum += code == GEMP_OK ? gemp_h5_checksum(buffer, size, first, count) : 0;
	}
	return code;
}

/* Collective. This program writes no elements larger than the buffer, so such elements mean a damaged file. */
static gemp_code verify_dataset(const gemp_h5 *h5, const char *path, char *buffer)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t dataset = H5I_INVALID_HID, id = H5I_INVALID_HID;
	gemp_h5_type type = { 0 };
	uint64_t total = 0, sum = 0;
	gemp_code code = gemp_h5_open_dataset(h5, path, &dataset, &type, &total);
	if (code == GEMP_OK && type.size > VERIFY_CHUNK)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: dataset '%s' has elements of %zu bytes, which graph files do not have; make the "
		                 "file again",
		                 h5->path, path, type.size);
	GEMP_THEN(GEMP_HDF5(h5, id = gemp_h5_make_type(type)));
	bool constant = code == GEMP_OK && gemp_h5_is_constant(dataset);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	if (constant) {
		bool summed = false;
		GEMP_TRY(gemp_h5_has_attribute(h5, path, "checksum", &summed));
		if (!summed)
			return GEMP_OK;
	}
	if (total)
		GEMP_TRY(checksum_block(h5, dataset, id, type.size, total, buffer, &sum));
	return gemp_h5_compare_checksum(h5, path, gemp_comm_sum1(h5->comm, sum));
}

/* All ranks together read one dataset after the other. */
gemp_code gemp_h5_verify(const gemp_h5 *h5)
{
	GEMP_OWNED char *buffer = NULL;
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts paths = { 0 };
	GEMP_TRY(gemp_h5_list_datasets(h5, &paths));
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(buffer, VERIFY_CHUNK)));
	for (size_t i = 0; i < paths.count; i++)
		GEMP_TRY(verify_dataset(h5, paths.text[i], buffer));
	return GEMP_OK;
}
