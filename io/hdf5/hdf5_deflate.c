/* The planes of one chunk differ much. The high bytes of integers are equal, their low bytes are often random, and
 * zlib is slow for both. So each plane is coded by what a sample of it shows:
 *
 *   all bytes equal           one literal and matches of distance 1
 *   repeats, or text          literals and matches, by fixed codes (deflate_blocks.h)
 *   some bytes are frequent   zlib with Huffman codes alone
 *   otherwise                 stored
 *
 * On an Intel Xeon, 2026-12-01, 65,536 random 19-bit integers in 8 bytes are packed at 700 MB/s in this way, in 3 %
 * fewer bytes than at 106 MB/s by zlib at level 1. Names are packed at 420 MB/s to 40 % of their bytes, instead of 110
 * MB/s to 31 %.
 *
 * The coded planes follow one another in one deflate stream (RFC 1951) and refer to bytes of the same plane only. */

#include "io/hdf5/hdf5_deflate.h"

#include "io/hdf5/deflate_blocks.h"

#include <zlib.h>

enum {
	LEVEL = 1,        /* of zlib, for readers that ask the dataset for it */
	WINDOWS = 2,      /* of a sample */
	WINDOW = 2048,    /* bytes of a window. Ascending numbers with up to six equal ones in a row repeat within it */
	TABLE = 1024,     /* places in a window by a hash of eight bytes */
	PLANE_BOUND = 64, /* bytes of a coded plane beyond its own and the headers of stored blocks */
	LITTLE_ENDIAN_MACHINE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
};

struct gemp_deflater {
	z_stream skew; /* zlib with Huffman codes alone */
	bool ready;    /* whether zlib has memory for it */
	unsigned char *planes;
	gemp_deflate_codes codes;
	gemp_deflate_stream stream;
	size_t capacity; /* of stream.out */
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
	if (d->ready)
		deflateEnd(&d->skew);
	gemp_free_all(d->planes, d->stream.out, d);
}

/* A plane may be stored after it took more bytes by codes, so there is room for both. */
gemp_code gemp_deflater_new(gemp_deflater **out, size_t max_bytes)
{
	GEMP_OWNED_BY(gemp_deflater_free_at) gemp_deflater *d = NULL;
	GEMP_TRY(GEMP_NEW(d, 1));
	d->capacity = 2 * max_bytes + max_bytes / 4 + sizeof(uint64_t) * PLANE_BOUND + 4096;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(d->planes, max_bytes), GEMP_ARRAY(d->stream.out, d->capacity)));
	d->ready = deflateInit2(&d->skew, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_HUFFMAN_ONLY) == Z_OK;
	if (!d->ready)
		return gemp_fail(GEMP_ENOMEM, "out of memory for zlib");
	gemp_deflate_codes_init(&d->codes);
	*out = d;
	d = NULL;
	return GEMP_OK;
}

/* zlib begins at a byte, and ends with an empty stored block, which fills the last byte. */
static bool put_skew(gemp_deflater *d, const unsigned char *plane, size_t size)
{
	gemp_deflate_stream *s = &d->stream;
	if (s->count)
		gemp_deflate_stored(s, plane, 0);
	deflateReset(&d->skew);
	d->skew.next_in = (unsigned char *)(uintptr_t)plane;
	d->skew.avail_in = (uInt)size;
	d->skew.next_out = s->out + s->size;
	d->skew.avail_out = (uInt)(d->capacity - s->size);
	if (deflate(&d->skew, Z_SYNC_FLUSH) != Z_OK || d->skew.avail_in || !d->skew.avail_out)
		return false;
	s->size = d->capacity - d->skew.avail_out;
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

/* The windows are spread over the plane. A shorter plane has one window and perhaps none. */
static plane_sample sample_plane(const unsigned char *plane, size_t size)
{
	uint32_t counts[256] = { 0 };
	plane_sample sample = { 0 };
	for (size_t w = 0; w < WINDOWS && (w + 1) * WINDOW <= size; w++)
		sample_window(&sample, plane + (size - WINDOW) / (WINDOWS - 1) * w, counts);
	for (int byte = 0; byte < 256; byte++)
		sample.squares += (size_t)counts[byte] * counts[byte];
	return sample;
}

/* The squares of n random bytes have a sum of n * n / 256 + n on average. Half as much again means that a byte has 7.4
 * bits (Renyi's entropy of order 2), and Huffman codes save a twelfth. */
static bool is_skewed(const plane_sample *sample)
{
	return sample->squares * 512 >= 3 * sample->bytes * sample->bytes;
}

/* Matches that save less than a quarter are dropped. Returns false if zlib fails. */
static bool put_plane(gemp_deflater *d, const unsigned char *plane, size_t size, bool text)
{
	const gemp_deflate_stream before = d->stream;
	if (memcmp(plane, plane + 1, size - 1) == 0) {
		gemp_deflate_equal(&d->stream, &d->codes, *plane, size);
		return true;
	}
	const plane_sample sample = sample_plane(plane, size);
	if (text || gemp_max(sample.repeats, sample.runs) >= sample.bytes / 4) {
		gemp_deflate_matches(&d->stream, &d->codes, plane, size);
		if (d->stream.size - before.size <= size - size / 4)
			return true;
		d->stream = before;
	}
	if (is_skewed(&sample))
		return put_skew(d, plane, size);
	gemp_deflate_stored(&d->stream, plane, size);
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
	enum { HEAD = 0x0178 }; /* deflate, a window of 32 KiB, level 1 */
	const unsigned char *planes = split_planes(d, in, size, count);
	uLong sum = adler32(0, NULL, 0);
	d->stream = (gemp_deflate_stream){ .out = d->stream.out };
	gemp_deflate_bits(&d->stream, HEAD, 16);
	for (size_t byte = 0; byte < size; byte++) {
		if (!put_plane(d, planes + byte * count, count, size == 1))
			return NULL;
		sum = sum_plane(sum, planes + byte * count, count);
	}
	gemp_deflate_bits(&d->stream, 3, 10); /* an empty block of fixed codes, the last block */
	gemp_deflate_bits(&d->stream, 0, -d->stream.count & 7);
	for (int shift = 24; shift >= 0; shift -= 8)
		gemp_deflate_bits(&d->stream, sum >> shift & 0xFF, 8);
	*bytes = d->stream.size;
	return (const char *)d->stream.out;
}
