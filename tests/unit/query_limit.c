/* Tests the sink of LIMIT: it passes rows on until it has enough. */
#include "harness/harness.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/batch.h"
#include "query/output/result_rows.h"

typedef struct kept {
	size_t rows, turns;
	bool last;
} kept;

static gemp_code keep(void *self, const gemp_batch *batch)
{
	((kept *)self)->rows += batch->rows;
	return GEMP_OK;
}

static gemp_code turn(void *self, bool last, bool *enough, bool *again)
{
	kept *k = self;
	(void)enough;
	(void)again;
	k->turns++;
	k->last = last;
	return GEMP_OK;
}

static gemp_comm comm;

/* Sends rounds of 2 rows until the sink has enough. Returns the number of rounds. */
static size_t rounds_until_enough(uint64_t limit, gemp_sink *next)
{
	gemp_limit counted = { &comm, limit, 0, next };
	gemp_sink sink = gemp_limit_sink(&counted);
	const gemp_batch batch = { .rows = 2 };
	bool enough = false, again = false;
	for (size_t turns = 1; turns < 100; turns++) {
		assert_ok(sink.consume(sink.self, &batch));
		assert_ok(sink.end_round(sink.self, false, &enough, &again));
		assert_false(again);
		if (enough)
			return turns;
	}
	return 100;
}

static void rows_are_counted(void **state)
{
	(void)state;
	assert_int_equal(rounds_until_enough(0, NULL), 1);
	assert_int_equal(rounds_until_enough(1, NULL), 1);
	assert_int_equal(rounds_until_enough(2, NULL), 1);
	assert_int_equal(rounds_until_enough(3, NULL), 2);
	assert_int_equal(rounds_until_enough(UINT64_MAX, NULL), 100);
}

static void rows_are_passed_on(void **state)
{
	(void)state;
	kept k = { 0 };
	gemp_sink next = { .self = &k, .consume = keep, .end_round = turn };
	assert_int_equal(rounds_until_enough(5, &next), 3);
	assert_int_equal(k.rows, 6);
	assert_int_equal(k.turns, 3);
	assert_true(k.last); /* no more rows come, so later sinks are told that this round is the last */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_are_counted), cmocka_unit_test(rows_are_passed_on) };
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	int failed = test_main(tests);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return failed;
}
