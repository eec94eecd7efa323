#include "som/map/samples.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/types.h"
#include "device/staging.h"
#include "som/map/codebook.h"
#include "som/map/smooth.h"

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

enum { SHARE = 4 };                          /* of what there is: one for samples, one for units, the rest for planes */
static const size_t most_places = INT32_MAX; /* of planes at a time, which kernels count in 32 bits */


static size_t sample_bytes(const gemp_som_need *need)
{
	return gemp_som_sample_bytes(need->dims, need->missing) + need->keys;
}

/* In one buffer. */
static size_t samples_of_buffer(const gemp_device *device, const gemp_som_need *need)
{
	const size_t values = need->dims * sizeof(float);
	return gemp_min(device->max_buffer / (values > need->keys ? values : need->keys), UINT32_MAX - 1);
}

static size_t planes_bytes(const gemp_som_need *need, uint32_t values)
{
	return need->plane * need->units * gemp_som_planes(values, need->missing);
}

/* So many values' planes have room in `bytes`. */
static uint32_t values_in(const gemp_device *device, const gemp_som_need *need, size_t bytes)
{
	if (!need->plane)
		return need->dims;
	const size_t in_all = bytes / need->plane, in_one = device->max_buffer / need->max_buffer;
	const size_t planes = gemp_min(most_places, gemp_min(in_all, in_one)) / need->units;
	const size_t values = need->missing ? planes / 2 : planes ? planes - 1 : 0;
	return (uint32_t)gemp_min(values, need->dims);
}

static uint32_t units_in(const gemp_device *device, const gemp_som_need *need, size_t bytes)
{
	const size_t row = gemp_som_stride(need->dims) * sizeof(float);
	return (uint32_t)gemp_min(gemp_min(bytes, device->max_buffer) / row, need->units);
}

static gemp_code check(const gemp_som_capacity *room, const gemp_device *device, const gemp_som_need *need,
                       size_t bytes)
{
	if (room->values == 0)
		return gemp_fail(GEMP_ENOMEM,
		                 "a map of %u units takes %zu bytes for one value on %s, beside units and vectors, and "
		                 "%zu are free, at most %zu in one buffer; raise --device-memory, or take a smaller map",
		                 need->units, planes_bytes(need, 1), device->name, bytes, device->max_buffer);
	if (room->samples == 0 || room->units == 0)
		return gemp_fail(GEMP_ENOMEM,
		                 "a vector takes %zu bytes on %s, a unit %zu, and %zu bytes are free; raise --device-memory",
		                 sample_bytes(need), device->name, gemp_som_stride(need->dims) * sizeof(float), bytes);
	return GEMP_OK;
}

gemp_code gemp_som_capacity_find(gemp_som_capacity *out, const gemp_device *device, const gemp_som_need *need)
{
	const size_t left = device->memory > device->buffer_bytes + need->other
	                        ? device->memory - device->buffer_bytes - need->other
	                        : 0;
	const size_t bytes = left - left / 16; /* small buffers are not reckoned up */
	const size_t samples = need->samples * sample_bytes(need), for_samples = gemp_min(samples, bytes / SHARE);
	const size_t row = gemp_som_stride(need->dims) * sizeof(float), rows = row * need->units;
	size_t here;
	*out = (gemp_som_capacity){ .units = units_in(device, need, rows), .values = values_in(device, need, SIZE_MAX) };
	if (out->units < need->units || out->values < need->dims ||
	    rows + planes_bytes(need, out->values) > bytes - for_samples) {
		out->units = units_in(device, need, bytes / SHARE);
		here = bytes - for_samples - out->units * row;
		out->values = values_in(device, need, here);
	}
	here = bytes - out->units * row - gemp_min(bytes - out->units * row, planes_bytes(need, out->values));
	out->all_samples = samples <= here;
	out->samples = gemp_min(samples_of_buffer(device, need), out->all_samples ? SIZE_MAX : here / 2 / sample_bytes(need));
	if (need->samples && out->samples > need->samples)
		out->samples = need->samples;
	return check(out, device, need, bytes);
}

static void part_free(gemp_som_block *part, gemp_device *device)
{
	if (part->done)
		clReleaseEvent(part->done);
	gemp_buffers_free(device, &part->second, &part->best);
	gemp_som_samples_free(&part->samples);
}

static gemp_code part_new(gemp_som_block *out, gemp_device *device, const gemp_som_need *need, size_t room, bool two)
{
	const size_t keys = (room ? room : 1) * sizeof(uint64_t);
	*out = (gemp_som_block){ .number = SIZE_MAX };
	GEMP_PROPAGATE(gemp_som_samples_reserve(&out->samples, device, room, need->dims, need->missing));
	GEMP_PROPAGATE(gemp_buffer_new(&out->best, device, keys, NULL));
	if (two)
		return gemp_buffer_new(&out->second, device, keys, NULL);
	return GEMP_OK;
}

gemp_code gemp_som_blocks_new(gemp_som_blocks *out, gemp_device *device, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *room, bool two, bool again)
{
	gemp_code code = GEMP_OK;
	const size_t count = need->samples ? (need->samples + room->samples - 1) / room->samples : 1;
	*out = (gemp_som_blocks){
		.device = device, .x = x, .samples = need->samples, .dims = need->dims, .each = room->samples, .count = count
	};
	out->resident = room->all_samples ? count : gemp_min(count, 2);
	GEMP_TRY(GEMP_NEW(out->part, out->resident));
	for (size_t k = 0; k < out->resident; k++)
		GEMP_TRY(part_new(&out->part[k], device, need, gemp_min(out->each, need->samples - k * out->each), two));
	if (again && out->resident < count)
		code = GEMP_NEW(out->keys, need->samples);
done:
	if (code != GEMP_OK)
		gemp_som_blocks_free(out);
	return code;
}

void gemp_som_blocks_free(gemp_som_blocks *parts)
{
	for (size_t k = 0; parts->part && k < parts->resident; k++)
		part_free(&parts->part[k], parts->device);
	gemp_free_all(parts->part, parts->keys);
	*parts = (gemp_som_blocks){ 0 };
}

/* The place of part p: where it is, or where it may come. */
static size_t place_of(const gemp_som_blocks *parts, size_t p)
{
	if (parts->resident == parts->count)
		return p;
	if (parts->part[parts->last].number == p)
		return parts->last;
	return 1 - parts->last;
}

static gemp_code load_block(gemp_som_blocks *parts, gemp_som_block *part, size_t p)
{
	const size_t first = p * parts->each;
	if (part->number == p)
		return GEMP_OK;
	part->number = SIZE_MAX;
	part->first = first;
	GEMP_PROPAGATE(gemp_som_samples_fill(&part->samples, parts->x + first * parts->dims,
	                                     gemp_min(parts->each, parts->samples - first), part->done));
	part->number = p;
	return GEMP_OK;
}

gemp_code gemp_som_blocks_acquire(gemp_som_blocks *parts, size_t p, gemp_som_block **out)
{
	const size_t place = place_of(parts, p);
	GEMP_PROPAGATE(load_block(parts, &parts->part[place], p));
	parts->last = place;
	*out = &parts->part[place];
	return GEMP_OK;
}

gemp_code gemp_som_blocks_release(gemp_som_blocks *parts, gemp_som_block *part)
{
	if (parts->resident == parts->count)
		return GEMP_OK;
	if (part->done)
		clReleaseEvent(part->done);
	part->done = NULL;
	GEMP_PROPAGATE(GEMP_CL(clEnqueueMarkerWithWaitList(parts->device->queue, 0, NULL, &part->done)));
	GEMP_PROPAGATE(GEMP_CL(clFlush(parts->device->queue)));
	const size_t next = (part->number + 1) % parts->count;
	return load_block(parts, &parts->part[place_of(parts, next)], next);
}

gemp_code gemp_som_blocks_save_keys(gemp_som_blocks *parts, const gemp_som_block *part)
{
	if (!parts->keys)
		return GEMP_OK;
	return gemp_buffer_read(parts->device, &part->best, 0, part->samples.count * sizeof *parts->keys,
	                        parts->keys + part->first);
}

gemp_code gemp_som_blocks_restore_keys(gemp_som_blocks *parts, const gemp_som_block *part)
{
	if (!parts->keys)
		return GEMP_OK;
	return gemp_buffer_write(parts->device, &part->best, 0, part->samples.count * sizeof *parts->keys,
	                         parts->keys + part->first);
}
