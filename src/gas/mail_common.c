/* Mail in memory that the ranks of a node have in common: a board, and for each pair of ranks room for two messages. */
#include "core/memory.h"
#include "gas/mail_parts.h"

#include <unistd.h>

static size_t up(size_t value, size_t to)
{
	return (value + to - 1) / to * to;
}

static void find_near(gemp_gas_mail *mail)
{
	const gemp_comm *comm = mail->comm;
	for (int r = 0; r < mail->ranks; r++)
		mail->near[r] = -1;
	for (int n = 0; n < comm->node_size; n++) {
		int rank = comm->rank;
		GEMP_MPI(MPI_Bcast(&rank, 1, MPI_INT, n, comm->node));
		mail->near[rank] = n;
	}
}

/* Of one message of a rank; whole pages where a device is to read and write there. */
static size_t step_of(const gemp_gas_mail *mail, int rank)
{
	const size_t border = mail->kernels ? (size_t)sysconf(_SC_PAGESIZE) : GEMP_BOARD_ALIGNMENT;
	return up(mail_room(&mail->out, rank, mail->size), border);
}

/* Where this rank's messages begin, behind the board, and how much all of them take. */
static uint64_t place_messages(const gemp_gas_mail *mail, size_t board, uint64_t *first)
{
	uint64_t own = 0, size = 0, before = 0;
	for (int r = 0; r < mail->ranks; r++)
		own += mail->near[r] >= 0 ? 2 * step_of(mail, r) : 0;
	own = up(own, (size_t)sysconf(_SC_PAGESIZE));
	GEMP_MPI(MPI_Exscan(&own, &before, 1, MPI_UINT64_T, MPI_SUM, mail->comm->node));
	*first = board + (mail->comm->node_rank ? before : 0);
	GEMP_MPI(MPI_Allreduce(&own, &size, 1, MPI_UINT64_T, MPI_SUM, mail->comm->node));
	return board + size;
}

/* at: of the first of two. */
static void place_side(gemp_gas_mail *mail, mail_side *side, int rank, char *at, size_t step)
{
	side->at[0][rank] = at;
	side->at[1][rank] = at + step;
	if (mail->kernels)
		gemp_locked_pin(&side->pinned[rank], mail->device, at, 2 * step);
}

/* Each rank tells the others where it puts what is theirs. */
static void tell_places(gemp_gas_mail *mail, char *bytes, uint64_t first)
{
	const gemp_comm *comm = mail->comm;
	for (int r = 0; r < mail->ranks; r++) {
		const int near = mail->near[r];
		uint64_t in[2], out[2] = { first, 0 };
		if (near < 0)
			continue;
		out[1] = step_of(mail, r);
		first += 2 * out[1];
		GEMP_MPI(MPI_Sendrecv(out, 2, MPI_UINT64_T, near, GEMP_TAG_MAIL, in, 2, MPI_UINT64_T, near, GEMP_TAG_MAIL,
		                      comm->node, MPI_STATUS_IGNORE));
		place_side(mail, &mail->out, r, bytes + out[0], out[1]);
		place_side(mail, &mail->in, r, bytes + in[0], in[1]);
	}
}

void gemp_gas_mail_common_new(gemp_gas_mail *mail)
{
	const gemp_comm *comm = mail->comm;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t first, size;
	size_t board = up(gemp_board_size(comm->node_size), page);
	find_near(mail);
	size = place_messages(mail, board, &first);
	gemp_comm_max(comm, &size, 1);
	mail->far = comm->node_size < comm->size;
	if (!gemp_gas_mail_common || !gemp_shared_new_small(&mail->shared, comm, size + page)) {
		for (int r = 0; r < mail->ranks; r++)
			mail->near[r] = -1;
		mail->far = true;
		return;
	}
	char *bytes = (char *)up((uintptr_t)mail->shared.bytes, page); /* on all ranks alike as far as a page goes */
	tell_places(mail, bytes, first);
	gemp_board_new(&mail->board, bytes, comm->node_size, comm->node_rank);
	mail->board.patient = !mail->device->gpu;
	gemp_shared_fence(&mail->shared);
}

void gemp_gas_mail_common_free(gemp_gas_mail *mail)
{
	for (int r = 0; mail->shared.bytes && r < mail->ranks; r++) {
		gemp_locked_unpin(&mail->out.pinned[r]);
		gemp_locked_unpin(&mail->in.pinned[r]);
	}
	gemp_shared_free(&mail->shared);
}
