/* Coding of rows. The slots of a row ascend, so their differences are coded, and most differences take one byte. Edge
 * numbers do not ascend, so their differences are coded with a sign. All threads code and decode blocks of some
 * thousand entries. Each block is first written at a place that has memory for its worst case, and then the blocks are
 * moved together. The reader does not trust lengths: it checks every number against the end of its block. */

#include "partition/fetch/row_code.h"

#include "core/memory.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <string.h>

/* LEB128: the highest bit of a byte says whether another byte follows. */
uint8_t *gemp_varint_put(uint8_t *to, uint64_t number)
{
	while (number >= 128) {
		*to++ = (uint8_t)(number | 128);
		number >>= 7;
	}
	*to++ = (uint8_t)number;
	return to;
}

/* A number of more than ten bytes is refused, and so is a number whose last byte is missing. */
const uint8_t *gemp_varint_get(const uint8_t *from, const uint8_t *end, uint64_t *number)
{
	uint64_t value = 0;
	for (unsigned shift = 0; from < end && shift < 64; shift += 7) {
		uint8_t byte = *from++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*number = value;
			return from;
		}
	}
	return NULL;
}

/* The caller has reserved memory for the worst case, so this function checks nothing. */
uint8_t *gemp_slots_put(uint8_t *to, const gemp_vertex *slots, size_t count)
{
	gemp_vertex last = 0;
	for (size_t i = 0; i < count; i++) {
		to = gemp_varint_put(to, slots[i] - last);
		last = slots[i];
	}
	return to;
}

/* Most differences take one byte, which is read without a call. The sum is checked, so no slot exceeds
 * GEMP_MAX_VERTICES. */
const uint8_t *gemp_slots_get(const uint8_t *from, const uint8_t *end, gemp_vertex *slots, size_t count)
{
	uint64_t slot = 0, step;
	for (size_t i = 0; i < count; i++) {
		if (from < end && *from < 128)
			step = *from++;
		else if ((from = gemp_varint_get(from, end, &step)) == NULL)
			return NULL;
		if (step > GEMP_MAX_VERTICES - slot)
			return NULL;
		slot += step;
		slots[i] = (gemp_vertex)slot;
	}
	return from;
}

/* The lowest bit is the sign of the difference. */
uint8_t *gemp_edges_put(uint8_t *to, const gemp_edge *edges, size_t count)
{
	gemp_edge last = 0;
	for (size_t i = 0; i < count; i++) {
		bool down = edges[i] < last;
		uint64_t step = down ? last - edges[i] : edges[i] - last;
		to = gemp_varint_put(to, step << 1 | down);
		last = edges[i];
	}
	return to;
}

/* The sums are modulo 2^64, as a damaged message may have any number. Callers check edges when they use them. */
const uint8_t *gemp_edges_get(const uint8_t *from, const uint8_t *end, gemp_edge *edges, size_t count)
{
	gemp_edge edge = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t step;
		if ((from = gemp_varint_get(from, end, &step)) == NULL)
			return NULL;
		edge = step & 1 ? edge - (step >> 1) : edge + (step >> 1);
		edges[i] = edge;
	}
	return from;
}

enum { ENTRIES = 1 << 14, ROWS = 1 << 10 }; /* a block is full if it has this many entries or rows */

/* Rows that are coded in blocks. Each block has memory for its worst case. */
typedef struct block_encoder {
	const gemp_row *rows;
	size_t *first; /* [blocks + 1] first row of each block */
	size_t *at;    /* [blocks + 1] offset of each block's memory */
	size_t *size;  /* [blocks] bytes of each coded block */
	uint8_t *data;
} block_encoder;

/* Sizes come first, so a reader knows the place of every row before it decodes the first slot. */
static uint8_t *put_rows(uint8_t *to, const gemp_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to = gemp_varint_put(to, rows[i].size);
	for (size_t i = 0; i < count; i++) {
		to = gemp_slots_put(to, rows[i].neighbours, rows[i].size);
		if (rows[i].edges)
			to = gemp_edges_put(to, rows[i].edges, rows[i].size);
	}
	return to;
}

/* Blocks are coded concurrently, each in its own memory. */
static void code_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	block_encoder *c = context;
	uint8_t *begin = c->data + c->at[block] + 2 * GEMP_VARINT_MAX_BYTES;
	uint8_t *end = put_rows(begin, c->rows + c->first[block], c->first[block + 1] - c->first[block]);
	c->size[block] = (size_t)(end - begin);
}

/* Divides rows[0..count) into blocks: finds the first row and the offset of each block. Returns the number of
 * blocks. */
static size_t cut(const gemp_row *rows, size_t count, size_t *first, size_t *at)
{
	size_t blocks = 0, entries = 0, room = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || entries >= ENTRIES || i - first[blocks - 1] >= ROWS) {
			first[blocks] = i;
			at[blocks++] = room;
			room += 2 * GEMP_VARINT_MAX_BYTES;
			entries = 0;
		}
		entries += rows[i].size;
		room += gemp_row_code_max_bytes(rows[i].size, rows[i].edges != NULL);
	}
	first[blocks] = count;
	at[blocks] = room;
	return blocks;
}

/* Writes the head of each block and moves the blocks together. */
static void close_gaps(gemp_row_bytes *out, const block_encoder *c, size_t blocks)
{
	for (size_t b = 0; b < blocks; b++) {
		const uint8_t *from = c->data + c->at[b] + 2 * GEMP_VARINT_MAX_BYTES;
		uint8_t head[2 * GEMP_VARINT_MAX_BYTES], *end = gemp_varint_put(head, c->size[b]);
		end = gemp_varint_put(end, c->first[b + 1] - c->first[b]);
		memmove(out->data + out->size + (end - head), from, c->size[b]);
		memcpy(out->data + out->size, head, (size_t)(end - head));
		out->size += (size_t)(end - head) + c->size[b];
	}
}

/* Each block is coded at the offset that its predecessors need at worst, so memory is wasted only until the blocks are
 * moved together. */
gemp_code gemp_row_blocks_put(gemp_row_bytes *out, const gemp_row *rows, size_t count)
{
	GEMP_OWNED size_t *first = NULL, *at = NULL, *size = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(first, count + 1), GEMP_ARRAY(at, count + 1), GEMP_ARRAY(size, count + 1)));
	size_t blocks = cut(rows, count, first, at);
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + at[blocks] + 1));
	block_encoder c = { rows, first, at, size, out->data + out->size };
	gemp_parallel_for(blocks, code_block, &c);
	close_gaps(out, &c, blocks);
	return GEMP_OK;
}

/* The sizes of all rows are read before any row is decoded, as the caller first reserves a place for each row. */
size_t gemp_row_blocks_read(const uint8_t *from, const uint8_t *end, size_t count, uint64_t *sizes,
                            gemp_row_block *blocks)
{
	size_t found = 0;
	for (size_t row = 0; row < count;) {
		uint64_t bytes, rows;
		if (!(from = gemp_varint_get(from, end, &bytes)) || !(from = gemp_varint_get(from, end, &rows)))
			return 0;
		if (bytes > (uint64_t)(end - from) || rows == 0 || rows > count - row)
			return 0;
		gemp_row_block *block = &blocks[found++];
		*block = (gemp_row_block){ from, from + bytes, row, rows };
		for (size_t i = 0; i < rows; i++, row++)
			if (!(block->from = gemp_varint_get(block->from, block->end, &sizes[row])) ||
			    sizes[row] > (uint64_t)(block->end - block->from))
				return 0;
		from = block->end;
	}
	return found;
}

/* Blocks that all threads decode. A single bad block makes the message bad. */
typedef struct block_decoder {
	const gemp_row_block *blocks;
	const uint64_t *sizes;
	const gemp_row_target *places;
	atomic_bool bad;
} block_decoder;

/* A slot or an edge that is not valid or reaches beyond its block makes the message bad. */
static void decode_block(void *context, unsigned thread, size_t number)
{
	(void)thread;
	block_decoder *d = context;
	const gemp_row_block *block = &d->blocks[number];
	const uint8_t *from = block->from;
	for (size_t i = block->first; i < block->first + block->count && from; i++) {
		from = gemp_slots_get(from, block->end, d->places[i].neighbours, d->sizes[i]);
		if (from && d->places[i].edges)
			from = gemp_edges_get(from, block->end, d->places[i].edges, d->sizes[i]);
	}
	if (!from)
		atomic_store_explicit(&d->bad, true, memory_order_relaxed);
}

/* One flag serves all blocks, since any damage makes the whole message useless. */
bool gemp_row_blocks_get(const gemp_row_block *blocks, size_t block_count, const uint64_t *sizes,
                         const gemp_row_target *places)
{
	block_decoder d = { .blocks = blocks, .sizes = sizes, .places = places };
	gemp_parallel_for(block_count, decode_block, &d);
	return !d.bad;
}
