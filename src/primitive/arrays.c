/* Where an operation runs, and its copies. The device is used if its memory suffices and the array is, by the tuning
 * file, long enough to justify the copies. */

#include "primitive/arrays.h"

#include "core/memory.h"
#include "device/transfer.h"
#include "primitive/distinct.h"

enum { SORT_HOST_BELOW = 1 << 20, DISTINCT_HOST_BELOW = 1 << 20, BITMAP = 1 << 29 /* bytes, at most */ };

/* Does the device have memory for `buffers` buffers of `size` bytes and `extra` bytes? */
static bool fits_device(const gemp_device *device, size_t size, size_t buffers, size_t extra)
{
	return size <= device->max_buffer && buffers * size + extra <= device->memory - device->buffer_bytes;
}

/* Keys that are sorted need both arrays twice. */
gemp_array_need gemp_sort_need(const gemp_sort *sort, size_t count)
{
	return (gemp_array_need){ .operation = "sort",
		                      .tuning = "sort.host_below",
		                      .otherwise = SORT_HOST_BELOW,
		                      .count = count,
		                      .size = gemp_max(sort->value_size, gemp_key_size(sort->key)),
		                      .buffers = sort->value_size ? 4 : 2 };
}

/* Besides the keys, the device may need a bitmap of up to 512 MiB. */
gemp_array_need gemp_distinct_need(gemp_key_kind kind, size_t count)
{
	return (gemp_array_need){ .operation = "distinct",
		                      .tuning = "distinct.host_below",
		                      .otherwise = DISTINCT_HOST_BELOW,
		                      .count = count,
		                      .size = gemp_key_size(kind),
		                      .buffers = 4,
		                      .extra = BITMAP };
}

/* The buffers of `distinct` are an upper bound, so --on device may try with less memory. The driver refuses later. */
gemp_code gemp_arrays_place(const gemp_arrays *a, const gemp_array_need *need, bool *on_device)
{
	*on_device = gemp_use_device(a->device, a->place, need->count, need->tuning, need->otherwise);
	if (!*on_device)
		return GEMP_OK;
	if (a->place == GEMP_PLACE_AUTO)
		*on_device = need->count <= gemp_device_max() &&
		             fits_device(a->device, need->count * need->size, need->buffers, need->extra);
	else if (need->count > gemp_device_max())
		return gemp_fail(GEMP_EUSAGE,
		                 "on device: %s of %zu numbers on %s, which can have %zu at a time; use more ranks, or "
		                 "leave the choice to the program",
		                 need->operation, need->count, a->device->name, gemp_device_max());
	return GEMP_OK;
}

gemp_code gemp_arrays_count_kernels(gemp_arrays *a)
{
	double seconds = 0;
	gemp_code code = gemp_toolbox_seconds(a->box, &seconds);
	a->timers.seconds[GEMP_PHASE_KERNEL] += seconds;
	a->timers.seconds[GEMP_PHASE_BUILD] += gemp_toolbox_build_seconds(a->box);
	return code;
}

gemp_code gemp_array_upload(gemp_buffer *out, gemp_device *device, size_t capacity, size_t size, const void *from)
{
	const gemp_transfer_numbers numbers = { .narrow = (uint32_t *)(uintptr_t)from };
	GEMP_TRY(gemp_buffer_new(out, device, capacity, NULL));
	if (!device->gpu)
		return gemp_buffer_write(device, out, 0, size, from);
	return gemp_transfer_upload(device, out, numbers, size / sizeof *numbers.narrow);
}

gemp_code gemp_array_download(gemp_device *device, const gemp_buffer *from, size_t size, void *to)
{
	const gemp_transfer_numbers numbers = { .narrow = to };
	if (!device->gpu)
		return gemp_buffer_read(device, from, 0, size, to);
	return gemp_transfer_download(device, from, 0, numbers, size / sizeof *numbers.narrow);
}

/* The sort alternates between two buffers; only the first is uploaded. */
static gemp_code sort_on_device(gemp_arrays *a, const gemp_sort *sort, void *keys, void *values, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_sort_buffers b = { 0 };
	size_t size = count * gemp_key_size(sort->key), value_bytes = count * sort->value_size;
	double began = gemp_now();
	GEMP_TRY_DONE(gemp_buffer_new(&b.keys[1], a->device, size, NULL));
	GEMP_TRY_DONE(gemp_array_upload(&b.keys[0], a->device, size, size, keys));
	if (value_bytes) {
		GEMP_TRY_DONE(gemp_buffer_new(&b.values[1], a->device, value_bytes, NULL));
		GEMP_TRY_DONE(gemp_array_upload(&b.values[0], a->device, value_bytes, value_bytes, values));
	}
	gemp_timers_add(&a->timers, GEMP_PHASE_UPLOAD, began);
	GEMP_TRY_DONE(gemp_sort_device(a->box, sort, &b, count, 0));
	GEMP_TRY_DONE(gemp_arrays_count_kernels(a));
	began = gemp_now();
	GEMP_TRY_DONE(gemp_array_download(a->device, &b.keys[0], size, keys));
	if (value_bytes)
		GEMP_TRY_DONE(gemp_array_download(a->device, &b.values[0], value_bytes, values));
	gemp_timers_add(&a->timers, GEMP_PHASE_DOWNLOAD, began);
done:
	gemp_buffers_free(a->device, &b.keys[0], &b.keys[1], &b.values[0], &b.values[1]);
	return code;
}

gemp_code gemp_arrays_sort(gemp_arrays *a, const gemp_sort *sort, void *keys, void *values, size_t count)
{
	const gemp_array_need need = gemp_sort_need(sort, count);
	a->on_device = false;
	if (count)
		GEMP_TRY(gemp_arrays_place(a, &need, &a->on_device));
	if (a->on_device)
		return sort_on_device(a, sort, keys, values, count);
	double began = gemp_now();
	gemp_code code = gemp_sort_host(sort, keys, values, count);
	gemp_timers_add(&a->timers, GEMP_PHASE_RESOLVE, began);
	return code;
}

/* The number of distinct keys is known only after the kernels, so the result is allocated then. */
static gemp_code distinct_on_device(gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count, void **out,
                                    size_t *distinct)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer from = { 0 }, to = { 0 };
	GEMP_OWNED void *found = NULL;
	unsigned size = gemp_key_size(kind);
	double began = gemp_now();
	GEMP_TRY(gemp_array_upload(&from, a->device, count * size, count * size, keys));
	gemp_timers_add(&a->timers, GEMP_PHASE_UPLOAD, began);
	GEMP_TRY(gemp_distinct_device(a->box, kind, &from, count, out ? &to : NULL, distinct));
	GEMP_TRY(gemp_arrays_count_kernels(a));
	if (!out)
		return GEMP_OK;
	began = gemp_now();
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(found, *distinct, size)));
	GEMP_TRY(gemp_array_download(a->device, &to, *distinct * size, found));
	gemp_timers_add(&a->timers, GEMP_PHASE_DOWNLOAD, began);
	*out = found;
	found = NULL;
	return GEMP_OK;
}

gemp_code gemp_arrays_distinct(gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count, void **out,
                               size_t *distinct)
{
	const gemp_array_need need = gemp_distinct_need(kind, count);
	if (out)
		*out = NULL;
	a->on_device = false;
	if (count)
		GEMP_TRY(gemp_arrays_place(a, &need, &a->on_device));
	if (a->on_device)
		return distinct_on_device(a, kind, keys, count, out, distinct);
	double began = gemp_now();
	gemp_code code = gemp_distinct_host(kind, keys, count, out, distinct);
	gemp_timers_add(&a->timers, GEMP_PHASE_RESOLVE, began);
	return code;
}
