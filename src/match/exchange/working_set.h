/* working_set: the rows that several tasks together can read. Host only. A working set belongs to the tasks of one
 * rank.
 *
 * A walk down the tree of places (closure.h), from the images of a task's roots, visits every vertex whose row the
 * search for the task reads. It also visits some other vertices, because it tests only the restrictions between a
 * place, its parent and the pivot. */

#ifndef GEMP_MATCH_EXCHANGE_WORKING_SET_H
#define GEMP_MATCH_EXCHANGE_WORKING_SET_H

#include "match/exchange/closure.h"

/* The tasks of a search. A task is the slots of its roots' images. Pivots ascend. */
typedef struct gemp_root_tasks {
	const gemp_vertex *slots; /* [count * root_count] */
	size_t count;
} gemp_root_tasks;

/* The bits that a thread has set for a block of tasks: a list like `log` of gemp_working_set. */
typedef struct gemp_block_log {
	uint64_t *added; /* [count] */
	size_t count, capacity;
	bool closed; /* takes no more, since there was no memory */
} gemp_block_log;

/* The rows that the next tasks can read. The caller extends the set to depth 0, fetches the rows in need[], extends the
 * set to depth 1, and so on. At the closure's depth, need[] has all rows that the tasks can read. */
typedef struct gemp_working_set {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	uint32_t *const *candidates;            /* by pattern vertex: bitmap by slot, or NULL */
	bool pivots;                            /* tasks are pivots */
	size_t words;                           /* words of a bitmap over all slots */
	uint32_t *seen[GEMP_MAX_CLOSURE_NODES]; /* by place: [words] its images, by slot */
	uint32_t *need[GEMP_MAX_VIEWS];         /* by view: [words] the rows that are read, by slot */
	uint64_t bytes;                         /* an upper bound of the rows' bytes on a device */
	int depth;
	uint64_t budget;
	gemp_vertex first, last; /* the first and the last pivot of the tasks */
	size_t log_count, log_capacity;
	uint64_t *log;         /* [log_count] bits that the present task has set: place or ROW_LOG + view, and slot */
	gemp_block_log *block; /* [threads] of the last block of tasks */
	unsigned threads;
	uint64_t block_bytes; /* bytes of the rows of the last block */
	bool full;            /* the task has exceeded the budget, or there was no memory for the log */
	bool failed;          /* there was no memory */
} gemp_working_set;

/* Local. All arguments are borrowed. */
gemp_code gemp_working_set_new(gemp_working_set **out, const gemp_closure *closure, const gemp_fetch *fetch,
                               uint32_t *const *candidates, bool pivots);
void gemp_working_set_free(gemp_working_set *set);
GEMP_RELEASE(gemp_working_set_free, gemp_working_set *)

/* Local. Shrinks [*begin, *end) to the first tasks whose rows down to `depth` fit. Rows of less depth are resident or
 * have been fetched. The first task may take `first_budget` bytes, and all tasks together `budget` bytes. A task that
 * alone exceeds `first_budget` is appended to alone[*alone_count], which has space for all tasks, and *begin skips
 * it. */
gemp_code gemp_working_set_extend(gemp_working_set *set, const gemp_root_tasks *tasks, size_t *begin, size_t *end,
                                  int depth, uint64_t budget, uint64_t first_budget, size_t *alone,
                                  size_t *alone_count);

/* Local. Makes the working set of all tasks [begin, end), without a budget. */
void gemp_working_set_extend_all(gemp_working_set *set, const gemp_root_tasks *tasks, size_t begin, size_t end,
                                 int depth);

#endif
