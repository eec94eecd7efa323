#include "som/map/samples.h"

#include "core/threads.h"
#include "device/staging.h"

#include <math.h>
#include <stdatomic.h>

enum {
	TILE = 32,
	PIECE = 512,
	FEWEST = 1024
};                        /* rows whose columns stay in the cache; of a loop's piece; of a block */
enum { BLOCK = 8 << 20 }; /* bytes of a block, about */

/* A block of rows turned into columns. */
typedef struct turning {
	const float *from;
	size_t count; /* rows */
	uint32_t dims;
	float *x;
	uint8_t *present; /* NULL: none is missing */
	atomic_bool missing;
} turning;

static void find_missing(void *context, size_t range, size_t begin, size_t end)
{
	turning *t = context;
	bool missing = false;
	(void)range;
	for (size_t k = begin * t->dims; k < end * t->dims; k++)
		missing |= isnan(t->from[k]);
	if (missing)
		atomic_store(&t->missing, true);
}

static bool empty(const float *row, uint32_t dims)
{
	for (uint32_t d = 0; d < dims; d++)
		if (!isnan(row[d]))
			return false;
	return true;
}

/* Rows begin .. end - 1, dimensions first .. last - 1. absent: of each of these rows, for values that are missing. */
static void turn_tile(const turning *t, size_t begin, size_t end, uint32_t first, uint32_t last, const float *absent)
{
	for (uint32_t d = first; d < last; d++) {
		const float *from = t->from + begin * t->dims + d;
		float *x = t->x + d * t->count;
		for (size_t i = begin; i < end; i++, from += t->dims) {
			const bool present = !isnan(*from);
			x[i] = present ? *from : absent[i - begin];
			if (t->present)
				t->present[d * t->count + i] = present;
		}
	}
}

static void turn(void *context, unsigned thread, size_t piece)
{
	const turning *t = context;
	const size_t left = t->count - piece * PIECE, end = piece * PIECE + (left < PIECE ? left : PIECE);
	(void)thread;
	for (size_t i = piece * PIECE; i < end; i += TILE) {
		const size_t last = end - i < TILE ? end : i + TILE;
		float absent[TILE] = { 0 };
		for (size_t k = i; t->present && k < last; k++)
			absent[k - i] = empty(t->from + k * t->dims, t->dims) ? NAN : 0;
		for (uint32_t d = 0; d < t->dims; d += TILE)
			turn_tile(t, i, last, d, t->dims - d < TILE ? t->dims : d + TILE, absent);
	}
}

bool gemp_som_any_missing(const float *x, size_t count, uint32_t dims)
{
	turning t = { .from = x, .count = count, .dims = dims };
	gemp_for_ranges(count, find_missing, &t);
	return atomic_load(&t.missing);
}

size_t gemp_som_sample_bytes(uint32_t dims, bool missing)
{
	return dims * (sizeof(float) + (missing ? sizeof(uint8_t) : 0));
}

gemp_code gemp_som_samples_reserve(gemp_som_samples *out, gemp_device *device, size_t most, uint32_t dims, bool missing)
{
	gemp_code code = GEMP_OK;
	const size_t values = most * dims;
	*out = (gemp_som_samples){ .device = device, .dims = dims, .missing = missing };
	GEMP_TRY(gemp_buffer_new(&out->x, device, (values ? values : 1) * sizeof(float), NULL));
	GEMP_TRY(gemp_buffer_new(&out->present, device, missing && values ? values : 1, NULL));
done:
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
	return code;
}

/* Columns of a block, of elements of so many bytes, to those of the samples from sample `at` on. */
static gemp_code copy(const gemp_som_samples *samples, const gemp_buffer *to, size_t element, size_t at,
                      const turning *t, const void *from, cl_event after)
{
	const size_t place[] = { at * element, 0, 0 }, origin[3] = { 0 }, region[] = { t->count * element, t->dims, 1 };
	return GEMP_CL(clEnqueueWriteBufferRect(samples->device->copy_queue, to->mem, CL_TRUE, place, origin, region,
	                                        samples->count * element, 0, t->count * element, 0, from, after != NULL,
	                                        after ? &after : NULL, NULL));
}

gemp_code gemp_som_samples_put(gemp_som_samples *samples, const float *x, size_t begin, size_t count, cl_event after)
{
	gemp_code code = GEMP_OK;
	const uint32_t dims = samples->dims;
	const size_t bytes = gemp_som_sample_bytes(dims, samples->missing),
				 rows = BLOCK / bytes < FEWEST ? FEWEST : BLOCK / bytes;
	gemp_pinned locked = { 0 };
	GEMP_CHECK(begin + count <= samples->count && samples->count * dims * sizeof(float) <= samples->x.size);
	if (count)
		GEMP_TRY(gemp_pinned_take(&locked, samples->device, (count < rows ? count : rows) * bytes));
	for (size_t at = 0; at < count; at += rows) {
		turning t = { .from = x + at * dims, .count = count - at < rows ? count - at : rows, .dims = dims };
		t.x = (float *)(void *)locked.host;
		t.present = samples->missing ? (uint8_t *)(t.x + t.count * dims) : NULL;
		gemp_parallel_for((t.count + PIECE - 1) / PIECE, turn, &t);
		GEMP_TRY(copy(samples, &samples->x, sizeof *t.x, begin + at, &t, t.x, after));
		if (t.present)
			GEMP_TRY(copy(samples, &samples->present, sizeof *t.present, begin + at, &t, t.present, NULL));
	}
done:
	gemp_pinned_release(&locked, samples->device);
	return code;
}

gemp_code gemp_som_samples_fill(gemp_som_samples *samples, const float *x, size_t count, cl_event after)
{
	samples->count = count;
	return gemp_som_samples_put(samples, x, 0, count, after);
}

gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_som_samples_reserve(out, device, count, dims, gemp_som_any_missing(x, count, dims)));
	code = gemp_som_samples_fill(out, x, count, NULL);
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
done:
	return code;
}

void gemp_som_samples_free(gemp_som_samples *samples)
{
	if (!samples->device)
		return;
	gemp_buffers_free(samples->device, &samples->present, &samples->x);
	*samples = (gemp_som_samples){ 0 };
}
