#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

static unsigned limit;

static unsigned cores(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	return count < 1 ? 1 : (unsigned)count;
}

void gemp_threads_limit(unsigned threads)
{
	limit = threads;
}

unsigned gemp_threads(void)
{
	unsigned count = cores();
	if (limit && limit < count)
		count = limit;
	return count < MOST_THREADS ? count : MOST_THREADS;
}

typedef struct loop {
	gemp_loop_body *body;
	void *context;
	size_t pieces;
	_Atomic size_t next;
	atomic_uint threads;
} loop;

static void work(loop *l)
{
	unsigned thread = atomic_fetch_add(&l->threads, 1);
	size_t piece;
	while ((piece = atomic_fetch_add(&l->next, 1)) < l->pieces)
		l->body(l->context, thread, piece);
}

/* HELPERS wait for loops from the first one on to the end of the process: to make threads takes as long as many a
 * loop. They have one loop at a time; who comes meanwhile, from another thread or out of a body, has threads of its
 * own. */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t begun, ended;
	pthread_t thread[MOST_THREADS];
	unsigned count;
	bool taken, stopped;
	loop *loop;      /* that helpers may join; NULL: none */
	uint64_t number; /* of loops so far */
	unsigned seats;  /* helpers that may still join */
	unsigned inside; /* that have joined and not left */
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER, .begun = PTHREAD_COND_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

static void *help(void *unused)
{
	uint64_t last = 0;
	pthread_mutex_lock(&pool.mutex);
	while (!pool.stopped) {
		if (!pool.loop || pool.seats == 0 || pool.number == last) {
			pthread_cond_wait(&pool.begun, &pool.mutex);
			continue;
		}
		loop *l = pool.loop;
		last = pool.number;
		pool.seats--;
		pool.inside++;
		pthread_mutex_unlock(&pool.mutex);
		work(l);
		pthread_mutex_lock(&pool.mutex);
		if (--pool.inside == 0)
			pthread_cond_signal(&pool.ended);
	}
	pthread_mutex_unlock(&pool.mutex);
	return unused;
}

static void stop_helpers(void)
{
	pthread_mutex_lock(&pool.mutex);
	unsigned count = pool.taken ? 0 : pool.count;
	pool.count -= count;
	pool.stopped = true;
	pthread_cond_broadcast(&pool.begun);
	pthread_mutex_unlock(&pool.mutex);
	for (unsigned t = 0; t < count; t++)
		pthread_join(pool.thread[t], NULL);
}

/* Helpers are no part of a child process. */
static void forget_helpers(void)
{
	pthread_mutex_init(&pool.mutex, NULL);
	pthread_cond_init(&pool.begun, NULL);
	pthread_cond_init(&pool.ended, NULL);
	pool.count = pool.seats = pool.inside = 0;
	pool.taken = false;
	pool.loop = NULL;
}

/* Signals are for the threads of others. A thread that cannot be made is one that does not help. */
static void grow_pool(unsigned wanted)
{
	static bool known;
	sigset_t all, before;
	if (pool.count >= wanted || pool.stopped)
		return;
	if (!known && (pthread_atfork(NULL, NULL, forget_helpers) != 0 || atexit(stop_helpers) != 0))
		return;
	known = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool.count < wanted && pthread_create(&pool.thread[pool.count], NULL, help, NULL) == 0)
		pool.count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool call_helpers(loop *l, unsigned wanted)
{
	pthread_mutex_lock(&pool.mutex);
	bool ours = !pool.taken;
	if (ours) {
		grow_pool(wanted);
		pool.taken = true;
		pool.loop = l;
		pool.number++;
		pool.seats = wanted;
		if (wanted >= pool.count)
			pthread_cond_broadcast(&pool.begun);
		else
			for (unsigned t = 0; t < wanted; t++)
				pthread_cond_signal(&pool.begun);
	}
	pthread_mutex_unlock(&pool.mutex);
	return ours;
}

/* Who has not joined by now finds nothing left to do. */
static void dismiss_helpers(void)
{
	pthread_mutex_lock(&pool.mutex);
	pool.loop = NULL;
	while (pool.inside)
		pthread_cond_wait(&pool.ended, &pool.mutex);
	pool.taken = false;
	pthread_mutex_unlock(&pool.mutex);
}

static void *work_alone(void *l)
{
	work(l);
	return NULL;
}

static void work_with_others(loop *l, unsigned wanted)
{
	pthread_t others[MOST_THREADS];
	unsigned made = 0;
	while (made < wanted && pthread_create(&others[made], NULL, work_alone, l) == 0)
		made++;
	work(l);
	for (unsigned t = 0; t < made; t++)
		pthread_join(others[t], NULL);
}

void gemp_parallel_for(size_t pieces, gemp_loop_body *body, void *context)
{
	loop l = { .body = body, .context = context, .pieces = pieces };
	unsigned wanted = pieces > 1 ? gemp_threads() : 1;
	if (wanted > pieces)
		wanted = (unsigned)pieces;
	if (wanted <= 1) {
		work(&l);
	} else if (call_helpers(&l, wanted - 1)) {
		work(&l);
		dismiss_helpers();
	} else {
		work_with_others(&l, wanted - 1);
	}
}

typedef struct range_loop {
	size_t count, rows; /* of all; of a range, the last may have fewer */
	gemp_range_body *body;
	void *context;
} range_loop;

static void run_range(void *self, unsigned thread, size_t range)
{
	const range_loop *r = self;
	size_t begin = range * r->rows, left = r->count - begin;
	(void)thread;
	r->body(r->context, range, begin, begin + (left < r->rows ? left : r->rows));
}

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

void gemp_for_ranges(size_t count, gemp_range_body *body, void *context)
{
	gemp_for_chunks(count, rows_of(count), body, context);
}
