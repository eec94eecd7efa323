#include "core/threads.h"

#include "core/memory.h"
#include "core/signals.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 };

static unsigned thread_limit;

/* Counts the cores of the affinity mask and not of the machine, because mpirun and batch systems bind ranks to a part
 * of the machine. */
static unsigned count_cores(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	return count < 1 ? 1 : (unsigned)count;
}

void gemp_threads_limit(unsigned threads)
{
	thread_limit = threads;
}

/* Counts anew each time, since a launcher may change the affinity of a running process. */
unsigned gemp_threads(void)
{
	unsigned count = count_cores();
	if (thread_limit && thread_limit < count)
		count = thread_limit;
	return count < MAX_THREADS ? count : MAX_THREADS;
}

typedef struct loop_task {
	gemp_loop_body *body;
	void *context;
	size_t chunks;
	_Atomic size_t next;
	atomic_uint threads; /* number of threads that have joined, which is the number of the next thread */
} loop_task;

/* Takes chunks until none is left. Threads of a loop share only the two atomic counters. */
static void run_chunks(loop_task *task)
{
	unsigned thread = atomic_fetch_add(&task->threads, 1);
	size_t chunk;
	while ((chunk = atomic_fetch_add(&task->next, 1)) < task->chunks)
		task->body(task->context, thread, chunk);
}

/* The pool's helper threads live from the first loop to the end of the process, since starting a thread takes longer
 * than a short loop. They serve one loop at a time. A loop that begins in the meantime, in another thread or inside a
 * body, starts threads of its own. */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t begun, ended;
	pthread_t thread[MAX_THREADS];
	unsigned count;
	bool busy, stopped;
	loop_task *loop;   /* the loop that helpers may join, or NULL */
	uint64_t number;   /* number of loops so far */
	unsigned openings; /* number of helpers that may still join */
	unsigned joined;   /* number of helpers that have joined and not left */
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER, .begun = PTHREAD_COND_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

/* A helper joins a loop only while the loop has openings. `number` keeps it from joining the same loop twice. */
static void *run_helper(void *unused)
{
	uint64_t last_number = 0;
	pthread_mutex_lock(&pool.mutex);
	while (!pool.stopped) {
		if (!pool.loop || pool.openings == 0 || pool.number == last_number) {
			pthread_cond_wait(&pool.begun, &pool.mutex);
			continue;
		}
		loop_task *task = pool.loop;
		last_number = pool.number;
		pool.openings--;
		pool.joined++;
		pthread_mutex_unlock(&pool.mutex);
		run_chunks(task);
		gemp_memory_settle();
		pthread_mutex_lock(&pool.mutex);
		if (--pool.joined == 0)
			pthread_cond_signal(&pool.ended);
	}
	pthread_mutex_unlock(&pool.mutex);
	return unused;
}

/* Joins the helpers at exit, so that leak checkers and profilers see them end. If the pool is busy, exit() was called
 * inside a loop; its helpers would never finish and are not joined. */
static void stop_helpers(void)
{
	pthread_mutex_lock(&pool.mutex);
	unsigned count = pool.busy ? 0 : pool.count;
	pool.count -= count;
	pool.stopped = true;
	pthread_cond_broadcast(&pool.begun);
	pthread_mutex_unlock(&pool.mutex);
	for (unsigned t = 0; t < count; t++)
		pthread_join(pool.thread[t], NULL);
}

/* Threads do not survive fork, so a child process has no helpers. Without this reset its first loop would wait for them
 * forever. */
static void reset_after_fork(void)
{
	pthread_mutex_init(&pool.mutex, NULL);
	pthread_cond_init(&pool.begun, NULL);
	pthread_cond_init(&pool.ended, NULL);
	pool.count = pool.openings = pool.joined = 0;
	pool.busy = false;
	pool.loop = NULL;
}

/* Starts helpers until there are `wanted`. Helpers block signals, so that the program's own threads receive them. If a
 * thread cannot be started, the loop runs on fewer threads. */
static void grow_pool(unsigned wanted)
{
	static bool registered;
	sigset_t before;
	if (pool.count >= wanted || pool.stopped)
		return;
	if (!registered && (pthread_atfork(NULL, NULL, reset_after_fork) != 0 || atexit(stop_helpers) != 0))
		return;
	registered = true;
	gemp_signals_block(&before);
	while (pool.count < wanted && pthread_create(&pool.thread[pool.count], NULL, run_helper, NULL) == 0)
		pool.count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Offers the loop to the pool. Returns false if the pool is busy with another loop. Only `wanted` helpers wake up. */
static bool start_helpers(loop_task *task, unsigned wanted)
{
	pthread_mutex_lock(&pool.mutex);
	bool acquired = !pool.busy;
	if (acquired) {
		grow_pool(wanted);
		pool.busy = true;
		pool.loop = task;
		pool.number++;
		pool.openings = wanted;
		if (wanted >= pool.count)
			pthread_cond_broadcast(&pool.begun);
		else
			for (unsigned t = 0; t < wanted; t++)
				pthread_cond_signal(&pool.begun);
	}
	pthread_mutex_unlock(&pool.mutex);
	return acquired;
}

/* Withdraws the loop and waits for the helpers that have joined it. A helper that wakes up later finds no loop. */
static void finish_helpers(void)
{
	pthread_mutex_lock(&pool.mutex);
	pool.loop = NULL;
	while (pool.joined)
		pthread_cond_wait(&pool.ended, &pool.mutex);
	pool.busy = false;
	pthread_mutex_unlock(&pool.mutex);
}

static void *run_temporary(void *task)
{
	run_chunks(task);
	return NULL;
}

/* Runs the loop on temporary threads, because the pool is busy. */
static void run_without_pool(loop_task *task, unsigned wanted)
{
	pthread_t temporary[MAX_THREADS];
	unsigned started = 0;
	while (started < wanted && pthread_create(&temporary[started], NULL, run_temporary, task) == 0)
		started++;
	run_chunks(task);
	for (unsigned t = 0; t < started; t++)
		pthread_join(temporary[t], NULL);
}

/* The calling thread works, too, so a loop of two chunks needs one helper. */
void gemp_parallel_for(size_t chunks, gemp_loop_body *body, void *context)
{
	loop_task task = { .body = body, .context = context, .chunks = chunks };
	unsigned wanted = chunks > 1 ? gemp_threads() : 1;
	if (wanted > chunks)
		wanted = (unsigned)chunks;
	if (wanted <= 1) {
		run_chunks(&task);
	} else if (start_helpers(&task, wanted - 1)) {
		run_chunks(&task);
		finish_helpers();
	} else {
		run_without_pool(&task, wanted - 1);
	}
}

typedef struct range_loop {
	size_t count, rows; /* count: rows of the loop; rows: rows of a range (the last range may have fewer) */
	gemp_range_body *body;
	void *context;
} range_loop;

/* The body does not learn which thread runs it. */
static void run_range(void *self, unsigned thread, size_t range)
{
	const range_loop *r = self;
	(void)thread;
	r->body(r->context, range, range * r->rows, gemp_chunk_end(r->count, r->rows, range));
}

/* The number of rows of a range: GEMP_RANGE_ROWS, or more if there would be more than GEMP_MAX_RANGES ranges. */
static size_t rows_of(size_t count)
{
	size_t rows = (count + GEMP_MAX_RANGES - 1) / GEMP_MAX_RANGES;
	return rows > GEMP_RANGE_ROWS ? rows : GEMP_RANGE_ROWS;
}

size_t gemp_range_count(size_t count)
{
	size_t rows = rows_of(count);
	return (count + rows - 1) / rows;
}

void gemp_for_chunks(size_t count, size_t chunk, gemp_range_body *body, void *context)
{
	range_loop r = { count, chunk, body, context };
	gemp_parallel_for((count + chunk - 1) / chunk, run_range, &r);
}

/* The ranges depend on the count alone, so results that depend on ranges do not depend on the number of threads. */
void gemp_for_ranges(size_t count, gemp_range_body *body, void *context)
{
	gemp_for_chunks(count, rows_of(count), body, context);
}

typedef struct element_loop {
	gemp_elements_body *body;
	void *context;
} element_loop;

static void run_elements(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const element_loop *loop = self;
	loop->body(loop->context, begin, end);
}

void gemp_for_elements(size_t count, gemp_elements_body *body, void *context)
{
	gemp_for_ranges(count, run_elements, &(element_loop){ body, context });
}

typedef struct copy_task {
	char *to;
	const char *from;
} copy_task;

static void copy_range(void *context, size_t range, size_t begin, size_t end)
{
	const copy_task *task = context;
	(void)range;
	memcpy(task->to + begin, task->from + begin, end - begin);
}

/* Chunks are large beside the start of a thread. */
void gemp_parallel_copy(void *to, const void *from, size_t bytes)
{
	enum { CHUNK = 1 << 18 };
	if (bytes)
		gemp_for_chunks(bytes, CHUNK, copy_range, &(copy_task){ to, from });
}

typedef struct prefix_task {
	uint64_t *numbers;
	/* the number that each range adds (inclusive), or its new first element (shift) */
	uint64_t offset[GEMP_MAX_RANGES];
} prefix_task;

/* First pass: makes the prefix sums of a range; the total becomes offset[range]. */
static void sum_range(void *context, size_t range, size_t begin, size_t end)
{
	prefix_task *task = context;
	uint64_t sum = 0;
	for (size_t i = begin; i < end; i++)
		task->numbers[i] = sum += task->numbers[i];
	task->offset[range] = sum;
}

/* Second pass: adds the total of all earlier ranges. */
static void add_offset(void *context, size_t range, size_t begin, size_t end)
{
	const prefix_task *task = context;
	for (size_t i = begin; i < end; i++)
		task->numbers[i] += task->offset[range];
}

/* There are few ranges, so the calling thread alone scans their totals. */
void gemp_prefix_inclusive(uint64_t *numbers, size_t count)
{
	prefix_task task = { .numbers = numbers };
	size_t ranges = gemp_range_count(count);
	uint64_t sum = 0;
	gemp_for_ranges(count, sum_range, &task);
	for (size_t range = 0; range < ranges; range++) {
		uint64_t own = task.offset[range];
		task.offset[range] = sum;
		sum += own;
	}
	if (ranges > 1)
		gemp_for_ranges(count, add_offset, &task);
}

/* Saves the last element of a range, which becomes the first element of the next range. All are saved before any range
 * moves. */
static void save_last(void *context, size_t range, size_t begin, size_t end)
{
	(void)begin;
	prefix_task *task = context;
	if (range + 1 < GEMP_MAX_RANGES)
		task->offset[range + 1] = task->numbers[end - 1];
}

/* Moves the elements of a range up by one; save_last has saved the last element. */
static void shift_range(void *context, size_t range, size_t begin, size_t end)
{
	const prefix_task *task = context;
	memmove(task->numbers + begin + 1, task->numbers + begin, (end - begin - 1) * sizeof *task->numbers);
	task->numbers[begin] = task->offset[range];
}

/* Two loops, so that every last element is saved before a range is moved. */
void gemp_prefix_shift(uint64_t *numbers, size_t count)
{
	prefix_task task = { .numbers = numbers };
	gemp_for_ranges(count, save_last, &task);
	gemp_for_ranges(count, shift_range, &task);
}

typedef struct any_task {
	gemp_pick_predicate *wanted;
	const void *self;
	atomic_bool found;
} any_task;

/* Reads the flag before each element, so all threads stop soon after one has found an element. */
static void test_elements(void *context, size_t begin, size_t end)
{
	any_task *task = context;
	for (size_t i = begin; i < end && !atomic_load_explicit(&task->found, memory_order_relaxed); i++)
		if (task->wanted(task->self, i))
			atomic_store_explicit(&task->found, true, memory_order_relaxed);
}

bool gemp_any(size_t n, gemp_pick_predicate *wanted, const void *self)
{
	any_task task = { wanted, self, false };
	gemp_for_elements(n, test_elements, &task);
	return task.found;
}

enum { PICK_CHUNK = 1 << 14 };

typedef struct pick_task {
	gemp_pick_predicate *wanted;
	const void *self;
	size_t *begin; /* [chunks + 1] chunk c writes out[begin[c]] .. out[begin[c + 1] - 1] */
	uint64_t *out; /* NULL in the first pass, which counts */
} pick_task;

/* Both passes run this body, so they select the same elements. */
static void pick_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const pick_task *p = context;
	size_t at = p->out ? p->begin[chunk] : 0;
	for (size_t i = begin; i < end; i++) {
		if (!p->wanted(p->self, i))
			continue;
		if (p->out)
			p->out[at] = i;
		at++;
	}
	if (!p->out)
		p->begin[chunk + 1] = at;
}

/* The first pass gives the exact size, so the result is allocated once. */
gemp_code gemp_pick(uint64_t **out, size_t *count, size_t n, gemp_pick_predicate *wanted, const void *self)
{
	size_t chunks = (n + PICK_CHUNK - 1) / PICK_CHUNK;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(GEMP_NEW(begin, chunks + 1));
	pick_task p = { wanted, self, begin, NULL };
	gemp_for_chunks(n, PICK_CHUNK, pick_chunk, &p);
	for (size_t i = 0; i < chunks; i++)
		begin[i + 1] += begin[i];
	*count = begin[chunks];
	size_t mapped;
	p.out = gemp_alloc_unset(*count, sizeof *p.out, &mapped);
	GEMP_TRY(p.out ? GEMP_OK : GEMP_ENOMEM);
	gemp_for_chunks(n, PICK_CHUNK, pick_chunk, &p);
	*out = p.out;
	return GEMP_OK;
}

/* BACKGROUND */

bool gemp_background_start(gemp_background *background, void *(*function)(void *), void *context)
{
	sigset_t before;
	gemp_signals_block(&before);
	background->running = pthread_create(&background->thread, NULL, function, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return background->running;
}

void gemp_background_wait(gemp_background *background)
{
	if (background->running)
		pthread_join(background->thread, NULL);
	background->running = false;
}
