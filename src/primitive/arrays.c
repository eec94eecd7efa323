#include "primitive/arrays.h"

#include "core/memory.h"
#include "device/transfer.h"

enum { SORT_HOST_BELOW = 1 << 20, DISTINCT_HOST_BELOW = 1 << 20, BITMAP = 1 << 29 /* bytes, at most */ };

/* Has the device room for `buffers` of so many bytes, and some more? */
static bool fits(const gemp_device *device, size_t size, size_t buffers, size_t more)
{
	return size <= device->largest && buffers * size + more <= device->memory - device->held;
}

static bool on_device(const gemp_arrays *a, size_t count, const char *tuning, uint32_t otherwise, size_t size, size_t buffers,
                      size_t more)
{
	if (a->place == GEMP_PLACE_AUTO && a->device && (count > GEMP_DEVICE_MOST || !fits(a->device, size, buffers, more)))
		return false;
	return gemp_on_device(a->device, a->place, count, tuning, otherwise);
}

/* Waits for the kernels: the seconds since `began` are theirs or those of copies. */
static gemp_code count_kernels(gemp_arrays *a, double *seconds)
{
	gemp_code code = gemp_toolbox_seconds(a->box, seconds);
	a->timers.seconds[GEMP_KERNEL] += *seconds;
	a->timers.seconds[GEMP_BUILD] += gemp_toolbox_build_seconds(a->box);
	return code;
}

/* Keys and values are whole numbers of 4 bytes. A GPU's come and go through page-locked memory. */
static gemp_code load(gemp_buffer *out, gemp_device *device, size_t size, const void *from)
{
	gemp_code code = GEMP_OK;
	const gemp_transfer_numbers numbers = { .narrow = (uint32_t *)(uintptr_t)from };
	if (!from || !device->gpu)
		return gemp_buffer_new(out, device, size, from);
	GEMP_TRY(gemp_buffer_new(out, device, size, NULL));
	code = gemp_transfer_send(device, out, numbers, size / sizeof *numbers.narrow);
done:
	return code;
}

static gemp_code unload(gemp_device *device, const gemp_buffer *from, size_t size, void *to)
{
	const gemp_transfer_numbers numbers = { .narrow = to };
	if (!device->gpu)
		return gemp_buffer_read(device, from, 0, size, to);
	return gemp_transfer_take(device, from, 0, numbers, size / sizeof *numbers.narrow);
}

static gemp_code sort_there(gemp_arrays *a, const gemp_sort *sort, void *keys, void *values, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_sort_buffers b = { 0 };
	size_t size = count * gemp_key_size(sort->key), value_bytes = count * sort->value_size;
	double began = gemp_now(), seconds;
	for (int k = 0; k < 2; k++) {
		GEMP_TRY(load(&b.keys[k], a->device, size, k ? NULL : keys));
		if (value_bytes)
			GEMP_TRY(load(&b.values[k], a->device, value_bytes, k ? NULL : values));
	}
	gemp_timers_add(&a->timers, GEMP_UPLOAD, began);
	GEMP_TRY(gemp_sort_device(a->box, sort, &b, count, 0));
	GEMP_TRY(count_kernels(a, &seconds));
	began = gemp_now();
	GEMP_TRY(unload(a->device, &b.keys[0], size, keys));
	if (value_bytes)
		GEMP_TRY(unload(a->device, &b.values[0], value_bytes, values));
	gemp_timers_add(&a->timers, GEMP_DOWNLOAD, began);
done:
	for (int k = 0; k < 2; k++) {
		gemp_buffer_free(&b.keys[k], a->device);
		gemp_buffer_free(&b.values[k], a->device);
	}
	return code;
}

gemp_code gemp_arrays_sort(gemp_arrays *a, const gemp_sort *sort, void *keys, void *values, size_t count)
{
	unsigned most = sort->value_size > gemp_key_size(sort->key) ? sort->value_size : gemp_key_size(sort->key);
	a->on_device = count && on_device(a, count, "sort.host_below", SORT_HOST_BELOW, count * most, sort->value_size ? 4 : 2, 0);
	if (a->on_device)
		return sort_there(a, sort, keys, values, count);
	double began = gemp_now();
	gemp_code code = gemp_sort_host(sort, keys, values, count);
	gemp_timers_add(&a->timers, GEMP_RESOLVE, began);
	return code;
}

static gemp_code distinct_there(gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count, void **out,
                                size_t *distinct)
{
	gemp_code code = GEMP_OK;
	gemp_buffer from = { 0 }, to = { 0 };
	unsigned size = gemp_key_size(kind);
	double began = gemp_now(), seconds;
	GEMP_TRY(load(&from, a->device, count * size, keys));
	gemp_timers_add(&a->timers, GEMP_UPLOAD, began);
	GEMP_TRY(gemp_distinct_device(a->box, kind, &from, count, out ? &to : NULL, distinct));
	GEMP_TRY(count_kernels(a, &seconds));
	began = gemp_now();
	if (out) {
		*out = gemp_calloc(*distinct, size);
		code = *out ? unload(a->device, &to, *distinct * size, *out) : GEMP_ENOMEM;
	}
	if (code != GEMP_OK && out) {
		gemp_free(*out);
		*out = NULL;
	}
	gemp_timers_add(&a->timers, GEMP_DOWNLOAD, began);
done:
	gemp_buffer_free(&from, a->device);
	gemp_buffer_free(&to, a->device);
	return code;
}

gemp_code gemp_arrays_distinct(gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count, void **out,
                               size_t *distinct)
{
	if (out)
		*out = NULL;
	a->on_device = count && on_device(a, count, "distinct.host_below", DISTINCT_HOST_BELOW, count * gemp_key_size(kind), 4,
	                                  BITMAP);
	if (a->on_device)
		return distinct_there(a, kind, keys, count, out, distinct);
	double began = gemp_now();
	gemp_code code = gemp_distinct_host(kind, keys, count, out, distinct);
	gemp_timers_add(&a->timers, GEMP_RESOLVE, began);
	return code;
}
