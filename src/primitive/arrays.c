/* Where an operation runs, and operations of all ranks. The device is used if its memory suffices and the array is, by
 * the tuning file, long enough to justify the transfer. Ranks sort their arrays, find cuts that divide all keys evenly,
 * and exchange the parts. Then every rank sorts the sorted runs that it has received. */

#include "primitive/arrays.h"

#include "core/memory.h"
#include "core/search.h"
#include "device/transfer.h"
#include "primitive/distinct.h"

enum { PROBES = 255 }; /* codes that are probed for each bound in a round */

/* Bound b is the least code such that at least wanted[b] keys have a code <= bound b. It lies in low[b] .. high[b]. */
typedef struct cut_search {
	const gemp_comm *comm;
	const void *keys;
	size_t count;
	gemp_key_map map;
	int bounds;       /* ranks - 1 */
	uint64_t *wanted; /* [bounds] */
	uint64_t *low, *high;
	uint64_t *counts; /* [bounds * PROBES] number of keys of all ranks up to each probed code */
} cut_search;

static void free_cut_search(cut_search *s)
{
	gemp_free_all(s->wanted, s->low, s->high, s->counts);
}

/* counts[] has the probes of all bounds, so a round needs one reduction. */
static gemp_code new_cut_search(cut_search *s)
{
	size_t bounds = (size_t)s->bounds;
	return gemp_new_all(GEMP_ARRAY(s->wanted, bounds), GEMP_ARRAY(s->low, bounds), GEMP_ARRAY(s->high, bounds),
	                    GEMP_ARRAY(s->counts, bounds * PROBES));
}

/* Codes are compared as unsigned numbers for every kind of keys. */
static uint64_t code_at(const cut_search *s, size_t i)
{
	return gemp_key_code(gemp_key_get(s->keys, i, s->map.size), s->map);
}

/* Returns the number of this rank's keys with codes < `code`, or <= `code` if `included`. */
static size_t keys_to(const cut_search *s, uint64_t code, bool included)
{
	size_t end;
	GEMP_PARTITION_POINT(end, 0, s->count, code_at(s, end) < code || (included && code_at(s, end) == code));
	return end;
}

/* Returns probe t of PROBES, which divide low .. high evenly. The first probe is low, and no probe is high unless low
 * equals high. */
static uint64_t probe_code(const cut_search *s, int bound, int t)
{
	uint64_t width = s->high[bound] - s->low[bound];
	return s->low[bound] + (uint64_t)((unsigned __int128)width * (unsigned)t / PROBES);
}

/* Each range begins as the range of all codes of all ranks. The complement turns the minimum into a maximum, so one
 * reduction finds both. */
static void init_ranges(cut_search *s)
{
	uint64_t ends[2] = { s->count ? ~code_at(s, 0) : 0, s->count ? code_at(s, s->count - 1) : 0 };
	uint64_t all = gemp_comm_sum1(s->comm, s->count);
	gemp_comm_max(s->comm, ends, 2);
	for (int b = 0; b < s->bounds; b++) {
		s->wanted[b] = (uint64_t)((unsigned __int128)all * (unsigned)(b + 1) / (unsigned)s->comm->size);
		s->low[b] = all ? ~ends[0] : 0;
		s->high[b] = all ? ends[1] : 0;
	}
}

/* One round. Returns true while some range has more than one code. */
static bool narrow_ranges(cut_search *s)
{
	bool unfinished = false;
	for (int b = 0; b < s->bounds; b++)
		for (int t = 0; t < PROBES; t++)
			s->counts[b * PROBES + t] = keys_to(s, probe_code(s, b, t), true);
	gemp_comm_sum(s->comm, s->counts, s->bounds * PROBES);
	for (int b = 0; b < s->bounds; b++) {
		uint64_t low = s->low[b], high = s->high[b];
		for (int t = PROBES - 1; t >= 0; t--)
			if (s->counts[b * PROBES + t] >= s->wanted[b]) {
				high = probe_code(s, b, t);
			} else {
				low = probe_code(s, b, t) + 1;
				break;
			}
		s->low[b] = low;
		s->high[b] = high;
		unfinished |= low < high;
	}
	return unfinished;
}

/* Divides the keys equal to a bound: the lower part gets as many as it still needs, first those of lower ranks. */
static void divide_equal_keys(cut_search *s, size_t *cut)
{
	uint64_t *below = s->counts, *equal = below + s->bounds, *before = equal + s->bounds;
	for (int b = 0; b < s->bounds; b++) {
		below[b] = keys_to(s, s->high[b], false);
		equal[b] = keys_to(s, s->high[b], true) - below[b];
		cut[b + 1] = below[b];
	}
	GEMP_MPI(MPI_Exscan(equal, before, s->bounds, MPI_UINT64_T, MPI_SUM, s->comm->world));
	gemp_comm_sum(s->comm, below, s->bounds);
	for (int b = 0; b < s->bounds; b++) {
		uint64_t lower_ranks = s->comm->rank ? before[b] : 0, wanted = s->wanted[b] - below[b];
		uint64_t left = wanted > lower_ranks ? wanted - lower_ranks : 0;
		cut[b + 1] += gemp_min(left, equal[b]);
	}
}

/* Collective. keys[count] of this rank are sorted by their codes. Sets cut[ranks + 1]: the elements from cut[r] to
 * cut[r + 1] belong to rank r. With `together`, equal keys stay on one rank, and the parts are as equal as that allows.
 * Otherwise rank r gets exactly floor((r + 1) N / R) - floor(r N / R) of the N keys, and equal keys go to ranks in the
 * order of their sources.
 *
 * All bounds are found together; each round narrows the code range of every bound to a 255th. */
static gemp_code gemp_select_cuts(const gemp_comm *comm, const void *keys, size_t count, gemp_key_map map,
                                  bool together, size_t *cut)
{
	cut_search s = { .comm = comm, .keys = keys, .count = count, .map = map, .bounds = comm->size - 1 };
	gemp_code code = gemp_comm_agree(comm, new_cut_search(&s));
	cut[0] = 0;
	cut[comm->size] = count;
	if (code == GEMP_OK && s.bounds) {
		init_ranges(&s);
		while (narrow_ranges(&s))
			;
		if (!together)
			divide_equal_keys(&s, cut);
		for (int b = 0; b < s.bounds && together; b++)
			cut[b + 1] = keys_to(&s, s.high[b], true);
	}
	free_cut_search(&s);
	return code;
}

enum { SORT_HOST_BELOW = 1 << 20, DISTINCT_HOST_BELOW = 1 << 20, BITMAP = 1 << 29 /* bytes, at most */ };

/* Does the device have memory for `buffers` buffers of `size` bytes and `extra` bytes? */
static bool fits_device(const gemp_device *device, size_t size, size_t buffers, size_t extra)
{
	return size <= device->max_buffer && buffers * size + extra <= device->memory - device->buffer_bytes;
}

/* `--on device` is obeyed even if the device will run out of memory; only `auto` avoids that. */
static bool on_device(const gemp_arrays *a, size_t count, const char *tuning, uint32_t otherwise, size_t size,
                      size_t buffers, size_t extra)
{
	if (a->place == GEMP_PLACE_AUTO && a->device &&
	    (count > GEMP_DEVICE_MAX || !fits_device(a->device, size, buffers, extra)))
		return false;
	return gemp_use_device(a->device, a->place, count, tuning, otherwise);
}

/* Waits for the kernels, and adds their seconds and the seconds of building programs to the timers. */
static gemp_code count_kernels(gemp_arrays *a, double *seconds)
{
	gemp_code code = gemp_toolbox_seconds(a->box, seconds);
	a->timers.seconds[GEMP_PHASE_KERNEL] += *seconds;
	a->timers.seconds[GEMP_PHASE_BUILD] += gemp_toolbox_build_seconds(a->box);
	return code;
}

/* Sizes are multiples of 4 bytes. Copies to and from a GPU use page-locked memory (device/transfer.h). */
static gemp_code upload(gemp_buffer *out, gemp_device *device, size_t size, const void *from)
{
	const gemp_transfer_numbers numbers = { .narrow = (uint32_t *)(uintptr_t)from };
	if (!from || !device->gpu)
		return gemp_buffer_new(out, device, size, from);
	GEMP_TRY(gemp_buffer_new(out, device, size, NULL));
	return gemp_transfer_upload(device, out, numbers, size / sizeof *numbers.narrow);
}

/* Copies from a GPU through page-locked memory, like upload. */
static gemp_code download(gemp_device *device, const gemp_buffer *from, size_t size, void *to)
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
	double began = gemp_now(), seconds;
	for (int k = 0; k < 2; k++) {
		GEMP_TRY_DONE(upload(&b.keys[k], a->device, size, k ? NULL : keys));
		if (value_bytes)
			GEMP_TRY_DONE(upload(&b.values[k], a->device, value_bytes, k ? NULL : values));
	}
	gemp_timers_add(&a->timers, GEMP_PHASE_UPLOAD, began);
	GEMP_TRY_DONE(gemp_sort_device(a->box, sort, &b, count, 0));
	GEMP_TRY_DONE(count_kernels(a, &seconds));
	began = gemp_now();
	GEMP_TRY_DONE(download(a->device, &b.keys[0], size, keys));
	if (value_bytes)
		GEMP_TRY_DONE(download(a->device, &b.values[0], value_bytes, values));
	gemp_timers_add(&a->timers, GEMP_PHASE_DOWNLOAD, began);
done:
	for (int k = 0; k < 2; k++) {
		gemp_buffer_free(&b.keys[k], a->device);
		gemp_buffer_free(&b.values[k], a->device);
	}
	return code;
}

/* With values, the device has four buffers: both arrays twice. */
gemp_code gemp_arrays_sort(gemp_arrays *a, const gemp_sort *sort, void *keys, void *values, size_t count)
{
	size_t max_size = gemp_max(sort->value_size, gemp_key_size(sort->key));
	a->on_device = count && on_device(a, count, "sort.host_below", SORT_HOST_BELOW, count * max_size,
	                                  sort->value_size ? 4 : 2, 0);
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
	double began = gemp_now(), seconds;
	GEMP_TRY(upload(&from, a->device, count * size, keys));
	gemp_timers_add(&a->timers, GEMP_PHASE_UPLOAD, began);
	GEMP_TRY(gemp_distinct_device(a->box, kind, &from, count, out ? &to : NULL, distinct));
	GEMP_TRY(count_kernels(a, &seconds));
	if (!out)
		return GEMP_OK;
	began = gemp_now();
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(found, *distinct, size)));
	GEMP_TRY(download(a->device, &to, *distinct * size, found));
	gemp_timers_add(&a->timers, GEMP_PHASE_DOWNLOAD, began);
	*out = found;
	found = NULL;
	return GEMP_OK;
}

/* Besides the keys, the device may need a bitmap of up to 512 MiB. */
gemp_code gemp_arrays_distinct(gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count, void **out,
                               size_t *distinct)
{
	if (out)
		*out = NULL;
	a->on_device = count && on_device(a, count, "distinct.host_below", DISTINCT_HOST_BELOW, count * gemp_key_size(kind),
	                                  4, BITMAP);
	if (a->on_device)
		return distinct_on_device(a, kind, keys, count, out, distinct);
	double began = gemp_now();
	gemp_code code = gemp_distinct_host(kind, keys, count, out, distinct);
	gemp_timers_add(&a->timers, GEMP_PHASE_RESOLVE, began);
	return code;
}

/* Collective. Sends the elements from cut[r] to cut[r + 1] to rank r. The received elements, by source rank, replace
 * the array. */
static gemp_code exchange(const gemp_comm *comm, gemp_arrays *a, const size_t *cut, unsigned size, void **array,
                          size_t *count)
{
	GEMP_OWNED size_t *send = NULL;
	GEMP_OWNED void *received = NULL;
	size_t bytes;
	gemp_code code = GEMP_NEW(send, (size_t)comm->size);
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		send[r] = (cut[r + 1] - cut[r]) * size;
	GEMP_TRY(gemp_exchange_bytes(comm, code, *array, send, &received, &bytes, &a->traffic));
	gemp_free(*array);
	*array = received;
	received = NULL;
	*count = bytes / size;
	return GEMP_OK;
}

/* Collective. Allocates and computes the cuts. */
static gemp_code find_cuts(const gemp_comm *comm, const void *keys, size_t count, gemp_key_map map, bool together,
                           size_t **cut)
{
	gemp_code code = gemp_comm_agree(comm, GEMP_NEW(*cut, (size_t)comm->size + 1));
	return code == GEMP_OK ? gemp_select_cuts(comm, keys, count, map, together, *cut) : code;
}

/* Sorted parts arrive in rank order and the sort is stable, so equal keys keep the order of the ranks. */
gemp_code gemp_sort_ranks(const gemp_comm *comm, gemp_arrays *a, const gemp_sort *sort, void **keys, void **values,
                          size_t *count)
{
	gemp_key_map map = gemp_key_map_of(sort->key, sort->descending);
	GEMP_OWNED size_t *cut = NULL;
	size_t received = 0;
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count)));
	if (comm->size == 1)
		return GEMP_OK;
	double began = gemp_now();
	GEMP_TRY(find_cuts(comm, *keys, *count, map, false, &cut));
	GEMP_TRY(exchange(comm, a, cut, map.size, keys, &received));
	if (sort->value_size)
		GEMP_TRY(exchange(comm, a, cut, sort->value_size, values, &received));
	*count = received;
	gemp_timers_add(&a->timers, GEMP_PHASE_EXCHANGE, began);
	return gemp_comm_agree(comm, gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count));
}

/* The cuts keep equal keys together, so all copies of a key reach the same rank. */
gemp_code gemp_distinct_ranks(const gemp_comm *comm, gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count,
                              void **out, size_t *distinct)
{
	gemp_key_map map = gemp_key_map_of(kind, false);
	GEMP_OWNED void *mine = NULL, *own = NULL;
	GEMP_OWNED size_t *cut = NULL;
	size_t found, received = 0;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_distinct(a, kind, keys, count, &mine, &found)));
	if (comm->size == 1) {
		*out = mine;
		*distinct = found;
		mine = NULL;
		return GEMP_OK;
	}
	double began = gemp_now();
	GEMP_TRY(find_cuts(comm, mine, found, map, true, &cut));
	GEMP_TRY(exchange(comm, a, cut, map.size, &mine, &received));
	gemp_timers_add(&a->timers, GEMP_PHASE_EXCHANGE, began);
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_distinct(a, kind, mine, received, &own, distinct)));
	*out = own;
	own = NULL;
	return GEMP_OK;
}
