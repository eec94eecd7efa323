/* Eight words hold 64 bytes, byte i of word j being that of element 8 i + j. Three rounds of swaps transpose the 8 x 8
 * bits at each position of a byte (Warren, Hacker's Delight 2013, 7-3), so that word k becomes 64 bits of plane k. The
 * transposition is its own inverse. */

#include "io/hdf5/bit_planes.h"

#include "core/types.h"

#include <stdint.h>
#include <string.h>
#include <zstd.h>

enum {
	HEADER = 16, /* bytes before the block */
	LEVEL = 1,   /* of Zstandard; level 3 saves 0.3 % of R-MAT 20 and takes twice as long */
	GROUP = 64,  /* elements that are transposed together */
};

size_t gemp_planes_bound(size_t bytes)
{
	return HEADER + ZSTD_compressBound(bytes);
}

static void put_big_endian(char *out, uint64_t number, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out[i] = (char)(number >> (8 * (bytes - 1 - i)));
}

static uint64_t get_big_endian(const char *in, int bytes)
{
	uint64_t number = 0;
	for (int i = 0; i < bytes; i++)
		number = number << 8 | (unsigned char)in[i];
	return number;
}

static inline void transpose(uint64_t word[8])
{
	static const uint64_t mask[] = { 0, 0x5555555555555555, 0x3333333333333333, 0, 0x0F0F0F0F0F0F0F0F };
	for (int s = 4; s; s /= 2)
		for (int j = 0; j < 8; j++) {
			if (j & s)
				continue;
			uint64_t t = ((word[j] >> s) ^ word[j + s]) & mask[s];
			word[j + s] ^= t;
			word[j] ^= t << s;
		}
}

/* Bytes `byte` of elements [first, first + 8 n) to n bytes of each of the byte's planes; n <= 8. */
static inline void split_group(unsigned char *planes, const unsigned char *in, size_t size, size_t count, size_t byte,
                               size_t first, size_t n)
{
	uint64_t word[8] = { 0 };
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < 8; j++)
			word[j] |= (uint64_t)in[(first + 8 * i + j) * size + byte] << (8 * i);
	transpose(word);
	for (size_t k = 0; k < 8; k++) {
		unsigned char *plane = planes + (8 * byte + k) * (count / 8) + first / 8, bytes[8];
		for (size_t i = 0; i < 8; i++)
			bytes[i] = (unsigned char)(word[k] >> (8 * i)); /* one store on a little-endian machine */
		memcpy(plane, bytes, n);
	}
}

/* The reverse of split_group. `out` is 0 before. */
static inline void join_group(unsigned char *out, const unsigned char *planes, size_t size, size_t count, size_t byte,
                              size_t first, size_t n)
{
	uint64_t word[8] = { 0 }, any = 0;
	for (size_t k = 0; k < 8; k++) {
		const unsigned char *plane = planes + (8 * byte + k) * (count / 8) + first / 8;
		for (size_t i = 0; i < n; i++)
			word[k] |= (uint64_t)plane[i] << (8 * i);
		any |= word[k];
	}
	if (!any)
		return;
	transpose(word);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < 8; j++)
			out[(first + 8 * i + j) * size + byte] = (unsigned char)(word[j] >> (8 * i));
}

size_t gemp_planes_pack(char *out, const void *in, size_t size, size_t count, char *planes)
{
	const size_t whole = count - count % 8, rest = (count - whole) * size;
	for (size_t byte = 0; byte < size; byte++) {
		size_t first = 0;
		for (; first + GROUP <= whole; first += GROUP)
			split_group((unsigned char *)planes, in, size, whole, byte, first, 8);
		split_group((unsigned char *)planes, in, size, whole, byte, first, (whole - first) / 8);
	}
	size_t packed = 0;
	put_big_endian(out, count * size, 8);
	put_big_endian(out + 8, gemp_max(whole, 8) * size, 4);
	char *block = out + HEADER - (whole ? 0 : 4);
	if (whole) {
		packed = ZSTD_compress(block, ZSTD_compressBound(whole * size), planes, whole * size, LEVEL);
		if (ZSTD_isError(packed))
			return 0;
		put_big_endian(out + 12, packed, 4);
	}
	memcpy(block + packed, (const char *)in + whole * size, rest);
	return (size_t)(block - out) + packed + rest;
}

bool gemp_planes_unpack(void *out, const char *in, size_t bytes, size_t size, size_t count, char *planes)
{
	const size_t whole = count - count % 8, rest = (count - whole) * size, head = whole ? HEADER : HEADER - 4;
	if (bytes < head || get_big_endian(in, 8) != count * size || (whole && get_big_endian(in + 8, 4) != whole * size))
		return false;
	size_t packed = whole ? (size_t)get_big_endian(in + 12, 4) : 0;
	if (packed > bytes - head || bytes - head - packed != rest)
		return false;
	if (whole && ZSTD_decompress(planes, whole * size, in + head, packed) != whole * size)
		return false;
	memset(out, 0, whole * size);
	for (size_t byte = 0; byte < size && whole; byte++) {
		size_t first = 0;
		for (; first + GROUP <= whole; first += GROUP)
			join_group(out, (const unsigned char *)planes, size, whole, byte, first, 8);
		join_group(out, (const unsigned char *)planes, size, whole, byte, first, (whole - first) / 8);
	}
	memcpy((char *)out + whole * size, in + head + packed, rest);
	return true;
}
