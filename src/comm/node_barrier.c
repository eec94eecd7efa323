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

/* Rounds use two sets of values alternately: while one rank still reads those of a round, others may post the next. */
typedef struct gemp_node_barrier_slot {
	alignas(GEMP_NODE_BARRIER_ALIGN) _Atomic uint32_t
		round; /* last round that the rank has posted; written after its values */
	_Atomic uint32_t sleepers;
	uint64_t values[2][GEMP_NODE_BARRIER_VALUES];
} gemp_node_barrier_slot;

enum { SPINS = 64 }; /* between two readings of the clock */

static const double spin_seconds = 20e-6, yield_seconds = 200e-6;

size_t gemp_node_barrier_size(int ranks)
{
	return (size_t)ranks * sizeof(gemp_node_barrier_slot);
}

void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int ranks, int rank)
{
	*out = (gemp_node_barrier){ .slots = memory, .ranks = ranks, .rank = rank };
	memset(&out->slots[rank], 0, sizeof *out->slots);
}

/* Not FUTEX_PRIVATE, since the word is shared among processes. */
static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, (void *)word, operation, value, NULL, NULL, 0);
}

/* Values are stored before the round, which publishes them; the system call is only made if somebody sleeps. */
void gemp_node_barrier_post(gemp_node_barrier *barrier, const uint64_t *values, int count)
{
	gemp_node_barrier_slot *slot = &barrier->slots[barrier->rank];
	GEMP_CHECK(count <= GEMP_NODE_BARRIER_VALUES);
	barrier->round++;
	if (count)
		memcpy(slot->values[barrier->round % 2], values, (size_t)count * sizeof *values);
	atomic_store(&slot->round, barrier->round);
	if (atomic_load(&slot->sleepers))
		futex(&slot->round, FUTEX_WAKE, INT32_MAX);
}

/* Tells the core that it spins, which frees its other hardware thread. */
static void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* Rounds are compared by their difference, so the counter may wrap around. */
static bool has_posted(gemp_node_barrier_slot *slot, uint32_t round)
{
	return (int32_t)(atomic_load_explicit(&slot->round, memory_order_acquire) - round) >= 0;
}

/* No wake-up is lost: the poster stores the round and then reads `sleepers`, the sleeper increments `sleepers` and then
 * reads the round (both sequentially consistent), and FUTEX_WAIT rechecks the word. */
static void sleep_until(gemp_node_barrier_slot *slot, uint32_t round)
{
	atomic_fetch_add(&slot->sleepers, 1);
	for (uint32_t seen = atomic_load(&slot->round); (int32_t)(seen - round) < 0; seen = atomic_load(&slot->round))
		futex(&slot->round, FUTEX_WAIT, seen);
	atomic_fetch_sub(&slot->sleepers, 1);
}

/* Spins for 20 us, yields up to 200 us, then sleeps: short waits are the rule and a futex costs microseconds, but
 * ranks may outnumber cores. */
const uint64_t *gemp_node_barrier_await(const gemp_node_barrier *barrier, int rank)
{
	gemp_node_barrier_slot *slot = &barrier->slots[rank];
	const uint32_t round = barrier->round;
	const double since = gemp_now();
	for (double waited = 0; !has_posted(slot, round); waited = gemp_now() - since) {
		if (waited > yield_seconds) {
			sleep_until(slot, round);
			break;
		}
		if (barrier->patient || waited > spin_seconds)
			sched_yield();
		else
			for (int i = 0; i < SPINS && !has_posted(slot, round); i++)
				relax();
	}
	return slot->values[round % 2];
}
