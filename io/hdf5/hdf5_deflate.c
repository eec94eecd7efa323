/* The planes of one chunk differ much. The high bytes of integers are equal, their low bytes are often random, and zlib
 * is slow for both. So zlib changes its level and strategy at each plane, by what a sample of the plane shows:
 *
 *   all bytes equal           runs
 *   no repeats, no skew       stored
 *   no repeats, but skew      Huffman codes alone
 *   repeats, or text          matches of level 1 */

#include "io/hdf5/hdf5_deflate.h"

#include <zlib.h>

enum {
	LEVEL = 1,        /* of zlib */
	WINDOWS = 2,      /* of a sample */
	WINDOW = 2048,    /* bytes of a window. Ascending numbers with up to six equal ones in a row repeat within it */
	TABLE = 1024,     /* places in a window by a hash of eight bytes */
	PLANE_BOUND = 64, /* bytes that a change of the strategy takes at most */
	LITTLE_ENDIAN_MACHINE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
};

/* How zlib codes a plane. */
typedef struct plane_coding {
	int level, strategy;
} plane_coding;
static const plane_coding runs = { LEVEL, Z_RLE }, stored = { 0, Z_DEFAULT_STRATEGY },
						  skewed = { LEVEL, Z_HUFFMAN_ONLY }, matches = { LEVEL, Z_DEFAULT_STRATEGY };

struct gemp_deflater {
	z_stream coder;
	bool ready; /* coder is to be ended */
	unsigned char *planes, *out;
	size_t capacity; /* of out */
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
		deflateEnd(&d->coder);
	gemp_free_all(d->planes, d->out, d);
}

gemp_code gemp_deflater_new(gemp_deflater **out, size_t max_bytes)
{
	GEMP_OWNED_BY(gemp_deflater_free_at) gemp_deflater *d = NULL;
	GEMP_TRY(GEMP_NEW(d, 1));
	d->ready = deflateInit(&d->coder, LEVEL) == Z_OK;
	if (!d->ready)
		return gemp_fail(GEMP_ENOMEM, "out of memory for zlib");
	d->capacity = deflateBound(&d->coder, max_bytes) + max_bytes / 1000 + sizeof(uint64_t) * PLANE_BOUND;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(d->planes, max_bytes), GEMP_ARRAY(d->out, d->capacity)));
	*out = d;
	d = NULL;
	return GEMP_OK;
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
static plane_coding choose_coding(const unsigned char *plane, size_t size, bool text)
{
	if (memcmp(plane, plane + 1, size - 1) == 0)
		return runs;
	if (text || size <= WINDOWS * WINDOW)
		return matches;
	const plane_sample sample = sample_plane(plane, size);
	if (gemp_max(sample.repeats, sample.runs) >= sample.bytes / 4)
		return matches;
	return sample.squares * 512 >= 3 * sample.bytes * sample.bytes ? skewed : stored;
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

const char *gemp_deflater_pack(gemp_deflater *d, const void *in, size_t size, size_t count, size_t *bytes)
{
	const unsigned char *planes = split_planes(d, in, size, count);
	z_stream *coder = &d->coder;
	deflateReset(coder);
	coder->next_out = d->out;
	coder->avail_out = (uInt)d->capacity;
	for (size_t byte = 0; byte < size; byte++) {
		const unsigned char *plane = planes + byte * count;
		const plane_coding coding = choose_coding(plane, count, size == 1);
		if (deflateParams(coder, coding.level, coding.strategy) != Z_OK)
			return NULL;
		coder->next_in = (unsigned char *)(uintptr_t)plane;
		coder->avail_in = (uInt)count;
		if (deflate(coder, Z_NO_FLUSH) != Z_OK || coder->avail_in)
			return NULL;
	}
	if (deflate(coder, Z_FINISH) != Z_STREAM_END)
		return NULL;
	*bytes = d->capacity - coder->avail_out;
	return (const char *)d->out;
}
