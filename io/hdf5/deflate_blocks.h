/* deflate_blocks: blocks of a deflate stream (RFC 1951) without codes of their own: stored bytes, and matches by fixed
 * Huffman codes. Local.
 *
 * A stream is a sequence of bits, the first one lowest in its byte. Blocks may follow one another in any order. The
 * caller provides room: a block of fixed codes takes at most 9 bits for each byte and 16 bytes more, and a stored one 5
 * bytes more for each GEMP_DEFLATE_STORED bytes. */

#ifndef GEMP_IO_HDF5_DEFLATE_BLOCKS_H
#define GEMP_IO_HDF5_DEFLATE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

enum { GEMP_DEFLATE_STORED = 65535, GEMP_DEFLATE_PLACES = 1 << 13, GEMP_DEFLATE_LONGEST = 258 };

typedef struct gemp_deflate_stream {
	unsigned char *out; /* of which `size` bytes are written; eight bytes after them may change */
	size_t size;
	uint64_t bits; /* that do not fill a byte yet */
	int count;     /* of them, less than 8 between calls */
} gemp_deflate_stream;

/* The fixed codes, the first bit lowest, with the additional bits of a length after its code. */
typedef struct gemp_deflate_codes {
	uint16_t literal[256], length[GEMP_DEFLATE_LONGEST + 1], distance[30];
	uint8_t literal_bits[256], length_bits[GEMP_DEFLATE_LONGEST + 1];
	uint32_t place[GEMP_DEFLATE_PLACES]; /* scratch: where four bytes with this hash were last */
} gemp_deflate_codes;

void gemp_deflate_codes_init(gemp_deflate_codes *codes);

/* Appends 0 to 32 bits, which are 0 from `count` on. */
void gemp_deflate_bits(gemp_deflate_stream *stream, uint32_t bits, int count);
/* Appends stored blocks, one for no bytes. The stream then ends at a byte. */
void gemp_deflate_stored(gemp_deflate_stream *stream, const void *bytes, size_t size);
/* Appends a block of `size` equal bytes, at least one. */
void gemp_deflate_equal(gemp_deflate_stream *stream, const gemp_deflate_codes *codes, unsigned char byte, size_t size);
/* Appends a block of literals and matches. Four bytes are looked up once, as in LZRW1 (Williams 1991). */
void gemp_deflate_matches(gemp_deflate_stream *stream, gemp_deflate_codes *codes, const void *bytes, size_t size);

#endif
