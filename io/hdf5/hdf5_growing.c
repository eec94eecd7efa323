/* Packed chunks stay in memory until the ranks have packed all chunks of an addition, since a place depends on the
 * sizes of all chunks before. Rank 0 keeps the datasets open. */

#include "io/hdf5/hdf5_growing.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/file/output.h"
#include "io/hdf5/hdf5_deflate.h"
#include "io/hdf5/hdf5_places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_PER_ROW = 8 }; /* a chunk of bytes has so many for each row of a chunk of rows */

/* What a thread needs to pack a chunk. */
typedef struct packing_lane {
	gemp_deflater *deflater;
	char *elements; /* of a chunk that is not contiguous in memory */
} packing_lane;

struct gemp_growing {
	const gemp_h5 *h5;
	int file; /* descriptor for chunks; -1: not open */
	size_t count;
	gemp_growing_stream *streams; /* [count] */
	unsigned lane_count;
	packing_lane *lanes; /* [lane_count] */
};

/* OPENING */

/* After a failure the datasets stay open, since the file does (gemp_h5_abandon). */
void gemp_growing_free(gemp_growing *g)
{
	if (!g)
		return;
	for (size_t s = 0; s < g->count; s++)
		gemp_text_free(&g->streams[s].tail);
	for (unsigned i = 0; i < g->lane_count; i++) {
		gemp_deflater_free(g->lanes[i].deflater);
		gemp_free(g->lanes[i].elements);
	}
	if (g->file >= 0)
		close(g->file);
	gemp_free_all(g->streams, g->lanes, g);
}

static gemp_code set_streams(gemp_growing *g, const gemp_growing_stream *streams, size_t count)
{
	const uint64_t rows = gemp_max(gemp_limits_now()->result_chunk, 1);
	GEMP_TRY(GEMP_NEW(g->streams, count));
	for (; g->count < count; g->count++) {
		gemp_growing_stream *stream = &g->streams[g->count];
		*stream = streams[g->count];
		stream->chunk = stream->role == GEMP_GROWING_BYTES ? BYTES_PER_ROW * rows : rows;
		stream->dataset = H5I_INVALID_HID;
		if (!stream->path)
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

static gemp_code make_lanes(gemp_growing *g)
{
	size_t bytes = 1;
	for (size_t s = 0; s < g->count; s++)
		bytes = gemp_max(bytes, g->streams[s].chunk * g->streams[s].type.size);
	GEMP_TRY(GEMP_NEW(g->lanes, gemp_threads()));
	while (g->lane_count < gemp_threads()) {
		packing_lane *lane = &g->lanes[g->lane_count++];
		GEMP_TRY(gemp_deflater_new(&lane->deflater, bytes));
		GEMP_TRY(GEMP_NEW(lane->elements, bytes));
	}
	return GEMP_OK;
}

static gemp_code write_failed(const gemp_growing *g, const char *what)
{
	const int error = errno; /* gemp_fail may change it */
	return gemp_fail(GEMP_EIO, "%s: %s: %s; choose another place or make room", g->h5->path, what, strerror(error));
}

/* Each rank opens the file that rank 0 has created. */
gemp_code gemp_growing_new(gemp_growing **out, const gemp_h5 *h5, const gemp_growing_stream *streams, size_t count)
{
	GEMP_OWNED_BY(gemp_growing_free_at) gemp_growing *g = NULL;
	gemp_code code = GEMP_NEW(g, 1);
	if (code == GEMP_OK) {
		g->h5 = h5;
		g->file = -1;
		code = set_streams(g, streams, count);
	}
	GEMP_THEN(make_lanes(g));
	if (code == GEMP_OK && (g->file = open(h5->path, O_WRONLY | O_CLOEXEC)) < 0)
		code = write_failed(g, "cannot be opened by every rank");
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	*out = g;
	g = NULL;
	return GEMP_OK;
}

/* PLACES, ON RANK 0 */

/* The dataset stores no times, so equal rows make equal files. */
static gemp_code make_dataset(const gemp_h5 *h5, gemp_growing_stream *stream, uint64_t chunk_elements)
{
	const hsize_t none = 0, max = H5S_UNLIMITED, chunk = gemp_max(chunk_elements, 1);
	GEMP_OWNED_BY(gemp_h5_release_at)
	hid_t type = gemp_h5_make_type(stream->type), space = H5I_INVALID_HID, creation = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, space = H5Screate_simple(1, &none, &max)));
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_DATASET_CREATE)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_chunk(creation, 1, &chunk)));
	GEMP_TRY(gemp_h5_deflate_filters(h5, creation, stream->type.size));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
	return GEMP_HDF5(
		h5, stream->dataset = H5Dcreate2(h5->file, stream->path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* HDF5 refuses a chunk after the end of the dataset, so the dataset grows first. It never shrinks, since HDF5 would
 * rewrite its last chunk. */
static gemp_code grow(const gemp_h5 *h5, gemp_growing_stream *stream, uint64_t chunk_elements, uint64_t end)
{
	const hsize_t size = end;
	if (stream->dataset < 0)
		GEMP_TRY(make_dataset(h5, stream, chunk_elements));
	return GEMP_HDF5(h5, H5Dset_extent(stream->dataset, &size));
}

/* PACKING AND WRITING */

typedef struct packed_chunk {
	size_t chunk; /* its index in the addition */
	char *bytes;
	size_t size; /* 0: a chunk of zeros that is not stored */
} packed_chunk;

typedef struct packed_chunks {
	gemp_growing *g;
	const gemp_growing_addition *addition;
	size_t count;
	packed_chunk *chunks; /* [count] of this rank */
	uint64_t *place;      /* [chunks of the addition] */
	atomic_bool failed;
} packed_chunks;

static void free_packed(packed_chunks *p)
{
	for (size_t i = 0; p->chunks && i < p->count; i++)
		gemp_free(p->chunks[i].bytes);
	gemp_free_all(p->chunks, p->place);
}

static bool is_absent(const gemp_growing_stream *stream, const char *elements, size_t bytes)
{
	return stream->role == GEMP_GROWING_MASK && *elements == 0 && memcmp(elements, elements + 1, bytes - 1) == 0;
}

static void pack_chunk(void *context, unsigned thread, size_t i)
{
	packed_chunks *p = context;
	packed_chunk *packed = &p->chunks[i];
	const gemp_growing_chunk *chunk = &p->addition->chunks[packed->chunk];
	const gemp_growing_stream *stream = &p->g->streams[chunk->stream];
	const packing_lane *lane = &p->g->lanes[thread];
	const char *elements = gemp_growing_elements(p->addition, chunk, lane->elements);
	if (is_absent(stream, elements, stream->chunk * stream->type.size))
		return;
	const char *bytes = gemp_deflater_pack(lane->deflater, elements, stream->type.size, stream->chunk, &packed->size);
	packed->bytes = bytes ? gemp_realloc(NULL, packed->size, 1) : NULL;
	if (packed->bytes)
		memcpy(packed->bytes, bytes, packed->size);
	else
		atomic_store(&p->failed, true);
}

/* Local. Packs this rank's chunks. */
static gemp_code pack_chunks(packed_chunks *p)
{
	const gemp_growing_addition *a = p->addition;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(p->chunks, a->chunk_count), GEMP_ARRAY(p->place, a->chunk_count)));
	for (size_t c = 0; c < a->chunk_count; c++)
		if (a->owner[c] == a->comm->rank)
			p->chunks[p->count++].chunk = c;
	gemp_parallel_for(p->count, pack_chunk, p);
	return atomic_load(&p->failed) ? gemp_fail(GEMP_ENOMEM, "%s: out of memory for packed rows", p->g->h5->path)
	                               : GEMP_OK;
}

/* Local, on rank 0. sizes: those of all ranks' chunks, in rank order from begin[rank] bytes on. */
static gemp_code find_places(packed_chunks *p, const uint64_t *sizes, size_t *begin)
{
	const gemp_growing_addition *a = p->addition;
	const gemp_h5 *h5 = p->g->h5;
	for (size_t c = 0; c < a->chunk_count; c++) {
		gemp_growing_stream *stream = &p->g->streams[a->chunks[c].stream];
		const uint64_t size = sizes[begin[a->owner[c]] / sizeof *sizes];
		begin[a->owner[c]] += sizeof *sizes;
		if (!size)
			continue;
		GEMP_TRY(grow(h5, stream, stream->chunk, a->chunks[c].first + stream->chunk));
		GEMP_TRY(GEMP_HDF5(h5, gemp_h5_place_chunk(h5->file, stream->dataset, a->chunks[c].first, size, &p->place[c])));
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code share_places(packed_chunks *p, gemp_code code)
{
	const gemp_comm *comm = p->addition->comm;
	GEMP_OWNED uint64_t *mine = NULL;
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_THEN(GEMP_NEW(mine, p->count));
	for (size_t i = 0; i < p->count && code == GEMP_OK; i++)
		mine[i] = p->chunks[i].size;
	GEMP_TRY(gemp_comm_allgather(comm, code, mine, p->count * sizeof *mine, &all, &begin));
	GEMP_TRY(gemp_comm_agree(comm, comm->rank == 0 ? find_places(p, all, begin) : GEMP_OK));
	gemp_comm_max(comm, p->place, (int)p->addition->chunk_count);
	return GEMP_OK;
}

static gemp_code write_chunks(const packed_chunks *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!gemp_file_write_at(p->g->file, p->chunks[i].bytes, p->chunks[i].size, p->place[p->chunks[i].chunk]))
			return write_failed(p->g, "writing failed");
	return GEMP_OK;
}

gemp_code gemp_growing_add(gemp_growing *g, gemp_code code, const void *const *data, size_t rows)
{
	GEMP_OWNED_BY(gemp_growing_addition_free)
	gemp_growing_addition a = {
		.comm = g->h5->comm, .streams = g->streams, .count = g->count, .data = data, .rows = rows
	};
	GEMP_OWNED_BY(free_packed) packed_chunks p = { .g = g, .addition = &a };
	GEMP_TRY(gemp_growing_addition_divide(&a, code));
	if (a.chunk_count) {
		GEMP_TRY(share_places(&p, pack_chunks(&p)));
		GEMP_TRY(gemp_comm_agree(g->h5->comm, write_chunks(&p)));
	}
	gemp_growing_addition_end(&a);
	return GEMP_OK;
}

/* THE LAST ROWS, ON RANK 0 */

/* The last chunk has the length of the others, and zeros after the last element. */
static gemp_code write_tail(gemp_growing *g, gemp_growing_stream *stream, uint64_t chunk_elements)
{
	GEMP_OWNED char *chunk = NULL;
	size_t bytes;
	uint64_t place;
	GEMP_TRY(GEMP_NEW(chunk, chunk_elements * stream->type.size));
	memcpy(chunk, stream->tail.data, stream->pending * stream->type.size);
	const char *packed = gemp_deflater_pack(g->lanes->deflater, chunk, stream->type.size, chunk_elements, &bytes);
	if (!packed)
		return gemp_fail(GEMP_ENOMEM, "%s: out of memory for packed rows", g->h5->path);
	GEMP_TRY(GEMP_HDF5(g->h5, gemp_h5_place_chunk(g->h5->file, stream->dataset, stream->placed, bytes, &place)));
	return gemp_file_write_at(g->file, packed, bytes, place) ? GEMP_OK : write_failed(g, "writing failed");
}

/* total_bytes: where the last string ends, if the stream has offsets. */
static gemp_code finish_stream(gemp_growing *g, gemp_growing_stream *stream, uint64_t total_bytes)
{
	if (stream->role == GEMP_GROWING_OFFSETS) {
		gemp_text_add(&stream->tail, &total_bytes, sizeof total_bytes);
		GEMP_TRY(gemp_text_status(&stream->tail));
		stream->pending++;
	}
	const uint64_t chunk_elements = stream->placed ? stream->chunk : stream->pending;
	const bool absent = !stream->pending || is_absent(stream, stream->tail.data, stream->pending);
	if (absent && stream->dataset < 0 && stream->role == GEMP_GROWING_MASK)
		return GEMP_OK;
	GEMP_TRY(grow(g->h5, stream, chunk_elements, stream->placed + stream->pending));
	if (!absent)
		GEMP_TRY(write_tail(g, stream, chunk_elements));
	const hid_t dataset = stream->dataset;
	stream->dataset = H5I_INVALID_HID;
	return GEMP_HDF5(g->h5, H5Dclose(dataset));
}

gemp_code gemp_growing_finish(gemp_growing *g, uint64_t *rows)
{
	gemp_code code = GEMP_OK;
	*rows = g->count ? g->streams[0].placed + g->streams[0].pending : 0;
	for (size_t s = 0; s < g->count && g->h5->active; s++) {
		const gemp_growing_stream *bytes = s + 1 < g->count ? &g->streams[s + 1] : NULL;
		GEMP_THEN(finish_stream(g, &g->streams[s], bytes ? bytes->placed + bytes->pending : 0));
	}
	return gemp_comm_agree(g->h5->comm, code);
}
