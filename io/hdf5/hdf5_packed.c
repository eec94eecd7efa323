/* Elements arrive in pieces of any length and are collected until `lanes` chunks are full, so the bytes of a file do
 * not depend on the pieces. A reader asks HDF5 for the places of all chunks first, since HDF5 has one lock for all
 * threads. */

#include "io/hdf5/hdf5_packed.h"

#include "core/random.h"
#include "core/threads.h"
#include "io/hdf5/bit_planes.h"
#include "io/hdf5/hdf5_filter.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

enum { ZSTANDARD = 3 }; /* the number of the compressor in the parameters of the filter */

static uint64_t chunk_of(size_t size, uint64_t total)
{
	return gemp_min(gemp_max(GEMP_H5_CHUNK_BYTES / size / 8 * 8, 8), total);
}

gemp_code gemp_h5_packed_make(const gemp_h5 *h5, const char *path, hid_t type, size_t size, uint64_t total,
                              hid_t *dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID, space = H5I_INVALID_HID;
	hsize_t elements = total, chunk = chunk_of(size, total);
	/* the filter's version, the size of an element, elements of a block, the compressor and its level */
	const unsigned parameters[] = { 0, 4, (unsigned)size, (unsigned)(chunk / 8 * 8), ZSTANDARD, 1 };
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_chunk(creation, 1, &chunk)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_filter(creation, GEMP_H5_FILTER, H5Z_FLAG_MANDATORY, 6, parameters)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(1, &elements, NULL)));
	return GEMP_HDF5(h5, *dataset = H5Dcreate2(h5->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

bool gemp_h5_is_packed(hid_t dataset)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5Dget_create_plist(dataset);
	unsigned flags = 0;
	size_t parameters = 0;
	return creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_nfilters(creation) == 1 &&
	       H5Pget_filter2(creation, 0, &flags, &parameters, NULL, 0, NULL, NULL) == GEMP_H5_FILTER;
}

/* WRITING */

gemp_code gemp_h5_packer_init(gemp_h5_packer *packer, const gemp_h5 *h5, hid_t dataset, size_t size, uint64_t total)
{
	const uint64_t chunk = chunk_of(size, total);
	const size_t lanes = gemp_min(2 * gemp_threads(), (total + chunk - 1) / chunk), bytes = chunk * size;
	*packer = (gemp_h5_packer){
		.h5 = h5, .dataset = dataset, .size = size, .chunk = chunk, .total = total, .lanes = lanes
	};
	return gemp_new_all(GEMP_ARRAY(packer->elements, lanes * bytes),
	                    GEMP_ARRAY(packer->packed, lanes * gemp_planes_bound(bytes)), GEMP_ARRAY(packer->bytes, lanes),
	                    GEMP_ARRAY(packer->planes, gemp_threads() * bytes));
}

void gemp_h5_packer_free(gemp_h5_packer *packer)
{
	gemp_free_all(packer->elements, packer->packed, packer->bytes, packer->planes);
	*packer = (gemp_h5_packer){ 0 };
}

static void pack_lane(void *context, unsigned thread, size_t lane)
{
	gemp_h5_packer *p = context;
	const size_t bytes = p->chunk * p->size;
	p->bytes[lane] = gemp_planes_pack(p->packed + lane * gemp_planes_bound(bytes), p->elements + lane * bytes, p->size,
	                                  p->chunk, p->planes + thread * bytes);
}

/* HDF5 stores the last chunk whole, so the elements after the last one are 0. */
static gemp_code write_chunks(gemp_h5_packer *p)
{
	const size_t chunks = (p->filled + p->chunk - 1) / p->chunk, bytes = p->chunk * p->size;
	memset(p->elements + p->filled * p->size, 0, chunks * bytes - p->filled * p->size);
	gemp_parallel_for(chunks, pack_lane, p);
	for (size_t c = 0; c < chunks; c++) {
		hsize_t first = p->written + c * p->chunk;
		if (!p->bytes[c])
			return gemp_fail(GEMP_EINTERNAL, "%s: Zstandard cannot compress", p->h5->path);
		GEMP_TRY(GEMP_HDF5(p->h5, H5Dwrite_chunk(p->dataset, H5P_DEFAULT, 0, &first, p->bytes[c],
		                                         p->packed + c * gemp_planes_bound(bytes))));
	}
	p->written += p->filled;
	p->filled = 0;
	return GEMP_OK;
}

gemp_code gemp_h5_packer_add(gemp_h5_packer *p, const char *data, uint64_t count)
{
	const uint64_t capacity = p->lanes * p->chunk;
	while (count) {
		uint64_t taken = gemp_min(count, capacity - p->filled);
		memcpy(p->elements + p->filled * p->size, data, taken * p->size);
		p->filled += taken;
		data += taken * p->size;
		count -= taken;
		if (p->filled == capacity || p->written + p->filled == p->total)
			GEMP_TRY(write_chunks(p));
	}
	return GEMP_OK;
}

/* READING */

enum { DAMAGED = -100 }; /* an error: a chunk cannot be unpacked */

/* A read of elements [first, first + count). */
typedef struct unpack_task {
	const gemp_sealed_file *file;
	size_t size;
	uint64_t chunk, first, count, own;
	uint64_t first_chunk;
	haddr_t *place;        /* [chunks] */
	hsize_t *bytes, max;   /* [chunks] and their maximum */
	char *packed, *planes; /* [threads * max], [threads * chunk * size] */
	char *whole;           /* [threads * chunk * size]: a chunk of which only a part is wanted */
	char *data;
	_Atomic uint64_t sum;
	atomic_int error; /* for gemp_sealed_failed, or DAMAGED */
} unpack_task;

static void free_task(unpack_task *t)
{
	gemp_free_all(t->place, t->bytes, t->packed, t->planes, t->whole);
}

/* Elements are hashed while they are in the cache. */
static void unpack_chunk(void *context, unsigned thread, size_t c)
{
	unpack_task *t = context;
	const uint64_t begin = (t->first_chunk + c) * t->chunk, from = gemp_max(begin, t->first),
				   to = gemp_min(begin + t->chunk, t->first + t->count), own_end = gemp_min(to, t->first + t->own);
	char *packed = t->packed + thread * t->max, *wanted = t->data + (from - t->first) * t->size;
	bool all = to - from == t->chunk;
	char *whole = all ? wanted : t->whole + thread * t->chunk * t->size;
	int error = gemp_sealed_read(t->file, t->place[c], t->bytes[c], packed);
	if (!error &&
	    !gemp_planes_unpack(whole, packed, t->bytes[c], t->size, t->chunk, t->planes + thread * t->chunk * t->size))
		error = DAMAGED;
	if (error) {
		atomic_store(&t->error, error);
		return;
	}
	if (!all)
		memcpy(wanted, whole + (from - begin) * t->size, (to - from) * t->size);
	if (from < own_end && !t->file->sealed)
		atomic_fetch_add(&t->sum, gemp_hash_sum(wanted, t->size, own_end - from, from));
}

/* Finds the places of the chunks and allocates memory for all threads. */
static gemp_code prepare(unpack_task *t, const gemp_h5 *h5, const char *path, hid_t dataset, size_t *chunks)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t creation = H5I_INVALID_HID;
	hsize_t chunk = 0;
	unsigned mask = 0;
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Dget_create_plist(dataset)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pget_chunk(creation, 1, &chunk)));
	t->chunk = chunk;
	t->first_chunk = t->first / chunk;
	*chunks = t->count ? (t->first + t->count - 1) / chunk - t->first_chunk + 1 : 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(t->place, *chunks), GEMP_ARRAY(t->bytes, *chunks)));
	for (size_t c = 0; c < *chunks; c++) {
		hsize_t begin = (t->first_chunk + c) * chunk;
		GEMP_TRY(GEMP_HDF5(h5, H5Dget_chunk_info_by_coord(dataset, &begin, &mask, &t->place[c], &t->bytes[c])));
		if (t->place[c] == HADDR_UNDEF || mask || t->bytes[c] > gemp_planes_bound(chunk * t->size))
			return gemp_fail(GEMP_EDATA, "%s: dataset '%s' was never written in full; make the file again", h5->path,
			                 path);
		t->max = gemp_max(t->max, t->bytes[c]);
	}
	const size_t threads = *chunks ? gemp_threads() : 0, bytes = threads * chunk * t->size;
	return gemp_new_all(GEMP_ARRAY(t->packed, threads * t->max), GEMP_ARRAY(t->planes, bytes),
	                    GEMP_ARRAY(t->whole, bytes));
}

gemp_code gemp_h5_packed_read(const gemp_h5 *h5, const char *path, hid_t dataset, size_t size, uint64_t first,
                              uint64_t count, uint64_t own, void *data, uint64_t *sum)
{
	GEMP_OWNED_BY(free_task)
	unpack_task t = {
		.file = &h5->source->file, .size = size, .first = first, .count = count, .own = own, .data = data
	};
	size_t chunks = 0;
	GEMP_TRY(prepare(&t, h5, path, dataset, &chunks));
	gemp_parallel_for(chunks, unpack_chunk, &t);
	*sum = t.sum;
	if (t.error && t.error != DAMAGED)
		return gemp_h5_dataset_failed(t.file, path, t.error);
	return t.error ? gemp_fail(GEMP_EDATA, "%s: dataset '%s' is damaged; make or copy the file again", h5->path, path)
	               : GEMP_OK;
}
