/* Tests the counting sink: it counts all rows, and the rows whose vertices lie within one partition, for several
 * numbers of partitions. Rows of a second pass are not counted again, but the next sink gets the rows of both
 * passes. */
#include "harness/harness.h"

#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"

enum { VERTICES = 100 };

typedef struct next {
	size_t rows, turns;
	bool enough;
} next;

static gemp_code take(void *self, const gemp_batch *batch)
{
	next *n = self;
	n->rows += batch->rows;
	return n->rows > 1000 ? gemp_fail(GEMP_EIO, "too much") : GEMP_OK;
}

static gemp_code turn(void *self, bool last, bool *enough, bool *again)
{
	next *n = self;
	(void)last;
	n->turns++;
	*enough |= n->enough;
	*again = true;
	return GEMP_OK;
}

static const gemp_vertex pairs[] = { 0, 0, 0, 49, 49, 50, 24, 25, 25, 49, 99, 98 };

static gemp_batch batch_of(size_t rows)
{
	return (gemp_batch){ .rows = rows, .vertex_count = 2, .vertices = pairs };
}

static void counts_what_passes(void **state)
{
	(void)state;
	bool enough = false, again = false;
	next n = { 0 };
	gemp_sink behind = { &n, take, turn, NULL };
	gemp_count_sink tally = { .next = &behind, .vertices = VERTICES, .parts = true };
	gemp_sink sink = gemp_count_sink_of(&tally);
	gemp_batch batch = batch_of(6);
	assert_ok(sink.consume(sink.self, &batch));
	assert_ok(sink.end_round(sink.self, false, &enough, &again));
	assert_int_equal(tally.rows, 6);
	/* rows within one partition, for 1, 2 and 4 partitions of 100, 50 and 25 vertices */
	static const uint64_t within[] = { 6, 5, 3 };
	for (int i = 0; i < 3; i++)
		assert_int_equal(tally.within[i], within[i]);
	for (int i = 3; i < GEMP_PART_STEPS; i++)
		/* the row (0, 0) lies within one partition for every number of partitions */
		assert_true(tally.within[i] >= 1 && tally.within[i] <= tally.within[i - 1]);
	assert_true(!enough && again && n.rows == 6 && n.turns == 1);
	batch = batch_of(1);
	assert_ok(sink.consume(sink.self, &batch)); /* all rows before the last round are counted */
	n.enough = true;
	assert_ok(sink.end_round(sink.self, true, &enough, &again));
	assert_true(enough && tally.rows == 7);
	assert_ok(sink.consume(sink.self, &batch)); /* a second pass with the same rows */
	assert_true(tally.rows == 7 && tally.within[0] == 7 && n.rows == 8);
	batch = batch_of(0);
	n.rows = 2000;
	assert_code(sink.consume(sink.self, &batch), GEMP_EIO);
	gemp_sink_free(&sink);
}

static void alone(void **state)
{
	(void)state;
	bool enough = false, again = false;
	gemp_count_sink tally = { .vertices = VERTICES };
	gemp_sink sink = gemp_count_sink_of(&tally);
	gemp_batch batch = batch_of(3);
	assert_ok(sink.consume(sink.self, &batch));
	assert_ok(sink.end_round(sink.self, true, &enough, &again));
	assert_true(tally.rows == 3 && tally.within[0] == 0 && !enough && !again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_passes),
		cmocka_unit_test(alone),
	};
	return test_main(tests);
}
