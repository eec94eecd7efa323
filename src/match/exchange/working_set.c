#include "match/exchange/working_set.h"

#include "core/limits.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <string.h>

/* the upper half of a log entry is the number of a place, or ROW_LOG + the number of a view */
enum { ROW_LOG = 1 << 8 };

/* The set has a bitmap over all slots for each place and for each view. */
gemp_code gemp_working_set_new(gemp_working_set **out, const gemp_closure *closure, const gemp_fetch *fetch,
                               uint32_t *const *candidates, bool pivots)
{
	GEMP_OWNED_BY(gemp_working_set_free_at) gemp_working_set *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	*r = (gemp_working_set){ .closure = closure,
		                     .fetch = fetch,
		                     .candidates = candidates,
		                     .pivots = pivots,
		                     .words = gemp_bits32_words(fetch->graph->vertex_count) };
	for (size_t i = 0; i < closure->count; i++)
		GEMP_TRY(GEMP_NEW(r->seen[i], r->words));
	for (size_t v = 0; v < fetch->view_count; v++)
		GEMP_TRY(GEMP_NEW(r->need[v], r->words));
	*out = r;
	r = NULL;
	return GEMP_OK;
}

static void free_logs(gemp_working_set *r)
{
	for (unsigned t = 0; t < r->threads; t++)
		gemp_free(r->block[t].added);
	gemp_free(r->block);
	r->block = NULL;
	r->threads = 0;
}

/* Also frees a set that is only partly made; bitmaps that were not made are NULL. */
void gemp_working_set_free(gemp_working_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < GEMP_MAX_CLOSURE_NODES; i++)
		gemp_free(set->seen[i]);
	for (size_t v = 0; v < GEMP_MAX_VIEWS; v++)
		gemp_free(set->need[v]);
	free_logs(set);
	gemp_free_all(set->log, set);
}

/* Sets a bit and logs it, so that undo_task can remove a task that does not fit. */
static void log_addition(gemp_working_set *r, uint32_t *bits, uint64_t what, gemp_vertex slot)
{
	gemp_bits32_set(bits, slot);
	if (GEMP_RESERVE(r->log, r->log_capacity, r->log_count + 1) != GEMP_OK) {
		r->failed = r->full = true;
		return;
	}
	r->log[r->log_count++] = what << 32 | slot;
}

static void clear_logged(gemp_working_set *r, uint64_t addition)
{
	uint64_t what = addition >> 32;
	gemp_bits32_clear(what & ROW_LOG ? r->need[what - ROW_LOG] : r->seen[what], (gemp_vertex)addition);
}

/* Clears the bits that the present task has added. */
static void undo_task(gemp_working_set *r, uint64_t bytes)
{
	while (r->log_count)
		clear_logged(r, r->log[--r->log_count]);
	r->bytes = bytes;
}

/* Tests the restrictions between an image of a place, its parent and the pivots. No other restrictions are tested, so
 * the set may be larger than needed. */
static bool passes(const gemp_working_set *r, const gemp_closure_node *place, gemp_vertex parent, gemp_vertex slot)
{
	return gemp_closure_node_accepts(place, parent, slot, r->first, r->last, r->candidates[place->vertex]);
}

/* Adds an image of a place, the rows that are read of the image and, down to the depth, the images below it. Stops when
 * the budget is exceeded. */
static void add_image(gemp_working_set *r, size_t at, gemp_vertex slot)
{
	const gemp_closure *c = r->closure;
	uint64_t entry = gemp_fetch_entry_bytes(r->fetch);
	log_addition(r, r->seen[at], at, slot);
	for (uint32_t left = c->nodes[at].reads; left && !r->full; left &= left - 1) {
		size_t view = (size_t)__builtin_ctz(left);
		if (gemp_bits32_test(r->need[view], slot))
			continue;
		log_addition(r, r->need[view], ROW_LOG + view, slot);
		r->bytes += gemp_fetch_size(r->fetch, view, slot) * entry;
		r->full |= r->bytes > r->budget;
	}
	if (c->nodes[at].level == r->depth)
		return;
	for (size_t child = at + 1; child < c->count && !r->full; child++) {
		if (c->nodes[child].parent != (int)at)
			continue;
		gemp_row row = gemp_fetch_get(r->fetch, (size_t)c->nodes[child].view, slot);
		for (size_t i = 0; i < row.size && !r->full; i++)
			if (!gemp_bits32_test(r->seen[child], row.neighbours[i]) &&
			    passes(r, &c->nodes[child], slot, row.neighbours[i]))
				add_image(r, child, row.neighbours[i]);
	}
}

/* The set is built anew for each depth, since the rows of the next hop have been fetched since the last call. */
static void clear_sets(gemp_working_set *r, int depth)
{
	r->depth = depth;
	for (size_t i = 0; i < r->closure->count; i++)
		memset(r->seen[i], 0, r->words * sizeof **r->seen);
	for (size_t v = 0; v < r->fetch->view_count; v++)
		memset(r->need[v], 0, r->words * sizeof **r->need);
	r->bytes = 0;
	r->failed = false;
}

/* Adds a whole task. If the task exceeds the budget or memory runs out, removes the task from the set and returns
 * false. */
static bool add_task(gemp_working_set *r, const gemp_vertex *slots)
{
	uint64_t before = r->bytes;
	r->log_count = 0;
	r->full = false;
	for (size_t i = 0; i < r->closure->root_count && !r->full; i++)
		if (!gemp_bits32_test(r->seen[i], slots[i]))
			add_image(r, i, slots[i]);
	if (r->full)
		undo_task(r, before);
	return !r->full;
}

/* Pivots ascend, so all pivots of a range lie between the first and the last pivot of the range. Restrictions against
 * the pivot are tested against these two pivots. */
static void set_pivot_bounds(gemp_working_set *r, const gemp_root_tasks *tasks, size_t begin, size_t end)
{
	if (!r->pivots || begin == end)
		return;
	r->first = tasks->slots[begin];
	r->last = tasks->slots[end - 1];
}

/* BLOCKS OF TASKS. Threads take a few tasks of a block at a time and set bits atomically. A thread that finds an image
 * marked leaves everything below it to the thread that has marked it, so the set does not depend on the number of
 * threads. Each thread logs what it has added, so that a block with too many rows can be removed. */

enum { TASKS = 64 }; /* number of tasks that a thread takes at a time */

/* A block while threads add it. */
typedef struct block_context {
	gemp_working_set *set;
	const gemp_vertex *slots; /* of the first task of the block */
	size_t count;
	bool logged;
	_Atomic uint64_t bytes; /* of the rows that were added */
} block_context;

/* A thread's part of a block. */
typedef struct block_part {
	gemp_working_set *set;
	gemp_block_log log;
	uint64_t bytes;
} block_part;

static void log_of_part(gemp_block_log *log, uint64_t what, gemp_vertex slot)
{
	if (log->closed)
		return;
	if (GEMP_RESERVE(log->added, log->capacity, log->count + 1) == GEMP_OK)
		log->added[log->count++] = what << 32 | slot;
	else
		log->closed = true;
}

/* Works like add_image, but for several threads at once, and without a budget. This thread has marked the image. */
static void mark_image(block_part *p, size_t at, gemp_vertex slot)
{
	gemp_working_set *r = p->set;
	const gemp_closure *c = r->closure;
	log_of_part(&p->log, at, slot);
	for (uint32_t left = c->nodes[at].reads; left; left &= left - 1) {
		size_t view = (size_t)__builtin_ctz(left);
		if (gemp_bits32_set_atomic(r->need[view], slot))
			continue;
		log_of_part(&p->log, ROW_LOG + view, slot);
		p->bytes += gemp_fetch_size(r->fetch, view, slot) * gemp_fetch_entry_bytes(r->fetch);
	}
	if (c->nodes[at].level == r->depth)
		return;
	for (size_t child = at + 1; child < c->count; child++) {
		if (c->nodes[child].parent != (int)at)
			continue;
		gemp_row row = gemp_fetch_get(r->fetch, (size_t)c->nodes[child].view, slot);
		for (size_t i = 0; i < row.size; i++)
			if (passes(r, &c->nodes[child], slot, row.neighbours[i]) &&
			    !gemp_bits32_set_atomic(r->seen[child], row.neighbours[i]))
				mark_image(p, child, row.neighbours[i]);
	}
}

/* The thread works on a copy of its log, since logs of several threads share cache lines. */
static void mark_tasks(void *context, unsigned thread, size_t chunk)
{
	block_context *b = context;
	const size_t roots = b->set->closure->root_count, end = gemp_chunk_end(b->count, TASKS, chunk);
	block_part p = { .set = b->set, .log.closed = true };
	if (b->logged)
		p.log = b->set->block[thread];
	for (size_t task = chunk * TASKS; task < end; task++)
		for (size_t i = 0; i < roots; i++) {
			gemp_vertex slot = b->slots[task * roots + i];
			if (!gemp_bits32_set_atomic(b->set->seen[i], slot))
				mark_image(&p, i, slot);
		}
	if (b->logged)
		b->set->block[thread] = p.log;
	atomic_fetch_add(&b->bytes, p.bytes);
}

/* Makes an empty log for each thread. */
static gemp_code clear_logs(gemp_working_set *r)
{
	if (r->threads < gemp_threads()) {
		free_logs(r);
		GEMP_TRY(GEMP_NEW(r->block, gemp_threads()));
		r->threads = gemp_threads();
	}
	for (unsigned t = 0; t < r->threads; t++)
		r->block[t].count = 0;
	return GEMP_OK;
}

/* Adds `count` tasks, and their bytes. Without a log it does not fail. */
static gemp_code add_block(gemp_working_set *r, const gemp_root_tasks *tasks, size_t begin, size_t count, bool logged)
{
	block_context b = {
		.set = r, .slots = tasks->slots + begin * r->closure->root_count, .count = count, .logged = logged
	};
	if (logged)
		GEMP_TRY(clear_logs(r));
	gemp_parallel_for((count + TASKS - 1) / TASKS, mark_tasks, &b);
	r->block_bytes = b.bytes;
	r->bytes += b.bytes;
	for (unsigned t = 0; logged && t < r->threads; t++)
		if (r->block[t].closed)
			return gemp_fail(GEMP_ENOMEM, "there is no memory to list the rows of a round");
	return GEMP_OK;
}

/* Removes the block that was added last. */
static void undo_block(gemp_working_set *r)
{
	for (unsigned t = 0; t < r->threads; t++)
		for (size_t i = 0; i < r->block[t].count; i++)
			clear_logged(r, r->block[t].added[i]);
	r->bytes -= r->block_bytes;
}

/* The number of next tasks that are expected to fill at most half of what is left of the budget. Pivots have ever
 * shorter rows, of which ever more are in the set already, so the mean of the earlier tasks is an upper estimate. */
static size_t block_size(const gemp_working_set *r, size_t added, uint64_t budget, size_t limit)
{
	double mean = added ? (double)r->bytes / (double)added : 0;
	double expected = mean > 0 ? (double)(budget - r->bytes) / 2 / mean : (double)added;
	return expected < (double)limit ? (size_t)expected : limit;
}

/* Adds blocks of tasks from *at on, on all threads, as long as blocks are large. If the rows of a block are too many,
 * it is removed, and *limit, the size of the next blocks, becomes a quarter. It stays so for the round: if a task does
 * not fit, the blocks that contain it would otherwise be tried again for each task before it. */
static gemp_code add_blocks(gemp_working_set *r, const gemp_root_tasks *tasks, size_t begin, size_t *at, size_t end,
                            uint64_t budget, size_t *limit)
{
	const size_t least = gemp_limits_now()->pull_block;
	while (r->bytes < budget) {
		const size_t count = block_size(r, *at - begin, budget, gemp_min(*limit, end - *at));
		if (count < least || !count)
			return GEMP_OK;
		GEMP_TRY(add_block(r, tasks, *at, count, true));
		if (r->bytes <= budget) {
			*at += count;
			continue;
		}
		undo_block(r);
		*limit = count / 4;
	}
	return GEMP_OK;
}

/* Tasks are added in order until a task does not fit: in blocks, and one by one where blocks would be small. If the
 * first task exceeds first_budget, it is skipped and the next task becomes the first. */
gemp_code gemp_working_set_extend(gemp_working_set *r, const gemp_root_tasks *tasks, size_t *begin, size_t *end,
                                  int depth, uint64_t budget, uint64_t first_budget, size_t *alone, size_t *alone_count)
{
	size_t roots = r->closure->root_count, at = *begin, limit = SIZE_MAX;
	clear_sets(r, depth);
	set_pivot_bounds(r, tasks, *begin, *end);
	while (at < *end && !r->failed) {
		r->budget = at == *begin ? first_budget : budget;
		if (add_task(r, tasks->slots + at * roots)) {
			at++;
			GEMP_TRY(add_blocks(r, tasks, *begin, &at, *end, budget, &limit));
			continue;
		}
		if (at > *begin || r->failed)
			break;
		alone[(*alone_count)++] = at++;
		++*begin;
	}
	*end = at;
	return r->failed ? GEMP_ENOMEM : GEMP_OK;
}

void gemp_working_set_extend_all(gemp_working_set *r, const gemp_root_tasks *tasks, size_t begin, size_t end, int depth)
{
	clear_sets(r, depth);
	set_pivot_bounds(r, tasks, begin, end);
	add_block(r, tasks, begin, end - begin, false);
}
