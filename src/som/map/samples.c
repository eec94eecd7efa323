#include "som/map/samples.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/types.h"
#include "device/staging.h"
#include "som/map/smooth.h"
#include "som/map/units.h"

#include <math.h>
#include <stdatomic.h>

enum {
	TILE = 32,        /* rows and columns of a tile, which stays in the cache while it is transposed */
	CHUNK_ROWS = 512, /* rows that a thread takes at a time */
	/* BLOCK_BYTES of rows, but at least MIN_BLOCK_ROWS rows, are transposed and copied together */
	MIN_BLOCK_ROWS = 1024,
	BLOCK_BYTES = 8 << 20,
	/* if not all data fits, samples get one of these parts of the free memory, units another, and planes the rest */
	SHARES = 4
};
/* floats of planes on the device at a time, as kernels count them in 32 bits */
static const size_t max_places = INT32_MAX;

/* The transposition of rows from[count][dims] to columns x[dims][count] and present[dims][count]. find_missing sets
 * `missing` and uses neither x nor present. */
typedef struct transpose_task {
	const float *from;
	size_t count; /* number of rows */
	uint32_t dims;
	float *x;
	uint8_t *present; /* NULL if no value is missing */
	atomic_bool missing;
} transpose_task;

/* Several threads may set the flag, and no thread clears it. */
static void find_missing(void *context, size_t range, size_t begin, size_t end)
{
	transpose_task *t = context;
	bool missing = false;
	(void)range;
	for (size_t k = begin * t->dims; k < end * t->dims; k++)
		missing |= isnan(t->from[k]);
	if (missing)
		atomic_store(&t->missing, true);
}

/* A sample without any value must get no unit. transpose_rows writes NaN for its values, by which the search recognises
 * it. */
static bool has_no_value(const float *row, uint32_t dims)
{
	for (uint32_t d = 0; d < dims; d++)
		if (!isnan(row[d]))
			return false;
	return true;
}

/* Transposes rows begin .. end - 1 and dimensions first .. last - 1. missing_value[] has the value that replaces the
 * missing values of each row. */
static void transpose_tile(const transpose_task *t, size_t begin, size_t end, uint32_t first, uint32_t last,
                           const float *missing_value)
{
	for (uint32_t d = first; d < last; d++) {
		const float *from = t->from + begin * t->dims + d;
		float *x = t->x + d * t->count;
		for (size_t i = begin; i < end; i++, from += t->dims) {
			const bool present = !isnan(*from);
			x[i] = present ? *from : missing_value[i - begin];
			if (t->present)
				t->present[d * t->count + i] = present;
		}
	}
}

/* Transposes tile by tile. All values of a sample without any value become NaN, which is nearest to no unit. In other
 * samples a missing value becomes 0. */
static void transpose_rows(void *context, size_t chunk, size_t begin, size_t end)
{
	const transpose_task *t = context;
	(void)chunk;
	for (size_t i = begin; i < end; i += TILE) {
		const size_t last = gemp_min(end, i + TILE);
		float missing_value[TILE] = { 0 };
		for (size_t k = i; t->present && k < last; k++)
			missing_value[k - i] = has_no_value(t->from + k * t->dims, t->dims) ? NAN : 0;
		for (uint32_t d = 0; d < t->dims; d += TILE)
			transpose_tile(t, i, last, d, t->dims - d < TILE ? t->dims : d + TILE, missing_value);
	}
}

/* Local. The ranks combine their answers by a maximum, as all ranks must use the same kernels. */
bool gemp_som_any_missing(const float *x, size_t count, uint32_t dims)
{
	transpose_task t = { .from = x, .count = count, .dims = dims };
	gemp_for_ranges(count, find_missing, &t);
	return atomic_load(&t.missing);
}

size_t gemp_som_sample_bytes(uint32_t dims, bool missing)
{
	return dims * (sizeof(float) + (missing ? sizeof(uint8_t) : 0));
}

gemp_code gemp_som_samples_reserve(gemp_som_samples *out, gemp_device *device, size_t max_count, uint32_t dims,
                                   bool missing)
{
	const size_t values = max_count * dims;
	*out = (gemp_som_samples){ .device = device, .dims = dims, .missing = missing };
	gemp_code code = gemp_buffer_new(&out->x, device, values * sizeof(float), NULL);
	GEMP_THEN(gemp_buffer_new(&out->present, device, missing ? values : 0, NULL));
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
	return code;
}

/* Writes the columns of the transposed block from sample `at` on. element: bytes of an element. The columns on the
 * device have samples->count elements, and the columns of the block have t->count elements, so the copy is a rectangle
 * with two different pitches. The call blocks, so the page-locked memory may be reused on return. */
static gemp_code copy_columns(const gemp_som_samples *samples, const gemp_buffer *to, size_t element, size_t at,
                              const transpose_task *t, const void *from, cl_event after)
{
	const size_t slot[] = { at * element, 0, 0 }, origin[3] = { 0 }, region[] = { t->count * element, t->dims, 1 };
	return GEMP_CL(clEnqueueWriteBufferRect(samples->device->copy_queue, to->mem, CL_TRUE, slot, origin, region,
	                                        samples->count * element, 0, t->count * element, 0, from, after != NULL,
	                                        after ? &after : NULL, NULL));
}

/* Local. Threads transpose blocks of rows into page-locked memory, which is then copied to the device. The copies of
 * values wait for `after`. A call that copies values returns after the copy has ended, so the copies of `present` begin
 * later and need no event. */
gemp_code gemp_som_samples_put(gemp_som_samples *samples, const float *x, size_t begin, size_t count, cl_event after)
{
	gemp_code code = GEMP_OK;
	const uint32_t dims = samples->dims;
	const size_t bytes = gemp_som_sample_bytes(dims, samples->missing),
				 rows = BLOCK_BYTES / bytes < MIN_BLOCK_ROWS ? MIN_BLOCK_ROWS : BLOCK_BYTES / bytes;
	gemp_pinned locked = { 0 };
	GEMP_CHECK(begin + count <= samples->count && samples->count * dims * sizeof(float) <= samples->x.size);
	if (count)
		GEMP_TRY_DONE(gemp_pinned_take(&locked, samples->device, (count < rows ? count : rows) * bytes));
	for (size_t at = 0; at < count; at += rows) {
		transpose_task t = { .from = x + at * dims, .count = count - at < rows ? count - at : rows, .dims = dims };
		t.x = (float *)(void *)locked.host;
		t.present = samples->missing ? (uint8_t *)(t.x + t.count * dims) : NULL;
		gemp_for_chunks(t.count, CHUNK_ROWS, transpose_rows, &t);
		GEMP_TRY_DONE(copy_columns(samples, &samples->x, sizeof *t.x, begin + at, &t, t.x, after));
		if (t.present)
			GEMP_TRY_DONE(copy_columns(samples, &samples->present, sizeof *t.present, begin + at, &t, t.present, NULL));
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
	GEMP_TRY(gemp_som_samples_reserve(out, device, count, dims, gemp_som_any_missing(x, count, dims)));
	gemp_code code = gemp_som_samples_fill(out, x, count, NULL);
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
	return code;
}

void gemp_som_samples_free(gemp_som_samples *samples)
{
	if (!samples->device)
		return;
	gemp_buffers_free(samples->device, &samples->present, &samples->x);
	*samples = (gemp_som_samples){ 0 };
}

static size_t sample_bytes(const gemp_som_need *need)
{
	return gemp_som_sample_bytes(need->dims, need->missing) + need->keys;
}

/* Returns the number of samples whose values, and whose keys, fit into one buffer. Kernels count samples in 32 bits. */
static size_t samples_of_buffer(const gemp_device *device, const gemp_som_need *need)
{
	const size_t values = need->dims * sizeof(float);
	return gemp_min(device->max_buffer / (values > need->keys ? values : need->keys), UINT32_MAX - 1);
}

/* Returns the bytes of the planes of this number of values, for all units. */
static size_t planes_bytes(const gemp_som_need *need, uint32_t values)
{
	return need->plane * need->units * gemp_som_planes(values, need->missing);
}

/* Returns the number of values whose planes fit into `bytes`, into one buffer, and into numbers of 32 bits. With
 * missing values each value needs a plane of sums and a plane of counts. Otherwise all values share one plane of
 * counts. */
static uint32_t values_in(const gemp_device *device, const gemp_som_need *need, size_t bytes)
{
	if (!need->plane)
		return need->dims;
	const size_t in_all = bytes / need->plane, in_one = device->max_buffer / need->max_buffer;
	const size_t planes = gemp_min(max_places, gemp_min(in_all, in_one)) / need->units;
	const size_t values = need->missing ? planes / 2 : planes ? planes - 1 : 0;
	return (uint32_t)gemp_min(values, need->dims);
}

/* Returns the number of units of the codebook that fit into `bytes`. */
static uint32_t units_in(const gemp_device *device, const gemp_som_need *need, size_t bytes)
{
	const size_t row = gemp_som_stride(need->dims) * sizeof(float);
	return (uint32_t)gemp_min(gemp_min(bytes, device->max_buffer) / row, need->units);
}

/* The message names the part that cannot fit, and the remedy. */
static gemp_code check_capacity(const gemp_som_capacity *capacity, const gemp_device *device, const gemp_som_need *need,
                                size_t bytes)
{
	if (capacity->values == 0)
		return gemp_fail(GEMP_ENOMEM,
		                 "a map of %u units takes %zu bytes for one value on %s, beside units and vectors, and "
		                 "%zu are free, at most %zu in one buffer; raise device-memory, or take a smaller map",
		                 need->units, planes_bytes(need, 1), device->name, bytes, device->max_buffer);
	if (capacity->samples == 0 || capacity->units == 0)
		return gemp_fail(GEMP_ENOMEM,
		                 "a vector takes %zu bytes on %s, a unit %zu, and %zu bytes are free; raise device-memory",
		                 sample_bytes(need), device->name, gemp_som_stride(need->dims) * sizeof(float), bytes);
	return GEMP_OK;
}

/* Plans all units and all planes if they leave memory for all samples, or for samples in a quarter of the free memory.
 * Otherwise samples get at most a quarter of the free memory, units at most a quarter, and planes the rest. Memory that
 * planes do not need goes back to samples. Two blocks of samples must fit, unless all samples do. */
gemp_code gemp_som_capacity_find(gemp_som_capacity *out, const gemp_device *device, const gemp_som_need *need)
{
	const size_t left = device->memory > device->buffer_bytes + need->other
	                        ? device->memory - device->buffer_bytes - need->other
	                        : 0;
	const size_t bytes = left - left / 16; /* a 16th is for small buffers, which the plan does not count */
	const size_t samples = need->samples * sample_bytes(need), for_samples = gemp_min(samples, bytes / SHARES);
	const size_t row = gemp_som_stride(need->dims) * sizeof(float), rows = row * need->units;
	size_t here;
	*out = (gemp_som_capacity){ .units = units_in(device, need, rows), .values = values_in(device, need, SIZE_MAX) };
	if (out->units < need->units || out->values < need->dims ||
	    rows + planes_bytes(need, out->values) > bytes - for_samples) {
		out->units = units_in(device, need, bytes / SHARES);
		here = bytes - for_samples - out->units * row;
		out->values = values_in(device, need, here);
	}
	here = bytes - out->units * row - gemp_min(bytes - out->units * row, planes_bytes(need, out->values));
	out->all_samples = samples <= here;
	out->samples = gemp_min(samples_of_buffer(device, need),
	                        out->all_samples ? SIZE_MAX : here / 2 / sample_bytes(need));
	if (need->samples && out->samples > need->samples)
		out->samples = need->samples;
	return check_capacity(out, device, need, bytes);
}

/* Does not wait: the caller has made sure that no kernel uses the buffers. */
static void block_free(gemp_som_block *block, gemp_device *device)
{
	if (block->done)
		clReleaseEvent(block->done);
	gemp_buffers_free(device, &block->second, &block->best);
	gemp_som_samples_free(&block->samples);
}

/* Allocates a block on the device for `capacity` samples. */
static gemp_code block_new(gemp_som_block *out, gemp_device *device, const gemp_som_need *need, size_t capacity,
                           bool with_second)
{
	const size_t keys = capacity * sizeof(uint64_t);
	*out = (gemp_som_block){ .number = SIZE_MAX };
	GEMP_TRY(gemp_som_samples_reserve(&out->samples, device, capacity, need->dims, need->missing));
	GEMP_TRY(gemp_buffer_new(&out->best, device, keys, NULL));
	return with_second ? gemp_buffer_new(&out->second, device, keys, NULL) : GEMP_OK;
}

/* Local. All blocks are on the device if they fit. Otherwise the device has two blocks: while kernels read one block,
 * the next block is copied into the other slot. A rank without samples has one empty block, so callers need no special
 * case. */
gemp_code gemp_som_blocks_new(gemp_som_blocks *out, gemp_device *device, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *capacity, bool with_second, bool keep_keys)
{
	gemp_code code = GEMP_OK;
	const size_t count = need->samples ? (need->samples + capacity->samples - 1) / capacity->samples : 1;
	*out = (gemp_som_blocks){ .device = device,
		                      .x = x,
		                      .samples = need->samples,
		                      .dims = need->dims,
		                      .each = capacity->samples,
		                      .count = count };
	out->resident = capacity->all_samples ? count : gemp_min(count, 2);
	GEMP_TRY_DONE(GEMP_NEW(out->block, out->resident));
	for (size_t k = 0; k < out->resident; k++)
		GEMP_TRY_DONE(
			block_new(&out->block[k], device, need, gemp_min(out->each, need->samples - k * out->each), with_second));
	if (keep_keys && out->resident < count)
		code = GEMP_NEW(out->keys, need->samples);
done:
	if (code != GEMP_OK)
		gemp_som_blocks_free(out);
	return code;
}

void gemp_som_blocks_free(gemp_som_blocks *blocks)
{
	for (size_t k = 0; blocks->block && k < blocks->resident; k++)
		block_free(&blocks->block[k], blocks->device);
	gemp_free_all(blocks->block, blocks->keys);
	*blocks = (gemp_som_blocks){ 0 };
}

/* Returns the slot of block p, or the slot to which block p may be copied. Of two slots this is the slot that was not
 * acquired last, as kernels may still read the last one. */
static size_t slot_of(const gemp_som_blocks *blocks, size_t p)
{
	if (blocks->resident == blocks->count)
		return p;
	if (blocks->block[blocks->last].number == p)
		return blocks->last;
	return 1 - blocks->last;
}

/* Copies block p into a slot, unless it is there. The copy waits for the kernels that read the slot's old block. During
 * the copy the slot counts as empty, so after a failure a later call copies the block again and does not use an
 * incomplete block. */
static gemp_code load_block(gemp_som_blocks *blocks, gemp_som_block *block, size_t p)
{
	const size_t first = p * blocks->each;
	if (block->number == p)
		return GEMP_OK;
	block->number = SIZE_MAX;
	block->first = first;
	GEMP_TRY(gemp_som_samples_fill(&block->samples, blocks->x + first * blocks->dims,
	                               gemp_min(blocks->each, blocks->samples - first), block->done));
	block->number = p;
	return GEMP_OK;
}

gemp_code gemp_som_blocks_acquire(gemp_som_blocks *blocks, size_t p, gemp_som_block **out)
{
	const size_t slot = slot_of(blocks, p);
	GEMP_TRY(load_block(blocks, &blocks->block[slot], p));
	blocks->last = slot;
	*out = &blocks->block[slot];
	return GEMP_OK;
}

/* An event marks the last kernel of the block. Then the next block is copied into the free slot. After the last block
 * the first block is copied, as the next epoch begins with it. The flush submits the kernels, so they run during the
 * copy. */
gemp_code gemp_som_blocks_release(gemp_som_blocks *blocks, gemp_som_block *block)
{
	if (blocks->resident == blocks->count)
		return GEMP_OK;
	if (block->done)
		clReleaseEvent(block->done);
	block->done = NULL;
	GEMP_TRY(GEMP_CL(clEnqueueMarkerWithWaitList(blocks->device->queue, 0, NULL, &block->done)));
	GEMP_TRY(GEMP_CL(clFlush(blocks->device->queue)));
	const size_t next = (block->number + 1) % blocks->count;
	return load_block(blocks, &blocks->block[slot_of(blocks, next)], next);
}

gemp_code gemp_som_blocks_save_keys(gemp_som_blocks *blocks, const gemp_som_block *block)
{
	if (!blocks->keys)
		return GEMP_OK;
	return gemp_buffer_read(blocks->device, &block->best, 0, block->samples.count * sizeof *blocks->keys,
	                        blocks->keys + block->first);
}

gemp_code gemp_som_blocks_restore_keys(gemp_som_blocks *blocks, const gemp_som_block *block)
{
	if (!blocks->keys)
		return GEMP_OK;
	return gemp_buffer_write(blocks->device, &block->best, 0, block->samples.count * sizeof *blocks->keys,
	                         blocks->keys + block->first);
}
