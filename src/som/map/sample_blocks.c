#include "som/map/sample_blocks.h"

#include "core/memory.h"
#include "core/types.h"
#include "som/map/codebook.h"
#include "som/map/smooth.h"

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
	out->samples = gemp_min(samples_of_buffer(device, need),
	                        out->all_samples ? SIZE_MAX : here / 2 / sample_bytes(need));
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
