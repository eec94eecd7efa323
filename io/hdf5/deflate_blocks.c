/* The codes of RFC 1951: literals below 144 have 8 bits and the others 9; the end of a block and lengths below 115 have
 * 7 bits, longer ones 8; distances have 5. */

#include "io/hdf5/deflate_blocks.h"

#include "core/types.h"

#include <string.h>

enum {
	SHORTEST = 4,
	WINDOW = 32768,
	HASH_SHIFT = 32 - 13,
	END_BITS = 7,
	LITTLE_ENDIAN_MACHINE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
};

/* Huffman codes have their first bit highest. */
static uint16_t reverse(unsigned code, int count)
{
	unsigned reversed = 0;
	for (int i = 0; i < count; i++)
		reversed |= (code >> i & 1) << (count - 1 - i);
	return (uint16_t)reversed;
}

/* Length symbols 0 to 27 begin at `first` and have `more` additional bits; the last one is the longest match. */
static void set_lengths(gemp_deflate_codes *codes)
{
	unsigned length = 3;
	for (unsigned symbol = 0; symbol < 29; symbol++) {
		const int more = symbol < 8 || symbol == 28 ? 0 : (int)symbol / 4 - 1, bits = symbol < 23 ? 7 : 8;
		const unsigned code = reverse(symbol < 23 ? symbol + 1 : 0xC0 + symbol - 23, bits);
		if (symbol == 28)
			length = GEMP_DEFLATE_LONGEST;
		for (unsigned i = 0; i < 1u << more; i++, length++) {
			codes->length[length] = (uint16_t)(code | i << bits);
			codes->length_bits[length] = (uint8_t)(bits + more);
		}
	}
}

void gemp_deflate_codes_init(gemp_deflate_codes *codes)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		codes->literal_bits[byte] = byte < 144 ? 8 : 9;
		codes->literal[byte] = reverse(byte < 144 ? 0x30 + byte : 0x190 + byte - 144, codes->literal_bits[byte]);
	}
	set_lengths(codes);
	for (unsigned symbol = 0; symbol < 30; symbol++)
		codes->distance[symbol] = reverse(symbol, 5);
}

/* BITS */

static inline void add_bits(gemp_deflate_stream *s, uint64_t bits, int count)
{
	s->bits |= bits << s->count;
	s->count += count;
}

/* Writes the full bytes. There is room for eight, of which later ones are written again. */
static inline void flush(gemp_deflate_stream *s)
{
	for (int i = 0; i < 8; i++) /* one store on a little-endian machine */
		s->out[s->size + (size_t)i] = (unsigned char)(s->bits >> (8 * i));
	s->size += (size_t)s->count / 8;
	s->bits >>= s->count & ~7;
	s->count &= 7;
}

void gemp_deflate_bits(gemp_deflate_stream *stream, uint32_t bits, int count)
{
	add_bits(stream, bits, count);
	flush(stream);
}

/* BLOCKS */

void gemp_deflate_stored(gemp_deflate_stream *s, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;
	do {
		const size_t block = gemp_min(size, GEMP_DEFLATE_STORED);
		gemp_deflate_bits(s, 0, 3);
		gemp_deflate_bits(s, 0, -s->count & 7);
		gemp_deflate_bits(s, (uint32_t)(block | (~block & 0xFFFF) << 16), 32);
		if (block)
			memcpy(s->out + s->size, from, block);
		s->size += block;
		from += block;
		size -= block;
	} while (size);
}

static void begin_block(gemp_deflate_stream *s)
{
	enum { FIXED = 1 };
	gemp_deflate_bits(s, FIXED << 1, 3);
}

static inline void put_literal(gemp_deflate_stream *s, const gemp_deflate_codes *codes, unsigned char byte)
{
	add_bits(s, codes->literal[byte], codes->literal_bits[byte]);
}

/* The symbol of a distance has the two highest bits of distance - 1, and the other bits follow. */
static inline void put_match(gemp_deflate_stream *s, const gemp_deflate_codes *codes, size_t length, size_t distance)
{
	const uint32_t rest = (uint32_t)distance - 1;
	const int more = rest < 4 ? 0 : 30 - __builtin_clz(rest);
	const uint32_t symbol = rest < 4 ? rest : 2 * (uint32_t)more + (rest >> more);
	add_bits(s, codes->length[length], codes->length_bits[length]);
	add_bits(s, codes->distance[symbol] | (rest & ((1u << more) - 1)) << 5, 5 + more);
}

void gemp_deflate_equal(gemp_deflate_stream *s, const gemp_deflate_codes *codes, unsigned char byte, size_t size)
{
	begin_block(s);
	put_literal(s, codes, byte);
	for (size--; size >= GEMP_DEFLATE_LONGEST; size -= GEMP_DEFLATE_LONGEST) {
		put_match(s, codes, GEMP_DEFLATE_LONGEST, 1);
		flush(s);
	}
	for (; size; size--) {
		put_literal(s, codes, byte);
		flush(s);
	}
	gemp_deflate_bits(s, 0, END_BITS);
}

static inline uint32_t load(const unsigned char *from)
{
	uint32_t word;
	memcpy(&word, from, sizeof word);
	return word;
}

static inline uint32_t hash_of(uint32_t word)
{
	return word * UINT32_C(0x9E3779B1) >> HASH_SHIFT;
}

/* The number of equal bytes at both places, which agree in the first four; at most `max`. The first bytes that differ
 * are found without a branch for each. */
static inline size_t match_length(const unsigned char *here, const unsigned char *there, size_t max)
{
	size_t length = SHORTEST;
	for (; length + sizeof(uint64_t) <= max; length += sizeof(uint64_t)) {
		uint64_t one, other;
		memcpy(&one, here + length, sizeof one);
		memcpy(&other, there + length, sizeof other);
		if (one != other)
			return length +
			       (size_t)(LITTLE_ENDIAN_MACHINE ? __builtin_ctzll(one ^ other) : __builtin_clzll(one ^ other)) / 8;
	}
	while (length < max && here[length] == there[length])
		length++;
	return length;
}

static inline void enter(gemp_deflate_codes *codes, const unsigned char *in, size_t at)
{
	codes->place[hash_of(load(in + at))] = (uint32_t)at;
}

/* A match and the bits that wait have less than 64 bits together, 31 and at most 32. */
void gemp_deflate_matches(gemp_deflate_stream *stream, gemp_deflate_codes *codes, const void *bytes, size_t size)
{
	const unsigned char *in = bytes;
	size_t i = 0;
	memset(codes->place, 0xFF, sizeof codes->place);
	begin_block(stream);
	gemp_deflate_stream s = *stream;
	while (i + SHORTEST <= size) {
		const uint32_t word = load(in + i), slot = hash_of(word), place = codes->place[slot];
		codes->place[slot] = (uint32_t)i;
		if (place == UINT32_MAX || i - place > WINDOW || load(in + place) != word) {
			put_literal(&s, codes, in[i++]);
			if (s.count > 32)
				flush(&s);
			continue;
		}
		const size_t length = match_length(in + i, in + place, gemp_min(size - i, GEMP_DEFLATE_LONGEST));
		put_match(&s, codes, length, i - place);
		flush(&s);
		if (i + 1 + SHORTEST <= size)
			enter(codes, in, i + 1);
		i += length;
		enter(codes, in, i - SHORTEST);
	}
	for (; i < size; i++) {
		put_literal(&s, codes, in[i]);
		flush(&s);
	}
	*stream = s;
	gemp_deflate_bits(stream, 0, END_BITS);
}
