/* A device keeps the keys of its rank from the upload to the download: the local sort, the counts of probes for the
 * cuts, the exchange and the second sort all work on its buffers. */

#include "primitive/arrays_ranks.h"

#include "core/memory.h"
#include "primitive/cuts.h"
#include "primitive/device_exchange.h"
#include "primitive/distinct.h"
#include "primitive/merge.h"

/* Collective. Decides for all ranks: on their devices only if every rank says so. The elements of one rank are those
 * that it has, or its share of all elements if that is more. */
static gemp_code choose_place(const gemp_comm *comm, gemp_arrays *a, gemp_array_need need, size_t *capacity)
{
	const size_t ranks = (size_t)comm->size, all = gemp_comm_sum1(comm, need.count), share = (all + ranks - 1) / ranks;
	gemp_array_need even = need;
	bool fits, wanted;
	/* parts that keep equal keys together exceed the share by up to the copies of a key, one from each rank */
	*capacity = need.count = gemp_max(need.count, share + ranks);
	even.count = share; /* ranks with few elements do not keep the others from their devices */
	gemp_code code = gemp_arrays_place(a, &need, &fits);
	GEMP_THEN(gemp_arrays_place(a, &even, &wanted));
	GEMP_TRY(gemp_comm_agree(comm, code));
	a->on_device = all && gemp_comm_sum1(comm, !(a->box && fits && wanted)) == 0;
	return GEMP_OK;
}

/* DEVICES */

/* The elements of a rank on its device: in buffer 0 of each pair. */
typedef struct device_elements {
	const gemp_comm *comm;
	gemp_arrays *arrays;
	gemp_sort_buffers b;
	size_t count;
	uint64_t expected;         /* elements that a rank is expected to send to other ranks; the same on all ranks */
	uint64_t *send, *received; /* [ranks] */
	gemp_device_exchange *exchange;
} device_elements;

/* Collective. */
static gemp_code new_elements(device_elements *e, const gemp_comm *comm, gemp_arrays *a, size_t count)
{
	const size_t ranks = (size_t)comm->size;
	*e = (device_elements){ .comm = comm, .arrays = a, .count = count };
	e->expected = gemp_comm_sum1(comm, count) / ranks * (ranks - 1) / ranks;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(e->send, ranks), GEMP_ARRAY(e->received, ranks))));
	return gemp_device_exchange_new(&e->exchange, comm, a->device);
}

/* Collective if there is an exchange, which either all ranks have or none. */
static void free_elements(device_elements *e)
{
	gemp_device_exchange_free(e->exchange);
	gemp_free_all(e->send, e->received);
	if (e->arrays)
		gemp_buffers_free(e->arrays->device, &e->b.keys[0], &e->b.keys[1], &e->b.values[0], &e->b.values[1]);
}

/* Collective. Sends the elements of buffer 0, which are cut into the parts of the ranks, to buffer 1 of their ranks. */
static gemp_code exchange_buffers(device_elements *e, gemp_buffer pair[2], size_t size)
{
	GEMP_TRY(gemp_device_exchange_run(e->exchange, GEMP_OK, &pair[0], e->send, size, &pair[1], e->received));
	const gemp_buffer sent = pair[0];
	pair[0] = pair[1];
	pair[1] = sent;
	return GEMP_OK;
}

/* Collective. Finds the cuts of the sorted keys, and exchanges the parts. `code` is this rank's so far. The memory of
 * the exchange is made while kernels run. */
static gemp_code exchange_parts(device_elements *e, gemp_code code, gemp_key_map map, unsigned value_size,
                                bool together)
{
	gemp_arrays *a = e->arrays;
	GEMP_OWNED size_t *cut = NULL;
	const gemp_sorted_keys sorted = { .map = map, .count = e->count, .box = a->box, .buffer = &e->b.keys[0] };
	double began = gemp_now();
	GEMP_TRY(gemp_device_exchange_reserve(e->exchange, e->expected * map.size));
	gemp_timers_add(&a->timers, GEMP_PHASE_EXCHANGE, began);
	GEMP_THEN(gemp_arrays_count_kernels(a));
	GEMP_TRY(gemp_comm_agree(e->comm, code));
	began = gemp_now();
	GEMP_TRY(gemp_cuts_find(e->comm, &sorted, together, &cut));
	for (int r = 0; r < e->comm->size; r++)
		e->send[r] = cut[r + 1] - cut[r];
	GEMP_TRY(exchange_buffers(e, e->b.keys, map.size));
	if (value_size)
		GEMP_TRY(exchange_buffers(e, e->b.values, value_size));
	e->count = 0;
	for (int r = 0; r < e->comm->size; r++)
		e->count += e->received[r];
	gemp_device_exchange_charge(e->exchange, &a->traffic, NULL);
	gemp_timers_add(&a->timers, GEMP_PHASE_EXCHANGE, began);
	return GEMP_OK;
}

/* Local. Uploads an array into a new pair of buffers of `capacity` elements. */
static gemp_code upload_pair(device_elements *e, gemp_buffer pair[2], size_t capacity, size_t size, const void *from)
{
	GEMP_TRY(gemp_array_upload(&pair[0], e->arrays->device, capacity * size, e->count * size, from));
	return gemp_buffer_new(&pair[1], e->arrays->device, capacity * size, NULL);
}

/* Local. Downloads an array into the caller's block, which is kept if it has the right length. */
static gemp_code download_array(device_elements *e, const gemp_buffer *from, size_t size, void **to, size_t old)
{
	if (e->count != old) {
		void *block = gemp_calloc(e->count, size);
		if (!block)
			return GEMP_ENOMEM;
		gemp_free(*to);
		*to = block;
	}
	return gemp_array_download(e->arrays->device, from, e->count * size, *to);
}

static gemp_code upload_and_sort(device_elements *e, const gemp_sort *sort, size_t capacity, const void *keys,
                                 const void *values)
{
	const double began = gemp_now();
	GEMP_TRY(upload_pair(e, e->b.keys, capacity, gemp_key_size(sort->key), keys));
	if (sort->value_size)
		GEMP_TRY(upload_pair(e, e->b.values, capacity, sort->value_size, values));
	gemp_timers_add(&e->arrays->timers, GEMP_PHASE_UPLOAD, began);
	return gemp_sort_device(e->arrays->box, sort, &e->b, e->count, 0);
}

/* Sorted parts have arrived in rank order. The sort and the merge are stable, so equal keys keep the order of the
 * ranks. */
static gemp_code combine(device_elements *e, const gemp_sort *sort)
{
	const size_t ranks = (size_t)e->comm->size;
	size_t parts = 0;
	for (size_t r = 0; r < ranks; r++)
		if (e->received[r])
			e->send[parts++] = e->received[r];
	if (parts < 2)
		return GEMP_OK;
	if (gemp_merge_pays(e->arrays->box, sort, e->count, parts))
		return gemp_merge_device(e->arrays->box, sort, &e->b, e->send, parts);
	return gemp_sort_device(e->arrays->box, sort, &e->b, e->count, 0);
}

static gemp_code combine_and_download(device_elements *e, const gemp_sort *sort, void **keys, void **values, size_t old)
{
	gemp_arrays *a = e->arrays;
	GEMP_TRY(combine(e, sort));
	GEMP_TRY(gemp_arrays_count_kernels(a));
	const double began = gemp_now();
	GEMP_TRY(download_array(e, &e->b.keys[0], gemp_key_size(sort->key), keys, old));
	if (sort->value_size)
		GEMP_TRY(download_array(e, &e->b.values[0], sort->value_size, values, old));
	gemp_timers_add(&a->timers, GEMP_PHASE_DOWNLOAD, began);
	return GEMP_OK;
}

/* Collective. */
static gemp_code sort_on_devices(const gemp_comm *comm, gemp_arrays *a, const gemp_sort *sort, void **keys,
                                 void **values, size_t *count, size_t capacity)
{
	GEMP_OWNED_BY(free_elements) device_elements e = { 0 };
	const gemp_key_map map = gemp_key_map_of(sort->key, sort->descending);
	GEMP_TRY(new_elements(&e, comm, a, *count));
	const gemp_code code = upload_and_sort(&e, sort, capacity, *keys, values ? *values : NULL);
	GEMP_TRY(exchange_parts(&e, code, map, sort->value_size, false));
	GEMP_TRY(gemp_comm_agree(comm, combine_and_download(&e, sort, keys, values, *count)));
	*count = e.count;
	return GEMP_OK;
}

/* Replaces the keys on the device by the distinct keys among them. */
static gemp_code reduce(device_elements *e, gemp_key_kind kind)
{
	gemp_device *device = e->arrays->device;
	gemp_buffer *keys = e->b.keys;
	size_t distinct = 0;
	if (e->count == 0)
		return GEMP_OK;
	gemp_buffer_free(&keys[1], device);
	keys[1] = (gemp_buffer){ 0 };
	GEMP_TRY(gemp_distinct_device(e->arrays->box, kind, &keys[0], e->count, &keys[1], &distinct));
	gemp_buffer_free(&keys[0], device);
	keys[0] = keys[1];
	keys[1] = (gemp_buffer){ 0 };
	e->count = distinct;
	return GEMP_OK;
}

static gemp_code upload_and_reduce(device_elements *e, gemp_key_kind kind, const void *keys)
{
	const size_t bytes = e->count * gemp_key_size(kind);
	const double began = gemp_now();
	GEMP_TRY(gemp_array_upload(&e->b.keys[0], e->arrays->device, bytes, bytes, keys));
	gemp_timers_add(&e->arrays->timers, GEMP_PHASE_UPLOAD, began);
	return reduce(e, kind);
}

static gemp_code reduce_and_download(device_elements *e, gemp_key_kind kind, void **out)
{
	GEMP_TRY(reduce(e, kind));
	GEMP_TRY(gemp_arrays_count_kernels(e->arrays));
	if (!out)
		return GEMP_OK;
	const double began = gemp_now();
	GEMP_TRY(download_array(e, &e->b.keys[0], gemp_key_size(kind), out, SIZE_MAX));
	gemp_timers_add(&e->arrays->timers, GEMP_PHASE_DOWNLOAD, began);
	return GEMP_OK;
}

/* Collective. */
static gemp_code distinct_on_devices(const gemp_comm *comm, gemp_arrays *a, gemp_key_kind kind, const void *keys,
                                     size_t count, void **out, size_t *distinct)
{
	GEMP_OWNED_BY(free_elements) device_elements e = { 0 };
	GEMP_OWNED void *own = NULL;
	GEMP_TRY(new_elements(&e, comm, a, count));
	const gemp_code code = upload_and_reduce(&e, kind, keys);
	GEMP_TRY(exchange_parts(&e, code, gemp_key_map_of(kind, false), 0, true));
	GEMP_TRY(gemp_comm_agree(comm, reduce_and_download(&e, kind, out ? &own : NULL)));
	*distinct = e.count;
	if (out) {
		*out = own;
		own = NULL;
	}
	return GEMP_OK;
}

/* HOSTS */

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

/* Sorted parts arrive in rank order and the sort is stable, so equal keys keep the order of the ranks. */
static gemp_code sort_on_hosts(const gemp_comm *comm, gemp_arrays *a, const gemp_sort *sort, void **keys, void **values,
                               size_t *count)
{
	GEMP_OWNED size_t *cut = NULL;
	size_t received = 0;
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count)));
	double began = gemp_now();
	const gemp_sorted_keys sorted = { .map = gemp_key_map_of(sort->key, sort->descending),
		                              .count = *count,
		                              .host = *keys };
	GEMP_TRY(gemp_cuts_find(comm, &sorted, false, &cut));
	GEMP_TRY(exchange(comm, a, cut, sorted.map.size, keys, &received));
	if (sort->value_size)
		GEMP_TRY(exchange(comm, a, cut, sort->value_size, values, &received));
	*count = received;
	gemp_timers_add(&a->timers, GEMP_PHASE_EXCHANGE, began);
	return gemp_comm_agree(comm, gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count));
}

/* The cuts keep equal keys together, so all copies of a key reach the same rank. */
static gemp_code distinct_on_hosts(const gemp_comm *comm, gemp_arrays *a, gemp_key_kind kind, const void *keys,
                                   size_t count, void **out, size_t *distinct)
{
	GEMP_OWNED void *mine = NULL, *own = NULL;
	GEMP_OWNED size_t *cut = NULL;
	size_t found, received = 0;
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_distinct(a, kind, keys, count, &mine, &found)));
	double began = gemp_now();
	const gemp_sorted_keys sorted = { .map = gemp_key_map_of(kind, false), .count = found, .host = mine };
	GEMP_TRY(gemp_cuts_find(comm, &sorted, true, &cut));
	GEMP_TRY(exchange(comm, a, cut, sorted.map.size, &mine, &received));
	gemp_timers_add(&a->timers, GEMP_PHASE_EXCHANGE, began);
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_distinct(a, kind, mine, received, out ? &own : NULL, distinct)));
	if (out) {
		*out = own;
		own = NULL;
	}
	return GEMP_OK;
}

/* The arrays of all ranks are on hosts, even if the place is a device that is not used by all. */
static gemp_arrays *on_host(gemp_arrays *a, gemp_placement *place)
{
	*place = a->place;
	a->place = GEMP_PLACE_HOST;
	return a;
}

gemp_code gemp_sort_ranks(const gemp_comm *comm, gemp_arrays *a, const gemp_sort *sort, void **keys, void **values,
                          size_t *count)
{
	gemp_placement place;
	size_t capacity;
	if (comm->size == 1)
		return gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count);
	GEMP_TRY(choose_place(comm, a, gemp_sort_need(sort, *count), &capacity));
	if (a->on_device)
		return sort_on_devices(comm, a, sort, keys, values, count, capacity);
	gemp_code code = sort_on_hosts(comm, on_host(a, &place), sort, keys, values, count);
	a->place = place;
	return code;
}

gemp_code gemp_distinct_ranks(const gemp_comm *comm, gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count,
                              void **out, size_t *distinct)
{
	gemp_placement place;
	size_t capacity;
	if (out)
		*out = NULL;
	if (comm->size == 1)
		return gemp_arrays_distinct(a, kind, keys, count, out, distinct);
	GEMP_TRY(choose_place(comm, a, gemp_distinct_need(kind, count), &capacity));
	if (a->on_device)
		return distinct_on_devices(comm, a, kind, keys, count, out, distinct);
	gemp_code code = distinct_on_hosts(comm, on_host(a, &place), kind, keys, count, out, distinct);
	a->place = place;
	return code;
}
