#include "gas/mail.h"

#include "core/memory.h"
#include "gas/mail_parts.h"

#include <sched.h>
#include <string.h>

int gemp_gas_mail_kernels = -1;

enum { REGION = 64 };

static int pieces_of(size_t bytes)
{
	return (int)(bytes / gemp_exchange_piece + (bytes % gemp_exchange_piece != 0));
}

/* Room for the largest message of each rank. */
static size_t room_of(const mail_side *side, int rank, size_t value)
{
	return side->count[rank] ? mail_size(MAIL_BITS, side->count[rank], side->count[rank], value) : 0;
}

static gemp_code new_side(gemp_gas_mail *mail, mail_side *side)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)mail->ranks;
	int pieces = 0;
	GEMP_TRY(GEMP_NEW(side->count, ranks));
	GEMP_TRY(GEMP_NEW(side->first, ranks + 1));
	GEMP_TRY(GEMP_NEW(side->region, ranks + 1));
	for (int r = 0; r < mail->ranks; r++) {
		const gemp_gas_links *links = &mail->layout->links;
		side->count[r] = side == &mail->out ? (uint32_t)(links->send_begin[r + 1] - links->send_begin[r]) :
		                                      links->ghost_begin[r + 1] - links->ghost_begin[r];
		side->first[r + 1] = side->first[r] + (uint32_t)mail_words(side->count[r]);
		side->region[r + 1] = side->region[r] + (room_of(side, r, mail->size) + REGION - 1) / REGION * REGION;
		pieces += pieces_of(room_of(side, r, mail->size));
	}
	GEMP_TRY(GEMP_NEW(side->bits, side->first[ranks]));
	GEMP_TRY(GEMP_NEW(side->before, (size_t)side->first[ranks] + 1));
	GEMP_TRY(GEMP_NEW(side->request, (size_t)pieces));
	if (mail->kernels) {
		GEMP_TRY(gemp_locked_take(&side->locked, mail->device, side->region[ranks] ? side->region[ranks] : 1));
		side->bytes = side->locked.host;
	} else {
		GEMP_TRY(GEMP_NEW(side->bytes, side->region[ranks]));
	}
done:
	return code;
}

static void free_side(gemp_gas_mail *mail, mail_side *side)
{
	gemp_free(side->count);
	gemp_free(side->first);
	gemp_free(side->region);
	gemp_free(side->bits);
	gemp_free(side->before);
	gemp_free(side->request);
	if (mail->kernels)
		gemp_locked_leave(&side->locked, mail->device);
	else
		gemp_free(side->bytes);
}

static gemp_code list_slots(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_links *links = &mail->layout->links;
	size_t slots = (size_t)mail->out.first[mail->ranks] * 32;
	GEMP_TRY(GEMP_NEW(mail->slot, slots));
	memset(mail->slot, 0xff, slots * sizeof *mail->slot);
	for (int r = 0; r < mail->ranks; r++)
		memcpy(mail->slot + (size_t)mail->out.first[r] * 32, links->send + links->send_begin[r],
		       mail->out.count[r] * sizeof *mail->slot);
done:
	return code;
}

gemp_code gemp_gas_mail_new(gemp_gas_mail **out, const gemp_gas_layout *layout, gemp_device *device, size_t value_size)
{
	gemp_code code = GEMP_OK;
	gemp_gas_mail *mail = NULL;
	GEMP_TRY(GEMP_NEW(mail, 1));
	*mail = (gemp_gas_mail){ .layout = layout, .device = device, .size = value_size, .ranks = layout->comm->size,
	                         .kernels = gemp_gas_mail_kernels < 0 ? device->gpu : gemp_gas_mail_kernels };
	if (mail->ranks > 1) {
		GEMP_TRY(new_side(mail, &mail->out));
		GEMP_TRY(new_side(mail, &mail->in));
		GEMP_TRY(list_slots(mail));
		if (mail->kernels)
			code = gemp_gas_mail_device_new(mail);
	}
done:
	code = gemp_comm_agree(layout->comm, code);
	if (code != GEMP_OK) {
		gemp_gas_mail_free(mail);
		mail = NULL;
	}
	*out = mail;
	return code;
}

void gemp_gas_mail_free(gemp_gas_mail *mail)
{
	if (!mail)
		return;
	gemp_gas_mail_device_free(mail);
	free_side(mail, &mail->out);
	free_side(mail, &mail->in);
	gemp_free(mail->slot);
	gemp_free(mail);
}

const gemp_traffic *gemp_gas_mail_traffic(const gemp_gas_mail *mail)
{
	return &mail->traffic;
}

void gemp_gas_mail_sum(mail_side *side, uint32_t from, uint32_t end)
{
	for (uint32_t w = from; w < end; w++)
		side->before[w + 1] = side->before[w] + (uint32_t)__builtin_popcount(side->bits[w]);
}

void gemp_gas_mail_mark_all(gemp_gas_mail *mail)
{
	mail_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++)
		for (uint32_t i = 0, w = out->first[r]; w < out->first[r + 1]; w++, i += 32)
			out->bits[w] = out->count[r] - i < 32 ? (1u << (out->count[r] - i)) - 1 : UINT32_MAX;
	gemp_gas_mail_sum(out, 0, out->first[mail->ranks]);
}

/* As many pieces as the largest message may have, whatever it has: receivers have asked for them. */
static void post_receives(gemp_gas_mail *mail)
{
	mail_side *in = &mail->in;
	in->requests = 0;
	for (int r = 0; r < mail->ranks; r++)
		for (size_t at = 0, room = room_of(in, r, mail->size); at < room; at += gemp_exchange_piece) {
			int piece = (int)(room - at < gemp_exchange_piece ? room - at : gemp_exchange_piece);
			GEMP_MPI(MPI_Irecv(mail_of(in, r) + at, piece, MPI_BYTE, r, GEMP_TAG_MAIL, mail->layout->comm->world,
			                   &in->request[in->requests++]));
		}
}

static void post_sends(gemp_gas_mail *mail)
{
	mail_side *out = &mail->out;
	out->requests = 0;
	for (int r = 0; r < mail->ranks; r++) {
		size_t room = room_of(out, r, mail->size), size = 0;
		if (room) {
			const mail_head *head = (const mail_head *)(void *)mail_of(out, r);
			size = mail_size((mail_form)head->form, out->count[r], head->count, mail->size);
		}
		for (size_t at = 0; at < room; at += gemp_exchange_piece) {
			size_t left = at < size ? size - at : 0;
			int piece = (int)(left < gemp_exchange_piece ? left : gemp_exchange_piece);
			GEMP_MPI(MPI_Isend(mail_of(out, r) + (piece ? at : 0), piece, MPI_BYTE, r, GEMP_TAG_MAIL,
			                   mail->layout->comm->world, &out->request[out->requests++]));
		}
		mail->traffic.bytes += size;
		mail->traffic.messages += (uint64_t)pieces_of(room);
	}
	mail->traffic.rounds++;
}

/* What cannot be packed. */
static void send_nothing(gemp_gas_mail *mail)
{
	mail->all = false;
	memset(mail->out.bits, 0, mail->out.first[mail->ranks] * sizeof *mail->out.bits);
	gemp_gas_mail_sum(&mail->out, 0, mail->out.first[mail->ranks]);
	gemp_gas_mail_heads(mail);
}

gemp_code gemp_gas_mail_begin(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed)
{
	gemp_code code = GEMP_OK;
	if (mail->ranks == 1)
		return GEMP_OK;
	code = (mail->kernels ? gemp_gas_mail_pack_device : gemp_gas_mail_pack_host)(mail, values, changed);
	if (code != GEMP_OK)
		send_nothing(mail);
	post_receives(mail); /* nothing is under way to a device any more from where they go */
	post_sends(mail);
	return code;
}

/* A thread that looks for messages all the time would take a core from the kernel that runs meanwhile on a CPU device. */
static void wait_for(const gemp_gas_mail *mail, mail_side *side)
{
	int arrived = 0;
	if (mail->device->gpu)
		GEMP_MPI(MPI_Waitall(side->requests, side->request, MPI_STATUSES_IGNORE));
	else
		for (;;) {
			GEMP_MPI(MPI_Testall(side->requests, side->request, &arrived, MPI_STATUSES_IGNORE));
			if (arrived)
				return;
			sched_yield();
		}
}

gemp_code gemp_gas_mail_end(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived)
{
	if (mail->ranks == 1)
		return GEMP_OK;
	wait_for(mail, &mail->in);
	wait_for(mail, &mail->out);
	return (mail->kernels ? gemp_gas_mail_unpack_device : gemp_gas_mail_unpack_host)(mail, values, arrived);
}

gemp_code gemp_gas_round(const gemp_comm *comm, gemp_code mine, double *sums, int count)
{
	double all[GEMP_GAS_MOST_SUMS + 1] = { mine != GEMP_OK };
	GEMP_CHECK(count <= GEMP_GAS_MOST_SUMS);
	if (comm->size == 1)
		return mine;
	if (count)
		memcpy(all + 1, sums, (size_t)count * sizeof *sums);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, all, count + 1, MPI_DOUBLE, MPI_SUM, comm->world));
	if (all[0] > 0)
		return gemp_comm_agree(comm, mine);
	if (count)
		memcpy(sums, all + 1, (size_t)count * sizeof *sums);
	return GEMP_OK;
}
