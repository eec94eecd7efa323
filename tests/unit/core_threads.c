/* Loops on several threads: every piece once, threads have numbers of their own. */
#include "core/threads.h"

#include "harness/harness.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECES = 10000 };

typedef struct tally {
	atomic_uchar times[PIECES];
	size_t by_thread[64]; /* written by that thread alone */
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_piece_once), cmocka_unit_test(limits) };
	return test_main(tests);
}
