/* A tail is at most a chunk, so pieces that move are short, whatever the number of rows. */

#include "io/hdf5/growing_addition.h"

#include "comm/exchange.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* WHERE ELEMENTS ARE */

static gemp_chunk_split split_of(const gemp_growing_addition *a, size_t s)
{
	const int ranks = a->comm->size;
	return (gemp_chunk_split){ a->streams[s].chunk, ranks, a->begin + s * ((size_t)ranks + 1) };
}

/* Pending elements of this rank, which come before those of the addition. */
static uint64_t pending_here(const gemp_growing_addition *a, size_t s)
{
	return a->comm->rank == 0 ? a->streams[s].pending : 0;
}

/* Elements of this rank in the addition. */
static uint64_t added_here(const gemp_growing_addition *a, size_t s)
{
	if (a->streams[s].role != GEMP_GROWING_BYTES)
		return a->rows;
	const uint64_t *offsets = a->data[s - 1];
	return offsets ? offsets[a->rows] : 0;
}

/* The index of the first element of the addition of this rank. */
static uint64_t first_added(const gemp_growing_addition *a, size_t s)
{
	return split_of(a, s).begin[a->comm->rank] + pending_here(a, s);
}

/* Collective. The ranks learn the numbers of elements of all ranks. */
static gemp_code find_begins(gemp_growing_addition *a, gemp_code code)
{
	const size_t ranks = (size_t)a->comm->size;
	GEMP_OWNED uint64_t *mine = NULL;
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *ends = NULL;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(mine, a->count), GEMP_ARRAY(a->begin, a->count * (ranks + 1))));
	for (size_t s = 0; s < a->count && code == GEMP_OK; s++)
		mine[s] = added_here(a, s);
	GEMP_TRY(gemp_comm_allgather(a->comm, code, mine, a->count * sizeof *mine, &all, &ends));
	for (size_t s = 0; s < a->count; s++) {
		uint64_t *begin = a->begin + s * (ranks + 1);
		begin[0] = a->streams[s].placed;
		for (size_t r = 0; r < ranks; r++)
			begin[r + 1] = begin[r] + ((const uint64_t *)all)[r * a->count + s] + (r ? 0 : a->streams[s].pending);
	}
	return GEMP_OK;
}

/* Copies elements [first, first + count) of this rank. Offsets of this rank's strings become offsets among those of all
 * rows. */
static void copy_elements(const gemp_growing_addition *a, size_t s, uint64_t first, uint64_t count, char *out)
{
	const gemp_growing_stream *stream = &a->streams[s];
	const size_t size = stream->type.size;
	const uint64_t pending = pending_here(a, s), at = first - split_of(a, s).begin[a->comm->rank];
	const uint64_t old = at < pending ? gemp_min(count, pending - at) : 0;
	const char *data = a->data[s];
	if (old)
		memcpy(out, stream->tail.data + at * size, old * size);
	out += old * size;
	count -= old;
	if (data)
		memcpy(out, data + (at + old - pending) * size, count * size);
	else
		memset(out, 0, count * size);
	if (stream->role != GEMP_GROWING_OFFSETS)
		return;
	const uint64_t base = first_added(a, s + 1);
	for (uint64_t i = 0, offset; i < count; i++) {
		memcpy(&offset, out + i * size, sizeof offset);
		offset += base;
		memcpy(out + i * size, &offset, sizeof offset);
	}
}

/* THE LIST OF CHUNKS */

static int compare_chunks(const void *left, const void *right)
{
	const gemp_growing_chunk *a = left, *b = right;
	return a->rows != b->rows       ? (a->rows < b->rows ? -1 : 1)
	       : a->stream != b->stream ? (a->stream < b->stream ? -1 : 1)
	                                : (a->first > b->first) - (a->first < b->first);
}

/* The number of this rank's rows whose strings have at least `bytes` bytes together, at least 1 byte. */
static uint64_t rows_with(const uint64_t *offsets, uint64_t rows, uint64_t bytes)
{
	uint64_t low = 0, high = rows;
	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;
		if (offsets[middle] < bytes)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Adds the chunks of bytes that end in this rank's strings. */
static void list_bytes(const gemp_growing_addition *a, size_t s, gemp_text *list)
{
	const uint64_t chunk = a->streams[s].chunk, first = first_added(a, s), end = first + added_here(a, s);
	for (uint64_t chunk_end = (first / chunk + 1) * chunk; chunk_end <= end; chunk_end += chunk) {
		const gemp_growing_chunk ended = { .rows = first_added(a, s - 1) +
			                                       rows_with(a->data[s - 1], a->rows, chunk_end - first),
			                               .stream = s,
			                               .first = chunk_end - chunk };
		gemp_text_add(list, &ended, sizeof ended);
	}
}

/* Adds the chunks of a stream with an element for each row, which every rank knows. */
static void list_rows(const gemp_growing_addition *a, size_t s, gemp_text *list)
{
	const gemp_chunk_split split = split_of(a, s);
	for (uint64_t first = split.begin[0]; first < gemp_chunk_whole(&split); first += split.chunk) {
		const gemp_growing_chunk full = { first + split.chunk, s, first };
		gemp_text_add(list, &full, sizeof full);
	}
}

/* Collective. */
static gemp_code list_chunks(gemp_growing_addition *a)
{
	const gemp_comm *comm = a->comm;
	GEMP_OWNED_BY(gemp_text_free) gemp_text mine = { 0 }, all = { 0 };
	GEMP_OWNED void *bytes = NULL;
	GEMP_OWNED size_t *ends = NULL;
	for (size_t s = 0; s < a->count; s++)
		if (a->streams[s].role == GEMP_GROWING_BYTES)
			list_bytes(a, s, &mine);
		else
			list_rows(a, s, &all);
	GEMP_TRY(gemp_comm_allgather(comm, gemp_text_status(&mine), mine.data, mine.size, &bytes, &ends));
	gemp_text_add(&all, bytes, ends[comm->size]);
	a->chunk_count = all.size / sizeof *a->chunks;
	gemp_code code = gemp_text_status(&all);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(a->chunks, a->chunk_count), GEMP_ARRAY(a->owner, a->chunk_count)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (a->chunk_count)
		memcpy(a->chunks, all.data, all.size);
	qsort(a->chunks, a->chunk_count, sizeof *a->chunks, compare_chunks);
	for (size_t c = 0; c < a->chunk_count; c++) {
		const gemp_chunk_split split = split_of(a, a->chunks[c].stream);
		a->owner[c] = gemp_chunk_owner(&split, a->chunks[c].first);
	}
	return GEMP_OK;
}

/* MOVING ELEMENTS */

/* Sends a piece to another rank, or keeps it if it is rank 0's own tail. A head never stays on its rank. */
static gemp_code send_piece(const gemp_growing_addition *a, size_t s, gemp_chunk_piece piece, gemp_text *out)
{
	const size_t size = a->streams[s].type.size;
	GEMP_OWNED char *elements = NULL;
	if (!piece.count)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(elements, piece.count * size));
	copy_elements(a, s, piece.first, piece.count, elements);
	gemp_text_add(piece.rank == a->comm->rank ? &a->tail[s] : &out[piece.rank], elements, piece.count * size);
	return GEMP_OK;
}

static gemp_code fill_messages(const gemp_growing_addition *a, gemp_text *out, gemp_peer_block *send)
{
	for (size_t s = 0; s < a->count; s++) {
		const gemp_chunk_split split = split_of(a, s);
		GEMP_TRY(send_piece(a, s, gemp_chunk_head(&split, a->comm->rank), out));
		GEMP_TRY(send_piece(a, s, gemp_chunk_tail(&split, a->comm->rank), out));
	}
	for (int r = 0; r < a->comm->size; r++) {
		GEMP_TRY(gemp_text_status(&out[r]));
		send[r] = (gemp_peer_block){ out[r].data, out[r].size };
	}
	return GEMP_OK;
}

static const char *take_piece(const gemp_growing_addition *a, size_t s, gemp_chunk_piece piece, const char *from)
{
	const gemp_chunk_split split = split_of(a, s);
	const size_t bytes = piece.rank == a->comm->rank ? piece.count * a->streams[s].type.size : 0;
	gemp_text_add(piece.first < gemp_chunk_whole(&split) ? &a->rest[s] : &a->tail[s], from, bytes);
	return from + bytes;
}

/* The pieces of a rank come in the order in which it sent them. */
static gemp_code take_messages(const gemp_growing_addition *a, const char *from)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < a->comm->size; r++)
		for (size_t s = 0; s < a->count && r != a->comm->rank; s++) {
			const gemp_chunk_split split = split_of(a, s);
			from = take_piece(a, s, gemp_chunk_head(&split, r), from);
			from = take_piece(a, s, gemp_chunk_tail(&split, r), from);
		}
	for (size_t s = 0; s < a->count; s++) {
		GEMP_THEN(gemp_text_status(&a->rest[s]));
		GEMP_THEN(gemp_text_status(&a->tail[s]));
	}
	return code;
}

/* Collective. */
static gemp_code move_elements(gemp_growing_addition *a)
{
	const gemp_comm *comm = a->comm;
	const size_t ranks = (size_t)comm->size;
	GEMP_OWNED gemp_text *out = NULL;
	GEMP_OWNED gemp_peer_block *send = NULL;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_OWNED void *received = NULL;
	size_t capacity = 0;
	gemp_code code = gemp_new_all(GEMP_ARRAY(out, ranks), GEMP_ARRAY(send, ranks), GEMP_ARRAY(sizes, ranks),
	                              GEMP_ARRAY(a->rest, a->count), GEMP_ARRAY(a->tail, a->count));
	GEMP_THEN(fill_messages(a, out, send));
	code = gemp_exchange_parts(comm, code, send, &received, &capacity, sizes, NULL);
	for (size_t r = 0; out && r < ranks; r++)
		gemp_text_free(&out[r]);
	GEMP_TRY(code);
	return gemp_comm_agree(comm, take_messages(a, received));
}

gemp_code gemp_growing_addition_divide(gemp_growing_addition *a, gemp_code code)
{
	GEMP_TRY(find_begins(a, code));
	GEMP_TRY(list_chunks(a));
	return move_elements(a);
}

void gemp_growing_addition_free(gemp_growing_addition *a)
{
	for (size_t s = 0; s < a->count; s++) {
		if (a->rest)
			gemp_text_free(&a->rest[s]);
		if (a->tail)
			gemp_text_free(&a->tail[s]);
	}
	gemp_free_all(a->begin, a->chunks, a->owner, a->rest, a->tail);
}

/* Elements that this rank has had in memory are not copied. */
const char *gemp_growing_elements(const gemp_growing_addition *a, const gemp_growing_chunk *chunk, char *buffer)
{
	const size_t s = chunk->stream, size = a->streams[s].type.size;
	const gemp_chunk_split split = split_of(a, s);
	const uint64_t added = first_added(a, s),
				   here = gemp_min(split.begin[a->comm->rank + 1] - chunk->first, split.chunk);
	if (a->data[s] && a->streams[s].role != GEMP_GROWING_OFFSETS && chunk->first >= added && here == split.chunk)
		return (const char *)a->data[s] + (chunk->first - added) * size;
	copy_elements(a, s, chunk->first, here, buffer);
	if (here < split.chunk)
		memcpy(buffer + here * size, a->rest[s].data, (split.chunk - here) * size);
	return buffer;
}

void gemp_growing_addition_end(gemp_growing_addition *a)
{
	for (size_t s = 0; s < a->count; s++) {
		gemp_growing_stream *stream = &a->streams[s];
		const gemp_chunk_split split = split_of(a, s);
		stream->placed = gemp_chunk_whole(&split);
		stream->pending = split.begin[split.ranks] - stream->placed;
		gemp_text_free(&stream->tail);
		stream->tail = a->tail[s];
		a->tail[s] = (gemp_text){ 0 };
	}
}
