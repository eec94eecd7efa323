/* threads: parallel loops of the host on the cores of this rank, and functions that run beside the caller.
 *
 * Helper threads sleep on a condition variable between loops. Threads take chunks from an atomic counter, so uneven
 * chunks balance themselves. OpenMP is not used, since ranks share cores here and libgomp's threads spin while they
 * wait. tests/bench/threads.c, loops of 64 chunks of 200 multiplications, Intel Xeon with 16 cores, GCC's libgomp,
 * 2026-11-24: 8 processes of 2 threads on 2 cores take 72 to 92 us a loop, OpenMP 13 to 26 ms (105 to 110 us with
 * OMP_WAIT_POLICY=passive). With the cores to itself, OpenMP is faster: 14 to 17 us instead of 18 to 20 us on 2 cores,
 * 11 to 13 us instead of 38 to 56 us on 8.
 *
 * A body calls neither MPI nor OpenCL, and it has no result. A body that can fail stores its code and its message in
 * the context for the caller of the loop, since the message of gemp_fail belongs to the thread. */

#ifndef GEMP_CORE_THREADS_H
#define GEMP_CORE_THREADS_H

#include "core/status.h"
#include "core/types.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the maximum number of threads of later loops. 0, the default, is the number of cores of this process. */
void gemp_threads_limit(unsigned threads);
unsigned gemp_threads(void);

/* Calls body(context, thread, chunk) for each chunk in [0, chunks), in any order, and returns when all calls have
 * returned. `thread` is less than gemp_threads(). A loop of one chunk is a plain call. A loop inside a body, or
 * concurrent with another loop, starts threads of its own. */
typedef void gemp_loop_body(void *context, unsigned thread, size_t chunk);
void gemp_parallel_for(size_t chunks, gemp_loop_body *body, void *context);

/* Tells the core that it spins, which frees resources for the core's other hardware thread. */
static inline void gemp_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* Two ways to divide `count` elements. gemp_chunk_begin is the begin of chunk i of `chunks` nearly equal chunks (i =
 * chunks: the end). gemp_chunk_end is the end of chunk i of chunks of `size` elements; the last chunk may be
 * shorter. */
static inline size_t gemp_chunk_begin(size_t count, size_t chunks, size_t i)
{
	return count / chunks * i + gemp_min(i, count % chunks);
}

static inline size_t gemp_chunk_end(size_t count, size_t size, size_t i)
{
	return gemp_min(count, (i + 1) * size);
}

/* Ranges of rows. A range has enough rows to occupy a thread. There are at most GEMP_MAX_RANGES, so that callers can
 * store a value for each range on the stack. */
enum { GEMP_RANGE_ROWS = 1 << 14, GEMP_MAX_RANGES = 256 };

/* body(context, range, begin, end): rows [begin, end) are range number `range`. */
typedef void gemp_range_body(void *context, size_t range, size_t begin, size_t end);

size_t gemp_range_count(size_t count); /* the number of ranges of a loop over `count` rows */
void gemp_for_ranges(size_t count, gemp_range_body *body, void *context);
/* The same for chunks of `chunk` rows: rows [begin, end) are chunk number `range`. */
void gemp_for_chunks(size_t count, size_t chunk, gemp_range_body *body, void *context);
/* The same as gemp_for_ranges for a body that does not need the number of its range. */
typedef void gemp_elements_body(void *context, size_t begin, size_t end);
void gemp_for_elements(size_t count, gemp_elements_body *body, void *context);

/* memcpy on all threads: a single thread does not use the bandwidth of the memory, and page faults of the target take
 * longer than the copy. */
void gemp_parallel_copy(void *to, const void *from, size_t bytes);

/* Prefix sums of an array, on all threads: a blocked scan (Hillis and Steele 1986, on p processors) in two passes over
 * at most GEMP_MAX_RANGES ranges. Each thread scans its ranges in place, the calling thread scans the totals of the
 * ranges, and then each range adds the total of the earlier ranges. Arrays of one range take one pass. Sums are modulo
 * 2^64. */

/* numbers[i] becomes the sum of numbers[0..i]. */
void gemp_prefix_inclusive(uint64_t *numbers, size_t count);
/* numbers[i + 1] becomes numbers[i], and numbers[0] becomes 0. The last number is lost. count > 0. */
void gemp_prefix_shift(uint64_t *numbers, size_t count);

/* Selection of the elements that satisfy a predicate, in ascending order, in two passes over chunks. The first pass
 * counts the selected elements of each chunk. The prefix sums of the counts are the positions at which the second pass
 * writes. The predicate is evaluated twice for each element, which costs less than a list for each thread. */

typedef bool gemp_pick_predicate(const void *self, size_t i);

/* Does some i < n satisfy the predicate? The threads stop soon after one has found such an i. */
bool gemp_any(size_t n, gemp_pick_predicate *wanted, const void *self);
/* out[*count] become all i < n that satisfy the predicate, ascending. The caller frees it. */
gemp_code gemp_pick(uint64_t **out, size_t *count, size_t n, gemp_pick_predicate *wanted, const void *self);

/* A function on a thread of its own, while the caller goes on. The thread blocks signals (gemp_signals_block), and the
 * function calls no MPI. While it runs a loop on all threads, loops of the caller start threads of their own. */
typedef struct gemp_background {
	pthread_t thread;
	bool running; /* the thread is to be joined */
} gemp_background;

/* Returns false if no thread can be started; the function is not called then. */
bool gemp_background_start(gemp_background *background, void *(*function)(void *), void *context);
/* Returns when the function has returned; at once if it was not started. */
void gemp_background_wait(gemp_background *background);

#endif
