#include "som/room.h"

#include "som/accumulate.h"
#include "som/codebook.h"
#include "som/samples.h"

enum { SHARE = 4 }; /* of what there is: one for samples, one for units, the rest for planes */
static const size_t most_places = INT32_MAX; /* of planes at a time, which kernels count in 32 bits */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t sample_bytes(const gemp_som_need *need)
{
	return gemp_som_sample_bytes(need->dims, need->missing) + need->keys;
}

/* In one buffer. */
static size_t samples_of_buffer(const gemp_device *device, const gemp_som_need *need)
{
	const size_t values = need->dims * sizeof(float);
	return least(device->largest / (values > need->keys ? values : need->keys), UINT32_MAX - 1);
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
	const size_t in_all = bytes / need->plane, in_one = device->largest / need->widest;
	const size_t planes = least(most_places, least(in_all, in_one)) / need->units;
	const size_t values = need->missing ? planes / 2 : planes ? planes - 1 : 0;
	return (uint32_t)least(values, need->dims);
}

static uint32_t units_in(const gemp_device *device, const gemp_som_need *need, size_t bytes)
{
	const size_t row = gemp_som_stride(need->dims) * sizeof(float);
	return (uint32_t)least(least(bytes, device->largest) / row, need->units);
}

static gemp_code check(const gemp_som_room *room, const gemp_device *device, const gemp_som_need *need, size_t bytes)
{
	if (room->values == 0)
		return gemp_fail(GEMP_ENOMEM, "a map of %u units takes %zu bytes for one value on %s, beside units and vectors, and "
		                 "%zu are free, at most %zu in one buffer; raise --device-memory, or take a smaller map", need->units,
		                 planes_bytes(need, 1), device->name, bytes, device->largest);
	if (room->samples == 0 || room->units == 0)
		return gemp_fail(GEMP_ENOMEM, "a vector takes %zu bytes on %s, a unit %zu, and %zu bytes are free; raise --device-memory",
		                 sample_bytes(need), device->name, gemp_som_stride(need->dims) * sizeof(float), bytes);
	return GEMP_OK;
}

gemp_code gemp_som_room_find(gemp_som_room *out, const gemp_device *device, const gemp_som_need *need)
{
	const size_t left = device->memory > device->held + need->other ? device->memory - device->held - need->other : 0;
	const size_t bytes = left - left / 16; /* small buffers are not reckoned up */
	const size_t samples = need->samples * sample_bytes(need), for_samples = least(samples, bytes / SHARE);
	const size_t row = gemp_som_stride(need->dims) * sizeof(float), rows = row * need->units;
	size_t here;
	*out = (gemp_som_room){ .units = units_in(device, need, rows), .values = values_in(device, need, SIZE_MAX) };
	if (out->units < need->units || out->values < need->dims ||
	    rows + planes_bytes(need, out->values) > bytes - for_samples) {
		out->units = units_in(device, need, bytes / SHARE);
		here = bytes - for_samples - out->units * row;
		out->values = values_in(device, need, here);
	}
	here = bytes - out->units * row - least(bytes - out->units * row, planes_bytes(need, out->values));
	out->all_samples = samples <= here;
	out->samples = least(samples_of_buffer(device, need), out->all_samples ? SIZE_MAX : here / 2 / sample_bytes(need));
	if (need->samples && out->samples > need->samples)
		out->samples = need->samples;
	return check(out, device, need, bytes);
}
