/* memory_count: the numbers of blocks and bytes of core/memory.
 *
 * The counters of all threads are atomic, and an addition to one takes about 6 ns; a request with its release took four
 * additions, a tenth of the time of a query from one vertex (Intel Xeon, 2026-12-01). So each thread adds its changes
 * up, and settles them with the counters when they exceed 64 KiB, when it reads the counters, and when it ends. */

#ifndef GEMP_CORE_MEMORY_COUNT_H
#define GEMP_CORE_MEMORY_COUNT_H

#include <stddef.h>

/* Local to the thread. Adds numbers of bytes and blocks, which are negative if they are freed. */
void gemp_memory_add(ptrdiff_t bytes, ptrdiff_t blocks);
/* Adds what this thread has requested and freed to the counters of all threads. A thread that ends does it by itself; a
 * thread that sleeps between its tasks must do it at the end of each task. */
void gemp_memory_settle(void);

/* The counters that a thread reads have all of its own requests, and lack at most 64 KiB of each other thread that is
 * at work. */
size_t gemp_memory_live(void);   /* bytes */
size_t gemp_memory_blocks(void); /* number of live blocks; 0 at the end of a test without leaks */
size_t gemp_memory_peak(void);   /* bytes */

#endif
