/* threads: loops of the host, shared among the cores of this rank.
 *
 * Helper threads sleep on a condition variable between loops; chunks are handed out one by one from an atomic counter,
 * so uneven chunks balance themselves. OpenMP is not used, since ranks share cores here and libgomp's threads spin
 * while they wait. tests/bench/threads.c, loops of 64 chunks of 200 multiplications, Intel Xeon with 16 cores, GCC's
 * libgomp, 2026-11-24: 8 processes of 2 threads on 2 cores take 72 to 92 us a loop, OpenMP 13 to 26 ms (105 to 110 us
 * with OMP_WAIT_POLICY=passive). Alone OpenMP is ahead: 14 to 17 us against 18 to 20 us on 2 cores, 11 to 13 us against
 * 38 to 56 us on 8.
 *
 * A body calls neither MPI nor OpenCL. It has no way to fail: a body that can fail keeps its code and its message (that
 * of gemp_fail belongs to the thread) in the context, for the caller of the loop.
 */

#ifndef GEMP_CORE_THREADS_H
#define GEMP_CORE_THREADS_H

#include "core/status.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum number of threads of later loops; 0 (the default): the number of cores of this process. */
void gemp_threads_limit(unsigned threads);
unsigned gemp_threads(void);

/* Calls body(context, thread, chunk) for each chunk below `chunks`, in any order; `thread` is below gemp_threads().
 * Returns when all are done. A loop of one chunk is a plain call. A loop inside a body, or concurrent with another
 * loop, starts threads of its own. */
typedef void gemp_loop_body(void *context, unsigned thread, size_t chunk);
void gemp_parallel_for(size_t chunks, gemp_loop_body *body, void *context);

/* Two ways to cut `count` elements: chunk i of `chunks` nearly equal ones begins at gemp_chunk_begin (i = chunks: the
 * end); chunk i of `size` elements each ends at gemp_chunk_end, where the last one may be shorter. */
static inline size_t gemp_chunk_begin(size_t count, size_t chunks, size_t i)
{
	return count / chunks * i + gemp_min(i, count % chunks);
}

static inline size_t gemp_chunk_end(size_t count, size_t size, size_t i)
{
	return gemp_min(count, (i + 1) * size);
}

/* Ranges of rows: a range has at least so many rows that it is worth a thread, and there are at most GEMP_MAX_RANGES,
 * so that callers can keep a value of each range on the stack. */
enum { GEMP_RANGE_ROWS = 1 << 14, GEMP_MAX_RANGES = 256 };

/* body(context, range, begin, end): rows [begin, end) are range number `range`. */
typedef void gemp_range_body(void *context, size_t range, size_t begin, size_t end);

size_t gemp_range_count(size_t count); /* ranges of a loop over `count` rows */
void gemp_for_ranges(size_t count, gemp_range_body *body, void *context);
/* The same in chunks of a size that the caller chooses: rows [begin, end) are chunk number `range`. */
void gemp_for_chunks(size_t count, size_t chunk, gemp_range_body *body, void *context);
/* The same as gemp_for_ranges for a body that does not need the number of its range. */
typedef void gemp_elements_body(void *context, size_t begin, size_t end);
void gemp_for_elements(size_t count, gemp_elements_body *body, void *context);

/* Sums of all numbers up to each index of an array of row sizes, on all threads. Two passes over at most
 * GEMP_MAX_RANGES ranges (a blocked scan: Hillis and Steele 1986, on p processors): each thread sums its ranges in
 * place; the sums of the ranges are scanned serially; then each range adds the sum of those before it. Arrays of one
 * range take one pass. Sums are modulo 2^64. */

/* numbers[i] becomes the sum of numbers[0..i]. */
void gemp_prefix_inclusive(uint64_t *numbers, size_t count);
/* numbers[i + 1] becomes numbers[i], and the first 0; the last one is lost. count > 0. */
void gemp_prefix_shift(uint64_t *numbers, size_t count);

/* The indices of all elements that satisfy a predicate, in ascending order, found by all threads in two passes over
 * chunks: the first counts the selected elements of each chunk, the prefix sums of the counts say where each chunk
 * writes, and the second pass writes. The predicate is evaluated twice for each element, which is cheaper than a list
 * for each thread. */

typedef bool gemp_pick_predicate(const void *self, size_t i);

/* Is any i below n wanted? The threads stop soon after the first one is found. */
bool gemp_any(size_t n, gemp_pick_predicate *wanted, const void *self);
/* out[*count] become all i below n that are wanted, ascending; the caller frees. */
gemp_code gemp_pick(uint64_t **out, size_t *count, size_t n, gemp_pick_predicate *wanted, const void *self);

#endif
