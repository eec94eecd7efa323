#include "analytics/halo/halo.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/staging.h"

#include <assert.h>
#include <sched.h>
#include <unistd.h>

/* The sender writes a message to another rank of its node where the receiver reads it: in a block of shared memory that
 * begins with the node's barrier, followed by a region for each rank's outgoing messages. Every message in shared
 * memory has two copies, since a rank may fill the message of the next round while the receiver still reads the message
 * of this round. Messages between nodes have one copy, since a round ends only when they have been sent and
 * received. */

enum { REGION_ALIGN = 64 };

/* The number of MPI messages, of at most gemp_limits.exchange_chunk bytes each. */
static int chunk_count(size_t bytes)
{
	const size_t chunk = gemp_limits_now()->exchange_chunk;
	return (int)(bytes / chunk + (bytes % chunk != 0));
}

/* Computes the counts, word ranges and message capacities of one direction from the layout's links. Regions begin at
 * cache lines. */
static gemp_code direction_new(gemp_halo *halo, halo_direction *direction)
{
	size_t ranks = (size_t)halo->ranks;
	int chunks = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(direction->count, ranks), GEMP_ARRAY(direction->first, ranks + 1),
	                      GEMP_ARRAY(direction->region, ranks + 1), GEMP_ARRAY(direction->pinned, ranks),
	                      GEMP_ARRAY(direction->at[0], ranks), GEMP_ARRAY(direction->at[1], ranks)));
	for (int r = 0; r < halo->ranks; r++) {
		const gemp_layout_links *links = halo->links;
		direction->count[r] = direction == &halo->out ? (uint32_t)(links->send_begin[r + 1] - links->send_begin[r])
		                                              : links->ghost_begin[r + 1] - links->ghost_begin[r];
		direction->first[r + 1] = direction->first[r] + (uint32_t)halo_words(direction->count[r]);
		direction->region[r + 1] = direction->region[r] + (halo_capacity(direction, r, halo->size) + REGION_ALIGN - 1) /
		                                                      REGION_ALIGN * REGION_ALIGN;
		chunks += chunk_count(halo_capacity(direction, r, halo->size));
	}
	GEMP_TRY(GEMP_NEW(direction->request, (size_t)chunks));
	if (halo->kernels || direction != &halo->out)
		return GEMP_OK;
	return gemp_new_all(GEMP_ARRAY(direction->bits, direction->first[ranks]),
	                    GEMP_ARRAY(direction->before, (size_t)direction->first[ranks] + 1));
}

/* Messages to and from ranks that share no memory with this rank lie in one block, page-locked if kernels pack. */
static gemp_code allocate_messages(gemp_halo *halo, halo_direction *direction)
{
	size_t size = direction->region[halo->ranks];
	if (!halo->has_remote)
		return GEMP_OK;
	if (halo->kernels) {
		GEMP_TRY(gemp_pinned_take(&direction->pinned_block, halo->device, size ? size : 1));
		direction->bytes = direction->pinned_block.host;
	} else {
		GEMP_TRY(GEMP_NEW(direction->bytes, size));
	}
	for (int r = 0; r < halo->ranks; r++)
		if (halo->node_rank[r] < 0)
			direction->at[0][r] = direction->at[1][r] = direction->bytes + direction->region[r];
	return GEMP_OK;
}

/* Messages in shared memory are part of the shared block, which gemp_halo_free frees. */
static void direction_free(gemp_halo *halo, halo_direction *direction)
{
	gemp_free_all(direction->count, direction->first, direction->region, direction->at[0], direction->at[1],
	              direction->pinned, direction->bits, direction->before, direction->request);
	if (halo->kernels)
		gemp_pinned_release(&direction->pinned_block, halo->device);
	else
		gemp_free(direction->bytes);
}

/* Sets slot[], the own vertex of each place. The places behind the last place of a rank have no vertex. */
static gemp_code list_slots(gemp_halo *halo)
{
	const gemp_layout_links *links = halo->links;
	size_t slots = (size_t)halo->out.first[halo->ranks] * 32;
	GEMP_TRY(GEMP_NEW(halo->slot, slots));
	memset(halo->slot, 0xff, slots * sizeof *halo->slot);
	for (int r = 0; r < halo->ranks; r++)
		memcpy(halo->slot + (size_t)halo->out.first[r] * 32, links->send + links->send_begin[r],
		       halo->out.count[r] * sizeof *halo->slot);
	return GEMP_OK;
}

/* Local. Makes everything that needs no other rank. The ranks agree on the code before the collective part. */
static gemp_code new_local(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links, gemp_device *device,
                           size_t value_size, size_t apart)
{
	gemp_halo *halo;
	const int kernels = gemp_limits_now()->halo_kernels;
	GEMP_TRY(GEMP_NEW(halo, 1));
	*out = halo;
	*halo = (gemp_halo){ .comm = comm,
		                 .links = links,
		                 .device = device,
		                 .size = value_size,
		                 .apart = apart,
		                 .ranks = comm->size,
		                 .kernels = kernels < 0 ? device->gpu : kernels };
	if (halo->ranks == 1)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(halo->node_rank, (size_t)halo->ranks));
	GEMP_TRY(direction_new(halo, &halo->out));
	GEMP_TRY(direction_new(halo, &halo->in));
	return list_slots(halo);
}

static size_t round_up(size_t value, size_t to)
{
	return (value + to - 1) / to * to;
}

/* Collective. Finds the ranks that share this node, and their numbers in comm->node. */
static void find_node_ranks(gemp_halo *halo)
{
	const gemp_comm *comm = halo->comm;
	for (int r = 0; r < halo->ranks; r++)
		halo->node_rank[r] = -1;
	for (int n = 0; n < comm->node_size; n++) {
		int rank = comm->rank;
		GEMP_MPI(MPI_Bcast(&rank, 1, MPI_INT, n, comm->node));
		halo->node_rank[rank] = n;
	}
}

/* Bytes of one message to a rank. If a device accesses messages, they fill pages, since only pages can be
 * registered. */
static size_t message_bytes(const gemp_halo *halo, int rank)
{
	const size_t border = halo->kernels ? (size_t)sysconf(_SC_PAGESIZE) : GEMP_NODE_BARRIER_ALIGN;
	return round_up(HALO_LEAD + halo_capacity(&halo->out, rank, halo->size), border);
}

/* Collective over the node. *first: the offset of this rank's messages in the shared block, behind the barrier. Returns
 * the size of the block. */
static uint64_t place_messages(const gemp_halo *halo, size_t barrier, uint64_t *first)
{
	uint64_t own = 0, size = 0, before = 0;
	for (int r = 0; r < halo->ranks; r++)
		own += halo->node_rank[r] >= 0 ? 2 * message_bytes(halo, r) : 0;
	own = round_up(own, (size_t)sysconf(_SC_PAGESIZE));
	GEMP_MPI(MPI_Exscan(&own, &before, 1, MPI_UINT64_T, MPI_SUM, halo->comm->node));
	*first = barrier + (halo->comm->node_rank ? before : 0);
	GEMP_MPI(MPI_Allreduce(&own, &size, 1, MPI_UINT64_T, MPI_SUM, halo->comm->node));
	return barrier + size;
}

/* at: the lead of the first of the two copies of a message. The second copy lies `step` bytes behind it. */
static void place_messages_of(gemp_halo *halo, halo_direction *direction, int rank, char *at, size_t step)
{
	direction->at[0][rank] = at + HALO_LEAD;
	direction->at[1][rank] = at + HALO_LEAD + step;
	if (halo->kernels)
		gemp_pinned_register(&direction->pinned[rank], halo->device, at, 2 * step);
}

/* Collective over the node. Each rank sends the offset and the size of each message to the receiver of the message. */
static void send_places(gemp_halo *halo, char *bytes, uint64_t first)
{
	const gemp_comm *comm = halo->comm;
	for (int r = 0; r < halo->ranks; r++) {
		const int node_rank = halo->node_rank[r];
		uint64_t in[2], out[2] = { first, 0 };
		if (node_rank < 0)
			continue;
		out[1] = message_bytes(halo, r);
		first += 2 * out[1];
		GEMP_MPI(MPI_Sendrecv(out, 2, MPI_UINT64_T, node_rank, GEMP_TAG_HALO, in, 2, MPI_UINT64_T, node_rank,
		                      GEMP_TAG_HALO, comm->node, MPI_STATUS_IGNORE));
		place_messages_of(halo, &halo->out, r, bytes + out[0], out[1]);
		place_messages_of(halo, &halo->in, r, bytes + in[0], in[1]);
	}
}

/* Collective. If all nodes have enough shared memory, places the messages between ranks of this node there. Otherwise
 * MPI sends all messages. */
static void new_shared_messages(gemp_halo *halo)
{
	const gemp_comm *comm = halo->comm;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t first, size;
	size_t barrier = round_up(gemp_node_barrier_size(comm->node_size), page);
	find_node_ranks(halo);
	size = place_messages(halo, barrier, &first);
	gemp_comm_max(comm, &size, 1);
	halo->has_remote = comm->node_size < comm->size;
	if (!gemp_limits_now()->halo_shared || !gemp_shared_new_small(&halo->shared, comm, size + page)) {
		for (int r = 0; r < halo->ranks; r++)
			halo->node_rank[r] = -1;
		halo->has_remote = true;
		return;
	}
	/* Ranks map the block at different addresses with the same offset in a page, so all round up by the same amount. */
	char *bytes = (char *)round_up((uintptr_t)halo->shared.bytes, page);
	send_places(halo, bytes, first);
	gemp_node_barrier_new(&halo->barrier, bytes, comm->node_size, comm->node_rank);
	halo->barrier.patient = !halo->device->gpu;
	gemp_shared_fence(&halo->shared);
}

/* The ranks agree on the code of new_local before the first collective step, so no rank waits for a rank that has
 * failed. Message memory is allocated last, when the ranks know which of them share a node. */
static gemp_code new_halo(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links, gemp_device *device,
                          size_t value_size, size_t apart)
{
	*out = NULL;
	gemp_code code = gemp_comm_agree(comm, new_local(out, comm, links, device, value_size, apart));
	if (code == GEMP_OK && comm->size > 1) {
		new_shared_messages(*out);
		code = allocate_messages(*out, &(*out)->out);
		GEMP_THEN(allocate_messages(*out, &(*out)->in));
		if ((*out)->kernels)
			GEMP_THEN(gemp_halo_device_new(*out));
		code = gemp_comm_agree(comm, code);
	}
	if (code != GEMP_OK) {
		gemp_halo_free(*out);
		*out = NULL;
	}
	return code;
}

gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size)
{
	return new_halo(out, comm, links, device, value_size, 1);
}

gemp_code gemp_halo_new_halves(gemp_halo **out, const gemp_layout *layout, gemp_device *device)
{
	return new_halo(out, layout->comm, &layout->links, device, sizeof(uint32_t), 2);
}

gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size)
{
	assert(gemp_layout_is_valid(layout));
	return gemp_halo_new_links(out, layout->comm, &layout->links, device, value_size);
}

/* The device's transfers end first, since they read and write the messages. */
void gemp_halo_free(gemp_halo *halo)
{
	if (!halo)
		return;
	gemp_halo_device_free(halo);
	gemp_halo_host_free(halo);
	for (int r = 0; halo->shared.bytes && r < halo->ranks; r++) {
		gemp_pinned_unregister(&halo->out.pinned[r]);
		gemp_pinned_unregister(&halo->in.pinned[r]);
	}
	gemp_shared_free(&halo->shared);
	direction_free(halo, &halo->out);
	direction_free(halo, &halo->in);
	gemp_free_all(halo->node_rank, halo->slot, halo);
}

const gemp_traffic *gemp_halo_traffic(const gemp_halo *halo)
{
	return &halo->traffic;
}

gemp_traffic gemp_halo_traffic_since(const gemp_halo *halo, const gemp_traffic *before)
{
	const gemp_traffic none = { 0 }, *now = halo ? &halo->traffic : &none, *then = halo ? before : &none;
	return (gemp_traffic){ now->bytes - then->bytes, now->messages - then->messages, now->rounds - then->rounds };
}

/* Replaces messages that could not be packed by empty messages, since receivers wait for a message. */
static void pack_nothing(gemp_halo *halo)
{
	halo->all = false;
	for (int r = 0; r < halo->ranks; r++)
		if (halo->out.count[r])
			*(halo_head *)(void *)halo_message_of(&halo->out, r) = (halo_head){ HALO_PAIRS, 0 };
}

/* Sends nothing yet. After a failure the messages are empty. The caller passes the code on to gemp_halo_round. */
gemp_code gemp_halo_begin(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                          const gemp_halo_carried *read)
{
	GEMP_CHECK(!read || (changed && read->words <= GEMP_HALO_CARRIED));
	if (halo->ranks == 1)
		return GEMP_OK;
	gemp_code code = (halo->kernels ? gemp_halo_pack_device : gemp_halo_pack_host)(halo, values, changed, read);
	if (code != GEMP_OK)
		pack_nothing(halo);
	halo->begun = true;
	return code;
}

gemp_code gemp_halo_begin_marked(gemp_halo *halo, const gemp_buffer *changed, const gemp_halo_carried *read)
{
	const gemp_code code = gemp_halo_pack_marked(halo, changed, read);
	if (code != GEMP_OK)
		pack_nothing(halo);
	halo->begun = true;
	return code;
}

/* numbers[] of a rank: whether the rank has failed, then its sums, then its maxima. */
enum { FAILED, NUMBERS };

/* Counts the bytes of messages, not their capacities. A message within the node counts as one message. */
static void count_traffic(gemp_halo *halo)
{
	const halo_direction *out = &halo->out;
	for (int r = 0; r < halo->ranks; r++) {
		if (!out->count[r])
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(out, r);
		halo->traffic.bytes += halo_size((halo_form)head->form, out->count[r], head->count, halo->size);
		halo->traffic.messages += halo->node_rank[r] >= 0 ? 1
		                                                  : (uint64_t)chunk_count(halo_capacity(out, r, halo->size));
	}
	halo->traffic.rounds++;
}

/* The receiver does not know the size of a message, so it posts receives for the largest size. The sender fills up with
 * empty chunks. */
static void post_receives(gemp_halo *halo)
{
	halo_direction *in = &halo->in;
	const size_t chunk = gemp_limits_now()->exchange_chunk;
	in->requests = 0;
	for (int r = 0; r < halo->ranks; r++)
		for (size_t at = 0, capacity = halo->node_rank[r] < 0 ? halo_capacity(in, r, halo->size) : 0; at < capacity;
		     at += chunk) {
			GEMP_MPI(MPI_Irecv(halo_message_of(in, r) + at, (int)gemp_min(capacity - at, chunk), MPI_BYTE, r,
			                   GEMP_TAG_HALO, halo->comm->world, &in->request[in->requests++]));
		}
}

/* Sends as many chunks as the receiver expects. The chunks behind the end of the message are empty. */
static void post_sends(gemp_halo *halo)
{
	halo_direction *out = &halo->out;
	const size_t chunk = gemp_limits_now()->exchange_chunk;
	out->requests = 0;
	for (int r = 0; r < halo->ranks; r++) {
		size_t capacity = halo->node_rank[r] < 0 ? halo_capacity(out, r, halo->size) : 0, size = 0;
		if (capacity) {
			const halo_head *head = (const halo_head *)(void *)halo_message_of(out, r);
			size = halo_size((halo_form)head->form, out->count[r], head->count, halo->size);
		}
		for (size_t at = 0; at < capacity; at += chunk) {
			int bytes = (int)gemp_min(at < size ? size - at : 0, chunk);
			GEMP_MPI(MPI_Isend(halo_message_of(out, r) + (bytes ? at : 0), bytes, MPI_BYTE, r, GEMP_TAG_HALO,
			                   halo->comm->world, &out->request[out->requests++]));
		}
	}
}

/* Collective. Exchanges messages with ranks of other nodes and waits for all of them. On a CPU device the thread yields
 * between its tests, since continuous polling would take a core from the kernel that runs meanwhile. */
static void exchange_remote(gemp_halo *halo)
{
	post_receives(halo);
	post_sends(halo);
	for (int sent = 0; sent < 2; sent++) {
		halo_direction *direction = sent ? &halo->out : &halo->in;
		int arrived = 0;
		if (halo->device->gpu)
			GEMP_MPI(MPI_Waitall(direction->requests, direction->request, MPI_STATUSES_IGNORE));
		while (!halo->device->gpu && !arrived) {
			GEMP_MPI(MPI_Testall(direction->requests, direction->request, &arrived, MPI_STATUSES_IGNORE));
			if (!arrived)
				sched_yield();
		}
	}
}

/* Collective. Exchanges the messages. numbers[all] (unless NULL) become the numbers of all ranks: the first `sums` are
 * summed, and the maximum is taken of the following ones. If all ranks share memory, they post the numbers in the
 * barrier. Otherwise MPI reduces them. */
static void exchange_messages(gemp_halo *halo, uint64_t *numbers, int sums, int all)
{
	const double begin = gemp_now();
	const int posted = numbers && !halo->has_remote ? all : 0;
	if (halo->begun)
		count_traffic(halo);
	if (halo->barrier.slots)
		gemp_node_barrier_post(&halo->barrier, numbers, posted);
	if (halo->begun && halo->has_remote)
		exchange_remote(halo);
	for (int n = 0; halo->barrier.slots && n < halo->barrier.ranks; n++)
		if (n != halo->barrier.rank) {
			const uint64_t *others = gemp_node_barrier_await(&halo->barrier, n);
			for (int i = 0; i < posted; i++)
				numbers[i] = i < sums ? numbers[i] + others[i] : others[i] > numbers[i] ? others[i] : numbers[i];
		}
	if (numbers && halo->has_remote) {
		gemp_comm_sum(halo->comm, numbers, sums);
		if (all > sums)
			gemp_comm_max(halo->comm, numbers + sums, all - sums);
	}
	gemp_trace_add("round", GEMP_LANE_RANKS, begin);
	/* `end` reads this round's copies while the next `begin` fills the other copies. */
	halo->in.parity = halo->out.parity;
	halo->out.parity = !halo->out.parity;
	halo->begun = false;
}

/* The number of failures is one more number of the round, which costs no further message. The ranks exchange their
 * codes only after a failure. */
gemp_code gemp_halo_round(gemp_halo *halo, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count)
{
	uint64_t numbers[NUMBERS + 2 * GEMP_HALO_MAX_SUMS];
	GEMP_CHECK(sum_count <= GEMP_HALO_MAX_SUMS && greatest_count <= GEMP_HALO_MAX_SUMS);
	if (halo->ranks == 1)
		return mine;
	const double since = gemp_now();
	gemp_code waited = halo->kernels ? gemp_halo_wait_device(halo) : GEMP_OK;
	gemp_trace_add("await values", GEMP_LANE_RANKS, since);
	mine = mine == GEMP_OK ? waited : mine;
	numbers[FAILED] = mine != GEMP_OK;
	for (int i = 0; i < sum_count; i++)
		numbers[NUMBERS + i] = sums[i];
	for (int i = 0; i < greatest_count; i++)
		numbers[NUMBERS + sum_count + i] = greatest[i];
	exchange_messages(halo, numbers, NUMBERS + sum_count, NUMBERS + sum_count + greatest_count);
	if (numbers[FAILED])
		return gemp_comm_agree(halo->comm, mine);
	for (int i = 0; i < sum_count; i++)
		sums[i] = numbers[NUMBERS + i];
	for (int i = 0; i < greatest_count; i++)
		greatest[i] = numbers[NUMBERS + sum_count + i];
	return GEMP_OK;
}

/* Exchanges the messages, without numbers, if no gemp_halo_round has exchanged them since `begin`. */
gemp_code gemp_halo_end(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                        const gemp_halo_carried *write)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(!write || write->words <= GEMP_HALO_CARRIED);
	if (halo->ranks == 1)
		return GEMP_OK;
	if (halo->begun) {
		code = halo->kernels ? gemp_halo_wait_device(halo) : GEMP_OK;
		exchange_messages(halo, NULL, 0, 0);
	}
	GEMP_THEN((halo->kernels ? gemp_halo_unpack_device : gemp_halo_unpack_host)(halo, values, arrived, write));
	return code;
}

/* One reduction sums up both failures and numbers. The ranks agree on a code only after a failure. */
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
