/* Mail by kernels: bits of what has changed come to the host, which decides how it is sent; values go from the
 * device into messages, and messages to the device as they have come, by a queue of their own, so that kernels may
 * run beside. */
#include "core/memory.h"
#include "gas/mail_parts.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 256, ALONG = 1 << 16 /* words */ };
enum { QUEUE, TRANSFER }; /* of the device */

static gemp_code new_buffer(gemp_gas_mail *mail, gemp_buffer *out, size_t size, const void *from)
{
	return gemp_buffer_new(out, mail->device, size ? size : sizeof(uint64_t), size ? from : NULL);
}

unsigned gemp_gas_mail_few = 1 << 14;

/* The desk has `few`, as the device has it, what is looked at besides, and room for a number of each word, out and
 * in. */

static const cl_uint *desk_values(const gemp_gas_mail *mail)
{
	return (const cl_uint *)(void *)mail->desk.host + 2 * mail->ranks;
}

static const cl_uint *desk_places(const gemp_gas_mail *mail)
{
	return desk_values(mail) + (size_t)(mail->ranks - 1) * mail->most * (mail->size / sizeof(cl_uint));
}

static char *desk_look(const gemp_gas_mail *mail)
{
	return mail->desk.host + mail->few.size;
}

static char *desk_words(const gemp_gas_mail *mail)
{
	return desk_look(mail) + GEMP_GAS_LOOK;
}

static char *desk_came(const gemp_gas_mail *mail)
{
	return desk_words(mail) + mail->out.first[mail->ranks] * sizeof(cl_uint);
}

static gemp_code new_desk(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	const size_t ranks = (size_t)mail->ranks;
	mail->most = gemp_gas_mail_few / (unsigned)(mail->ranks - 1);
	GEMP_TRY(new_buffer(mail, &mail->first, (ranks + 1) * sizeof(cl_uint), mail->out.first));
	const size_t listed = (ranks - 1) * mail->most * (sizeof(cl_uint) + mail->size);
	GEMP_TRY(new_buffer(mail, &mail->few, 2 * ranks * sizeof(cl_uint) + listed, NULL));
	GEMP_TRY(gemp_buffer_zero(mail->device, &mail->few, 0, 2 * ranks * sizeof(cl_uint)));
	code = gemp_locked_take(&mail->desk, mail->device, mail->few.size + GEMP_GAS_LOOK +
	                        ((size_t)mail->out.first[ranks] + mail->in.first[ranks]) * sizeof(cl_uint));
done:
	return code;
}

gemp_code gemp_gas_mail_device_new(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	size_t words = mail->out.first[mail->ranks], sent = mail->links->send_begin[mail->ranks];
	char *source = NULL, options[32];
	snprintf(options, sizeof options, "-DMAIL_SIZE=%zu", mail->size);
	GEMP_TRY(gemp_kernel_source(&source, "gas_mail.cl"));
	GEMP_TRY(gemp_program_new(&mail->program, mail->device, source, options));
	GEMP_TRY(gemp_kernel_new(&mail->mark, &mail->program, "gas_mail_mark"));
	GEMP_TRY(gemp_kernel_new(&mail->gather, &mail->program, "gas_mail_gather"));
	GEMP_TRY(gemp_kernel_new(&mail->set_all, &mail->program, "gas_mail_set_all"));
	GEMP_TRY(gemp_kernel_new(&mail->put_bits, &mail->program, "gas_mail_put_bits"));
	GEMP_TRY(gemp_kernel_new(&mail->put_pairs, &mail->program, "gas_mail_put_pairs"));
	GEMP_TRY(new_buffer(mail, &mail->slots, words * 32 * sizeof *mail->slot, mail->slot));
	GEMP_TRY(new_buffer(mail, &mail->bits, words * sizeof *mail->out.bits, NULL));
	GEMP_TRY(new_buffer(mail, &mail->before, words * sizeof *mail->out.before, NULL));
	GEMP_TRY(new_buffer(mail, &mail->packed, sent * mail->size, NULL));
	GEMP_TRY(new_buffer(mail, &mail->inbox, mail->in.region[mail->ranks], NULL));
	GEMP_TRY(new_buffer(mail, &mail->came_before, ((size_t)mail->in.first[mail->ranks] + 1) * sizeof *mail->in.before, NULL));
	code = new_desk(mail);
done:
	gemp_free(source);
	return code;
}

void gemp_gas_mail_device_free(gemp_gas_mail *mail)
{
	cl_kernel kernels[] = { mail->mark, mail->gather, mail->set_all, mail->put_bits, mail->put_pairs };
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (kernels[i])
			clReleaseKernel(kernels[i]);
	gemp_gas_mail_wait_device(mail);
	gemp_program_free(&mail->program);
	gemp_locked_leave(&mail->desk, mail->device);
	gemp_buffer_free(&mail->first, mail->device);
	gemp_buffer_free(&mail->few, mail->device);
	gemp_buffer_free(&mail->slots, mail->device);
	gemp_buffer_free(&mail->bits, mail->device);
	gemp_buffer_free(&mail->before, mail->device);
	gemp_buffer_free(&mail->packed, mail->device);
	gemp_buffer_free(&mail->inbox, mail->device);
	gemp_buffer_free(&mail->came_before, mail->device);
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

gemp_code gemp_gas_mail_wait_device(gemp_gas_mail *mail)
{
	cl_event *events[] = { &mail->reading, &mail->writing[QUEUE], &mail->writing[TRANSFER] };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		gemp_code waited = wait_for(events[i]);
		code = code == GEMP_OK ? waited : code;
	}
	return code;
}

/* Values from the device into the messages, behind what heads them, when the last launch has ended. */
static gemp_code read_values(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	const mail_side *out = &mail->out;
	const gemp_device *device = mail->device;
	for (int r = 0; r < mail->ranks; r++) {
		uint32_t count = mail_count(out, r);
		if (!count)
			continue;
		const mail_head *head = (const mail_head *)(void *)mail_of(out, r);
		char *to = mail_of(out, r) + mail_values_at((mail_form)head->form, out->count[r], count);
		forget(&mail->reading);
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(device->transfer, mail->packed.mem, CL_FALSE,
		                                     out->before[out->first[r]] * mail->size, count * mail->size, to,
		                                     mail->ordered ? 0 : 1, mail->ordered ? NULL : &device->launched,
		                                     &mail->reading)));
		mail->ordered = true;
	}
	GEMP_TRY(GEMP_CL(clFlush(device->queue)));
	code = GEMP_CL(clFlush(device->transfer));
done:
	return code;
}

static gemp_code read_later(const gemp_gas_mail *mail, const gemp_buffer *from, size_t size, void *to)
{
	return GEMP_CL(clEnqueueReadBuffer(mail->device->queue, from->mem, CL_FALSE, 0, size, to, 0, NULL, NULL));
}

/* To ask for them once more would take longer than to have them come in vain. */
static bool bits_along(const gemp_gas_mail *mail)
{
	const uint32_t words = mail->out.first[mail->ranks];
	return words > 0 && words <= ALONG;
}

/* What has changed, and of few all that there is to say. */
static gemp_code mark(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed, const gemp_gas_look *look)
{
	gemp_code code = GEMP_OK;
	const cl_uint words = mail->out.first[mail->ranks], ranks = (cl_uint)mail->ranks, turn = mail->counting;
	const cl_uint self = (cl_uint)mail->comm->rank;
	const cl_mem *from = values ? &values->mem : &mail->packed.mem;
	GEMP_TRY(gemp_launch(mail->device, mail->mark, words > ranks ? words : ranks, GROUP, GEMP_ARG(&mail->slots.mem),
	                     GEMP_ARG(&words), GEMP_ARG(&changed->mem), GEMP_ARG(&mail->bits.mem),
	                     GEMP_ARG(&mail->first.mem), GEMP_ARG(&ranks), GEMP_ARG(&self), GEMP_ARG(&turn),
	                     GEMP_ARG(&mail->few.mem), GEMP_ARG(&mail->most), GEMP_ARG(from)));
	mail->counting = !turn;
	if (look)
		GEMP_TRY(read_later(mail, look->from, look->size, desk_look(mail)));
	if (bits_along(mail))
		GEMP_TRY(read_later(mail, &mail->bits, words * sizeof(cl_uint), desk_words(mail)));
	GEMP_TRY(gemp_buffer_read(mail->device, &mail->few, 0, mail->few.size, mail->desk.host));
	if (look)
		memcpy(look->to, desk_look(mail), look->size);
done:
	return code;
}

/* Did the lists have all of them, and are they as short as any form? Then messages are made of them. */
static bool take_lists(gemp_gas_mail *mail)
{
	const mail_side *out = &mail->out;
	const cl_uint *counts = (const cl_uint *)(void *)mail->desk.host + !mail->counting * mail->ranks;
	for (int r = 0; r < mail->ranks; r++)
		if (counts[r] > mail->most || (out->count[r] && mail_form_of(out->count[r], counts[r]) != MAIL_PAIRS))
			return false;
	for (int r = 0; r < mail->ranks; r++) {
		const size_t count = counts[r], from = (size_t)(r - (r > mail->comm->rank)) * mail->most;
		if (!out->count[r])
			continue;
		mail_head *head = (mail_head *)(void *)mail_of(out, r);
		*head = (mail_head){ MAIL_PAIRS, counts[r] };
		memcpy(head + 1, desk_places(mail) + from, count * sizeof(cl_uint));
		memcpy((char *)head + mail_values_at(MAIL_PAIRS, out->count[r], count),
		       (const char *)desk_values(mail) + from * mail->size, count * mail->size);
	}
	return true;
}

static gemp_code read_bits(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	mail_side *out = &mail->out;
	const size_t words = out->first[mail->ranks], bytes = words * sizeof *out->bits;
	if (!bits_along(mail))
		GEMP_TRY(gemp_buffer_read(mail->device, &mail->bits, 0, bytes, desk_words(mail)));
	memcpy(out->bits, desk_words(mail), bytes);
	gemp_gas_mail_sum(out, 0, (uint32_t)words);
	memcpy(desk_words(mail), out->before, bytes);
	if (bytes && mail->size)
		code = GEMP_CL(clEnqueueWriteBuffer(mail->device->queue, mail->before.mem, CL_FALSE, 0, bytes, desk_words(mail), 0,
		                                    NULL, NULL));
done:
	return code;
}

gemp_code gemp_gas_mail_pack_device(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                    const gemp_gas_look *look)
{
	gemp_code code = GEMP_OK;
	mail_side *out = &mail->out;
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
		gemp_gas_mail_mark_all(mail);
		GEMP_TRY(gemp_buffer_write(mail->device, &mail->bits, 0, bytes, out->bits));
		GEMP_TRY(gemp_buffer_write(mail->device, &mail->before, 0, bytes, out->before));
		mail->all = true;
	}
	gemp_gas_mail_heads(mail);
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
static int queue_for(const gemp_gas_mail *mail, const gemp_buffer *arrived)
{
	return mail->ordered && !arrived ? TRANSFER : QUEUE;
}

static gemp_code write(gemp_gas_mail *mail, int which, const gemp_buffer *to, size_t at, size_t size, const void *from)
{
	cl_command_queue queue = which == TRANSFER ? mail->device->transfer : mail->device->queue;
	if (!size)
		return GEMP_OK;
	forget(&mail->writing[which]);
	return GEMP_CL(clEnqueueWriteBuffer(queue, to->mem, CL_FALSE, at, size, from, 0, NULL, &mail->writing[which]));
}

/* All places of a rank: values go where they belong at once. */
static gemp_code take_all(gemp_gas_mail *mail, int rank, const gemp_buffer *values, const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	cl_uint first = mail->links->ghost_begin[rank], count = mail->in.count[rank];
	GEMP_TRY(write(mail, queue_for(mail, arrived), values, first * mail->size, count * mail->size,
	               mail_of(&mail->in, rank) + mail_values_at(MAIL_ALL, count, count)));
	if (arrived)
		code = gemp_launch(mail->device, mail->set_all, count / 32 + 2, GROUP, GEMP_ARG(&first), GEMP_ARG(&count),
		                   GEMP_ARG(&arrived->mem));
done:
	return code;
}

static gemp_code take_some(gemp_gas_mail *mail, int rank, const mail_head *head, const gemp_buffer *values,
                           const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	mail_side *in = &mail->in;
	mail_form form = (mail_form)head->form;
	size_t region = in->region[rank];
	cl_uint first = mail->links->ghost_begin[rank], places = in->count[rank], wanted = arrived != NULL;
	cl_uint words_at = (cl_uint)((region + sizeof *head) / sizeof(cl_uint)), before_at = in->first[rank];
	cl_uint count = head->count;
	cl_uint values_at = (cl_uint)((region + mail_values_at(form, places, count)) / sizeof(cl_uint));
	const cl_mem *to = values ? &values->mem : &mail->inbox.mem, *bits = arrived ? &arrived->mem : &mail->came_before.mem;
	GEMP_TRY(write(mail, QUEUE, &mail->inbox, region, mail_size(form, places, count, mail->size), head));
	if (form == MAIL_PAIRS)
		return gemp_launch(mail->device, mail->put_pairs, count, GROUP, GEMP_ARG(&mail->inbox.mem), GEMP_ARG(&words_at),
		                   GEMP_ARG(&values_at), GEMP_ARG(&count), GEMP_ARG(&first), GEMP_ARG(to), GEMP_ARG(&wanted),
		                   GEMP_ARG(bits));
	const size_t words = mail_words(places), came = before_at * sizeof *in->before;
	if (mail->size) { /* else it does not matter which value is whose */
		memcpy(in->bits + before_at, head + 1, words * sizeof *in->bits);
		gemp_gas_mail_sum(in, before_at, before_at + (uint32_t)words);
		memcpy(desk_came(mail) + came, in->before + before_at, words * sizeof *in->before);
		GEMP_TRY(write(mail, QUEUE, &mail->came_before, came, words * sizeof *in->before, desk_came(mail) + came));
	}
	code = gemp_launch(mail->device, mail->put_bits, places, GROUP, GEMP_ARG(&mail->inbox.mem), GEMP_ARG(&words_at),
	                   GEMP_ARG(&values_at), GEMP_ARG(&mail->came_before.mem), GEMP_ARG(&before_at), GEMP_ARG(&first),
	                   GEMP_ARG(&places), GEMP_ARG(to), GEMP_ARG(&wanted), GEMP_ARG(bits));
done:
	return code;
}

gemp_code gemp_gas_mail_unpack_device(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < mail->ranks; r++) {
		if (!mail->in.count[r])
			continue;
		const mail_head *head = (const mail_head *)(void *)mail_of(&mail->in, r);
		if (head->form == MAIL_ALL)
			GEMP_TRY(take_all(mail, r, values, arrived));
		else if (head->count)
			GEMP_TRY(take_some(mail, r, head, values, arrived));
	}
	if (mail->writing[TRANSFER]) {
		GEMP_TRY(GEMP_CL(clFlush(mail->device->transfer)));
		code = GEMP_CL(clEnqueueBarrierWithWaitList(mail->device->queue, 1, &mail->writing[TRANSFER], NULL));
	}
done:
	return code;
}
