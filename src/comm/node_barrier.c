#include "comm/node_barrier.h"

#include "core/status.h"
#include "core/timer.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rounds take turns with two sets of values: while somebody still reads those of a round, others post the next one. */
typedef struct gemp_node_barrier_slot {
	alignas(GEMP_NODE_BARRIER_ALIGN) _Atomic uint32_t round; /* ends what the rank has posted */
	_Atomic uint32_t sleepers;
	uint64_t values[2][GEMP_NODE_BARRIER_VALUES];
} gemp_node_barrier_slot;

enum { LOOKS = 64 }; /* between two looks at the clock */

static const double looking = 20e-6, yielding = 200e-6; /* seconds */

size_t gemp_node_barrier_size(int sharers)
{
	return (size_t)sharers * sizeof(gemp_node_barrier_slot);
}

void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int sharers, int rank)
{
	*out = (gemp_node_barrier){ .slots = memory, .ranks = sharers, .rank = rank };
	memset(&out->slots[rank], 0, sizeof *out->slots);
}

/* Among processes: not FUTEX_PRIVATE. The word is an ordinary one to the system. */
static void futex(_Atomic uint32_t *word, int what, uint32_t value)
{
	syscall(SYS_futex, (void *)word, what, value, NULL, NULL, 0);
}

void gemp_node_barrier_post(gemp_node_barrier *board, const uint64_t *values, int count)
{
	gemp_node_barrier_slot *slot = &board->slots[board->rank];
	GEMP_CHECK(count <= GEMP_NODE_BARRIER_VALUES);
	board->round++;
	if (count)
		memcpy(slot->values[board->round % 2], values, (size_t)count * sizeof *values);
	atomic_store(&slot->round, board->round);
	if (atomic_load(&slot->sleepers))
		futex(&slot->round, FUTEX_WAKE, INT32_MAX);
}

static void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static bool has_posted(gemp_node_barrier_slot *slot, uint32_t round)
{
	return (int32_t)(atomic_load_explicit(&slot->round, memory_order_acquire) - round) >= 0;
}

/* Who posts looks for sleepers after it has posted, who sleeps looks for the post after it has said so. */
static void sleep_until(gemp_node_barrier_slot *slot, uint32_t round)
{
	atomic_fetch_add(&slot->sleepers, 1);
	for (uint32_t seen = atomic_load(&slot->round); (int32_t)(seen - round) < 0; seen = atomic_load(&slot->round))
		futex(&slot->round, FUTEX_WAIT, seen);
	atomic_fetch_sub(&slot->sleepers, 1);
}

const uint64_t *gemp_node_barrier_await(const gemp_node_barrier *board, int rank)
{
	gemp_node_barrier_slot *slot = &board->slots[rank];
	const uint32_t round = board->round;
	const double since = gemp_now();
	for (double waited = 0; !has_posted(slot, round); waited = gemp_now() - since) {
		if (waited > yielding) {
			sleep_until(slot, round);
			break;
		}
		if (board->patient || waited > looking)
			sched_yield();
		else
			for (int i = 0; i < LOOKS && !has_posted(slot, round); i++)
				relax();
	}
	return slot->values[round % 2];
}
