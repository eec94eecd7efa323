/* Mail in memory that the ranks of a node have in common: a board, and for each pair of ranks room for two messages. */

#include "analytics/halo/halo.h"

#include "analytics/halo/halo_device.h"
#include "analytics/halo/halo_host.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/staging.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

int gemp_halo_kernels = -1, gemp_halo_shared = -1;

enum { REGION = 64 };

static int pieces_of(size_t bytes)
{
	return (int)(bytes / gemp_exchange_chunk + (bytes % gemp_exchange_chunk != 0));
}

static gemp_code new_side(gemp_halo *mail, halo_side *side)
{
	size_t ranks = (size_t)mail->ranks;
	int pieces = 0;
	GEMP_PROPAGATE(GEMP_NEW(side->count, ranks));
	GEMP_PROPAGATE(GEMP_NEW(side->first, ranks + 1));
	GEMP_PROPAGATE(GEMP_NEW(side->region, ranks + 1));
	GEMP_PROPAGATE(GEMP_NEW(side->pinned, ranks));
	for (int turn = 0; turn < 2; turn++)
		GEMP_PROPAGATE(GEMP_NEW(side->at[turn], ranks));
	for (int r = 0; r < mail->ranks; r++) {
		const gemp_layout_links *links = mail->links;
		side->count[r] = side == &mail->out ? (uint32_t)(links->send_begin[r + 1] - links->send_begin[r])
		                                    : links->ghost_begin[r + 1] - links->ghost_begin[r];
		side->first[r + 1] = side->first[r] + (uint32_t)halo_words(side->count[r]);
		side->region[r + 1] = side->region[r] + (halo_capacity(side, r, mail->size) + REGION - 1) / REGION * REGION;
		pieces += pieces_of(halo_capacity(side, r, mail->size));
	}
	GEMP_PROPAGATE(GEMP_NEW(side->bits, side->first[ranks]));
	GEMP_PROPAGATE(GEMP_NEW(side->before, (size_t)side->first[ranks] + 1));
	return GEMP_NEW(side->request, (size_t)pieces);
}

/* Where the messages of ranks are that share no memory with this one. */
static gemp_code allocate_messages(gemp_halo *mail, halo_side *side)
{
	size_t size = side->region[mail->ranks];
	if (!mail->has_remote)
		return GEMP_OK;
	if (mail->kernels) {
		GEMP_PROPAGATE(gemp_pinned_take(&side->locked, mail->device, size ? size : 1));
		side->bytes = side->locked.host;
	} else {
		GEMP_PROPAGATE(GEMP_NEW(side->bytes, size));
	}
	for (int r = 0; r < mail->ranks; r++)
		if (mail->node_rank[r] < 0)
			side->at[0][r] = side->at[1][r] = side->bytes + side->region[r];
	return GEMP_OK;
}

static void free_side(gemp_halo *mail, halo_side *side)
{
	gemp_free_all(side->count, side->first, side->region, side->at[0], side->at[1], side->pinned, side->bits,
	              side->before, side->request);
	if (mail->kernels)
		gemp_pinned_release(&side->locked, mail->device);
	else
		gemp_free(side->bytes);
}

static gemp_code list_slots(gemp_halo *mail)
{
	const gemp_layout_links *links = mail->links;
	size_t slots = (size_t)mail->out.first[mail->ranks] * 32;
	GEMP_PROPAGATE(GEMP_NEW(mail->slot, slots));
	memset(mail->slot, 0xff, slots * sizeof *mail->slot);
	for (int r = 0; r < mail->ranks; r++)
		memcpy(mail->slot + (size_t)mail->out.first[r] * 32, links->send + links->send_begin[r],
		       mail->out.count[r] * sizeof *mail->slot);
	return GEMP_OK;
}

static gemp_code new_here(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links, gemp_device *device,
                          size_t value_size)
{
	gemp_halo *mail;
	GEMP_PROPAGATE(GEMP_NEW(mail, 1));
	*out = mail;
	*mail = (gemp_halo){ .comm = comm,
		                 .links = links,
		                 .device = device,
		                 .size = value_size,
		                 .ranks = comm->size,
		                 .kernels = gemp_halo_kernels < 0 ? device->gpu : gemp_halo_kernels };
	if (mail->ranks == 1)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(mail->node_rank, (size_t)mail->ranks));
	GEMP_PROPAGATE(new_side(mail, &mail->out));
	GEMP_PROPAGATE(new_side(mail, &mail->in));
	return list_slots(mail);
}

/* Once it is known which ranks share memory. */
static gemp_code connect_here(gemp_halo *mail)
{
	GEMP_PROPAGATE(allocate_messages(mail, &mail->out));
	GEMP_PROPAGATE(allocate_messages(mail, &mail->in));
	if (mail->kernels)
		return gemp_halo_device_new(mail);
	return GEMP_OK;
}

static size_t up(size_t value, size_t to)
{
	return (value + to - 1) / to * to;
}

static void find_node_ranks(gemp_halo *mail)
{
	const gemp_comm *comm = mail->comm;
	for (int r = 0; r < mail->ranks; r++)
		mail->node_rank[r] = -1;
	for (int n = 0; n < comm->node_size; n++) {
		int rank = comm->rank;
		GEMP_MPI(MPI_Bcast(&rank, 1, MPI_INT, n, comm->node));
		mail->node_rank[rank] = n;
	}
}

/* Of one message of a rank; whole pages where a device is to read and write there. */
static size_t step_of(const gemp_halo *mail, int rank)
{
	const size_t border = mail->kernels ? (size_t)sysconf(_SC_PAGESIZE) : GEMP_NODE_BARRIER_ALIGN;
	return up(halo_capacity(&mail->out, rank, mail->size), border);
}

/* Where this rank's messages begin, behind the board, and how much all of them take. */
static uint64_t place_messages(const gemp_halo *mail, size_t board, uint64_t *first)
{
	uint64_t own = 0, size = 0, before = 0;
	for (int r = 0; r < mail->ranks; r++)
		own += mail->node_rank[r] >= 0 ? 2 * step_of(mail, r) : 0;
	own = up(own, (size_t)sysconf(_SC_PAGESIZE));
	GEMP_MPI(MPI_Exscan(&own, &before, 1, MPI_UINT64_T, MPI_SUM, mail->comm->node));
	*first = board + (mail->comm->node_rank ? before : 0);
	GEMP_MPI(MPI_Allreduce(&own, &size, 1, MPI_UINT64_T, MPI_SUM, mail->comm->node));
	return board + size;
}

/* at: of the first of two. */
static void place_side(gemp_halo *mail, halo_side *side, int rank, char *at, size_t step)
{
	side->at[0][rank] = at;
	side->at[1][rank] = at + step;
	if (mail->kernels)
		gemp_pinned_register(&side->pinned[rank], mail->device, at, 2 * step);
}

/* Each rank tells the others where it puts what is theirs. */
static void send_places(gemp_halo *mail, char *bytes, uint64_t first)
{
	const gemp_comm *comm = mail->comm;
	for (int r = 0; r < mail->ranks; r++) {
		const int near = mail->node_rank[r];
		uint64_t in[2], out[2] = { first, 0 };
		if (near < 0)
			continue;
		out[1] = step_of(mail, r);
		first += 2 * out[1];
		GEMP_MPI(MPI_Sendrecv(out, 2, MPI_UINT64_T, near, GEMP_TAG_HALO, in, 2, MPI_UINT64_T, near, GEMP_TAG_HALO,
		                      comm->node, MPI_STATUS_IGNORE));
		place_side(mail, &mail->out, r, bytes + out[0], out[1]);
		place_side(mail, &mail->in, r, bytes + in[0], in[1]);
	}
}

/* COMMON: collective; where messages of ranks of this node are, at[], if there is room. */
static void gemp_halo_shared_new(gemp_halo *mail)
{
	const gemp_comm *comm = mail->comm;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t first, size;
	size_t board = up(gemp_node_barrier_size(comm->node_size), page);
	find_node_ranks(mail);
	size = place_messages(mail, board, &first);
	gemp_comm_max(comm, &size, 1);
	mail->has_remote = comm->node_size < comm->size;
	if (!gemp_halo_shared || !gemp_shared_new_small(&mail->shared, comm, size + page)) {
		for (int r = 0; r < mail->ranks; r++)
			mail->node_rank[r] = -1;
		mail->has_remote = true;
		return;
	}
	char *bytes = (char *)up((uintptr_t)mail->shared.bytes, page); /* on all ranks alike as far as a page goes */
	send_places(mail, bytes, first);
	gemp_node_barrier_new(&mail->board, bytes, comm->node_size, comm->node_rank);
	mail->board.patient = !mail->device->gpu;
	gemp_shared_fence(&mail->shared);
}

gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size)
{
	*out = NULL;
	gemp_code code = gemp_comm_agree(comm, new_here(out, comm, links, device, value_size));
	if (code == GEMP_OK && comm->size > 1) {
		gemp_halo_shared_new(*out);
		code = gemp_comm_agree(comm, connect_here(*out));
	}
	if (code != GEMP_OK) {
		gemp_halo_free(*out);
		*out = NULL;
	}
	return code;
}

gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size)
{
	return gemp_halo_new_links(out, layout->comm, &layout->links, device, value_size);
}

static void gemp_halo_shared_free(gemp_halo *mail)
{
	for (int r = 0; mail->shared.bytes && r < mail->ranks; r++) {
		gemp_pinned_unregister(&mail->out.pinned[r]);
		gemp_pinned_unregister(&mail->in.pinned[r]);
	}
	gemp_shared_free(&mail->shared);
}

void gemp_halo_free(gemp_halo *mail)
{
	if (!mail)
		return;
	gemp_halo_device_free(mail);
	gemp_halo_host_free(mail);
	gemp_halo_few_free(mail);
	gemp_halo_shared_free(mail);
	free_side(mail, &mail->out);
	free_side(mail, &mail->in);
	gemp_free_all(mail->node_rank, mail->slot, mail);
}

const gemp_traffic *gemp_halo_traffic(const gemp_halo *mail)
{
	return &mail->traffic;
}

/* What cannot be packed. */
static void send_nothing(gemp_halo *mail)
{
	mail->all = false;
	memset(mail->out.bits, 0, mail->out.first[mail->ranks] * sizeof *mail->out.bits);
	gemp_halo_prefix(&mail->out, 0, mail->out.first[mail->ranks]);
	gemp_halo_write_heads(mail);
}

gemp_code gemp_halo_begin_with(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                               const gemp_halo_read *look)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(!look || (changed && look->size <= GEMP_HALO_READ));
	if (mail->ranks == 1)
		return GEMP_OK;
	code = (mail->kernels ? gemp_halo_pack_device : gemp_halo_pack_host)(mail, values, changed, look);
	if (code != GEMP_OK)
		send_nothing(mail);
	mail->begun = true;
	return code;
}

gemp_code gemp_halo_begin(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed)
{
	return gemp_halo_begin_with(mail, values, changed, NULL);
}

/* What a rank posts: whether it has failed, its sums, its greatest. */
enum { FAILED, NUMBERS };

static void count_traffic(gemp_halo *mail)
{
	const halo_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++) {
		if (!out->count[r])
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(out, r);
		mail->traffic.bytes += halo_size((halo_form)head->form, out->count[r], head->count, mail->size);
		mail->traffic.messages += mail->node_rank[r] >= 0 ? 1 : (uint64_t)pieces_of(halo_capacity(out, r, mail->size));
	}
	mail->traffic.rounds++;
}

static void add(uint64_t *numbers, const uint64_t *more, int sums, int all)
{
	for (int i = 0; i < all; i++)
		if (i < sums)
			numbers[i] += more[i];
		else
			numbers[i] = more[i] > numbers[i] ? more[i] : numbers[i];
}

/* Waits for the ranks of this node, and adds what they have posted. */
static void await_node(gemp_halo *mail, uint64_t *numbers, int sums, int all)
{
	for (int n = 0; n < mail->board.ranks; n++)
		if (n != mail->board.rank)
			add(numbers, gemp_node_barrier_await(&mail->board, n), sums, all);
}

static void reduce(const gemp_comm *comm, uint64_t *numbers, int sums, int all)
{
	gemp_comm_sum(comm, numbers, sums);
	if (all > sums)
		gemp_comm_max(comm, numbers + sums, all - sums);
}

/* Mail by MPI's messages. */

/* As many pieces as the largest message may have, whatever it has: receivers have asked for them. */
static void post_receives(gemp_halo *mail)
{
	halo_side *in = &mail->in;
	in->requests = 0;
	for (int r = 0; r < mail->ranks; r++)
		for (size_t at = 0, room = mail->node_rank[r] < 0 ? halo_capacity(in, r, mail->size) : 0; at < room;
		     at += gemp_exchange_chunk) {
			int piece = (int)(room - at < gemp_exchange_chunk ? room - at : gemp_exchange_chunk);
			GEMP_MPI(MPI_Irecv(halo_message_of(in, r) + at, piece, MPI_BYTE, r, GEMP_TAG_HALO, mail->comm->world,
			                   &in->request[in->requests++]));
		}
}

static void post_sends(gemp_halo *mail)
{
	halo_side *out = &mail->out;
	out->requests = 0;
	for (int r = 0; r < mail->ranks; r++) {
		size_t room = mail->node_rank[r] < 0 ? halo_capacity(out, r, mail->size) : 0, size = 0;
		if (room) {
			const halo_head *head = (const halo_head *)(void *)halo_message_of(out, r);
			size = halo_size((halo_form)head->form, out->count[r], head->count, mail->size);
		}
		for (size_t at = 0; at < room; at += gemp_exchange_chunk) {
			size_t left = at < size ? size - at : 0;
			int piece = (int)(left < gemp_exchange_chunk ? left : gemp_exchange_chunk);
			GEMP_MPI(MPI_Isend(halo_message_of(out, r) + (piece ? at : 0), piece, MPI_BYTE, r, GEMP_TAG_HALO,
			                   mail->comm->world, &out->request[out->requests++]));
		}
	}
}

/* A thread that looks for messages all the time would take a core from the kernel that runs meanwhile on a CPU
 * device. */
static void wait_for(const gemp_halo *mail, halo_side *side)
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

/* FAR: to ranks of other nodes, and from them; returns when all has gone and come. */
static void gemp_halo_remote(gemp_halo *mail)
{
	post_receives(mail);
	post_sends(mail);
	wait_for(mail, &mail->in);
	wait_for(mail, &mail->out);
}

/* numbers: NULL: nothing but mail. */
static void swap(gemp_halo *mail, uint64_t *numbers, int sums, int all)
{
	uint64_t none[1];
	const double began = gemp_now();
	if (mail->begun)
		count_traffic(mail);
	if (mail->board.slots)
		gemp_node_barrier_post(&mail->board, numbers, numbers && !mail->has_remote ? all : 0);
	if (mail->begun && mail->has_remote)
		gemp_halo_remote(mail);
	if (mail->board.slots)
		await_node(mail, numbers ? numbers : none, numbers && !mail->has_remote ? sums : 0,
		           numbers && !mail->has_remote ? all : 0);
	if (numbers && mail->has_remote)
		reduce(mail->comm, numbers, sums, all);
	gemp_trace_add("round", GEMP_LANE_RANKS, began);
	mail->in.parity = mail->out.parity;
	mail->out.parity = !mail->out.parity;
	mail->begun = false;
}

/* Until transfers have ended messages are not whole, and those that came the last time are still read. */
static gemp_code wait_here(gemp_halo *mail)
{
	return mail->kernels ? gemp_halo_wait_device(mail) : GEMP_OK;
}

gemp_code gemp_halo_round(gemp_halo *mail, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count)
{
	uint64_t numbers[NUMBERS + 2 * GEMP_HALO_MAX_SUMS];
	GEMP_CHECK(sum_count <= GEMP_HALO_MAX_SUMS && greatest_count <= GEMP_HALO_MAX_SUMS);
	if (mail->ranks == 1)
		return mine;
	gemp_code waited = wait_here(mail);
	mine = mine == GEMP_OK ? waited : mine;
	numbers[FAILED] = mine != GEMP_OK;
	for (int i = 0; i < sum_count; i++)
		numbers[NUMBERS + i] = sums[i];
	for (int i = 0; i < greatest_count; i++)
		numbers[NUMBERS + sum_count + i] = greatest[i];
	swap(mail, numbers, NUMBERS + sum_count, NUMBERS + sum_count + greatest_count);
	if (numbers[FAILED])
		return gemp_comm_agree(mail->comm, mine);
	for (int i = 0; i < sum_count; i++)
		sums[i] = numbers[NUMBERS + i];
	for (int i = 0; i < greatest_count; i++)
		greatest[i] = numbers[NUMBERS + sum_count + i];
	return GEMP_OK;
}

gemp_code gemp_halo_end(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	if (mail->ranks == 1)
		return GEMP_OK;
	if (mail->begun) {
		code = wait_here(mail);
		swap(mail, NULL, 0, 0);
	}
	GEMP_THEN((mail->kernels ? gemp_halo_unpack_device : gemp_halo_unpack_host)(mail, values, arrived));
	return code;
}

gemp_code gemp_halo_agree(const gemp_comm *comm, gemp_code mine, double *sums, int count)
{
	double all[GEMP_HALO_MAX_SUMS + 1] = { mine != GEMP_OK };
	GEMP_CHECK(count <= GEMP_HALO_MAX_SUMS);
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
