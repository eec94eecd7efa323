/* Memory that the ranks of a node share. A block is an MPI window whose bytes belong to rank 0 of the node. It is made
 * only if all nodes have enough free space, as a failed allocation would leave ranks waiting. Counters and barriers lie
 * in such memory and use C11 atomics. A rank that waits at a barrier sleeps on a futex: if there are more ranks than
 * cores, a spinning rank would take the core from the rank that it waits for. */

#include "comm/shared.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/timer.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum {
	RESERVE = 16 << 20, /* bytes that remain for other users of the folder */
	PAGES = 4 << 20,    /* bytes of pages that a thread requests at a time */
};

static size_t live, peak; /* not atomic, since the calls are collective and from one thread */

/* Returns the folder in which Open MPI and MPICH keep shared memory. */
static const char *backing_folder(void)
{
	const char *chosen = getenv("OMPI_MCA_osc_sm_backing_directory"), *temporary = getenv("TMPDIR");
	if (chosen && *chosen)
		return chosen;
	if (access("/dev/shm", W_OK) == 0)
		return "/dev/shm";
	return temporary && *temporary ? temporary : "/tmp";
}

/* Has the folder enough space for a block? Open MPI needs a twentieth more than the block. The check comes before the
 * window is made, because with too little space rank 0 of the node fails while the other ranks wait for it. */
static bool node_has_memory(size_t size)
{
	struct statvfs status;
	const size_t max = gemp_limits_now()->shared_max;
	if (size > max - gemp_min(live, max) || statvfs(backing_folder(), &status) != 0)
		return false;
	uint64_t bytes = (uint64_t)status.f_bavail * status.f_frsize;
	return bytes > RESERVE && (uint64_t)size + size / 16 <= bytes - RESERVE;
}

static bool all_ranks_agree(const gemp_comm *comm, bool mine)
{
	return gemp_comm_sum1(comm, !mine) == 0;
}

/* Bytes whose pages all threads of a rank request together. */
typedef struct page_request {
	char *from;
	size_t size;
	atomic_bool refused;
} page_request;

static void request_pages(void *context, unsigned thread, size_t chunk)
{
	page_request *r = context;
	const size_t at = chunk * PAGES, size = gemp_min((size_t)PAGES, r->size - at);
	(void)thread;
	if (madvise(r->from + at, size, MADV_POPULATE_WRITE) != 0 && errno != EINVAL && errno != ENOSYS)
		atomic_store_explicit(&r->refused, true, memory_order_relaxed);
}

/* Files in memory are sparse, and a write kills the process with SIGBUS if no page is left. So each rank requests the
 * pages of its part, which the system may refuse. Kernels before 5.14 do not know this request; then the pages are
 * assumed to exist. One thread of each of two ranks makes 2.7 GB/s of pages (host of two H200s). */
static bool populate_pages(const gemp_shared *shared)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), first, end;
	uintptr_t base = (uintptr_t)shared->bytes, lead = base % page;
	gemp_shared_range(shared, (shared->size + lead + page - 1) / page, &first, &end);
	if (first == end)
		return true;
	page_request r = { .from = (char *)shared->bytes - lead + first * page, .size = (end - first) * page };
	gemp_parallel_for((r.size + PAGES - 1) / PAGES, request_pages, &r);
	return !r.refused;
}

/* Returns false if the window cannot be made: MPI_Win_allocate_shared may find less memory than the check. The callers
 * then use private memory. */
static bool open_window(gemp_shared *out, const gemp_comm *comm, size_t size)
{
	MPI_Aint length = comm->node_rank == 0 ? (MPI_Aint)size : 0;
	int unit = 1;
	void *base = NULL;
	*out = (gemp_shared){
		.size = size, .ranks = comm->node_size, .rank = comm->node_rank, .node = comm->node, .window = MPI_WIN_NULL
	};
	if (MPI_Win_allocate_shared(length, unit, MPI_INFO_NULL, comm->node, &base, &out->window) != MPI_SUCCESS) {
		out->window = MPI_WIN_NULL;
		return false;
	}
	GEMP_MPI(MPI_Win_shared_query(out->window, 0, &length, &unit, &base));
	GEMP_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, out->window));
	out->bytes = base;
	return populate_pages(out);
}

/* Both conditions are decided by one reduction. */
bool gemp_shared_fits(const gemp_comm *comm, size_t size)
{
	uint64_t counts[2] = { comm->node_size > 1, comm->node_rank == 0 && !node_has_memory(size) };
	if (comm->size == 1)
		return false;
	gemp_comm_sum(comm, counts, 2);
	if (counts[0] && counts[1])
		gemp_log(GEMP_VERBOSE,
		         "%zu bytes are not shared by the ranks of a node: there is not so much room in %s, or "
		         "not on each node; each rank has a copy of its own (containers: --shm-size; Open MPI: "
		         "OMPI_MCA_osc_sm_backing_directory)\n",
		         size, backing_folder());
	return counts[0] && !counts[1];
}

/* All ranks skip the reduction of gemp_shared_fits or none, since the size is the same on all ranks. */
bool gemp_shared_possible(const gemp_comm *comm, size_t size)
{
	return size > 0 && size >= gemp_limits_now()->shared_min && gemp_shared_fits(comm, size);
}

/* Small blocks do not justify a window, which costs a file and several collective calls. */
bool gemp_shared_new(gemp_shared *out, const gemp_comm *comm, size_t size)
{
	*out = (gemp_shared){ 0 };
	return size >= gemp_limits_now()->shared_min && gemp_shared_new_small(out, comm, size);
}

/* Blocks are used collectively, so if one rank has no window, all ranks free theirs. */
bool gemp_shared_new_small(gemp_shared *out, const gemp_comm *comm, size_t size)
{
	*out = (gemp_shared){ 0 };
	if (size == 0 || !gemp_shared_fits(comm, size))
		return false;
	bool made = all_ranks_agree(comm, open_window(out, comm, size));
	if (!made) {
		gemp_log(GEMP_VERBOSE, "no shared memory of %zu bytes could be had: each rank has a copy of its own\n", size);
		gemp_shared_free(out);
		return false;
	}
	out->own_bytes = gemp_shared_own_bytes(out, size);
	if (out->own_bytes)
		gemp_memory_count(out->own_bytes);
	if (out->ranks > 1 && (live += size) > peak)
		peak = live;
	return true;
}

size_t gemp_shared_peak(void)
{
	return peak;
}

/* The two syncs order this rank's accesses before and after the barrier. */
void gemp_shared_fence(const gemp_shared *shared)
{
	GEMP_MPI(MPI_Win_sync(shared->window));
	GEMP_MPI(MPI_Barrier(shared->node));
	GEMP_MPI(MPI_Win_sync(shared->window));
}

/* Bytes were counted only if the window was populated. */
void gemp_shared_free(gemp_shared *shared)
{
	if (shared->bytes) {
		GEMP_MPI(MPI_Win_unlock_all(shared->window));
		GEMP_MPI(MPI_Win_free(&shared->window));
	}
	if (shared->own_bytes) { /* 0 if the block could not be made */
		gemp_memory_discount(shared->own_bytes);
		live -= shared->ranks > 1 ? shared->size : 0;
	}
	*shared = (gemp_shared){ 0 };
}

void gemp_shared_range(const gemp_shared *shared, size_t count, size_t *first, size_t *end)
{
	size_t ranks = shared->bytes ? (size_t)shared->ranks : 1, rank = shared->bytes ? (size_t)shared->rank : 0;
	*first = gemp_chunk_begin(count, ranks, rank);
	*end = gemp_chunk_begin(count, ranks, rank + 1);
}

/* MPI_Exscan leaves the first rank's result undefined. */
void gemp_shared_sums(const gemp_shared *shared, const uint64_t *mine, uint64_t *before, uint64_t *all, int count)
{
	memset(before, 0, (size_t)count * sizeof *before);
	memcpy(all, mine, (size_t)count * sizeof *all);
	if (!shared->bytes)
		return;
	GEMP_MPI(MPI_Exscan(mine, before, count, MPI_UINT64_T, MPI_SUM, shared->node));
	if (shared->rank == 0)
		memset(before, 0, (size_t)count * sizeof *before);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, all, count, MPI_UINT64_T, MPI_SUM, shared->node));
}

size_t gemp_shared_own_bytes(const gemp_shared *shared, size_t bytes)
{
	size_t first, end;
	gemp_shared_range(shared, bytes, &first, &end);
	return end - first;
}

/* Ranks may map a window at different addresses, but at the same offset in a page, so all ranks find the same aligned
 * position. */
static gemp_counter *align_counters(void *window)
{
	uintptr_t line = _Alignof(gemp_counter);
	return (gemp_counter *)(((uintptr_t)window + line - 1) / line * line);
}

/* Collective. The window lies in memory of rank 0 of the node. If some node has too little memory, or no node has
 * several ranks, each rank has a window of its own. */
static void open_counters(gemp_comm *comm)
{
	const size_t bytes = (GEMP_NODE_COUNTERS + 1) * sizeof(gemp_counter);
	bool alone = !gemp_shared_fits(comm, bytes);
	MPI_Aint size = alone || comm->node_rank == 0 ? (MPI_Aint)bytes : 0;
	int unit = sizeof(gemp_counter);
	void *mine;
	GEMP_MPI(MPI_Win_allocate_shared(size, unit, MPI_INFO_NULL, alone ? MPI_COMM_SELF : comm->node, &mine,
	                                 &comm->counter_window));
	GEMP_MPI(MPI_Win_shared_query(comm->counter_window, 0, &size, &unit, &mine));
	GEMP_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, comm->counter_window));
	comm->counters = align_counters(mine);
	for (int i = 0; (alone || comm->node_rank == 0) && i < GEMP_NODE_COUNTERS; i++)
		comm->counters[i].step = alone ? (uint64_t)comm->node_size : 1;
	GEMP_MPI(MPI_Barrier(comm->node));
}

/* Rank 0 of the node sets the counter. The barrier keeps other ranks from taking a number before that. */
gemp_counter *gemp_counter_open(gemp_comm *comm)
{
	if (!comm->counters)
		open_counters(comm);
	GEMP_CHECK(comm->counters_open < GEMP_NODE_COUNTERS);
	gemp_counter *counter = &comm->counters[comm->counters_open++];
	bool alone = counter->step > 1;
	if (alone || comm->node_rank == 0)
		atomic_store(&counter->next, alone ? (uint64_t)comm->node_rank : 0);
	GEMP_MPI(MPI_Barrier(comm->node));
	return counter;
}

/* Counters are nested like calls, so the last opened counter is closed. */
void gemp_counter_close(gemp_comm *comm)
{
	GEMP_CHECK(comm->counters_open > 0);
	comm->counters_open--;
}

/* Rounds alternate between two sets of values: while a rank still reads the values of one round, other ranks may post
 * the next. */
typedef struct gemp_node_barrier_slot {
	alignas(GEMP_NODE_BARRIER_ALIGN) _Atomic uint32_t
		round; /* the last round that the rank has posted; stored after the values of that round */
	_Atomic uint32_t sleepers;
	uint64_t values[2][GEMP_NODE_BARRIER_VALUES];
} gemp_node_barrier_slot;

enum { SPINS = 64 }; /* spins between two readings of the clock */

static const double spin_seconds = 20e-6, yield_seconds = 200e-6;

size_t gemp_node_barrier_size(int ranks)
{
	return (size_t)ranks * sizeof(gemp_node_barrier_slot);
}

/* Each rank clears its own slot. The caller synchronizes the ranks before the first post. */
void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int ranks, int rank)
{
	*out = (gemp_node_barrier){ .slots = memory, .ranks = ranks, .rank = rank };
	memset(&out->slots[rank], 0, sizeof *out->slots);
}

/* Not FUTEX_PRIVATE, since processes share the word. */
static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, (void *)word, operation, value, NULL, NULL, 0);
}

/* The values are stored before the round, which publishes them. The system call is made only if a rank sleeps. */
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

/* Compares rounds by their difference, so the counter may wrap around. */
static bool has_posted(gemp_node_barrier_slot *slot, uint32_t round)
{
	return (int32_t)(atomic_load_explicit(&slot->round, memory_order_acquire) - round) >= 0;
}

/* No wake-up is lost. The poster stores the round and then reads `sleepers`; the sleeper increments `sleepers` and then
 * reads the round, both sequentially consistent. FUTEX_WAIT checks the round again. */
static void sleep_until(gemp_node_barrier_slot *slot, uint32_t round)
{
	atomic_fetch_add(&slot->sleepers, 1);
	for (uint32_t seen = atomic_load(&slot->round); (int32_t)(seen - round) < 0; seen = atomic_load(&slot->round))
		futex(&slot->round, FUTEX_WAIT, seen);
	atomic_fetch_sub(&slot->sleepers, 1);
}

/* Spins for 20 us, yields up to 200 us, and then sleeps. Most waits are short, and a futex costs microseconds; but
 * there may be more ranks than cores. */
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
				gemp_relax();
	}
	return slot->values[round % 2];
}
