#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

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

static void *work(void *argument)
{
	loop *l = argument;
	unsigned thread = atomic_fetch_add(&l->threads, 1);
	size_t piece;
	while ((piece = atomic_fetch_add(&l->next, 1)) < l->pieces)
		l->body(l->context, thread, piece);
	return NULL;
}

/* A thread that cannot be made is one that does not help. */
void gemp_parallel_for(size_t pieces, gemp_loop_body *body, void *context)
{
	loop l = { .body = body, .context = context, .pieces = pieces };
	pthread_t helpers[MOST_THREADS];
	unsigned wanted = pieces > 1 ? gemp_threads() : 1, made = 0;
	if (wanted > pieces)
		wanted = pieces ? (unsigned)pieces : 1;
	while (made + 1 < wanted && pthread_create(&helpers[made], NULL, work, &l) == 0)
		made++;
	work(&l);
	for (unsigned t = 0; t < made; t++)
		pthread_join(helpers[t], NULL);
}
