#include "core/memory_count.h"

#include "core/small_blocks.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_PENDING = 64 << 10 };

/* Signed, since a thread may settle the release of a block before another one has settled the request. */
static atomic_ptrdiff_t live, blocks, peak;
static _Thread_local struct {
	ptrdiff_t bytes, blocks, high; /* high: the greatest number of bytes */
	bool registered;
} pending;

void gemp_memory_settle(void)
{
	if (!pending.bytes && !pending.blocks && !pending.high)
		return;
	const ptrdiff_t before = atomic_fetch_add(&live, pending.bytes), high = before + pending.high;
	ptrdiff_t known = peak;
	while (high > known && !atomic_compare_exchange_weak(&peak, &known, high))
		;
	atomic_fetch_add(&blocks, pending.blocks);
	pending.bytes = pending.blocks = pending.high = 0;
}

/* Settles what is pending when a thread ends. */
static pthread_key_t thread_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_thread(void *unused)
{
	(void)unused;
	gemp_memory_settle();
	gemp_small_blocks_drop();
	pending.registered = false; /* destructors of other keys may still free blocks */
}

static void make_key(void)
{
	pthread_key_create(&thread_key, end_thread);
}

static void register_thread(void)
{
	pending.registered = true;
	pthread_once(&once, make_key);
	pthread_setspecific(thread_key, &pending);
}

void gemp_memory_add(ptrdiff_t bytes, ptrdiff_t block_count)
{
	if (!pending.registered)
		register_thread();
	pending.bytes += bytes;
	pending.blocks += block_count;
	if (pending.bytes > pending.high)
		pending.high = pending.bytes;
	if (pending.bytes > MAX_PENDING || pending.bytes < -MAX_PENDING)
		gemp_memory_settle();
}

static size_t read_settled(const atomic_ptrdiff_t *counter)
{
	gemp_memory_settle();
	const ptrdiff_t number = *counter;
	return number > 0 ? (size_t)number : 0;
}

size_t gemp_memory_live(void)
{
	return read_settled(&live);
}

size_t gemp_memory_blocks(void)
{
	return read_settled(&blocks);
}

size_t gemp_memory_peak(void)
{
	return read_settled(&peak);
}
