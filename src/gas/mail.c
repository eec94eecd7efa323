#include "gas/mail.h"

#include "core/memory.h"
#include "core/trace.h"
#include "gas/mail_parts.h"

#include <string.h>

int gemp_gas_mail_kernels = -1, gemp_gas_mail_common = -1;

enum { REGION = 64 };

static int pieces_of(size_t bytes)
{
	return (int)(bytes / gemp_exchange_piece + (bytes % gemp_exchange_piece != 0));
}

static gemp_code new_side(gemp_gas_mail *mail, mail_side *side)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)mail->ranks;
	int pieces = 0;
	GEMP_TRY(GEMP_NEW(side->count, ranks));
	GEMP_TRY(GEMP_NEW(side->first, ranks + 1));
	GEMP_TRY(GEMP_NEW(side->region, ranks + 1));
	GEMP_TRY(GEMP_NEW(side->pinned, ranks));
	for (int turn = 0; turn < 2; turn++)
		GEMP_TRY(GEMP_NEW(side->at[turn], ranks));
	for (int r = 0; r < mail->ranks; r++) {
		const gemp_gas_links *links = mail->links;
		side->count[r] = side == &mail->out ? (uint32_t)(links->send_begin[r + 1] - links->send_begin[r]) :
		                                      links->ghost_begin[r + 1] - links->ghost_begin[r];
		side->first[r + 1] = side->first[r] + (uint32_t)mail_words(side->count[r]);
		side->region[r + 1] = side->region[r] + (mail_room(side, r, mail->size) + REGION - 1) / REGION * REGION;
		pieces += pieces_of(mail_room(side, r, mail->size));
	}
	GEMP_TRY(GEMP_NEW(side->bits, side->first[ranks]));
	GEMP_TRY(GEMP_NEW(side->before, (size_t)side->first[ranks] + 1));
	GEMP_TRY(GEMP_NEW(side->request, (size_t)pieces));
done:
	return code;
}

/* Where the messages of ranks are that share no memory with this one. */
static gemp_code make_room(gemp_gas_mail *mail, mail_side *side)
{
	gemp_code code = GEMP_OK;
	size_t size = side->region[mail->ranks];
	if (!mail->far)
		return GEMP_OK;
	if (mail->kernels) {
		GEMP_TRY(gemp_locked_take(&side->locked, mail->device, size ? size : 1));
		side->bytes = side->locked.host;
	} else {
		GEMP_TRY(GEMP_NEW(side->bytes, size));
	}
	for (int r = 0; r < mail->ranks; r++)
		if (mail->near[r] < 0)
			side->at[0][r] = side->at[1][r] = side->bytes + side->region[r];
done:
	return code;
}

static void free_side(gemp_gas_mail *mail, mail_side *side)
{
	gemp_free(side->count);
	gemp_free(side->first);
	gemp_free(side->region);
	gemp_free(side->at[0]);
	gemp_free(side->at[1]);
	gemp_free(side->pinned);
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
	const gemp_gas_links *links = mail->links;
	size_t slots = (size_t)mail->out.first[mail->ranks] * 32;
	GEMP_TRY(GEMP_NEW(mail->slot, slots));
	memset(mail->slot, 0xff, slots * sizeof *mail->slot);
	for (int r = 0; r < mail->ranks; r++)
		memcpy(mail->slot + (size_t)mail->out.first[r] * 32, links->send + links->send_begin[r],
		       mail->out.count[r] * sizeof *mail->slot);
done:
	return code;
}

static gemp_code new_here(gemp_gas_mail **out, const gemp_comm *comm, const gemp_gas_links *links, gemp_device *device,
                          size_t value_size)
{
	gemp_code code = GEMP_OK;
	gemp_gas_mail *mail;
	GEMP_TRY(GEMP_NEW(mail, 1));
	*out = mail;
	*mail = (gemp_gas_mail){ .comm = comm, .links = links, .device = device, .size = value_size, .ranks = comm->size,
	                         .kernels = gemp_gas_mail_kernels < 0 ? device->gpu : gemp_gas_mail_kernels };
	if (mail->ranks == 1)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(mail->near, (size_t)mail->ranks));
	GEMP_TRY(new_side(mail, &mail->out));
	GEMP_TRY(new_side(mail, &mail->in));
	code = list_slots(mail);
done:
	return code;
}

/* Once it is known which ranks share memory. */
static gemp_code connect_here(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(make_room(mail, &mail->out));
	GEMP_TRY(make_room(mail, &mail->in));
	if (mail->kernels)
		code = gemp_gas_mail_device_new(mail);
done:
	return code;
}

gemp_code gemp_gas_mail_new_links(gemp_gas_mail **out, const gemp_comm *comm, const gemp_gas_links *links,
                                  gemp_device *device, size_t value_size)
{
	*out = NULL;
	gemp_code code = gemp_comm_agree(comm, new_here(out, comm, links, device, value_size));
	if (code == GEMP_OK && comm->size > 1) {
		gemp_gas_mail_common_new(*out);
		code = gemp_comm_agree(comm, connect_here(*out));
	}
	if (code != GEMP_OK) {
		gemp_gas_mail_free(*out);
		*out = NULL;
	}
	return code;
}

gemp_code gemp_gas_mail_new(gemp_gas_mail **out, const gemp_gas_layout *layout, gemp_device *device, size_t value_size)
{
	return gemp_gas_mail_new_links(out, layout->comm, &layout->links, device, value_size);
}

void gemp_gas_mail_free(gemp_gas_mail *mail)
{
	if (!mail)
		return;
	gemp_gas_mail_device_free(mail);
	gemp_gas_mail_host_free(mail);
	gemp_gas_mail_few_free(mail);
	gemp_gas_mail_common_free(mail);
	free_side(mail, &mail->out);
	free_side(mail, &mail->in);
	gemp_free(mail->near);
	gemp_free(mail->slot);
	gemp_free(mail);
}

const gemp_traffic *gemp_gas_mail_traffic(const gemp_gas_mail *mail)
{
	return &mail->traffic;
}

static inline __attribute__((always_inline)) void sum_words(mail_side *side, uint32_t from, uint32_t end)
{
	for (uint32_t w = from; w < end; w++)
		side->before[w + 1] = side->before[w] + (uint32_t)__builtin_popcount(side->bits[w]);
}

#ifdef __x86_64__
/* The instruction counts several times as fast as what the compiler may assume of all processors. */
__attribute__((target("popcnt"))) static void sum_by_instruction(mail_side *side, uint32_t from, uint32_t end)
{
	sum_words(side, from, end);
}
#endif

void gemp_gas_mail_sum(mail_side *side, uint32_t from, uint32_t end)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt")) {
		sum_by_instruction(side, from, end);
		return;
	}
#endif
	sum_words(side, from, end);
}

void gemp_gas_mail_mark_all(gemp_gas_mail *mail)
{
	mail_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++)
		for (uint32_t i = 0, w = out->first[r]; w < out->first[r + 1]; w++, i += 32)
			out->bits[w] = out->count[r] - i < 32 ? (1u << (out->count[r] - i)) - 1 : UINT32_MAX;
	gemp_gas_mail_sum(out, 0, out->first[mail->ranks]);
}

/* What cannot be packed. */
static void send_nothing(gemp_gas_mail *mail)
{
	mail->all = false;
	memset(mail->out.bits, 0, mail->out.first[mail->ranks] * sizeof *mail->out.bits);
	gemp_gas_mail_sum(&mail->out, 0, mail->out.first[mail->ranks]);
	gemp_gas_mail_heads(mail);
}

gemp_code gemp_gas_mail_begin_with(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                   const gemp_gas_look *look)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(!look || (changed && look->size <= GEMP_GAS_LOOK));
	if (mail->ranks == 1)
		return GEMP_OK;
	code = (mail->kernels ? gemp_gas_mail_pack_device : gemp_gas_mail_pack_host)(mail, values, changed, look);
	if (code != GEMP_OK)
		send_nothing(mail);
	mail->begun = true;
	return code;
}

gemp_code gemp_gas_mail_begin(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed)
{
	return gemp_gas_mail_begin_with(mail, values, changed, NULL);
}

/* THE ROUND */

/* What a rank posts: whether it has failed, its sums, its greatest. */
enum { FAILED, NUMBERS };

static void count_traffic(gemp_gas_mail *mail)
{
	const mail_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++) {
		if (!out->count[r])
			continue;
		const mail_head *head = (const mail_head *)(void *)mail_of(out, r);
		mail->traffic.bytes += mail_size((mail_form)head->form, out->count[r], head->count, mail->size);
		mail->traffic.messages += mail->near[r] >= 0 ? 1 : (uint64_t)pieces_of(mail_room(out, r, mail->size));
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
static void await_near(gemp_gas_mail *mail, uint64_t *numbers, int sums, int all)
{
	for (int n = 0; n < mail->board.sharers; n++)
		if (n != mail->board.rank)
			add(numbers, gemp_board_await(&mail->board, n), sums, all);
}

static void reduce(const gemp_comm *comm, uint64_t *numbers, int sums, int all)
{
	gemp_comm_sum(comm, numbers, sums);
	if (all > sums)
		gemp_comm_max(comm, numbers + sums, all - sums);
}

/* numbers: NULL: nothing but mail. */
static void swap(gemp_gas_mail *mail, uint64_t *numbers, int sums, int all)
{
	uint64_t none[1];
	const double began = gemp_now();
	if (mail->begun)
		count_traffic(mail);
	if (mail->board.slots)
		gemp_board_post(&mail->board, numbers, numbers && !mail->far ? all : 0);
	if (mail->begun && mail->far)
		gemp_gas_mail_far(mail);
	if (mail->board.slots)
		await_near(mail, numbers ? numbers : none, numbers && !mail->far ? sums : 0, numbers && !mail->far ? all : 0);
	if (numbers && mail->far)
		reduce(mail->comm, numbers, sums, all);
	gemp_trace_add("round", GEMP_LANE_RANKS, began);
	mail->in.turn = mail->out.turn;
	mail->out.turn = !mail->out.turn;
	mail->begun = false;
}

/* Until transfers have ended messages are not whole, and those that came the last time are still read. */
static gemp_code wait_here(gemp_gas_mail *mail)
{
	return mail->kernels ? gemp_gas_mail_wait_device(mail) : GEMP_OK;
}

gemp_code gemp_gas_mail_round(gemp_gas_mail *mail, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                              int greatest_count)
{
	uint64_t numbers[NUMBERS + 2 * GEMP_GAS_MOST_SUMS];
	GEMP_CHECK(sum_count <= GEMP_GAS_MOST_SUMS && greatest_count <= GEMP_GAS_MOST_SUMS);
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

gemp_code gemp_gas_mail_end(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	if (mail->ranks == 1)
		return GEMP_OK;
	if (mail->begun) {
		code = wait_here(mail);
		swap(mail, NULL, 0, 0);
	}
	if (code == GEMP_OK)
		code = (mail->kernels ? gemp_gas_mail_unpack_device : gemp_gas_mail_unpack_host)(mail, values, arrived);
	return code;
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
