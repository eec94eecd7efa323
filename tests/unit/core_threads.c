/* Tests loops on several threads: every index is processed once, and threads have distinct numbers. */
#include "core/threads.h"

#include "harness/harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 10000 };

typedef struct tally {
	atomic_uchar times[PIECES];
	size_t by_thread[64]; /* by_thread[i] is written by thread i alone */
} tally;

static void count_piece(void *context, unsigned thread, size_t piece)
{
	tally *t = context;
	atomic_fetch_add(&t->times[piece], 1);
	t->by_thread[thread]++;
}

static void check(size_t pieces, unsigned limit)
{
	static tally t;
	size_t sum = 0;
	memset(&t, 0, sizeof t);
	gemp_threads_limit(limit);
	gemp_parallel_for(pieces, count_piece, &t);
	for (size_t i = 0; i < PIECES; i++)
		assert_int_equal(t.times[i], i < pieces);
	for (unsigned thread = 0; thread < 64; thread++) {
		sum += t.by_thread[thread];
		assert_true(thread < gemp_threads() || !t.by_thread[thread]);
	}
	assert_int_equal(sum, pieces);
}

static void each_piece_once(void **state)
{
	(void)state;
	for (unsigned limit = 0; limit <= 3; limit++) {
		check(0, limit);
		check(1, limit);
		check(2, limit);
		check(PIECES, limit);
	}
}

static void limits(void **state)
{
	(void)state;
	gemp_threads_limit(0);
	unsigned all = gemp_threads();
	assert_true(all >= 1);
	gemp_threads_limit(1);
	assert_int_equal(gemp_threads(), 1);
	gemp_threads_limit(all + 1);
	assert_int_equal(gemp_threads(), all);
}

enum { OUTER = 6, INNER = 50, LOOPS = 2000 };

static void count_inner(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	(void)piece;
	atomic_fetch_add((atomic_size_t *)context, 1);
}

static void count_loop(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	(void)piece;
	gemp_parallel_for(INNER, count_inner, context);
}

static void nested_loops(void **state)
{
	atomic_size_t sum = 0;
	(void)state;
	gemp_threads_limit(0);
	gemp_parallel_for(OUTER, count_loop, &sum);
	assert_int_equal(sum, OUTER * INNER);
}

static void *many_loops(void *context)
{
	for (int i = 0; i < LOOPS; i++)
		gemp_parallel_for(3, count_inner, context);
	return NULL;
}

/* Several threads run loops at the same time, one loop directly after another, so they compete for the pool of
 * threads. */
static void several_threads_run_loops(void **state)
{
	atomic_size_t sum = 0;
	pthread_t other[2];
	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&other[i], NULL, many_loops, &sum), 0);
	many_loops(&sum);
	for (int i = 0; i < 2; i++)
		pthread_join(other[i], NULL);
	assert_int_equal(sum, 3 * 3 * LOOPS);
}

/* A child process does not have its parent's threads. Neither a loop nor the exit may wait for them. */
static void loops_work_in_a_forked_child(void **state)
{
	atomic_size_t sum = 0;
	int status = 1;
	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* ThreadSanitizer kills a child process that starts threads */
#endif
	gemp_parallel_for(INNER, count_inner, &sum);
	pid_t child = fork();
	if (child == 0) {
		alarm(20);
		gemp_parallel_for(INNER, count_inner, &sum);
		exit(sum == 2 * INNER ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Copies of no byte, of less than a chunk, and of several chunks, between bytes that must stay. */
static void copies_are_equal(void **state)
{
	enum { LARGEST = 3000001 };
	static const size_t sizes[] = { 0, 1, 1000, 262143, 262144, 262145, LARGEST };
	static char from[LARGEST], to[LARGEST + 2];
	(void)state;
	for (size_t i = 0; i < LARGEST; i++)
		from[i] = (char)(i * 2654435761u >> 8);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		memset(to, 'x', sizeof to);
		gemp_parallel_copy(to + 1, from, sizes[s]);
		assert_memory_equal(to + 1, from, sizes[s]);
		assert_true(to[0] == 'x' && to[sizes[s] + 1] == 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(copies_are_equal),
		                                cmocka_unit_test(each_piece_once),
		                                cmocka_unit_test(limits),
		                                cmocka_unit_test(nested_loops),
		                                cmocka_unit_test(several_threads_run_loops),
		                                cmocka_unit_test(loops_work_in_a_forked_child) };
	return test_main(tests);
}
