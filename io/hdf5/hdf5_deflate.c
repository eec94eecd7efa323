/* The planes of one chunk differ much. The high bytes of integers are equal, their low bytes are often random, and
 * zlib is slow for both. So each plane is coded by what a sample of it shows:
 *
 *   all bytes equal           one literal and matches of distance 1, in a block of fixed Huffman codes
 *   no repeats, no skew       stored
 *   no repeats, but skew      zlib with Huffman codes alone
 *   repeats, or text          zlib at level 1
 *
 * 65,536 random 19-bit integers in 8 bytes, Intel Xeon, 2026-12-01: 106 MB/s by zlib at level 1 for all planes, and
 * 700 MB/s in this way, in 3 % fewer bytes.
 *
 * The coded planes follow one another in one deflate stream (RFC 1951). A call of zlib begins and ends at a byte and
 * knows nothing of the planes before, so it refers to none of them. */

#include "io/hdf5/hdf5_deflate.h"

#include <zlib.h>

enum {
	LEVEL = 1,          /* of zlib */
	MAX_STORED = 65535, /* bytes of a stored block */
	MAX_MATCH = 258,    /* bytes of a match */
	WINDOWS = 2,        /* of a sample */
	WINDOW = 2048,      /* bytes of a window. Ascending numbers with up to six equal ones in a row repeat within it */
	TABLE = 1024,       /* places in a window by a hash of eight bytes */
	PLANE_BOUND = 64,   /* bytes of a coded plane beyond its own and the headers of stored blocks */
	LITTLE_ENDIAN_MACHINE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
};

enum { REPEATS, SKEW, CODERS }; /* zlib at level 1, and with Huffman codes alone */

struct gemp_deflater {
	z_stream coder[CODERS];
	int coders; /* number of coders that are ready */
	unsigned char *planes, *out;
	size_t capacity, size; /* of out */
	/* bits that do not fill a byte yet, the first one lowest */
	uint32_t bits;
	int bit_count;
};

gemp_code gemp_h5_deflate_filters(const gemp_h5 *h5, hid_t creation, size_t size)
{
	if (size > 1)
		GEMP_TRY(GEMP_HDF5(h5, H5Pset_shuffle(creation)));
	return GEMP_HDF5(h5, H5Pset_deflate(creation, LEVEL));
}

void gemp_deflater_free(gemp_deflater *d)
{
	if (!d)
		return;
	for (int c = 0; c < d->coders; c++)
		deflateEnd(&d->coder[c]);
	gemp_free_all(d->planes, d->out, d);
}

/* A plane may be stored after zlib has written more bytes than it has, so there is room for both. */
gemp_code gemp_deflater_new(gemp_deflater **out, size_t max_bytes)
{
	static const int strategy[] = { [REPEATS] = Z_DEFAULT_STRATEGY, [SKEW] = Z_HUFFMAN_ONLY };
	GEMP_OWNED_BY(gemp_deflater_free_at) gemp_deflater *d = NULL;
	GEMP_TRY(GEMP_NEW(d, 1));
	d->capacity = 2 * (max_bytes + max_bytes / 1000) + sizeof(uint64_t) * PLANE_BOUND + 4096;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(d->planes, max_bytes), GEMP_ARRAY(d->out, d->capacity)));
	for (; d->coders < CODERS; d->coders++)
		if (deflateInit2(&d->coder[d->coders], LEVEL, Z_DEFLATED, -MAX_WBITS, 8, strategy[d->coders]) != Z_OK)
			return gemp_fail(GEMP_ENOMEM, "out of memory for zlib");
	*out = d;
	d = NULL;
	return GEMP_OK;
}

/* BITS AND BLOCKS */

static void put_bits(gemp_deflater *d, uint32_t bits, int count)
{
	d->bits |= bits << d->bit_count;
	for (d->bit_count += count; d->bit_count >= 8; d->bit_count -= 8, d->bits >>= 8)
		d->out[d->size++] = (unsigned char)d->bits;
}

/* Huffman codes have their first bit highest. */
static void put_code(gemp_deflater *d, uint32_t code, int count)
{
	uint32_t reversed = 0;
	for (int i = 0; i < count; i++)
		reversed |= (code >> i & 1) << (count - 1 - i);
	put_bits(d, reversed, count);
}

static void put_bytes(gemp_deflater *d, const void *bytes, size_t size)
{
	memcpy(d->out + d->size, bytes, size);
	d->size += size;
}

/* Ends at a byte. */
static void put_stored(gemp_deflater *d, const unsigned char *plane, size_t size)
{
	do {
		const size_t block = gemp_min(size, MAX_STORED);
		put_bits(d, 0, 3);
		put_bits(d, 0, -d->bit_count & 7);
		put_bits(d, (uint32_t)block, 16);
		put_bits(d, (uint32_t)~block & 0xFFFF, 16);
		put_bytes(d, plane, block);
		plane += block;
		size -= block;
	} while (size);
}

/* The fixed code of literal 0 to 143 is 0x30 on, with 8 bits, and of 144 to 255 is 0x190 on, with 9 bits. */
static void put_literal(gemp_deflater *d, unsigned byte)
{
	if (byte < 144)
		put_code(d, 0x30 + byte, 8);
	else
		put_code(d, 0x190 + byte - 144, 9);
}

/* A match of MAX_MATCH bytes is code 285, of 8 bits, and distance 1 is code 0, of 5 bits. The rest are literals. */
static void put_equal(gemp_deflater *d, unsigned byte, size_t size)
{
	enum { FIXED = 1, LONGEST = 0xC5 };
	put_bits(d, FIXED << 1, 3);
	put_literal(d, byte);
	for (size--; size >= MAX_MATCH; size -= MAX_MATCH) {
		put_code(d, LONGEST, 8);
		put_bits(d, 0, 5);
	}
	for (; size; size--)
		put_literal(d, byte);
	put_bits(d, 0, 7); /* end of the block */
}

/* zlib ends with an empty stored block, which fills the last byte. */
static bool put_coded(gemp_deflater *d, z_stream *coder, const unsigned char *plane, size_t size)
{
	if (d->bit_count)
		put_stored(d, plane, 0);
	const size_t before = d->size;
	deflateReset(coder);
	coder->next_in = (unsigned char *)(uintptr_t)plane;
	coder->avail_in = (uInt)size;
	coder->next_out = d->out + before;
	coder->avail_out = (uInt)(d->capacity - before);
	if (deflate(coder, Z_SYNC_FLUSH) != Z_OK || coder->avail_in || !coder->avail_out)
		return false;
	d->size = d->capacity - coder->avail_out;
	if (d->size - before > size + size / MAX_STORED * 5) {
		d->size = before;
		put_stored(d, plane, size);
	}
	return true;
}

/* PLANES */

typedef struct plane_sample {
	size_t bytes;
	size_t repeats; /* positions whose next eight bytes were in the window before */
	size_t runs;    /* positions of four equal bytes */
	size_t squares; /* sum of the squares of the numbers of each byte */
} plane_sample;

static void sample_window(plane_sample *sample, const unsigned char *window, uint32_t counts[256])
{
	uint16_t place[TABLE] = { 0 };
	for (size_t i = 0; i + sizeof(uint64_t) <= WINDOW; i++) {
		uint64_t word, earlier;
		memcpy(&word, window + i, sizeof word);
		const size_t slot = word * UINT64_C(0x9E3779B97F4A7C15) >> 54;
		memcpy(&earlier, window + place[slot], sizeof earlier);
		sample->repeats += i && earlier == word;
		sample->runs += ((word ^ word >> 8) & 0xFFFFFF) == 0;
		place[slot] = (uint16_t)i;
		counts[window[i]]++;
		sample->bytes++;
	}
}

/* The windows are spread over the plane. A plane that is no longer than they are is a matter for zlib. */
static plane_sample sample_plane(const unsigned char *plane, size_t size)
{
	uint32_t counts[256] = { 0 };
	plane_sample sample = { 0 };
	for (size_t w = 0; w < WINDOWS; w++)
		sample_window(&sample, plane + (size - WINDOW) / (WINDOWS - 1) * w, counts);
	for (int byte = 0; byte < 256; byte++)
		sample.squares += (size_t)counts[byte] * counts[byte];
	return sample;
}

/* The squares of n random bytes have a sum of n * n / 256 + n on average. Half as much again means that a byte has 7.4
 * bits (Renyi's entropy of order 2), and Huffman codes would save a twelfth. */
static bool put_plane(gemp_deflater *d, const unsigned char *plane, size_t size, bool text)
{
	if (memcmp(plane, plane + 1, size - 1) == 0) {
		put_equal(d, *plane, size);
		return true;
	}
	if (text || size <= WINDOWS * WINDOW)
		return put_coded(d, &d->coder[REPEATS], plane, size);
	const plane_sample sample = sample_plane(plane, size);
	if (gemp_max(sample.repeats, sample.runs) >= sample.bytes / 4)
		return put_coded(d, &d->coder[REPEATS], plane, size);
	if (sample.squares * 512 >= 3 * sample.bytes * sample.bytes)
		return put_coded(d, &d->coder[SKEW], plane, size);
	put_stored(d, plane, size);
	return true;
}

/* The file is little-endian. */
static const unsigned char *split_planes(gemp_deflater *d, const unsigned char *in, size_t size, size_t count)
{
	if (size == 1)
		return in;
	for (size_t byte = 0; byte < size; byte++) {
		unsigned char *plane = d->planes + byte * count;
		const unsigned char *from = in + (LITTLE_ENDIAN_MACHINE ? byte : size - 1 - byte);
		for (size_t i = 0; i < count; i++)
			plane[i] = from[i * size];
	}
	return d->planes;
}

/* The sum of `size` zeros is known (1 and size modulo 65,521), and zlib joins the sums of two parts. */
static uLong sum_plane(uLong sum, const unsigned char *plane, size_t size)
{
	const bool zeros = *plane == 0 && memcmp(plane, plane + 1, size - 1) == 0;
	return zeros ? adler32_combine(sum, (uLong)(size % 65521) << 16 | 1, (z_off_t)size)
	             : adler32(sum, plane, (uInt)size);
}

const char *gemp_deflater_pack(gemp_deflater *d, const void *in, size_t size, size_t count, size_t *bytes)
{
	static const unsigned char head[] = { 0x78, 0x01 }; /* deflate, a window of 32 KiB, level 1 */
	const unsigned char *planes = split_planes(d, in, size, count);
	uLong sum = adler32(0, NULL, 0);
	d->size = 0;
	d->bits = 0;
	d->bit_count = 0;
	put_bytes(d, head, sizeof head);
	for (size_t byte = 0; byte < size; byte++) {
		if (!put_plane(d, planes + byte * count, count, size == 1))
			return NULL;
		sum = sum_plane(sum, planes + byte * count, count);
	}
	put_bits(d, 3, 10); /* an empty block of fixed codes, the last block */
	put_bits(d, 0, -d->bit_count & 7);
	for (int shift = 24; shift >= 0; shift -= 8)
		put_bits(d, sum >> shift & 0xFF, 8);
	*bytes = d->size;
	return (const char *)d->out;
}
