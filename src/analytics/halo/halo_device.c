/* The halo exchange by kernels, as on a GPU. The host reads the bitmap of changes and chooses each message's form. Then
 * a kernel packs the values, and the host reads them straight into the messages. Received values of a HALO_ALL message
 * are written straight to their ghosts, if possible on the copy queue, beside kernels. Any other message is written to
 * the device unchanged, and a kernel scatters its values.
 *
 * A launch that finds few changes lists the changed places and their values (listed[]), so one read gets all
 * messages. */

#include "analytics/halo/halo.h"
#include "core/limits.h"
#include "device/launch.h"
#include "device/staging.h"

#include <stdio.h>

enum { GROUP = 256, EARLY_WORDS = 1 << 16 };
enum { QUEUE, TRANSFER }; /* the two queues of the device */

/* The staging block contains a copy of listed[] (two rows of counts, values, places), GEMP_HALO_READ bytes for the
 * caller's read, and a u32 for each word of the outgoing and of the incoming bitmap. */
static const cl_uint *staged_values(const gemp_halo *halo)
{
	return (const cl_uint *)(void *)halo->staging.host + 2 * halo->ranks;
}

static const cl_uint *staged_places(const gemp_halo *halo)
{
	return staged_values(halo) + (size_t)(halo->ranks - 1) * halo->listed_max * (halo->size / sizeof(cl_uint));
}

static char *staged_read(const gemp_halo *halo)
{
	return halo->staging.host + halo->listed.size;
}

static char *staged_words(const gemp_halo *halo)
{
	return staged_read(halo) + GEMP_HALO_READ;
}

static char *staged_arrived(const gemp_halo *halo)
{
	return staged_words(halo) + halo->out.first[halo->ranks] * sizeof(cl_uint);
}

/* The lists of changes have gemp_limits.halo_listed_max entries together, an equal part for each other rank. */
static gemp_code new_staging(gemp_halo *halo)
{
	const size_t ranks = (size_t)halo->ranks;
	halo->listed_max = gemp_limits_now()->halo_listed_max / (unsigned)(halo->ranks - 1);
	GEMP_TRY(gemp_buffer_new(&halo->first, halo->device, (ranks + 1) * sizeof(cl_uint), halo->out.first));
	const size_t listed = (ranks - 1) * halo->listed_max * (sizeof(cl_uint) + halo->size);
	GEMP_TRY(gemp_buffer_new(&halo->listed, halo->device, 2 * ranks * sizeof(cl_uint) + listed, NULL));
	GEMP_TRY(gemp_buffer_zero(halo->device, &halo->listed, 0, 2 * ranks * sizeof(cl_uint)));
	return gemp_pinned_take(&halo->staging, halo->device,
	                        halo->listed.size + GEMP_HALO_READ +
	                            ((size_t)halo->out.first[ranks] + halo->in.first[ranks]) * sizeof(cl_uint));
}

/* Compiles the kernels for the size of a value, and copies slot[], which never changes. */
gemp_code gemp_halo_device_new(gemp_halo *halo)
{
	size_t words = halo->out.first[halo->ranks], sent = halo->links->send_begin[halo->ranks];
	char options[32];
	snprintf(options, sizeof options, "-DHALO_SIZE=%zu", halo->size);
	GEMP_TRY(gemp_program_build(&halo->program, halo->device, "gas_halo.cl", options, { "gas_halo_mark", &halo->mark },
	                            { "gas_halo_gather", &halo->gather }, { "gas_halo_set_all", &halo->set_all },
	                            { "gas_halo_put_bits", &halo->put_bits }, { "gas_halo_put_pairs", &halo->put_pairs }));
	GEMP_TRY(gemp_buffer_new(&halo->slots, halo->device, words * 32 * sizeof *halo->slot, halo->slot));
	GEMP_TRY(gemp_buffer_new(&halo->bits, halo->device, words * sizeof *halo->out.bits, NULL));
	GEMP_TRY(gemp_buffer_new(&halo->before, halo->device, words * sizeof *halo->out.before, NULL));
	GEMP_TRY(gemp_buffer_new(&halo->packed, halo->device, sent * halo->size, NULL));
	GEMP_TRY(gemp_buffer_new(&halo->inbox, halo->device, halo->in.region[halo->ranks], NULL));
	GEMP_TRY(gemp_buffer_new(&halo->received_prefix, halo->device,
	                         ((size_t)halo->in.first[halo->ranks] + 1) * sizeof *halo->in.before, NULL));
	return new_staging(halo);
}

/* The transfers must end before the memory that they read and write is released. */
void gemp_halo_device_free(gemp_halo *halo)
{
	gemp_kernels_free(&halo->mark, &halo->gather, &halo->set_all, &halo->put_bits, &halo->put_pairs);
	gemp_halo_wait_device(halo);
	gemp_program_free(&halo->program);
	gemp_pinned_release(&halo->staging, halo->device);
	gemp_buffers_free(halo->device, &halo->first, &halo->listed, &halo->slots, &halo->bits, &halo->before,
	                  &halo->packed, &halo->inbox, &halo->received_prefix);
}

/* *event may be NULL. */
static void release_event(cl_event *event)
{
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
}

/* Waits for all three transfers, even after one has failed, since the caller writes their host memory next. */
gemp_code gemp_halo_wait_device(gemp_halo *halo)
{
	cl_event *events[] = { &halo->reading, &halo->writing[QUEUE], &halo->writing[TRANSFER] };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (*events[i])
			GEMP_ALSO(GEMP_CL(clWaitForEvents(1, events[i])));
		release_event(events[i]);
	}
	return code;
}

/* Reads packed values into the messages, behind their heads. The first read waits for the last launch. The later reads
 * follow in order on the same queue. */
static gemp_code read_values(gemp_halo *halo)
{
	const halo_direction *out = &halo->out;
	const gemp_device *device = halo->device;
	for (int r = 0; r < halo->ranks; r++) {
		uint32_t count = halo_count(out, r);
		if (!count)
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(out, r);
		char *to = halo_message_of(out, r) + halo_values_at((halo_form)head->form, out->count[r], count);
		release_event(&halo->reading);
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(
			device->copy_queue, halo->packed.mem, CL_FALSE, out->before[out->first[r]] * halo->size, count * halo->size,
			to, halo->ordered ? 0 : 1, halo->ordered ? NULL : &device->last_launch, &halo->reading)));
		halo->ordered = true;
	}
	GEMP_TRY(GEMP_CL(clFlush(device->queue)));
	return GEMP_CL(clFlush(device->copy_queue));
}

/* Enqueues a read without waiting. The next blocking read on the same queue waits for it. */
static gemp_code enqueue_read(const gemp_halo *halo, const gemp_buffer *from, size_t size, void *to)
{
	return GEMP_CL(clEnqueueReadBuffer(halo->device->queue, from->mem, CL_FALSE, 0, size, to, 0, NULL, NULL));
}

/* A second read costs more than an unused read, so a short bitmap is always read together with the counts. */
static bool reads_bits_early(const gemp_halo *halo)
{
	const uint32_t words = halo->out.first[halo->ranks];
	return words > 0 && words <= EARLY_WORDS;
}

/* Without values a short bitmap says all, and no lists are read. */
static bool needs_lists(const gemp_halo *halo)
{
	return halo->size > 0 || !reads_bits_early(halo);
}

/* Launches the kernel that sets the bitmap of changes and lists few changes. Reads the lists with their counts, `read`
 * if it is not NULL, and the bitmap if it is short. */
static gemp_code mark_changes(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_read *read)
{
	const cl_uint words = halo->out.first[halo->ranks], ranks = (cl_uint)halo->ranks, parity = halo->counting;
	const cl_uint self = (cl_uint)halo->comm->rank, listed_max = needs_lists(halo) ? halo->listed_max : 0;
	const cl_mem *from = values ? &values->mem : &halo->packed.mem;
	GEMP_TRY(gemp_launch(halo->device, halo->mark, words > ranks ? words : ranks, GROUP, GEMP_ARG(&halo->slots.mem),
	                     GEMP_ARG(&words), GEMP_ARG(&changed->mem), GEMP_ARG(&halo->bits.mem),
	                     GEMP_ARG(&halo->first.mem), GEMP_ARG(&ranks), GEMP_ARG(&self), GEMP_ARG(&parity),
	                     GEMP_ARG(&halo->listed.mem), GEMP_ARG(&listed_max), GEMP_ARG(from)));
	halo->counting = !parity;
	if (read)
		GEMP_TRY(enqueue_read(halo, read->from, read->size, staged_read(halo)));
	if (!needs_lists(halo)) {
		GEMP_TRY(gemp_buffer_read(halo->device, &halo->bits, 0, words * sizeof(cl_uint), staged_words(halo)));
	} else {
		if (reads_bits_early(halo))
			GEMP_TRY(enqueue_read(halo, &halo->bits, words * sizeof(cl_uint), staged_words(halo)));
		GEMP_TRY(gemp_buffer_read(halo->device, &halo->listed, 0, halo->listed.size, halo->staging.host));
	}
	if (read)
		memcpy(read->to, staged_read(halo), read->size);
	return GEMP_OK;
}

/* Makes the messages from the lists, without another read. Writes nothing and returns false if some changes were not
 * listed, or if HALO_PAIRS is not the smallest form for some rank. */
static bool write_lists(gemp_halo *halo)
{
	const halo_direction *out = &halo->out;
	const cl_uint *counts = (const cl_uint *)(void *)halo->staging.host + !halo->counting * halo->ranks;
	for (int r = 0; r < halo->ranks; r++)
		if (counts[r] > halo->listed_max || (out->count[r] && halo_form_of(out->count[r], counts[r]) != HALO_PAIRS))
			return false;
	for (int r = 0; r < halo->ranks; r++) {
		const size_t count = counts[r], from = (size_t)(r - (r > halo->comm->rank)) * halo->listed_max;
		if (!out->count[r])
			continue;
		halo_head *head = (halo_head *)(void *)halo_message_of(out, r);
		*head = (halo_head){ HALO_PAIRS, counts[r] };
		memcpy(head + 1, staged_places(halo) + from, count * sizeof(cl_uint));
		memcpy((char *)head + halo_values_at(HALO_PAIRS, out->count[r], count),
		       (const char *)staged_values(halo) + from * halo->size, count * halo->size);
	}
	return true;
}

/* Reads the bitmap of changes. The host computes its prefix sums and writes them to the device, where the packing
 * kernel needs them. */
static gemp_code read_bits(gemp_halo *halo)
{
	halo_direction *out = &halo->out;
	const size_t words = out->first[halo->ranks], bytes = words * sizeof *out->bits;
	if (!reads_bits_early(halo))
		GEMP_TRY(gemp_buffer_read(halo->device, &halo->bits, 0, bytes, staged_words(halo)));
	memcpy(out->bits, staged_words(halo), bytes);
	gemp_halo_prefix(out, 0, (uint32_t)words);
	memcpy(staged_words(halo), out->before, bytes);
	if (bytes && halo->size)
		return GEMP_CL(clEnqueueWriteBuffer(halo->device->queue, halo->before.mem, CL_FALSE, 0, bytes,
		                                    staged_words(halo), 0, NULL, NULL));
	return GEMP_OK;
}

/* If all vertices have changed, the bitmap of all places stays on the device until a round with a bitmap of changes
 * replaces it. */
gemp_code gemp_halo_pack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_read *read)
{
	halo_direction *out = &halo->out;
	cl_uint words = out->first[halo->ranks];
	size_t bytes = words * sizeof *out->bits;
	halo->ordered = false;
	if (changed) {
		halo->all = false;
		GEMP_TRY(mark_changes(halo, values, changed, read));
		if (needs_lists(halo) && write_lists(halo))
			return GEMP_OK;
		GEMP_TRY(read_bits(halo));
	} else if (!halo->all) {
		gemp_halo_mark_all(halo);
		GEMP_TRY(gemp_buffer_write(halo->device, &halo->bits, 0, bytes, out->bits));
		GEMP_TRY(gemp_buffer_write(halo->device, &halo->before, 0, bytes, out->before));
		halo->all = true;
	}
	gemp_halo_write_heads(halo);
	if (!halo->size || !out->before[words])
		return GEMP_OK;
	GEMP_TRY(gemp_launch(halo->device, halo->gather, (size_t)words * 32, GROUP, GEMP_ARG(&halo->slots.mem),
	                     GEMP_ARG(&words), GEMP_ARG(&halo->bits.mem), GEMP_ARG(&halo->before.mem),
	                     GEMP_ARG(&values->mem), GEMP_ARG(&halo->packed.mem)));
	return read_values(halo);
}

/* Enqueues a write. The event of the queue's last write is kept for gemp_halo_wait_device. */
static gemp_code enqueue_write(gemp_halo *halo, int which, const gemp_buffer *to, size_t at, size_t size,
                               const void *from)
{
	cl_command_queue queue = which == TRANSFER ? halo->device->copy_queue : halo->device->queue;
	if (!size)
		return GEMP_OK;
	release_event(&halo->writing[which]);
	return GEMP_CL(clEnqueueWriteBuffer(queue, to->mem, CL_FALSE, at, size, from, 0, NULL, &halo->writing[which]));
}

/* Writes all values of a rank to their ghosts. Kernels that were enqueued before `begin` may read the ghosts. So the
 * copy queue is used only if one of its transfers has waited for these kernels (ordered), and if no kernel has to set
 * bits after it. */
static gemp_code receive_all(gemp_halo *halo, int rank, const gemp_buffer *values, const gemp_buffer *arrived)
{
	cl_uint first = halo->links->ghost_begin[rank], count = halo->in.count[rank];
	GEMP_TRY(enqueue_write(halo, halo->ordered && !arrived ? TRANSFER : QUEUE, values, first * halo->size,
	                       count * halo->size,
	                       halo_message_of(&halo->in, rank) + halo_values_at(HALO_ALL, count, count)));
	if (arrived)
		return gemp_launch(halo->device, halo->set_all, count / 32 + 2, GROUP, GEMP_ARG(&first), GEMP_ARG(&count),
		                   GEMP_ARG(&arrived->mem));
	return GEMP_OK;
}

/* Writes the message to the inbox unchanged, and launches a kernel that copies its values to their ghosts. */
static gemp_code receive_changed(gemp_halo *halo, int rank, const halo_head *head, const gemp_buffer *values,
                                 const gemp_buffer *arrived)
{
	halo_direction *in = &halo->in;
	halo_form form = (halo_form)head->form;
	size_t region = in->region[rank];
	cl_uint first = halo->links->ghost_begin[rank], places = in->count[rank], wanted = arrived != NULL;
	cl_uint words_at = (cl_uint)((region + sizeof *head) / sizeof(cl_uint)), before_at = in->first[rank];
	cl_uint count = head->count;
	cl_uint values_at = (cl_uint)((region + halo_values_at(form, places, count)) / sizeof(cl_uint));
	const cl_mem *to = values ? &values->mem : &halo->inbox.mem,
				 *bits = arrived ? &arrived->mem : &halo->received_prefix.mem;
	GEMP_TRY(enqueue_write(halo, QUEUE, &halo->inbox, region, halo_size(form, places, count, halo->size), head));
	if (form == HALO_PAIRS)
		return gemp_launch(halo->device, halo->put_pairs, count, GROUP, GEMP_ARG(&halo->inbox.mem), GEMP_ARG(&words_at),
		                   GEMP_ARG(&values_at), GEMP_ARG(&count), GEMP_ARG(&first), GEMP_ARG(to), GEMP_ARG(&wanted),
		                   GEMP_ARG(bits));
	const size_t words = halo_words(places), at = before_at * sizeof *in->before;
	if (halo->size) { /* without values the kernel reads no prefix sums */
		memcpy(in->bits + before_at, head + 1, words * sizeof *in->bits);
		gemp_halo_prefix(in, before_at, before_at + (uint32_t)words);
		memcpy(staged_arrived(halo) + at, in->before + before_at, words * sizeof *in->before);
		GEMP_TRY(enqueue_write(halo, QUEUE, &halo->received_prefix, at, words * sizeof *in->before,
		                       staged_arrived(halo) + at));
	}
	return gemp_launch(halo->device, halo->put_bits, places, GROUP, GEMP_ARG(&halo->inbox.mem), GEMP_ARG(&words_at),
	                   GEMP_ARG(&values_at), GEMP_ARG(&halo->received_prefix.mem), GEMP_ARG(&before_at),
	                   GEMP_ARG(&first), GEMP_ARG(&places), GEMP_ARG(to), GEMP_ARG(&wanted), GEMP_ARG(bits));
}

/* A barrier on the kernels' queue waits for the last transfer of the copy queue, and kernels launched later wait for
 * the barrier. */
gemp_code gemp_halo_unpack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived)
{
	for (int r = 0; r < halo->ranks; r++) {
		if (!halo->in.count[r])
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(&halo->in, r);
		if (head->form == HALO_ALL)
			GEMP_TRY(receive_all(halo, r, values, arrived));
		else if (head->count)
			GEMP_TRY(receive_changed(halo, r, head, values, arrived));
	}
	if (!halo->writing[TRANSFER])
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clFlush(halo->device->copy_queue)));
	return GEMP_CL(clEnqueueBarrierWithWaitList(halo->device->queue, 1, &halo->writing[TRANSFER], NULL));
}
