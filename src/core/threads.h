/* threads: loops of the host, shared among the cores of this rank.
 *
 * The threads of a process wait for loops on a condition variable; chunks are handed out one by one. OpenMP is not used, since
 * ranks share cores here and libgomp's threads spin while they wait. tests/bench/threads.c, loops of 64 chunks of 200
 * multiplications, Intel Xeon with 16 cores, GCC's libgomp, 2026-11-24: 8 processes of 2 threads on 2 cores take 72 to 92 us a loop,
 * OpenMP 13 to 26 ms (105 to 110 us with OMP_WAIT_POLICY=passive). Alone OpenMP is ahead: 14 to 17 us against 18 to 20 us on
 * 2 cores, 11 to 13 us against 38 to 56 us on 8.
 *
 * A body calls neither MPI nor OpenCL. It has no way to fail: one that can keeps its code and its message (those of
 * gemp_fail belong to the thread) in the context, for whoever called the loop.
 */

#ifndef GEMP_CORE_THREADS_H
#define GEMP_CORE_THREADS_H

#include "core/types.h"

#include <stddef.h>

/* The most threads that loops may use from now on; 0: as many as this process has cores, which is also where it
 * begins. */
void gemp_threads_limit(unsigned threads);
unsigned gemp_threads(void);

/* body(context, thread, piece) for each piece below `pieces`, in any order; `thread` is below gemp_threads().
 * Returns when all are done. A loop of one piece is a call. Threads wait for the next loop in between; a loop within
 * a body, or beside another one, makes its own. */
typedef void gemp_loop_body(void *context, unsigned thread, size_t piece);
void gemp_parallel_for(size_t pieces, gemp_loop_body *body, void *context);

/* Cutting `count` elements: chunk i of `chunks` about equal ones begins at gemp_chunk_begin (i = chunks: the end); chunk i of
 * `size` elements each ends at gemp_chunk_end, the last one early. */
static inline size_t gemp_chunk_begin(size_t count, size_t chunks, size_t i)
{
	return count / chunks * i + gemp_min(i, count % chunks);
}

static inline size_t gemp_chunk_end(size_t count, size_t size, size_t i)
{
	return gemp_min(count, (i + 1) * size);
}

/* ranges: loops over rows, shared among the cores of this rank in ranges of rows. */

/* A range has as many rows as are worth a thread; there are not more than so many, so that what is kept of each is
 * little. */
enum { GEMP_RANGE_ROWS = 1 << 14, GEMP_MAX_RANGES = 256 };

/* body(context, range, begin, end): rows [begin, end) are range number `range`. */
typedef void gemp_range_body(void *context, size_t range, size_t begin, size_t end);

size_t gemp_range_count(size_t count); /* how many there are */
void gemp_for_ranges(size_t count, gemp_range_body *body, void *context);
/* The same in chunks of a size that the caller chooses: rows [begin, end) are chunk number `range`. */
void gemp_for_chunks(size_t count, size_t chunk, gemp_range_body *body, void *context);

#endif
