/* Mail by MPI's messages. */
#include "gas/mail_parts.h"

#include <sched.h>

/* As many pieces as the largest message may have, whatever it has: receivers have asked for them. */
static void post_receives(gemp_gas_mail *mail)
{
	mail_side *in = &mail->in;
	in->requests = 0;
	for (int r = 0; r < mail->ranks; r++)
		for (size_t at = 0, room = mail->near[r] < 0 ? mail_room(in, r, mail->size) : 0; at < room;
		     at += gemp_exchange_piece) {
			int piece = (int)(room - at < gemp_exchange_piece ? room - at : gemp_exchange_piece);
			GEMP_MPI(MPI_Irecv(mail_of(in, r) + at, piece, MPI_BYTE, r, GEMP_TAG_MAIL, mail->comm->world,
			                   &in->request[in->requests++]));
		}
}

static void post_sends(gemp_gas_mail *mail)
{
	mail_side *out = &mail->out;
	out->requests = 0;
	for (int r = 0; r < mail->ranks; r++) {
		size_t room = mail->near[r] < 0 ? mail_room(out, r, mail->size) : 0, size = 0;
		if (room) {
			const mail_head *head = (const mail_head *)(void *)mail_of(out, r);
			size = mail_size((mail_form)head->form, out->count[r], head->count, mail->size);
		}
		for (size_t at = 0; at < room; at += gemp_exchange_piece) {
			size_t left = at < size ? size - at : 0;
			int piece = (int)(left < gemp_exchange_piece ? left : gemp_exchange_piece);
			GEMP_MPI(MPI_Isend(mail_of(out, r) + (piece ? at : 0), piece, MPI_BYTE, r, GEMP_TAG_MAIL, mail->comm->world,
			                   &out->request[out->requests++]));
		}
	}
}

/* A thread that looks for messages all the time would take a core from the kernel that runs meanwhile on a CPU
 * device. */
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

void gemp_gas_mail_far(gemp_gas_mail *mail)
{
	post_receives(mail);
	post_sends(mail);
	wait_for(mail, &mail->in);
	wait_for(mail, &mail->out);
}
