/* Mail by kernels: bits of what has changed come to the host, which decides how it is sent; values go from the
 * device into messages, and messages to the device as they have come, by a queue of their own, so that kernels may
 * run beside. */

#include "analytics/halo/halo_device.h"

#include "core/memory.h"
#include "device/launch.h"
#include "device/staging.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 256, ALONG = 1 << 16 /* words */ };
enum { QUEUE, TRANSFER }; /* of the device */

static gemp_code new_buffer(gemp_halo *mail, gemp_buffer *out, size_t size, const void *from)
{
	return gemp_buffer_new(out, mail->device, size ? size : sizeof(uint64_t), size ? from : NULL);
}

/* The desk has `few`, as the device has it, what is looked at besides, and room for a number of each word, out and
 * in. */

static const cl_uint *staged_values(const gemp_halo *mail)
{
	return (const cl_uint *)(void *)mail->staging.host + 2 * mail->ranks;
}

static const cl_uint *staged_places(const gemp_halo *mail)
{
	return staged_values(mail) + (size_t)(mail->ranks - 1) * mail->few_max * (mail->size / sizeof(cl_uint));
}

static char *staged_read(const gemp_halo *mail)
{
	return mail->staging.host + mail->few.size;
}

static char *staged_words(const gemp_halo *mail)
{
	return staged_read(mail) + GEMP_HALO_READ;
}

static char *staged_arrived(const gemp_halo *mail)
{
	return staged_words(mail) + mail->out.first[mail->ranks] * sizeof(cl_uint);
}

static gemp_code new_staging(gemp_halo *mail)
{
	const size_t ranks = (size_t)mail->ranks;
	mail->few_max = gemp_halo_few / (unsigned)(mail->ranks - 1);
	GEMP_PROPAGATE(new_buffer(mail, &mail->first, (ranks + 1) * sizeof(cl_uint), mail->out.first));
	const size_t listed = (ranks - 1) * mail->few_max * (sizeof(cl_uint) + mail->size);
	GEMP_PROPAGATE(new_buffer(mail, &mail->few, 2 * ranks * sizeof(cl_uint) + listed, NULL));
	GEMP_PROPAGATE(gemp_buffer_zero(mail->device, &mail->few, 0, 2 * ranks * sizeof(cl_uint)));
	return gemp_pinned_take(&mail->staging, mail->device,
	                        mail->few.size + GEMP_HALO_READ +
	                            ((size_t)mail->out.first[ranks] + mail->in.first[ranks]) * sizeof(cl_uint));
}

gemp_code gemp_halo_device_new(gemp_halo *mail)
{
	size_t words = mail->out.first[mail->ranks], sent = mail->links->send_begin[mail->ranks];
	char options[32];
	snprintf(options, sizeof options, "-DHALO_SIZE=%zu", mail->size);
	GEMP_PROPAGATE(gemp_program_build(&mail->program, mail->device, "gas_halo.cl", options,
	                                  { "gas_halo_mark", &mail->mark }, { "gas_halo_gather", &mail->gather },
	                                  { "gas_halo_set_all", &mail->set_all }, { "gas_halo_put_bits", &mail->put_bits },
	                                  { "gas_halo_put_pairs", &mail->put_pairs }));
	GEMP_PROPAGATE(new_buffer(mail, &mail->slots, words * 32 * sizeof *mail->slot, mail->slot));
	GEMP_PROPAGATE(new_buffer(mail, &mail->bits, words * sizeof *mail->out.bits, NULL));
	GEMP_PROPAGATE(new_buffer(mail, &mail->before, words * sizeof *mail->out.before, NULL));
	GEMP_PROPAGATE(new_buffer(mail, &mail->packed, sent * mail->size, NULL));
	GEMP_PROPAGATE(new_buffer(mail, &mail->inbox, mail->in.region[mail->ranks], NULL));
	GEMP_PROPAGATE(new_buffer(mail, &mail->came_before,
	                          ((size_t)mail->in.first[mail->ranks] + 1) * sizeof *mail->in.before, NULL));
	return new_staging(mail);
}

void gemp_halo_device_free(gemp_halo *mail)
{
	gemp_kernels_free(&mail->mark, &mail->gather, &mail->set_all, &mail->put_bits, &mail->put_pairs);
	gemp_halo_wait_device(mail);
	gemp_program_free(&mail->program);
	gemp_pinned_release(&mail->staging, mail->device);
	gemp_buffers_free(mail->device, &mail->first, &mail->few, &mail->slots, &mail->bits, &mail->before, &mail->packed,
	                  &mail->inbox, &mail->came_before);
}

static void forget(cl_event *event)
{
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
}

static gemp_code wait_for(cl_event *event)
{
	gemp_code code = *event ? GEMP_CL(clWaitForEvents(1, event)) : GEMP_OK;
	forget(event);
	return code;
}

gemp_code gemp_halo_wait_device(gemp_halo *mail)
{
	cl_event *events[] = { &mail->reading, &mail->writing[QUEUE], &mail->writing[TRANSFER] };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		GEMP_ALSO(wait_for(events[i]));
	}
	return code;
}

/* Values from the device into the messages, behind what heads them, when the last launch has ended. */
static gemp_code read_values(gemp_halo *mail)
{
	const halo_side *out = &mail->out;
	const gemp_device *device = mail->device;
	for (int r = 0; r < mail->ranks; r++) {
		uint32_t count = halo_count(out, r);
		if (!count)
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(out, r);
		char *to = halo_message_of(out, r) + halo_values_at((halo_form)head->form, out->count[r], count);
		forget(&mail->reading);
		GEMP_PROPAGATE(GEMP_CL(clEnqueueReadBuffer(
			device->copy_queue, mail->packed.mem, CL_FALSE, out->before[out->first[r]] * mail->size, count * mail->size,
			to, mail->ordered ? 0 : 1, mail->ordered ? NULL : &device->last_launch, &mail->reading)));
		mail->ordered = true;
	}
	GEMP_PROPAGATE(GEMP_CL(clFlush(device->queue)));
	return GEMP_CL(clFlush(device->copy_queue));
}

static gemp_code read_later(const gemp_halo *mail, const gemp_buffer *from, size_t size, void *to)
{
	return GEMP_CL(clEnqueueReadBuffer(mail->device->queue, from->mem, CL_FALSE, 0, size, to, 0, NULL, NULL));
}

/* To ask for them once more would take longer than to have them come in vain. */
static bool bits_along(const gemp_halo *mail)
{
	const uint32_t words = mail->out.first[mail->ranks];
	return words > 0 && words <= ALONG;
}

/* What has changed, and of few all that there is to say. */
static gemp_code mark(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                      const gemp_halo_read *look)
{
	const cl_uint words = mail->out.first[mail->ranks], ranks = (cl_uint)mail->ranks, turn = mail->counting;
	const cl_uint self = (cl_uint)mail->comm->rank;
	const cl_mem *from = values ? &values->mem : &mail->packed.mem;
	GEMP_PROPAGATE(gemp_launch(mail->device, mail->mark, words > ranks ? words : ranks, GROUP,
	                           GEMP_ARG(&mail->slots.mem), GEMP_ARG(&words), GEMP_ARG(&changed->mem),
	                           GEMP_ARG(&mail->bits.mem), GEMP_ARG(&mail->first.mem), GEMP_ARG(&ranks), GEMP_ARG(&self),
	                           GEMP_ARG(&turn), GEMP_ARG(&mail->few.mem), GEMP_ARG(&mail->few_max), GEMP_ARG(from)));
	mail->counting = !turn;
	if (look)
		GEMP_PROPAGATE(read_later(mail, look->from, look->size, staged_read(mail)));
	if (bits_along(mail))
		GEMP_PROPAGATE(read_later(mail, &mail->bits, words * sizeof(cl_uint), staged_words(mail)));
	GEMP_PROPAGATE(gemp_buffer_read(mail->device, &mail->few, 0, mail->few.size, mail->staging.host));
	if (look)
		memcpy(look->to, staged_read(mail), look->size);
	return GEMP_OK;
}

/* Did the lists have all of them, and are they as short as any form? Then messages are made of them. */
static bool take_lists(gemp_halo *mail)
{
	const halo_side *out = &mail->out;
	const cl_uint *counts = (const cl_uint *)(void *)mail->staging.host + !mail->counting * mail->ranks;
	for (int r = 0; r < mail->ranks; r++)
		if (counts[r] > mail->few_max || (out->count[r] && halo_form_of(out->count[r], counts[r]) != HALO_PAIRS))
			return false;
	for (int r = 0; r < mail->ranks; r++) {
		const size_t count = counts[r], from = (size_t)(r - (r > mail->comm->rank)) * mail->few_max;
		if (!out->count[r])
			continue;
		halo_head *head = (halo_head *)(void *)halo_message_of(out, r);
		*head = (halo_head){ HALO_PAIRS, counts[r] };
		memcpy(head + 1, staged_places(mail) + from, count * sizeof(cl_uint));
		memcpy((char *)head + halo_values_at(HALO_PAIRS, out->count[r], count),
		       (const char *)staged_values(mail) + from * mail->size, count * mail->size);
	}
	return true;
}

static gemp_code read_bits(gemp_halo *mail)
{
	halo_side *out = &mail->out;
	const size_t words = out->first[mail->ranks], bytes = words * sizeof *out->bits;
	if (!bits_along(mail))
		GEMP_PROPAGATE(gemp_buffer_read(mail->device, &mail->bits, 0, bytes, staged_words(mail)));
	memcpy(out->bits, staged_words(mail), bytes);
	gemp_halo_prefix(out, 0, (uint32_t)words);
	memcpy(staged_words(mail), out->before, bytes);
	if (bytes && mail->size)
		return GEMP_CL(clEnqueueWriteBuffer(mail->device->queue, mail->before.mem, CL_FALSE, 0, bytes,
		                                    staged_words(mail), 0, NULL, NULL));
	return GEMP_OK;
}

gemp_code gemp_halo_pack_device(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_read *look)
{
	gemp_code code = GEMP_OK;
	halo_side *out = &mail->out;
	cl_uint words = out->first[mail->ranks];
	size_t bytes = words * sizeof *out->bits;
	mail->ordered = false;
	if (changed) {
		mail->all = false;
		GEMP_TRY(mark(mail, values, changed, look));
		if (take_lists(mail))
			return GEMP_OK;
		GEMP_TRY(read_bits(mail));
	} else if (!mail->all) {
		gemp_halo_mark_all(mail);
		GEMP_TRY(gemp_buffer_write(mail->device, &mail->bits, 0, bytes, out->bits));
		GEMP_TRY(gemp_buffer_write(mail->device, &mail->before, 0, bytes, out->before));
		mail->all = true;
	}
	gemp_halo_write_heads(mail);
	if (mail->size && out->before[words]) {
		GEMP_TRY(gemp_launch(mail->device, mail->gather, (size_t)words * 32, GROUP, GEMP_ARG(&mail->slots.mem),
		                     GEMP_ARG(&words), GEMP_ARG(&mail->bits.mem), GEMP_ARG(&mail->before.mem),
		                     GEMP_ARG(&values->mem), GEMP_ARG(&mail->packed.mem)));
		code = read_values(mail);
	}
done:
	return code;
}

/* Beside kernels where what they may do in between is known: not with bits, which share words with own ones. */
static int queue_for(const gemp_halo *mail, const gemp_buffer *arrived)
{
	return mail->ordered && !arrived ? TRANSFER : QUEUE;
}

static gemp_code write(gemp_halo *mail, int which, const gemp_buffer *to, size_t at, size_t size, const void *from)
{
	cl_command_queue queue = which == TRANSFER ? mail->device->copy_queue : mail->device->queue;
	if (!size)
		return GEMP_OK;
	forget(&mail->writing[which]);
	return GEMP_CL(clEnqueueWriteBuffer(queue, to->mem, CL_FALSE, at, size, from, 0, NULL, &mail->writing[which]));
}

/* All places of a rank: values go where they belong at once. */
static gemp_code take_all(gemp_halo *mail, int rank, const gemp_buffer *values, const gemp_buffer *arrived)
{
	cl_uint first = mail->links->ghost_begin[rank], count = mail->in.count[rank];
	GEMP_PROPAGATE(write(mail, queue_for(mail, arrived), values, first * mail->size, count * mail->size,
	                     halo_message_of(&mail->in, rank) + halo_values_at(HALO_ALL, count, count)));
	if (arrived)
		return gemp_launch(mail->device, mail->set_all, count / 32 + 2, GROUP, GEMP_ARG(&first), GEMP_ARG(&count),
		                   GEMP_ARG(&arrived->mem));
	return GEMP_OK;
}

static gemp_code take_some(gemp_halo *mail, int rank, const halo_head *head, const gemp_buffer *values,
                           const gemp_buffer *arrived)
{
	halo_side *in = &mail->in;
	halo_form form = (halo_form)head->form;
	size_t region = in->region[rank];
	cl_uint first = mail->links->ghost_begin[rank], places = in->count[rank], wanted = arrived != NULL;
	cl_uint words_at = (cl_uint)((region + sizeof *head) / sizeof(cl_uint)), before_at = in->first[rank];
	cl_uint count = head->count;
	cl_uint values_at = (cl_uint)((region + halo_values_at(form, places, count)) / sizeof(cl_uint));
	const cl_mem *to = values ? &values->mem : &mail->inbox.mem,
				 *bits = arrived ? &arrived->mem : &mail->came_before.mem;
	GEMP_PROPAGATE(write(mail, QUEUE, &mail->inbox, region, halo_size(form, places, count, mail->size), head));
	if (form == HALO_PAIRS)
		return gemp_launch(mail->device, mail->put_pairs, count, GROUP, GEMP_ARG(&mail->inbox.mem), GEMP_ARG(&words_at),
		                   GEMP_ARG(&values_at), GEMP_ARG(&count), GEMP_ARG(&first), GEMP_ARG(to), GEMP_ARG(&wanted),
		                   GEMP_ARG(bits));
	const size_t words = halo_words(places), came = before_at * sizeof *in->before;
	if (mail->size) { /* else it does not matter which value is whose */
		memcpy(in->bits + before_at, head + 1, words * sizeof *in->bits);
		gemp_halo_prefix(in, before_at, before_at + (uint32_t)words);
		memcpy(staged_arrived(mail) + came, in->before + before_at, words * sizeof *in->before);
		GEMP_PROPAGATE(
			write(mail, QUEUE, &mail->came_before, came, words * sizeof *in->before, staged_arrived(mail) + came));
	}
	return gemp_launch(mail->device, mail->put_bits, places, GROUP, GEMP_ARG(&mail->inbox.mem), GEMP_ARG(&words_at),
	                   GEMP_ARG(&values_at), GEMP_ARG(&mail->came_before.mem), GEMP_ARG(&before_at), GEMP_ARG(&first),
	                   GEMP_ARG(&places), GEMP_ARG(to), GEMP_ARG(&wanted), GEMP_ARG(bits));
}

gemp_code gemp_halo_unpack_device(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < mail->ranks; r++) {
		if (!mail->in.count[r])
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(&mail->in, r);
		if (head->form == HALO_ALL)
			GEMP_TRY(take_all(mail, r, values, arrived));
		else if (head->count)
			GEMP_TRY(take_some(mail, r, head, values, arrived));
	}
	if (mail->writing[TRANSFER]) {
		GEMP_TRY(GEMP_CL(clFlush(mail->device->copy_queue)));
		code = GEMP_CL(clEnqueueBarrierWithWaitList(mail->device->queue, 1, &mail->writing[TRANSFER], NULL));
	}
done:
	return code;
}
